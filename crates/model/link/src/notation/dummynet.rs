//! The options of `ipfw pipe config` (ipfw(8)) as properties.
//!
//! The link model does not support queues for separate flows by `mask`, nor the rate of a device.
//! Disciplines that dummynet puts into a scheduler (`fq_codel`, `fq_pie`) are not options of a
//! pipe.

use netloom_units::{Data, Duration, Framing, Probability, Quantity, Rate, Size};

use super::words::{NotationError, Words, once, unit, unsupported};
use super::{Translation, notation};
use crate::channel::Loss;
use crate::config::RateLimit;
use crate::line::OverheadProfile;
use crate::queue::{CodelConfig, Discipline, QueueChange, QueueLimit, RedConfig};

notation!(
    /// Properties in the notation of `ipfw pipe config`.
    Dummynet,
    parse,
    "Properties as `ipfw pipe config` takes them.",
    "bw 4Mbit/s delay 7ms queue 50 plr 0.01"
);

const EXAMPLE: &str = "bw 4Mbit/s delay 7ms";

/// Slots of a queue if the string gives no limit.
const DEFAULT_SLOTS: u32 = 50;

/// Largest numbers of slots and bytes that dummynet itself allows by default.
const MAX_SLOTS: u32 = 100;
const MAX_BYTES: u64 = 1 << 20;

const BANDWIDTH: Quantity = Quantity {
    name: "bandwidth",
    base: "bits per second",
    example: "4Mbit/s",
    units: &[
        ("gbyte/s", 8_000_000_000),
        ("gbit/s", 1_000_000_000),
        ("mbyte/s", 8_000_000),
        ("mbit/s", 1_000_000),
        ("kbyte/s", 8000),
        ("kbit/s", 1000),
        ("byte/s", 8),
        ("bit/s", 1),
    ],
    aliases: &[
        ("gbytes/s", "gbyte/s"),
        ("gbits/s", "gbit/s"),
        ("mbytes/s", "mbyte/s"),
        ("mbits/s", "mbit/s"),
        ("kbytes/s", "kbyte/s"),
        ("kbits/s", "kbit/s"),
        ("bytes/s", "byte/s"),
        ("bits/s", "bit/s"),
        ("g", "gbit/s"),
        ("m", "mbit/s"),
        ("k", "kbit/s"),
        ("gbit", "gbit/s"),
        ("mbit", "mbit/s"),
        ("kbit", "kbit/s"),
        ("bit", "bit/s"),
    ],
    ambiguous: &[
        ("mb", "bits or bytes? write `Mbit/s` or `MByte/s`"),
        ("mb/s", "bits or bytes? write `Mbit/s` or `MByte/s`"),
        ("kb", "bits or bytes? write `Kbit/s` or `KByte/s`"),
        ("kb/s", "bits or bytes? write `Kbit/s` or `KByte/s`"),
    ],
};

const BYTES: Quantity = Quantity {
    name: "size",
    base: "bytes",
    example: "50KBytes",
    units: &[("mbytes", 1 << 20), ("kbytes", 1 << 10), ("bytes", 1)],
    aliases: &[
        ("k", "kbytes"),
        ("kb", "kbytes"),
        ("kbyte", "kbytes"),
        ("m", "mbytes"),
        ("mb", "mbytes"),
        ("mbyte", "mbytes"),
        ("b", "bytes"),
        ("byte", "bytes"),
    ],
    ambiguous: &[],
};

#[derive(Default)]
struct Options {
    /// Bandwidth in bit/s; zero is unlimited.
    bandwidth: Option<u64>,
    delay: Option<Duration>,
    limit: Option<QueueLimit>,
    discipline: Option<Management>,
    loss: Option<Probability>,
    burst: Option<Size>,
    profile: Option<String>,
}

fn parse(words: &mut Words<'_>) -> Result<Translation, NotationError> {
    // Users may paste a whole command.
    words.take("ipfw");
    if words.take("pipe") {
        words.number();
    }
    words.take("config");
    let mut options = Options::default();
    words.options(EXAMPLE, |word, words| options.option(word, words))?;
    options.translate()
}

impl Options {
    fn option(&mut self, keyword: &str, words: &mut Words<'_>) -> Result<(), NotationError> {
        match keyword {
            "bw" | "bandwidth" => {
                let text = words.value(keyword, "a bandwidth, like `4Mbit/s`")?;
                once(&mut self.bandwidth, "bw", bandwidth(keyword, text)?)
            }
            "delay" => {
                let text = words.value(keyword, "milliseconds, like `7ms`")?;
                once(&mut self.delay, "delay", delay(text)?)
            }
            "queue" => {
                let text = words.value(keyword, "slots or a size, like `50` or `30KBytes`")?;
                once(&mut self.limit, "queue", limit(text)?)
            }
            "plr" => {
                let text = words.value(keyword, "a probability between 0 and 1")?;
                once(&mut self.loss, "plr", loss(text)?)
            }
            "burst" => {
                let text = words.value(keyword, "a size, like `10k`")?;
                once(&mut self.burst, "burst", bytes(keyword, text)?)
            }
            "profile" => {
                let file = words.value(keyword, "the name of a file")?;
                once(&mut self.profile, "profile", file.into())
            }
            "mask" | "flow_mask" | "sched_mask" | "buckets" => unsupported(
                keyword,
                "a pipe of NetLoom is one direction of one link, and does not multiply",
                "give each flow a link of its own, or share one by a queue discipline with classes",
            ),
            "noerror" => unsupported(
                keyword,
                "a frame that a link drops is lost without a word to its sender",
                "leave it out",
            ),
            keyword => match management(keyword, words)? {
                Some(found) => once(&mut self.discipline, "queue discipline", found),
                None => Err(unknown(keyword)),
            },
        }
    }

    fn translate(self) -> Result<Translation, NotationError> {
        let mut translation = Translation::default();
        let Translation { said, implied } = &mut translation;
        match self.bandwidth {
            None => {}
            Some(0) => said.rate = Some(RateLimit::Unlimited),
            Some(bits) => {
                let rate = Rate::from_bits_per_second(bits).ok_or(NotationError::Senseless(
                    "a bandwidth is at most 10Tbit/s; `bw 0` is unlimited",
                ))?;
                said.rate = Some(RateLimit::Limited(rate));
                implied.framing = Some(Framing::None);
                implied.queue = Some(QueueChange {
                    limit: Some(QueueLimit::Packets(DEFAULT_SLOTS)),
                    ..QueueChange::default()
                });
            }
        }
        said.delay = self.delay.map(Into::into);
        said.loss = self.loss.map(Loss::Bernoulli);
        said.burst = self.burst;
        said.mac_overhead = self.profile.map(Data::<OverheadProfile>::File);
        if self.limit.is_some() || self.discipline.is_some() {
            let discipline =
                self.discipline.map(|given| given.discipline(self.limit)).transpose()?;
            said.queue = Some(QueueChange { limit: self.limit, discipline, full: None });
        }
        Ok(translation)
    }
}

/// Parses a bandwidth and returns it in bit/s. A number alone is in bit/s. Units are not
/// case-sensitive.
fn bandwidth(keyword: &str, text: &str) -> Result<u64, NotationError> {
    if text.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return unsupported(
            format!("{keyword} {text}"),
            "a pipe has a rate of its own, not that of a device",
            "write the rate, like `bw 4Mbit/s`",
        );
    }
    BANDWIDTH.parse(&with_unit(text, "bit/s")).map_err(unit(keyword))
}

/// Parses a delay in milliseconds, with or without the unit. ipfw supports no other unit.
fn delay(text: &str) -> Result<Duration, NotationError> {
    let number = text.strip_suffix("ms").unwrap_or(text);
    if number.is_empty() || !number.chars().all(|c| c.is_ascii_digit() || c == '.') {
        return Err(NotationError::BadValue {
            keyword: "delay".into(),
            value: text.into(),
            what: "a number of milliseconds, like `7` or `7ms`",
        });
    }
    format!("{number}ms").parse().map_err(unit("delay"))
}

/// Parses a limit in slots, or in bytes if it has a unit.
fn limit(text: &str) -> Result<QueueLimit, NotationError> {
    if !text.ends_with(|c: char| c.is_ascii_digit()) {
        let size = bytes("queue", text)?;
        return match size.bytes() {
            1..=MAX_BYTES => Ok(QueueLimit::Bytes(size)),
            _ => Err(NotationError::Senseless(
                "dummynet's queues hold 1 byte to 1 MByte; for others write `queue: {limit: …}`",
            )),
        };
    }
    match text.parse() {
        Ok(slots @ 1..=MAX_SLOTS) => Ok(QueueLimit::Packets(slots)),
        _ => Err(NotationError::Senseless(
            "dummynet's queues have 1 to 100 slots; for others write `queue: {limit: …}`",
        )),
    }
}

/// Parses a loss probability, as a fraction and not a percentage.
fn loss(text: &str) -> Result<Probability, NotationError> {
    if text.contains(',') {
        return unsupported(
            format!("plr {text}"),
            "the four numbers of dummynet's Gilbert-Elliott model are not read",
            "write `loss: {gilbert_elliott: {p: …, r: …, bad: …, good: …}}`",
        );
    }
    let value = text.parse().ok().and_then(Probability::new);
    value.ok_or_else(|| NotationError::BadValue {
        keyword: "plr".into(),
        value: text.into(),
        what: "a probability between 0 and 1, like `0.01` for 1 %",
    })
}

fn bytes(keyword: &str, text: &str) -> Result<Size, NotationError> {
    BYTES.parse(&with_unit(text, "bytes")).map(Size::from_bytes).map_err(unit(keyword))
}

/// Returns `text` in lower case, with `unit` appended to a number that has none.
fn with_unit(text: &str, unit: &str) -> String {
    let text = text.to_ascii_lowercase();
    if text.ends_with(|c: char| c.is_ascii_digit()) { text + unit } else { text }
}

/// The management of a queue, as it is written.
enum Management {
    DropTail,
    Red(Red),
    Codel(CodelConfig),
}

/// The option `red` or `gred W_Q/MIN_TH/MAX_TH/MAX_P [ecn]`; thresholds are in the unit of the
/// queue.
struct Red {
    weight: f64,
    min: u32,
    max: u32,
    max_p: Probability,
    gentle: bool,
    ecn: bool,
}

/// Parses the queue management that begins with `keyword`; `None` if the keyword does not name one.
fn management(keyword: &str, words: &mut Words<'_>) -> Result<Option<Management>, NotationError> {
    match keyword {
        "droptail" => Ok(Some(Management::DropTail)),
        "red" | "gred" => red(keyword, words).map(Management::Red).map(Some),
        "codel" => codel(words).map(Management::Codel).map(Some),
        "pie" | "fq_codel" | "fq_pie" => unsupported(
            keyword,
            "its parameters are not read from this string",
            "write it as a property, like `queue: {discipline: pie}`",
        ),
        _ => Ok(None),
    }
}

fn red(keyword: &str, words: &mut Words<'_>) -> Result<Red, NotationError> {
    let what = "weight/min/max/probability, like `0.002/5/15/0.1`";
    let text = words.value(keyword, what)?;
    let numbers: Vec<&str> = text.split('/').collect();
    let parsed = |numbers: &[&str]| -> Option<Red> {
        let [weight, min, max, max_p] = numbers else { return None };
        Some(Red {
            weight: weight.parse().ok()?,
            min: min.parse().ok()?,
            max: max.parse().ok()?,
            max_p: max_p.parse().ok().and_then(Probability::new)?,
            gentle: keyword == "gred",
            ecn: false,
        })
    };
    let mut red = parsed(&numbers).ok_or_else(|| NotationError::BadValue {
        keyword: keyword.into(),
        value: text.into(),
        what,
    })?;
    if red.min == 0 {
        return Err(NotationError::Senseless(
            "the thresholds of red are at least 1; a minimum of 0 would drop from an empty queue",
        ));
    }
    red.ecn = words.take("ecn");
    Ok(red)
}

/// Parses `codel [target TIME] [interval TIME] [ecn | noecn]`. A time without a unit is in
/// milliseconds.
fn codel(words: &mut Words<'_>) -> Result<CodelConfig, NotationError> {
    let mut config = CodelConfig { ecn: false, ..CodelConfig::default() };
    loop {
        if words.take("target") {
            config.target = time("target", words)?;
        } else if words.take("interval") {
            config.interval = time("interval", words)?;
        } else if words.take("ecn") {
            config.ecn = true;
        } else if words.take("noecn") {
            config.ecn = false;
        } else {
            return Ok(config);
        }
    }
}

fn time(keyword: &str, words: &mut Words<'_>) -> Result<Duration, NotationError> {
    let text = words.value(keyword, "a time, like `5ms`")?;
    with_unit(text, "ms").parse().map_err(unit(keyword))
}

impl Management {
    /// Returns the discipline of a queue with `limit`.
    fn discipline(self, limit: Option<QueueLimit>) -> Result<Discipline, NotationError> {
        let discipline = match self {
            Self::DropTail => Discipline::default(),
            Self::Codel(config) => Discipline::Codel(config),
            Self::Red(Red { weight, min, max, max_p, gentle, ecn }) => {
                let threshold = |number: u32| match limit {
                    Some(QueueLimit::Bytes(_)) => {
                        QueueLimit::Bytes(Size::from_bytes(number.into()))
                    }
                    _ => QueueLimit::Packets(number),
                };
                let (min, max) = (threshold(min), threshold(max));
                let defaults = RedConfig::default();
                Discipline::Red(RedConfig { min, max, max_p, weight, gentle, ecn, ..defaults })
            }
        };
        discipline.checked().map_err(NotationError::Model)
    }
}

fn unknown(word: &str) -> NotationError {
    NotationError::UnknownWord {
        word: word.into(),
        tool: "ipfw pipe config",
        help:
            "its words are `bw`, `delay`, `queue`, `plr`, `burst`, `profile`, `droptail`, `red`, \
               `gred` and `codel`"
                .into(),
    }
}
