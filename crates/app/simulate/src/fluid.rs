//! Fluid traffic: rates along the routes that packets take, in steps of time. Between two changes
//! of links, routes or demands, all rates are constant, and a change counts everywhere at once. Not
//! here: what lines carry of rates ([`netloom_traffic::share`]).
//!
//! | module | contents |
//! |---|---|
//! | `demands` | demands, and their paths |
//! | `course` | rates over time, as background of pipes and as flows |

mod course;
mod demands;

pub use course::{Course, clash};
pub use demands::{Demand, Paths, bare, capacity, constant, demands, fluid};
