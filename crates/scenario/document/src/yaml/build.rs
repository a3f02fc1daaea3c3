//! Builds a tree from the parser's events. It stops at the first error, because what follows a
//! syntax error cannot be interpreted reliably.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, Tag};

use super::anchors::{self, Entries};
use super::{Content, Node, NodeId, Replaced, Setting, Tree, syntax};
use crate::diagnostic::Diagnostic;
use crate::dialect::Dialect;
use crate::span::{Span, lines};

/// Deepest nesting of a document. People need about ten levels.
const MAX_DEPTH: u32 = 64;

/// Largest number of nodes if every alias is expanded, in addition to ten times those that are
/// written.
const MAX_EXPANDED: u64 = 100_000;

/// Parses one YAML document. Errors: invalid syntax, no document or several, a duplicate key, and
/// aliases that would make the document absurdly large.
pub fn parse(text: &str, dialect: &'static Dialect) -> Result<Tree, Diagnostic> {
    let lines = lines(text);
    syntax::check_characters(&lines)?;
    let mut builder = Builder::new(dialect);
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| syntax::error(&error, &lines, dialect))?;
        builder.event(event, syntax::span(&span).within(&lines))?;
    }
    builder.finish()
}

/// Parses several texts as one document: each is laid over those before it. Positions count lines
/// through all texts. Returns also the values that were replaced.
///
/// # Errors
/// If one of them is not YAML.
pub fn parse_all(
    texts: &[&str],
    dialect: &'static Dialect,
) -> Result<(Tree, Vec<Replaced>), Diagnostic> {
    let [first, others @ ..] = texts else { return Ok((parse("", dialect)?, Vec::new())) };
    let (mut tree, mut replaced) = (parse(first, dialect)?, Vec::new());
    let mut before = lines(first).len();
    for text in others {
        let over = parse(text, dialect).map_err(|error| error.below(before))?;
        let (joined, more) = tree.under(over, before);
        tree = joined;
        replaced.extend(more);
        before += lines(text).len();
    }
    Ok((tree, replaced))
}

/// Parses several texts as one document, as [`parse_all`] does, and puts values of another text into
/// it, which count as written behind all others.
///
/// # Errors
/// If a text is not YAML, or there is no place for a value.
pub fn parse_with(
    texts: &[&str],
    settings: &[Setting<'_>],
    dialect: &'static Dialect,
) -> Result<(Tree, Vec<Replaced>), Vec<Diagnostic>> {
    let (mut tree, replaced) = parse_all(texts, dialect).map_err(|error| vec![error])?;
    let before = texts.iter().map(|text| lines(text).len()).sum();
    let wrong = settings.iter().filter_map(|setting| tree.put(setting, before).err());
    let wrong: Vec<Diagnostic> = wrong.collect();
    if wrong.is_empty() { Ok((tree, replaced)) } else { Err(wrong) }
}

/// A list or mapping that is being parsed. Keys and values of a mapping alternate.
struct Open {
    is_mapping: bool,
    children: Vec<NodeId>,
    anchor: usize,
    span: Span,
    /// Range from the first to the last child in the text. For an alias, the position of the alias
    /// counts, not that of its anchor.
    extent: Option<Span>,
}

struct Builder {
    dialect: &'static Dialect,
    nodes: Vec<Node>,
    stack: Vec<Open>,
    anchors: HashMap<usize, NodeId>,
    root: Option<NodeId>,
    /// Number of entries that merge keys have added.
    merged: u64,
}

impl Builder {
    fn new(dialect: &'static Dialect) -> Self {
        Self {
            dialect,
            nodes: Vec::new(),
            stack: Vec::new(),
            anchors: HashMap::new(),
            root: None,
            merged: 0,
        }
    }

    fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), Diagnostic> {
        match event {
            Event::DocumentStart(_) if self.root.is_some() => {
                return Err(Diagnostic::error(span, "a second YAML document starts here")
                    .with_help(self.dialect.one_document));
            }
            Event::Scalar(text, style, anchor, tag) => {
                let plain = style == ScalarStyle::Plain && !has_tag(tag.as_deref(), "str", span)?;
                let content = Content::Scalar { text: text.into_owned(), plain };
                self.leaf(content, span, anchor)?;
            }
            Event::Alias(anchor) => {
                let node = self.anchors.get(&anchor).copied().ok_or_else(|| {
                    Diagnostic::error(span, "this alias stands inside what it stands for")
                })?;
                self.place(node, span);
            }
            Event::SequenceStart(anchor, tag) => self.open(false, anchor, tag.as_deref(), span)?,
            Event::MappingStart(anchor, tag) => self.open(true, anchor, tag.as_deref(), span)?,
            Event::SequenceEnd | Event::MappingEnd => self.close(span)?,
            _ => {}
        }
        Ok(())
    }

    fn finish(self) -> Result<Tree, Diagnostic> {
        let root = self.root.ok_or_else(|| {
            Diagnostic::error(Span::START, "the file is empty").with_help(self.dialect.empty)
        })?;
        let tree = Tree { nodes: self.nodes, root, dialect: self.dialect };
        let written = tree.nodes.len() as u64;
        if tree.nodes[root.0 as usize].expanded > MAX_EXPANDED + 10 * written {
            return Err(too_large(tree.span(root).start()));
        }
        Ok(tree)
    }

    fn open(
        &mut self,
        is_mapping: bool,
        anchor: usize,
        tag: Option<&Tag>,
        span: Span,
    ) -> Result<(), Diagnostic> {
        has_tag(tag, if is_mapping { "map" } else { "seq" }, span)?;
        if self.stack.len() >= MAX_DEPTH as usize {
            return Err(too_deep(span));
        }
        self.stack.push(Open { is_mapping, children: Vec::new(), anchor, span, extent: None });
        Ok(())
    }

    fn close(&mut self, end: Span) -> Result<(), Diagnostic> {
        // The parser ends only what it has started.
        let Some(Open { is_mapping, children, anchor, span, extent }) = self.stack.pop() else {
            return Ok(());
        };
        let span = match extent {
            // Block style: the parser reports the start of the next token as the end, so use the
            // children's range.
            Some(extent) if end.start() == end => extent,
            _ => span.to(end),
        };
        let content = if is_mapping {
            let pairs = children.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
            Content::Mapping(self.entries(pairs)?)
        } else {
            Content::Sequence(children)
        };
        self.leaf(content, span, anchor)
    }

    /// Checks the keys of a mapping and resolves its merge keys.
    fn entries(&mut self, entries: Entries) -> Result<Entries, Diagnostic> {
        let mut seen = HashMap::new();
        for (key, _) in &entries {
            let span = self.span(*key);
            let Some(text) = anchors::text(&self.nodes, *key) else {
                return Err(Diagnostic::error(span, "a key must be a text"));
            };
            if let Some(first) = seen.insert(text, span) {
                let message = format!("the key `{text}` is given twice");
                return Err(Diagnostic::error(span, message)
                    .with_related(first, "first given here")
                    .with_help("keep one of them"));
            }
        }
        let written = entries.len();
        let entries = anchors::merge(&self.nodes, entries)?;
        self.merged += entries.len().saturating_sub(written) as u64;
        if self.merged > MAX_EXPANDED {
            return Err(too_large(self.span(entries[0].0)));
        }
        Ok(entries)
    }

    /// Adds a finished node.
    fn leaf(&mut self, content: Content, mut span: Span, anchor: usize) -> Result<(), Diagnostic> {
        let empty = matches!(&content, Content::Scalar { text, plain: true } if text.is_empty());
        if let (true, Some(key)) = (empty, self.pending_key()) {
            span = self.span(key);
        }
        let id = NodeId(u32::try_from(self.nodes.len()).map_err(|_| too_large(span))?);
        let (expanded, depth) = self.extent(&content);
        if depth > MAX_DEPTH {
            return Err(too_deep(span));
        }
        self.nodes.push(Node { content, span, expanded, depth });
        if anchor > 0 {
            self.anchors.insert(anchor, id);
        }
        self.place(id, span);
        Ok(())
    }

    /// Returns the number of nodes and of levels of `content`, itself included.
    fn extent(&self, content: &Content) -> (u64, u32) {
        let mut extent = (1u64, 1u32);
        let mut add = |child: &NodeId| {
            let child = &self.nodes[child.0 as usize];
            extent.0 = extent.0.saturating_add(child.expanded);
            extent.1 = extent.1.max(child.depth + 1);
        };
        match content {
            Content::Scalar { .. } => {}
            Content::Sequence(elements) => elements.iter().for_each(add),
            Content::Mapping(entries) => entries.iter().for_each(|(key, value)| {
                add(key);
                add(value);
            }),
        }
        extent
    }

    /// Returns the key whose value comes next.
    fn pending_key(&self) -> Option<NodeId> {
        let open = self.stack.last().filter(|open| open.is_mapping)?;
        open.children.last().copied().filter(|_| open.children.len() % 2 == 1)
    }

    fn place(&mut self, node: NodeId, span: Span) {
        match self.stack.last_mut() {
            Some(open) => {
                open.children.push(node);
                open.extent = Some(open.extent.map_or(span, |extent| extent.to(span)));
            }
            None => self.root = Some(node),
        }
    }

    fn span(&self, node: NodeId) -> Span {
        self.nodes[node.0 as usize].span
    }
}

/// Whether the node has the tag `only`, the one that has a meaning here. Any other tag is an error,
/// because it would be ignored.
fn has_tag(tag: Option<&Tag>, only: &str, span: Span) -> Result<bool, Diagnostic> {
    match tag {
        None => Ok(false),
        Some(tag) if tag.is_yaml_core_schema() && tag.suffix == only => Ok(true),
        Some(tag) if tag.is_yaml_core_schema() => {
            let message = format!("the YAML tag `!!{}` means nothing here", tag.suffix);
            let help = "leave it out: what a value is follows from its key";
            Err(Diagnostic::error(span, message).with_help(help))
        }
        Some(tag) => Err(Diagnostic::error(span, format!("the YAML tag `{tag}` is not known"))
            .with_help("leave it out; quote a text that starts with `!`")),
    }
}

fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::error(span, format!("nesting is deeper than {MAX_DEPTH} levels"))
}

fn too_large(span: Span) -> Diagnostic {
    Diagnostic::error(span, "the document becomes too large when its aliases are written out")
        .with_help("write less of it by aliases and merge keys")
}
