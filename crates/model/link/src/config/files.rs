//! Data files of properties: which properties take their values from files, reading them in, and
//! sharing what many pipes take from one file. Not here: access to the files; whoever has it passes
//! their text in.

use std::borrow::Cow;

use netloom_units::{Data, DataFile, FileError, FileFault, Framing, Probability, SharedData, Size};

use super::holds_data::HoldsData;
use super::{InFlight, LinkState, MtuLimit, PipeChange, PipeConfig, RateLimit};
use crate::background::Background;
use crate::channel::{BitErrorRate, BitErrors, Loss};
use crate::condition::Condition;
use crate::flight::{Compensation, Delay, Jitter, JitterDistribution, Reorder};
use crate::line::OverheadProfile;
use crate::queue::{QueueChange, QueueConfig};

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

/// Implements [`HoldsData`] by listing every variant with the data that it holds.
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

/// A property whose values are in a file that has not been read yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadFile<'a> {
    /// Key of the property.
    pub property: &'static str,
    /// Name of the file, as it was written.
    pub file: Cow<'a, str>,
}

impl PipeChange {
    /// Reads in every file that a property names. `read` returns the text of a file. Files that
    /// `shared` holds are not read again, and files that are read are added to it.
    ///
    /// # Errors
    /// There is one error for each property whose file cannot be read or is malformed. The other
    /// files are read in.
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

    /// Replaces data from files by the copies in `shared`, and adds data that it does not hold.
    pub fn share_data(&mut self, shared: &mut SharedData) {
        self.data_mut().for_each(|(_, data)| data.share(shared));
    }
}

impl PipeConfig {
    /// Replaces data from files by the copies in `shared`, and adds data that it does not hold.
    pub fn share_data(&mut self, shared: &mut SharedData) {
        self.data_mut().for_each(|data| data.share(shared));
    }
}
