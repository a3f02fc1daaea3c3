//! The machine, and where threads' CPU time went, as the kernel counts it.

use std::fs;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// How the names of worker threads begin.
pub const WORKERS: &str = "netloom-data";

/// Describes the machine in a line.
pub fn machine() -> String {
    let read = |path| fs::read_to_string(path).unwrap_or_default();
    let cpu = read("/proc/cpuinfo");
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name\t: ")).unwrap_or("?");
    let (kernel, load) = (read("/proc/sys/kernel/osrelease"), read("/proc/loadavg"));
    let (kernel, load) = (kernel.trim(), load.trim());
    format!("machine: {} × {model}; Linux {kernel}; load {load}", cores())
}

/// Cores that this process may use.
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Ids of this process's worker threads.
fn workers() -> Vec<String> {
    let tasks = fs::read_dir("/proc/self/task").expect("the process's threads");
    let ids = tasks.filter_map(|task| task.ok()?.file_name().into_string().ok());
    let is_worker = |id: &String| {
        fs::read_to_string(format!("/proc/self/task/{id}/comm"))
            .is_ok_and(|name| name.starts_with(WORKERS))
    };
    ids.filter(is_worker).collect()
}

/// CPU time of the workers together.
#[derive(Debug, Clone, Copy)]
pub struct Usage {
    at: Instant,
    /// On a core, in ns.
    on_cpu: u64,
    /// User and kernel, in the kernel's ticks.
    user: u64,
    system: u64,
}

impl Usage {
    /// Up to now.
    pub fn of_workers() -> Self {
        let mut usage = Self { at: Instant::now(), on_cpu: 0, user: 0, system: 0 };
        for id in workers() {
            let field = |file: &str, index: usize| -> u64 {
                let text = fs::read_to_string(format!("/proc/self/task/{id}/{file}"));
                let text = text.unwrap_or_default();
                // A thread's name may hold blanks; ours do not.
                let field = text.split_whitespace().nth(index);
                field.and_then(|field| field.parse().ok()).unwrap_or(0)
            };
            usage.on_cpu += field("schedstat", 0);
            usage.user += field("stat", 13);
            usage.system += field("stat", 14);
        }
        usage
    }

    /// CPU time since `before`.
    pub fn since(&self, before: &Self) -> Duration {
        Duration::from_nanos(self.on_cpu - before.on_cpu)
    }

    /// Since `before`: cores used, and the shares of user and kernel.
    pub fn in_words(&self, before: &Self) -> String {
        let used = self.since(before).as_secs_f64() / (self.at - before.at).as_secs_f64();
        let (user, system) = (self.user - before.user, self.system - before.system);
        let share = |part: u64| 100.0 * part as f64 / (user + system).max(1) as f64;
        format!("{used:.2} cores: {:.0} % user, {:.0} % kernel", share(user), share(system))
    }
}

/// Prints which functions the first worker spends its time in while `work` runs; needs `perf`.
pub fn profile<T>(span: Duration, work: impl FnOnce() -> T) -> T {
    let Some(worker) = workers().into_iter().next() else { return work() };
    let file = std::env::temp_dir().join(format!("netloom-throughput-{}", std::process::id()));
    let recorder = Command::new("perf")
        .args(["record", "-q", "-F", "1999", "-t", &worker, "-o"])
        .arg(&file)
        .args(["--", "sleep", &span.as_secs_f64().to_string()])
        .spawn();
    let result = work();
    match recorder {
        Ok(mut recorder) => {
            let _ = recorder.wait();
            let report = Command::new("perf")
                .args(["report", "--stdio", "--no-children", "--sort", "sym", "-w", "60", "-i"])
                .arg(&file)
                .output();
            let text = report.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
            for line in text.unwrap_or_default().lines().filter(|line| line.contains('%')).take(14)
            {
                println!("        {}", line.trim());
            }
        }
        Err(error) => println!("        no profile: perf: {error}"),
    }
    let _ = fs::remove_file(&file);
    result
}
