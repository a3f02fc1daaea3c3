//! `netloom __stand-in PROGRAM ARGUMENTS`: runs a program under the node's user-mode kernel and
//! behaves like it. It reads its input, writes its output, receives its signals and ends like it.

use std::io::{self, IsTerminal, Read, Write};
use std::net::TcpStream;
use std::os::fd::AsRawFd;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use nix::errno::Errno;
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{SigSet, Signal};
use nix::sys::termios::{SetArg, cfmakeraw, tcgetattr, tcsetattr};

use super::messages::{Message, Run, connect, receive, send};
use crate::ExitStatus;

/// Argument that selects this role of the program.
pub const ROLE: &str = "__stand-in";

/// Number of bytes of input that are sent at a time.
const CHUNK: usize = 32 * 1024;
/// Exit code if the kernel is gone, or does not answer.
const NO_KERNEL: i32 = 125;

/// Runs `netloom __stand-in`, with the program and its arguments. Returns the exit code.
pub fn main(arguments: impl Iterator<Item = String>) -> i32 {
    let argv: Vec<String> = arguments.collect();
    // Before other threads start, which inherit the mask: one of them waits for signals.
    let all = SigSet::all();
    if let Err(errno) = all.thread_block() {
        eprintln!("netloom: cannot wait for signals: {errno}");
        return NO_KERNEL;
    }
    let program = argv.first().cloned().unwrap_or_default();
    match run(argv, all) {
        Ok(Ended::With(ExitStatus::Code(code))) => code,
        Ok(Ended::With(ExitStatus::Signal(number))) => end_by(number),
        Ok(Ended::NotStarted(error)) => {
            eprintln!("netloom: cannot start `{program}`: {error}");
            if error.kind() == io::ErrorKind::NotFound { 127 } else { 126 }
        }
        Err(error) => {
            eprintln!("netloom: the kernel of this node does not answer: {error}");
            NO_KERNEL
        }
    }
}

/// Result of running the program.
enum Ended {
    With(ExitStatus),
    NotStarted(io::Error),
}

/// The connection to the agent, shared by several threads.
type Way = Arc<Mutex<TcpStream>>;

fn run(argv: Vec<String>, signals: SigSet) -> io::Result<Ended> {
    let stream = connect()?;
    let terminal = if io::stdin().is_terminal() { Some(size()?) } else { None };
    if terminal.is_some() {
        // The other terminal interprets input.
        let mut raw = tcgetattr(io::stdin())?;
        cfmakeraw(&mut raw);
        tcsetattr(io::stdin(), SetArg::TCSANOW, &raw)?;
    }
    let env = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let (env, directory) = (env.collect(), std::env::current_dir()?);
    send(&stream, &Message::Run(Run { argv, env, directory, terminal }))?;
    let way: Way = Arc::new(Mutex::new(stream.try_clone()?));
    let for_signals = Arc::clone(&way);
    thread::spawn(move || pass_signals(signals, &for_signals));
    let (wants, wanted) = channel();
    thread::spawn(move || pass_input(&wanted, &way));
    loop {
        let gone = || io::Error::from(io::ErrorKind::UnexpectedEof);
        match receive(&stream)?.ok_or_else(gone)? {
            Message::Output(bytes) => pass_output(io::stdout(), &bytes),
            Message::Errors(bytes) => pass_output(io::stderr(), &bytes),
            // Input may have ended.
            Message::InputWanted => _ = wants.send(()),
            Message::Ended(status) => return Ok(Ended::With(status)),
            Message::NotStarted { errno } => {
                return Ok(Ended::NotStarted(io::Error::from_raw_os_error(errno)));
            }
            _ => return Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

fn send_message(way: &Way, message: &Message) -> io::Result<()> {
    send(&*way.lock().unwrap_or_else(PoisonError::into_inner), message)
}

fn pass_input(wanted: &Receiver<()>, way: &Way) {
    let mut chunk = vec![0; CHUNK];
    while wanted.recv().is_ok() {
        let read = loop {
            match io::stdin().read(&mut chunk) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        let message = match read {
            Ok(0) | Err(_) => Message::InputEnds,
            Ok(count) => Message::Input(chunk[..count].to_vec()),
        };
        // After a failure, the other thread ends the program.
        if send_message(way, &message).is_err() || message == Message::InputEnds {
            return;
        }
    }
}

/// Writes output. It does not matter to this program whether anybody reads it.
fn pass_output(mut to: impl Write, bytes: &[u8]) {
    let _ = to.write_all(bytes).and_then(|()| to.flush());
}

fn pass_signals(signals: SigSet, way: &Way) {
    while let Ok(signal) = signals.wait() {
        let message = match signal {
            Signal::SIGWINCH => match size() {
                Ok((rows, columns)) => Message::Size { rows, columns },
                Err(_) => continue,
            },
            // These signals concern this program only.
            Signal::SIGCHLD | Signal::SIGPIPE => continue,
            signal => Message::Signal(signal as i32),
        };
        if send_message(way, &message).is_err() {
            return;
        }
    }
}

/// Returns the rows and columns of the terminal.
fn size() -> io::Result<(u16, u16)> {
    // SAFETY: all-zero bytes are a size.
    let mut size: libc::winsize = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel writes the size, which lives through the call.
    Errno::result(unsafe { libc::ioctl(io::stdin().as_raw_fd(), libc::TIOCGWINSZ, &mut size) })?;
    Ok((size.ws_row, size.ws_col))
}

/// Ends this program by the signal. If that fails, returns the exit code of a shell.
fn end_by(number: i32) -> i32 {
    // No core file: it would not show the memory of the other program.
    let _ = setrlimit(Resource::RLIMIT_CORE, 0, 0);
    // SAFETY: takes numbers only; the default action needs no handler.
    unsafe {
        libc::signal(number, libc::SIG_DFL);
        let _ = SigSet::empty().thread_set_mask();
        libc::raise(number);
    }
    128 + number
}
