//! What divisions keep to, on the graphs by which they are judged and on any others.

mod any;
mod graphs;
mod known;
