//! Cost of all polling probes and of the monitor behind them on this machine, as a share of one
//! CPU: time spent ÷ duration, and the CPU time of the thread.
//! `cargo bench -p netloom-probes -- [SECONDS]`.

use std::time::{Duration, Instant};
use std::{env, fs, thread};

use netloom_monitor::{Criteria, Monitor, Observation, Trust, Work};
use netloom_probes::{Probes, ProcRoots};
use netloom_units::Time;

fn main() {
    let seconds = env::args().find_map(|argument| argument.parse().ok()).unwrap_or(10);
    let began = Instant::now();
    let now = || Time::from_nanos(u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX));
    let mut monitor = Monitor::new(Criteria::default(), Trust::default(), now());
    let mut probes = Probes::polling(&ProcRoots::of_this_machine(vec![]));
    let mut observations = 0u64;
    let cpu_before = cpu_time();
    while began.elapsed() < Duration::from_secs(seconds) {
        let at = now();
        probes.poll(at, &mut |seen| {
            observations += 1;
            monitor.observe(at, &seen);
        });
        monitor.observe(at, &Observation::Looked);
        let spent = now().since(at);
        monitor.spent(Work::Monitoring, spent);
        let due = probes.next_poll().since(now());
        thread::sleep(due.into());
    }
    let verdict = monitor.verdict(now());
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let processes = fs::read_dir("/proc").map_or(0, |entries| {
        entries.flatten().filter(|e| e.file_name().to_string_lossy().parse::<u32>().is_ok()).count()
    });
    println!("load {}, {processes} processes, {seconds} s", load.trim());
    println!("observations          {:.0} a second", observations as f64 / seconds as f64);
    println!("time spent            {:.2} % of one CPU", verdict.overhead.share * 100.0);
    let cpu = (cpu_time() - cpu_before) / began.elapsed().as_secs_f64();
    println!("CPU time              {:.2} % of one CPU", cpu * 100.0);
    println!("verdict on this machine, without an engine: {}", verdict.judgement);
    for finding in &verdict.findings {
        println!("  {}: {}", finding.judgement, finding.why);
    }
}

/// CPU time of this process, which is one thread, in seconds.
fn cpu_time() -> f64 {
    let text = fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanos = text.split(' ').next().and_then(|word| word.parse::<f64>().ok());
    nanos.unwrap_or(f64::NAN) / 1e9
}
