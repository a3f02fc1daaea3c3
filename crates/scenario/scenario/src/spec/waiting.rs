//! Which interfaces can wait for a full pipe (`queue: {full: wait}`).

use netloom_link::{PipeConfig, WhenFull};

use super::{Kernel, Link, Node, NodeKind};

impl Node {
    /// Whether frames can wait in front of `interface`, in a queue of the node's own.
    ///
    /// # Errors
    /// What is in the way; what to do.
    fn can_wait(&self, interface: &str) -> Result<(), String> {
        let name = &self.name;
        let has_subinterfaces = || {
            let mut of = self.interfaces.iter().filter_map(|one| one.subinterface.as_ref());
            of.any(|subinterface| subinterface.of == interface)
        };
        let problem = match self.kind {
            NodeKind::Outside => format!("`{name}:{interface}` is outside, where nothing waits"),
            kind if !kind.has_stack() => {
                format!("`{name}` is no host and no router, and has no queue in front of its ports")
            }
            _ if self.simulated => {
                format!("`{name}` is simulated, and has no queue in front of its interfaces")
            }
            _ if self.kernel == Kernel::Own => {
                format!("`{name}` has a kernel of its own, whose interfaces cannot be paced")
            }
            _ if has_subinterfaces() => {
                format!("`{name}:{interface}` has subinterfaces, whose frames would not wait")
            }
            _ => return Ok(()),
        };
        Err(format!("{problem}; say `full: wait` of the other direction only, or leave it out"))
    }
}

impl Link {
    /// Whether the pipe in direction `index` (0 forward, 1 reverse), with `config`, can have the
    /// interface in front of it wait; always if it drops what is too much. `node` finds nodes.
    ///
    /// # Errors
    /// What is in the way; what to do.
    pub fn check_waiting<'n>(
        &self,
        index: usize,
        config: &PipeConfig,
        node: impl FnOnce(&str) -> Option<&'n Node>,
    ) -> Result<(), String> {
        if config.queue.full == WhenFull::Drop {
            return Ok(());
        }
        let end = &self.endpoints[index];
        node(&end.node).map_or(Ok(()), |node| node.can_wait(&end.interface))?;
        WhenFull::check(config)
    }
}
