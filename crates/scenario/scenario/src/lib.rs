//! Scenario files: from the text that a user writes to the [`Scenario`] that NetLoom runs on.
//!
//! | module | what it does |
//! |---|---|
//! | `raw` | the keys of a scenario file; the source of the JSON Schema |
//! | `schema` | the JSON Schema of scenario files, with the feature `schema` |
//! | `resolve` | defaults, precedence, references, checks |
//! | [`Scenario`] and its parts | the resolved scenario |
//! | [`service`] | templates of services, and the ones that NetLoom comes with |
//! | `effort` | how much there is to do in a simulated run |
//! | `extent` | properties of a whole scenario: randomness, number of neighbours |
//! | `happenings` | expands a timeline to [`Happening`]s |
//! | [`Outline`] | what a text writes, and where, without resolving it |
//! | `motion` | positions of nodes as functions of time |
//! | `constellation` | names and positions of satellites |
//! | `propagation` | the least time that frames ever take on each link |
//! | `hybrid` | the real part of a scenario with simulated nodes |
//! | `part` | the part of a scenario that one of several machines carries |
//! | [`Layers`] | the values that a text sets, and the layers that they come from |
//! | [`Layer2`] | which interfaces reach each other on layer 2 |
//! | `files` | access to the files that a scenario names |
//! | `dialect` | words of scenario files, for suggestions in findings |
//! | [`snapshot`] | a network at a time: places, links that are up, who hears whom |
//!
//! The input is text and the output a value. `netloom-document` turns text into trees and these
//! into values, and reports all findings; a callback provides the text of files that a scenario
//! names. Not here: opening files, clocks, threads; automatic addresses and routes (`plan`).

mod address;
mod constellation;
mod dialect;
mod dilation;
mod effort;
mod ends;
mod extent;
mod files;
mod happenings;
mod hybrid;
mod layer2;
mod layers;
mod limits;
mod load;
mod motion;
mod outline;
mod outside;
mod part;
mod propagation;
mod publish;
mod raw;
mod resolve;
#[cfg(feature = "schema")]
mod schema;
pub mod service;
pub mod snapshot;
mod software;
mod spec;
mod tree;

pub use address::*;
pub use dialect::similar;
pub use ends::LinkEnds;
pub use extent::Size;
pub use files::{OpenCapture, ReadFile, Unreadable};
pub use happenings::{Happening, Lasting};
pub use layer2::{InterfaceIndex, Layer2};
pub use layers::{Layered, Layers};
pub use limits::{Controller, CpuQuota, Limits};
pub use load::{Loaded, load, load_all, load_set, load_with_files, properties, rewritten, value};
pub use netloom_document::{
    Assignments, Diagnostic, Diagnostics, Related, Setting, Severity, Span,
};
pub use outline::{Outline, WrittenLink, WrittenNode};
pub use outside::Outside;
pub use publish::{Protocol, Publish};
pub use raw::StationKeys;
pub use resolve::{check_experiment_name, check_machine_name};
#[cfg(feature = "schema")]
pub use schema::{for_editors, json_schema, titles};
pub use software::{Bind, NodeFile, ServiceUse, Software};
pub use spec::*;
