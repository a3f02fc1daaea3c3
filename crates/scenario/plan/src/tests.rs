//! Behaviour of the planner on small networks, and properties on random ones.

mod addressing;
mod build;
mod changes;
mod forward;
mod properties;
mod routing;
mod vlans;
mod ways;
