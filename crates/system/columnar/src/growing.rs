//! A Parquet file that can be read at any time while it is written: behind the rows stands a footer
//! for all of them, which the next rows overwrite. Whatever ends the program, or a disk that is
//! full, costs the rows since the last [`GrowingParquet::flush`] only.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use parquet::file::metadata::{FileMetaData, ParquetMetaData, ParquetMetaDataWriter};
use parquet::schema::types::SchemaDescriptor;

use crate::{Cell, Column, Parquet, Table, TableError};

/// A table as a Parquet file that is whole after each flush.
pub struct GrowingParquet {
    rows: Parquet<Vec<u8>>,
    file: File,
    schema: Arc<SchemaDescriptor>,
    /// Where the footer stands in the file.
    end: u64,
    /// The footer that stands there.
    footer: Vec<u8>,
    /// Rows that the file did not take so far, as they will stand in it.
    pending: Vec<u8>,
}

impl GrowingParquet {
    /// A table called `name` with these columns into an empty file.
    ///
    /// # Errors
    /// If the beginning of the file cannot be written, or a name is not one.
    pub fn new(file: File, name: &str, columns: &[Column<'_>]) -> Result<Self, TableError> {
        let rows = Parquet::new(Vec::new(), name, columns)?;
        let schema = Arc::new(rows.writer.schema_descr().clone());
        let (footer, pending) = (Vec::new(), Vec::new());
        let mut table = Self { rows, file, schema, end: 0, footer, pending };
        table.flush()?;
        Ok(table)
    }

    /// Writes all rows so far. If that fails, they are kept for the next time, and the file is as
    /// it was.
    ///
    /// # Errors
    /// If the file cannot be written.
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

    /// How many bytes wait for a file that does not take them.
    pub fn pending(&self) -> usize {
        self.pending.len()
    }

    /// Puts the last footer back, whose place the file has.
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
