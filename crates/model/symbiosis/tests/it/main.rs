//! Symbiosis compared with its laws, in virtual time and with fixed seeds, so that results are
//! exact.

mod calibration;
mod contraction;
mod rehearsal;
