//! Which properties take their values from files, reading them in, and sharing what many pipes take from
//! one file. Not here: the files themselves; whoever holds them passes their text in.

use std::borrow::Cow;

use netloom_units::{Data, DataFile, FileError, FileFault, Framing, Probability, SharedData, Size};

use super::{InFlight, LinkState, MtuLimit, PipeChange, PipeConfig, RateLimit};
use crate::background::Background;
use crate::channel::{BitErrorRate, BitErrors, Loss};
use crate::condition::Condition;
use crate::flight::{Compensation, Delay, Jitter, JitterDistribution, Reorder};
use crate::line::OverheadProfile;
use crate::queue::{QueueChange, QueueConfig};

/// What a property may hold that comes from files. Every property says it, so that a new one cannot
/// be forgotten.
pub(super) trait HoldsData {
    /// The name of a file that has yet to be read.
    fn unread_file(&self) -> Option<Cow<'_, str>> {
        None
    }
    fn data_mut(&mut self) -> Vec<&mut dyn DataFile> {
        Vec::new()
    }
}

impl HoldsData for Background {
    fn unread_file(&self) -> Option<Cow<'_, str>> {
        let mut copy = self.clone();
        let files = copy.files();
        files.iter().find_map(|file| file.unread().map(|name| Cow::Owned(name.to_owned())))
    }
    fn data_mut(&mut self) -> Vec<&mut dyn DataFile> {
        self.files()
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
    Condition,
    QueueConfig,
    QueueChange,
    Delay,
    Compensation,
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
            fn unread_file(&self) -> Option<Cow<'_, str>> {
                let data: Option<&dyn DataFile> = match self { $($variant => $data,)* };
                data?.unread().map(Cow::Borrowed)
            }
            fn data_mut(&mut self) -> Vec<&mut dyn DataFile> {
                let data: Option<&mut dyn DataFile> = match self { $($variant => $data,)* };
                data.into_iter().collect()
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadFile<'a> {
    /// The property's key.
    pub property: &'static str,
    /// The file's name, as it was written.
    pub file: Cow<'a, str>,
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
