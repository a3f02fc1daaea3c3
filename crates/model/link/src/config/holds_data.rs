//! Access to data files, for every property.

use std::borrow::Cow;

use netloom_units::DataFile;

/// Access to the data of a property that comes from files. Every property implements this trait, so
/// a new one cannot be forgotten.
pub(super) trait HoldsData {
    /// Name of a file that has yet to be read.
    fn unread_file(&self) -> Option<Cow<'_, str>> {
        None
    }
    fn data_mut(&mut self) -> Vec<&mut dyn DataFile> {
        Vec::new()
    }
}
