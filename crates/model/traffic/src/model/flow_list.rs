//! Recorded transfers, and their text form.

use std::sync::Arc;

use netloom_units::{DataError, DataFormat, check_count, lines, quoted};
use netloom_units::{Duration, Size, Time};
use serde::{Deserialize, Serialize};

use crate::recorded::seconds;

/// One transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flow {
    /// Time at which it begins.
    pub at: Time,
    /// Number of bytes that it sends, at least 1.
    pub bytes: Size,
    /// Duration of the transfer, if it was recorded.
    pub lasts: Option<Duration>,
    /// Number of its packets, if it was recorded.
    pub packets: Option<u64>,
}

/// Transfers in order of their beginnings: at least one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
#[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
pub struct FlowList(Arc<[Flow]>);

impl FlowList {
    /// # Errors
    /// If there are no flows or too many.
    pub fn new(mut flows: Vec<Flow>) -> Result<Self, String> {
        check_count(flows.len(), "a list of flows")?;
        // Collectors write a flow when it ends, so the file is in order of ends.
        flows.sort_by_key(|flow| flow.at);
        Ok(Self(flows.into()))
    }

    /// Returns the transfers.
    pub fn as_slice(&self) -> &[Flow] {
        &self.0
    }

    /// Returns the mean rate up to the last end, in bit/s. `None` if that is at 0.
    pub(super) fn mean_rate(&self) -> Option<f64> {
        let end = |flow: &Flow| flow.at + flow.lasts.unwrap_or_default();
        let last = self.0.iter().map(end).max().unwrap_or_default();
        let bytes: f64 = self.0.iter().map(|flow| flow.bytes.bytes() as f64).sum();
        let seconds = last.since(Time::ZERO).as_secs_f64();
        (seconds > 0.0).then(|| bytes * 8.0 / seconds)
    }
}

/// Parses `start, duration, bytes[, packets]`. Commas may be blanks.
fn flow(line: &str) -> Result<Flow, String> {
    let refused = || {
        format!(
            "{} is not start, duration, bytes and packets, like `0.5, 2, 9000, 6`",
            quoted(line)
        )
    };
    let words: Vec<&str> = line.split([',', ' ', '\t']).filter(|word| !word.is_empty()).collect();
    let (start, lasts, bytes, packets) = match words[..] {
        [start, lasts, bytes] => (start, lasts, bytes, None),
        [start, lasts, bytes, packets] => (start, lasts, bytes, Some(packets)),
        _ => return Err(refused()),
    };
    let count = |word: &str| word.parse().ok().filter(|count: &u64| *count > 0);
    let at = Time::from_nanos(seconds(start).ok_or_else(refused)?);
    let lasts = Duration::from_nanos(seconds(lasts).ok_or_else(refused)?);
    let bytes = Size::from_bytes(count(bytes).ok_or_else(refused)?);
    let packets = packets.map(|word| count(word).ok_or_else(refused)).transpose()?;
    if packets.is_some_and(|packets| packets > bytes.bytes()) {
        return Err(format!("{} has more packets than bytes", quoted(line)));
    }
    Ok(Flow { at, bytes, lasts: Some(lasts), packets })
}

impl TryFrom<Vec<String>> for FlowList {
    type Error = String;
    fn try_from(texts: Vec<String>) -> Result<Self, String> {
        let flows: Result<_, _> = texts.iter().map(|text| flow(text)).collect();
        Self::new(flows?)
    }
}

impl From<FlowList> for Vec<String> {
    fn from(list: FlowList) -> Self {
        let text = |flow: &Flow| {
            let written =
                |nanos: u64| format!("{}.{:09}", nanos / 1_000_000_000, nanos % 1_000_000_000);
            let start = written(flow.at.as_nanos());
            let lasts = written(flow.lasts.unwrap_or_default().as_nanos());
            let packets = flow.packets.map(|packets| format!(", {packets}")).unwrap_or_default();
            format!("{start}, {lasts}, {}{packets}", flow.bytes.bytes())
        };
        list.0.iter().map(text).collect()
    }
}

impl DataFormat for FlowList {
    const WHAT: &'static str = "list of flows";

    fn parse(text: &str) -> Result<Self, DataError> {
        let is_title = |line: &str| line.to_ascii_lowercase().starts_with("start");
        let rows = lines(text).enumerate().filter(|(row, (_, line))| *row > 0 || !is_title(line));
        let parsed = rows
            .map(|(_, (number, line))| flow(line).map_err(|error| DataError::at(number, error)));
        Self::new(parsed.collect::<Result<_, _>>()?).map_err(DataError::Whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_are_read_with_and_without_a_title() {
        let text = "start,duration,bytes,packets\n1.5,2,9000,6\n0 0.25 100\n";
        let list = FlowList::parse(text).unwrap();
        let texts = Vec::<String>::from(list.clone());
        assert_eq!(texts, ["0.000000000, 0.250000000, 100", "1.500000000, 2.000000000, 9000, 6"]);
        assert_eq!(FlowList::try_from(texts).unwrap(), list);
        assert_eq!(list.mean_rate(), Some(9100.0 * 8.0 / 3.5));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (text, words) in [
            ("1, 2, 3\nstart, 2, 3", "line 2: `start, 2, 3` is not start, duration, bytes"),
            ("1, 2, 0", "line 1: `1, 2, 0` is not"),
            ("1, 2, 3, 4", "more packets than bytes"),
        ] {
            let error = FlowList::parse(text).unwrap_err().to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
