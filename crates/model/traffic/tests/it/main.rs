//! Traffic models against their laws, in virtual time. Seeds are fixed, so that a result never
//! changes from run to run; bounds are those that a correct model misses once in a hundred seeds,
//! where nothing else is said.

mod captures;
mod common;

mod distributions;
mod golden;
mod hurst;
mod models;
mod recorded;
mod robust;
mod starts;
mod transfers;
mod variances;
