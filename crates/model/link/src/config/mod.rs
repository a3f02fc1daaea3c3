//! The complete configuration of a pipe, and partial changes to it.
//!
//! [`PipeConfig`] is the configuration on which a pipe runs, with all values filled in.
//! [`PipeChange`] is the content of a scenario, a timeline event or a live request: the same
//! properties, each optional. One table declares both, so a new property is added here and nowhere
//! else. The type of a property is in the module of the stage that uses it. Types that belong to no
//! stage are in the files beside this one.

mod effect;
mod files;
mod holds_data;
mod mtu;
mod rate;
mod small;
mod state;
mod words;

use netloom_units::{Data, DataFile, Framing, Probability, Size};
use serde::{Deserialize, Serialize};

use crate::background::Background;
use crate::channel::{BitErrorRate, BitErrors, Loss};
use crate::condition::Condition;
use crate::flight::{Compensation, Delay, Jitter, JitterDistribution, Reorder};
use crate::line::OverheadProfile;
use crate::queue::{QueueChange, QueueConfig};
use holds_data::HoldsData;

pub use effect::{Circumstances, NoEffect};
pub use files::UnreadFile;
pub use mtu::MtuLimit;
pub use rate::RateLimit;
pub use small::TooSmall;
pub use state::{InFlight, LinkState};

/// How a property is represented in a change, and how it is changed.
trait Property<Change> {
    /// Appends the keys that `change` sets, dotted where the property is changed key by key.
    fn keys(name: &'static str, _change: &Change, said: &mut Vec<&'static str>) {
        said.push(name);
    }
    /// Returns `first` overlaid with `later`.
    fn overlaid(first: &Change, later: &Change) -> Change;
    /// Applies `change`.
    fn take(&mut self, change: &Change);
    /// Returns the change from this value to `to`; `None` if they are equal.
    fn difference(&self, to: &Self) -> Option<Change>;
}

/// Most properties are replaced as a whole.
impl<T: Clone + PartialEq> Property<T> for T {
    fn overlaid(_: &T, later: &T) -> T {
        later.clone()
    }
    fn take(&mut self, change: &T) {
        self.clone_from(change);
    }
    fn difference(&self, to: &T) -> Option<T> {
        (self != to).then(|| to.clone())
    }
}

/// A queue is changed key by key.
impl Property<QueueChange> for QueueConfig {
    fn keys(_: &'static str, change: &QueueChange, said: &mut Vec<&'static str>) {
        said.extend(change.keys());
    }
    fn overlaid(first: &QueueChange, later: &QueueChange) -> QueueChange {
        first.overlaid(later)
    }
    fn take(&mut self, change: &QueueChange) {
        change.apply_to(self);
    }
    fn difference(&self, to: &Self) -> Option<QueueChange> {
        let Self { discipline, limit, full } = to;
        let discipline = (self.discipline != *discipline).then(|| discipline.clone());
        let limit = (self.limit != *limit).then_some(*limit);
        let full = (self.full != *full).then_some(*full);
        (self != to).then_some(QueueChange { discipline, limit, full })
    }
}

/// Selects the type in which a change represents a property, if that is not the property's own.
macro_rules! change_of {
    ($type:ty) => {
        $type
    };
    ($type:ty, $change:ty) => {
        $change
    };
}

/// Declares [`PipeConfig`] and [`PipeChange`] from one table of properties.
macro_rules! properties {
    ($($(#[$doc:meta])* $name:ident: $type:ty $(, changed as $change:ty)?;)*) => {
        /// The complete configuration of one pipe.
        #[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(deny_unknown_fields)]
        pub struct PipeConfig {
            $($(#[$doc])* pub $name: $type,)*
        }

        /// Properties of one pipe, each optional. An absent property keeps its value.
        #[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(deny_unknown_fields)]
        pub struct PipeChange {
            $(
                $(#[$doc])*
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $name: Option<change_of!($type $(, $change)?)>,
            )*
        }

        impl PipeChange {
            /// Returns this change overlaid with `later`: where both set a property, `later` wins.
            #[must_use]
            pub fn overlaid(&self, later: &Self) -> Self {
                Self {
                    $($name: match (&self.$name, &later.$name) {
                        (Some(first), Some(later)) => {
                            Some(<$type as Property<change_of!($type $(, $change)?)>>::overlaid(
                                first, later,
                            ))
                        }
                        (first, later) => later.clone().or_else(|| first.clone()),
                    },)*
                }
            }

            /// Writes the properties that are set into `config`.
            pub fn apply_to(&self, config: &mut PipeConfig) {
                $(if let Some(change) = &self.$name {
                    config.$name.take(change);
                })*
            }

            /// The keys that are set, as they are written: `rate`, `queue.limit`.
            pub fn keys(&self) -> Vec<&'static str> {
                let mut said = Vec::new();
                $(if let Some(change) = &self.$name {
                    <$type as Property<change_of!($type $(, $change)?)>>::keys(
                        stringify!($name), change, &mut said,
                    );
                })*
                said
            }

            /// The first property whose file has yet to be read. A pipe accepts only values.
            pub fn unread_file(&self) -> Option<UnreadFile<'_>> {
                None$(.or_else(|| {
                    let file = self.$name.as_ref()?.unread_file()?;
                    Some(UnreadFile { property: stringify!($name), file })
                }))*
            }

            /// Every property that can hold data from a file, with its key.
            fn data_mut(&mut self) -> impl Iterator<Item = (&'static str, &mut dyn DataFile)> {
                let mut all: Vec<(&'static str, &mut dyn DataFile)> = Vec::new();
                $(if let Some(value) = &mut self.$name {
                    all.extend(value.data_mut().into_iter().map(|data| (stringify!($name), data)));
                })*
                all.into_iter()
            }
        }

        impl PipeConfig {
            /// Returns the change from this configuration to `to`. It contains only properties that
            /// differ.
            #[must_use]
            pub fn change_to(&self, to: &Self) -> PipeChange {
                PipeChange {
                    $($name: Property::<change_of!($type $(, $change)?)>::difference(
                        &self.$name,
                        &to.$name,
                    ),)*
                }
            }

            /// The first property whose file has yet to be read. A pipe accepts only values.
            pub fn unread_file(&self) -> Option<UnreadFile<'_>> {
                None$(.or_else(|| {
                    let file = self.$name.unread_file()?;
                    Some(UnreadFile { property: stringify!($name), file })
                }))*
            }

            /// All data of the properties that can come from files.
            fn data_mut(&mut self) -> impl Iterator<Item = &mut dyn DataFile> {
                [$(HoldsData::data_mut(&mut self.$name),)*].into_iter().flatten()
            }
        }
    };
}

properties! {
    /// Bit rate of the line: a rate like `10Mbit/s`, `unlimited` (default: no serialization time
    /// and no queue), `{trace: FILE}` in Mahimahi's format, or `{schedule: […]}`.
    rate: RateLimit;
    /// Depth of a token bucket in front of the line, like `10kB` (default `0B`): the bytes, framing
    /// included, that may leave at once after an idle moment. Has an effect on constant rates and
    /// schedules.
    burst: Size;
    /// Bytes that each frame takes on the line beside its own: `ethernet` (default: 24 bytes for
    /// preamble, FCS and gap, padded to the 64-byte minimum), `none`, or a size like `38B`.
    framing: Framing;
    /// Largest packet that the pipe carries, in bytes without the Ethernet header and its VLAN tag;
    /// longer ones are dropped (default `none`). The interfaces do not know this limit, so it is a
    /// black hole for their path MTU discovery.
    pipe_mtu: MtuLimit;
    /// Traffic conditioning in front of the queue: `none` (default), or a list of conditioners like
    /// `[{match: {dscp: ef}, meter: {rate: 5Mbit/s, burst: 20kB}, exceed: drop}]`. The first
    /// conditioner that matches a packet handles it.
    condition: Condition;
    /// The queue in which frames wait for the line.
    queue: QueueConfig, changed as QueueChange;
    /// Cross traffic that joins in front of the queue and leaves at the end of the line: `none`
    /// (default), or a list of traffic models like `[{poisson: {load: 40%}, size: imix}]`, which
    /// add up.
    background: Background;
    /// Extra time that each frame holds the line, drawn from a distribution: contention and
    /// retries of a shared medium. A file in dummynet's profile format, or a list.
    mac_overhead: Data<OverheadProfile>;
    /// Propagation delay, like `10ms` (default `0ns`), or one that changes with time:
    /// `{schedule: [{at: 0s, delay: 5ms}, {at: 60s, delay: 9ms}]}`, with linear interpolation
    /// between the points.
    delay: Delay;
    /// Time that is subtracted from longer delays, because this machine itself takes time to carry
    /// a frame: `none` (default), `calibrated` for the time measured by `netloom calibrate`, or a
    /// time like `25us`. Simulated links take no such time and ignore it.
    compensate: Compensation;
    /// Variation of the delay from frame to frame: a duration (uniform, plus or minus), a
    /// distribution like `{normal: 2ms}`, or `none` (default).
    jitter: Jitter;
    /// Loss of frames in the channel: a probability like `1%` (default `0%`), or a model like
    /// `{gilbert_elliott: {p: 1%, r: 10%}}`.
    loss: Loss;
    /// Bit error rate of the channel, like `1e-6` (default `0`).
    ber: BitErrorRate;
    /// Effect of bit errors: `drop` (default: the frame check sequence catches them) or `flip` (the
    /// flipped bits reach the receiver).
    bit_errors: BitErrors;
    /// Probability that one bit of a frame is flipped, like `0.1%` (default `0%`).
    corrupt: Probability;
    /// Probability that a frame arrives twice (default `0%`).
    duplicate: Probability;
    /// Which frames overtake others, like `{probability: 25%, gap: 5}`; `none` (default) keeps all
    /// frames in order.
    reorder: Reorder;
    /// Whether the pipe carries frames: `up` (default) or `down`.
    state: LinkState;
    /// Treatment of frames in flight when the pipe goes down: `drop` (default) or `deliver`.
    in_flight: InFlight;
}

impl PipeChange {
    /// Returns the part of the change that holds in a simulation, where no machine takes time to
    /// carry a frame.
    #[must_use]
    pub fn simulated(&self) -> Self {
        Self { compensate: None, ..self.clone() }
    }

    /// Whether no property is set.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl PipeConfig {
    /// Returns the configuration for a simulation, where no machine takes time to carry a frame.
    #[must_use]
    pub fn simulated(&self) -> Self {
        Self { compensate: Compensation::None, ..self.clone() }
    }

    /// The queue limit in words, with the meaning of the default at the current rate:
    /// `100ms (125kB)`, `50packets`, or `none` where there is no queue.
    pub fn queue_limit_in_words(&self) -> String {
        self.queue.limit.in_words(&self.rate)
    }

    /// Whether any behaviour of the pipe depends on its seed.
    pub fn is_random(&self) -> bool {
        let nothing = Self::default();
        let late = !matches!(
            self.jitter.distribution,
            JitterDistribution::None | JitterDistribution::Pattern(_)
        );
        self.loss.is_random()
            || late
            || self.queue.discipline.is_random()
            || self.ber != nothing.ber
            || self.corrupt != nothing.corrupt
            || self.duplicate != nothing.duplicate
            || self.reorder != nothing.reorder
            || self.mac_overhead != nothing.mac_overhead
            || self.background.is_random()
    }
}
