//! Probes on made-up machines: what they report of the kernel's files, and of missing files.

use std::fs;
use std::os::unix::fs::MetadataExt;

use netloom_monitor::{
    Criteria, Direction, Divided, DropCause, Monitor, Observation as O, PageCause, Party, Pressure,
    Resource, Route, SignalKind, Subject, Trust,
};
use netloom_probes::{Limited, Node, Probes, ProcRoots};
use netloom_units::{Duration, Size, Time};
use tempfile::TempDir;

/// A machine of two CPUs with a node `a`, an engine (10), a program of the node (20), one outside
/// (30), and a kernel thread (2).
struct Machine {
    root: TempDir,
}

impl Machine {
    fn new() -> Self {
        let machine = Self { root: tempfile::tempdir().unwrap() };
        machine.cpus([[0; 8], [0; 8]]);
        machine.write("proc/vmstat", "nr_free_pages 10\npswpin 0\npswpout 0\npgmajfault 3\n");
        machine.disk(0, 0, 0);
        machine.write("proc/net/softnet_stat", "000a 00000000 0\n000b 00000001 0\n");
        machine.write("proc/net/stat/arp_cache", &neighbours("00000001"));
        machine.write("proc/net/stat/ndisc_cache", &neighbours("00000000"));
        machine.write("proc/net/dev", &net_dev(0, 0));
        for kind in ["cpu", "memory", "io"] {
            machine.write(&format!("proc/pressure/{kind}"), &pressure(0));
            machine.write(&format!("cgroup/x/a/{kind}.pressure"), &pressure(0));
        }
        machine.write("cgroup/x/cgroup.subtree_control", "cpu memory\n");
        machine.write("cgroup/x/a/cpu.stat", "usage_usec 0\n");
        machine.write("cgroup/x/a/memory.stat", "anon 1\nworkingset_refault_file 0\n");
        fs::create_dir_all(machine.path("sys/block/vda")).unwrap();
        for (pid, name, flags) in
            [(2, "kthreadd", 0x20_8040), (10, "netloom", 0), (20, "a) b (c", 0), (30, "spinner", 0)]
        {
            machine.process(pid, name, flags, 0, 0);
            machine.write(&format!("proc/{pid}/schedstat"), "0 0 0\n");
            machine.write(&format!("proc/{pid}/io"), "rchar: 9\nread_bytes: 0\nwrite_bytes: 0\n");
            // A file stands for the namespace: only its inode counts.
            machine.write(&format!("proc/{pid}/ns/net"), "");
        }
        machine
    }

    fn path(&self, file: &str) -> std::path::PathBuf {
        self.root.path().join(file)
    }

    fn write(&self, file: &str, text: &str) {
        let path = self.path(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn remove(&self, file: &str) {
        let path = self.path(file);
        if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
    }

    /// Sets the ticks of user, nice, system, idle, iowait, irq, softirq, steal of each CPU.
    fn cpus(&self, ticks: [[u64; 8]; 2]) {
        let line = |name: &str, ticks: [u64; 8]| {
            let words: Vec<String> = ticks.iter().map(u64::to_string).collect();
            format!("{name} {} 0 0\n", words.join(" "))
        };
        let sum = std::array::from_fn(|column| ticks[0][column] + ticks[1][column]);
        let lines = [line("cpu ", sum), line("cpu0", ticks[0]), line("cpu1", ticks[1])];
        self.write("proc/stat", &format!("{}intr 5 4 3\nctxt 7\n", lines.concat()));
    }

    fn process(&self, pid: u32, name: &str, flags: u64, ticks: u64, faults: u64) {
        let stat = format!(
            "{pid} ({name}) S 1 1 1 0 -1 {flags} 0 0 {faults} 0 {ticks} 0 0 0 20 0 1 0 {pid}00 0 \
             0\n"
        );
        self.write(&format!("proc/{pid}/stat"), &stat);
    }

    fn disk(&self, completed: u64, pending: u64, busy_ms: u64) {
        let columns = format!("{completed} 0 0 0 0 0 0 0 {pending} {busy_ms} 0");
        self.write("proc/diskstats", &format!(" 254 0 vda {columns}\n 254 1 vda1 {columns}\n"));
    }

    fn places(&self) -> ProcRoots {
        let netns = fs::metadata(self.path("proc/20/ns/net")).ok().map(|file| file.ino());
        let cgroup = Some(self.path("cgroup/x/a"));
        ProcRoots {
            proc: self.path("proc"),
            sys: self.path("sys"),
            nodes: vec![Node { name: "a".into(), netns, cgroup, limited: Limited::default() }],
            engine: 10,
            uplinks: vec!["eth0".into()],
            tolerated_wait: Duration::ZERO,
        }
    }
}

fn pressure(total: u64) -> String {
    format!(
        "some avg10=1.50 avg60=0.00 avg300=0.00 total={total}\n\
         full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"
    )
}

fn net_dev(sent: u64, dropped: u64) -> String {
    format!(
        "Inter-|   Receive  |  Transmit\n face |bytes packets\n    \
         lo: 5 5 0 0 0 0 0 0 5 5 0 0 0 0 0 0\n  \
         eth0:9 9 0 0 0 0 0 0 {sent} 1 0 {dropped} 1 0 0 0\n"
    )
}

fn ms(ms: u64) -> Time {
    Time::from_nanos(ms * 1_000_000)
}

fn for_ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn poll(probes: &mut Probes, at: Time) -> Vec<O> {
    let mut seen = Vec::new();
    probes.poll(at, &mut |observation| seen.push(observation));
    seen
}

/// Observations one second after `change`.
fn after(machine: &Machine, change: impl Fn(&Machine)) -> Vec<O> {
    let mut probes = Probes::polling(&machine.places());
    poll(&mut probes, ms(0));
    change(machine);
    poll(&mut probes, ms(1000))
}

const SECOND: Duration = Duration::from_secs(1);

fn used(of: SignalKind, party: Party, amount: u64) -> O {
    O::Used { of, divides: Divided::Unattributed, party, amount, over: SECOND }
}

#[track_caller]
fn assert_seen(seen: &[O], expected: &[O]) {
    for observation in expected {
        assert!(seen.contains(observation), "{observation:?} is not in {seen:#?}");
    }
}

#[test]
fn cpus_are_busy_idle_or_stolen() {
    let seen = after(&Machine::new(), |machine| {
        machine.cpus([[60, 10, 20, 0, 0, 2, 5, 3], [1, 0, 0, 50, 49, 0, 0, 0]]);
    });
    let ticks = |count: u64| Duration::from_millis(10 * count);
    assert_seen(
        &seen,
        &[
            O::CpuInterval { cpu: 0, over: SECOND, idle: Duration::ZERO },
            O::CpuInterval { cpu: 1, over: SECOND, idle: ticks(99) },
            O::Steal { cpu: 0, stolen: ticks(3), over: SECOND },
        ],
    );
    assert_eq!(seen.iter().filter(|o| matches!(o, O::CpuInterval { .. })).count(), 2);
}

#[test]
fn uses_add_up_to_the_machines_total() {
    let seen = after(&Machine::new(), |machine| {
        machine.cpus([[100, 0, 0, 0, 0, 2, 3, 0], [20, 0, 0, 80, 0, 0, 0, 0]]);
        machine.process(2, "kthreadd", 0x20_8040, 4, 0);
        machine.process(10, "netloom", 0, 10, 0);
        machine.process(20, "a) b (c", 0, 5, 0);
        machine.process(30, "spinner", 0, 80, 0);
        // The node used 70 ms, its process 50 ms of that: the rest was used by processes that have
        // ended.
        machine.write("cgroup/x/a/cpu.stat", "usage_usec 70000\nuser_usec 1\n");
    });
    let cpu = |party, ms: u64| used(SignalKind::Cpu, party, ms * 1_000_000);
    let all = 1250;
    assert_seen(
        &seen,
        &[
            cpu(Party::Kernel, 40 + 50),
            cpu(Party::Engine, 100),
            cpu(Party::Node(0), 70),
            cpu(Party::Process(30), 800),
            cpu(Party::Unattributed, all - 90 - 100 - 70 - 800),
            O::Named { what: Subject::Process(30), name: "spinner".into() },
        ],
    );
}

#[test]
fn a_process_that_begins_between_two_looks_counts_whole() {
    let seen = after(&Machine::new(), |machine| machine.process(40, "new", 0, 33, 0));
    assert_seen(&seen, &[used(SignalKind::Cpu, Party::Process(40), 330_000_000)]);
    // A process that existed before counts from the second look on.
    let machine = Machine::new();
    machine.process(30, "spinner", 0, 500, 0);
    let seen = after(&machine, |machine| machine.process(30, "spinner", 0, 501, 0));
    assert_seen(&seen, &[used(SignalKind::Cpu, Party::Process(30), 10_000_000)]);
}

#[test]
fn nodes_wait_fault_and_read() {
    let seen = after(&Machine::new(), |machine| {
        machine.process(20, "a) b (c", 0, 1, 7);
        machine.write("proc/20/schedstat", "5000 12000000 4\n");
        machine.write("proc/20/io", "rchar: 9\nread_bytes: 4096\nwrite_bytes: 8192\n");
        machine.write(
            "cgroup/x/a/memory.stat",
            "workingset_refault_anon 2\nworkingset_refault_file 3\n",
        );
        machine.write("cgroup/x/a/io.pressure", &pressure(40_000));
    });
    let (party, direction, cause) = (Party::Node(0), Direction::In, PageCause::Fault);
    let paged = |pages| O::Paged { direction, cause, party, pages, over: SECOND };
    let stalled = Duration::from_millis(40);
    assert_seen(
        &seen,
        &[
            O::RunQueue { party, delay: Duration::from_millis(3), times: 4 },
            used(SignalKind::Disk, party, 12_288),
            used(SignalKind::MemoryIn, party, 7),
            paged(7),
            paged(5),
            O::Stalled { of: Pressure::Io, party, stalled, over: SECOND },
            O::Stalled { of: Pressure::Cpu, party, stalled: Duration::ZERO, over: SECOND },
        ],
    );
}

#[test]
fn bytes_that_the_kernel_moves_for_others_are_theirs() {
    let moved = |by_kernel: u64| {
        after(&Machine::new(), |machine| {
            for (pid, name, flags, bytes) in [
                (2, "kthreadd", 0x20_8040, by_kernel),
                (20, "a) b (c", 0, 9000),
                (30, "spinner", 0, 1000),
            ] {
                machine.process(pid, name, flags, 1, 0);
                machine.write(
                    &format!("proc/{pid}/io"),
                    &format!("read_bytes: 0\nwrite_bytes: {bytes}\n"),
                );
            }
        })
    };
    let disk = |party, bytes| used(SignalKind::Disk, party, bytes);
    let others = [disk(Party::Node(0), 9000), disk(Party::Process(30), 1000)];
    let is_kernel =
        |seen: &O| matches!(seen, O::Used { of: SignalKind::Disk, party: Party::Kernel, .. });
    let seen = moved(10_000);
    assert_seen(&seen, &others);
    assert!(!seen.iter().any(is_kernel));
    // The excess is the kernel's own.
    let seen = moved(10_512);
    assert_seen(&seen, &others);
    assert_seen(&seen, &[disk(Party::Kernel, 512)]);
}

/// A table of neighbours that refused entries on one of two CPUs.
fn neighbours(refused: &str) -> String {
    format!(
        "entries  allocs   table_fulls\n00000002 00002370 {refused}\n00000002 00002319 00000000\n"
    )
}

#[test]
fn pages_frames_and_uplinks_are_counted() {
    let seen = after(&Machine::new(), |machine| {
        machine.write("proc/vmstat", "pswpin 5\npswpout 0\n");
        machine.write("proc/net/softnet_stat", "000a 0000000f 0\n000b 00000001 0\n");
        machine.write("proc/net/stat/arp_cache", &neighbours("00000011"));
        machine.write("proc/net/dev", &net_dev(125_000, 4));
    });
    let (direction, cause, party) = (Direction::In, PageCause::Swap, Party::Unattributed);
    let size = Size::from_bytes(125_000);
    assert_seen(
        &seen,
        &[
            O::Paged { direction, cause, party, pages: 5, over: SECOND },
            O::Drops { cause: DropCause::SoftnetBacklog, party, frames: 15 },
            O::Drops { cause: DropCause::NeighbourTable, party, frames: 16 },
            O::Forwarded { route: Route::Uplink(0), party, size, over: SECOND },
            O::Drops { cause: DropCause::MachineDevice, party: Party::Engine, frames: 4 },
        ],
    );
    assert!(!seen.iter().any(|o| matches!(o, O::Paged { direction: Direction::Out, .. })));
}

#[test]
fn a_machine_without_swap_is_asked_for_pages_each_second_until_it_has_some() {
    const AREA: &str = "/swap file 1024 0 -2\n";
    let machine = Machine::new();
    let titles = "Filename Type Size Used Priority\n";
    machine.write("proc/swaps", titles);
    let mut probes = Probes::polling(&machine.places());
    let mut pages = |at, count| {
        machine.write("proc/vmstat", &format!("pswpin {count}\npswpout 0\n"));
        let paged = |seen: &O| match seen {
            O::Paged { pages, over, .. } => Some((*pages, *over)),
            _ => None,
        };
        poll(&mut probes, ms(at)).iter().find_map(paged)
    };
    assert_eq!([pages(0, 0), pages(900, 3)], [None; 2]);
    machine.write("proc/swaps", &format!("{titles}{AREA}"));
    assert_eq!([pages(950, 4), pages(1000, 5), pages(1050, 6)], [None, Some((5, SECOND)), None]);
    assert_eq!(pages(1100, 7), Some((2, for_ms(100))));
}

#[test]
fn a_disk_is_busy_if_the_same_requests_hang_or_the_kernel_says_so() {
    let idle_after = |(before, then): ((u64, u64, u64), (u64, u64, u64))| {
        let machine = Machine::new();
        machine.disk(before.0, before.1, before.2);
        let seen = after(&machine, |machine| machine.disk(then.0, then.1, then.2));
        let intervals: Vec<_> = seen
            .iter()
            .filter_map(|o| match o {
                O::DiskInterval { disk, idle, .. } => Some((*disk, *idle)),
                _ => None,
            })
            .collect();
        // Partitions are not disks.
        assert_eq!(intervals.len(), 1, "{intervals:?}");
        intervals[0]
    };
    assert_eq!(idle_after(((5, 1, 0), (5, 1, 0))), (0, for_ms(0)));
    assert_eq!(idle_after(((5, 1, 0), (90, 3, 995))), (0, for_ms(0)));
    assert_eq!(idle_after(((5, 1, 0), (90, 3, 600))), (0, for_ms(400)));
    assert_eq!(idle_after(((5, 0, 0), (5, 0, 0))), (0, for_ms(1000)));
    // It was idle at the first look, so at least for a moment.
    assert_ne!(idle_after(((5, 0, 0), (90, 3, 1000))), (0, for_ms(0)));
}

/// A monitor that has received the reports of a machine's probes at their start, and observations
/// of a spinner.
fn beside_a_spinner(machine: &Machine) -> Monitor {
    let mut monitor = Monitor::new(Criteria::default(), Trust::default(), Time::ZERO);
    for signal in [SignalKind::Lateness, SignalKind::UnmodelledDrop] {
        let watched =
            O::Watched { signal, probe: "engine".into(), cannot_see: vec![], partial: false };
        monitor.observe(Time::ZERO, &watched);
    }
    let mut probes = Probes::polling(&machine.places());
    for n in 0..=40 {
        machine.process(30, "spinner", 0, 5 * n, 0);
        machine.cpus([[5 * n, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 5 * n, 0, 0, 0, 0]]);
        probes.poll(ms(50 * n), &mut |seen| monitor.observe(ms(50 * n), &seen));
        monitor.observe(ms(50 * n), &O::Looked);
    }
    monitor
}

/// Asserts that contention was observed and attributed to the spinner. Returns the blind spots of
/// the report.
fn blind_spots(machine: &Machine) -> Vec<String> {
    let verdict = beside_a_spinner(machine).verdict(ms(2000));
    let cpu = verdict.signals.iter().find(|r| r.on == Resource::Cpu { cpu: 0 }).unwrap();
    assert_eq!(cpu.held, Duration::from_secs(2));
    assert_eq!(cpu.shares[0].who.to_string(), "process 30 (spinner)");
    assert_eq!(cpu.shares[0].amount, 2_000_000_000);
    assert!(
        !verdict
            .signals
            .iter()
            .any(|r| r.signal == SignalKind::Cpu && r.on != cpu.on && !r.episodes.is_empty())
    );
    verdict.coverage.into_iter().flat_map(|coverage| coverage.blind_spots).collect()
}

#[test]
fn a_spinner_is_named_without_psi() {
    let machine = Machine::new();
    machine.remove("proc/pressure");
    let blind = blind_spots(&machine);
    assert!(blind.iter().any(|text| text.contains("no PSI")), "{blind:#?}");
}

#[test]
fn where_cgroups_have_no_psi_the_machine_is_watched_instead() {
    let machine = Machine::new();
    for kind in ["cpu", "memory", "io"] {
        machine.remove(&format!("cgroup/x/a/{kind}.pressure"));
    }
    let mut probes = Probes::polling(&machine.places());
    let first = poll(&mut probes, ms(0));
    let blind = |o: &O| match o {
        O::Watched { cannot_see, .. } => cannot_see.concat().contains("only the whole machine"),
        _ => false,
    };
    assert!(first.iter().any(blind), "{first:#?}");
    machine.write("proc/pressure/io", &pressure(40_000));
    let (party, stalled) = (Party::Unattributed, for_ms(40));
    assert_seen(
        &poll(&mut probes, ms(1000)),
        &[O::Stalled { of: Pressure::Io, party, stalled, over: SECOND }],
    );
}

#[test]
fn losses_in_the_kernel_are_a_part_of_all_losses() {
    let mut probes = Probes::polling(&Machine::new().places());
    let seen = poll(&mut probes, ms(0));
    let watches = |o: &&O| matches!(o, O::Watched { signal: SignalKind::UnmodelledDrop, .. });
    let watching: Vec<_> = seen.iter().filter(watches).collect();
    assert_eq!(watching.len(), 3, "{watching:?}");
    let is_partial = |seen: &&O| matches!(seen, O::Watched { partial: true, .. });
    assert!(watching.iter().all(is_partial), "{watching:?}");
}

#[test]
fn probes_are_polled_together_at_multiples_of_their_periods() {
    let mut probes = Probes::polling(&Machine::new().places());
    let mut times = vec![];
    let mut now = Time::from_nanos(3);
    for _ in 0..4 {
        poll(&mut probes, now);
        now = probes.next_poll();
        times.push(now);
    }
    assert_eq!(times, [ms(50), ms(100), ms(150), ms(200)]);
}

#[test]
fn a_node_is_asked_for_pressure_where_the_cgroup_above_has_any() {
    let machine = Machine::new();
    let total = |cgroup: &str, of: &str, total| {
        machine.write(&format!("cgroup/{cgroup}/{of}.pressure"), &pressure(total));
    };
    let both = |of, sum| ["x", "x/a"].into_iter().for_each(|cgroup| total(cgroup, of, sum));
    // Nothing has ever stood still for lack of a disk.
    [("cpu", 7), ("memory", 7), ("io", 0)].into_iter().for_each(|(of, sum)| both(of, sum));
    let mut probes = Probes::polling(&machine.places());
    let mut stalls = |at| -> Vec<(Pressure, Duration, Duration)> {
        let stall = |seen| match seen {
            O::Stalled { of, party: Party::Node(0), stalled, over } => Some((of, stalled, over)),
            _ => None,
        };
        poll(&mut probes, at).into_iter().filter_map(stall).collect()
    };
    stalls(ms(0));
    // Zero is reported once.
    let none = [Pressure::Cpu, Pressure::Memory, Pressure::Io].map(|of| (of, for_ms(0), SECOND));
    assert_eq!(stalls(ms(1000)), none);
    assert_eq!(stalls(ms(2000)), []);
    both("io", 40_000);
    // The cgroup above reports nothing, so the node's file is not read.
    total("x/a", "memory", 9_999);
    assert_eq!(stalls(ms(3000)), [(Pressure::Io, for_ms(40), SECOND)]);
    total("x", "memory", 8);
    total("x/a", "memory", 60_007);
    assert_eq!(stalls(ms(4000)), [(Pressure::Memory, for_ms(60), SECOND)]);
}

#[test]
fn a_cgroup_that_comes_later_is_found() {
    let machine = Machine::new();
    let cgroup = machine.path("cgroup/x/a");
    fs::rename(&cgroup, machine.path("elsewhere")).unwrap();
    let mut probes = Probes::polling(&machine.places());
    poll(&mut probes, ms(0));
    fs::rename(machine.path("elsewhere"), &cgroup).unwrap();
    poll(&mut probes, ms(2000));
    machine.write("cgroup/x/a/io.pressure", &pressure(40_000));
    machine.write("cgroup/x/a/cpu.stat", "usage_usec 70000\n");
    let seen = poll(&mut probes, ms(3000));
    let (of, party, stalled) = (Pressure::Io, Party::Node(0), for_ms(40));
    let used = used(SignalKind::Cpu, party, 70_000_000);
    assert_seen(&seen, &[O::Stalled { of, party, stalled, over: SECOND }, used]);
}

#[test]
fn a_spinner_is_named_without_cgroup_delegation() {
    let machine = Machine::new();
    machine.write("cgroup/x/cgroup.subtree_control", "\n");
    machine.remove("cgroup/x/a/memory.stat");
    let blind = blind_spots(&machine);
    assert!(blind.iter().any(|text| text.contains("not delegated")), "{blind:#?}");
}

#[test]
fn a_spinner_is_named_without_cgroups_and_schedstat() {
    let machine = Machine::new();
    machine.remove("cgroup");
    for pid in [2, 10, 20, 30] {
        machine.remove(&format!("proc/{pid}/schedstat"));
        machine.remove(&format!("proc/{pid}/io"));
    }
    let blind = blind_spots(&machine);
    assert!(
        blind.iter().any(|text| text.contains("/proc/PID/schedstat does not watch")),
        "{blind:#?}"
    );
    assert!(blind.iter().any(|text| text.contains("/proc/PID/io does not watch")), "{blind:#?}");
}

#[test]
fn an_empty_machine_is_blind_and_says_so() {
    let root = tempfile::tempdir().unwrap();
    let nowhere = |name: &str| root.path().join(name);
    let places = ProcRoots {
        proc: nowhere("proc"),
        sys: nowhere("sys"),
        nodes: vec![],
        engine: 1,
        uplinks: vec![],
        tolerated_wait: Duration::ZERO,
    };
    let mut probes = Probes::polling(&places);
    let seen = poll(&mut probes, ms(0));
    assert!(seen.iter().all(|o| matches!(o, O::Unwatched { .. })), "{seen:#?}");
    assert!(poll(&mut probes, ms(2000)).is_empty());
    let mut monitor = Monitor::new(Criteria::default(), Trust::default(), ms(0));
    seen.iter().for_each(|observation| monitor.observe(ms(0), observation));
    assert_eq!(monitor.verdict(ms(2000)).findings.len(), 4);
}

#[test]
fn garbage_is_not_counted_and_does_not_panic() {
    let machine = Machine::new();
    let files = [
        "proc/stat",
        "proc/vmstat",
        "proc/diskstats",
        "proc/net/dev",
        "proc/net/softnet_stat",
        "proc/net/stat/arp_cache",
        "proc/net/stat/ndisc_cache",
        "proc/20/stat",
        "proc/20/schedstat",
        "proc/20/io",
        "cgroup/x/a/cpu.stat",
        "cgroup/x/a/cpu.pressure",
    ];
    for text in [
        "",
        "\n\n",
        "cpu",
        "cpu0",
        "cpu0 1 2",
        "1 (",
        "1 )(",
        "1 (x) S 1",
        "eth0:",
        "some total=",
        "\u{fffd}",
        "cpu4294967296 1 2 3 4 5 6 7 8",
        "cpu4294967295 1 2 3",
        "0 0 vda 1 2 3",
        "usage_usec x",
        "zz zz zz",
    ] {
        let seen =
            after(&machine, |machine| files.iter().for_each(|file| machine.write(file, text)));
        let counted =
            |o: &&O| matches!(o, O::CpuInterval { .. } | O::Stalled { of: Pressure::Cpu, .. });
        assert_eq!(seen.iter().find(counted), None, "{text:?}");
        machine.cpus([[0; 8], [0; 8]]);
    }
}

#[test]
fn the_real_machine_is_observed() {
    let places = ProcRoots::of_this_machine(vec![]);
    let mut probes = Probes::polling(&places);
    poll(&mut probes, ms(0));
    std::thread::sleep(std::time::Duration::from_millis(30));
    let seen = poll(&mut probes, ms(1000));
    let cpus = std::thread::available_parallelism().unwrap().get();
    let intervals = seen.iter().filter(|o| matches!(o, O::CpuInterval { .. })).count();
    assert!(intervals >= cpus, "{intervals} of {cpus} CPUs");
}
