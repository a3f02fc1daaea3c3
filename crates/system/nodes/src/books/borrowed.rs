//! Record of what the machine must get back. Not here: taking it and giving it back (`outside`).

use netloom_plan::OutsidePlan;
use serde::{Deserialize, Serialize};

/// Things of the machine that an experiment uses or has changed.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Borrowed {
    /// Devices that were moved into the experiment, and whether each was up.
    pub devices: Vec<(String, bool)>,
    /// TAP devices that stay until they are removed.
    pub taps: Vec<String>,
    /// Devices with network address translation (NAT).
    pub nat: Vec<String>,
    /// Devices that did not forward IPv4 before.
    pub forwarding: Vec<String>,
    /// If the machine did not forward IPv6 before: single devices for which it was enabled.
    #[serde(default)]
    pub forwarding6: Option<Vec<String>>,
    /// New devices in the separate namespace: ends of links, and the names of their devices.
    #[serde(default)]
    pub beside: Vec<(String, String)>,
}

impl Borrowed {
    /// Whether there is nothing to give back.
    pub fn is_empty(&self) -> bool {
        self.devices.is_empty()
            && self.taps.is_empty()
            && self.nat.is_empty()
            && self.forwarding.is_empty()
            && self.forwarding6.is_none()
            && self.beside.is_empty()
    }

    /// Returns the name of an end's new device in the separate namespace, or `None` if its device
    /// is the machine's.
    pub fn name_beside(&self, end: &OutsidePlan) -> Option<&str> {
        let end = end.end.to_string();
        self.beside.iter().find(|(of, _)| *of == end).map(|(_, name)| name.as_str())
    }
}
