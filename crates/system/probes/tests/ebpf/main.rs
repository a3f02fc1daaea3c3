//! Event-driven probes on the running kernel. They need root. If the kernel permits no BPF, the
//! tests print so and end.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration as StdDuration, Instant};

use netloom_monitor::{
    BusyStretch, Coverage, Criteria, Monitor, Observation as O, Party, SignalKind, Subject, Trust,
};
use netloom_probes::{Limited, Node, Probes, ProcRoots};
use netloom_units::{Duration, Time};
use nix::sched::{CloneFlags, CpuSet, sched_setaffinity, unshare};
use nix::unistd::Pid;

mod waits;

const TYPES: &str = "/sys/kernel/btf/vmlinux";

/// The probes, and all observations that they have reported.
struct Watch {
    probes: Probes,
    began: Instant,
    seen: Vec<(Time, O)>,
}

impl Watch {
    /// `None` if the kernel does not permit it. Then it prints why.
    fn start(nodes: Vec<Node>) -> Option<Self> {
        Self::at(&ProcRoots::of_this_machine(nodes))
    }

    fn at(places: &ProcRoots) -> Option<Self> {
        let probes = Probes::best(places);
        let mut watch = Self { probes, began: Instant::now(), seen: vec![] };
        watch.look();
        let why = watch.seen.iter().find_map(|(_, seen)| match seen {
            O::Unwatched { probe, why, .. } if probe.starts_with("eBPF") => Some(why.clone()),
            _ => None,
        });
        let Some(why) = why else { return Some(watch) };
        let should = nix::unistd::geteuid().is_root() && Path::new(TYPES).exists();
        assert!(!should, "this kernel has BTF, we are root, and yet: {why}");
        println!("skipped: {why}");
        None
    }

    fn look(&mut self) {
        let at = Time::from_nanos(self.began.elapsed().as_nanos() as u64);
        self.probes.poll(at, &mut |seen| self.seen.push((at, seen)));
    }

    /// Looks every 20 ms for this long.
    fn look_for(&mut self, length: StdDuration) {
        let end = Instant::now() + length;
        while Instant::now() < end {
            thread::sleep(StdDuration::from_millis(20));
            self.look();
        }
    }

    /// The stretches of a CPU in order: the last report of each, and the total use by party.
    fn stretches(&self, of: u32) -> Vec<(BusyStretch, BTreeMap<Party, u64>)> {
        let mut stretches = BTreeMap::<u64, (BusyStretch, BTreeMap<Party, u64>)>::new();
        for (_, seen) in &self.seen {
            let O::CpuStretch { cpu, stretch } = seen else { continue };
            if *cpu == of && stretch.number != 0 {
                let new = || (stretch.clone(), BTreeMap::new());
                let (last, uses) = stretches.entry(stretch.number).or_insert_with(new);
                *last = stretch.clone();
                for (party, ns) in &stretch.by {
                    *uses.entry(*party).or_default() += ns;
                }
            }
        }
        stretches.into_values().collect()
    }
}

fn length_of(stretch: &BusyStretch) -> u64 {
    stretch.began.as_nanos() - stretch.ended.unwrap_or_default().as_nanos()
}

fn pin(cpu: usize) {
    let mut set = CpuSet::new();
    set.set(cpu).unwrap();
    sched_setaffinity(Pid::from_raw(0), &set).unwrap();
}

fn spin(length: StdDuration) {
    let began = Instant::now();
    while began.elapsed() < length {
        std::hint::spin_loop();
    }
}

const MS: u64 = 1_000_000;
/// A tick of the kernel's clock for user space.
const TICK_NS: u64 = 10 * MS;

/// A process that does not give up its CPU makes a stretch, and all of its time is attributed.
#[test]
fn a_lone_spinner_is_seen_while_it_spins() {
    let Some(mut watch) = Watch::start(vec![]) else { return };
    let spinner = thread::spawn(|| {
        pin(0);
        spin(StdDuration::from_millis(500));
    });
    watch.look_for(StdDuration::from_millis(400));
    let stretches = watch.stretches(0);
    let (longest, uses) = stretches.iter().max_by_key(|(last, _)| length_of(last)).unwrap();
    // The spinner ran all the time but for its start.
    assert!(length_of(longest) > 300 * MS, "{stretches:?}");
    assert!(uses[&Party::Engine] > 0, "{uses:?}");
    spinner.join().unwrap();
    // The CPU may be busy with something else for a while.
    watch.look_for(StdDuration::from_millis(2000));
    for (last, uses) in watch.stretches(0) {
        let (length, sum) = (length_of(&last), uses.values().sum::<u64>());
        // Every nanosecond is attributed, until the end of the stretch, or at least until the last
        // look.
        if last.ended.is_some() && length >= 10 * MS {
            assert_eq!(sum, length, "{uses:?}");
        } else if length >= 10 * MS {
            assert!(sum >= length, "{uses:?} in {length}");
        }
    }
}

/// A busy loop that rests for a moment far shorter than a tick does not count as busy without a
/// break.
#[test]
fn a_short_idle_moment_ends_a_stretch() {
    let Some(mut watch) = Watch::start(vec![]) else { return };
    let mut tries = 0;
    loop {
        watch.seen.clear();
        let rester = thread::spawn(|| {
            pin(0);
            for _ in 0..10 {
                spin(StdDuration::from_millis(30));
                thread::sleep(StdDuration::from_micros(1));
            }
        });
        watch.look_for(StdDuration::from_millis(260));
        rester.join().unwrap();
        let reported: Vec<u64> =
            watch.stretches(0).iter().map(|(last, _)| length_of(last)).collect();
        // At least three rests were observed.
        if reported.iter().filter(|length| (29 * MS..60 * MS).contains(length)).count() >= 3 {
            return;
        }
        tries += 1;
        if tries == 20 {
            println!("skipped: something else ran on CPU 0 whenever the test rested: {reported:?}");
            return;
        }
    }
}

/// A shell that counts on request, confirms, and then waits. It is killed at the end of the test.
struct Counting(Child);

impl Counting {
    fn new(in_a_namespace: bool) -> Self {
        let mut shell = Command::new("sh");
        let count = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
        let script = format!("echo; read go; {count}; echo; read end");
        shell.args(["-c", &script]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let unshare = move || match in_a_namespace {
            true => Ok(unshare(CloneFlags::CLONE_NEWNET)?),
            false => Ok(()),
        };
        // SAFETY: a single system call, which is safe between `fork` and `exec`.
        unsafe { shell.pre_exec(unshare) };
        let mut counting = Self(shell.spawn().unwrap());
        counting.said();
        counting
    }

    fn count(&mut self) {
        writeln!(self.0.stdin.as_mut().unwrap(), "go").unwrap();
        self.said();
    }

    fn said(&mut self) {
        self.0.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
    }

    fn netns(&self) -> u64 {
        fs::metadata(format!("/proc/{}/ns/net", self.0.id())).unwrap().ino()
    }

    /// Its CPU time in ticks, of user and system mode.
    fn ticks(&self) -> u64 {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.0.id())).unwrap();
        let words: Vec<&str> = stat.split(' ').collect();
        words[13].parse::<u64>().unwrap() + words[14].parse::<u64>().unwrap()
    }
}

impl Drop for Counting {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The use of processes is reported in full: of a node from the first look on, and of a process
/// outside that began later.
#[test]
fn what_processes_use_is_theirs() {
    if !nix::unistd::geteuid().is_root() {
        println!("skipped: no network namespace for us");
        return;
    }
    let mut inside = Counting::new(true);
    let (netns, limited) = (Some(inside.netns()), Limited::default());
    let node = Node { name: "a".into(), netns, cgroup: None, limited };
    let before = inside.ticks();
    let Some(mut watch) = Watch::start(vec![node]) else { return };
    let mut outside = Counting::new(false);
    inside.count();
    outside.count();

    let pid = outside.0.id();
    let used = [(Party::Node(0), inside.ticks() - before), (Party::Process(pid), outside.ticks())];
    let reported = |watch: &Watch, party| {
        watch.seen.iter().find_map(|(_, seen)| match seen {
            O::Used { of: SignalKind::Cpu, party: of, amount, .. } if *of == party => Some(*amount),
            _ => None,
        })
    };
    // The next look at processes includes all of it.
    while reported(&watch, Party::Node(0)).is_none() {
        watch.look_for(StdDuration::from_millis(100));
        assert!(watch.began.elapsed() < StdDuration::from_secs(60), "{:?}", watch.seen);
    }
    for (party, ticks) in used {
        let reported = reported(&watch, party).unwrap() / TICK_NS;
        // The file rounds two parts down.
        assert!(ticks > 2 && reported.abs_diff(ticks) <= 1, "{party:?} {reported} of {ticks}");
    }
    let (what, name) = (Subject::Process(pid), "sh".to_owned());
    let named = O::Named { what, name };
    assert!(watch.seen.iter().any(|(_, seen)| *seen == named), "{:?}", watch.seen);
}

/// In a PID namespace, processes have other IDs than in the first namespace.
#[test]
fn processes_have_the_numbers_of_their_pid_namespace() {
    if Watch::start(vec![]).is_none() {
        return;
    }
    for test in ["what_processes_use_is_theirs", "a_lone_spinner_is_seen_while_it_spins"] {
        let mut inside = Command::new("unshare");
        inside.args(["--pid", "--fork", "--mount-proc", "--kill-child"]);
        inside.arg(std::env::current_exe().unwrap()).args(["--exact", "--nocapture", test]);
        let output = inside.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.contains("1 passed") && !said.contains("skipped"), "{output:?}");
    }
}

/// A disk that is written to without a break has stretches, and they end.
#[test]
fn a_disk_that_is_written_to_is_busy_and_then_not() {
    let Some(mut watch) = Watch::start(vec![]) else { return };
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().join("written");
    let device = fs::metadata(folder.path()).unwrap().dev();
    let disk = nix::sys::stat::major(device) << 20 | nix::sys::stat::minor(device);
    let writer = thread::spawn(move || {
        let mut file = File::create(path).unwrap();
        for _ in 0..256 {
            file.write_all(&vec![1; 1 << 20]).unwrap();
        }
        // All of it is written at once, so that the queue does not run dry.
        file.sync_all().unwrap();
    });
    while !writer.is_finished() {
        watch.look_for(StdDuration::from_millis(20));
    }
    writer.join().unwrap();
    let of_disk = |seen: &O| match seen {
        O::DiskStretch { disk: reported, stretch } => {
            (*reported as u64 == disk).then(|| stretch.clone())
        }
        _ => None,
    };
    let reported: Vec<BusyStretch> =
        watch.seen.iter().filter_map(|(_, seen)| of_disk(seen)).collect();
    if reported.is_empty() {
        return println!("skipped: device {disk:#x} is no disk of its own");
    }
    assert!(reported.iter().any(|stretch| length_of(stretch) > 10 * MS), "{reported:?}");
    let named = |(_, seen): &(Time, O)| match seen {
        O::Named { what: Subject::Disk(reported), .. } => *reported as u64 == disk,
        _ => false,
    };
    assert!(watch.seen.iter().any(named));
    // Other writers rest at some time within 20 s.
    let idle = (0..1000).any(|_| {
        watch.seen.clear();
        watch.look_for(StdDuration::from_millis(20));
        watch.seen.iter().filter_map(|(_, seen)| of_disk(seen)).any(|s| s == BusyStretch::none())
    });
    assert!(idle, "a request has been pending for 20 s");
}

const WITHOUT_RIGHTS: &str = "NETLOOM_TEST_WITHOUT_RIGHTS";

/// A user who may not load programs is notified, and gets the polling probes.
#[test]
fn without_rights_the_polling_probes_take_over() {
    if std::env::var_os(WITHOUT_RIGHTS).is_none() {
        // Another user has no capabilities.
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["without_rights_the_polling_probes_take_over", "--exact"]);
        child.env(WITHOUT_RIGHTS, "1");
        if nix::unistd::geteuid().is_root() {
            child.uid(65534).gid(65534);
        }
        let output = child.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && said.contains("1 passed"), "{said}");
        return;
    }
    let mut monitor = Monitor::new(Criteria::default(), Trust::default(), Time::ZERO);
    let mut probes = Probes::best(&ProcRoots::of_this_machine(vec![]));
    probes.poll(Time::ZERO, &mut |seen| monitor.observe(Time::ZERO, &seen));
    let coverage = monitor.verdict(Time::ZERO + Duration::from_secs(1)).coverage;
    let of = |signal| coverage.iter().find(|c: &&Coverage| c.signal == signal).unwrap();
    for (signal, polling) in
        [(SignalKind::Cpu, "/proc/stat"), (SignalKind::Disk, "/proc/diskstats")]
    {
        let Coverage { probes, blind_spots, .. } = of(signal);
        assert_eq!(probes, &[polling]);
        let reported =
            blind_spots.iter().any(|spot| spot.contains("CAP_BPF") && spot.contains("eBPF"));
        assert!(reported, "{blind_spots:?}");
    }
}
