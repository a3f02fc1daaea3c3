//! The notation of queues.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::classes::ClassConfig;
use super::codel::CodelConfig;
use super::drr::DrrConfig;
use super::dual_pi2::DualPi2Config;
use super::fifo::FifoConfig;
use super::fq_codel::FqCodelConfig;
use super::full::WhenFull;
use super::limit::QueueLimit;
use super::pie::PieConfig;
use super::prio::PrioConfig;
use super::red::RedConfig;
use super::step::StepConfig;
use super::wf2q::Wf2qConfig;
use netloom_units::{text_or_table, variants};

/// The queue in which frames wait for the line.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct QueueConfig {
    /// The queue discipline.
    pub discipline: Discipline,
    /// Limit on what may wait.
    pub limit: QueueLimit,
    /// Treatment of frames that come when it is full.
    #[serde(default, skip_serializing_if = "WhenFull::drops")]
    pub full: WhenFull,
}

/// A change of the queue in which frames wait for the line.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct QueueChange {
    /// The queue discipline (default `fifo`): a name, or a table of its parameters like
    /// `{codel: {target: 5ms}}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discipline: Option<Discipline>,
    /// Limit on what may wait: `100packets`, `64KiB` or `50ms` at the current rate. The default is
    /// 100ms or 50packets, whichever is larger.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<QueueLimit>,
    /// Treatment of frames that come when it is full: `drop` (default) or `wait`. With `wait`
    /// nothing is dropped here. Instead, the interface in front of the pipe is not read any
    /// further, so frames wait in the node's own queue. `wait` requires a constant rate and `fifo`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full: Option<WhenFull>,
}

impl QueueChange {
    /// The keys that are set, as they are written.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &'static str> {
        let Self { discipline, limit, full } = self;
        let discipline = discipline.as_ref().map(|_| "queue.discipline");
        let limit = limit.map(|_| "queue.limit");
        discipline.into_iter().chain(limit).chain(full.map(|_| "queue.full"))
    }

    /// Returns this change overlaid with `later`.
    pub(crate) fn overlaid(&self, later: &Self) -> Self {
        Self {
            discipline: later.discipline.clone().or_else(|| self.discipline.clone()),
            limit: later.limit.or(self.limit),
            full: later.full.or(self.full),
        }
    }

    /// Writes the values that are set into `config`.
    pub(crate) fn apply_to(&self, config: &mut QueueConfig) {
        if let Some(discipline) = &self.discipline {
            config.discipline.clone_from(discipline);
        }
        if let Some(limit) = self.limit {
            config.limit = limit;
        }
        if let Some(full) = self.full {
            config.full = full;
        }
    }
}

variants! {
    /// A queue discipline and its parameters.
    #[derive(Debug, Clone, PartialEq)]
    pub enum Discipline, written as DisciplineTable
        ("DisciplineParameters", "The disciplines with their parameters."),
        matched by each_discipline, named by named;
    /// First in, first out.
    Fifo(FifoConfig) = "fifo";
    /// First in, first out, with marks from a length on (Alizadeh and others 2010, DCTCP).
    Step(StepConfig) = "step";
    /// Random early detection (Floyd & Jacobson 1993).
    Red(RedConfig) = "red";
    /// Controlled delay (RFC 8289).
    Codel(CodelConfig) = "codel";
    /// A CoDel for each flow (RFC 8290).
    FqCodel(FqCodelConfig) = "fq_codel";
    /// Proportional integral controller enhanced (RFC 8033).
    Pie(PieConfig) = "pie";
    /// Two coupled queues, for scalable and for classic congestion controls (RFC 9332).
    DualPi2(DualPi2Config) = "dualpi2";
    /// Deficit round robin over classes or flows (Shreedhar & Varghese 1995).
    Drr(DrrConfig) = "drr";
    /// Worst-case fair weighted fair queueing over classes or flows (Bennett & Zhang 1997).
    Wf2q(Wf2qConfig) = "wf2q+" or "wf2q";
    /// Strict priority of classes.
    Prio(PrioConfig) = "prio";
}

impl Default for Discipline {
    fn default() -> Self {
        Self::Fifo(FifoConfig::default())
    }
}

impl Discipline {
    /// The discipline, or an error if its parameters make no sense.
    pub(crate) fn checked(self) -> Result<Self, String> {
        each_discipline!(&self, config => config.check())?;
        Ok(self)
    }

    /// The classes that are written.
    pub(crate) fn classes(&self) -> &[ClassConfig] {
        match self {
            Self::Drr(config) => config.classes.as_deref().unwrap_or_default(),
            Self::Wf2q(config) => config.classes.as_deref().unwrap_or_default(),
            Self::Prio(config) => &config.classes,
            Self::Fifo(_) | Self::Step(_) | Self::Red(_) => &[],
            Self::Codel(_) | Self::FqCodel(_) | Self::Pie(_) | Self::DualPi2(_) => &[],
        }
    }

    /// Whether the discipline divides frames into classes.
    pub(super) fn has_classes(&self) -> bool {
        matches!(self, Self::Drr(_) | Self::Wf2q(_) | Self::Prio(_) | Self::DualPi2(_))
    }

    /// Whether it draws random numbers, or hashes flows by one.
    pub(crate) fn is_random(&self) -> bool {
        match self {
            Self::Fifo(_) | Self::Step(_) | Self::Codel(_) | Self::DualPi2(_) => false,
            Self::Red(_) | Self::FqCodel(_) | Self::Pie(_) => true,
            Self::Drr(DrrConfig { classes, .. }) | Self::Wf2q(Wf2qConfig { classes, .. }) => {
                classes.as_ref().is_none_or(|classes| Self::any_is_random(classes))
            }
            Self::Prio(PrioConfig { classes }) => Self::any_is_random(classes),
        }
    }

    fn any_is_random(classes: &[ClassConfig]) -> bool {
        classes.iter().filter_map(|class| class.discipline.as_ref()).any(Self::is_random)
    }

    /// Whether one of its classes has a cap.
    pub(crate) fn has_caps(&self) -> bool {
        self.classes().iter().any(|class| class.most.is_some())
    }

    /// The name alone, if all parameters have their defaults.
    fn text(&self) -> Option<String> {
        let name = self.name();
        (Self::named(name).as_ref() == Some(self)).then(|| name.into())
    }
}

impl FromStr for Discipline {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        Self::named(text).ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|(name, _)| format!("`{name}`")).collect();
            format!("`{text}` is not a queue discipline; there are {}", names.join(", "))
        })
    }
}

impl fmt::Display for Discipline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

text_or_table!(
    Discipline,
    DisciplineTable,
    "the name of a queue discipline, or a table of its parameters like `{codel: {target: 10ms}}`",
    "A queue discipline: its name, or its name with its parameters."
);
