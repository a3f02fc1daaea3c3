//! Traffic models compared with their laws, in virtual time. Seeds are fixed, so results never
//! change from run to run. Unless stated otherwise, a correct model misses a bound for one seed in
//! a hundred.

mod captures;
mod common;

mod distributions;
mod golden;
mod hurst;
mod matrices;
mod models;
mod recorded;
mod robust;
mod starts;
mod transfers;
mod variances;
