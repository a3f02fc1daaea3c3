//! The options of tc-netem(8) as properties. Keywords may be shortened as in tc.
//!
//! The link model does not support netem's correlated loss, duplication, corruption and reordering,
//! its cells and slots, or marking instead of losing.

use netloom_units::{Data, Duration, Framing, Probability, Rate};

use super::words::{NotationError, Words, once, unit, unsupported};
use super::{Translation, notation, tc};
use crate::channel::{FourState, GilbertElliott, Loss};
use crate::config::RateLimit;
use crate::flight::{Jitter, JitterDistribution, Reorder, Reordering};
use crate::queue::{QueueChange, QueueLimit};

notation!(
    /// Properties in the notation of tc-netem(8).
    Netem,
    parse,
    "Properties as tc-netem takes them.",
    "delay 10ms 2ms distribution normal loss 1%"
);

const EXAMPLE: &str = "delay 10ms 2ms loss 1%";

/// Number of packets that netem's queue holds if the string gives no limit.
const DEFAULT_LIMIT: u32 = 1000;

/// Keywords, in the order in which tc compares a shortened one with them.
const KEYWORDS: &[&str] = &[
    "limit",
    "latency",
    "delay",
    "loss",
    "drop",
    "ecn",
    "reorder",
    "corrupt",
    "gap",
    "duplicate",
    "distribution",
    "rate",
    "slot",
    "seed",
];

/// The options that the string gives.
#[derive(Default)]
struct Options {
    limit: Option<u32>,
    delay: Option<Delay>,
    distribution: Option<String>,
    loss: Option<Loss>,
    corrupt: Option<Probability>,
    duplicate: Option<Probability>,
    reorder: Option<Probability>,
    gap: Option<u32>,
    rate: Option<(Rate, u32)>,
}

struct Delay {
    time: Duration,
    jitter: Option<Duration>,
    correlation: Probability,
}

fn parse(words: &mut Words<'_>) -> Result<Translation, NotationError> {
    words.take("netem");
    let mut options = Options::default();
    words.options(EXAMPLE, |word, words| options.option(keyword(word)?, words))?;
    options.translate()
}

/// Returns the first keyword that begins with `word`.
fn keyword(word: &str) -> Result<&'static str, NotationError> {
    let found = KEYWORDS.iter().find(|keyword| keyword.starts_with(word));
    found.copied().ok_or_else(|| NotationError::UnknownWord {
        word: word.into(),
        tool: "tc-netem",
        help: match word {
            "tc" | "qdisc" | "dev" => "write only what stands behind `netem` in the command".into(),
            _ => format!("its words are `{}`", KEYWORDS.join("`, `")),
        },
    })
}

impl Options {
    /// Parses the values behind `keyword`.
    fn option(
        &mut self,
        keyword: &'static str,
        words: &mut Words<'_>,
    ) -> Result<(), NotationError> {
        let mut percent = |what| {
            let text = words.value(keyword, what)?;
            tc::percent(text).map_err(unit(keyword))
        };
        match keyword {
            "limit" => {
                let limit = tc::count(words.value(keyword, "a number of packets")?);
                once(&mut self.limit, keyword, limit.map_err(unit(keyword))?)
            }
            "latency" | "delay" => once(&mut self.delay, "delay", delay(words)?),
            "distribution" => {
                let name = words.value(keyword, "the name of a distribution, like `normal`")?;
                once(&mut self.distribution, keyword, name.into())
            }
            "loss" | "drop" => once(&mut self.loss, "loss", loss(words)?),
            "corrupt" => {
                once(&mut self.corrupt, keyword, percent("a percentage")?)?;
                uncorrelated(keyword, words)
            }
            "duplicate" => {
                once(&mut self.duplicate, keyword, percent("a percentage")?)?;
                uncorrelated(keyword, words)
            }
            "reorder" => {
                once(&mut self.reorder, keyword, percent("a percentage")?)?;
                uncorrelated(keyword, words)
            }
            "gap" => {
                let gap = tc::count(words.value(keyword, "a number of packets")?);
                once(&mut self.gap, keyword, gap.map_err(unit(keyword))?)
            }
            "rate" => once(&mut self.rate, keyword, rate(words)?),
            "ecn" => unsupported(
                keyword,
                "netem marks the packets that its loss model picks; a link loses them",
                "for marks under congestion choose a queue discipline with ECN, like \
                 `queue: {discipline: codel}`",
            ),
            "slot" => unsupported(
                keyword,
                "the link model has no slots",
                "for a medium with bursts write `rate: {trace: FILE}` or `mac_overhead`",
            ),
            _ => unsupported(
                keyword,
                "all random numbers come from the scenario's seed",
                "write `seed` at the top of the scenario",
            ),
        }
    }

    fn translate(self) -> Result<Translation, NotationError> {
        let mut translation = Translation::default();
        let Translation { said, implied } = &mut translation;
        said.loss = self.loss;
        said.corrupt = self.corrupt;
        said.duplicate = self.duplicate;
        said.queue = self.limit.map(packets).transpose()?;
        if let Some((rate, overhead)) = self.rate {
            said.rate = Some(RateLimit::Limited(rate));
            match overhead {
                0 => implied.framing = Some(Framing::None),
                bytes => said.framing = Some(Framing::Bytes(bytes)),
            }
            implied.queue = Some(packets(DEFAULT_LIMIT)?);
        }
        if let (None, Some(_)) = (self.delay.as_ref().and_then(|d| d.jitter), &self.distribution) {
            return Err(NotationError::Senseless(
                "`distribution` needs a delay with jitter; write it like \
                 `delay 10ms 2ms distribution normal`",
            ));
        }
        if let Some(delay) = self.delay {
            said.delay = Some(delay.time.into());
            if let Some(spread) = delay.jitter {
                said.jitter = Some(jitter(spread, delay.correlation, self.distribution));
                // In netem, a packet is sent when its own delay is over, so jitter reorders.
                let unordered =
                    Reordering { probability: Probability::ZERO, gap: 1, extra_delay: None };
                implied.reorder = Some(Reorder::Some(unordered));
            }
        }
        said.reorder = reorder(self.reorder, self.gap)?;
        Ok(translation)
    }
}

fn packets(limit: u32) -> Result<QueueChange, NotationError> {
    if limit == 0 {
        return Err(NotationError::Senseless("a `limit` of 0 lets nothing pass; write 1 or more"));
    }
    Ok(QueueChange { limit: Some(QueueLimit::Packets(limit)), ..QueueChange::default() })
}

/// Parses `delay TIME [JITTER [CORRELATION]]`, behind the keyword.
fn delay(words: &mut Words<'_>) -> Result<Delay, NotationError> {
    let time = tc::time(words.value("delay", "a time, like `10ms`")?).map_err(unit("delay"))?;
    let mut delay = Delay { time, jitter: None, correlation: Probability::ZERO };
    if let Some(jitter) = words.number() {
        delay.jitter = Some(tc::time(jitter).map_err(unit("delay"))?);
        if let Some(correlation) = words.number() {
            delay.correlation = tc::percent(correlation).map_err(unit("delay"))?;
        }
    }
    Ok(delay)
}

/// Returns the jitter of a distribution that tc has built in, or of a table that tc reads from a
/// file.
fn jitter(spread: Duration, correlation: Probability, distribution: Option<String>) -> Jitter {
    let distribution = match distribution.as_deref() {
        _ if spread == Duration::ZERO => return Jitter::default(),
        None | Some("uniform") => JitterDistribution::Uniform(spread),
        Some("normal") => JitterDistribution::Normal(spread),
        Some("pareto") => JitterDistribution::Pareto(spread),
        Some("paretonormal") => JitterDistribution::ParetoNormal(spread),
        Some(name) if name.ends_with(".dist") => {
            JitterDistribution::Table(Data::File(name.into()), spread)
        }
        Some(name) => JitterDistribution::Table(Data::File(format!("{name}.dist")), spread),
    };
    Jitter { distribution, correlation }
}

/// Parses `loss [random] PERCENT [CORRELATION]`, `loss state P13 …` or `loss gemodel P …`, behind
/// the keyword.
fn loss(words: &mut Words<'_>) -> Result<Loss, NotationError> {
    let certain = Probability::new(1.0).expect("one is a probability");
    if words.take("state") {
        let given = percentages(words, "loss state", 5)?;
        let or = |index: usize, default| given.get(index).copied().unwrap_or(default);
        let model = FourState {
            p13: given[0],
            p31: or(1, opposite(given[0])),
            p32: or(2, Probability::ZERO),
            p23: or(3, certain),
            p14: or(4, Probability::ZERO),
        };
        return model.checked().map(Loss::FourState).map_err(NotationError::Model);
    }
    if words.take("gemodel") {
        let given = percentages(words, "loss gemodel", 4)?;
        let or = |index: usize, default| given.get(index).copied().unwrap_or(default);
        return Ok(Loss::GilbertElliott(GilbertElliott {
            p: given[0],
            r: or(1, opposite(given[0])),
            bad: or(2, certain),
            good: or(3, Probability::ZERO),
        }));
    }
    words.take("random");
    let text = words.value("loss", "a percentage, `state` or `gemodel`")?;
    let probability = tc::percent(text).map_err(unit("loss"))?;
    uncorrelated("loss", words)?;
    Ok(Loss::Bernoulli(probability))
}

fn opposite(probability: Probability) -> Probability {
    // One minus a probability is a probability.
    Probability::new(1.0 - probability.value()).expect("between 0 and 1")
}

/// Parses one percentage and all further ones, at most `most` in total.
fn percentages(
    words: &mut Words<'_>,
    keyword: &str,
    most: usize,
) -> Result<Vec<Probability>, NotationError> {
    let first = words.value(keyword, "a percentage")?;
    let mut given = vec![tc::percent(first).map_err(unit(keyword))?];
    while let Some(text) = words.number() {
        if given.len() == most {
            return Err(NotationError::BadValue {
                keyword: keyword.into(),
                value: text.into(),
                what: "wanted: these are all its numbers already",
            });
        }
        given.push(tc::percent(text).map_err(unit(keyword))?);
    }
    Ok(given)
}

/// Parses an optional correlation, which must be zero.
fn uncorrelated(keyword: &'static str, words: &mut Words<'_>) -> Result<(), NotationError> {
    let Some(text) = words.number() else { return Ok(()) };
    if tc::percent(text).map_err(unit(keyword))? == Probability::ZERO {
        return Ok(());
    }
    let instead = match keyword {
        "loss" => "for losses in bursts write `loss gemodel P R` or `loss state P13 P31`",
        _ => "leave the correlation out",
    };
    unsupported(
        format!("{keyword} … {text}"),
        "netem's correlated draws miss the probability they are given, so the link model has none",
        instead,
    )
}

/// Combines `reorder PERCENT` and `gap DISTANCE`. A gap needs a probability, as in tc.
fn reorder(
    probability: Option<Probability>,
    gap: Option<u32>,
) -> Result<Option<Reorder>, NotationError> {
    match (probability, gap) {
        (None, None | Some(0)) => Ok(None),
        (None, Some(_)) => Err(NotationError::Senseless(
            "`gap` needs a probability to reorder; write it like `reorder 25% gap 5`",
        )),
        (Some(probability), gap) => {
            let gap = gap.unwrap_or(1).max(1);
            Ok(Some(Reorder::Some(Reordering { probability, gap, extra_delay: None })))
        }
    }
}

/// Parses `rate RATE [PACKETOVERHEAD [CELLSIZE [CELLOVERHEAD]]]`, behind the keyword. Returns the
/// rate, and the overhead in bytes.
fn rate(words: &mut Words<'_>) -> Result<(Rate, u32), NotationError> {
    let rate = tc::rate(words.value("rate", "a rate, like `10mbit`")?).map_err(unit("rate"))?;
    let Some(overhead) = words.signed_number() else { return Ok((rate, 0)) };
    let is_zero = |text: &str| text.trim_start_matches(['-', '+', '0']).is_empty();
    for cells in [words.signed_number(), words.signed_number()].into_iter().flatten() {
        if !is_zero(cells) {
            return unsupported(
                format!("rate … {cells}"),
                "the link model has no cells",
                "give the mean overhead of a packet as its second number",
            );
        }
    }
    if overhead.starts_with('-') && !is_zero(overhead) {
        return unsupported(
            format!("rate … {overhead}"),
            "a frame on the line is never shorter than its own bytes",
            "leave the overhead out and give a higher rate",
        );
    }
    match overhead.trim_start_matches('+').parse() {
        Ok(bytes @ 0..=65_535) => Ok((rate, bytes)),
        _ => Err(NotationError::BadValue {
            keyword: "rate".into(),
            value: overhead.into(),
            what: "an overhead in bytes, at most 65535",
        }),
    }
}
