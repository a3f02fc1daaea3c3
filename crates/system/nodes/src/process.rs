//! The engine's side of processes in nodes. The node's side is [`crate::init`].
//!
//! | module | what |
//! |---|---|
//! | `node` | a node in which something runs |
//! | `starter` | how its first process starts |
//! | `control`, `outgoing`, `reactor` | messages with it: their form, those that wait, who waits for answers |
//! | `spawning` | what is to be started, and what became of it |
//! | `pidfd`, `oom` | processes by descriptor; whom the kernel spares where memory runs out |
//! | `files` | a node's files, as the engine reaches them |
//! | `view` | what the processes of one node see that differs from the machine |

pub(crate) mod control;
pub(crate) mod files;
pub(crate) mod node;
pub(crate) mod oom;
pub(crate) mod outgoing;
pub(crate) mod pidfd;
pub(crate) mod reactor;
pub(crate) mod spawning;
pub(crate) mod starter;
pub(crate) mod view;
