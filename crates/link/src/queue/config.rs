//! Queues as they are written.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fifo::FifoConfig;
use super::limit::QueueLimit;
use crate::config::text_or_table;

/// Where frames wait for the line.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QueueConfig {
    /// The queue discipline.
    pub discipline: Discipline,
    /// How much may wait.
    pub limit: QueueLimit,
}

/// A change to where frames wait for the line.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QueueChange {
    /// The queue discipline (default `fifo`): a name, or a table of its parameters like
    /// `{codel: {target: 5ms}}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discipline: Option<Discipline>,
    /// How much may wait: `100packets`, `64KiB` or `50ms` at the current rate. The default is
    /// 100ms or 50packets, whichever is larger.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<QueueLimit>,
}

impl QueueChange {
    /// The keys that are said, as they are written.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &'static str> {
        let Self { discipline, limit } = self;
        let discipline = discipline.as_ref().map(|_| "queue.discipline");
        discipline.into_iter().chain(limit.map(|_| "queue.limit"))
    }

    /// This change with `later` laid over it.
    pub(crate) fn overlaid(&self, later: &Self) -> Self {
        Self {
            discipline: later.discipline.clone().or_else(|| self.discipline.clone()),
            limit: later.limit.or(self.limit),
        }
    }

    /// Writes what is said into `config`.
    pub(crate) fn apply_to(&self, config: &mut QueueConfig) {
        if let Some(discipline) = &self.discipline {
            config.discipline.clone_from(discipline);
        }
        if let Some(limit) = self.limit {
            config.limit = limit;
        }
    }
}

/// A queue discipline and its parameters.
#[derive(Debug, Clone, PartialEq)]
pub enum Discipline {
    /// First in, first out.
    Fifo(FifoConfig),
}

impl Default for Discipline {
    fn default() -> Self {
        Self::Fifo(FifoConfig::default())
    }
}

impl Discipline {
    /// The discipline's name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Fifo(_) => "fifo",
        }
    }

    /// The name alone, where all parameters have their defaults.
    fn text(&self) -> Option<String> {
        self.name().parse().is_ok_and(|plain: Self| plain == *self).then(|| self.name().into())
    }
}

/// The disciplines with their parameters.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DisciplineParameters")]
#[serde(rename_all = "snake_case")]
enum DisciplineTable {
    /// First in, first out.
    Fifo(FifoConfig),
}

impl TryFrom<DisciplineTable> for Discipline {
    type Error = String;
    fn try_from(table: DisciplineTable) -> Result<Self, String> {
        Ok(match table {
            DisciplineTable::Fifo(config) => Self::Fifo(config),
        })
    }
}

impl From<&Discipline> for DisciplineTable {
    fn from(discipline: &Discipline) -> Self {
        match discipline {
            Discipline::Fifo(config) => Self::Fifo(*config),
        }
    }
}

/// The names that can be written.
const NAMES: &str = "`fifo`";

impl FromStr for Discipline {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "fifo" => Ok(Self::Fifo(FifoConfig::default())),
            other => Err(format!("`{other}` is not a queue discipline; there are {NAMES}")),
        }
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
    "the name of a queue discipline, or a table of its parameters like `{fifo: {drop: head}}`",
    "A queue discipline: its name, or its name with its parameters."
);
