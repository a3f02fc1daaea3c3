//! The options of tc-tbf(8) as properties: a token bucket with its queue.
//!
//! The link model does not support a second bucket (`peakrate`), a smallest packet (`mpu`), or
//! cells (`linklayer atm`).

use netloom_units::{Framing, Rate, Size};

use super::words::{NotationError, Words, once, unit, unsupported};
use super::{Translation, notation, tc};
use crate::config::RateLimit;
use crate::queue::{QueueChange, QueueLimit};

notation!(
    /// Rate, burst and queue in the notation of tc-tbf(8).
    Tbf,
    parse,
    "Rate, burst and queue as tc-tbf takes them.",
    "rate 10mbit burst 10kb latency 50ms"
);

const EXAMPLE: &str = "rate 10mbit burst 10kb latency 50ms";

#[derive(Default)]
struct Options {
    rate: Option<Rate>,
    burst: Option<Size>,
    limit: Option<Size>,
    latency: Option<netloom_units::Duration>,
    overhead: Option<u32>,
}

fn parse(words: &mut Words<'_>) -> Result<Translation, NotationError> {
    words.take("tbf");
    let mut options = Options::default();
    words.options(EXAMPLE, |word, words| options.option(word, words))?;
    options.translate()
}

impl Options {
    fn option(&mut self, keyword: &str, words: &mut Words<'_>) -> Result<(), NotationError> {
        match keyword {
            "rate" => {
                let text = words.value(keyword, "a rate, like `10mbit`")?;
                once(&mut self.rate, "rate", tc::rate(text).map_err(unit(keyword))?)
            }
            "burst" | "buffer" | "maxburst" => {
                let text = words.value(keyword, "a size, like `10kb`")?;
                // The value behind the slash is the granularity of the kernel's table of times.
                let size = text.split_once('/').map_or(text, |(size, _cell)| size);
                once(&mut self.burst, "burst", tc::size(size).map_err(unit(keyword))?)
            }
            "limit" => {
                let text = words.value(keyword, "a size, like `10kb`")?;
                once(&mut self.limit, "limit", tc::size(text).map_err(unit(keyword))?)
            }
            "latency" => {
                let text = words.value(keyword, "a time, like `50ms`")?;
                once(&mut self.latency, "latency", tc::time(text).map_err(unit(keyword))?)
            }
            "overhead" => {
                let text = words.value(keyword, "a number of bytes")?;
                let overhead =
                    text.parse().ok().filter(|bytes| *bytes <= 65_535).ok_or_else(|| {
                        NotationError::BadValue {
                            keyword: keyword.into(),
                            value: text.into(),
                            what: "an overhead in bytes, at most 65535",
                        }
                    })?;
                once(&mut self.overhead, "overhead", overhead)
            }
            "linklayer" if words.take("ethernet") => Ok(()),
            "linklayer" => unsupported(
                keyword,
                "the link model has no cells",
                "write `overhead` for the mean overhead of a packet",
            ),
            "peakrate" | "mtu" | "minburst" => unsupported(
                keyword,
                "a line has one bucket: after a burst it sends at its rate",
                "leave it out, or limit the peak by the rate of the link in front",
            ),
            "mpu" => unsupported(
                keyword,
                "only Ethernet has a smallest frame",
                "write `framing: ethernet`, which pads to 64 bytes",
            ),
            word => Err(NotationError::UnknownWord {
                word: word.into(),
                tool: "tc-tbf",
                help: "its words are `rate`, `burst`, `limit`, `latency` and `overhead`".into(),
            }),
        }
    }

    fn translate(self) -> Result<Translation, NotationError> {
        let (Some(rate), Some(burst)) = (self.rate, self.burst) else {
            return Err(NotationError::Senseless(
                "tbf needs a `rate` and a `burst`; write it like \
                 `rate 10mbit burst 10kb latency 50ms`",
            ));
        };
        let limit = match (self.limit, self.latency) {
            (Some(limit), None) => limit,
            // The formula of tc: everything that leaves in the time, plus a full bucket.
            (None, Some(latency)) => {
                let bytes = rate.bytes_in(latency).bytes().saturating_add(burst.bytes());
                Size::from_bytes(bytes)
            }
            _ => {
                return Err(NotationError::Senseless(
                    "tbf needs either `limit` or `latency`; keep one of them",
                ));
            }
        };
        let mut translation = Translation::default();
        let Translation { said, implied } = &mut translation;
        said.rate = Some(RateLimit::Limited(rate));
        said.burst = Some(burst);
        said.queue =
            Some(QueueChange { limit: Some(QueueLimit::Bytes(limit)), ..QueueChange::default() });
        match self.overhead {
            None | Some(0) => implied.framing = Some(Framing::None),
            Some(bytes) => said.framing = Some(Framing::Bytes(bytes)),
        }
        Ok(translation)
    }
}
