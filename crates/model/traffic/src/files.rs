//! Reading in the files that models name. Not here: the files; whoever holds them gives their text.

use netloom_units::{DataFile, FileError, FileFault};

/// Reads in all of `files` that have not been read, which belong to `property`.
pub(crate) fn load<E>(
    property: &'static str,
    files: Vec<&mut dyn DataFile>,
    read: &mut dyn FnMut(&str) -> Result<String, E>,
) -> Result<(), Vec<FileError<E>>> {
    let mut errors = Vec::new();
    for data in files {
        let Some(file) = data.unread().map(str::to_owned) else { continue };
        let loaded = read(&file)
            .map_err(FileFault::Unreadable)
            .and_then(|text| data.load(&text).map_err(FileFault::Malformed));
        if let Err(cause) = loaded {
            errors.push(FileError { property, file, what: data.what(), cause });
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}
