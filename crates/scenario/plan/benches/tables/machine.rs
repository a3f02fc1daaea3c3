//! The machine on which the benchmark runs, and its usage by the benchmark.

use std::fs;
use std::time::Duration;

pub fn description() -> String {
    let line = |path: &str, key: &str| {
        let text = fs::read_to_string(path).unwrap_or_default();
        let line = text.lines().find(|line| line.starts_with(key)).unwrap_or_default().to_owned();
        line.rsplit(':').next().unwrap_or_default().trim().to_owned()
    };
    format!(
        "{}, Linux {}; one thread",
        line("/proc/cpuinfo", "model name"),
        line("/proc/sys/kernel/osrelease", "")
    )
}

/// Returns the CPU time of this thread so far. Other work on the machine affects it less than the
/// elapsed time.
pub fn cpu_time() -> Duration {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|field| field.parse().ok());
    Duration::from_nanos(nanoseconds.expect("/proc/thread-self/schedstat begins with a number"))
}

/// Resets the peak of the resident memory.
pub fn reset_peak() {
    // Where the kernel does not permit this, the peak is that of the whole run, which is never
    // less.
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// Returns the largest resident memory, in MiB.
pub fn peak_mib() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = peak.and_then(|peak| peak.trim().trim_end_matches(" kB").parse::<f64>().ok());
    kib.unwrap_or(f64::NAN) / 1024.0
}
