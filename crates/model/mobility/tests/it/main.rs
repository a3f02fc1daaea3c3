//! Mobility models compared with their laws, in virtual time. Seeds are fixed, so that a result
//! never changes from run to run. Bounds are at least four standard errors wide.

mod broch;
mod common;
mod contacts;
mod crossings;
mod formats;
mod grids;
mod models;
mod orbits;
mod planes;
mod random_waypoint;
mod robust;
mod round_trips;
mod trajectories;
mod waypoints;
