//! Describes the machine that a run runs on.

use std::fs;

use netloom_api::machine::Machine;

/// Describes this machine from `/proc` and `/sys`; what cannot be read is left out.
pub fn describe() -> Machine {
    let line = |path: &str| fs::read_to_string(path).ok().map(|text| text.trim().to_string());
    let cpu = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";
    let clock = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    Machine {
        netloom: env!("CARGO_PKG_VERSION").into(),
        kernel: line("/proc/sys/kernel/osrelease").unwrap_or_default(),
        architecture: std::env::consts::ARCH.into(),
        distribution: field("/etc/os-release", "PRETTY_NAME", '=')
            .map(|name| name.trim_matches('"').to_string()),
        host: line("/proc/sys/kernel/hostname").unwrap_or_default(),
        processor: field("/proc/cpuinfo", "model name", ':'),
        processors: std::thread::available_parallelism().map_or(1, usize::from),
        memory_bytes: field("/proc/meminfo", "MemTotal", ':')
            .and_then(|text| text.trim_end_matches("kB").trim().parse::<u64>().ok())
            .map(|kib| kib * 1024),
        clock_source: line(clock),
        frequency_mhz: frequency_mhz(),
        frequency_governor: line(cpu),
        tcp_congestion_control: line("/proc/sys/net/ipv4/tcp_congestion_control"),
    }
}

fn frequency_mhz() -> Option<u32> {
    let highest = "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq";
    match fs::read_to_string(highest) {
        Ok(khz) => khz.trim().parse::<u32>().ok().map(|khz| khz / 1000),
        Err(_) => field("/proc/cpuinfo", "cpu MHz", ':')?.split('.').next()?.parse().ok(),
    }
}

fn field(path: &str, name: &str, separator: char) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    text.lines().find_map(|line| {
        let (key, value) = line.split_once(separator)?;
        (key.trim() == name).then(|| value.trim().to_string())
    })
}
