//! Spanning tree options of a scenario, converted to the types of the bridge model.

use netloom_spanning_tree::{
    BridgeId, PathCost, PathCostError, PortPriority, PortPriorityError, Priority, PriorityError,
};

use crate::spec::{Node, PortTree};

impl Node {
    /// Returns the bridge id of a switch, if it runs a spanning tree. `number` is the node's index
    /// among all nodes. Of switches with equal priorities, the first in the file has the lowest
    /// address.
    ///
    /// # Errors
    /// The priority is invalid. Loaded scenarios have only valid ones.
    pub fn bridge_id(&self, number: u32) -> Result<Option<BridgeId>, PriorityError> {
        let Some(tree) = self.spanning_tree else { return Ok(None) };
        let [_, a, b, c] = number.to_be_bytes();
        // The address is locally administered. Those of interfaces are drawn from the whole range.
        let address = [0x02, 0x00, 0x00, a, b, c];
        Ok(Some(BridgeId::new(Priority::try_from(tree.priority)?, address)))
    }
}

impl PortTree {
    /// Returns the path cost of the port, if the scenario sets it.
    ///
    /// # Errors
    /// The cost is invalid. Loaded scenarios have only valid ones.
    pub fn path_cost(&self) -> Result<Option<PathCost>, PathCostError> {
        self.cost.map(PathCost::try_from).transpose()
    }

    /// Returns the port priority.
    ///
    /// # Errors
    /// The priority is invalid. Loaded scenarios have only valid ones.
    pub fn port_priority(&self) -> Result<PortPriority, PortPriorityError> {
        Ok(self.priority.map(PortPriority::try_from).transpose()?.unwrap_or_default())
    }
}
