//! Files in dummynet's profile format, as ipfw(8) defines it. They consist of words separated by
//! white space; `#` begins a comment. First come options, then `prob delay` or `delay prob`, then
//! the points of the curve with the columns in that order. Delays are in milliseconds.
//!
//! | option | here |
//! |---|---|
//! | `name WORD` | parsed and not kept |
//! | `samples N` | 2 to 1024; without effect: dummynet draws from N steps, a pipe from the curve itself |
//! | `loss-level P` | frames above this probability are lost, after the time that the curve gives |
//! | `bw RATE` | refused: the rate is a property of the link |

use netloom_units::{DataError, DataFormat, Duration, Probability, lines, quoted};

use super::{OverheadPoint, OverheadProfile};

impl DataFormat for OverheadProfile {
    const WHAT: &'static str = "dummynet profile";

    fn parse(text: &str) -> Result<Self, DataError> {
        let mut reader = Reader::default();
        for (number, line) in lines(text) {
            let words: Vec<&str> = line.split_whitespace().take(3).collect();
            reader.line(&words).map_err(|message| DataError::at(number, message))?;
        }
        reader.finish().map_err(DataError::Whole)
    }
}

/// State of the parser.
#[derive(Default)]
struct Reader {
    loss_level: Option<Probability>,
    columns: Option<Columns>,
    points: Vec<OverheadPoint>,
}

/// Which column comes first in the line of a point.
#[derive(Clone, Copy)]
enum Columns {
    Probability,
    Delay,
}

impl Reader {
    fn line(&mut self, words: &[&str]) -> Result<(), String> {
        match (words, self.columns) {
            (["prob", "delay"], None) => self.columns = Some(Columns::Probability),
            (["delay", "prob"], None) => self.columns = Some(Columns::Delay),
            (["prob", "delay"] | ["delay", "prob"], Some(_)) => {
                return Err("the columns have been named already".into());
            }
            (["name", _], _) => {}
            (["bw", _], _) => {
                return Err(
                    "`bw` belongs to the link: give the link a `rate` and leave this line out"
                        .into(),
                );
            }
            (["loss-level", level], _) => self.loss_level = Some(probability(level)?),
            (["samples", number], _) => samples(number)?,
            ([first, second], Some(columns)) => {
                let (level, delay) = match columns {
                    Columns::Probability => (first, second),
                    Columns::Delay => (second, first),
                };
                let (probability, time) = (probability(level)?, milliseconds(delay)?);
                self.points.push(OverheadPoint { probability, time, lost: false });
            }
            ([first, ..], _) => {
                return Err(format!(
                    "{} is not understood; a line has two words: an option (`name`, `samples`, \
                     `loss-level`), \
                     the columns (`prob delay` or `delay prob`), or, after these, a point",
                    quoted(first)
                ));
            }
            ([], _) => {}
        }
        Ok(())
    }

    fn finish(mut self) -> Result<OverheadProfile, String> {
        if self.columns.is_none() {
            return Err("a line `prob delay` or `delay prob` must say what the columns are".into());
        }
        if self.points.len() < 2 {
            return Err("a profile needs at least two points".into());
        }
        self.points.sort_by(|a, b| {
            a.probability.value().total_cmp(&b.probability.value()).then(a.time.cmp(&b.time))
        });
        if let Some(level) = self.loss_level {
            self.points = lost_above(level, self.points);
        }
        OverheadProfile::new(self.points)
    }
}

/// Returns the curve through `points`, with all frames above `level` lost.
fn lost_above(level: Probability, points: Vec<OverheadPoint>) -> Vec<OverheadPoint> {
    let (kept, mut above): (Vec<_>, Vec<_>) =
        points.into_iter().partition(|point| point.probability <= level);
    above.iter_mut().for_each(|point| point.lost = true);
    // This adds the curve's own point at the level, so the curve stays the same on both sides.
    let at_level = match (kept.last(), above.first()) {
        (Some(before), Some(after)) => {
            let width = after.probability.value() - before.probability.value();
            let share = (level.value() - before.probability.value()) / width;
            let rise = after.time.saturating_sub(before.time).as_nanos() as f64;
            Some(before.time + Duration::from_nanos(libm::round(rise * share) as u64))
        }
        (None, Some(first)) => Some(first.time),
        (_, None) => None,
    };
    let at_level = at_level.map(|time| OverheadPoint { probability: level, time, lost: false });
    kept.into_iter().chain(at_level).chain(above).collect()
}

fn probability(word: &str) -> Result<Probability, String> {
    let value = word.parse().ok().and_then(Probability::new);
    value.ok_or_else(|| format!("{} is not a probability from 0 to 1", quoted(word)))
}

fn samples(word: &str) -> Result<(), String> {
    match word.parse() {
        Ok(2..=1024) => Ok(()),
        _ => Err(format!("{} is not a number of samples from 2 to 1024", quoted(word))),
    }
}

/// A delay in milliseconds, rounded to the nanosecond.
fn milliseconds(word: &str) -> Result<Duration, String> {
    /// About 31 years.
    const LONGEST: f64 = 1e12;
    match word.parse() {
        Ok(value) if (0.0..=LONGEST).contains(&value) => {
            Ok(Duration::from_nanos(libm::round(value * 1e6) as u64))
        }
        _ => Err(format!("{} is not a delay in milliseconds from 0 to 1e12", quoted(word))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of ipfw(8).
    const EXAMPLE: &str = "
        name    bla_bla_bla
        samples 100
        loss-level    0.86
        prob    delay
        0       200     # minimum overhead is 200ms
        0.5     200
        0.5     300
        0.8     1000
        0.9     1300
        1       1300
        #configuration file end
    ";

    fn points(text: &str) -> Vec<(f64, u64, bool)> {
        let profile = OverheadProfile::parse(text).unwrap();
        let point = |point: &OverheadPoint| {
            (point.probability.value(), point.time.as_nanos() / 1_000_000, point.lost)
        };
        profile.points().iter().map(point).collect()
    }

    #[test]
    fn the_example_of_the_manual_is_parsed() {
        let expected = [
            (0.0, 200, false),
            (0.5, 200, false),
            (0.5, 300, false),
            (0.8, 1000, false),
            (0.86, 1180, false),
            (0.9, 1300, true),
            (1.0, 1300, true),
        ];
        assert_eq!(points(EXAMPLE), expected);
    }

    #[test]
    fn columns_may_be_turned_and_points_unsorted() {
        assert_eq!(
            points("delay prob\n 30 1\n 0.5 0\n 10 0.25"),
            [(0.0, 0, false), (0.25, 10, false), (1.0, 30, false)]
        );
    }

    #[test]
    fn a_loss_level_beside_the_curve_cuts_nothing_or_all() {
        assert_eq!(points("loss-level 1\nprob delay\n0 1\n1 2")[1], (1.0, 2, false));
        assert_eq!(
            points("loss-level 0.1\nprob delay\n0.5 1\n1 2"),
            [(0.1, 1, false), (0.5, 1, true), (1.0, 2, true)]
        );
    }

    #[test]
    fn errors_name_the_line() {
        let error = |text: &str| OverheadProfile::parse(text).unwrap_err().to_string();
        assert!(error("name x\nbw 1Mbit/s").starts_with("line 2: `bw` belongs to the link"));
        assert!(error("0 200").contains("`prob delay`"));
        assert!(error("prob delay\n0 1").contains("two points"));
        assert!(error("prob delay\n0 nan\n1 1").contains("`nan` is not a delay"));
        assert!(error("prob delay\n1.5 1\n1 1").contains("`1.5` is not a probability"));
        assert!(error("prob delay\nprob delay").contains("already"));
        assert!(error("samples 1").contains("2 to 1024"));
        assert!(error("prob delay\n0 1 2").contains("two words"));
        assert!(error("prob delay\n0 9\n1 1").contains("goes back"));
        assert!(error("").contains("columns"));
    }
}
