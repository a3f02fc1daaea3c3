//! Use of every process so far, by an iterator over the kernel's tasks: all of them for less than
//! it takes to read the files of ten.

use std::collections::BTreeMap;
use std::io::Read;

use aya::Ebpf;
use aya::programs::Iter;

use super::load::Loader;
use super::objects;
use super::why::Why;
use crate::cpu::TICK;
use crate::fields::text;
use crate::process::Stat;

/// Name of the program.
const PROGRAM: &str = "tasks";
/// Kind of the iterator.
const TYPE: &str = "task";
/// Length of a record in bytes; the next constant: length of its name.
const RECORD: usize = 80;
const NAME: usize = 16;
/// Most bytes that the kernel returns at a time.
const AT_A_TIME: usize = 32 * 1024;

/// Bits in the state of a task. It waits for a disk if it is uninterruptible, unless that is no
/// load.
const UNINTERRUPTIBLE: u32 = 2;
const NO_LOAD: u32 = 0x400;

/// The program in the kernel, and a buffer for its records.
pub struct Tasks {
    ebpf: Ebpf,
    records: Vec<u8>,
}

/// A process: properties of its first task, and the use of all its tasks.
#[derive(Debug, Default)]
pub struct Task {
    flags: u32,
    state: u32,
    /// The inode of its network namespace; 0 if it has ended.
    pub netns: u64,
    began_ns: u64,
    cpu_ns: u64,
    faults: u64,
    /// Bytes read from and written to disks.
    pub moved: u64,
    name: [u8; NAME],
}

impl Tasks {
    /// Loads the program into the kernel.
    pub fn prepare(loader: &mut Loader<'_>) -> Result<Self, Why> {
        let mut tasks = Self { ebpf: loader.load(objects::tasks(), &[])?, records: vec![] };
        tasks.program()?.load(TYPE, loader.types()?)?;
        Ok(tasks)
    }

    fn program(&mut self) -> Result<&mut Iter, Why> {
        let program = self.ebpf.program_mut(PROGRAM).ok_or("the object lacks a program")?;
        Ok(program.try_into()?)
    }

    /// All processes that the kernel shows, by their IDs. Some kernels hide some.
    pub fn read(&mut self) -> Result<BTreeMap<u32, Task>, Why> {
        let program = self.program()?;
        // An iterator goes over all tasks only once.
        let link = program.attach()?;
        let mut file = program.take_link(link)?.into_file()?;
        let mut length = 0;
        loop {
            self.records.resize(length + AT_A_TIME, 0);
            match file.read(&mut self.records[length..])? {
                0 => break,
                read => length += read,
            }
        }
        let mut processes = BTreeMap::<u32, Task>::new();
        let (records, _) = self.records[..length].as_chunks::<RECORD>();
        for record in records {
            let (process, is_first, task) = Task::of(record);
            processes.entry(process).or_default().add(is_first, &task);
        }
        Ok(processes)
    }
}

impl Task {
    /// A single task: the ID of its process, whether it is the first task of that, and its data.
    fn of(record: &[u8; RECORD]) -> (u32, bool, Self) {
        let (numbers, name) = record.split_at(RECORD - NAME);
        let (words, _) = numbers.as_chunks::<8>();
        let word = |at: usize| u64::from_ne_bytes(words[at]);
        let (halves, _) = numbers.as_chunks::<4>();
        let half = |at: usize| u32::from_ne_bytes(halves[at]);
        let task = Self {
            flags: half(2),
            state: half(3),
            netns: word(2),
            began_ns: word(3),
            cpu_ns: word(4),
            faults: word(5),
            moved: word(6) + word(7),
            name: std::array::from_fn(|byte| name[byte]),
        };
        (half(0), half(1) != 0, task)
    }

    /// Adds a task of the process.
    fn add(&mut self, is_first: bool, task: &Self) {
        if is_first {
            let Self { flags, state, netns, began_ns, name, .. } = *task;
            *self = Self { flags, state, netns, began_ns, name, ..*self };
        }
        self.cpu_ns += task.cpu_ns;
        self.faults += task.faults;
        self.moved += task.moved;
    }

    /// Converts it to the contents of `/proc/PID/stat`.
    pub fn stat(&self) -> Stat {
        let ticks = |nanos| nanos / TICK.as_nanos();
        Stat {
            name: text(self.name.split(|byte| *byte == 0).next().unwrap_or_default()),
            began: ticks(self.began_ns),
            is_kernel_thread: self.flags & Stat::KERNEL_THREAD != 0,
            cpu_ticks: ticks(self.cpu_ns),
            faults: self.faults,
            waits_for_disk: self.state & (UNINTERRUPTIBLE | NO_LOAD) == UNINTERRUPTIBLE,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::MetadataExt;
    use std::path::Path;
    use std::process::{Child, Command, id};
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    use nix::sys::time::TimeValLike;
    use nix::time::{ClockId, clock_gettime};

    use super::super::load::Kernel;
    use super::*;
    use crate::fields::value;

    /// `None` if the kernel does not permit it. Then it prints why.
    fn tasks() -> Option<Tasks> {
        let kernel = Kernel::of_this_machine(0, netloom_units::Duration::ZERO, Path::new("/proc"));
        let mut loader = Loader::new(&kernel);
        let why = match Tasks::prepare(&mut loader) {
            Ok(tasks) => return Some(tasks),
            Err(why) => why,
        };
        let should = nix::unistd::geteuid().is_root() && loader.types().is_ok();
        assert!(!should, "this kernel has BTF, we are root, and yet: {why}");
        println!("skipped: {why}");
        None
    }

    fn file(pid: u32, name: &str) -> Vec<u8> {
        fs::read(format!("/proc/{pid}/{name}")).unwrap()
    }

    fn stat(pid: u32) -> Stat {
        Stat::of(&file(pid, "stat")).unwrap()
    }

    /// A process that is killed at the end of the test.
    struct Stopped(Child);

    impl Stopped {
        /// A shell that has run the script and stopped itself.
        fn after(script: &str) -> Self {
            let script = format!("{script}; kill -STOP $$");
            let child = Self(Command::new("sh").args(["-c", &script]).spawn().unwrap());
            let status = || String::from_utf8(file(child.0.id(), "status")).unwrap();
            while !status().contains("State:\tT") {
                thread::sleep(Duration::from_millis(1));
            }
            child
        }
    }

    impl Drop for Stopped {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    #[test]
    fn tells_of_a_process_what_its_files_tell() {
        let Some(mut tasks) = tasks() else { return };
        let written = std::env::current_exe().unwrap().with_extension(id().to_string());
        let script = format!(
            "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; printf %050000d 0 >{}",
            written.display()
        );
        let child = Stopped::after(&script);
        fs::remove_file(written).unwrap();
        let pid = child.0.id();
        let task = &tasks.read().unwrap()[&pid];

        let (listed, files) = (task.stat(), stat(pid));
        // The files round the time of the program and the kernel's time for it down separately.
        assert!((0..=1).contains(&(listed.cpu_ticks - files.cpu_ticks)), "{listed:?} {files:?}");
        assert!(listed.cpu_ticks > 0);
        assert_eq!(listed, Stat { cpu_ticks: listed.cpu_ticks, ..files });
        let io = file(pid, "io");
        let moved = ["read_bytes", "write_bytes"].map(|name| value(&io, name).unwrap());
        assert_eq!(task.moved, moved[0] + moved[1]);
        assert_eq!(task.netns, fs::metadata(format!("/proc/{pid}/ns/net")).unwrap().ino());
    }

    #[test]
    fn a_process_has_the_number_of_its_pid_namespace() {
        if tasks().is_none() {
            return;
        }
        let mut inside = Command::new("unshare");
        inside.args(["--pid", "--fork", "--mount-proc", "--kill-child"]);
        inside.arg(std::env::current_exe().unwrap()).args(["--exact", "--nocapture"]);
        inside.arg("bpf::tasks::tests::tells_of_a_process_what_its_files_tell");
        let output = inside.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.contains("1 passed") && !said.contains("skipped"), "{output:?}");
    }

    #[test]
    fn living_and_ended_threads_are_counted() {
        let Some(mut tasks) = tasks() else { return };
        let used = || clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).unwrap();
        let spin = move || {
            while used().num_milliseconds() < 100 {
                std::hint::spin_loop();
            }
            used().num_nanoseconds().cast_unsigned()
        };
        let ended = thread::spawn(spin).join().unwrap();
        let (spun, has_spun) = mpsc::channel();
        let (end, ends) = mpsc::channel::<()>();
        let thread = thread::spawn(move || {
            spun.send(spin()).unwrap();
            let _ = ends.recv();
        });
        let there = has_spun.recv().unwrap();
        let listed = &tasks.read().unwrap()[&id()];
        let after = stat(id()).cpu_ticks;
        drop(end);
        thread.join().unwrap();
        assert!(listed.cpu_ns >= ended + there, "{} ns of {ended} and {there}", listed.cpu_ns);
        // The file rounds two parts down.
        assert!(listed.stat().cpu_ticks <= after + 1, "{} ns, {after}", listed.cpu_ns);
    }

    #[test]
    fn kernel_threads_and_waits_for_disks_are_recognized() {
        let listed = |flags, state| Task { flags, state, ..Task::default() }.stat();
        assert!(listed(0x0020_8040, 0).is_kernel_thread);
        assert!(!listed(0x0040_0000, 0).is_kernel_thread);
        // Running, sleeping, waiting for a disk, idle (as threads of the kernel), stopped.
        let waits = [0, 1, 2, 0x402, 4].map(|state| listed(0, state).waits_for_disk);
        assert_eq!(waits, [false, false, true, false, false]);
    }
}
