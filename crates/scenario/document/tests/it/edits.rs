//! Random edits of every scenario of the repository.

use std::ops::RangeInclusive;

use netloom_document::{Content, Document, NodeId, Step, Value};

use crate::support::{Random, at_mut, paths, read, samples};

/// Edits of each text, unless `NETLOOM_EDITS` sets another number.
const EDITS: usize = 40;

/// An edit, and what it does to a value.
#[derive(Debug)]
enum Edit {
    Set(Vec<Step>, Value),
    Insert(Vec<Step>, Value),
    Remove(Vec<Step>),
}

impl Edit {
    /// Draws an edit of a document that means `value`.
    fn draw(random: &mut Random, value: &Value) -> Self {
        let paths = paths(value);
        if paths.is_empty() {
            let step = if matches!(value, Value::List(_)) { 0.into() } else { "new".into() };
            return Self::Insert(vec![step], random.value(1));
        }
        let path = random.choose(&paths).clone();
        match random.below(20) {
            0..11 => Self::Set(path, random.value(2)),
            11..16 => {
                let above = &path[..path.len() - 1];
                let step = match value.at(above) {
                    Some(Value::List(elements)) => random.below(elements.len() + 1).into(),
                    holder => {
                        let keys = ["new", "also new", "1", "more", "still more"];
                        let has = |key: &str| holder.is_some_and(|h| h.entry(key).is_some());
                        let free = keys.into_iter().filter(|key| !has(key));
                        let free: Vec<&str> = free.collect();
                        if free.is_empty() {
                            return Self::Remove(path);
                        }
                        (*random.choose(&free)).into()
                    }
                };
                let path = above.iter().cloned().chain([step]).collect();
                Self::Insert(path, random.value(2))
            }
            16 => match value.at(&path) {
                Some(Value::Null) => {
                    Self::Insert([&path[..], &["new".into()]].concat(), random.value(1))
                }
                _ => Self::Remove(path),
            },
            _ => Self::Remove(path),
        }
    }

    fn path(&self) -> &[Step] {
        match self {
            Self::Set(path, _) | Self::Insert(path, _) | Self::Remove(path) => path,
        }
    }

    fn carry_out(&self, document: &mut Document) -> Result<(), String> {
        let done = match self {
            Self::Set(path, value) => document.set(path, value),
            Self::Insert(path, value) => document.insert(path, value),
            Self::Remove(path) => document.remove(path),
        };
        done.map_err(|error| error.message)
    }

    /// Carries the edit out on a value.
    fn apply(&self, whole: &mut Value) {
        let (last, above) = self.path().split_last().unwrap();
        let holder = at_mut(whole, above);
        match (self, holder, last) {
            (Self::Set(path, value), _, _) => *at_mut(whole, path) = value.clone(),
            (Self::Insert(_, value), Value::List(elements), Step::Index(index)) => {
                elements.insert(*index, value.clone());
            }
            (Self::Insert(_, value), Value::Mapping(entries), Step::Key(key)) => {
                entries.push((key.clone(), value.clone()));
            }
            (Self::Insert(_, value), holder, Step::Key(key)) => {
                *holder = Value::Mapping(vec![(key.clone(), value.clone())]);
            }
            (Self::Remove(_), Value::List(elements), Step::Index(index)) => {
                elements.remove(*index);
            }
            (Self::Remove(_), Value::Mapping(entries), Step::Key(key)) => {
                entries.retain(|(name, _)| name != key);
            }
            (edit, _, _) => panic!("{edit:?}"),
        }
    }

    /// Returns the lines that the edit may touch, counted from 0, by the spans of the tree.
    fn lines(&self, document: &Document) -> RangeInclusive<usize> {
        let (last, above) = self.path().split_last().unwrap();
        let tree = document.tree();
        let holder = above.iter().fold(tree.root(), |node, step| child(document, node, step).1);
        let (first, node) = match self {
            Self::Insert(..) => {
                // The line of the part before it, or all of a holder within lines.
                let span = tree.span(holder);
                let start = first_line(document, span.line);
                return with_brackets(document, start..=span.end_line - 1);
            }
            _ => child(document, holder, last),
        };
        let (first, span) = (tree.span(first), tree.span(node));
        let start = first_line(document, first.line);
        let mut lines = start..=span.end_line.max(first.end_line) - 1;
        if let Self::Remove(_) = self {
            // Of `- a: 1`, the next entry moves up to the dash.
            let line = document.text().lines().nth(start).unwrap_or_default();
            let dashes = line.trim_start().split(' ').take_while(|word| *word == "-").count();
            if dashes > usize::from(matches!(last, Step::Index(_))) {
                lines = start..=lines.end() + 1;
            }
            // With its last part, a holder becomes `{}` on the line of its key.
            let count = tree.entries(holder).len() + tree.elements(holder).len();
            if count == 1 {
                let key_line = match above.split_last() {
                    Some((step, above)) => {
                        let over = above
                            .iter()
                            .fold(tree.root(), |node, step| child(document, node, step).1);
                        tree.span(child(document, over, step).0).line
                    }
                    None => 1,
                };
                lines = (key_line - 1).min(*lines.start())..=*lines.end();
            }
        }
        with_brackets(document, lines)
    }
}

/// Returns the line, counted from 0, of a value whose span begins in `line`, counted from 1: the
/// span of a block scalar begins below its `|`.
fn first_line(document: &Document, line: usize) -> usize {
    let above = document.text().lines().nth(line.wrapping_sub(2)).unwrap_or_default();
    let above = above.split(" #").next().unwrap_or_default().trim_end();
    let is_header = above.ends_with(['|', '>', '-', '+']) && above.contains(['|', '>']);
    line - 1 - usize::from(is_header)
}

/// Adds lines with closing brackets: the span of `{a,` ends before a bracket on a line of its own.
fn with_brackets(document: &Document, lines: RangeInclusive<usize>) -> RangeInclusive<usize> {
    let is_bracket = |line: &usize| {
        let line = document.text().lines().nth(*line).unwrap_or_default();
        line.trim_start().starts_with(['}', ']'])
    };
    let brackets = (lines.end() + 1..).take_while(is_bracket).count();
    *lines.start()..=lines.end() + brackets
}

/// Returns the first node of a part, its key if it has one, and its value.
fn child(document: &Document, node: NodeId, step: &Step) -> (NodeId, NodeId) {
    let tree = document.tree();
    match (tree.content(node), step) {
        (Content::Sequence(elements), Step::Index(index)) => (elements[*index], elements[*index]),
        (_, Step::Key(key)) => tree.entry(node, key).unwrap(),
        (_, step) => panic!("no {step:?}"),
    }
}

/// Fails unless all lines that an edit may not touch are as before.
fn check_lines(old: &str, new: &str, touched: RangeInclusive<usize>, edit: &Edit) {
    let split =
        |text: &str| -> Vec<String> { text.split_inclusive('\n').map(String::from).collect() };
    let (old_lines, new_lines) = (split(old), split(new));
    let whole = |line: &String| line.trim_end_matches(['\n', '\r']).to_owned();
    let head = &old_lines[..(*touched.start()).min(old_lines.len())];
    let tail = &old_lines[(touched.end() + 1).min(old_lines.len())..];
    assert!(
        new_lines.starts_with(head),
        "{edit:?} touches lines above {touched:?}:\n{old}\n=>\n{new}"
    );
    // The last line may have lost or got its line break.
    let tail: Vec<String> = tail.iter().map(whole).collect();
    let new_tail: Vec<String> = new_lines.iter().map(whole).collect();
    assert!(
        new_tail.ends_with(&tail),
        "{edit:?} touches lines below {touched:?}:\n{old}\n=>\n{new}"
    );
}

#[test]
fn random_edits_of_every_scenario_leave_all_other_lines_and_read_back() {
    let edits = std::env::var("NETLOOM_EDITS").map_or(EDITS, |number| number.parse().unwrap());
    let samples = samples();
    assert!(samples.len() > 150, "{} texts were found", samples.len());
    let (mut done, mut refused, mut texts) = (0, Vec::new(), 0);
    for sample in &samples {
        let has_aliases = sample.text.contains(['*', '&']);
        let mut random = Random::of(&sample.name);
        let original = read(&sample.text);
        texts += 1;
        let mut document = read(&sample.text);
        for _ in 0..edits {
            if document.text().len() > 2 * sample.text.len() + 500 || random.below(20) == 0 {
                document = read(original.text());
            }
            let before = document.text().to_owned();
            let mut value = document.value(&[]).unwrap();
            let edit = Edit::draw(&mut random, &value);
            let lines = edit.lines(&document);
            if let Err(message) = edit.carry_out(&mut document) {
                assert_eq!(document.text(), before, "a refused edit changes nothing");
                refused.push(format!("{}: {message}", sample.name));
                assert!(has_aliases, "{}: {edit:?}: {message}\n{before}", sample.name);
                continue;
            }
            done += 1;
            check_lines(&before, document.text(), lines, &edit);
            if !has_aliases {
                edit.apply(&mut value);
                assert_eq!(document.value(&[]), Some(value), "{edit:?}:\n{before}");
            }
        }
    }
    println!("{done} edits of {texts} texts, {} refused", refused.len());
    assert!(refused.len() * 20 < done, "{} edits are refused: {refused:?}", refused.len());
}
