//! Queue disciplines against the properties that their papers and RFCs state, in virtual time.

mod changes;
mod classes;
mod codel;
mod config;
mod drr;
mod ecn;
mod fifo;
mod fq_codel;
mod own;
mod pie;
mod prio;
mod red;
mod waiting;
mod wf2q;
