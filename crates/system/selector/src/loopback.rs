//! What a loopback device needs: IPv4 refuses frames from and to 127.0.0.0/8 that come in again,
//! unless it is asked not to. Set with the first claim there, and put back with the last.

use std::fs;
use std::io;

/// The settings, each with the value that it needs.
const SETTINGS: [&str; 2] = ["route_localnet", "accept_local"];

/// Settings of a loopback device that were changed. They are put back when this is dropped.
#[derive(Debug)]
pub struct Loopback {
    device: String,
    /// What each was.
    before: Vec<(String, String)>,
}

impl Loopback {
    /// Changes what `device` needs; what it was.
    ///
    /// # Errors
    /// What the kernel refuses; nothing is changed then.
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

    /// What was changed, and from which values.
    pub fn before(&self) -> &[(String, String)] {
        &self.before
    }

    /// Takes over what a dead process has changed, so that it is put back.
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
            // The device is gone then, with its settings.
            let _ = fs::write(self.path(setting), before);
        }
    }
}
