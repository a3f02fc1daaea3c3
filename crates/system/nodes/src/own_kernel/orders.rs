//! The configuration of a node with a kernel of its own: the engine puts it into the node's view,
//! and the agent reads it there.

use netloom_plan::{NodePlan, RoutePlan};
use serde::{Deserialize, Serialize};

use super::places::ORDERS;
use crate::process::view::{View, ViewFile};

/// Configuration of a node with a kernel of its own, which its agent reads.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Orders {
    pub node: NodePlan,
    pub routes: Vec<RoutePlan>,
}

impl Orders {
    /// Returns the view of the node with the orders added.
    pub fn added_to(&self, view: &View) -> Result<View, serde_json::Error> {
        let content = serde_json::to_string(self)?;
        let file = ViewFile { path: ORDERS.into(), content, owner: None, mode: 0o644 };
        let mut view = view.clone();
        view.files.push(file);
        Ok(view)
    }

    pub(super) fn read() -> std::io::Result<Self> {
        Ok(serde_json::from_slice(&std::fs::read(ORDERS)?)?)
    }
}
