//! What is needed of the files that a scenario names: their text, not too much of it. Not here:
//! opening them; whoever loads the scenario does.

use std::collections::HashMap;

use netloom_link::{FileError, PipeChange, SharedData};

/// Most bytes of all files together. A file that is read as two kinds of data, or not as what it
/// should be, counts again.
const MAX_BYTES: usize = 256 << 20;

/// Who gives files by the names that were written. A function that gives texts has no captures.
pub trait ReadFile {
    /// The text of a file.
    ///
    /// # Errors
    /// It cannot be read.
    fn text(&mut self, name: &str) -> Result<String, Unreadable>;

    /// A capture, which is too long to be held.
    ///
    /// # Errors
    /// It cannot be read.
    fn capture(&mut self, name: &str) -> Result<OpenCapture, Unreadable>;
}

/// A capture that is open.
pub struct OpenCapture {
    /// Where it is, from the root of the file system on.
    pub path: String,
    /// Its bytes, from the beginning on.
    pub bytes: Box<dyn std::io::Read>,
}

impl<F: FnMut(&str) -> Result<String, Unreadable>> ReadFile for F {
    fn text(&mut self, name: &str) -> Result<String, Unreadable> {
        self(name)
    }

    fn capture(&mut self, _: &str) -> Result<OpenCapture, Unreadable> {
        Err(Unreadable::because("captures cannot be read here"))
    }
}

/// Why a file could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// The reason, like "there is no such file".
    pub reason: String,
    /// What to do about it, if that is known.
    pub help: Option<String>,
}

impl Unreadable {
    /// Because of `reason`.
    pub fn because(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), help: None }
    }
}

/// The files of one scenario.
pub(crate) struct Files<'a> {
    read: &'a mut dyn ReadFile,
    left: usize,
    shared: SharedData,
    /// What nodes have of them.
    texts: HashMap<String, Result<String, Unreadable>>,
}

impl<'a> Files<'a> {
    pub fn new(read: &'a mut dyn ReadFile) -> Self {
        Self { read, left: MAX_BYTES, shared: SharedData::default(), texts: HashMap::new() }
    }

    /// The text of a file, read once however many nodes have it.
    pub fn text(&mut self, name: &str) -> Result<String, Unreadable> {
        if let Some(known) = self.texts.get(name) {
            return known.clone();
        }
        let text = self.read.text(name).and_then(|text| {
            self.left = self.left.checked_sub(text.len()).ok_or_else(too_much)?;
            Ok(text)
        });
        self.texts.insert(name.into(), text.clone());
        text
    }

    /// A capture, from its beginning.
    pub fn capture(&mut self, name: &str) -> Result<OpenCapture, Unreadable> {
        self.read.capture(name)
    }

    /// Reads in what `change` names, each file once for all links.
    pub fn load(&mut self, change: &mut PipeChange) -> Result<(), Vec<FileError<Unreadable>>> {
        let Self { read, left, shared, .. } = self;
        let mut read = |file: &str| {
            let text = read.text(file)?;
            *left = left.checked_sub(text.len()).ok_or_else(too_much)?;
            Ok(text)
        };
        change.load(&mut read, shared)
    }
}

fn too_much() -> Unreadable {
    Unreadable::because(format!("the files of this scenario have more than {MAX_BYTES} bytes"))
}
