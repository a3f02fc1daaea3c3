//! Environment variables of all processes of nodes, by which an experiment's are recognised.

/// Name of the experiment.
pub(crate) const EXPERIMENT_VARIABLE: &str = "NETLOOM_EXPERIMENT";
/// Name of the node.
pub(crate) const NODE_VARIABLE: &str = "NETLOOM_NODE";
/// Those that scenarios cannot set.
pub(crate) const OWN_VARIABLES: [&str; 2] = [EXPERIMENT_VARIABLE, NODE_VARIABLE];
