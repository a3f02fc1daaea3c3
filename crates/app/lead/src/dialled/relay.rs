//! A command, like `ssh`, that joins its standard input and output to a machine that has dialled.

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixStream};
use std::thread;

use anyhow::{Context, Result};
use nix::unistd::{Pid, setpgid};

/// Speaks with the desk of this name: the other arguments are the machine, and the words for a
/// member there.
pub fn main(mut arguments: impl Iterator<Item = String>) -> Result<()> {
    // Ctrl-C is the lead's.
    let _ = setpgid(Pid::from_raw(0), Pid::from_raw(0));
    let desk = arguments.next().context("there is no name of a lead")?;
    let words: Vec<String> = arguments.collect();
    let address = SocketAddr::from_abstract_name(desk)?;
    let stream = UnixStream::connect_addr(&address).context("the lead is gone")?;
    let mut input = stream.try_clone()?;
    writeln!(input, "{}", serde_json::to_string(&words)?).context("the lead is gone")?;
    thread::spawn(move || {
        let _ = pump(&mut io::stdin().lock(), &mut input);
        let _ = input.shutdown(Shutdown::Write);
    });
    // It ends when the other side ends, or nobody reads any more.
    let _ = pump(&mut &stream, &mut io::stdout().lock());
    io::stdout().flush().context("nobody reads what the machine says")
}

/// Copies to the end. Not by the kernel's `splice`, which `io::copy` takes for descriptors that it
/// knows: it locks the pipe while it waits for the socket, and the lead's read of that pipe, which
/// is to return at once, waits for the lock.
fn pump(from: &mut dyn Read, to: &mut dyn Write) -> io::Result<u64> {
    io::copy(from, to)
}
