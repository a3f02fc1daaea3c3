//! What a member reports of its machine. Not here: the ways to others.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use netloom_gauge::ways::{Prober, may_be_real_time, steering};
use netloom_host::fresh::{self, Fresh};
use netloom_results::machine::describe;
use netloom_scenario::Scenario;

use super::{Report, uplink};
use crate::commands::doctor;
use crate::finding::{Check, State};
use crate::{controls, preflight, programs};

/// The size of a queue of datagrams below which fast flows lose frames, in bytes, as the kernel
/// counts it: twice what is asked for.
const QUEUE: usize = 8 << 20;
/// Clock sources that are exact, and read in nanoseconds.
const EXACT: [&str; 6] = [
    "tsc",
    "kvm-clock",
    "arch_sys_counter",
    "hyperv_clocksource_tsc_page",
    "xen",
    "riscv_clocksource",
];
/// Steering of a clock that is worth a note, in ppb: more than crystals need.
const STEERED: u32 = 500_000;
/// Where control groups are.
const GROUPS: &str = "/sys/fs/cgroup";

/// Reports on this machine, for a scenario if there is one.
pub fn report(prober: &Prober, scenario: Option<&Scenario>) -> Result<Report> {
    let machine = describe();
    let door = prober.address();
    let fresh = fresh::look()?;
    let mut checks = vec![doctor::kernel(&machine.kernel), namespaces(&fresh), tun(&fresh)];
    checks.push(doctor::workers(may_be_real_time()));
    let group = own_group();
    checks.push(cpus(&group, machine.processors));
    checks.push(memory(&group, machine.memory_bytes));
    checks.push(queue(prober.queue()));
    checks.push(source(machine.clock_source.as_deref()));
    checks.push(steered(steering()));
    checks.extend(uplink::checks(door.ip()));
    let size = scenario.map_or(doctor::LARGE, preflight::size);
    // A machine carries a part of it only.
    checks.extend(
        doctor::capacities(size)
            .map(|check| Check { state: check.state.min(State::Note), ..check }),
    );
    for missing in scenario.iter().flat_map(|scenario| controls::missing(scenario, true)) {
        let what = format!("congestion control {}", missing.control);
        checks.push(Check::new(what, State::Note, format!("{}: {}", missing.by, missing.why)));
    }
    let programs = scenario.map(programs::digests).unwrap_or_default();
    Ok(Report { door, machine, checks, parameters: fresh.parameters, programs })
}

fn namespaces(fresh: &Fresh) -> Check {
    match &fresh.refused {
        None => Check::new("namespaces", State::Ok, "can be made"),
        Some(why) => Check::new("namespaces", State::Problem, why),
    }
}

fn tun(fresh: &Fresh) -> Check {
    match &fresh.no_tun {
        None => Check::new("TUN", State::Ok, "/dev/net/tun opens"),
        Some(why) => Check::new("TUN", State::Problem, no_tun(why)),
    }
}

/// Returns what is wrong with the device that makes TAPs, and what to do.
fn no_tun(why: &str) -> String {
    let remedy = if why.contains("Permission denied") {
        "give users their right on it: `chmod 666 /dev/net/tun`, which is what distributions do"
    } else {
        "load the module (`modprobe tun`), or hand the device to the container (`--device \
         /dev/net/tun`)"
    };
    format!("/dev/net/tun cannot be opened ({why}): {remedy}")
}

/// Returns the control groups of this process, from its own to the root.
fn own_group() -> Vec<PathBuf> {
    let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let path = own.lines().find_map(|line| line.strip_prefix("0::/")).unwrap_or_default();
    let root = Path::new(GROUPS);
    root.join(path)
        .ancestors()
        .take_while(|group| group.starts_with(root))
        .map(Into::into)
        .collect()
}

fn cpus(groups: &[PathBuf], processors: usize) -> Check {
    let quotas = groups.iter().filter_map(|group| {
        let text = fs::read_to_string(group.join("cpu.max")).ok()?;
        quota(&text)
    });
    match quotas.min_by(f64::total_cmp) {
        Some(quota) if quota < processors as f64 => Check::new(
            "CPUs",
            State::Note,
            format!(
                "the control group may use {quota} of {processors} CPUs (`cpu.max`): when it has \
                 used them up, everything stands still; take the limit away, or limit the CPUs \
                 themselves (`cpuset.cpus`, `taskset`)"
            ),
        ),
        _ => Check::new("CPUs", State::Ok, processors.to_string()),
    }
}

/// Reads how many CPUs `cpu.max` allows, if it limits them.
fn quota(text: &str) -> Option<f64> {
    let (quota, period) = text.trim().split_once(' ')?;
    Some(quota.parse::<f64>().ok()? / period.parse::<f64>().ok()?)
}

fn memory(groups: &[PathBuf], bytes: Option<u64>) -> Check {
    const MIB: u64 = 1 << 20;
    let limit = |group: &PathBuf| {
        fs::read_to_string(group.join("memory.max")).ok()?.trim().parse::<u64>().ok()
    };
    let limit = groups.iter().filter_map(limit).min();
    match (limit, bytes) {
        (Some(limit), Some(bytes)) if limit < bytes => Check::new(
            "memory",
            State::Note,
            format!(
                "the control group may use {} MiB of {} MiB (`memory.max`): processes beyond that \
                 are killed",
                limit / MIB,
                bytes / MIB
            ),
        ),
        (_, Some(bytes)) => Check::new("memory", State::Ok, format!("{} MiB", bytes / MIB)),
        (_, None) => Check::new("memory", State::Note, "/proc/meminfo does not tell how much"),
    }
}

fn queue(bytes: usize) -> Check {
    match bytes >= QUEUE {
        true => Check::new("datagrams", State::Ok, format!("a queue of {} MiB", bytes >> 20)),
        false => Check::new(
            "datagrams",
            State::Note,
            format!(
                "the kernel keeps {} KiB of datagrams that wait, and fast flows between machines \
                 lose frames: `sysctl -w net.core.rmem_max=16777216`, or run as root",
                bytes >> 10
            ),
        ),
    }
}

fn source(source: Option<&str>) -> Check {
    match source {
        Some(source) if EXACT.contains(&source) => Check::new("clock source", State::Ok, source),
        Some(source) => Check::new(
            "clock source",
            State::Note,
            format!(
                "`{source}`, which is slow to read or inexact; \
                 /sys/devices/system/clocksource/clocksource0 has others"
            ),
        ),
        None => Check::new("clock source", State::Note, "the kernel does not tell"),
    }
}

fn steered((rate, slew): (i32, u32)) -> Check {
    let ppm = |ppb: u32| f64::from(ppb) / 1000.0;
    let (rate, most) = (rate.unsigned_abs(), rate.unsigned_abs().max(slew));
    let found = format!("steered by {} ppm, and {} ppm to remove an offset", ppm(rate), ppm(slew));
    match most > STEERED {
        false => Check::new("clock", State::Ok, found),
        true => Check::new(
            "clock",
            State::Note,
            format!("{found}: times between machines are inexact until that is over; wait"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_cpu_and_a_limit_of_memory_are_noted() {
        let folder = tempfile::tempdir().unwrap();
        let groups = [folder.path().join("own"), folder.path().to_owned()];
        fs::create_dir(&groups[0]).unwrap();
        assert_eq!(cpus(&groups, 2).state, State::Ok);
        fs::write(groups[1].join("cpu.max"), "50000 100000\n").unwrap();
        fs::write(groups[0].join("cpu.max"), "max 100000\n").unwrap();
        let found = cpus(&groups, 2);
        assert!(found.state == State::Note && found.found.contains("0.5 of 2"), "{found:?}");
        fs::write(groups[0].join("memory.max"), "1048576\n").unwrap();
        assert_eq!(memory(&groups, Some(1 << 30)).state, State::Note);
        assert_eq!(memory(&groups[1..], Some(1 << 30)).state, State::Ok);
    }

    #[test]
    fn a_small_queue_a_slow_clock_and_a_clock_that_is_set_are_noted() {
        assert_eq!(queue(425_984).state, State::Note);
        assert_eq!(queue(32 << 20).state, State::Ok);
        assert_eq!(source(Some("hpet")).state, State::Note);
        assert_eq!(source(Some("tsc")).state, State::Ok);
        assert_eq!(steered((-40_000, 0)).state, State::Ok);
        assert_eq!(steered((83_333_000, 0)).state, State::Note);
        assert_eq!(steered((0, 900_000)).state, State::Note);
    }
}
