//! Routes of nodes.

use std::net::IpAddr;
use std::sync::Arc;

use netloom_scenario::{IpPrefix, Route};
use serde::{Deserialize, Serialize};

/// One route.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RoutePlan {
    /// Destination.
    pub to: IpPrefix,
    /// Next hop.
    pub via: Option<IpAddr>,
    /// Outgoing interface. Always given where `via` is link-local or absent.
    pub interface: Option<Arc<str>>,
    /// Metric; the kernel's default if absent.
    pub metric: Option<u32>,
}

impl RoutePlan {
    /// The metric that Linux gives to a route without one.
    pub fn default_metric(to: IpPrefix) -> u32 {
        if matches!(to, IpPrefix::V6(_)) { 1024 } else { 0 }
    }

    /// The metric that the route has in the kernel.
    pub fn metric(&self) -> u32 {
        self.metric.unwrap_or_else(|| Self::default_metric(self.to))
    }
}

impl From<&Route> for RoutePlan {
    fn from(route: &Route) -> Self {
        Self {
            to: route.to.network(),
            via: route.via,
            interface: route.interface.as_deref().map(Into::into),
            metric: route.metric,
        }
    }
}
