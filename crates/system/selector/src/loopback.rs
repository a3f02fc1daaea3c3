//! Settings of a loopback device. By default, IPv4 refuses frames from and to 127.0.0.0/8 that
//! arrive again. The first claim at the device changes the settings, and the last one restores
//! them.

use std::fs;
use std::io;

/// The settings, each with its required value.
const SETTINGS: [&str; 2] = ["route_localnet", "accept_local"];

/// Changed settings of a loopback device. Dropping this restores them.
#[derive(Debug)]
pub struct Loopback {
    device: String,
    /// Names and previous values.
    before: Vec<(String, String)>,
}

impl Loopback {
    /// Changes the settings of `device` and records the previous values.
    ///
    /// # Errors
    /// The kernel refuses a setting. Nothing is changed in that case.
    pub fn prepare(device: &str) -> io::Result<Self> {
        let mut changed = Self { device: device.into(), before: Vec::new() };
        for setting in SETTINGS {
            let path = changed.path(setting);
            let before = fs::read_to_string(&path)?.trim().to_owned();
            if before != "1" {
                fs::write(&path, "1")?;
                changed.before.push((setting.into(), before));
            }
        }
        Ok(changed)
    }

    /// Returns the changed settings with their previous values.
    pub fn before(&self) -> &[(String, String)] {
        &self.before
    }

    /// Takes over the changes of a dead process, so that they are restored.
    pub fn adopt(device: &str, before: Vec<(String, String)>) -> Self {
        let known = |(name, _): &(String, String)| SETTINGS.contains(&name.as_str());
        let before = before.into_iter().filter(known).collect();
        Self { device: device.into(), before }
    }

    fn path(&self, setting: &str) -> String {
        format!("/proc/sys/net/ipv4/conf/{}/{setting}", self.device)
    }
}

impl Drop for Loopback {
    fn drop(&mut self) {
        for (setting, before) in &self.before {
            // If the device is gone, its settings are gone, too.
            let _ = fs::write(self.path(setting), before);
        }
    }
}
