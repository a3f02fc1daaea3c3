//! Interfaces at which nodes speak a protocol, and their settings.

use std::collections::BTreeMap;

use netloom_document::Span;

use crate::layer2::InterfaceIndex;

/// An interface at which a node speaks a protocol.
pub(super) struct Speaker<'a> {
    pub port: InterfaceIndex,
    pub name: String,
    pub mtu: u32,
    pub settings: BTreeMap<&'a str, Setting>,
    pub span: Span,
}

pub(super) struct Setting {
    /// The text in the file.
    pub text: String,
    /// The text in a form that is equal for equal values.
    pub canonical: String,
    /// The option that holds it.
    pub option: String,
    pub span: Span,
}
