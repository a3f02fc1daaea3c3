//! `netloom __pen`, for programs in other languages: reads and edits scenarios' texts as this tool
//! does. An order comes as JSON from standard input, and JSON is the answer.

use std::io;

use anyhow::Result;
use netloom_document::{Diagnostic, Dialect, Document, NodeId, Step, Tree, Value, write};
use serde::{Deserialize, Serialize};

use crate::exit;

/// Depth down to which places are reported.
const DEPTH: usize = 4;

/// What is to be done.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Order {
    /// The text, or nothing if `value` is to be written.
    #[serde(default)]
    text: Option<String>,
    /// A whole document.
    #[serde(default)]
    value: Option<Value>,
    /// Changes of the text, one after another.
    #[serde(default)]
    edits: Vec<Edit>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Edit {
    Set { path: Vec<OnPath>, value: Value },
    Insert { path: Vec<OnPath>, value: Value },
    Remove { path: Vec<OnPath> },
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
enum OnPath {
    Index(usize),
    Key(String),
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Done { text: String, value: Value, places: Vec<Written> },
    Refused(Diagnostic),
}

/// Where a value is written.
#[derive(Debug, Serialize)]
struct Written {
    path: Vec<OnPath>,
    line: usize,
    end_line: usize,
}

/// Carries out one order.
pub fn pen() -> Result<i32> {
    let order: Order = serde_json::from_reader(io::stdin().lock())?;
    let (answer, code) = match carry_out(order) {
        Ok(answer) => (answer, exit::SUCCESS),
        Err(refused) => (Answer::Refused(refused), exit::USAGE),
    };
    println!("{}", serde_json::to_string(&answer)?);
    Ok(code)
}

fn carry_out(Order { text, value, edits }: Order) -> Result<Answer, Diagnostic> {
    let text = text.or_else(|| value.as_ref().map(write)).unwrap_or_default();
    let mut document = Document::read(&text, &Dialect::PLAIN)?;
    for edit in edits {
        match edit {
            Edit::Set { path, value } => document.set(&steps(path), &value),
            Edit::Insert { path, value } => document.insert(&steps(path), &value),
            Edit::Remove { path } => document.remove(&steps(path)),
        }?;
    }
    let tree = document.tree();
    let mut places = Vec::new();
    collect(tree, tree.root(), &mut Vec::new(), &mut places);
    let value = document.value(&[]).unwrap_or(Value::Null);
    Ok(Answer::Done { text: document.text().to_owned(), value, places })
}

fn steps(path: Vec<OnPath>) -> Vec<Step> {
    let step = |step| match step {
        OnPath::Index(index) => Step::Index(index),
        OnPath::Key(key) => Step::Key(key),
    };
    path.into_iter().map(step).collect()
}

/// Collects where `node` and what is in it are written. Keys belong to their values.
fn collect(tree: &Tree, node: NodeId, path: &mut Vec<OnPath>, places: &mut Vec<Written>) {
    if path.len() >= DEPTH {
        return;
    }
    let keyed = tree.entries(node).iter().map(|(key, value)| {
        let name = tree.text(*key).unwrap_or_default().to_owned();
        (OnPath::Key(name), tree.span(*key).line, *value)
    });
    let listed = tree
        .elements(node)
        .iter()
        .enumerate()
        .map(|(index, element)| (OnPath::Index(index), tree.span(*element).line, *element));
    for (step, line, value) in keyed.chain(listed) {
        path.push(step);
        let end_line = tree.span(value).end_line.max(line);
        places.push(Written { path: path.clone(), line, end_line });
        collect(tree, value, path, places);
        path.pop();
    }
}
