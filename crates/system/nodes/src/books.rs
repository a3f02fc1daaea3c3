//! The experiment's records: where its things are, what it is about to create, what it has created,
//! and to whom an existing thing belongs.
//!
//! | module | content |
//! |---|---|
//! | `layout` | paths and names of the experiment's things |
//! | `record`, `made` | what is about to be created; what was created, distinguished from things of others |
//! | `ledger`, `ours` | these records in the engine, and in a process that removes the experiment |
//! | `variables` | environment variables by which processes are recognised |
//! | `capacity` | limits of the machine |

pub(crate) mod borrowed;
pub(crate) mod capacity;
pub(crate) mod layout;
pub(crate) mod ledger;
pub(crate) mod made;
pub(crate) mod ours;
pub(crate) mod record;
pub(crate) mod variables;
