//! Which properties take their values from files, reading them in, and sharing what many pipes take from
//! one file. Not here: the files themselves; whoever holds them passes their text in.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::Arc;

use netloom_units::{Duration, Probability, Size};

use super::{
    Data, DataError, DataFormat, Framing, InFlight, LinkState, MtuLimit, PipeChange, PipeConfig,
    RateLimit,
};
use crate::channel::{BitErrorRate, BitErrors, Loss};
use crate::flight::{Jitter, JitterDistribution, Reorder};
use crate::line::OverheadProfile;
use crate::queue::{QueueChange, QueueConfig};

/// [`Data`] of any kind.
pub trait DataFile {
    /// The name of the file, if it has yet to be read.
    fn unread(&self) -> Option<&str>;
    /// What the file is to hold, in words.
    fn what(&self) -> &'static str;
    /// Takes the values from the file's text.
    fn load(&mut self, text: &str) -> Result<(), DataError>;
    /// Takes the values from `shared` if it has this file's, and those that are read here; otherwise puts
    /// its own there, if it has any.
    fn share(&mut self, shared: &mut SharedData);
}

/// Values by the file that they came from: pipes that take the same from the same file hold one copy.
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
        // What is kept under a type is of that type.
        let kept = shared.0.get(&(TypeId::of::<T>(), file.clone()));
        let kept = kept.and_then(|values| Arc::clone(values).downcast::<T>().ok());
        match (self.values(), kept) {
            // A name may stand for other values, if the file has changed between two readings.
            (Some(own), Some(kept)) if *own != kept => {}
            (_, Some(values)) => *self = Self::Values { file: Some(file), values },
            (Some(own), None) => {
                shared.0.insert((TypeId::of::<T>(), file), Arc::clone(own) as _);
            }
            (None, None) => {}
        }
    }
}

/// What a property may hold that comes from a file. Every property says it, so that a new one cannot
/// be forgotten.
pub(super) trait HoldsData {
    fn data(&self) -> Option<&dyn DataFile> {
        None
    }
    fn data_mut(&mut self) -> Option<&mut dyn DataFile> {
        None
    }
}

macro_rules! holds_no_data {
    ($($type:ty),*) => {
        $(impl HoldsData for $type {})*
    };
}

holds_no_data!(
    Size,
    Framing,
    MtuLimit,
    QueueConfig,
    QueueChange,
    Duration,
    Probability,
    BitErrorRate,
    BitErrors,
    Reorder,
    LinkState,
    InFlight
);

/// Lists every variant, with the data it holds.
macro_rules! holds_data {
    ($type:ty: $($variant:pat => $data:expr),* $(,)?) => {
        impl HoldsData for $type {
            fn data(&self) -> Option<&dyn DataFile> {
                match self { $($variant => $data,)* }
            }
            fn data_mut(&mut self) -> Option<&mut dyn DataFile> {
                match self { $($variant => $data,)* }
            }
        }
    };
}

holds_data!(RateLimit:
    Self::Trace(trace) => Some(trace),
    Self::Unlimited | Self::Limited(_) | Self::Schedule(_) => None,
);

holds_data!(Data<OverheadProfile>: profile => Some(profile));

holds_data!(Jitter:
    Self { distribution: JitterDistribution::Empirical(samples), .. } => Some(samples),
    Self { distribution: JitterDistribution::Table(table, _), .. } => Some(table),
    Self { distribution: JitterDistribution::Pattern(pattern), .. } => Some(pattern),
    Self {
        distribution: JitterDistribution::None
            | JitterDistribution::Uniform(_)
            | JitterDistribution::Normal(_)
            | JitterDistribution::Pareto(_)
            | JitterDistribution::ParetoNormal(_),
        ..
    } => None,
);

holds_data!(Loss:
    Self::Trace(trace) => Some(trace),
    Self::Bernoulli(_)
    | Self::GilbertElliott(_)
    | Self::FourState(_)
    | Self::Pattern(_)
    | Self::Every(_) => None,
);

/// A property whose values are in a file that has not been read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnreadFile<'a> {
    /// The property's key.
    pub property: &'static str,
    /// The file's name, as it was written.
    pub file: &'a str,
}

/// Why a property's values could not be taken from their file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileError<E> {
    /// The property's key.
    pub property: &'static str,
    /// The file's name, as it was written.
    pub file: String,
    /// What the file is to hold, in words: "Mahimahi trace".
    pub what: &'static str,
    /// What went wrong.
    pub cause: FileFault<E>,
}

/// What is wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileFault<E> {
    /// It could not be read.
    Unreadable(E),
    /// Its text is not what it should be.
    Malformed(DataError),
}

impl PipeChange {
    /// Reads in every file that a property names; `read` gives a file's text. What `shared` has is not
    /// read again, and what is read is put there.
    ///
    /// # Errors
    /// One for each property whose file cannot be read or is malformed; the others are read in.
    pub fn load<E>(
        &mut self,
        read: &mut dyn FnMut(&str) -> Result<String, E>,
        shared: &mut SharedData,
    ) -> Result<(), Vec<FileError<E>>> {
        let mut errors = Vec::new();
        for (property, data) in self.data_mut() {
            data.share(shared);
            let Some(file) = data.unread().map(str::to_owned) else { continue };
            let loaded = read(&file)
                .map_err(FileFault::Unreadable)
                .and_then(|text| data.load(&text).map_err(FileFault::Malformed));
            match loaded {
                Ok(()) => data.share(shared),
                Err(cause) => errors.push(FileError { property, file, what: data.what(), cause }),
            }
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    /// Holds what came from files in one copy with all others that are shared there.
    pub fn share_data(&mut self, shared: &mut SharedData) {
        self.data_mut().for_each(|(_, data)| data.share(shared));
    }
}

impl PipeConfig {
    /// Holds what came from files in one copy with all others that are shared there.
    pub fn share_data(&mut self, shared: &mut SharedData) {
        self.data_mut().for_each(|data| data.share(shared));
    }
}
