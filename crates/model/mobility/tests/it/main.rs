//! Mobility against its laws, in virtual time. Seeds are fixed, so that a result never changes from
//! run to run.

mod crossings;
mod trajectories;
