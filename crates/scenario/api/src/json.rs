//! Parsers of JSON text for types that contain scenarios or properties of links. One function for
//! each, which is compiled here: a call of serde's would be compiled again in each crate that has
//! one, and again for each kind of source.

use crate::apply::ApplyRequest;
use crate::change::ChangeRequest;
use crate::event::Event;
use crate::launch::Launch;
use crate::medium::MediumRequest;
use crate::summary::Summary;

macro_rules! parsers {
    ($($type:ident),*) => {$(
        impl $type {
            /// Parses JSON text.
            ///
            /// # Errors
            /// Fails if the text is no JSON of this type.
            pub fn from_json(text: &[u8]) -> serde_json::Result<Self> {
                serde_json::from_slice(text)
            }
        }
    )*};
}

parsers!(ApplyRequest, ChangeRequest, Event, Launch, MediumRequest, Summary);
