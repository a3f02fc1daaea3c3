//! A Parquet file that can be read at any time while it is written. After the rows there is a
//! footer for all of them, which the next rows overwrite. If the program ends or the disk is full,
//! only the rows since the last [`GrowingParquet::flush`] are lost.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use parquet::file::metadata::{FileMetaData, ParquetMetaData, ParquetMetaDataWriter};
use parquet::schema::types::SchemaDescriptor;

use crate::{Cell, Column, Parquet, Table, TableError};

/// A table as a Parquet file that is complete after each flush.
pub struct GrowingParquet {
    rows: Parquet<Vec<u8>>,
    file: File,
    schema: Arc<SchemaDescriptor>,
    /// Position of the footer in the file.
    end: u64,
    /// The current footer.
    footer: Vec<u8>,
    /// Rows that have not been written to the file, in their final form.
    pending: Vec<u8>,
}

impl GrowingParquet {
    /// A table `name` with these columns in an empty file.
    ///
    /// # Errors
    /// Fails if the beginning of the file cannot be written, or a name is not valid.
    pub fn new(file: File, name: &str, columns: &[Column<'_>]) -> Result<Self, TableError> {
        let rows = Parquet::new(Vec::new(), name, columns)?;
        let schema = Arc::new(rows.writer.schema_descr().clone());
        let (footer, pending) = (Vec::new(), Vec::new());
        let mut table = Self { rows, file, schema, end: 0, footer, pending };
        table.flush()?;
        Ok(table)
    }

    /// Writes all rows so far. If that fails, they are kept for the next time, and the file is
    /// unchanged.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn flush(&mut self) -> Result<(), TableError> {
        self.rows.flush()?;
        self.rows.writer.flush()?;
        self.pending.append(self.rows.writer.inner_mut());
        let footer = self.new_footer()?;
        let mut bytes = Vec::with_capacity(self.pending.len() + footer.len());
        bytes.extend_from_slice(&self.pending);
        bytes.extend_from_slice(&footer);
        if let Err(error) = self.file.write_all_at(&bytes, self.end) {
            self.restore()?;
            return Err(error.into());
        }
        self.end += self.pending.len() as u64;
        self.pending.clear();
        self.footer = footer;
        Ok(())
    }

    /// Number of bytes that have not been written because the file could not take them.
    pub fn pending(&self) -> usize {
        self.pending.len()
    }

    /// Restores the last footer. The file has room for it.
    fn restore(&self) -> io::Result<()> {
        self.file.write_all_at(&self.footer, self.end)?;
        self.file.set_len(self.end + self.footer.len() as u64)
    }

    /// The footer for all row groups so far.
    fn new_footer(&self) -> Result<Vec<u8>, TableError> {
        let groups = self.rows.writer.flushed_row_groups().to_vec();
        let rows = groups.iter().map(|group| group.num_rows()).sum();
        let properties = self.rows.writer.properties();
        let (version, by) = (properties.writer_version().as_num(), properties.created_by());
        let schema = Arc::clone(&self.schema);
        let file = FileMetaData::new(version, rows, Some(by.into()), None, schema, None);
        let mut footer = Vec::new();
        ParquetMetaDataWriter::new(&mut footer, &ParquetMetaData::new(file, groups)).finish()?;
        Ok(footer)
    }
}

impl Table for GrowingParquet {
    fn row(&mut self, cells: &[Cell<'_>]) -> Result<(), TableError> {
        self.rows.row(cells)
    }

    fn finish(mut self: Box<Self>) -> Result<(), TableError> {
        self.flush()
    }
}
