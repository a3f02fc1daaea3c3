//! Changes that a node with a kernel of its own makes to its interfaces. Its agent reports them:
//! the interfaces in the node's namespace are always up.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::net::TcpStream;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use nix::sys::eventfd::EventFd;

use super::messages::{Message, connect, receive, send};
use crate::process::node::Init;
use crate::stack::netns;
use crate::{InterfaceSetting, InterfaceWatch, Watched};

/// Called with the name of an interface, and its new state.
pub type OnInterface = Arc<dyn Fn(&str, InterfaceSetting) + Send + Sync>;

/// Time between two looks at whether the kernel still runs. It ends without closing connections.
const PERIOD: Duration = Duration::from_millis(500);

/// Who is to know of changes of a node's interfaces.
#[derive(Default)]
pub(crate) struct Interfaces(Mutex<Option<OnInterface>>);

impl std::fmt::Debug for Interfaces {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Interfaces").finish_non_exhaustive()
    }
}

impl Interfaces {
    /// Reports changes from the next start of the kernel on.
    pub fn report_to(&self, on_interface: OnInterface) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(on_interface);
    }

    /// Follows the interfaces of the kernel that has just started in `namespace`, until it ends:
    /// all are down then, as at a machine without power.
    pub fn follow(&self, init: &Arc<Init>, namespace: &File) -> io::Result<()> {
        let report = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Some(report) = report else { return Ok(()) };
        let stream = netns::inside(namespace, || {
            let stream = connect()?;
            send(&stream, &Message::Interfaces)?;
            Ok(stream)
        })?;
        let init = Arc::downgrade(init);
        thread::Builder::new().name("interfaces".into()).spawn(move || {
            let mut known = BTreeMap::new();
            // However the connection ends, so has the kernel.
            let _ = hear(&stream, &init, |name, setting| {
                report(&name, setting);
                known.insert(name, setting);
            });
            for (name, setting) in known {
                report(&name, InterfaceSetting { up: false, ..setting });
            }
        })?;
        Ok(())
    }
}

/// Hands on what the agent reports, for as long as the kernel runs.
fn hear(
    stream: &TcpStream,
    init: &Weak<Init>,
    mut report: impl FnMut(String, InterfaceSetting),
) -> io::Result<()> {
    stream.set_read_timeout(Some(PERIOD))?;
    loop {
        match stream.peek(&mut [0]) {
            Ok(_) => {}
            Err(error) if is_timeout(&error) => {
                if init.upgrade().is_none_or(|init| !init.is_alive()) {
                    return Ok(());
                }
                continue;
            }
            Err(error) => return Err(error),
        }
        match receive(stream)? {
            Some(Message::Interface { name, up, mtu }) => {
                report(name, InterfaceSetting { up, mtu });
            }
            _ => return Ok(()),
        }
    }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

/// Answers [`Message::Interfaces`] in the agent, until the connection is closed.
pub(super) fn answer(stream: &TcpStream, names: &[String]) -> io::Result<()> {
    let wake = EventFd::new()?;
    let mut watch = InterfaceWatch::new(&wake)?;
    for (token, name) in (0..).zip(names) {
        watch.add(token, name.clone(), OwnedFd::from(File::open(netns::HOME)?))?;
    }
    loop {
        for Watched { token, state } in watch.wait()? {
            let Some(name) = usize::try_from(token).ok().and_then(|token| names.get(token)) else {
                continue;
            };
            // An interface that has left the node is as good as down.
            let InterfaceSetting { up, mtu } =
                state.unwrap_or(InterfaceSetting { up: false, mtu: 0 });
            send(stream, &Message::Interface { name: name.clone(), up, mtu })?;
        }
    }
}
