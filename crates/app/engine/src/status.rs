//! Queries about the live network, for answers of the API and parts of a run's summary.
//!
//! | module | contents |
//! |---|---|
//! | `nodes` | nodes, their interfaces, the ports of switches |
//! | `links` | traffic that links have carried |
//! | `media` | shared media and their stations |
//! | `timing` | how exactly the engine keeps its schedule |

mod links;
mod media;
mod nodes;
mod timing;

pub use links::{links, looks};
pub use media::{media_news, media_sample, neighbours, take_air_logs};
pub use nodes::{nodes, vlan_ports};
pub use timing::timing;
