//! Values put into a document at paths: keys with dots between them, members of lists by name.

use super::{Content, Node, NodeId, Tree};
use crate::diagnostic::Diagnostic;
use crate::span::Span;
use crate::value::Step;

/// A value that another document puts into this one.
#[derive(Debug, Clone)]
pub struct Setting<'a> {
    /// Where it goes, like `links.bottleneck.rate`: keys with dots between them, and members of
    /// lists by their `name`, or by their number from 0 on.
    pub path: &'a str,
    /// Where the path is written.
    pub at: Span,
    /// The document that has the value.
    pub tree: &'a Tree,
    /// The value.
    pub value: NodeId,
}

/// A step on the way to a value, and where it is written.
type Way = Vec<(Step, Span)>;

impl Tree {
    /// Puts a value into this document, in place of what is there. Mappings that are missing on the
    /// way to it are made. The text of the setting begins behind the first `lines` lines.
    ///
    /// # Errors
    /// If there is no such place, with the nearest names.
    pub(crate) fn put(&mut self, setting: &Setting<'_>, lines: usize) -> Result<(), Diagnostic> {
        let way = self.way(setting).map_err(|error| error.below(lines))?;
        let value = self.copied(setting.tree, setting.value, lines);
        self.root = self.placed(Some(self.root), &way, value, lines);
        Ok(())
    }

    /// Returns the steps to the place of a setting.
    fn way(&self, setting: &Setting<'_>) -> Result<Way, Diagnostic> {
        let words: Vec<&str> = setting.path.split('.').collect();
        if words.iter().any(|word| word.is_empty()) {
            let message = format!("`{}` is no path", setting.path);
            return Err(Diagnostic::error(setting.at, message)
                .with_help("write keys with dots between them, like `links.bottleneck.rate`"));
        }
        let mut way = Way::new();
        let mut here = Some(self.root);
        let section = self.dialect.sections.iter().find(|(name, _)| *name == words[0]);
        if let Some((_, above)) = section.filter(|(_, above)| !above.is_empty())
            && self.entry(self.root, words[0]).is_none()
        {
            here = self.find(self.root, &[above]);
            way.push((Step::Key((*above).into()), setting.at));
        }
        let (mut from, mut key) = (0, None);
        while from < words.len() {
            let (step, used) = self.step(here, key, &words[from..]).map_err(|error| {
                let shown = words[..from].join(".");
                error.finding(setting, place_of(setting, &words, from, 1), &shown, self)
            })?;
            let span = place_of(setting, &words, from, used);
            here = here.and_then(|node| self.below(node, &step));
            key = Some(words[from + used - 1]);
            way.push((step, span));
            from += used;
        }
        Ok(way)
    }

    /// Returns the next step from `node`, the value of `key`, and how many words of the path it
    /// takes: names may have dots.
    fn step(
        &self,
        node: Option<NodeId>,
        key: Option<&str>,
        words: &[&str],
    ) -> Result<(Step, usize), Nowhere> {
        let all = (1..=words.len()).rev();
        match node.map(|node| (node, self.content(node))) {
            Some((node, Content::Sequence(members))) => {
                let named = all.filter_map(|used| {
                    let name = words[..used].join(".");
                    let is_it = |member: &NodeId| self.name_of(*member) == Some(name.clone());
                    Some((Step::Index(members.iter().position(is_it)?), used))
                });
                let numbered = || {
                    let number = words[0].parse().ok().filter(|number| *number < members.len())?;
                    Some((Step::Index(number), 1))
                };
                let found = named.into_iter().next().or_else(numbered);
                found.ok_or_else(|| Nowhere::Unnamed {
                    names: self
                        .elements(node)
                        .iter()
                        .filter_map(|one| self.name_of(*one))
                        .collect(),
                })
            }
            Some((node, Content::Mapping(entries))) => {
                let known = all.map(|used| (words[..used].join("."), used));
                let known = known.into_iter().find(|(name, _)| self.entry(node, name).is_some());
                match (known, key) {
                    (Some((name, used)), _) => Ok((Step::Key(name), used)),
                    (None, Some(key)) if self.dialect.names.contains(&key) => {
                        let names = entries.iter().filter_map(|(name, _)| self.text(*name));
                        Err(Nowhere::Unnamed { names: names.map(Into::into).collect() })
                    }
                    (None, _) => Ok(self.new_key(key, words)),
                }
            }
            Some((_, Content::Scalar { text, plain })) if !plain || !is_null(text) => {
                Err(Nowhere::Scalar)
            }
            _ => Ok(self.new_key(key, words)),
        }
    }

    /// Returns the step to a key that is not written yet.
    fn new_key(&self, key: Option<&str>, words: &[&str]) -> (Step, usize) {
        let is_free = key.is_some_and(|key| self.dialect.free.contains(&key));
        let used = if is_free { words.len() } else { 1 };
        (Step::Key(words[..used].join(".")), used)
    }

    fn below(&self, node: NodeId, step: &Step) -> Option<NodeId> {
        match step {
            Step::Key(key) => self.entry(node, key).map(|(_, value)| value),
            Step::Index(index) => self.elements(node).get(*index).copied(),
        }
    }

    /// Returns the name of a member of a list.
    fn name_of(&self, member: NodeId) -> Option<String> {
        let named = self.entry(member, "name").and_then(|(_, name)| self.text(name));
        named.map(Into::into).or_else(|| (self.dialect.unnamed)(self, member))
    }

    /// Copies a value of another document, whose text begins behind `lines` lines.
    fn copied(&mut self, of: &Self, node: NodeId, lines: usize) -> NodeId {
        let content = match of.content(node) {
            Content::Scalar { text, plain } => {
                Content::Scalar { text: text.clone(), plain: *plain }
            }
            Content::Sequence(all) => {
                Content::Sequence(all.iter().map(|one| self.copied(of, *one, lines)).collect())
            }
            Content::Mapping(all) => {
                let one = |(key, value): &(NodeId, NodeId)| {
                    (self.copied(of, *key, lines), self.copied(of, *value, lines))
                };
                Content::Mapping(all.iter().map(one).collect())
            }
        };
        self.added(content, of.span(node).below(lines))
    }

    /// Returns what is at `at` with `value` at the end of the way. Nothing that is there changes,
    /// since aliases may refer to it.
    fn placed(
        &mut self,
        at: Option<NodeId>,
        way: &[(Step, Span)],
        value: NodeId,
        lines: usize,
    ) -> NodeId {
        let Some(((step, span), rest)) = way.split_first() else { return value };
        let old = at.map(|at| self.span(at));
        let content = match step {
            Step::Index(index) => {
                let mut all = at.map_or(Vec::new(), |at| self.elements(at).to_vec());
                if let Some(one) = all.get(*index).copied() {
                    all[*index] = self.placed(Some(one), rest, value, lines);
                }
                Content::Sequence(all)
            }
            Step::Key(key) => {
                let mut all = at.map_or(Vec::new(), |at| self.entries(at).to_vec());
                let found = all.iter().position(|(name, _)| self.text(*name) == Some(key));
                let below = self.placed(found.map(|place| all[place].1), rest, value, lines);
                match found {
                    Some(place) => all[place].1 = below,
                    None => {
                        let name = Content::Scalar { text: key.clone(), plain: false };
                        all.push((self.added(name, span.below(lines)), below));
                    }
                }
                Content::Mapping(all)
            }
        };
        self.added(content, old.unwrap_or_else(|| span.below(lines)))
    }

    /// Adds a node.
    fn added(&mut self, content: Content, span: Span) -> NodeId {
        let node = |id: &NodeId| &self.nodes[id.index()];
        let below: Vec<&Node> = match &content {
            Content::Scalar { .. } => Vec::new(),
            Content::Sequence(all) => all.iter().map(node).collect(),
            Content::Mapping(all) => all.iter().flat_map(|(k, v)| [node(k), node(v)]).collect(),
        };
        let expanded = below.iter().fold(1, |sum: u64, node| sum.saturating_add(node.expanded));
        let depth = below.iter().map(|node| node.depth + 1).max().unwrap_or(0);
        self.nodes.push(Node { content, span, expanded, depth });
        NodeId(self.nodes.len() as u32 - 1)
    }
}

/// Why a path leads nowhere.
enum Nowhere {
    /// Nothing here has this name; there are these.
    Unnamed { names: Vec<String> },
    /// What is there has nothing below it.
    Scalar,
}

impl Nowhere {
    fn finding(self, setting: &Setting<'_>, at: Span, above: &str, tree: &Tree) -> Diagnostic {
        let words: Vec<&str> = setting.path.split('.').collect();
        let word = words[if above.is_empty() { 0 } else { above.split('.').count() }];
        match self {
            Self::Unnamed { names } => {
                let names = names.iter().map(String::as_str);
                let help = tree.dialect.did_you_mean(word, "there are", names);
                Diagnostic::error(at, format!("there is no `{word}` in `{above}`"))
                    .with_optional_help(help)
            }
            Self::Scalar => {
                let message = format!("`{above}` is a single value: it has no `{word}`");
                Diagnostic::error(at, message)
                    .with_help(format!("set `{above}` as a whole, like `{above}={{{word}: …}}`"))
            }
        }
    }
}

fn is_null(text: &str) -> bool {
    matches!(super::Plain::read(text), super::Plain::Null)
}

/// Returns where `used` words of a path from the one at `from` on are written.
fn place_of(setting: &Setting<'_>, words: &[&str], from: usize, used: usize) -> Span {
    let length = |words: &[&str]| words.join(".").chars().count();
    let before = if from == 0 { 0 } else { length(&words[..from]) + 1 };
    let column = setting.at.column + before;
    let end_column = column + length(&words[from..from + used]);
    // A path in quotes is longer than its words.
    let is_plain = setting.at.end_column == setting.at.column + length(words);
    if is_plain { Span { column, end_column, ..setting.at } } else { setting.at }
}

/// Lines like `links.bottleneck.rate=5Mbit/s`, each with the value of a path.
#[derive(Debug)]
pub struct Assignments {
    /// All lines.
    text: String,
    /// Path, its place, and its value.
    all: Vec<(String, Span, Tree)>,
}

impl Assignments {
    /// Reads lines, each of which is `PATH=VALUE`. A value is written as in the document.
    ///
    /// # Errors
    /// If a line is none, or its value is not YAML on one line.
    pub fn read(lines: &[String]) -> Result<Self, Vec<Diagnostic>> {
        let (mut all, mut errors) = (Vec::new(), Vec::new());
        for (index, line) in lines.iter().enumerate() {
            match Self::one(line) {
                Ok((path, at, tree)) => all.push((path, at.below(index), moved(tree, index))),
                Err(error) => errors.push(error.below(index)),
            }
        }
        let text = lines.join("\n");
        if errors.is_empty() { Ok(Self { text, all }) } else { Err(errors) }
    }

    fn one(line: &str) -> Result<(String, Span, Tree), Diagnostic> {
        let end_column = line.chars().count() + 1;
        let whole = Span { end_column, ..Span::START };
        let wrong = |message: String| {
            Diagnostic::error(whole, message)
                .with_help("write like `links.bottleneck.rate=5Mbit/s`, and lists as `[a, b]`")
        };
        let (path, value) =
            line.split_once('=').ok_or_else(|| wrong(format!("`{line}` sets nothing")))?;
        if value.trim().is_empty() {
            return Err(wrong(format!("`{path}` has no value here"))
                .with_help(format!("write `{path}=null` for none")));
        }
        if line.contains(['\n', '\r']) {
            return Err(wrong(format!("the value of `{path}` has several lines")));
        }
        let width = path.chars().count();
        // Spaces put the value where it is in the line.
        let tree = super::parse(&format!("{:1$}{value}", "", width + 1), &crate::Dialect::PLAIN)?;
        Ok((path.into(), Span { end_column: width + 1, ..Span::START }, tree))
    }

    /// All lines as a text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What they set.
    pub fn settings(&self) -> Vec<Setting<'_>> {
        self.all
            .iter()
            .map(|(path, at, tree)| Setting { path, at: *at, tree, value: tree.root() })
            .collect()
    }
}

/// Returns a document whose text begins behind `lines` lines.
fn moved(mut tree: Tree, lines: usize) -> Tree {
    tree.nodes.iter_mut().for_each(|node| node.span = node.span.below(lines));
    tree
}
