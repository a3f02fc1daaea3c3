//! The permissions of ordinary users: `/etc/netloom/shape-policy.yaml`. Root has no limits.

use netloom_scenario::Diagnostics;
use netloom_units::{Duration, Rate, Size};
use serde::{Deserialize, Serialize};

use crate::refusal::POLICY_FILE;
use crate::{Entry, Lifetime, Owner, PortRange, Ports, Refusal, Selector};

/// Permissions and limits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Policy {
    /// Users, and groups as `@NAME`.
    pub allow: Vec<String>,
    /// Local ports of the daemon's network namespace that users may claim.
    pub ports: Ports,
    /// Largest number of claims of one user.
    pub claims_per_user: usize,
    /// Largest number of local ports of the daemon's network namespace, counted for each protocol,
    /// that the claims of one user have.
    pub ports_per_user: usize,
    /// Longest lifetime of a claim.
    pub longest: Duration,
    /// Largest sum of all rates of one user's claims, both directions together.
    pub rate_per_user: Rate,
    /// Largest amount of data that the pipes of one user may hold.
    pub buffer_per_user: Size,
    /// Largest amount of data that all pipes may hold.
    pub buffer: Size,
    /// Devices of the daemon's network namespace whose traffic users may claim; without it, all.
    pub interfaces: Option<Vec<String>>,
    /// Whether users may reserve ports.
    pub reserve: bool,
    /// Whether the daemon may enter other network namespaces, and users claim traffic of those that
    /// are their own.
    pub containers: bool,
    /// Largest number of changes of claims in a second by each user.
    pub changes_per_second: u32,
    /// The file from which it was read, or would be: refusals name it.
    #[serde(skip)]
    pub file: String,
}

impl Default for Policy {
    fn default() -> Self {
        const MIB: u64 = 1 << 20;
        Self {
            allow: Vec::new(),
            ports: Ports::new(vec![PortRange { first: 1024, last: u16::MAX }])
                .unwrap_or_else(|_| Ports::one(1024)),
            claims_per_user: 16,
            ports_per_user: 1024,
            longest: Duration::from_secs(24 * 3600),
            rate_per_user: Rate::from_bits_per_second(100_000_000).unwrap_or(Rate::MAX),
            buffer_per_user: Size::from_bytes(64 * MIB),
            buffer: Size::from_bytes(256 * MIB),
            interfaces: None,
            reserve: false,
            containers: false,
            changes_per_second: 200,
            file: POLICY_FILE.into(),
        }
    }
}

impl Policy {
    /// Path of the policy.
    pub const FILE: &'static str = POLICY_FILE;

    /// Parses a policy.
    ///
    /// # Errors
    /// All its faults.
    pub fn parse(text: &str) -> Result<Self, Diagnostics> {
        netloom_scenario::value(text)
    }

    /// Returns whether a user may claim anything. The names of the user's groups are looked up only
    /// if they matter.
    pub fn allows(&self, owner: &Owner, groups: impl FnOnce() -> Vec<String>) -> bool {
        if owner.is_root() || self.allow.contains(&owner.name) {
            return true;
        }
        let allowed: Vec<&str> =
            self.allow.iter().filter_map(|allowed| allowed.strip_prefix('@')).collect();
        !allowed.is_empty() && groups().iter().any(|group| allowed.contains(&group.as_str()))
    }

    /// Checks whether the daemon may enter the network namespace that a claim names, if it names
    /// one.
    ///
    /// # Errors
    /// It may not.
    pub fn check_network(&self, selector: &Selector) -> Result<(), Refusal> {
        let names_one = selector.netns.is_some() || selector.pid.is_some();
        if names_one && !self.containers {
            return Err(Refusal::Containers(self.file.clone()));
        }
        Ok(())
    }

    /// Checks the claim of an ordinary user.
    ///
    /// # Errors
    /// The violation of the policy.
    pub(crate) fn check(&self, entry: &Entry) -> Result<(), Refusal> {
        let (claim, device) = (&entry.claim, &entry.device);
        if claim.over {
            return Err(Refusal::RootOnly("`over`", "leave it out"));
        }
        if entry.network.is_none() {
            self.check_own_network(&claim.selector, device)?;
        }
        if claim.reserve && !self.reserve {
            return Err(Refusal::Forbidden("reserve", self.file.clone()));
        }
        self.check_lifetime(claim.lifetime)
    }

    /// Checks the claim of an ordinary user in the network namespace that all users share.
    fn check_own_network(&self, selector: &Selector, device: &str) -> Result<(), Refusal> {
        if selector.everything {
            return Err(Refusal::RootOnly("`everything`", "say which traffic, as by `user`"));
        }
        if let Some(allowed) = &self.interfaces
            && !allowed.iter().any(|allowed| allowed == device)
        {
            let allowed = match allowed.is_empty() {
                true => "no device".into(),
                false => allowed.join(", "),
            };
            return Err(Refusal::Interface(device.into(), allowed));
        }
        if let Some((role, ports)) = selector.by_port()
            && role.is_local()
            && let Some(port) = ports.ports.beyond(&self.ports)
        {
            return Err(Refusal::Port { port, allowed: self.ports.clone() });
        }
        Ok(())
    }

    /// Checks the lifetime of an ordinary user's claim.
    ///
    /// # Errors
    /// The lifetime is too long.
    pub(crate) fn check_lifetime(&self, lifetime: Lifetime) -> Result<(), Refusal> {
        match lifetime {
            Lifetime::Never => Err(Refusal::RootOnly("`for: never`", "give a time, as `2h`")),
            Lifetime::For(time) if time > self.longest => {
                Err(Refusal::TooLong { asked: time.to_string(), longest: self.longest })
            }
            Lifetime::For(_) | Lifetime::Session => Ok(()),
        }
    }
}
