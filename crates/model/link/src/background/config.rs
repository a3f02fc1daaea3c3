//! The notation and checks of a pipe's `background`.

use std::fmt;
use std::sync::Arc;

use netloom_traffic::{
    CbrConfig, FlowsConfig, Line, Model, OnOffConfig, PoissonConfig, PpbpConfig, RatesConfig,
    Sizes, TraceConfig, TrafficError, VbrConfig,
};
use netloom_units::{DataFile, Framing, Size};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Virtual;
use crate::queue::Dscps;
use crate::{Discipline, DropFrom, FifoConfig, PipeChange, PipeConfig, RateLimit};

/// Largest number of entries of one pipe.
const MOST_ENTRIES: usize = 64;

/// Largest number of virtual frames a second of one pipe, on average. Each one costs CPU time.
const MOST_FRAMES: f64 = 2e6;

/// Largest number of rate changes a second of a pipe's fluid, on average. Each one costs CPU time.
const MOST_CHANGES: f64 = 1e6;

/// The background of a pipe: a list of entries that add up; empty for no background.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Background {
    entries: Arc<Vec<BackgroundFlow>>,
}

/// One entry of a background.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "EntryTable", into = "EntryTable")]
pub struct BackgroundFlow {
    /// Model of the arrivals.
    pub model: Model,
    /// Lengths of frames, Ethernet header included.
    pub sizes: Sizes,
    /// Number of made-up 5-tuples over which its frames are spread.
    pub flows: u16,
    /// DSCP of its packets, 0 to 63.
    pub dscp: u8,
    /// Whether a queue discipline may mark its packets instead of dropping them.
    pub ecn: bool,
    /// Form in which the traffic exists in the pipe.
    pub representation: Representation,
}

/// The form in which background traffic exists in a pipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Representation {
    /// Virtual frames. They wait, are dropped and take time on the line like offered frames.
    #[default]
    Frames,
    /// A fluid: a rate that changes in steps fills the queue, which is `fifo` with drop-tail, and
    /// the line empties it. Its cost grows with the number of rate changes, not with the volume of
    /// the traffic.
    Fluid,
}

/// The reason why a background is invalid.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum BackgroundError {
    /// The model of an entry cannot send.
    #[error("entry {entry} (`{model}`): {cause}")]
    Model {
        /// Number of the entry, counted from 1.
        entry: usize,
        /// Name of its model.
        model: &'static str,
        /// The reason.
        cause: TrafficError,
    },
    /// An entry is a fluid, but the pipe does not meet the conditions for one.
    #[error(
        "entry {entry} (`{model}`): fluid needs {needs}; change that, or leave `as: fluid` out"
    )]
    Fluid {
        /// Number of the entry, counted from 1.
        entry: usize,
        /// Name of its model.
        model: &'static str,
        /// The condition that is not met, and the pipe's setting instead.
        needs: String,
    },
    /// The rate of the fluid changes too often.
    #[error(
        "the rate of the fluid changes {changes:.1e} times a second on average, more than \
         {MOST_CHANGES:.0e}; write fewer sources or longer steps"
    )]
    TooManyChanges {
        /// Rate changes per second, on average.
        changes: f64,
    },
    /// The entries send too many virtual frames.
    #[error(
        "{frames:.1e} frames a second on average are too many: at most {MOST_FRAMES:.0e}; write \
         longer frames or a lower rate"
    )]
    TooManyFrames {
        /// Frames per second, on average.
        frames: f64,
    },
}

impl Background {
    /// Creates a background of `entries`, which add up.
    ///
    /// # Errors
    /// There are more than 64 entries.
    pub fn new(entries: Vec<BackgroundFlow>) -> Result<Self, String> {
        if entries.len() > MOST_ENTRIES {
            let count = entries.len();
            return Err(format!("a background has at most {MOST_ENTRIES} entries, not {count}"));
        }
        Ok(Self { entries: Arc::new(entries) })
    }

    /// Whether the background has no entries.
    pub fn is_none(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entries.
    pub fn entries(&self) -> &[BackgroundFlow] {
        &self.entries
    }

    /// Whether the arrivals depend on random numbers.
    pub fn is_random(&self) -> bool {
        self.entries.iter().any(|entry| entry.flows > 1 || entry.model.is_random(&entry.sizes))
    }

    /// Returns every part that may be read from a file.
    pub(crate) fn files(&mut self) -> Vec<&mut dyn DataFile> {
        if self.is_none() {
            return Vec::new();
        }
        let entries = Arc::make_mut(&mut self.entries).iter_mut();
        entries
            .flat_map(|entry| entry.model.files().into_iter().chain(entry.sizes.file()))
            .collect()
    }

    /// Checks that a pipe with `config` can have this background. All files must have been read.
    ///
    /// # Errors
    /// A model cannot send, all models together send too many frames, there is a fluid but the pipe
    /// cannot have one, or the rate of the fluid changes too often.
    pub fn check(&self, config: &PipeConfig) -> Result<(), BackgroundError> {
        let line = line_of(config);
        let (mut frames, mut changes) = (0.0, 0.0);
        for (index, entry) in self.entries.iter().enumerate() {
            let (number, model) = (index + 1, entry.model.name());
            let fails = |cause| BackgroundError::Model { entry: number, model, cause };
            if entry.representation == Representation::Frames {
                frames += entry.frames_a_second(line.as_ref()).map_err(fails)?;
                continue;
            }
            if let Some(needs) = entry.lacks_as_fluid(config).map_err(fails)? {
                return Err(BackgroundError::Fluid { entry: number, model, needs });
            }
            let of_entry = entry.model.rate_changes(&entry.sizes, line.as_ref());
            changes += of_entry.map_err(fails)?;
        }
        match (frames, changes) {
            (frames, _) if frames > MOST_FRAMES => Err(BackgroundError::TooManyFrames { frames }),
            (_, changes) if changes > MOST_CHANGES => {
                Err(BackgroundError::TooManyChanges { changes })
            }
            _ => Ok(()),
        }
    }

    /// Whether an entry is a fluid, which not every pipe can have.
    pub fn has_fluid(&self) -> bool {
        self.entries.iter().any(|entry| entry.representation == Representation::Fluid)
    }

    /// Mean share of the line that the background takes; 1 is the whole line. `None` if the line
    /// has no rate or an entry ends.
    pub fn mean_load(&self, config: &PipeConfig) -> Option<f64> {
        let line = line_of(config)?;
        let shares = self.entries.iter().map(|entry| entry.mean_load(&line));
        shares.sum::<Option<f64>>()
    }
}

impl PipeConfig {
    /// Returns the first condition for a fluid that this configuration does not meet, with the
    /// setting that it has instead; `None` if all are met.
    fn lacks_for_fluid(&self) -> Option<String> {
        let needs = match &self.queue.discipline {
            Discipline::Fifo(FifoConfig { drop: DropFrom::Tail }) => None,
            Discipline::Fifo(FifoConfig { drop: DropFrom::Head }) => {
                Some("drop-tail, not `drop: head`".into())
            }
            other => Some(format!("discipline fifo, not {}", other.name())),
        };
        let rate = || match &self.rate {
            RateLimit::Limited(_) => None,
            RateLimit::Unlimited => Some("a rate, not unlimited".into()),
            RateLimit::Trace(_) => Some("a constant rate, not a trace".into()),
            RateLimit::Schedule(_) => Some("a constant rate, not a schedule".into()),
        };
        let burst = || {
            let burst = self.burst;
            (burst != Size::default())
                .then(|| format!("a line without `burst`, not one of {burst}"))
        };
        let overhead = || {
            let none = self.mac_overhead.values().is_some_and(|profile| profile.is_empty());
            (!none).then(|| "a line without `mac_overhead`".into())
        };
        needs.or_else(rate).or_else(burst).or_else(overhead)
    }

    /// Whether a pipe with this configuration can have a fluid as background.
    pub(crate) fn carries_fluid(&self) -> bool {
        self.lacks_for_fluid().is_none()
    }
}

impl PipeChange {
    /// Returns the keys of this change that decide whether a pipe can have its background: first
    /// `background` itself, then the properties that matter to a fluid.
    pub fn concerns_background(&self) -> Vec<&'static str> {
        const OTHERS: [&str; 5] = ["queue.discipline", "rate", "burst", "mac_overhead", "pipe_mtu"];
        let said = self.keys();
        let concerns = ["background"].into_iter().chain(OTHERS);
        concerns.filter(|key| said.contains(key)).collect()
    }
}

/// Returns the line to which a load in percent refers.
pub(super) fn line_of(config: &PipeConfig) -> Option<Line> {
    let framing = match config.rate {
        // The opportunities of a trace carry packets, without framing.
        RateLimit::Trace(_) => Framing::None,
        _ => config.framing,
    };
    Some(Line { rate: config.rate.nominal()?, framing })
}

impl BackgroundFlow {
    /// Returns the mean number of frames per second, or an error if the model cannot send.
    fn frames_a_second(&self, line: Option<&Line>) -> Result<f64, TrafficError> {
        // Whether a model can send does not depend on the random numbers, so any stream will do.
        self.model.source(&self.sizes, line, &netloom_units::Stream::new(0, ""))?;
        let mean = self.model.moments(&self.sizes, line)?.mean;
        Ok(mean / (self.sizes.law()?.mean() * 8.0))
    }

    /// Whether this entry is a fluid and a pipe with `config` can have it.
    pub(super) fn fits_as_fluid(&self, config: &PipeConfig) -> bool {
        self.representation == Representation::Fluid
            && self.lacks_as_fluid(config).is_ok_and(|lacks| lacks.is_none())
    }

    /// Returns the first condition for a fluid that a pipe with `config` does not meet, with the
    /// setting that it has instead; `None` if all are met.
    fn lacks_as_fluid(&self, config: &PipeConfig) -> Result<Option<String>, TrafficError> {
        if let Some(needs) = config.lacks_for_fluid() {
            return Ok(Some(needs));
        }
        let (_, longest) = self.sizes.law()?.range();
        let too_long = !config.pipe_mtu.admits(longest);
        Ok(too_long.then(|| {
            let mtu = config.pipe_mtu;
            format!("a `pipe_mtu` for its frames of {longest}B, not {mtu}")
        }))
    }

    fn mean_load(&self, line: &Line) -> Option<f64> {
        if self.model.ends() {
            return None;
        }
        let sizes = self.sizes.law().ok()?;
        let mean = self.model.moments(&self.sizes, Some(line)).ok()?.mean;
        let on_line = mean * sizes.mean_on_line(line.framing) / sizes.mean();
        Some(on_line / line.rate.bits_per_second() as f64)
    }
}

/// The notation of an entry: exactly one model, and options beside it.
#[derive(Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "BackgroundEntry"))]
#[serde(default, deny_unknown_fields)]
struct EntryTable {
    /// Frames at a constant rate, with a random phase.
    #[serde(skip_serializing_if = "Option::is_none")]
    cbr: Option<CbrConfig>,
    /// Independent frames: the gaps are exponential.
    #[serde(skip_serializing_if = "Option::is_none")]
    poisson: Option<PoissonConfig>,
    /// Senders that are on and off in turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    on_off: Option<OnOffConfig>,
    /// Poisson Pareto burst process (Zukerman, Neame & Addie 2003).
    #[serde(skip_serializing_if = "Option::is_none")]
    ppbp: Option<PpbpConfig>,
    /// Arrivals as they were recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<TraceConfig>,
    /// A rate that changes at given times.
    #[serde(skip_serializing_if = "Option::is_none")]
    rates: Option<RatesConfig>,
    /// The frames of a video.
    #[serde(skip_serializing_if = "Option::is_none")]
    vbr: Option<VbrConfig>,
    /// As a number: the number of made-up 5-tuples over which the frames are spread (default 1). As
    /// a mapping: the model `flows`, transfers that begin independently.
    #[serde(skip_serializing_if = "Option::is_none")]
    flows: Option<FlowsKey>,
    /// Lengths of frames, Ethernet header included: `1514B` (default), `imix`, a list with weights,
    /// or `{file: FILE}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<Sizes>,
    /// DSCP of the packets: a number from 0 to 63, or a name like `af11` (default 0).
    #[serde(skip_serializing_if = "Option::is_none")]
    dscp: Option<Dscps>,
    /// Whether queue disciplines may mark the packets instead of dropping them (default no).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    ecn: bool,
    /// Form of the traffic in the pipe: `frames` (default), or `fluid`, a rate that changes in
    /// steps (for `cbr`, `on_off`, `ppbp`, `rates`, and `flows` with a `rate`).
    #[serde(rename = "as", skip_serializing_if = "Option::is_none")]
    representation: Option<Representation>,
}

/// The two meanings of the key `flows`.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(untagged))]
enum FlowsKey {
    /// Number of made-up 5-tuples.
    Count(u16),
    /// The traffic model `flows`.
    Model(FlowsConfig),
}

impl Serialize for FlowsKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Count(count) => count.serialize(serializer),
            Self::Model(model) => model.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for FlowsKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FlowsVisitor;
        impl<'de> Visitor<'de> for FlowsVisitor {
            type Value = FlowsKey;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of 5-tuples, or the model `flows`")
            }
            fn visit_u64<E: Error>(self, count: u64) -> Result<FlowsKey, E> {
                let most = Virtual::MOST_FLOWS;
                let count = u16::try_from(count).ok().filter(|count| (1..=most).contains(count));
                count.map(FlowsKey::Count).ok_or_else(|| {
                    E::custom(format!("`flows` is a number from 1 to {most}, or a model"))
                })
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<FlowsKey, A::Error> {
                FlowsConfig::deserialize(MapAccessDeserializer::new(map)).map(FlowsKey::Model)
            }
        }
        deserializer.deserialize_any(FlowsVisitor)
    }
}

impl TryFrom<EntryTable> for BackgroundFlow {
    type Error = String;
    fn try_from(table: EntryTable) -> Result<Self, String> {
        let (flows, model) = match table.flows {
            None => (1, None),
            Some(FlowsKey::Count(count)) => (count, None),
            Some(FlowsKey::Model(model)) => (1, Some(model)),
        };
        let written = [
            table.cbr.map(Model::Cbr),
            table.poisson.map(Model::Poisson),
            table.on_off.map(Model::OnOff),
            table.ppbp.map(Model::Ppbp),
            table.trace.map(Model::Trace),
            table.rates.map(Model::Rates),
            table.vbr.map(Model::Vbr),
            model.map(Model::Flows),
        ];
        let mut written = written.into_iter().flatten();
        let model = match (written.next(), written.next()) {
            (Some(model), None) => model.checked()?,
            (None, _) => {
                return Err("an entry of a background says what arrives; add a model: `cbr`, \
                            `poisson`, `on_off`, `ppbp`, `trace`, `rates`, `vbr` or `flows`"
                    .into());
            }
            (Some(one), Some(other)) => {
                return Err(format!(
                    "an entry has both `{}` and `{}`; keep one of them: entries add up",
                    one.name(),
                    other.name()
                ));
            }
        };
        if let Model::Flows(FlowsConfig { rate: None, file: None, .. }) = &model {
            return Err("`flows` needs a `rate` here; only TCP sends without one".into());
        }
        let representation = table.representation.unwrap_or_default();
        if representation == Representation::Fluid {
            check_fluid(&model, flows, table.dscp.is_some(), table.ecn)?;
        }
        let dscp = match table.dscp.map(|dscps| dscps.iter().collect::<Vec<_>>()).as_deref() {
            None => 0,
            Some([one]) => *one,
            Some(all) => return Err(format!("packets have one DSCP, not {}", all.len())),
        };
        let (sizes, ecn) = (table.size.unwrap_or_default(), table.ecn);
        Ok(Self { model, sizes, flows, dscp, ecn, representation })
    }
}

/// Refuses models that have no rate that changes in steps, and keys that concern frames, for a
/// fluid.
fn check_fluid(model: &Model, flows: u16, dscp: bool, ecn: bool) -> Result<(), String> {
    let name = model.name();
    match model {
        Model::Cbr(_) | Model::Ppbp(_) | Model::Rates(_) => {}
        Model::OnOff(OnOffConfig { rate: Some(_), .. }) => {}
        Model::Flows(FlowsConfig { rate: Some(_), .. }) => {}
        Model::OnOff(_) | Model::Flows(_) => {
            return Err(format!("`{name}` needs a `rate` as a fluid; add one"));
        }
        _ => {
            return Err(format!(
                "`{name}` has no rate that changes in steps, as a fluid does; leave `as: fluid` \
                 out: it is sent as virtual frames then"
            ));
        }
    }
    let keys = [("flows", flows != 1), ("dscp", dscp), ("ecn", ecn)];
    match keys.iter().find(|(_, written)| *written) {
        None => Ok(()),
        Some((key, _)) => {
            Err(format!("`{key}` has no effect: a fluid has no packets; leave it out"))
        }
    }
}

impl From<BackgroundFlow> for EntryTable {
    fn from(entry: BackgroundFlow) -> Self {
        let BackgroundFlow { model, sizes, flows, dscp, ecn, representation } = entry;
        let mut table = Self {
            flows: (flows != 1).then_some(FlowsKey::Count(flows)),
            size: (sizes != Sizes::default()).then_some(sizes),
            dscp: (dscp != 0).then(|| Dscps::of([dscp])),
            ecn,
            representation: (representation != Representation::default()).then_some(representation),
            ..Self::default()
        };
        match model {
            Model::Cbr(model) => table.cbr = Some(model),
            Model::Poisson(model) => table.poisson = Some(model),
            Model::OnOff(model) => table.on_off = Some(model),
            Model::Ppbp(model) => table.ppbp = Some(model),
            Model::Trace(model) => table.trace = Some(model),
            Model::Rates(model) => table.rates = Some(model),
            Model::Vbr(model) => table.vbr = Some(model),
            Model::Flows(model) => table.flows = Some(FlowsKey::Model(model)),
            // The models of TCP and `ping` cannot be written here.
            _ => {}
        }
        table
    }
}

const NONE: &str = "none";

impl Serialize for Background {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.is_none() {
            true => serializer.serialize_str(NONE),
            false => self.entries.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Background {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BackgroundVisitor;
        impl<'de> Visitor<'de> for BackgroundVisitor {
            type Value = Background;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`none`, or a list like `[{poisson: {load: 40%}}]`")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Background, E> {
                match text {
                    NONE => Ok(Background::default()),
                    _ => Err(E::invalid_value(serde::de::Unexpected::Str(text), &self)),
                }
            }
            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Background, A::Error> {
                let entries = Vec::deserialize(SeqAccessDeserializer::new(list))?;
                Background::new(entries).map_err(A::Error::custom)
            }
        }
        deserializer.deserialize_any(BackgroundVisitor)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Background {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Background".into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let entry = generator.subschema_for::<EntryTable>();
        schemars::json_schema!({
            "description": "Background traffic: `none`, or a list of entries that add up.",
            "anyOf": [{ "const": NONE }, { "type": "array", "items": entry }],
        })
    }
}

impl fmt::Display for Background {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() {
            return f.pad(NONE);
        }
        let name = |entry: &BackgroundFlow| match entry.representation {
            Representation::Frames => entry.model.name().to_owned(),
            Representation::Fluid => format!("{} as fluid", entry.model.name()),
        };
        let names: Vec<_> = self.entries.iter().map(name).collect();
        f.pad(&names.join(" + "))
    }
}
