//! Kernels of nodes that have their own, for the engine: their start, their time, and what they
//! report. Not here: how one kernel runs (`own_kernel`).

use netloom_units::Dilation;

use crate::own_kernel::{KernelTime, OnInterface, OwnKernel};
use crate::{Network, NodeError, create, own_kernel};

/// Kernels of all nodes that have their own.
#[derive(Debug, Clone, Copy)]
pub struct Kernels<'n>(&'n Network);

impl Network {
    /// Returns the kernels of nodes that have their own.
    pub fn kernels(&self) -> Kernels<'_> {
        Kernels(self)
    }
}

impl Kernels<'_> {
    /// Starts the kernels of those nodes that have their own, several at a time. Returns when all
    /// are in the state of the plan, which takes seconds, with whether there are any.
    ///
    /// # Errors
    /// [`NodeError::Kernel`] if one does not start, or refuses a setting of the plan.
    pub fn start(self) -> Result<bool, NodeError> {
        let own = self.0.starter().own_kernels();
        let all: Vec<usize> = (0..own.len()).collect();
        create::in_parallel(&all, |place| self.0.processes(own[place]).map(drop))?;
        Ok(!own.is_empty())
    }

    /// Has the interfaces of a node with a kernel of its own reported to `on_interface`, each when
    /// the kernel starts and with every change. Other nodes' are watched from outside
    /// ([`InterfaceWatch`](crate::InterfaceWatch)). Must be called before the kernel starts.
    pub fn report_interfaces(self, node: &str, on_interface: OnInterface) {
        if let Some(kernel) = self.0.starter().own_kernel(node) {
            kernel.interfaces.report_to(on_interface);
        }
    }

    /// Slows the time of running kernels by `dilation`, from one moment on: of all nodes that have
    /// their own, or of `node` alone. Returns when that moment has come.
    ///
    /// # Errors
    /// [`NodeError::Dilate`] if they cannot be informed in time.
    pub fn dilate(self, node: Option<&str>, dilation: Dilation) -> Result<(), NodeError> {
        let all = self.0.starter().kernels();
        let meant = |kernel: &&OwnKernel| node.is_none_or(|node| kernel.orders.node.name == node);
        let pages = all.filter(meant).map(|kernel| &kernel.clock);
        own_kernel::dilate(pages, dilation).map_err(NodeError::Dilate)?;
        // A timer that was set before may be far too long now. A kernel that has work to do sets it
        // anew.
        let own = self.0.starter().own_kernels().into_iter();
        let mut asked = own.filter(|name| node.is_none_or(|node| node == *name));
        asked.try_for_each(|node| self.time(node).map(drop))
    }

    /// Returns the time that the clock of a node's own kernel shows.
    ///
    /// # Errors
    /// [`NodeError::System`] if the kernel does not answer.
    pub fn time(self, node: &str) -> Result<KernelTime, NodeError> {
        let time = self.0.enter(node, own_kernel::ask_time);
        time.map_err(|error| NodeError::in_node(node, "ask its kernel for the time", error))
    }
}
