//! Access to the files that a scenario names: it returns their text and limits its length. Not
//! here: opening files, which is up to the code that loads the scenario.

use std::collections::HashMap;

use netloom_link::{FileError, PipeChange, SharedData};

/// Largest total length of all files in bytes. A file counts again if it is read as two kinds of
/// data, or if it turns out to be invalid.
const MAX_BYTES: usize = 256 << 20;

/// Source of files by the names in the scenario. A function that returns texts implements it, and
/// has no captures.
pub trait ReadFile {
    /// Returns the text of a file.
    ///
    /// # Errors
    /// The file cannot be read.
    fn text(&mut self, name: &str) -> Result<String, Unreadable>;

    /// Opens a capture, which is too long to be held in memory.
    ///
    /// # Errors
    /// The file cannot be read.
    fn capture(&mut self, name: &str) -> Result<OpenCapture, Unreadable>;

    /// Returns the names of the congestion controls that the machine's kernel has now, so that
    /// those of its own modules are accepted too.
    fn congestion_controls(&mut self) -> Vec<String> {
        vec![]
    }

    /// Returns the name of the congestion control that the machine's kernel takes by default, if
    /// it is known.
    fn congestion_control(&mut self) -> Option<String> {
        None
    }
}

/// An open capture.
pub struct OpenCapture {
    /// Absolute path of the file.
    pub path: String,
    /// Content of the file, from the beginning.
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
    /// Suggestion what to do about it, if there is one.
    pub help: Option<String>,
}

impl Unreadable {
    /// Creates an error with this reason.
    pub fn because(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), help: None }
    }
}

/// The files of one scenario.
pub(crate) struct Files<'a> {
    read: &'a mut dyn ReadFile,
    left: usize,
    shared: SharedData,
    /// Texts of the files that nodes use.
    texts: HashMap<String, Result<String, Unreadable>>,
    congestion_controls: Option<Vec<String>>,
}

impl<'a> Files<'a> {
    pub fn new(read: &'a mut dyn ReadFile) -> Self {
        Self {
            read,
            left: MAX_BYTES,
            shared: SharedData::default(),
            texts: HashMap::new(),
            congestion_controls: None,
        }
    }

    /// Returns the text of a file. A file that several nodes use is read once.
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

    /// Returns the names of the congestion controls that the machine's kernel has now.
    pub fn congestion_controls(&mut self) -> &[String] {
        let read = &mut self.read;
        self.congestion_controls.get_or_insert_with(|| read.congestion_controls())
    }

    /// Returns the name of the machine's default congestion control.
    pub fn congestion_control(&mut self) -> Option<String> {
        self.read.congestion_control()
    }

    /// Opens a capture at its beginning.
    pub fn capture(&mut self, name: &str) -> Result<OpenCapture, Unreadable> {
        self.read.capture(name)
    }

    /// Reads the files that `change` names. Links that name the same file share its data.
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
