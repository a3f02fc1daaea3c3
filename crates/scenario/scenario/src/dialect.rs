//! Words of scenario files: what their users probably meant, and help that only makes sense for
//! scenarios.

use netloom_document::{
    Diagnostic, Diagnostics, Dialect, Replaced, Setting, Tree, parse as parse_document,
};

/// Words of scenario files.
pub(crate) static SCENARIO: Dialect = Dialect {
    one_document: "a scenario is one document: one file each",
    empty: "a scenario needs at least a `name` and a `topology`",
    lists_all: ", which `netloom validate --format json` lists",
    synonyms: SYNONYMS,
    misplaced: MISPLACED,
    sections: SECTIONS,
    names: &["nodes", "groups", "media", "constellations"],
    free: &["env", "files", "sysctls"],
    unnamed: ("endpoints", between),
    other_spelling: turned,
    in_a_mapping,
};

/// Parses the text of a scenario, or of a part of one.
pub(crate) fn parse(text: &str) -> Result<Tree, Diagnostics> {
    parse_document(text, &SCENARIO).map_err(|error| findings(vec![error]))
}

/// Parses several texts that make up a scenario, and values that are put into it. Returns also the
/// values that later texts replaced.
pub(crate) fn parse_with(
    texts: &[&str],
    settings: &[Setting<'_>],
) -> Result<(Tree, Vec<Replaced>), Diagnostics> {
    netloom_document::parse_with(texts, settings, &SCENARIO).map_err(findings)
}

/// Returns all findings of a scenario.
pub(crate) fn findings(list: Vec<Diagnostic>) -> Diagnostics {
    Diagnostics::new(list, &SCENARIO)
}

/// Returns the candidate that `word` was probably meant to be.
pub fn similar<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    SCENARIO.similar(word, candidates)
}

/// Returns help for a `word` that is not one of `candidates`: the candidate that was probably
/// meant, or else all of them if they are few. `what` introduces the list.
pub(crate) fn did_you_mean<'a>(
    word: &str,
    what: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    SCENARIO.did_you_mean(word, what, candidates)
}

/// Returns the name of a link with its two ends in the other order.
fn turned(word: &str) -> Option<String> {
    word.split_once("--").map(|(one, other)| format!("{other}--{one}"))
}

/// Returns the name that a link without one has by its ends.
fn between(ends: &[&str]) -> Option<String> {
    let [one, other] = ends else { return None };
    let node = |end: &str| end.split(':').next().map(str::to_owned);
    Some(format!("{}--{}", node(one)?, node(other)?))
}

/// Words that other emulators and people use, each with NetLoom's word.
const SYNONYMS: &[(&str, &str)] = &[
    ("after_start", "start"),
    ("args", "command"),
    ("autostart", "start"),
    ("bandwidth", "rate"),
    ("bw", "rate"),
    ("capacity", "rate"),
    ("cmd", "command"),
    ("edges", "links"),
    ("ends", "endpoints"),
    ("environment", "env"),
    ("exec", "command"),
    ("host", "node"),
    ("hosts", "nodes"),
    ("ifaces", "interfaces"),
    ("image", "root"),
    ("ip", "ipv4"),
    ("latency", "delay"),
    ("max_queue_size", "limit"),
    ("metric", "cost"),
    ("packet_loss", "loss"),
    ("plr", "loss"),
    ("propagation", "delay"),
    ("speed", "rate"),
    ("sysctl", "sysctls"),
    ("time", "at"),
    ("type", "kind"),
    ("until", "duration"),
    ("wait", "start"),
    ("weight", "cost"),
];

/// Keys that people often put one level too high, each with the key that they belong under.
const MISPLACED: &[(&str, &str)] = &[("discipline", "queue"), ("limit", "queue")];

/// The sections of a scenario, each with the key that it is under.
const SECTIONS: &[(&str, &str)] = &[
    ("constellations", "topology"),
    ("defaults", "topology"),
    ("drawing", ""),
    ("expect", ""),
    ("groups", "topology"),
    ("kinds", "topology"),
    ("links", "topology"),
    ("lint", ""),
    ("measure", ""),
    ("media", "topology"),
    ("monitor", ""),
    ("nodes", "topology"),
    ("placement", ""),
    ("processes", ""),
    ("simulation", ""),
    ("symbiosis", ""),
    ("timeline", ""),
    ("topology", ""),
    ("traffic", ""),
    ("trust", ""),
];

/// Keys that take a mapping, each with the key in it that a single value is probably for.
const SINGLE: &[(&str, &str)] = &[
    ("bulk", "bytes"),
    ("cbr", "rate"),
    ("http", "sizes"),
    ("measure", "interval"),
    ("ping", "interval"),
    ("poisson", "rate"),
    ("replay", "file"),
    ("tcp", "congestion_control"),
    ("trace", "file"),
    ("vbr", "file"),
];

/// Returns help for a single `value` of a `key` that takes a mapping: how it is written.
fn in_a_mapping(key: &str, value: &str) -> Option<String> {
    let is_number = value.starts_with(|first: char| first.is_ascii_digit());
    let inner = match (key, value) {
        ("on_off", _) if is_number => {
            return Some(format!("write like `on_off: {{on: 1s, off: 1s, rate: {value}}}`"));
        }
        ("queue", _) => Some(if is_number { "limit" } else { "discipline" }),
        ("udp" | "tcp", _) if is_number => Some("port"),
        (_, "host" | "router" | "switch") => Some("kind"),
        _ => SINGLE.iter().find(|(single, _)| *single == key).map(|(_, inner)| *inner),
    };
    inner.map(|inner| format!("write `{key}: {{{inner}: {value}}}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_in_the_other_order_mean_their_link() {
        let links = ["r1--r2", "r2--r3", "r1--r3"];
        assert_eq!(similar("r3--r2", links), Some("r2--r3"));
        assert_eq!(similar("r1--r4", links), Some("r1--r2"));
    }

    #[test]
    fn single_values_are_put_into_mappings() {
        let help = |key, value| in_a_mapping(key, value).unwrap();
        assert_eq!(help("queue", "100kB"), "write `queue: {limit: 100kB}`");
        assert_eq!(help("queue", "fq_codel"), "write `queue: {discipline: fq_codel}`");
        assert_eq!(help("cbr", "5Mbit/s"), "write `cbr: {rate: 5Mbit/s}`");
        assert_eq!(help("tcp", "5001"), "write `tcp: {port: 5001}`");
        assert_eq!(help("r1", "router"), "write `r1: {kind: router}`");
        assert_eq!(in_a_mapping("forward", "5ms"), None);
    }
}
