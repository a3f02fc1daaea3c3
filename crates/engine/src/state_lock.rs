//! The claim to an experiment's name: its state directory, with a lock that the engine holds while it
//! lives. The kernel drops the lock with the process, however it dies; asking who holds it does not
//! take it, so that many may ask at once.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::fcntl::{FcntlArg, fcntl};

/// The name of the lock file in the state directory.
const LOCK: &str = "lock";

/// How long a claim waits for a holder to go: one that was killed a moment ago is still being
/// taken apart by the kernel.
const PATIENCE: Duration = Duration::from_millis(500);

/// A claimed state directory. Dropping it gives the claim up; the directory stays.
#[derive(Debug)]
pub struct StateLock {
    _file: File,
}

/// Whether a claimed directory was there before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existed {
    /// It was made by this claim.
    New,
    /// It was left by a dead engine.
    LeftBehind,
}

impl StateLock {
    /// Claims `directory`, making it if it is not there; `None` if a living process has it.
    pub fn claim(directory: &Path) -> io::Result<Option<(Self, Existed)>> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(parent) = directory.parent() {
                fs::create_dir_all(parent)?;
            }
            let existed = match fs::create_dir(directory) {
                Ok(()) => Existed::New,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Existed::LeftBehind,
                Err(error) => return Err(error),
            };
            match Self::try_lock(directory) {
                Ok(Attempt::Ours(lock)) => return Ok(Some((lock, existed))),
                Ok(Attempt::Taken) if Instant::now() > deadline => return Ok(None),
                Ok(Attempt::Taken) => sleep(Duration::from_millis(2)),
                // Somebody removed it meanwhile.
                Ok(Attempt::Gone) => {}
                Err(error) => {
                    if existed == Existed::New {
                        let _ = fs::remove_dir_all(directory);
                    }
                    return Err(error);
                }
            }
        }
    }

    /// Claims `directory` if it is there. `Ok(None)`: it is not; `Err(Taken)`: a living process
    /// has it.
    pub fn claim_existing(directory: &Path) -> io::Result<Result<Option<Self>, Taken>> {
        let deadline = Instant::now() + PATIENCE;
        while directory.exists() {
            match Self::try_lock(directory)? {
                Attempt::Ours(lock) => return Ok(Ok(Some(lock))),
                Attempt::Taken if Instant::now() > deadline => return Ok(Err(Taken)),
                Attempt::Taken => sleep(Duration::from_millis(2)),
                Attempt::Gone => {}
            }
        }
        Ok(Ok(None))
    }

    /// Whether a living process has `directory`.
    pub fn is_taken(directory: &Path) -> io::Result<bool> {
        let file = match File::options().read(true).write(true).open(directory.join(LOCK)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error),
        };
        let mut lock = whole_file();
        fcntl(&file, FcntlArg::F_OFD_GETLK(&mut lock))?;
        Ok(i32::from(lock.l_type) != libc::F_UNLCK)
    }

    fn try_lock(directory: &Path) -> io::Result<Attempt> {
        let path = directory.join(LOCK);
        let mut options = File::options();
        let file = match options.read(true).write(true).create(true).truncate(false).open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Attempt::Gone),
            Err(error) => return Err(error),
        };
        match fcntl(&file, FcntlArg::F_OFD_SETLK(&whole_file())) {
            Ok(_) => {}
            Err(nix::errno::Errno::EAGAIN | nix::errno::Errno::EACCES) => {
                return Ok(Attempt::Taken);
            }
            Err(errno) => return Err(errno.into()),
        }
        // Whoever had the lock before may have removed the directory: then ours is of a ghost.
        let locked = file.metadata()?;
        match fs::metadata(&path) {
            Ok(there) if (there.dev(), there.ino()) == (locked.dev(), locked.ino()) => {
                Ok(Attempt::Ours(Self { _file: file }))
            }
            Ok(_) => Ok(Attempt::Gone),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Attempt::Gone),
            Err(error) => Err(error),
        }
    }
}

/// A living process has the directory.
#[derive(Debug)]
pub struct Taken;

enum Attempt {
    Ours(StateLock),
    Taken,
    Gone,
}

fn whole_file() -> libc::flock {
    libc::flock {
        l_type: libc::F_WRLCK as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: 0,
        l_len: 0,
        l_pid: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A directory of this test's own, removed with it.
    struct Place(std::path::PathBuf);

    impl Place {
        fn new(name: &str) -> Self {
            let directory =
                std::env::temp_dir().join(format!("netloom-{name}-{}", std::process::id()));
            Self(directory)
        }
    }

    impl Drop for Place {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_claim_is_exclusive_and_asking_does_not_take_it() {
        let place = Place::new("claim");
        assert!(!StateLock::is_taken(&place.0).unwrap());
        let (lock, existed) = StateLock::claim(&place.0).unwrap().unwrap();
        assert_eq!(existed, Existed::New);
        for _ in 0..3 {
            assert!(StateLock::is_taken(&place.0).unwrap());
        }
        assert!(StateLock::claim(&place.0).unwrap().is_none());
        assert!(StateLock::claim_existing(&place.0).unwrap().is_err());
        drop(lock);
        assert!(!StateLock::is_taken(&place.0).unwrap());
        let (_, existed) = StateLock::claim(&place.0).unwrap().unwrap();
        assert_eq!(existed, Existed::LeftBehind);
    }

    #[test]
    fn what_is_not_there_is_not_made_by_looking() {
        let place = Place::new("absent");
        assert!(StateLock::claim_existing(&place.0).unwrap().unwrap().is_none());
        assert!(!place.0.exists());
    }
}
