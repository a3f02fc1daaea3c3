//! The experiment's books: where its things are, what is about to be made, what was, and whose a
//! thing is that is there.
//!
//! | module | what |
//! |---|---|
//! | `layout` | where things live, and their names |
//! | `record`, `made` | what is about to be made; what was, told apart from others' |
//! | `ledger`, `ours` | these books in the engine, and in whoever takes everything away |
//! | `walls` | what the machine has only so many of |

pub(crate) mod borrowed;
pub(crate) mod layout;
pub(crate) mod ledger;
pub(crate) mod made;
pub(crate) mod ours;
pub(crate) mod record;
pub(crate) mod walls;
