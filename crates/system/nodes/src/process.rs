//! The engine's side of processes in nodes. The nodes' side is [`crate::init`].
//!
//! | module | what |
//! |---|---|
//! | `node` | a node that runs processes |
//! | `starter` | starts its first process |
//! | `control`, `outgoing`, `reactor` | messages with that process: format, queue, and waiting for answers |
//! | `spawning` | requests for processes, and their results |
//! | `pidfd`, `oom` | processes by descriptor; order in which the kernel kills when memory runs out |
//! | `files`, `kept` | access of the engine to a node's files; files of a node that has failed |
//! | `view` | differences between the machine's file system and that of a node |

pub(crate) mod control;
pub(crate) mod files;
pub(crate) mod kept;
pub(crate) mod node;
pub(crate) mod oom;
pub(crate) mod outgoing;
pub(crate) mod pidfd;
pub(crate) mod reactor;
pub(crate) mod spawning;
pub(crate) mod starter;
pub(crate) mod view;
