//! A reader of XML, element by element.

use netloom_units::DataError;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

/// An item of an XML text.
pub(super) enum Item<'a> {
    /// The beginning of an element.
    Open(Element<'a>),
    /// The end of an element, with its name without a prefix.
    Close(&'a str),
    /// Text within an element, or a part of it.
    Text(&'a str),
}

/// The beginning of an element.
pub(super) struct Element<'a> {
    /// Name of the element without a prefix.
    pub name: &'a str,
    start: &'a BytesStart<'a>,
}

impl Element<'_> {
    /// Returns the value of an attribute, if the element has it.
    pub fn attribute(&self, name: &str) -> Result<Option<String>, String> {
        let found = self.start.try_get_attribute(name).map_err(|error| error.to_string())?;
        let value = found.map(|found| found.normalized_value(XmlVersion::Implicit1_0));
        let value = value.transpose().map_err(|error| error.to_string())?;
        Ok(value.map(Into::into))
    }

    /// Returns the value of a required attribute.
    pub fn need(&self, name: &str) -> Result<String, String> {
        self.attribute(name)?.ok_or_else(|| format!("`{}` has no `{name}`", self.name))
    }
}

/// Whether the first element of a text has this name.
pub(super) fn begins_with(text: &str, name: &str) -> bool {
    // Comments and declarations may come before it. There are fewer of them than this.
    const MOST: usize = 32;
    if !text.trim_start_matches('\u{feff}').trim_start().starts_with('<') {
        return false;
    }
    let mut reader = Reader::from_str(text);
    for _ in 0..MOST {
        match reader.read_event() {
            Ok(Event::Start(start) | Event::Empty(start)) => {
                return start.local_name().as_ref() == name.as_bytes();
            }
            Ok(Event::Eof) | Err(_) => return false,
            Ok(_) => {}
        }
    }
    false
}

/// Passes the items of a text to `take`, in order.
pub(super) fn read(
    text: &str,
    take: &mut dyn FnMut(Item<'_>) -> Result<(), String>,
) -> Result<(), DataError> {
    let mut reader = Reader::from_str(text);
    let mut open = 0usize;
    loop {
        let event = reader.read_event();
        let fault = |message: String| DataError::at(line(text, reader.buffer_position()), message);
        match event.map_err(|error| fault(format!("it is no XML: {error}")))? {
            Event::Start(start) => {
                opened(&start, take).map_err(fault)?;
                open += 1;
            }
            Event::Empty(start) => {
                opened(&start, take).map_err(fault)?;
                closed(start.local_name().as_ref(), take).map_err(fault)?;
            }
            Event::End(end) => {
                closed(end.local_name().as_ref(), take).map_err(fault)?;
                open = open.saturating_sub(1);
            }
            Event::Text(part) => {
                utf8(&part).and_then(|text| take(Item::Text(text))).map_err(fault)?
            }
            Event::CData(part) => {
                utf8(&part).and_then(|text| take(Item::Text(text))).map_err(fault)?
            }
            Event::GeneralRef(reference) => {
                let name = utf8(&reference).map_err(fault)?;
                let number = reference.resolve_char_ref().ok().flatten();
                let mut bytes = [0; 4];
                let text = match (resolve_predefined_entity(name), number) {
                    (Some(text), _) => text,
                    (None, Some(character)) => character.encode_utf8(&mut bytes),
                    (None, None) => return Err(fault(format!("`&{name};` is unknown"))),
                };
                take(Item::Text(text)).map_err(fault)?;
            }
            Event::Eof if open > 0 => return Err(fault("it ends within an element".into())),
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}

fn opened(
    start: &BytesStart<'_>,
    take: &mut dyn FnMut(Item<'_>) -> Result<(), String>,
) -> Result<(), String> {
    let name = start.local_name();
    take(Item::Open(Element { name: utf8(name.as_ref())?, start }))
}

fn closed(name: &[u8], take: &mut dyn FnMut(Item<'_>) -> Result<(), String>) -> Result<(), String> {
    take(Item::Close(utf8(name)?))
}

fn utf8(bytes: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(bytes).map_err(|error| error.to_string())
}

/// Returns the number of the line that contains a byte, counted from 1.
fn line(text: &str, byte: u64) -> usize {
    let end = usize::try_from(byte).unwrap_or(usize::MAX).min(text.len());
    text.as_bytes()[..end].iter().filter(|byte| **byte == b'\n').count() + 1
}
