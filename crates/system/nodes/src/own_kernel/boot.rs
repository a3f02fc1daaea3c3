//! Starts a node's user-mode kernel from the engine, and sends requests to its agent.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::memfd::{MFdFlags, memfd_create};

use super::launch;
use super::losses::losses;
use super::messages::{Message, connect, receive, send};
use super::places::PROGRAM;
use super::state::OwnKernel;
use crate::process::node::Init;
use crate::stack::netns;
use crate::{ExitStatus, NodeError, SpawnRequest, Stdio};

/// Longest time for a kernel to start on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// Time between two requests during that time.
const STEP: Duration = Duration::from_millis(20);
/// Action in errors about counting the frames that a kernel loses.
pub(crate) const COUNT: &str = "count what its own kernel loses (the machine's packet_diag)";
/// Number of characters of the console in an error.
const SHOWN: usize = 1000;

/// Starts the kernel of init's node in `namespace`, and waits until it is ready. Counts in `kernel`
/// the frames that it loses from then on. Its time is the machine's. When the kernel ends, so does
/// init, and with it all processes of the node; their files stay.
pub(crate) fn boot(
    init: &Arc<Init>,
    namespace: &File,
    kernel: &OwnKernel,
) -> Result<(), NodeError> {
    let node = init.name();
    let failed = |why: String| NodeError::Kernel { node: node.clone(), why };
    let system = |action: &str, error| NodeError::in_node(&node, action, error);
    let mut console = memfd_create("console", MFdFlags::MFD_CLOEXEC)
        .map(File::from)
        .map_err(|errno| system("make a console", errno.into()))?;
    let clock = kernel.clock.renew().map_err(|error| system("make a page for its clock", error))?;
    let ended = start(init, clock, &console)?;
    let answered = netns::inside(namespace, move || wait_until_ready(&ended))
        .map_err(|error| system("ask its kernel", error))?;
    match answered {
        Answered::Ready => {
            let counted = netns::inside(namespace, losses);
            kernel.lost.begin(counted.map_err(|error| system(COUNT, error))?);
            let followed = kernel.interfaces.follow(init, namespace);
            followed.map_err(|error| system("follow its interfaces", error))
        }
        Answered::Failed(why) => Err(failed(why)),
        Answered::Ended => Err(failed(format!("it has ended: {}", last_words(&mut console)))),
        Answered::Nothing => Err(failed(format!(
            "it does not answer within {} s: {}",
            PATIENCE.as_secs(),
            last_words(&mut console)
        ))),
    }
}

/// Makes init start the kernel with its `clock`. Returns a receiver for its exit status.
fn start(init: &Arc<Init>, clock: File, console: &File) -> Result<Receiver<ExitStatus>, NodeError> {
    let node = init.name();
    let open = || -> io::Result<Stdio> {
        Ok(Stdio::Files {
            stdin: clock.into(),
            stdout: console.try_clone()?.into(),
            stderr: console.try_clone()?.into(),
        })
    };
    let stdio = open().map_err(|error| NodeError::in_node(&node, "open a console", error))?;
    let argv = vec![PROGRAM.into(), launch::ROLE.into()];
    let request = SpawnRequest { argv, env: vec![], cwd: None, stdio };
    let (sender, ended) = channel();
    let (started_sender, started) = channel();
    let of_node: Weak<Init> = Arc::downgrade(init);
    let on_exit = Box::new(move |status| {
        // Nobody may be waiting for it any more.
        let _ = sender.send(status);
        if let Some(init) = of_node.upgrade() {
            init.end_and_keep();
        }
    });
    let on_started = Box::new(move |outcome: Result<_, _>| _ = started_sender.send(outcome));
    init.spawn_as_it_is(request, on_started, on_exit);
    // Invariant: the callback is called before it is dropped.
    started.recv().expect("an answer to each request").map(|_| ended)
}

/// Result of waiting for a kernel.
enum Answered {
    Ready,
    Failed(String),
    Ended,
    Nothing,
}

fn wait_until_ready(ended: &Receiver<ExitStatus>) -> io::Result<Answered> {
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        if !matches!(ended.try_recv(), Err(TryRecvError::Empty)) {
            return Ok(Answered::Ended);
        }
        match ask(&Message::State) {
            Ok(Message::Ready) => return Ok(Answered::Ready),
            Ok(Message::Failed { why }) => return Ok(Answered::Failed(why)),
            Ok(_) => return Err(io::ErrorKind::InvalidData.into()),
            // The agent does not listen yet.
            Err(_) => thread::sleep(STEP),
        }
    }
    Ok(Answered::Nothing)
}

/// Returns the end of the console's text.
fn last_words(console: &mut File) -> String {
    let mut text = vec![];
    // Text that cannot be read is left out.
    let _ = console.rewind().and_then(|()| console.read_to_end(&mut text));
    let text = String::from_utf8_lossy(&text).into_owned();
    let shown = text.trim_end();
    let start = shown.char_indices().rev().nth(SHOWN).map_or(0, |(place, _)| place);
    let shown = shown[start..].trim();
    if shown.is_empty() { "it has said nothing".into() } else { shown.into() }
}

/// Sends a request to the agent of the node in whose namespace the calling thread is.
fn ask(question: &Message) -> io::Result<Message> {
    let stream = connect()?;
    send(&stream, question)?;
    receive(&stream)?.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}

/// Returns the ports on which TCP sockets listen under the kernel of the node in whose namespace
/// the calling thread is.
pub(crate) fn listening_ports() -> io::Result<BTreeSet<u16>> {
    match ask(&Message::ListeningPorts)? {
        Message::Ports(ports) => Ok(ports.into_iter().collect()),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}
