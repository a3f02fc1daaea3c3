//! Converts `KEY=VALUE` words into the YAML that a scenario file would have in their place, so that
//! one reader with one set of messages reads both.

use anyhow::Result;
use netloom_document::{Diagnostics, Dialect, Value, encode, parse, write};
use serde_json::Map;

use crate::exit;

/// Keys and their values, in the order of the command line.
#[derive(Default)]
struct Mapping(Vec<(String, Node)>);

enum Node {
    Value(Value),
    Mapping(Mapping),
}

/// Returns the properties as a YAML mapping. A dot steps into a property (`queue.limit=50ms`). A
/// value is a text, a number, or a list or mapping in YAML's flow style (`jitter.pattern=[1ms,
/// 0ms]`).
pub fn yaml(words: &[String]) -> Result<String> {
    Ok(write(&value(words)?))
}

/// Returns the properties as a value, like [`yaml`].
pub fn value(words: &[String]) -> Result<Value> {
    Ok(parsed(words)?.value())
}

/// Returns the properties as a YAML mapping in which tables that words step into keep the entries
/// that they have in `base` and that no word names.
pub fn yaml_over(base: &Map<String, serde_json::Value>, words: &[String]) -> Result<String> {
    let Mapping(named) = parsed(words)?;
    let over = named.into_iter().map(|(name, node)| match base.get(&name) {
        Some(there) => Ok((name, node.over(there)?)),
        None => Ok((name, node)),
    });
    Ok(write(&Mapping(over.collect::<Result<_>>()?).value()))
}

fn parsed(words: &[String]) -> Result<Mapping> {
    let mut root = Mapping::default();
    for word in words {
        let (key, value) = word
            .split_once('=')
            .ok_or_else(|| exit::usage(format!("`{word}` is not KEY=VALUE, like `delay=5ms`")))?;
        root.insert(key, key, value)?;
    }
    Ok(root)
}

impl Node {
    /// Returns this node with the entries of a table `base` that it does not name.
    fn over(self, base: &serde_json::Value) -> Result<Self> {
        let (mut named, base) = match (self, base) {
            (Self::Mapping(Mapping(named)), serde_json::Value::Object(base)) => (named, base),
            (other, _) => return Ok(other),
        };
        let mut entries = Vec::new();
        for (key, there) in base.iter().filter(|(_, there)| !there.is_null()) {
            let node = match named.iter().position(|(name, _)| name == key) {
                Some(place) => named.remove(place).1.over(there)?,
                None => Self::Value(encode(there)?),
            };
            entries.push((key.clone(), node));
        }
        entries.extend(named);
        Ok(Self::Mapping(Mapping(entries)))
    }
}

impl Mapping {
    fn value(self) -> Value {
        let entry = |(key, node)| match node {
            Node::Value(value) => (key, value),
            Node::Mapping(inner) => (key, inner.value()),
        };
        Value::Mapping(self.0.into_iter().map(entry).collect())
    }

    /// Inserts `value` at the end of `path`, which is the rest of `key`.
    fn insert(&mut self, key: &str, path: &str, value: &str) -> Result<()> {
        let (name, rest) = match path.split_once('.') {
            Some((name, rest)) => (name, Some(rest)),
            None => (path, None),
        };
        let there = self.0.iter_mut().find(|(known, _)| known == name).map(|(_, node)| node);
        match (there, rest) {
            (None, None) => self.0.push((name.into(), Node::Value(written(key, value)?))),
            (None, Some(rest)) => {
                let mut inner = Self::default();
                inner.insert(key, rest, value)?;
                self.0.push((name.into(), Node::Mapping(inner)));
            }
            (Some(Node::Mapping(inner)), Some(rest)) => inner.insert(key, rest, value)?,
            (Some(Node::Value(_)), None) => {
                return Err(exit::usage(format!("`{key}` is given twice; keep one of them")));
            }
            (Some(_), _) => {
                let message = format!("`{name}` is given a value and keys of its own at once");
                return Err(exit::usage(message));
            }
        }
        Ok(())
    }
}

/// Returns what a word's value means: a list or mapping in YAML's flow style, a number, `true` or
/// `false`, or a text.
fn written(key: &str, value: &str) -> Result<Value> {
    if !value.starts_with(['[', '{']) {
        return Ok(match value {
            "" | "~" => value.into(),
            value => Value::plain(value),
        });
    }
    let tree = parse(value, &Dialect::PLAIN).map_err(|error| {
        exit::usage(Diagnostics::new(vec![error], &Dialect::PLAIN).render(key, value))
    })?;
    Ok(Value::of(&tree, tree.root()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(words: &[&str]) -> Result<String> {
        yaml(&words.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn words_become_the_yaml_of_a_scenario() {
        let cases: [(&[&str], &str); 6] = [
            (&["rate=10Mbit/s", "state=down"], "rate: 10Mbit/s\nstate: down\n"),
            (
                &["queue.limit=50ms", "delay=1ms", "queue.discipline=fifo"],
                "queue:\n  limit: 50ms\n  discipline: fifo\ndelay: 1ms\n",
            ),
            (
                &["loss.gilbert_elliott.p=1%", "loss.gilbert_elliott.r=10%"],
                "loss:\n  gilbert_elliott:\n    p: 1%\n    r: 10%\n",
            ),
            (&["jitter.pattern=[1ms, -1ms]"], "jitter:\n  pattern: [1ms, -1ms]\n"),
            (&["netem=delay 10ms 2ms loss 1%"], "netem: delay 10ms 2ms loss 1%\n"),
            (&["rate.trace=a: b # c"], "rate:\n  trace: \"a: b # c\"\n"),
        ];
        for (words, expected) in cases {
            assert_eq!(written(words).unwrap(), expected);
        }
    }

    #[test]
    fn tables_keep_what_words_do_not_name() {
        let base = serde_json::json!({
            "mac": { "dcf": { "cw_min": 15, "rates": ["1Mbit/s"], "none": null } },
            "power": "16dBm",
        });
        let words = ["mac.dcf.cw_min=7", "height=2m"].map(String::from);
        let text = yaml_over(base.as_object().unwrap(), &words).unwrap();
        let expected = "mac:\n  dcf:\n    cw_min: 7\n    rates: [1Mbit/s]\nheight: 2m\n";
        assert_eq!(text, expected);
        let whole = yaml_over(base.as_object().unwrap(), &["mac=none".into()]).unwrap();
        assert_eq!(whole, "mac: none\n");
    }

    #[test]
    fn a_key_has_one_value() {
        let message = |words: &[&str]| format!("{:#}", written(words).unwrap_err());
        assert!(message(&["delay"]).contains("is not KEY=VALUE"));
        assert!(message(&["delay=5ms", "delay=6ms"]).contains("`delay` is given twice"));
        assert!(message(&["loss=1%", "loss.every=6"]).contains("at once"));
        assert!(message(&["loss.every=6", "loss=1%"]).contains("at once"));
    }
}
