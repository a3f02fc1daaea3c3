//! The file of all reports: each of its lines is whole, and the number of missing reports is known.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use netloom_api::metric::Metric;

/// The file that lines are written to.
pub trait Disk {
    fn write_all_at(&mut self, bytes: &[u8], offset: u64) -> io::Result<()>;
    fn set_len(&mut self, length: u64) -> io::Result<()>;
}

impl Disk for File {
    fn write_all_at(&mut self, bytes: &[u8], offset: u64) -> io::Result<()> {
        FileExt::write_all_at(self, bytes, offset)
    }

    fn set_len(&mut self, length: u64) -> io::Result<()> {
        File::set_len(self, length)
    }
}

/// `metrics.jsonl` of a run.
#[derive(Debug)]
pub struct Store<D = File> {
    disk: D,
    /// Length of the file up to the end of the last whole line, in bytes.
    length: u64,
    missing: Option<Missing>,
}

/// The reports that are missing in a file.
#[derive(Debug)]
pub struct Missing {
    /// Number of missing reports.
    pub reports: u64,
    /// The error that the first of them met.
    pub first: io::Error,
}

impl<D: Disk> Store<D> {
    pub fn new(disk: D) -> Self {
        Self { disk, length: 0, missing: None }
    }

    /// Writes a report as a line, at once.
    ///
    /// # Errors
    /// If the report cannot be written. The file then has nothing of it.
    pub fn put(&mut self, metric: &Metric) -> io::Result<()> {
        // Plain data always has a JSON form.
        let mut line = serde_json::to_string(metric).unwrap_or_default();
        line.push('\n');
        match self.disk.write_all_at(line.as_bytes(), self.length) {
            Ok(()) => {
                self.length += line.len() as u64;
                Ok(())
            }
            Err(error) => {
                // A disk that fills up accepts the first bytes of a line.
                let _ = self.disk.set_len(self.length);
                let new = || Missing { reports: 0, first: again(&error) };
                self.missing.get_or_insert_with(new).reports += 1;
                Err(error)
            }
        }
    }

    /// Returns the reports that are missing.
    pub fn missing(&self) -> Option<&Missing> {
        self.missing.as_ref()
    }
}

/// Copies an error.
fn again(error: &io::Error) -> io::Error {
    error.raw_os_error().map_or(error.kind().into(), io::Error::from_raw_os_error)
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use netloom_units::Time;

    use super::*;

    /// A disk with limited room. If bytes do not fit, it accepts the first of them.
    #[derive(Debug, Default)]
    struct Small {
        bytes: Vec<u8>,
        room: usize,
    }

    impl Disk for Small {
        fn write_all_at(&mut self, bytes: &[u8], offset: u64) -> io::Result<()> {
            self.bytes.truncate(offset as usize);
            let fits = bytes.len().min(self.room - self.bytes.len());
            self.bytes.extend(&bytes[..fits]);
            if fits < bytes.len() { Err(ErrorKind::StorageFull.into()) } else { Ok(()) }
        }

        fn set_len(&mut self, length: u64) -> io::Result<()> {
            self.bytes.truncate(length as usize);
            Ok(())
        }
    }

    fn metric(value: f64) -> Metric {
        Metric { time: Time::ZERO, node: "a".into(), name: "jitter".into(), value }
    }

    fn values(store: &Store<Small>) -> Vec<f64> {
        let text = std::str::from_utf8(&store.disk.bytes).unwrap();
        assert!(text.is_empty() || text.ends_with('\n'), "half a line: {text}");
        text.lines().map(|line| serde_json::from_str::<Metric>(line).unwrap().value).collect()
    }

    #[test]
    fn a_full_disk_costs_whole_reports_and_they_are_counted() {
        let mut store = Store::new(Small { room: 1000, ..Small::default() });
        store.put(&metric(1.0)).unwrap();
        assert!(store.missing().is_none());
        let each = store.disk.bytes.len();
        store.disk.room = each + each / 2;
        for value in [2.0, 3.0, 4.0] {
            assert_eq!(store.put(&metric(value)).unwrap_err().kind(), ErrorKind::StorageFull);
            assert_eq!(values(&store), [1.0]);
        }
        store.disk.room = 1000;
        store.put(&metric(5.0)).unwrap();
        assert_eq!(values(&store), [1.0, 5.0]);
        let missing = store.missing().unwrap();
        assert_eq!((missing.reports, missing.first.kind()), (3, ErrorKind::StorageFull));
    }
}
