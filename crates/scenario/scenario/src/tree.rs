//! What a scenario says of spanning trees, as a bridge knows it.

use netloom_spanning_tree::{
    BridgeId, PathCost, PathCostError, PortPriority, PortPriorityError, Priority, PriorityError,
};

use crate::spec::{Node, PortTree};

impl Node {
    /// Who a switch is in its spanning tree, if it runs one; `number` is its own among all nodes.
    /// Of equal ones, the first in the file has the lowest address.
    ///
    /// # Errors
    /// If its priority is none, which a scenario that was loaded does not have.
    pub fn bridge_id(&self, number: u32) -> Result<Option<BridgeId>, PriorityError> {
        let Some(tree) = self.spanning_tree else { return Ok(None) };
        let [_, a, b, c] = number.to_be_bytes();
        // Locally administered; those of interfaces are drawn from all there are.
        let address = [0x02, 0x00, 0x00, a, b, c];
        Ok(Some(BridgeId::new(Priority::try_from(tree.priority)?, address)))
    }
}

impl PortTree {
    /// The cost of the way through the port, if it was given.
    ///
    /// # Errors
    /// If that is none, which a scenario that was loaded does not have.
    pub fn path_cost(&self) -> Result<Option<PathCost>, PathCostError> {
        self.cost.map(PathCost::try_from).transpose()
    }

    /// The priority of the port.
    ///
    /// # Errors
    /// If that is none, which a scenario that was loaded does not have.
    pub fn port_priority(&self) -> Result<PortPriority, PortPriorityError> {
        Ok(self.priority.map(PortPriority::try_from).transpose()?.unwrap_or_default())
    }
}
