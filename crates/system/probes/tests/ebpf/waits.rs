//! How long tasks of nodes wait for a CPU, and who has it meanwhile.

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
use netloom_probes::{Limited, Node, Places};
use netloom_units::Duration;
use nix::sched::{CloneFlags, unshare};
use nix::time::{ClockId, ClockNanosleepFlags, clock_gettime, clock_nanosleep};

use super::{MS, Watch, pin, spin};

/// What `work` gives in a node of its own, of which waits beyond `tolerated` are watched from just
/// before until it ends. Nothing where that is not permitted, which is printed.
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
        // The namespace stays while it is watched: its number would be another's soon.
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
    let mut places = Places::of_this_machine(vec![node]);
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

/// Runs `spin` in so many threads of this one's node on CPU 0; what they waited for it, in ns, and
/// how many times, with this thread's own.
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

/// The waits that were told, in ns, and how many.
fn told_waits(watch: &Watch) -> (u64, u64) {
    let lengths = watch.seen.iter().filter_map(|(_, seen)| match seen {
        O::Waited { party: Party::Node(0), began, ended, .. } => {
            Some(began.saturating_sub(*ended).as_nanos())
        }
        _ => None,
    });
    lengths.fold((0, 0), |(sum, times), length| (sum + length, times + 1))
}

/// Waits of a node's tasks are those that the kernel counts in `/proc/PID/schedstat`.
#[test]
fn waits_are_those_of_schedstat() {
    let spinners = || on_one_cpu(2, || spin(StdDuration::from_millis(400)));
    let Some((watch, (waited, times))) = in_a_node(Duration::ZERO, spinners) else { return };
    let (told, told_times) = told_waits(&watch);
    // Two spinners on one CPU wait half of the time.
    assert!(waited > 200 * MS, "{waited}");
    // The first and the last switches of the threads are not within both counts: two for each of
    // three.
    assert!(told_times <= times + 6, "{told_times} of {times}");
    // The two clocks are read at most some 10 µs apart. What is less than a sixteenth of all may
    // still wait to be told.
    let slack = times * 30_000 + 6 * 4 * MS;
    assert!(told < waited + slack && told + slack + waited / 16 > waited, "{told} of {waited}");
}

/// Threads that give way to each other all the time, each of which is late for nearly all of it,
/// need few events.
#[test]
fn waits_that_follow_each_other_are_told_together() {
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
    let (told, told_times) = told_waits(&watch);
    // Two of three wait at any time.
    assert!(waited > 600 * MS, "{waited} in {times}");
    // Each is late from its first millisecond on; less than a sixteenth of that may still wait to
    // be told. From 1/8 ms on, each event tells 1/16 more than the last: 150 at most for each of
    // three until 1 s.
    assert!(told_times < 450, "{told_times}");
    if times < 10_000 {
        // Others have the CPU for whole slices: whoever gets one is on time again, and its next
        // wait is tolerated for its first millisecond.
        println!("only {times} waits: what they sum up to is not compared");
        return;
    }
    let slack = 12 * MS + waited / 10;
    assert!(told.abs_diff(waited) < slack, "{told} of {waited}");
}

/// Three threads that share a CPU for 0.2 s: each waits for twice as long as it runs.
fn three_spinners() {
    on_one_cpu(3, || spin(StdDuration::from_millis(200)));
}

#[test]
fn a_task_that_is_preempted_carries_what_it_has_waited() {
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
    // Two thirds of 0.2 s, and more beside other work: of the time that all took, less what it ran.
    let carried = carried.max().unwrap_or(0);
    assert!(carried > 20 * MS && carried < lasted, "{carried} of {lasted}");
}

/// While a task waits, it is the one that has the CPU who keeps it waiting: another of its node, or
/// one of no node. Real-time threads take CPU 0 in turn, so that whatever else the machine does has
/// no part in it.
#[test]
fn a_wait_is_put_down_to_who_had_the_cpu() {
    let three = || before_all_others().then(|| on_one_cpu(3, take_turns));
    let Some((watch, waited)) = in_a_node(Duration::ZERO, three) else { return };
    let Some((waited, _)) = waited else { return };
    // Two of three wait at any time.
    assert!(waited > 300 * MS, "{waited}");
    assert_put_down_to(Party::Node(0), waited, &watch);

    let start = Arc::new(Barrier::new(2));
    let with = Arc::clone(&start);
    // Of this process, which the probe takes for the engine's.
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

/// Gives this thread, and those that it starts, a real-time priority. Not where that is not
/// permitted, which is printed.
fn before_all_others() -> bool {
    let thread = nix::unistd::gettid().to_string();
    let output = Command::new("chrt").args(["--fifo", "--pid", "1", &thread]).output();
    let permitted = matches!(&output, Ok(output) if output.status.success());
    if !permitted {
        println!("skipped: no real-time priority for us: {output:?}");
    }
    permitted
}

/// Has the CPU for 2 ms, then whoever waits at the same priority, and so on for 0.2 s.
fn take_turns() {
    let began = Instant::now();
    while began.elapsed() < StdDuration::from_millis(200) {
        spin(StdDuration::from_millis(2));
        thread::yield_now();
    }
}

/// Nearly all that a node of the highest priority waited is told, and put down to this party.
fn assert_put_down_to(party: Party, waited: u64, watch: &Watch) {
    let told = put_down_to(party, watch);
    // Less than a sixteenth may still wait to be told, and the first wait of a thread is that for
    // its start.
    assert!(told > waited / 4 * 3, "{told} of {waited}: {:?}", watch.seen);
    for other in [Party::Node(0), Party::Engine, Party::Kernel] {
        let others = if other == party { 0 } else { put_down_to(other, watch) };
        assert!(others < waited / 4, "{other:?} {others} of {waited}: {:?}", watch.seen);
    }
}

/// For how long the node waited by this party, in ns.
fn put_down_to(party: Party, watch: &Watch) -> u64 {
    let waits = watch.seen.iter().filter_map(|(_, seen)| match seen {
        O::Waited { began, ended, by, .. } if *by == party => {
            Some(began.saturating_sub(*ended).as_nanos())
        }
        _ => None,
    });
    waits.sum()
}

/// Sleeps until so long after `began`, on a clock that programs ask the time of; how late it woke.
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

/// A task that sleeps when its CPU stands still waits from when it was to wake.
#[test]
fn a_timer_that_is_late_is_a_wait() {
    let sleeping = || {
        pin(0);
        // What is known of a task begins when it first sleeps.
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
    // The kernel may look at the timer of an ordinary task 50 us later than it asks without being
    // late.
    assert!(longest <= late && longest + MS > late, "{longest} of {late}");
}

/// A task that asks to be woken at a time that is over waits for nothing: it is late by itself.
#[test]
fn a_time_that_is_over_is_no_wait() {
    let late = || {
        let began = now();
        thread::sleep(StdDuration::from_millis(100));
        for _ in 0..100 {
            assert!(sleep_until(began, StdDuration::from_millis(1)).as_millis() > 90);
        }
    };
    let Some((watch, ())) = in_a_node(Duration::from_millis(50), late) else { return };
    // Beside other work, it may now and then wait in truth; never each time.
    let (waited, times) = told_waits(&watch);
    assert!(times < 50, "{waited} ns in {times} waits");
}

/// When this thread next sleeps, its CPU stands still for so long: until what is given is dropped.
/// Nothing where the kernel has no such programs, which is printed.
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

/// Shorter waits than are asked for are not told.
#[test]
fn short_waits_are_not_told() {
    let Some((watch, _)) = in_a_node(Duration::from_secs(1), three_spinners) else { return };
    assert_eq!(told_waits(&watch), (0, 0));
}

/// Time waited for a CPU, in ns, and times run, of this thread.
fn schedstat() -> (u64, u64) {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    let columns: Vec<u64> = text.split_whitespace().map(|word| word.parse().unwrap()).collect();
    (columns[1], columns[2])
}
