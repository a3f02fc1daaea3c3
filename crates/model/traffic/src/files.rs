//! Reading in the files that models name. Not here: the files; whoever holds them gives their text.

use netloom_units::{DataFile, FileError, load_files};

/// Reads in all of `files` that have not been read, which belong to `property`.
pub(crate) fn load<E>(
    property: &'static str,
    files: Vec<&mut dyn DataFile>,
    read: &mut dyn FnMut(&str) -> Result<String, E>,
) -> Result<(), Vec<FileError<E>>> {
    load_files(files.into_iter().map(|file| (property, file)), read)
}
