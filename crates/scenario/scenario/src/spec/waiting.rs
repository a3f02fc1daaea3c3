//! Interfaces that can wait for a full pipe (`queue: {full: wait}`).

use netloom_link::{PipeConfig, WhenFull};

use super::{Kernel, Link, Node, NodeKind};

impl Node {
    /// Checks that frames can wait in front of `interface`, in a queue of the node.
    ///
    /// # Errors
    /// The reason why they cannot, and what to do.
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
    /// Checks that the interface in front of the pipe in direction `index` (0 forward, 1 reverse),
    /// with `config`, can wait. A pipe that drops frames when it is full always passes. `node`
    /// finds nodes by name.
    ///
    /// # Errors
    /// The reason why the interface cannot wait, and what to do.
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
