//! Texts to try, and a stream of random numbers.

use std::fs;
use std::path::{Path, PathBuf};

use netloom_document::{Dialect, Document, Step, Value, parse};

/// A text, and where it is from.
pub struct Sample {
    pub name: String,
    pub text: String,
}

/// Returns every scenario of the repository that is YAML: files of `examples` and of tests, blocks
/// of code in documents, and templates of services.
pub fn samples() -> Vec<Sample> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let mut files = Vec::new();
    for folder in ["examples", "crates", "tests", "docs", "fuzz/seeds", "README.md"] {
        collect(&root.join(folder), &mut files);
    }
    files.sort();
    let mut samples = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let name = file.strip_prefix(&root).unwrap_or(&file).display().to_string();
        if file.extension().is_some_and(|extension| extension == "yaml") {
            samples.push(Sample { name, text });
            continue;
        }
        let blocks = text.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next());
        for (index, block) in blocks.enumerate() {
            samples.push(Sample { name: format!("{name}#{index}"), text: block.to_owned() });
        }
    }
    samples.retain(|sample| parse(&sample.text, &Dialect::PLAIN).is_ok());
    samples
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        if path.file_name().is_some_and(|name| name == "target") {
            return;
        }
        for entry in fs::read_dir(path).unwrap() {
            collect(&entry.unwrap().path(), files);
        }
    } else if path.extension().is_some_and(|extension| extension == "yaml" || extension == "md") {
        files.push(path.to_owned());
    }
}

/// Reads a text that is known to be YAML.
pub fn read(text: &str) -> Document {
    Document::read(text, &Dialect::PLAIN).unwrap_or_else(|error| panic!("{error:?} in\n{text}"))
}

/// SplitMix64 (Steele, Lea, Flood 2014).
pub struct Random(pub u64);

impl Random {
    /// Returns a stream for a text.
    pub fn of(name: &str) -> Self {
        Self(
            name.bytes()
                .fold(1, |seed, byte| (seed ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)),
        )
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    pub fn choose<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    /// Returns a value with at most `depth` levels of lists and mappings.
    pub fn value(&mut self, depth: usize) -> Value {
        const TEXTS: [&str; 28] = [
            "a",
            "10Mbit/s",
            "a:eth1",
            "",
            "1",
            "true",
            "~",
            "yes",
            "8080:80",
            "a: b",
            "a #b",
            " a",
            "- a",
            "[x]",
            "{x}",
            "\"",
            "'",
            "it's",
            "one\ntwo\n",
            "one\ntwo",
            "x\n  y\nz\n\n",
            "é ü",
            "a, b",
            "<<",
            "&a",
            "*a",
            "tab\there",
            "a\r\nb",
        ];
        match self.below(if depth > 0 { 12 } else { 9 }) {
            0 => Value::Null,
            1 => Value::Bool(self.below(2) == 0),
            2 => Value::Unsigned(self.next() >> self.below(64)),
            3 => Value::Negative(-1 - self.below(1000) as i64),
            4 => Value::Float(self.below(1000) as f64 / 8.0),
            5..9 => Value::Text((*self.choose(&TEXTS)).into()),
            9 => Value::List((0..self.below(4)).map(|_| self.value(depth - 1)).collect()),
            _ => {
                let keys = ["a", "rate", "eth1", "1", "x y", "net.ipv4.tcp", "~", "a:b", "k,"];
                let first = self.below(keys.len());
                let count = self.below(4).min(keys.len() - first);
                let keys = &keys[first..first + count];
                Value::Mapping(
                    keys.iter().map(|key| ((*key).to_owned(), self.value(depth - 1))).collect(),
                )
            }
        }
    }
}

/// Returns the paths of all values in `value`, apart from itself.
pub fn paths(value: &Value) -> Vec<Vec<Step>> {
    let mut found = Vec::new();
    walk(value, &mut Vec::new(), &mut found);
    found
}

fn walk(value: &Value, path: &mut Vec<Step>, found: &mut Vec<Vec<Step>>) {
    let below: Vec<(Step, &Value)> = match value {
        Value::List(elements) => {
            elements.iter().enumerate().map(|(index, value)| (index.into(), value)).collect()
        }
        Value::Mapping(entries) => {
            entries.iter().map(|(key, value)| (key.as_str().into(), value)).collect()
        }
        _ => Vec::new(),
    };
    for (step, value) in below {
        path.push(step);
        found.push(path.clone());
        walk(value, path, found);
        path.pop();
    }
}

/// Returns the value at `path` for a change.
pub fn at_mut<'v>(value: &'v mut Value, path: &[Step]) -> &'v mut Value {
    path.iter().fold(value, |value, step| match (value, step) {
        (Value::List(elements), Step::Index(index)) => &mut elements[*index],
        (Value::Mapping(entries), Step::Key(key)) => {
            let entry = entries.iter_mut().find(|(name, _)| name == key);
            &mut entry.expect("the path exists").1
        }
        (value, step) => panic!("no {step:?} in {value:?}"),
    })
}
