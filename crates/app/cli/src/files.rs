//! Reads the files that properties name: traces, tables, samples. They are read here, on the user's
//! side; an engine gets their values.

use std::fs;
use std::io::{self, BufReader, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use netloom_scenario::{OpenCapture, ReadFile, Unreadable, similar};
use netloom_traffic::Arrivals;
use nix::libc;
use nix::sys::statfs::{PROC_SUPER_MAGIC, fstatfs};

/// Size of the largest text that is read, in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// Names of the congestion controls that the kernel has, loaded modules included.
const CONGESTION_CONTROLS: &str = "/proc/sys/net/ipv4/tcp_available_congestion_control";

/// Name of the congestion control that the kernel takes by default.
const CONGESTION_CONTROL: &str = "/proc/sys/net/ipv4/tcp_congestion_control";

/// Reads files by names that are relative to a folder.
pub struct Reader<'a> {
    folder: &'a Path,
    /// The files that were read.
    read: Vec<PathBuf>,
}

impl Reader<'_> {
    /// Returns the files that were read.
    pub fn into_read(self) -> Vec<PathBuf> {
        self.read
    }
}

/// Reads files by names that are relative to `folder`.
pub fn reader(folder: &Path) -> Reader<'_> {
    Reader { folder, read: Vec::new() }
}

impl ReadFile for Reader<'_> {
    fn text(&mut self, name: &str) -> Result<String, Unreadable> {
        let path = self.folder.join(name);
        let text = read(&path)?;
        self.read.push(path);
        Ok(text)
    }

    fn capture(&mut self, name: &str) -> Result<OpenCapture, Unreadable> {
        let path = self.folder.join(name);
        let file = open(&path)?;
        self.read.push(path.clone());
        let whole = fs::canonicalize(&path).map_err(|error| unreadable(&path, &error))?;
        let path = whole.into_os_string().into_string();
        let path = path.map_err(|_| Unreadable::because("its path is not UTF-8 text"))?;
        Ok(OpenCapture { path, bytes: Box::new(file) })
    }

    fn congestion_controls(&mut self) -> Vec<String> {
        let text = fs::read_to_string(CONGESTION_CONTROLS).unwrap_or_default();
        text.split_whitespace().map(Into::into).collect()
    }

    fn congestion_control(&mut self) -> Option<String> {
        let text = fs::read_to_string(CONGESTION_CONTROL).ok()?;
        Some(text.trim().into())
    }
}

/// Opens a file on a disk or in memory.
fn open(path: &Path) -> Result<fs::File, Unreadable> {
    let open = || -> io::Result<(fs::File, bool)> {
        // Opening a pipe would wait for a writer.
        let file = fs::OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
        let is_stored = fstatfs(&file)?.filesystem_type() != PROC_SUPER_MAGIC;
        let is_file = file.metadata()?.is_file() && is_stored;
        Ok((file, is_file))
    };
    match open().map_err(|error| unreadable(path, &error))? {
        (file, true) => Ok(file),
        (_, false) => Err(Unreadable::because("it is no regular file on a disk or in memory")),
    }
}

fn read(path: &Path) -> Result<String, Unreadable> {
    match contents(path)? {
        Contents::Text(text) => Ok(text),
        Contents::Capture(arrivals) => {
            Ok(arrivals.as_slice().iter().map(|arrival| format!("{arrival}\n")).collect())
        }
    }
}

/// What is in a file.
pub enum Contents {
    /// Text, of whatever format.
    Text(String),
    /// The arrivals of a capture. Captures are read frame by frame, and may be of any size.
    Capture(Arrivals),
}

/// Reads a file.
pub fn contents(path: &Path) -> Result<Contents, Unreadable> {
    let describe = |error: io::Error| unreadable(path, &error);
    let mut file = open(path)?;
    let mut start = Vec::new();
    (&mut file).take(4).read_to_end(&mut start).map_err(describe)?;
    if netloom_traffic::is_capture(&start) {
        let whole = BufReader::new(start.as_slice().chain(file));
        let arrivals = netloom_traffic::arrivals(whole);
        let arrivals = arrivals.map_err(|error| Unreadable::because(error.to_string()))?;
        return Ok(Contents::Capture(arrivals));
    }
    let mut bytes = start;
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(describe)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Unreadable::because(format!("it has more than {} MiB", MAX_BYTES >> 20)));
    }
    let text = String::from_utf8(bytes);
    text.map(Contents::Text).map_err(|_| Unreadable::because("it is not UTF-8 text"))
}

fn unreadable(path: &Path, error: &io::Error) -> Unreadable {
    match error.kind() {
        io::ErrorKind::NotFound => Unreadable {
            reason: format!("there is no file {}", path.display()),
            help: sibling(path).map(|name| format!("did you mean `{name}`?")),
        },
        _ => Unreadable::because(error.to_string()),
    }
}

/// Returns the file beside `path` with the most similar name.
fn sibling(path: &Path) -> Option<String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let entries = fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?;
    let names: Vec<String> =
        entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    similar(path.file_name()?.to_str()?, names.iter().map(String::as_str)).map(Into::into)
}
