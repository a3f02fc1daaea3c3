//! The permissions of ordinary users: `/etc/netloom/shape-policy.yaml`. Root has no limits.

use netloom_scenario::Diagnostics;
use netloom_units::{Duration, Rate, Size};
use serde::{Deserialize, Serialize};

use crate::refusal::POLICY_FILE;
use crate::{Claim, Lifetime, Owner, PortRange, Ports, Refusal};

/// Permissions and limits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Policy {
    /// Users, and groups as `@NAME`.
    pub allow: Vec<String>,
    /// Local ports that users may claim.
    pub ports: Ports,
    /// Largest number of claims of one user.
    pub claims_per_user: usize,
    /// Longest lifetime of a claim.
    pub longest: Duration,
    /// Largest sum of all rates of one user's claims, both directions together.
    pub rate_per_user: Rate,
    /// Largest amount of data that the pipes of one user may hold.
    pub buffer_per_user: Size,
    /// Largest amount of data that all pipes may hold.
    pub buffer: Size,
    /// Devices whose traffic may be claimed. An empty list allows all.
    pub interfaces: Vec<String>,
    /// Whether users may reserve ports.
    pub reserve: bool,
    /// Whether users may claim traffic of other network namespaces.
    pub containers: bool,
    /// Largest number of changes of claims in a second by each user.
    pub changes_per_second: u32,
}

impl Default for Policy {
    fn default() -> Self {
        const MIB: u64 = 1 << 20;
        Self {
            allow: Vec::new(),
            ports: Ports::new(vec![PortRange { first: 1024, last: u16::MAX }])
                .unwrap_or_else(|_| Ports::one(1024)),
            claims_per_user: 16,
            longest: Duration::from_secs(24 * 3600),
            rate_per_user: Rate::from_bits_per_second(100_000_000).unwrap_or(Rate::MAX),
            buffer_per_user: Size::from_bytes(64 * MIB),
            buffer: Size::from_bytes(256 * MIB),
            interfaces: Vec::new(),
            reserve: false,
            containers: false,
            changes_per_second: 200,
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

    /// Checks the claim of an ordinary user on a device.
    ///
    /// # Errors
    /// The violation of the policy.
    pub(crate) fn check(&self, claim: &Claim, device: &str) -> Result<(), Refusal> {
        let Claim { selector, lifetime, over, reserve, .. } = claim;
        if selector.everything {
            return Err(Refusal::RootOnly("`everything`", "say which traffic, as by `user`"));
        }
        if *over {
            return Err(Refusal::RootOnly("`over`", "leave it out"));
        }
        if *reserve && !self.reserve {
            return Err(Refusal::Forbidden("reserve"));
        }
        if (selector.netns.is_some() || selector.pid.is_some()) && !self.containers {
            return Err(Refusal::Forbidden("containers"));
        }
        if !self.interfaces.is_empty() && !self.interfaces.iter().any(|allowed| allowed == device) {
            return Err(Refusal::Interface(device.into(), self.interfaces.join(", ")));
        }
        if let Some((role, ports)) = selector.by_port()
            && role.is_local()
            && let Some(port) = ports.ports.beyond(&self.ports)
        {
            return Err(Refusal::Port { port, allowed: self.ports.clone() });
        }
        self.check_lifetime(*lifetime)
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
