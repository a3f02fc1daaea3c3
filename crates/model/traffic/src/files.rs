//! Loads the files that models name. Not here: access to files. The caller provides their text.

use netloom_units::{DataFile, FileError, load_files};

/// Loads all of `files` that have not been read. They belong to `property`.
pub(crate) fn load<E>(
    property: &'static str,
    files: Vec<&mut dyn DataFile>,
    read: &mut dyn FnMut(&str) -> Result<String, E>,
) -> Result<(), Vec<FileError<E>>> {
    load_files(files.into_iter().map(|file| (property, file)), read)
}
