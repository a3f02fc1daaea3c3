//! The clock of a user-mode kernel: the start of its dilation, and its time.

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

/// Time from informing the first kernel until time dilation begins. If a kernel were informed
/// later, its clock would go back.
const LEAD: Duration = Duration::from_millis(200);
/// Size of the page that a kernel reads, in bytes.
const PAGE: u64 = 4096;
/// Offset of the content of the page. A byte before it shows whether the content is complete.
const CONTENT: u64 = 8;
/// Number of requests for a kernel's clock.
const ASKED: usize = 50;

/// The page from which a kernel's library reads the dilation (`shim/clock.rs`): the standard input
/// of the kernel. Each start of the kernel has a new page.
#[derive(Debug, Default)]
pub(crate) struct DilationPage(Mutex<Option<File>>);

impl DilationPage {
    /// Creates a page for a kernel that is about to start. Its time is the machine's at first.
    pub fn renew(&self) -> io::Result<File> {
        let file = File::from(memfd_create("clock", MFdFlags::MFD_CLOEXEC)?);
        file.set_len(PAGE)?;
        *self.lock() = Some(file.try_clone()?);
        Ok(file)
    }

    fn lock(&self) -> MutexGuard<'_, Option<File>> {
        // The page is replaced in one step, so a poisoned lock does no harm.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the start of the dilation. Does nothing if no kernel runs.
    fn write(&self, moment: &Moment, dilation: Dilation) -> io::Result<()> {
        let page = self.lock();
        let Some(file) = &*page else { return Ok(()) };
        let words = [moment.real, moment.monotonic, dilation.millionths()];
        file.write_all_at(&words.map(u64::to_le_bytes).concat(), CONTENT)?;
        file.write_all_at(&[1], 0)
    }
}

/// One moment on two clocks of the machine, in ns.
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

/// Dilates the time of running kernels from one moment on. Returns after that moment.
pub(crate) fn dilate<'p>(
    pages: impl IntoIterator<Item = &'p DilationPage>,
    dilation: Dilation,
) -> io::Result<()> {
    let moment = Moment::after(LEAD);
    pages.into_iter().try_for_each(|page| page.write(&moment, dilation))?;
    let left = moment.monotonic.saturating_sub(read(ClockId::CLOCK_MONOTONIC));
    if left == 0 {
        // Otherwise the clock of some kernel has gone back.
        return Err(io::Error::new(
            io::ErrorKind::TimedOut,
            "the machine was too busy to inform all kernels in time",
        ));
    }
    thread::sleep(std::time::Duration::from_nanos(left));
    Ok(())
}

/// `CLOCK_MONOTONIC` of a kernel, and of the machine at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelTime {
    /// Clock of the kernel, in ns.
    pub kernel: u64,
    /// Clock of the machine, in ns.
    pub machine: u64,
    /// Largest error of the comparison, in the machine's time.
    pub within: Duration,
}

/// Asks the agent of the node in whose namespace the calling thread is for its clock. It asks
/// several times, and uses the answer with the shortest round trip.
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

/// Answers requests for the clock of this kernel, as often as they come.
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

/// Reads a clock, in ns. These clocks always exist, and are never before 1970.
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
        // A machine that is too busy returns an error.
        let done = dilate([&running, &stopped, &other], "2.5".parse().unwrap());
        let ended = read(ClockId::CLOCK_MONOTONIC);
        let [first, second] = pages.each_ref().map(read_page);
        assert_eq!(first, second);
        let [is_written, _, moment, millionths] = first;
        assert_eq!((is_written, millionths), (1, 2_500_000));
        assert!(begun < moment && (done.is_err() || moment <= ended));
        // A kernel that restarts begins with the machine's time.
        assert_eq!(read_page(&running.renew().unwrap()), [0; 4]);
    }
}
