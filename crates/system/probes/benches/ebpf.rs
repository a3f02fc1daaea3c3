//! Cost of event-driven probes. Two threads of a node wake each other through pipes on one CPU as
//! fast as they can, alternately with the programs in the kernel and without. Prints what the
//! kernel counts for each program (`bpf_stats_enabled`), and then the share of one CPU that all
//! probes take in user space. Needs root. `cargo bench -p netloom-probes --bench ebpf`.

use std::io::{PipeReader, PipeWriter, Read, Write, pipe};
use std::os::unix::fs::MetadataExt;
use std::sync::mpsc;
use std::time::{Duration, Instant};
use std::{fs, thread};

use netloom_probes::{Node, Probes, ProcRoots};
use netloom_units::Time;
use nix::sched::{CloneFlags, CpuSet, sched_setaffinity, unshare};
use nix::unistd::Pid;

const ROUNDS: u32 = 200_000;
const PAIRS: usize = 5;
/// Each thread is woken once and switched to once in a round.
const SWITCHES_OF_A_ROUND: f64 = 2.0;
const STATS: &str = "/proc/sys/kernel/bpf_stats_enabled";

fn main() {
    let (ask, asked) = mpsc::channel::<()>();
    let (answer, answered) = mpsc::channel();
    let node = thread::spawn(move || {
        unshare(CloneFlags::CLONE_NEWNET).expect("root");
        let inode = fs::metadata("/proc/thread-self/ns/net").unwrap().ino();
        answer.send(inode as f64).unwrap();
        for () in asked {
            answer.send(ping_pong()).unwrap();
        }
    });
    let netns = Some(answered.recv().unwrap() as u64);
    let measure = || {
        ask.send(()).unwrap();
        answered.recv().unwrap()
    };
    for (what, nodes) in [
        ("threads of a node", vec![Node { name: "a".into(), netns, ..Node::default() }]),
        ("threads outside, no nodes", vec![]),
    ] {
        let places = ProcRoots::of_this_machine(nodes);
        let mut pairs: Vec<(f64, f64)> = (0..PAIRS)
            .map(|_| {
                let off = measure();
                let probes = Probes::best(&places);
                let on = measure();
                drop(probes);
                (off, on)
            })
            .collect();
        pairs.sort_by(|one, other| (one.1 - one.0).total_cmp(&(other.1 - other.0)));
        println!("{what}: ns per switch without, with, difference; {PAIRS} pairs");
        for (off, on) in &pairs {
            println!("  {off:7.0} {on:7.0} {:7.0}", on - off);
        }
        by_program(&places, &measure);
    }
    in_user_space();
    drop(ask);
    node.join().unwrap();
}

/// Nanoseconds for a switch, including the wake-up.
fn ping_pong() -> f64 {
    let ((from_one, to_other), (from_other, to_one)) = (pipe().unwrap(), pipe().unwrap());
    let other = thread::spawn(move || play(from_one, to_one));
    let began = Instant::now();
    play(from_other, to_other_first(to_other));
    other.join().unwrap();
    began.elapsed().as_nanos() as f64 / f64::from(ROUNDS) / SWITCHES_OF_A_ROUND
}

/// Throws the ball.
fn to_other_first(mut to: PipeWriter) -> PipeWriter {
    to.write_all(&[0]).unwrap();
    to
}

fn play(mut from: PipeReader, mut to: PipeWriter) {
    let mut set = CpuSet::new();
    set.set(0).unwrap();
    sched_setaffinity(Pid::from_raw(0), &set).unwrap();
    let mut ball = [0];
    for _ in 0..ROUNDS {
        from.read_exact(&mut ball).unwrap();
        // Nobody catches the last throw.
        let _ = to.write_all(&ball);
    }
}

/// Prints what the kernel counts for each program, including itself.
fn by_program(places: &ProcRoots, measure: &dyn Fn() -> f64) {
    if fs::write(STATS, "1").is_err() {
        return println!("  this kernel does not count the time of programs");
    }
    let probes = Probes::best(places);
    measure();
    for program in aya::programs::loaded_programs().flatten() {
        let name = program.name_as_str().unwrap_or_default().to_owned();
        let (runs, time) = (program.run_count(), program.run_time());
        if runs > 0 && (["sched_", "block_", "hrtimer_"].iter().any(|kind| name.starts_with(kind)))
        {
            let each = time.as_nanos() as f64 / runs as f64;
            println!("  {name:18} {runs:9} runs, {each:5.0} ns each, measuring included");
        }
    }
    drop(probes);
    fs::write(STATS, "0").unwrap();
}

/// Prints the time spent in probes for ten seconds, as a share of one CPU.
fn in_user_space() {
    let places = ProcRoots::of_this_machine(vec![]);
    for (what, mut probes) in
        [("event-driven", Probes::best(&places)), ("polling", Probes::polling(&places))]
    {
        let began = Instant::now();
        let now = || Time::from_nanos(began.elapsed().as_nanos() as u64);
        let mut spent = Duration::ZERO;
        while began.elapsed() < Duration::from_secs(10) {
            let polled = Instant::now();
            probes.poll(now(), &mut |_| {});
            spent += polled.elapsed();
            thread::sleep(probes.next_poll().since(now()).into());
        }
        let share = spent.as_secs_f64() / began.elapsed().as_secs_f64();
        println!("{what} probes: {:.2} % of one CPU in user space", share * 100.0);
    }
}
