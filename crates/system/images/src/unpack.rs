//! Unpacks one archive into a directory. Device files are left out: nodes have the machine's
//! `/dev`.

use std::error::Error;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek};
use std::path::{Component, Path, PathBuf};

use flate2::read::MultiGzDecoder;
use tar::{Archive, EntryType};

use crate::ImageError;

/// Prefix of names by which a layer deletes a file below it, and the name by which it deletes
/// everything in a directory.
const WHITEOUT: &str = ".wh.";
const OPAQUE: &str = ".wh..wh..opq";

/// Largest number of directories in a path. Each costs time together with all before it.
const DEEPEST: usize = 255;
/// Largest ratio between the unpacked and the packed size of an archive; [`SMALL`] is allowed in
/// any case. Compression of ordinary files stays far below it; archives made to fill disks reach a
/// thousand.
const LARGEST_RATIO: u64 = 100;
/// Unpacked size that every archive may have, in bytes.
const SMALL: u64 = 256 << 20;

/// Opens an archive.
pub(crate) fn open(path: &Path) -> Result<File, ImageError> {
    File::open(path).map_err(|error| ImageError::file("open", path, error))
}

/// Unpacks `archive`, whose name is `name`, over the contents of `target`.
pub(crate) fn unpack(name: &Path, archive: &File, target: &Path) -> Result<(), ImageError> {
    let most = |archive: &File| {
        archive.metadata().map(|it| it.len().saturating_mul(LARGEST_RATIO).max(SMALL))
    };
    let unpacked = most(archive).and_then(|most| {
        reader(archive).and_then(|reader| entries(Bounded { reader, left: most }, target))
    });
    unpacked.map_err(with_causes).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof | io::ErrorKind::Other => {
            let problem = format!(
                "cannot be unpacked (a tarball is expected, compressed by gzip, zstd or not): \
                     {error}"
            );
            ImageError::malformed(name, problem)
        }
        _ => ImageError::file("unpack", name, error),
    })
}

/// Adds the messages of an error's causes, which `tar` leaves out.
fn with_causes(error: io::Error) -> io::Error {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        words += &format!(": {error}");
        cause = error.source();
    }
    io::Error::new(error.kind(), words)
}

/// Decompresses the archive.
fn reader(mut archive: &File) -> io::Result<Box<dyn Read + '_>> {
    let mut magic = [0; 4];
    archive.read_exact(&mut magic)?;
    archive.rewind()?;
    Ok(match magic {
        [0x1f, 0x8b, ..] => Box::new(MultiGzDecoder::new(BufReader::new(archive))),
        [0x28, 0xb5, 0x2f, 0xfd] => Box::new(zstd::Decoder::new(archive)?),
        _ => Box::new(BufReader::new(archive)),
    })
}

/// A reader that fails instead of returning more bytes than allowed.
struct Bounded<R> {
    reader: R,
    left: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.left = self.left.checked_sub(count as u64).ok_or_else(|| {
            let problem = format!(
                "it becomes more than {LARGEST_RATIO} times as large, which no root file system \
                 does; if it is to, unpack it and name the directory"
            );
            io::Error::new(io::ErrorKind::InvalidData, problem)
        })?;
        Ok(count)
    }
}

fn entries(reader: impl Read, target: &Path) -> io::Result<()> {
    let mut archive = Archive::new(reader);
    archive.set_preserve_permissions(true);
    archive.set_overwrite(true);
    // A directory that is not writable gets its mode after everything in it is unpacked.
    let mut directories = vec![];
    for entry in archive.entries()? {
        let mut entry = entry?;
        let path = entry.path()?.into_owned();
        if path.components().count() > DEEPEST {
            let problem = format!("it has a path through more than {DEEPEST} directories");
            return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
        }
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if let Some(gone) = name.strip_prefix(WHITEOUT) {
            if ["", ".", ".."].contains(&gone) {
                let problem = format!("`{}` takes away what has no name", path.display());
                return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
            }
            let parent = inside(target, path.parent().unwrap_or(Path::new("")))?;
            match parent {
                Some(parent) if name == OPAQUE => clear(&parent)?,
                Some(parent) => remove(&parent.join(gone))?,
                None => {}
            }
            continue;
        }
        match entry.header().entry_type() {
            EntryType::Directory => directories.push(entry),
            EntryType::Block | EntryType::Char | EntryType::Fifo => {}
            _ => {
                entry.unpack_in(target)?;
            }
        }
    }
    // Deepest first, as `tar` does.
    directories.sort_by(|a, b| b.path_bytes().cmp(&a.path_bytes()));
    for mut directory in directories {
        directory.unpack_in(target)?;
    }
    Ok(())
}

/// The place of the archive's `path` below `target`; `None` if it does not exist or links lead out
/// of `target`.
fn inside(target: &Path, path: &Path) -> io::Result<Option<PathBuf>> {
    if path.components().any(|part| part == Component::ParentDir) {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            format!("`{}` leads out", path.display()),
        ));
    }
    let target = fs::canonicalize(target)?;
    let relative = path.strip_prefix("/").unwrap_or(path);
    Ok(fs::canonicalize(target.join(relative)).ok().filter(|found| found.starts_with(&target)))
}

fn clear(directory: &Path) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        remove(&entry?.path())?;
    }
    Ok(())
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}
