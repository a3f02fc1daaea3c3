//! What a machine bears, from its profile.

use netloom_profile::{Profile, Shape, Traffic};

use crate::machines::Machines;
use crate::problem::{Cost, Machine};

/// Cost of a frame that crosses a machine's border beside that of one inside: what a tunnel costs
/// is not measured in profiles.
const ACROSS: f64 = 3.0;

impl Machine {
    /// A machine that bears what its profile says. Where the profile lacks a figure, the machine
    /// counts as unlimited in that respect.
    pub fn of_profile(name: impl Into<String>, profile: &Profile) -> Self {
        let memory = &profile.memory;
        let bytes =
            memory.limit_bytes.map_or(memory.total_bytes, |limit| limit.min(memory.total_bytes));
        let inside = crossing(profile).unwrap_or_default();
        Self {
            cpus: profile.machine.processors as f64,
            inside,
            across: Cost { frame: inside.frame * ACROSS, byte: inside.byte * ACROSS },
            memory: bytes as f64,
            ..Self::unlimited(name)
        }
    }

    /// Shares the machine evenly among `count`.
    fn share(&mut self, count: f64) {
        self.cpus /= count;
        self.memory /= count;
        for cost in [&mut self.inside, &mut self.across] {
            *cost = Cost { frame: cost.frame * count, byte: cost.byte * count };
        }
    }

    /// Leaves CPUs and bytes of memory to others.
    pub fn reserve(&mut self, cpus: f64, memory: f64) {
        let rest = if self.cpus.is_finite() { 1.0 - (cpus / self.cpus).min(1.0) } else { 1.0 };
        self.cpus = (self.cpus - cpus).max(0.0);
        self.memory = (self.memory - memory).max(0.0);
        for cost in [&mut self.inside, &mut self.across] {
            let scale = |part: f64| if part > 0.0 { part / rest } else { 0.0 };
            *cost = Cost { frame: scale(cost.frame), byte: scale(cost.byte) };
        }
    }
}

/// Returns the share of the machine that a frame per second on one link takes, linear in its size
/// through 1/K at 60 and at 1514 bytes. K is the least of links × frames per second that a chain
/// bore, over the chains of two links and more (over all, if there are none).
pub(crate) fn crossing(profile: &Profile) -> Option<Cost> {
    let small = share(profile, Traffic::Udp60);
    let large = share(profile, Traffic::Udp1514);
    let (small, large) = (small.or(large)?, large.or(small)?);
    let byte = ((large - small) / (1514.0 - 60.0)).max(0.0);
    Some(Cost { frame: (small - 60.0 * byte).max(0.0), byte })
}

/// Returns 1/K for one kind of traffic.
fn share(profile: &Profile, traffic: Traffic) -> Option<f64> {
    let of_chains = |least_hops: u32| {
        let measured = profile.forwarding.iter().filter(|one| one.traffic == traffic);
        let borne = measured.filter_map(|one| match one.network {
            Shape::Chain { hops } if hops >= least_hops => {
                Some(f64::from(hops) * one.edge?.frames_per_second?)
            }
            _ => None,
        });
        borne.filter(|borne| *borne > 0.0).min_by(f64::total_cmp)
    };
    of_chains(2).or_else(|| of_chains(1)).map(|borne| 1.0 / borne)
}

/// Returns what the machines of a list bear, by their profiles, and remarks for the user. A machine
/// without a profile counts as the weakest that has one; machines made on this one share it.
pub fn capacities(list: &Machines, profiles: &[Option<Profile>]) -> (Vec<Machine>, Vec<String>) {
    let large = |machine: &Machine| machine.inside.frame + 1514.0 * machine.inside.byte;
    let known = list
        .list
        .iter()
        .zip(profiles)
        .filter_map(|(one, profile)| Some(Machine::of_profile(&one.name, profile.as_ref()?)));
    let weakest = known.max_by(|a, b| {
        large(a)
            .total_cmp(&large(b))
            .then(b.cpus.total_cmp(&a.cpus))
            .then(b.memory.total_cmp(&a.memory))
    });
    let mut remarks = Vec::new();
    let mut all = Vec::new();
    let mut without: Vec<&str> = Vec::new();
    for (one, profile) in list.list.iter().zip(profiles) {
        let mut machine = match (profile, &weakest) {
            (Some(profile), _) => Machine::of_profile(&one.name, profile),
            (None, Some(weakest)) => Machine { name: one.name.clone(), ..weakest.clone() },
            (None, None) => Machine::unlimited(&one.name),
        };
        if profile.is_none() && one.mnp.is_none() {
            without.push(&one.name);
        }
        if list.local.is_some() {
            machine.share(list.list.len() as f64);
        }
        machine.reserve(one.reserve.cpu, one.reserve.memory.bytes() as f64);
        machine.uplink = one.uplink.map_or(f64::INFINITY, |rate| rate.bits_per_second() as f64);
        machine.mnp = one.provision();
        all.push(machine);
    }
    let names: Vec<String> = without.iter().map(|name| format!("`{name}`")).collect();
    match (&weakest, names.len()) {
        (_, 0) => {}
        (Some(weakest), count) => remarks.push(format!(
            "{} {} no profile and count{} like `{}`, the weakest that has one",
            names.join(", "),
            if count == 1 { "has" } else { "have" },
            if count == 1 { "s" } else { "" },
            weakest.name
        )),
        (None, _) if list.local.is_some() => remarks.push(
            "this machine has no profile: CPU and memory are taken for unlimited; run `netloom \
             calibrate`"
                .into(),
        ),
        (None, _) => remarks.push(
            "no machine has a profile: CPU and memory are taken for unlimited; run `netloom \
             calibrate` on them, and name the files (`profile`)"
                .into(),
        ),
    }
    (all, remarks)
}
