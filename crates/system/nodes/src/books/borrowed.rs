//! What the machine must get back, as it is written down. Not here: taking it and giving it back
//! (`outside`).

use netloom_plan::OutsidePlan;
use serde::{Deserialize, Serialize};

/// What an experiment has of the machine's.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Borrowed {
    /// Devices that were taken, and whether each was up.
    pub devices: Vec<(String, bool)>,
    /// TAP devices that stay until they are taken away.
    pub taps: Vec<String>,
    /// Devices behind which addresses are translated.
    pub nat: Vec<String>,
    /// Devices that did not forward IPv4 before.
    pub forwarding: Vec<String>,
    /// If the machine did not forward IPv6 before: what was set to, of single devices.
    #[serde(default)]
    pub forwarding6: Option<Vec<String>>,
    /// New devices in the namespace of their own: ends of links, and their names.
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

    /// The name of the new device of an end in the namespace of their own; none if it is the
    /// machine's.
    pub fn name_beside(&self, end: &OutsidePlan) -> Option<&str> {
        let end = end.end.to_string();
        self.beside.iter().find(|(of, _)| *of == end).map(|(_, name)| name.as_str())
    }
}
