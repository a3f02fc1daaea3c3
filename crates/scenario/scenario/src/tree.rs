//! Spanning tree options of a scenario, converted to the types of the bridge model.

use netloom_spanning_tree::{
    BridgeConfig, BridgeId, BridgeTimes, BridgeTimesError, PathCost, PathCostError, PortPriority,
    PortPriorityError, Priority,
};

use crate::spec::{Node, PortTree, SpanningTree};

impl Node {
    /// Returns the identity and times of a switch, if it runs a spanning tree. `number` is the
    /// node's index among all nodes. Of switches with equal priorities, the first in the file has
    /// the lowest address.
    ///
    /// # Errors
    /// The priority or a time is invalid. Loaded scenarios have only valid ones.
    pub fn bridge(&self, number: u32) -> Result<Option<BridgeConfig>, String> {
        let Some(tree) = self.spanning_tree else { return Ok(None) };
        let [_, a, b, c] = number.to_be_bytes();
        // The address is locally administered. Those of interfaces are drawn from the whole range.
        let address = [0x02, 0x00, 0x00, a, b, c];
        let priority = Priority::try_from(tree.priority).map_err(|error| error.to_string())?;
        let times = tree.times().map_err(|error| error.to_string())?;
        Ok(Some(BridgeConfig { id: BridgeId::new(priority, address), times }))
    }
}

impl SpanningTree {
    /// Returns the times of the bridge.
    ///
    /// # Errors
    /// They are invalid. Loaded scenarios have only valid ones.
    pub fn times(&self) -> Result<BridgeTimes, BridgeTimesError> {
        BridgeTimes::new(self.max_age, self.forward_delay, self.hello)
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
