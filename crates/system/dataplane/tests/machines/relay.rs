//! A way between two sockets that loses and delays datagrams.

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// What a relay does to datagrams, of which it takes shares at random.
#[derive(Debug, Clone, Default)]
pub struct Fault {
    /// Share that is dropped.
    pub drop: f64,
    /// Share that is held until three more have passed, or none has come for 5 ms.
    pub delay: f64,
}

/// A socket that passes on to another one what comes.
pub struct Relay {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Relay {
    pub fn start(to: SocketAddr, fault: Fault) -> Self {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        socket.set_read_timeout(Some(Duration::from_millis(5))).unwrap();
        let (address, stop) = (socket.local_addr().unwrap(), Arc::<AtomicBool>::default());
        let stopped = Arc::clone(&stop);
        let thread = thread::spawn(move || run(&socket, to, &fault, &stopped));
        Self { address, stop, thread: Some(thread) }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

fn run(socket: &UdpSocket, to: SocketAddr, fault: &Fault, stop: &AtomicBool) {
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut share = move || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random >> 11) as f64 / (1u64 << 53) as f64
    };
    let (mut room, mut held) = (vec![0; 65_536], Vec::<(u32, Vec<u8>)>::new());
    // A socket that is gone loses what comes.
    let pass = |bytes: &[u8]| drop(socket.send_to(bytes, to));
    while !stop.load(Ordering::Relaxed) {
        let Ok(length) = socket.recv(&mut room) else {
            held.drain(..).for_each(|(_, bytes)| pass(&bytes));
            continue;
        };
        let at = share();
        if at < fault.drop {
            continue;
        }
        if at < fault.drop + fault.delay {
            held.push((3, room[..length].to_vec()));
            continue;
        }
        pass(&room[..length]);
        held.iter_mut().for_each(|(left, _)| *left -= 1);
        let due = held.iter().take_while(|(left, _)| *left == 0).count();
        held.drain(..due).for_each(|(_, bytes)| pass(&bytes));
    }
}
