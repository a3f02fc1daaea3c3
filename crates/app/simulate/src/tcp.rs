//! The configuration of a node's TCP, from its sysctls and from what the scenario says about the
//! kernel. Not here: the effects of sysctls (`netloom-tcp`).

use anyhow::{Context, Result};
use netloom_plan::NodePlan;
use netloom_scenario::Scenario;
use netloom_tcp::{Config, SysctlError};

/// Whether a sysctl is modelled.
pub fn is_modelled(name: &str) -> bool {
    name.starts_with("net.ipv4.tcp_") && Config::knows(name)
}

/// Returns why a modelled sysctl cannot have a value. `None` if it can.
pub fn refusal(name: &str, value: &str) -> Option<SysctlError> {
    Config::default().set(name, value).err()
}

/// Returns the configuration of a node's connections.
///
/// # Errors
/// If a value is not valid for its sysctl.
pub fn config(scenario: &Scenario, node: &NodePlan) -> Result<Config> {
    let mut config = Config::default();
    config.hz = scenario.simulation.tcp_hz.unwrap_or(config.hz);
    for (name, value) in node.sysctls.iter().filter(|(name, _)| is_modelled(name)) {
        config.set(name, value).with_context(|| format!("node `{}`", node.name))?;
    }
    Ok(config)
}
