//! Fills in the scenario's own templates in a separate process (`netloom __fill`). A template that
//! loops for ever, or exhausts stack or memory, therefore affects neither the engine nor the live
//! network.

use std::cell::RefCell;
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use netloom_services::Question;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::resource::{Resource, setrlimit};

/// The hidden command by which the program starts itself as this process.
pub const ROLE: &str = "__fill";
/// Longest time for a text.
const PATIENCE: Duration = Duration::from_secs(20);
/// Most memory of the process, in bytes.
const MEMORY: u64 = 1 << 30;

/// The process that fills in texts. It starts with the first text, and ends when this is dropped.
#[derive(Default)]
pub struct Filler(RefCell<Option<Process>>);

impl Filler {
    /// Fills in a text. The error says why it is impossible.
    pub fn fill(&self, question: &Question) -> Result<String, String> {
        let mut slot = self.0.borrow_mut();
        if slot.is_none() {
            let failed = |error| format!("the process that does it cannot be started: {error}");
            *slot = Some(Process::start().map_err(failed)?);
        }
        let answer = slot.as_mut().map(|process| process.ask(question));
        match answer {
            Some(Ok(answer)) => answer,
            broken => {
                let reason = broken.and_then(Result::err);
                // A new process can still fill in the next text.
                let process = slot.take();
                Err(process.map_or_else(String::new, |process| process.why(reason)))
            }
        }
    }
}

struct Process {
    child: Child,
    answers: BufReader<ChildStdout>,
}

impl Process {
    fn start() -> io::Result<Self> {
        let mut child = Command::new("/proc/self/exe")
            .arg(ROLE)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let answers = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        Ok(Self { child, answers: BufReader::new(answers) })
    }

    /// Fills in a text. The outer error means that the process is of no more use.
    fn ask(&mut self, question: &Question) -> io::Result<Result<String, String>> {
        let mut line = serde_json::to_vec(question)?;
        line.push(b'\n');
        let input = self.child.stdin.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        input.write_all(&line)?;
        let mut answer = vec![];
        let deadline = Instant::now() + PATIENCE;
        while !answer.ends_with(b"\n") {
            self.wait_until(deadline)?;
            let some = self.answers.fill_buf()?;
            if some.is_empty() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let end = memchr::memchr(b'\n', some).map_or(some.len(), |end| end + 1);
            answer.extend_from_slice(&some[..end]);
            self.answers.consume(end);
        }
        Ok(serde_json::from_slice(&answer)?)
    }

    /// Waits until there is something to read.
    fn wait_until(&self, deadline: Instant) -> io::Result<()> {
        if !self.answers.buffer().is_empty() {
            return Ok(());
        }
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX);
        let output = self.answers.get_ref();
        match poll(&mut [PollFd::new(output.as_fd(), PollFlags::POLLIN)], timeout)? {
            0 => Err(io::ErrorKind::TimedOut.into()),
            _ => Ok(()),
        }
    }

    /// Ends the process. Returns in words why it was of no use.
    fn why(mut self, reason: Option<io::Error>) -> String {
        let is_slow = reason.as_ref().is_some_and(|error| error.kind() == io::ErrorKind::TimedOut);
        if is_slow {
            return format!("it takes longer than {} s", PATIENCE.as_secs());
        }
        // The process has closed its output, or sent nonsense.
        let _ = self.child.kill();
        match self.child.wait().ok().and_then(|status| status.signal()) {
            Some(signal) if signal != libc::SIGKILL => {
                format!("it nests too deep, or takes more than {} MiB of memory", MEMORY >> 20)
            }
            _ => reason.map_or_else(String::new, |error| error.to_string()),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The body of the program `netloom __fill`: reads one text from each line and prints its answer as
/// a line, until the input ends.
pub fn main() -> i32 {
    // This only lowers limits. If even that fails, the machine's limits apply.
    let _ = setrlimit(Resource::RLIMIT_AS, MEMORY, MEMORY);
    let _ = setrlimit(Resource::RLIMIT_CORE, 0, 0);
    let serve = || -> io::Result<()> {
        for line in io::stdin().lock().lines() {
            let question: Question = serde_json::from_str(&line?)?;
            let mut answer = serde_json::to_vec(&question.answer())?;
            answer.push(b'\n');
            io::stdout().write_all(&answer)?;
            io::stdout().flush()?;
        }
        Ok(())
    };
    i32::from(serve().is_err())
}
