//! What is needed of the files that a scenario names: their text, not too much of it. Not here: opening
//! them; whoever loads the scenario does.

/// Most bytes of all files together, each counted as often as it is named.
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
}

impl<'a> Files<'a> {
    pub fn new(read: &'a mut ReadFile<'a>) -> Self {
        Self { read, left: MAX_BYTES }
    }

    /// The text of `file`.
    pub fn read(&mut self, file: &str) -> Result<String, Unreadable> {
        let text = (self.read)(file)?;
        self.left = self.left.checked_sub(text.len()).ok_or_else(|| Unreadable {
            reason: format!("the files of this scenario have more than {MAX_BYTES} bytes"),
            help: Some("name a file once, under `defaults`, where many links share it".into()),
        })?;
        Ok(text)
    }
}
