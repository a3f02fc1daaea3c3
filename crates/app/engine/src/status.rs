//! What can be asked of the live network: answers of the API, and parts of a run's summary.
//!
//! | module | what |
//! |---|---|
//! | `nodes` | nodes, their interfaces, the ports of switches |
//! | `links` | what links have carried |
//! | `media` | shared media and their stations |
//! | `timing` | how exactly the engine keeps its schedule |

mod links;
mod media;
mod nodes;
mod timing;

pub use links::links;
pub use media::{all_neighbours, media, media_news, media_sample, neighbours, take_air_logs};
pub use nodes::{nodes, vlan_ports};
pub use timing::timing;
