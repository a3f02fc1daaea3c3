//! Who comes in: sessions, tickets, and which requests are refused.
//!
//! | module | contents |
//! |---|---|
//! | `guard` | the checks that each request passes, and the headers of each response |
//! | `secrets` | random words, and comparing them |
//! | `doors` | the token, the session's key and tickets |

mod doors;
mod guard;
mod secrets;

pub use doors::Doors;
pub use guard::{guard, without_ticket};
