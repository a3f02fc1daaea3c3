//! Values of any kind that come from files: loads them, and shares values that many parts take from
//! the same file. Not here: access to files. The caller passes their text in.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::Arc;

use super::{Data, DataError, DataFormat};

/// [`Data`] of any kind.
pub trait DataFile {
    /// Returns the name of the file, if it has not been read yet.
    fn unread(&self) -> Option<&str>;
    /// Returns a description of the file's expected contents.
    fn what(&self) -> &'static str;
    /// Parses the values from the file's text.
    fn load(&mut self, text: &str) -> Result<(), DataError>;
    /// Takes the values from `shared` if it has equal ones from this file, or if the file has not
    /// been read here. Otherwise adds its own values to `shared`, if it has any.
    fn share(&mut self, shared: &mut SharedData);
}

/// Values by the file that they came from. Owners that use the same values of the same file share
/// one copy.
#[derive(Debug, Default)]
pub struct SharedData(HashMap<(TypeId, String), Arc<dyn Any + Send + Sync>>);

impl<T: DataFormat + PartialEq + Send + Sync + 'static> DataFile for Data<T> {
    fn unread(&self) -> Option<&str> {
        match self {
            Self::File(file) => Some(file),
            Self::Values { .. } => None,
        }
    }
    fn what(&self) -> &'static str {
        T::WHAT
    }
    fn load(&mut self, text: &str) -> Result<(), DataError> {
        Data::load(self, text)
    }
    fn share(&mut self, shared: &mut SharedData) {
        let Some(file) = self.file().map(str::to_owned) else { return };
        // Values stored under a type are of that type.
        let kept = shared.0.get(&(TypeId::of::<T>(), file.clone()));
        let kept = kept.and_then(|values| Arc::clone(values).downcast::<T>().ok());
        match (self.values(), kept) {
            // A name may stand for other values if the file has changed between two readings.
            (Some(own), Some(kept)) if *own != kept => {}
            (_, Some(values)) => *self = Self::Values { file: Some(file), values },
            (Some(own), None) => {
                shared.0.insert((TypeId::of::<T>(), file), Arc::clone(own) as _);
            }
            (None, None) => {}
        }
    }
}

/// The reason why a property's values could not be loaded from their file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileError<E> {
    /// The property's key.
    pub property: &'static str,
    /// The file's name, as in the scenario.
    pub file: String,
    /// A description of the file's expected contents, like "Mahimahi trace".
    pub what: &'static str,
    /// The fault.
    pub cause: FileFault<E>,
}

/// A fault of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileFault<E> {
    /// The file could not be read.
    Unreadable(E),
    /// The text of the file is not in the expected format.
    Malformed(DataError),
}

/// Loads all of `files` that have not been read, each with the property that it belongs to. `read`
/// returns a file's text.
///
/// # Errors
/// One for each file that cannot be read or is malformed. The others are loaded nevertheless.
pub fn load_files<'a, E>(
    files: impl IntoIterator<Item = (&'static str, &'a mut dyn DataFile)>,
    read: &mut dyn FnMut(&str) -> Result<String, E>,
) -> Result<(), Vec<FileError<E>>> {
    let mut errors = Vec::new();
    for (property, data) in files {
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
