//! Arrival times of frames that wait in a device, stamped by the kernel. Not here: what an arrival
//! time means for a link.
//!
//! Whoever reads a device learns that a frame is there when the machine lets it run, which may be
//! long after the frame arrived. So a program in the kernel (eBPF, a filter that lets everything
//! pass) runs at the moment at which a frame is put into the device's queue. If the device's word
//! in a page shared with the engine is zero, it writes the time there. So the word has the arrival
//! of the oldest frame since the engine last set the word to zero.
//!
//! The same program runs at a TCP socket, where it looks at segments with data only: others wait
//! for nobody.
//!
//! Loading programs takes privileges. Without them, devices do not know when frames arrive.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::time::{ClockId, clock_gettime};

// `TUNSETFILTEREBPF`: the kernel's number says that it is read, and it is written.
nix::ioctl_write_ptr_bad!(
    tun_set_filter,
    nix::request_code_read!(b'T', 225, size_of::<libc::c_int>()),
    libc::c_int
);

/// Distance between two words, in bytes: senders on several CPUs write to words of their own lines.
const STRIDE: usize = 64;
/// Number of words in a page of words.
const WORDS: usize = 512;
const PAGE_BYTES: usize = STRIDE * WORDS;

/// What arrives at a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Arriving {
    /// Frames, or datagrams. Each waits for the reader.
    Frames,
    /// Segments of a TCP connection. Only those with data wait.
    Segments,
}

/// The word in which the kernel writes when the oldest waiting frame of one device arrived.
#[derive(Debug)]
pub struct ArrivalStamp {
    page: Arc<Page>,
    word: usize,
}

impl ArrivalStamp {
    /// Makes the kernel stamp frames that arrive at `device` from now on: a TAP device, or a
    /// packet socket. Returns `None` if the kernel refuses.
    pub fn attach(device: BorrowedFd<'_>) -> Option<Self> {
        Self::attach_for(Arriving::Frames, device)
    }

    /// Makes the kernel stamp data that arrive at a connected TCP socket from now on. Returns
    /// `None` if the kernel refuses.
    pub fn attach_to_tcp(socket: BorrowedFd<'_>) -> Option<Self> {
        Self::attach_for(Arriving::Segments, socket)
    }

    fn attach_for(arriving: Arriving, device: BorrowedFd<'_>) -> Option<Self> {
        let stamp = POOL.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        let program = program(&stamp.page.map, stamp.word, arriving).ok()?;
        let number = program.as_raw_fd();
        // SAFETY: the descriptors are open; the kernel only reads the integer.
        let filtered = unsafe { tun_set_filter(device.as_raw_fd(), &number) };
        if filtered.is_err() && !filter_socket(device, number) {
            return None;
        }
        Some(stamp)
    }

    /// Returns the arrival of the oldest frame since the word was last cleared, on
    /// `CLOCK_MONOTONIC` in ns, and clears the word. `None` if no frame has arrived.
    #[inline]
    pub fn take(&self) -> Option<u64> {
        let word = self.page.word(self.word);
        if word.load(Ordering::Relaxed) == 0 {
            return None;
        }
        Some(word.swap(0, Ordering::Relaxed)).filter(|at| *at > 0)
    }

    /// Clears the word, because no frame waits.
    #[inline]
    pub fn clear(&self) {
        let word = self.page.word(self.word);
        if word.load(Ordering::Relaxed) != 0 {
            word.store(0, Ordering::Relaxed);
        }
    }
}

impl Drop for ArrivalStamp {
    fn drop(&mut self) {
        let mut free = self.page.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.push(self.word);
    }
}

/// All pages of words of this process.
static POOL: Mutex<Words> = Mutex::new(Words { pages: Vec::new(), are_refused: false });

struct Words {
    pages: Vec<Arc<Page>>,
    /// Whether the kernel has refused: it is not asked again for every device.
    are_refused: bool,
}

impl Words {
    fn take(&mut self) -> Option<ArrivalStamp> {
        if let Some(stamp) = self.pages.iter().find_map(stamp_of) {
            return Some(stamp);
        }
        if self.are_refused {
            return None;
        }
        let page = Page::new().and_then(|page| page.is_right().map(|()| Arc::new(page)));
        let Ok(page) = page else {
            self.are_refused = true;
            return None;
        };
        self.pages.push(page);
        self.pages.last().and_then(stamp_of)
    }
}

/// Takes a free word of a page.
fn stamp_of(page: &Arc<Page>) -> Option<ArrivalStamp> {
    let word = page.free.lock().unwrap_or_else(PoisonError::into_inner).pop()?;
    page.word(word).store(0, Ordering::Relaxed);
    Some(ArrivalStamp { page: Arc::clone(page), word })
}

/// A map of the kernel with one long value, which is a page of words.
#[derive(Debug)]
struct Page {
    map: OwnedFd,
    words: NonNull<u8>,
    free: Mutex<Vec<usize>>,
}

// SAFETY: the memory is only accessed by atomic words, and lives as long as the page.
unsafe impl Send for Page {}
// SAFETY: as above.
unsafe impl Sync for Page {}

impl Page {
    fn new() -> io::Result<Self> {
        let map = new_map()?;
        // SAFETY: the kernel chooses the place of a new mapping; the descriptor is open.
        let words = unsafe {
            libc::mmap(
                ptr::null_mut(),
                PAGE_BYTES,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                map.as_raw_fd(),
                0,
            )
        };
        let words = match words {
            libc::MAP_FAILED => return Err(io::Error::last_os_error()),
            words => NonNull::new(words.cast()).ok_or(io::ErrorKind::OutOfMemory)?,
        };
        Ok(Self { map, words, free: Mutex::new((0..WORDS).rev().collect()) })
    }

    #[inline]
    fn word(&self, word: usize) -> &AtomicU64 {
        // SAFETY: words are numbered below `WORDS`, so this one is inside of the mapping; it is
        // aligned, and the kernel accesses it by instructions for whole words only.
        unsafe { AtomicU64::from_ptr(self.words.as_ptr().add(word * STRIDE).cast()) }
    }

    /// Runs the program of a word once, and checks that the kernel's time is that of our clock: in
    /// a time namespace it is not.
    fn is_right(&self) -> io::Result<()> {
        let program = program(&self.map, 0, Arriving::Frames)?;
        let before = monotonic();
        run_once(&program)?;
        let (stamped, after) = (self.word(0).swap(0, Ordering::Relaxed), monotonic());
        let is_right = (before - SLACK_NS..=after + SLACK_NS).contains(&stamped);
        if is_right { Ok(()) } else { Err(io::ErrorKind::Unsupported.into()) }
    }
}

/// Most by which the clocks of programs and of processes may differ, in ns.
const SLACK_NS: u64 = 1_000_000;

impl Drop for Page {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, has this length, and nobody uses it any more.
        unsafe { libc::munmap(self.words.as_ptr().cast(), PAGE_BYTES) };
    }
}

/// Returns the time on `CLOCK_MONOTONIC`, in ns.
#[inline]
pub fn monotonic() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec.cast_unsigned() * 1_000_000_000 + now.tv_nsec.cast_unsigned()
}

/// Commands of `bpf(2)`, and kinds of its objects.
const MAP_CREATE: libc::c_int = 0;
const PROG_LOAD: libc::c_int = 5;
const PROG_TEST_RUN: libc::c_int = 10;
const MAP_TYPE_ARRAY: u32 = 2;
const MAP_MAPPABLE: u32 = 1 << 10;
const PROG_TYPE_SOCKET_FILTER: u32 = 1;

/// Calls `bpf(2)`.
fn bpf<T>(command: libc::c_int, attributes: &mut T) -> io::Result<libc::c_long> {
    // SAFETY: the attributes have the kernel's layout and this length, and all that they point to
    // lives through the call.
    let result =
        unsafe { libc::syscall(libc::SYS_bpf, command, ptr::from_mut(attributes), size_of::<T>()) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

fn descriptor(result: libc::c_long) -> OwnedFd {
    // SAFETY: the kernel has returned a new descriptor, which is nobody else's. It is small.
    unsafe { OwnedFd::from_raw_fd(result as libc::c_int) }
}

fn new_map() -> io::Result<OwnedFd> {
    #[repr(C)]
    struct NewMap {
        kind: u32,
        key_bytes: u32,
        value_bytes: u32,
        entries: u32,
        flags: u32,
        unused: u32,
    }
    let mut map = NewMap {
        kind: MAP_TYPE_ARRAY,
        key_bytes: 4,
        value_bytes: PAGE_BYTES as u32,
        entries: 1,
        flags: MAP_MAPPABLE,
        unused: 0,
    };
    bpf(MAP_CREATE, &mut map).map(descriptor)
}

/// An instruction of eBPF.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
struct Instruction {
    code: u8,
    /// Destination in the low half, source in the high half.
    registers: u8,
    offset: i16,
    immediate: i32,
}

const fn instruction(code: u8, registers: u8, offset: i16, immediate: i32) -> Instruction {
    Instruction { code, registers, offset, immediate }
}

/// Loads the program that stamps a word of the map. It accepts every frame, whole.
fn program(map: &OwnedFd, word: usize, arriving: Arriving) -> io::Result<OwnedFd> {
    /// Source of a constant that is an address in a map's value.
    const MAP_VALUE: u8 = 2 << 4;
    const TIME: i32 = 5;
    const ALL_BYTES: i32 = i32::MAX;
    /// Position of the length of a TCP header, in words of four bytes, in the upper half of a byte.
    const TCP_HEADER_WORDS: i32 = 12;
    let at = (word * STRIDE) as i32;
    // r7 = &word, r8 = *r7
    let look = [
        instruction(0x18, MAP_VALUE | 7, 0, map.as_raw_fd()),
        instruction(0, 0, 0, at),
        instruction(0x79, 7 << 4 | 8, 0, 0),
    ];
    // r0 = the header's length; if r1 = the segment's length is no more, skip
    let has_data = [
        instruction(0x30, 0, 0, TCP_HEADER_WORDS),
        instruction(0x57, 0, 0, 0xf0),
        instruction(0x77, 0, 0, 2),
        instruction(0x61, 6 << 4 | 1, 0, 0),
        instruction(0xbd, 1, 2, 0),
    ];
    // *r7 = bpf_ktime_get_ns(), and then: return all bytes
    let stamp = [
        instruction(0x85, 0, 0, TIME),
        instruction(0x7b, 7, 0, 0),
        instruction(0xb7, 0, 0, ALL_BYTES),
        instruction(0x95, 0, 0, 0),
    ];
    let mut code = Vec::new();
    if arriving == Arriving::Segments {
        // r6 = the segment, as instructions that read it want
        code.push(instruction(0xbf, 1 << 4 | 6, 0, 0));
    }
    code.extend(look);
    // if r8 != 0, skip all that stamps
    let check = if arriving == Arriving::Segments { &has_data[..] } else { &[] };
    code.push(instruction(0x55, 8, check.len() as i16 + 2, 0));
    code.extend(check);
    code.extend(stamp);
    #[repr(C)]
    struct NewProgram {
        kind: u32,
        instructions: u32,
        code: u64,
        license: u64,
        log_level: u32,
        log_bytes: u32,
        log: u64,
        kernel_version: u32,
        flags: u32,
        name: [u8; 16],
    }
    let mut name = [0; 16];
    name[..15].copy_from_slice(b"netloom_arrival");
    let mut program = NewProgram {
        kind: PROG_TYPE_SOCKET_FILTER,
        instructions: code.len() as u32,
        code: code.as_ptr() as u64,
        license: c"Apache-2.0".as_ptr() as u64,
        log_level: 0,
        log_bytes: 0,
        log: 0,
        kernel_version: 0,
        flags: 0,
        name,
    };
    bpf(PROG_LOAD, &mut program).map(descriptor)
}

/// Runs a program once, with a frame of zeros.
fn run_once(program: &OwnedFd) -> io::Result<()> {
    #[repr(C)]
    struct Run {
        program: u32,
        returned: u32,
        bytes_in: u32,
        bytes_out: u32,
        data_in: u64,
        data_out: u64,
        repeat: u32,
        duration: u32,
    }
    let frame = [0_u8; 64];
    let mut run = Run {
        program: program.as_raw_fd().cast_unsigned(),
        returned: 0,
        bytes_in: frame.len() as u32,
        bytes_out: 0,
        data_in: frame.as_ptr() as u64,
        data_out: 0,
        repeat: 1,
        duration: 0,
    };
    bpf(PROG_TEST_RUN, &mut run).map(drop)
}

/// Attaches a program to a socket. Returns whether the kernel did so.
fn filter_socket(socket: BorrowedFd<'_>, program: libc::c_int) -> bool {
    let length = size_of_val(&program) as libc::socklen_t;
    // SAFETY: the descriptors are open, and the value lives through the call and has this length.
    let set = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_ATTACH_BPF,
            (&raw const program).cast(),
            length,
        )
    };
    set == 0
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::os::fd::AsFd;

    use super::*;

    #[test]
    fn of_a_connection_only_data_are_stamped() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (mut far, _) = listener.accept().unwrap();
        let Some(stamp) = ArrivalStamp::attach_to_tcp(near.as_fd()) else {
            println!("skipped: of_a_connection_only_data_are_stamped: takes CAP_BPF");
            return;
        };
        // What comes back for these is a confirmation without data.
        near.write_all(b"to the other end").unwrap();
        far.read_exact(&mut [0; 16]).unwrap();
        assert_eq!(stamp.take(), None);
        let before = monotonic();
        far.write_all(b"first").unwrap();
        let after = monotonic();
        far.write_all(b"second").unwrap();
        near.read_exact(&mut [0; 11]).unwrap();
        let came = stamp.take().unwrap();
        assert!((before..=after).contains(&came), "{before} {came} {after}");
        assert_eq!(stamp.take(), None);
    }
}
