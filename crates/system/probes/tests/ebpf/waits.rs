//! How long tasks of nodes wait for a CPU, and who holds it meanwhile.

use std::error::Error;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::process::Command;
use std::sync::{Arc, Barrier, mpsc};
use std::thread;
use std::time::{Duration as StdDuration, Instant};

use aya::programs::BtfTracePoint;
use aya::{Btf, Ebpf, EbpfLoader};
use netloom_monitor::{Observation as O, Party};
use netloom_probes::{Limited, Node, ProcRoots};
use netloom_units::Duration;
use nix::sched::{CloneFlags, unshare};
use nix::time::{ClockId, ClockNanosleepFlags, clock_gettime, clock_nanosleep};

use super::{MS, Watch, pin, spin};

/// Runs `work` in a node of its own. Waits beyond `tolerated` are watched from just before it until
/// it ends. Returns `None` and prints why if that is not permitted.
fn in_a_node<T: Send + 'static>(
    tolerated: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<(Watch, T)> {
    let (inode, node) = mpsc::channel();
    let (give, given) = mpsc::channel();
    let (go, gone) = mpsc::channel();
    let worker = thread::spawn(move || {
        unshare(CloneFlags::CLONE_NEWNET).map_err(|error| inode.send(Err(error))).ok()?;
        inode.send(Ok(fs::metadata("/proc/thread-self/ns/net").unwrap().ino())).unwrap();
        gone.recv().ok()?;
        give.send(work()).ok()?;
        // The namespace lives while it is watched: its number might soon belong to another.
        gone.recv().ok()
    });
    let netns = match node.recv().unwrap() {
        Ok(inode) => inode,
        Err(error) => {
            println!("skipped: no network namespace for us: {error}");
            return None;
        }
    };
    let node =
        Node { name: "a".into(), netns: Some(netns), cgroup: None, limited: Limited::default() };
    let mut places = ProcRoots::of_this_machine(vec![node]);
    places.tolerated_wait = tolerated;
    let mut watch = Watch::at(&places)?;
    let (party, delay) = (Party::Node(0), Duration::ZERO);
    let observed = O::RunQueue { party, delay, times: 0 };
    assert!(watch.seen.iter().any(|(_, seen)| *seen == observed), "{:?}", watch.seen);
    watch.seen.clear();
    go.send(()).unwrap();
    let given = given.recv().unwrap();
    watch.look_for(StdDuration::from_millis(300));
    go.send(()).unwrap();
    worker.join().unwrap().unwrap();
    Some((watch, given))
}

/// Runs `spin` in this many threads of this thread's node on CPU 0. Returns how long they waited
/// for it, in ns, and how many times, including this thread's own waits.
fn on_one_cpu(threads: usize, spin: fn()) -> (u64, u64) {
    let before = schedstat();
    let spinner = |_| {
        thread::spawn(move || {
            pin(0);
            spin();
            schedstat()
        })
    };
    let spinners: Vec<_> = (0..threads).map(spinner).collect();
    let each = spinners.into_iter().map(|thread| thread.join().unwrap());
    let all = each.fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
    let own = schedstat();
    (own.0 - before.0 + all.0, own.1 - before.1 + all.1)
}

/// Total of the reported waits, in ns, and their number.
fn reported_waits(watch: &Watch) -> (u64, u64) {
    let lengths = watch.seen.iter().filter_map(|(_, seen)| match seen {
        O::Waited { party: Party::Node(0), began, ended, .. } => {
            Some(began.saturating_sub(*ended).as_nanos())
        }
        _ => None,
    });
    lengths.fold((0, 0), |(sum, times), length| (sum + length, times + 1))
}

/// Reported waits of a node's tasks equal those that the kernel counts in `/proc/PID/schedstat`.
#[test]
fn reported_waits_equal_those_of_schedstat() {
    let spinners = || on_one_cpu(2, || spin(StdDuration::from_millis(400)));
    let Some((watch, (waited, times))) = in_a_node(Duration::ZERO, spinners) else { return };
    let (reported, reported_times) = reported_waits(&watch);
    // Two spinners on one CPU wait half of the time.
    assert!(waited > 200 * MS, "{waited}");
    // The first and the last switch of each of three threads are in one of the counts only.
    assert!(reported_times <= times + 6, "{reported_times} of {times}");
    // The two clocks are read at most some 10 µs apart. Less than a sixteenth of all waits may not
    // be reported yet.
    let slack = times * 30_000 + 6 * 4 * MS;
    assert!(
        reported < waited + slack && reported + slack + waited / 16 > waited,
        "{reported} of {waited}"
    );
}

/// Threads that give way to each other all the time, so that each of them is late nearly all the
/// time, need few events.
#[test]
fn consecutive_waits_are_reported_together() {
    let giving_way = || {
        on_one_cpu(3, || {
            let end = Instant::now() + StdDuration::from_millis(600);
            while Instant::now() < end {
                thread::yield_now();
            }
        })
    };
    let tolerated = Duration::from_millis(1);
    let Some((watch, (waited, times))) = in_a_node(tolerated, giving_way) else { return };
    let (reported, reported_times) = reported_waits(&watch);
    // Two of three wait at any time.
    assert!(waited > 600 * MS, "{waited} in {times}");
    // Each thread is late from its first millisecond on, and less than a sixteenth of that may not
    // be reported yet. From 1/8 ms on, each event reports 1/16 more than the last: at most 150 for
    // each of three threads until 1 s.
    assert!(reported_times < 450, "{reported_times}");
    if times < 10_000 {
        // Other processes hold the CPU for whole slices. A thread that gets one is on time again,
        // and its next wait is tolerated for the first millisecond.
        println!("only {times} waits: what they sum up to is not compared");
        return;
    }
    let slack = 12 * MS + waited / 10;
    assert!(reported.abs_diff(waited) < slack, "{reported} of {waited}");
}

/// Three threads that share a CPU for 0.2 s: each waits for twice as long as it runs.
fn three_spinners() {
    on_one_cpu(3, || spin(StdDuration::from_millis(200)));
}

#[test]
fn a_preempted_task_carries_its_waits() {
    let timed = || {
        let began = Instant::now();
        three_spinners();
        began.elapsed().as_nanos() as u64
    };
    let Some((watch, lasted)) = in_a_node(Duration::from_millis(1), timed) else { return };
    let carried = watch.seen.iter().filter_map(|(_, seen)| match seen {
        O::Waited { carried, .. } => Some(carried.as_nanos()),
        _ => None,
    });
    // Two thirds of 0.2 s, and more beside other work: the time that all threads took, less the
    // time that this one ran.
    let carried = carried.max().unwrap_or(0);
    assert!(carried > 20 * MS && carried < lasted, "{carried} of {lasted}");
}

/// A wait is attributed to the party that holds the CPU meanwhile: another task of the node, or a
/// task of no node. Real-time threads take turns on CPU 0, so that other work of the machine has no
/// part in it.
#[test]
fn a_wait_is_attributed_to_the_holder_of_the_cpu() {
    let three = || before_all_others().then(|| on_one_cpu(3, take_turns));
    let Some((watch, waited)) = in_a_node(Duration::ZERO, three) else { return };
    let Some((waited, _)) = waited else { return };
    // Two of three wait at any time.
    assert!(waited > 300 * MS, "{waited}");
    assert_put_down_to(Party::Node(0), waited, &watch);

    let start = Arc::new(Barrier::new(2));
    let with = Arc::clone(&start);
    // A thread of this process, which the probe takes for the engine.
    let beside = thread::spawn(move || {
        pin(0);
        assert!(before_all_others());
        with.wait();
        take_turns();
    });
    let one = move || {
        pin(0);
        assert!(before_all_others());
        start.wait();
        let (before, _) = schedstat();
        take_turns();
        schedstat().0 - before
    };
    let (watch, waited) = in_a_node(Duration::ZERO, one).unwrap();
    beside.join().unwrap();
    assert!(waited > 80 * MS, "{waited}");
    assert_put_down_to(Party::Engine, waited, &watch);
}

/// Gives this thread, and the threads that it starts, a real-time priority. Returns `false` and
/// prints why if that is not permitted.
fn before_all_others() -> bool {
    let thread = nix::unistd::gettid().to_string();
    let output = Command::new("chrt").args(["--fifo", "--pid", "1", &thread]).output();
    let permitted = matches!(&output, Ok(output) if output.status.success());
    if !permitted {
        println!("skipped: no real-time priority for us: {output:?}");
    }
    permitted
}

/// Holds the CPU for 2 ms, then gives way to others of the same priority, and so on for 0.2 s.
fn take_turns() {
    let began = Instant::now();
    while began.elapsed() < StdDuration::from_millis(200) {
        spin(StdDuration::from_millis(2));
        thread::yield_now();
    }
}

/// Asserts that nearly all waits of a node of the highest priority are reported, and attributed to
/// this party.
fn assert_put_down_to(party: Party, waited: u64, watch: &Watch) {
    let reported = put_down_to(party, watch);
    // Less than a sixteenth may not be reported yet, and a thread's first wait is the one for its
    // start.
    assert!(reported > waited / 4 * 3, "{reported} of {waited}: {:?}", watch.seen);
    for other in [Party::Node(0), Party::Engine, Party::Kernel] {
        let others = if other == party { 0 } else { put_down_to(other, watch) };
        assert!(others < waited / 4, "{other:?} {others} of {waited}: {:?}", watch.seen);
    }
}

/// How long the node waited for this party, in ns.
fn put_down_to(party: Party, watch: &Watch) -> u64 {
    let waits = watch.seen.iter().filter_map(|(_, seen)| match seen {
        O::Waited { began, ended, by, .. } if *by == party => {
            Some(began.saturating_sub(*ended).as_nanos())
        }
        _ => None,
    });
    waits.sum()
}

/// Sleeps until `after` has passed since `began`, on a clock that programs read. Returns how late
/// it woke.
fn sleep_until(began: StdDuration, after: StdDuration) -> StdDuration {
    let until = began + after;
    let flags = ClockNanosleepFlags::TIMER_ABSTIME;
    clock_nanosleep(ClockId::CLOCK_REALTIME, flags, &until.into()).unwrap();
    now() - until
}

/// The time of a clock that is not the kernel's own.
fn now() -> StdDuration {
    clock_gettime(ClockId::CLOCK_REALTIME).unwrap().into()
}

/// A task that sleeps while its CPU stands still waits from the time at which it was to wake.
#[test]
fn a_late_timer_is_a_wait() {
    let sleeping = || {
        pin(0);
        // Records of a task begin when it first sleeps.
        thread::sleep(StdDuration::from_millis(1));
        let stall = stall_this_thread(StdDuration::from_millis(10));
        let late = sleep_until(now(), StdDuration::from_millis(5));
        stall.map(|_| late)
    };
    let Some((watch, late)) = in_a_node(Duration::from_millis(1), sleeping) else { return };
    let Some(late) = late else { return };
    let late = late.as_nanos() as u64;
    assert!(late > 4 * MS, "the CPU did not stand still: {late}");
    let longest = watch.seen.iter().filter_map(|(_, seen)| match seen {
        O::Waited { began, ended, .. } => Some(began.saturating_sub(*ended).as_nanos()),
        _ => None,
    });
    let longest = longest.max().unwrap_or(0);
    // The kernel may serve the timer of an ordinary task 50 us later than requested, without being
    // late.
    assert!(longest <= late && longest + MS > late, "{longest} of {late}");
}

/// A task that asks to be woken at a past time waits for nothing: the task itself is late.
#[test]
fn a_timer_in_the_past_is_not_a_wait() {
    let late = || {
        let began = now();
        thread::sleep(StdDuration::from_millis(100));
        for _ in 0..100 {
            assert!(sleep_until(began, StdDuration::from_millis(1)).as_millis() > 90);
        }
    };
    let Some((watch, ())) = in_a_node(Duration::from_millis(50), late) else { return };
    // Beside other work, it may really wait now and then, but never each time.
    let (waited, times) = reported_waits(&watch);
    assert!(times < 50, "{waited} ns in {times} waits");
}

/// Makes this thread's CPU stand still for `length` when the thread next sleeps, until the returned
/// value is dropped. Returns `None` and prints why if the kernel has no such programs.
fn stall_this_thread(length: StdDuration) -> Option<Ebpf> {
    let attached = || -> Result<Ebpf, Box<dyn Error>> {
        let object = aya::include_bytes_aligned!("../../bpf/stall.bpf.o");
        let types = Btf::from_sys_fs()?;
        let (sleeper, stall_ns) = (nix::unistd::gettid().as_raw() as u32, length.as_nanos() as u64);
        let mut loader = EbpfLoader::new();
        loader.override_global("sleeper", &sleeper, true);
        loader.override_global("stall_ns", &stall_ns, true);
        let mut ebpf = loader.btf(Some(&types)).load(object)?;
        let program = ebpf.program_mut("sched_switch").ok_or("there is no such program")?;
        let program: &mut BtfTracePoint = program.try_into()?;
        program.load("sched_switch", &types)?;
        program.attach()?;
        Ok(ebpf)
    };
    attached()
        .map_err(|error| println!("skipped: CPUs cannot be made to stand still: {error}"))
        .ok()
}

/// Waits no longer than tolerated are not reported.
#[test]
fn short_waits_are_not_reported() {
    let Some((watch, _)) = in_a_node(Duration::from_secs(1), three_spinners) else { return };
    assert_eq!(reported_waits(&watch), (0, 0));
}

/// Time that this thread waited for a CPU, in ns, and how many times it ran.
fn schedstat() -> (u64, u64) {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    let columns: Vec<u64> = text.split_whitespace().map(|word| word.parse().unwrap()).collect();
    (columns[1], columns[2])
}
