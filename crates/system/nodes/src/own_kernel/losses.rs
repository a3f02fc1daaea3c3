//! Frames that arrived at a node with its own kernel faster than that kernel read them. Its packet
//! sockets drop them, and the machine's kernel counts them (`packet_diag`).

use std::collections::HashMap;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use nix::net::if_::if_nameindex;

use crate::stack::sock_diag::{SockDiag, attributes, word};

const SHOW_INFO_AND_MEMORY: u32 = 0x11;
/// Protocol of the socket that a kernel reads from. Another socket, through which it sends,
/// receives IPv4 packets and is never read.
const ALL_PROTOCOLS: u16 = libc::ETH_P_ALL as u16;
/// Numbers of a socket's attributes.
const INFO: u16 = 0;
const MEMORY: u16 = 6;
/// Offset of the flags in `INFO`, which begins with the index of the device.
const FLAGS: usize = 20;
/// Flag that captures (`tcpdump`) set, and the kernel of a node does not.
const AUXILIARY_DATA: u32 = 2;
/// Offset of the count of drops in `MEMORY`.
const DROPS: usize = 32;

/// Frames that the kernels of one node have lost since they were ready, by interface. A kernel that
/// restarts has new sockets, which count from zero.
#[derive(Debug, Default)]
pub(crate) struct Account(Mutex<HashMap<String, Lost>>);

#[derive(Debug, Default)]
struct Lost {
    /// Number of lost frames so far.
    frames: u64,
    /// Counter of its sockets when `frames` was 0, or the value that corresponds to it.
    before: i64,
}

impl Account {
    /// Begins counting after the node's kernel has become ready. `counted` are the losses of its
    /// sockets while it started, which do not count.
    pub fn begin(&self, counted: Vec<(String, u64)>) {
        for (interface, counted) in counted {
            let mut account = self.lock();
            let lost = account.entry(interface).or_default();
            lost.before = counted.cast_signed() - lost.frames.cast_signed();
        }
    }

    /// Returns the lost frames, from the current counters of the sockets.
    pub fn update(&self, counted: Vec<(String, u64)>) -> HashMap<String, u64> {
        let mut account = self.lock();
        for (interface, counted) in counted {
            let lost = account.entry(interface).or_default();
            let frames = counted.cast_signed() - lost.before;
            lost.frames = lost.frames.max(frames.max(0).cast_unsigned());
        }
        account.iter().map(|(interface, lost)| (interface.clone(), lost.frames)).collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Lost>> {
        // Each step leaves valid data, so a poisoned lock does no harm.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the frames dropped so far for the node in whose namespace the calling thread is, by
/// interface.
pub(crate) fn losses() -> io::Result<Vec<(String, u64)>> {
    let by_index = counted()?;
    let names = if_nameindex()?;
    let named = names.iter().filter_map(|interface| {
        let frames = by_index.get(&interface.index()).copied()?;
        Some((interface.name().to_string_lossy().into_owned(), frames))
    });
    Ok(named.collect())
}

fn counted() -> io::Result<HashMap<u32, u64>> {
    let mut all = HashMap::new();
    SockDiag::open()?.dump(&request(), &mut |socket| add(socket, &mut all))?;
    Ok(all)
}

/// Requests all packet sockets, with their devices and counters: family, protocol, padding, inode,
/// attributes to show, cookie.
fn request() -> Vec<u8> {
    let mut bytes = vec![libc::AF_PACKET as u8, 0, 0, 0];
    bytes.extend([0; 4]);
    bytes.extend(SHOW_INFO_AND_MEMORY.to_ne_bytes());
    bytes.extend([0; 8]);
    bytes
}

/// Adds the counter of a socket, if the node's kernel reads from it.
fn add(socket: &[u8], all: &mut HashMap<u32, u64>) {
    let protocol = socket.get(2..4).map(|half| u16::from_ne_bytes([half[0], half[1]]));
    if protocol != Some(ALL_PROTOCOLS) {
        return;
    }
    let (mut device, mut drops) = (None, 0);
    for (kind, body) in attributes(socket.get(16..).unwrap_or_default()) {
        match kind {
            INFO if word(body, FLAGS) & AUXILIARY_DATA == 0 => device = Some(word(body, 0)),
            MEMORY => drops = word(body, DROPS),
            _ => {}
        }
    }
    if let Some(device) = device {
        *all.entry(device).or_default() += u64::from(drops);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a message about a socket on device 7 with this protocol, these flags and this number
    /// of drops.
    fn socket(protocol: u16, flags: u32, drops: u32) -> Vec<u8> {
        let mut bytes = vec![0; 16];
        bytes[2..4].copy_from_slice(&protocol.to_ne_bytes());
        let mut attribute = |kind: u16, words: &[u32]| {
            bytes.extend((4 + 4 * words.len() as u16).to_ne_bytes());
            bytes.extend(kind.to_ne_bytes());
            words.iter().for_each(|word| bytes.extend(word.to_ne_bytes()));
        };
        attribute(INFO, &[7, 0, 0, 0, 0, flags]);
        attribute(MEMORY, &[0, 0, 0, 0, 0, 0, 0, 0, drops]);
        bytes
    }

    #[test]
    fn losses_while_a_kernel_starts_do_not_count() {
        let account = Account::default();
        let eth1 = |frames| vec![("eth1".to_owned(), frames)];
        account.begin(eth1(2));
        assert_eq!(account.update(eth1(2))["eth1"], 0);
        assert_eq!(account.update(eth1(7))["eth1"], 5);
        // The kernel has ended, and another one starts.
        assert_eq!(account.update(vec![])["eth1"], 5);
        assert_eq!(account.update(eth1(0))["eth1"], 5);
        account.begin(eth1(1));
        assert_eq!(account.update(eth1(3))["eth1"], 7);
    }

    #[test]
    fn sockets_of_one_device_are_added_up_without_unread_ones() {
        let mut all = HashMap::new();
        let sockets = [(3, 8, 3), (3, 0, 4), (3, AUXILIARY_DATA | 8, 100), (0x0800, 0, 1000)];
        for (protocol, flags, drops) in sockets {
            add(&socket(protocol, flags, drops), &mut all);
        }
        assert_eq!(all, HashMap::from([(7, 7)]));
        add(&[0; 17], &mut all);
        assert_eq!(all.len(), 1);
    }
}
