//! The clock of a user-mode kernel: from when on it is dilated, and what it shows.

use std::fs::File;
use std::io;
use std::net::TcpStream;
use std::os::unix::fs::FileExt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use netloom_units::{Dilation, Duration};
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::time::TimeValLike;
use nix::time::{ClockId, clock_gettime};

use super::messages::{Message, connect, receive, send};

/// How long after all kernels were informed their time begins to be dilated. A kernel that is
/// informed later would see its clock go back.
const LEAD: Duration = Duration::from_millis(200);
/// How large the page is that a kernel reads.
const PAGE: u64 = 4096;
/// Where what the page says begins. Before it is a byte that says whether it is written.
const CONTENT: u64 = 8;
/// How often a kernel is asked what its clock shows.
const ASKED: usize = 50;

/// The page by which a kernel's library knows how to dilate time (`shim/clock.rs`): the standard
/// input of the kernel. Each start of the kernel has a new one.
#[derive(Debug, Default)]
pub(crate) struct DilationPage(Mutex<Option<File>>);

impl DilationPage {
    /// A page for a kernel that is about to start, whose time is the machine's at first.
    pub fn renew(&self) -> io::Result<File> {
        let file = File::from(memfd_create("clock", MFdFlags::MFD_CLOEXEC)?);
        file.set_len(PAGE)?;
        *self.lock() = Some(file.try_clone()?);
        Ok(file)
    }

    fn lock(&self) -> MutexGuard<'_, Option<File>> {
        // It is replaced in one step.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says from when on time is dilated; nothing where no kernel runs.
    fn write(&self, moment: &Moment, dilation: Dilation) -> io::Result<()> {
        let page = self.lock();
        let Some(file) = &*page else { return Ok(()) };
        let words = [moment.real, moment.monotonic, dilation.millionths()];
        file.write_all_at(&words.map(u64::to_le_bytes).concat(), CONTENT)?;
        file.write_all_at(&[1], 0)
    }
}

/// A moment by two clocks of the machine, in ns.
struct Moment {
    real: u64,
    monotonic: u64,
}

impl Moment {
    fn after(lead: Duration) -> Self {
        let [real, monotonic] = [ClockId::CLOCK_REALTIME, ClockId::CLOCK_MONOTONIC]
            .map(|clock| read(clock) + lead.as_nanos());
        Self { real, monotonic }
    }
}

/// Dilates the time of kernels that run, from one moment on; returns when that has come.
pub(crate) fn dilate<'p>(
    pages: impl IntoIterator<Item = &'p DilationPage>,
    dilation: Dilation,
) -> io::Result<()> {
    let moment = Moment::after(LEAD);
    pages.into_iter().try_for_each(|page| page.write(&moment, dilation))?;
    let left = moment.monotonic.saturating_sub(read(ClockId::CLOCK_MONOTONIC));
    if left == 0 {
        // Else some kernel has seen its time go back.
        return Err(io::Error::new(
            io::ErrorKind::TimedOut,
            "the machine was too busy to inform all kernels in time",
        ));
    }
    thread::sleep(std::time::Duration::from_nanos(left));
    Ok(())
}

/// What a kernel's `CLOCK_MONOTONIC` showed at a time of the machine's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelTime {
    /// What it showed, in ns.
    pub kernel: u64,
    /// What the machine's showed then.
    pub machine: u64,
    /// By how much of the machine's time one may be earlier or later than the other.
    pub within: Duration,
}

/// Asks the agent of the node in whose namespace the calling thread is what its clock shows: often,
/// and the answer that came soonest counts.
pub(crate) fn ask() -> io::Result<KernelTime> {
    let stream = connect()?;
    let mut best: Option<KernelTime> = None;
    for _ in 0..ASKED {
        let once = ask_once(&stream)?;
        best = Some(best.filter(|best| best.within <= once.within).unwrap_or(once));
    }
    best.ok_or_else(|| io::ErrorKind::InvalidData.into())
}

fn ask_once(stream: &TcpStream) -> io::Result<KernelTime> {
    let asked = read(ClockId::CLOCK_MONOTONIC);
    send(stream, &Message::Clock)?;
    let answer = receive(stream)?;
    let answered = read(ClockId::CLOCK_MONOTONIC);
    let Some(Message::Time { nanos }) = answer else {
        return Err(io::ErrorKind::InvalidData.into());
    };
    let half = answered.saturating_sub(asked) / 2;
    Ok(KernelTime { kernel: nanos, machine: asked + half, within: Duration::from_nanos(half) })
}

/// Answers who asks for the time of this kernel, as often as they do.
pub(super) fn answer(stream: &TcpStream) -> io::Result<()> {
    loop {
        let nanos = read(ClockId::CLOCK_MONOTONIC);
        send(stream, &Message::Time { nanos })?;
        match receive(stream)? {
            Some(Message::Clock) => {}
            Some(_) => return Err(io::ErrorKind::InvalidData.into()),
            None => return Ok(()),
        }
    }
}

/// A clock, in ns. These are always there, and not before 1970.
fn read(clock: ClockId) -> u64 {
    let time = clock_gettime(clock).map_or(0, |time| time.num_nanoseconds());
    u64::try_from(time).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_that_run_are_informed_of_one_moment() {
        let (running, other, stopped) =
            (DilationPage::default(), DilationPage::default(), DilationPage::default());
        let pages = [&running, &other].map(|page| page.renew().unwrap());
        let read_page = |file: &File| {
            let mut bytes = [0; 32];
            file.read_exact_at(&mut bytes, 0).unwrap();
            let word =
                |place: usize| u64::from_le_bytes(*bytes[place..].first_chunk::<8>().unwrap());
            [0, 8, 16, 24].map(word)
        };
        assert_eq!(read_page(&pages[0]), [0; 4]);
        let begun = read(ClockId::CLOCK_MONOTONIC);
        // A machine that was too busy says so.
        let done = dilate([&running, &stopped, &other], "2.5".parse().unwrap());
        let ended = read(ClockId::CLOCK_MONOTONIC);
        let [first, second] = pages.each_ref().map(read_page);
        assert_eq!(first, second);
        let [is_written, _, moment, millionths] = first;
        assert_eq!((is_written, millionths), (1, 2_500_000));
        assert!(begun < moment && (done.is_err() || moment <= ended));
        // One that starts anew begins with the machine's time.
        assert_eq!(read_page(&running.renew().unwrap()), [0; 4]);
    }
}
