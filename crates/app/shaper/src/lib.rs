//! The daemon of `netloom shape`: links for traffic of programs on this host, for several users.
//!
//! It is an engine whose links are claims, made and removed while it runs. It outlives every client
//! and ends by itself when nobody has had a claim for a minute.
//!
//! | module | contents |
//! |---|---|
//! | `serve` | the daemon's life: socket, clock, end |
//! | `doors` | its connections: who is at the other end, and how many each user has |
//! | `http` | its API: carries requests out |
//! | `turns` | how many requests of a user are carried out at once |
//! | `shaping` | keeps the claims and their links consistent |
//! | `links` | a claim in the kernel and in the data plane |
//! | `devices` | the devices at which claims are |
//! | `judging` | judges the frames of claims |
//! | `unshaped` | times for which claims were not shaped |
//! | `listing` | lists claims for users |
//! | `state` | the claims in a file, for the next daemon |
//! | `audit` | every request and event, as lines of JSON |
//! | `moment`, `within` | the present; work in a network namespace |
//! | `people` | users, groups, and who has bound which port |
//! | `places` | devices and cgroups of this host |
//! | `privileges` | limits the rights of the daemon |
//!
//! Not here: which user may claim which traffic (`netloom-shape`), and which frames a claim takes
//! (`netloom-selector`).

mod audit;
mod devices;
mod doors;
mod http;
mod judging;
mod links;
mod listing;
mod moment;
mod people;
mod places;
mod privileges;
mod serve;
mod shaping;
mod state;
mod turns;
mod unshaped;
mod within;

pub use serve::main;
