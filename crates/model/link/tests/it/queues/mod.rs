//! Tests of queue disciplines against the properties in their papers and RFCs, in virtual time.

mod changes;
mod classes;
mod codel;
mod config;
mod drr;
mod dual_pi2;
mod ecn;
mod fifo;
mod fq_codel;
mod oldest_first;
mod own;
mod pie;
mod prio;
mod red;
mod state;
mod step;
mod waiting;
mod wf2q;
