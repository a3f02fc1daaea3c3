//! What is needed of the files that a scenario names: their text, not too much of it. Not here:
//! opening them; whoever loads the scenario does.

use std::collections::HashMap;

use netloom_link::{FileError, PipeChange, SharedData};

/// Most bytes of all files together. A file that is read as two kinds of data, or not as what it
/// should be, counts again.
const MAX_BYTES: usize = 256 << 20;

/// Gives the text of a file by the name that was written.
pub type ReadFile<'a> = dyn FnMut(&str) -> Result<String, Unreadable> + 'a;

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
    read: &'a mut ReadFile<'a>,
    left: usize,
    shared: SharedData,
    /// What nodes have of them.
    texts: HashMap<String, Result<String, Unreadable>>,
}

impl<'a> Files<'a> {
    pub fn new(read: &'a mut ReadFile<'a>) -> Self {
        Self { read, left: MAX_BYTES, shared: SharedData::default(), texts: HashMap::new() }
    }

    /// The text of a file, read once however many nodes have it.
    pub fn text(&mut self, name: &str) -> Result<String, Unreadable> {
        if let Some(known) = self.texts.get(name) {
            return known.clone();
        }
        let text = (self.read)(name).and_then(|text| {
            self.left = self.left.checked_sub(text.len()).ok_or_else(too_much)?;
            Ok(text)
        });
        self.texts.insert(name.into(), text.clone());
        text
    }

    /// Reads in what `change` names, each file once for all links.
    pub fn load(&mut self, change: &mut PipeChange) -> Result<(), Vec<FileError<Unreadable>>> {
        let Self { read, left, shared, .. } = self;
        let mut read = |file: &str| {
            let text = read(file)?;
            *left = left.checked_sub(text.len()).ok_or_else(too_much)?;
            Ok(text)
        };
        change.load(&mut read, shared)
    }
}

fn too_much() -> Unreadable {
    Unreadable::because(format!("the files of this scenario have more than {MAX_BYTES} bytes"))
}
