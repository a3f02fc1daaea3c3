//! Where everything is in a text: values with their indicators, anchors and styles, and comments.
//! Positions are offsets in bytes. Unlike a `Tree`, an alias is an alias here.
//!
//! The parser reports what there is and the ends of plain scalars. All other positions are found by
//! walking through the text beside its events.

mod cursor;

use saphyr_parser::{Event, Parser, ScalarStyle, Span, Tag};

use crate::value::Value;
use cursor::Cursor;

/// A value in the text.
#[derive(Debug)]
pub(crate) struct Place {
    /// First byte behind the indicator before the value, or behind the key that has none.
    pub after: usize,
    /// First byte, that of the anchor or tag if it has one.
    pub start: usize,
    /// First byte of the value itself.
    pub body: usize,
    /// First byte behind anchor and tag, or else that behind the indicator: a space and a value can
    /// be put here.
    pub gap: usize,
    /// Byte after the last one. Line breaks at the end of a block scalar are not counted.
    pub end: usize,
    /// Anchor, if it has one.
    pub anchor: Option<Anchor>,
    /// Whether it has a tag.
    pub has_tag: bool,
    pub content: Content,
}

/// A name for a value: `&name`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Anchor {
    /// Number of the anchor in its document, from 1.
    pub id: usize,
    pub name: String,
}

/// Style of a list or mapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// One line or more for each element.
    Block,
    /// In `[]` or `{}`.
    Flow,
    /// A mapping of one entry that is an element of a flow list, without braces: `[a: b]`.
    Bare,
}

/// What a value is.
#[derive(Debug)]
pub(crate) enum Content {
    Scalar {
        text: String,
        style: ScalarStyle,
    },
    /// An alias: name, and number of the anchor that it refers to.
    Alias(Anchor),
    List {
        style: Style,
        items: Vec<Item>,
    },
    Mapping {
        style: Style,
        entries: Vec<Entry>,
    },
}

/// An element of a list.
#[derive(Debug)]
pub(crate) struct Item {
    /// Position of the dash, or of the element in flow style.
    pub start: usize,
    pub value: Place,
}

/// An entry of a mapping.
#[derive(Debug)]
pub(crate) struct Entry {
    /// Position of the key, or of the `?` before it.
    pub start: usize,
    pub key: Place,
    /// Whether a colon separates key and value.
    pub has_colon: bool,
    pub value: Place,
}

impl Place {
    /// Returns the text of a scalar.
    pub fn text(&self) -> Option<&str> {
        match &self.content {
            Content::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    /// Returns what an alias refers to.
    pub fn alias(&self) -> Option<&Anchor> {
        match &self.content {
            Content::Alias(anchor) => Some(anchor),
            _ => None,
        }
    }

    /// Whether this has an anchor.
    pub fn is_anchored(&self) -> bool {
        self.anchor.is_some()
    }

    /// Whether there is nothing but, perhaps, an anchor or a tag.
    pub fn is_absent(&self) -> bool {
        matches!(&self.content, Content::Scalar { style: ScalarStyle::Plain, .. })
            && self.body == self.end
    }

    /// Whether this is a block list or block mapping.
    pub fn is_block(&self) -> bool {
        use Content::{List, Mapping};
        matches!(self.content, List { style: Style::Block, .. })
            || matches!(self.content, Mapping { style: Style::Block, .. })
    }

    /// Returns the value of a scalar.
    pub fn scalar(&self) -> Option<Value> {
        match &self.content {
            Content::Scalar { text, style: ScalarStyle::Plain } if !self.has_tag => {
                Some(Value::plain(text))
            }
            Content::Scalar { text, .. } => Some(Value::Text(text.clone())),
            _ => None,
        }
    }

    /// Calls `visit` for this and all values and keys below it.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Place)) {
        visit(self);
        match &self.content {
            Content::Scalar { .. } | Content::Alias(_) => {}
            Content::List { items, .. } => items.iter().for_each(|item| item.value.walk(visit)),
            Content::Mapping { entries, .. } => entries.iter().for_each(|entry| {
                entry.key.walk(visit);
                entry.value.walk(visit);
            }),
        }
    }
}

/// Locates the value of a document, and its comments as ranges of bytes, each from its `#` to the
/// end of its line. Returns nothing if the text has a form that cannot be located.
pub(crate) fn locate(text: &str) -> Option<(Place, Vec<(usize, usize)>)> {
    let mut finder = Finder {
        cursor: Cursor::new(text),
        events: Parser::new_from_str(text),
        offsets: text.char_indices().map(|(at, _)| at).chain([text.len()]).collect(),
    };
    let root = loop {
        match finder.next()? {
            (Event::DocumentStart(_), _) => {
                finder.cursor.skip_head();
                let (event, span) = finder.next()?;
                break finder.place(event, span, false)?;
            }
            (Event::StreamEnd, _) => return None,
            _ => {}
        }
    };
    finder.cursor.skip();
    Some((root, finder.cursor.comments))
}

/// Walks through a text and the events of the parser at once.
struct Finder<'a> {
    cursor: Cursor<'a>,
    events: Parser<'a, saphyr_parser::StrInput<'a>>,
    /// Offset in bytes of each character.
    offsets: Vec<usize>,
}

impl<'a> Finder<'a> {
    fn next(&mut self) -> Option<(Event<'a>, Span)> {
        self.events.next()?.ok()
    }

    /// Locates the value that begins with `event`. The cursor is behind the indicator before it,
    /// and then behind the value. `in_flow`: whether the value is inside of `[]` or `{}`.
    fn place(&mut self, event: Event<'a>, span: Span, in_flow: bool) -> Option<Place> {
        let after = self.cursor.at;
        if let Event::Alias(id) = event {
            self.cursor.skip();
            let start = self.cursor.at;
            let name = self.cursor.name('*')?;
            let (end, anchor) = (self.cursor.at, Anchor { id, name });
            let content = Content::Alias(anchor);
            let (body, anchor) = (start, None);
            let (gap, has_tag) = (after, false);
            return Some(Place { after, start, body, gap, end, anchor, has_tag, content });
        }
        let (anchor, tag) = properties(&event);
        let (start, anchor) = self.properties(anchor, tag.is_some())?;
        let gap = if start.is_some() { self.cursor.at } else { after };
        let has_tag = tag.is_some();
        if let Event::Scalar(text, style, ..) = event {
            let (body, end) = self.scalar(style, &text, span)?;
            let start = start.unwrap_or(body);
            let content = Content::Scalar { text: text.into_owned(), style };
            return Some(Place { after, start, body, gap, end, anchor, has_tag, content });
        }
        self.cursor.skip();
        let body = self.cursor.at;
        let (content, end) = match event {
            Event::SequenceStart(..) => self.list(in_flow)?,
            Event::MappingStart(..) => self.mapping(in_flow)?,
            _ => return None,
        };
        let start = start.unwrap_or(body);
        Some(Place { after, start, body, gap, end, anchor, has_tag, content })
    }

    /// Walks over the anchor and the tag of a value. Returns where they begin, if there are any.
    fn properties(
        &mut self,
        anchor: usize,
        has_tag: bool,
    ) -> Option<(Option<usize>, Option<Anchor>)> {
        let (mut start, mut found) = (None, None);
        for _ in 0..usize::from(anchor > 0) + usize::from(has_tag) {
            self.cursor.skip();
            start.get_or_insert(self.cursor.at);
            if self.cursor.is_at("!") {
                self.cursor.name('!')?;
            } else {
                found = Some(Anchor { id: anchor, name: self.cursor.name('&')? });
            }
        }
        Some((start, found))
    }

    /// Walks over a scalar. Returns where it begins and ends.
    fn scalar(&mut self, style: ScalarStyle, text: &str, span: Span) -> Option<(usize, usize)> {
        if style == ScalarStyle::Plain && text.is_empty() {
            return Some((self.cursor.at, self.cursor.at));
        }
        self.cursor.skip();
        let start = self.cursor.at;
        match style {
            ScalarStyle::SingleQuoted => self.cursor.single_quoted()?,
            ScalarStyle::DoubleQuoted => self.cursor.double_quoted()?,
            ScalarStyle::Plain => {
                let end = *self.offsets.get(span.end.index())?;
                self.cursor.go_to(end, false)?;
            }
            ScalarStyle::Literal | ScalarStyle::Folded => {
                if !self.cursor.is_at("|") && !self.cursor.is_at(">") {
                    return None;
                }
                let end = *self.offsets.get(span.end.index())?;
                let keeps = self.cursor.line().split('#').next()?.contains('+');
                self.cursor.header_comment();
                self.cursor.go_to(end, keeps)?;
            }
        }
        Some((start, self.cursor.at))
    }

    fn list(&mut self, in_flow: bool) -> Option<(Content, usize)> {
        let style = if self.cursor.take("[") { Style::Flow } else { Style::Block };
        if in_flow && style == Style::Block {
            return None;
        }
        let mut items = Vec::new();
        loop {
            let (event, span) = self.next()?;
            if event == Event::SequenceEnd {
                break;
            }
            if style == Style::Flow {
                self.cursor.skip_commas();
                let value = self.place(event, span, true)?;
                items.push(Item { start: value.start, value });
                continue;
            }
            self.cursor.skip();
            let start = self.cursor.at;
            if !self.cursor.take("-") {
                return None;
            }
            items.push(Item { start, value: self.place(event, span, false)? });
        }
        if style == Style::Flow {
            self.cursor.skip_commas();
            self.cursor.take("]").then_some(())?;
        }
        Some((Content::List { style, items }, self.cursor.at))
    }

    fn mapping(&mut self, in_flow: bool) -> Option<(Content, usize)> {
        let style = match (self.cursor.take("{"), in_flow) {
            (true, _) => Style::Flow,
            (false, true) => Style::Bare,
            (false, false) => Style::Block,
        };
        let mut entries = Vec::new();
        loop {
            let (event, span) = self.next()?;
            if event == Event::MappingEnd {
                break;
            }
            entries.push(self.entry(event, span, style)?);
        }
        if style == Style::Flow {
            self.cursor.skip_commas();
            self.cursor.take("}").then_some(())?;
        }
        Some((Content::Mapping { style, entries }, self.cursor.at))
    }

    fn entry(&mut self, key: Event<'a>, span: Span, style: Style) -> Option<Entry> {
        if style == Style::Flow {
            self.cursor.skip_commas()
        } else {
            self.cursor.skip()
        }
        let start = self.cursor.at;
        let is_explicit = self.cursor.is_at("?") && self.cursor.is_indicator();
        if is_explicit {
            self.cursor.take("?");
        }
        let in_flow = style != Style::Block;
        let key = self.place(key, span, in_flow)?;
        let behind = self.cursor.mark();
        self.cursor.skip();
        let has_colon = self.cursor.take(":");
        if !has_colon {
            self.cursor.back_to(behind);
        }
        let (event, span) = self.next()?;
        let value = self.place(event, span, in_flow)?;
        Some(Entry { start, key, has_colon, value })
    }
}

/// Returns the number of the anchor of a value, or 0, and its tag.
fn properties<'e>(event: &'e Event<'_>) -> (usize, Option<&'e Tag>) {
    match event {
        Event::Scalar(_, _, anchor, tag) => (*anchor, tag.as_deref()),
        Event::SequenceStart(anchor, tag) | Event::MappingStart(anchor, tag) => {
            (*anchor, tag.as_deref())
        }
        _ => (0, None),
    }
}
