//! The notation of a pipe's `condition`.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use netloom_units::text_or_table;
use serde::de::value::SeqAccessDeserializer;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

use super::meter::{Colour, MeterConfig};
use crate::queue::{ClassMatch, Dscp};

/// Largest number of conditioners of one pipe. Each packet is compared with them one by one.
const MOST_CONDITIONERS: usize = 64;

/// Traffic conditioning of packets before they come to the queue: a list of conditioners, possibly
/// empty. The first conditioner that matches a packet handles it. Frames that are not IP packets
/// pass.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Condition {
    conditioners: Arc<Vec<Conditioner>>,
}

/// One conditioner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "ConditionerTable", into = "ConditionerTable")]
pub struct Conditioner {
    /// Packets that it handles; `None` for all.
    pub matches: Option<ClassMatch>,
    /// Meter that measures them. Without a meter, all are green.
    pub meter: Option<MeterConfig>,
    /// Action for green packets, or those that conform.
    pub green: Action,
    /// Action for yellow packets.
    pub yellow: Action,
    /// Action for red packets, or those that exceed.
    pub red: Action,
}

/// The action on a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Action {
    /// The packet goes on unchanged.
    #[default]
    Pass,
    /// The packet goes on with this DSCP.
    Mark(Dscp),
    /// The packet is dropped, as `policed`.
    Drop,
}

impl Condition {
    /// Creates a condition of these conditioners.
    ///
    /// # Errors
    /// There are more than 64 conditioners, or one is never reached.
    pub fn new(conditioners: Vec<Conditioner>) -> Result<Self, String> {
        let count = conditioners.len();
        if count > MOST_CONDITIONERS {
            return Err(format!(
                "a condition has at most {MOST_CONDITIONERS} conditioners, not {count}"
            ));
        }
        let takes_all = conditioners.iter().position(|one| one.matches.is_none());
        if let Some(first) = takes_all.map(|index| index + 1).filter(|first| *first < count) {
            return Err(format!(
                "conditioner {first} has no `match` and takes all packets, so that {} is never \
                 reached; write it last",
                first + 1
            ));
        }
        Ok(Self { conditioners: Arc::new(conditioners) })
    }

    /// Whether there are no conditioners.
    pub fn is_none(&self) -> bool {
        self.conditioners.is_empty()
    }

    /// The conditioners, in their order.
    pub fn conditioners(&self) -> &[Conditioner] {
        &self.conditioners
    }

    /// Whether any conditioner has a meter.
    pub(crate) fn has_meters(&self) -> bool {
        self.conditioners.iter().any(|one| one.meter.is_some())
    }
}

impl Conditioner {
    /// The action on packets of this colour.
    pub const fn action(&self, colour: Colour) -> Action {
        match colour {
            Colour::Green => self.green,
            Colour::Yellow => self.yellow,
            Colour::Red => self.red,
        }
    }
}

/// The notation of a conditioner.
#[derive(Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Conditioner"))]
#[serde(default, deny_unknown_fields)]
struct ConditionerTable {
    /// Packets that it handles, unless an earlier conditioner handles them. The last one may leave
    /// it out: it handles all other packets.
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    matches: Option<ClassMatch>,
    /// Meter that measures the packets: `{rate: 5Mbit/s, burst: 20kB}`, or a three-colour marker,
    /// `srtcm` or `trtcm`. Without a meter all packets conform.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<super::meter::MeterTable>"))]
    meter: Option<MeterConfig>,
    /// Action for packets that conform: `pass` (default), `drop` or `{dscp: ef}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    conform: Option<Action>,
    /// Action for packets that exceed the rate and the burst (default `pass`).
    #[serde(skip_serializing_if = "Option::is_none")]
    exceed: Option<Action>,
    /// Action for green packets of `srtcm` and `trtcm` (default `pass`).
    #[serde(skip_serializing_if = "Option::is_none")]
    green: Option<Action>,
    /// Action for yellow packets (default `pass`).
    #[serde(skip_serializing_if = "Option::is_none")]
    yellow: Option<Action>,
    /// Action for red packets (default `pass`).
    #[serde(skip_serializing_if = "Option::is_none")]
    red: Option<Action>,
}

impl ConditionerTable {
    /// Returns the first action that is given but that the meter does not use.
    fn misplaced(&self) -> Option<&'static str> {
        let all = [
            ("conform", self.conform),
            ("exceed", self.exceed),
            ("green", self.green),
            ("yellow", self.yellow),
            ("red", self.red),
        ];
        let unknown = match self.meter {
            Some(meter) if meter.has_colours() => &all[..2],
            Some(_) => &all[2..],
            None => &all[1..],
        };
        unknown.iter().find(|(_, action)| action.is_some()).map(|(name, _)| *name)
    }
}

impl TryFrom<ConditionerTable> for Conditioner {
    type Error = String;
    fn try_from(table: ConditionerTable) -> Result<Self, String> {
        if let Some(matches) = &table.matches {
            matches.check()?;
        }
        if let Some(name) = table.misplaced() {
            return Err(match table.meter {
                Some(meter) if meter.has_colours() => format!(
                    "`{name}` is an action of a meter of one rate; write `green`, `yellow` and \
                     `red` here"
                ),
                Some(_) => format!(
                    "`{name}` is an action of `srtcm` and `trtcm`; write `conform` and `exceed` \
                     here"
                ),
                None => format!(
                    "`{name}` has no effect without a `meter`, for all packets conform; add a \
                     `meter`, or write `conform`"
                ),
            });
        }
        let ConditionerTable { matches, meter, conform, exceed, green, yellow, red } = table;
        if meter.is_none() && conform.is_none() {
            return Err("a conditioner without a `meter` says what becomes of its packets; add \
                        `conform`, like `conform: {dscp: ef}`, or `conform: pass` for packets that \
                        later conditioners are not to have"
                .into());
        }
        let [green, yellow, red] =
            [green.or(conform), yellow, red.or(exceed)].map(Option::unwrap_or_default);
        if meter.is_some() && [green, yellow, red] == [Action::Pass; 3] {
            return Err("a meter whose packets all pass does nothing; add an action, like \
                        `exceed: drop` or `red: drop`"
                .into());
        }
        Ok(Self { matches, meter, green, yellow, red })
    }
}

impl From<Conditioner> for ConditionerTable {
    fn from(conditioner: Conditioner) -> Self {
        let Conditioner { matches, meter, green, yellow, red } = conditioner;
        let said = |action| (action != Action::Pass).then_some(action);
        let table = Self { matches, meter, ..Self::default() };
        match meter {
            None => Self { conform: Some(green), ..table },
            Some(meter) if meter.has_colours() => {
                Self { green: said(green), yellow: said(yellow), red: said(red), ..table }
            }
            Some(_) => Self { conform: said(green), exceed: said(red), ..table },
        }
    }
}

/// The notation of actions that need a table.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Mark"))]
#[serde(deny_unknown_fields)]
struct ActionTable {
    /// DSCP that the packet gets: a number from 0 to 63, or a name like `af11`.
    dscp: Dscp,
}

impl From<ActionTable> for Action {
    fn from(table: ActionTable) -> Self {
        Self::Mark(table.dscp)
    }
}

impl From<&Action> for ActionTable {
    fn from(action: &Action) -> Self {
        match action {
            Action::Mark(dscp) => Self { dscp: *dscp },
            // These are written as words instead.
            Action::Pass | Action::Drop => Self { dscp: Dscp::default() },
        }
    }
}

impl Action {
    fn text(&self) -> Option<String> {
        match self {
            Self::Pass => Some("pass".into()),
            Self::Drop => Some("drop".into()),
            Self::Mark(_) => None,
        }
    }
}

impl FromStr for Action {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "pass" => Ok(Self::Pass),
            "drop" => Ok(Self::Drop),
            _ => Err(format!("`{text}` is no action; write `pass`, `drop` or `{{dscp: af11}}`")),
        }
    }
}

text_or_table!(
    Action,
    ActionTable,
    "`pass`, `drop` or `{dscp: af11}`",
    "What becomes of a packet: `pass`, `drop`, or `{dscp: …}`."
);

const NONE: &str = "none";

impl Serialize for Condition {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.is_none() {
            true => serializer.serialize_str(NONE),
            false => self.conditioners.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Condition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ConditionVisitor;
        impl<'de> Visitor<'de> for ConditionVisitor {
            type Value = Condition;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "`none`, or a list like `[{meter: {rate: 5Mbit/s, burst: 20kB}, \
                     exceed: drop}]`",
                )
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Condition, E> {
                match text {
                    NONE => Ok(Condition::default()),
                    _ => Err(E::invalid_value(serde::de::Unexpected::Str(text), &self)),
                }
            }
            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Condition, A::Error> {
                let conditioners = Vec::deserialize(SeqAccessDeserializer::new(list))?;
                Condition::new(conditioners).map_err(A::Error::custom)
            }
        }
        deserializer.deserialize_any(ConditionVisitor)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Condition {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Condition".into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let conditioner = generator.subschema_for::<ConditionerTable>();
        schemars::json_schema!({
            "description": "Traffic conditioning: `none`, or a list of conditioners, of which the \
                            first that matches has the packet.",
            "anyOf": [
                { "const": NONE },
                { "type": "array", "items": conditioner, "maxItems": MOST_CONDITIONERS },
            ],
        })
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.conditioners.len() {
            0 => f.pad(NONE),
            1 => f.pad("1 conditioner"),
            count => f.pad(&format!("{count} conditioners")),
        }
    }
}
