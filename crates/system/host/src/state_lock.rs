//! The claim to an experiment's name: its state directory, with a lock that the engine holds while
//! it lives. The kernel releases the lock when the process ends, however it dies. Asking who holds
//! the lock does not take it, so many may ask at once.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use netloom_nodes::{LOCK, is_state_directory};
use nix::fcntl::{FcntlArg, Flock, FlockArg, fcntl};

/// How long a claim waits for a holder to disappear: the kernel may still be tearing down one that
/// was just killed.
const PATIENCE: Duration = Duration::from_millis(500);

/// A claimed state directory. Dropping it gives up the claim; the directory stays.
#[derive(Debug)]
pub struct StateLock {
    file: File,
    directory: PathBuf,
    /// Device and inode of the directory.
    identity: Option<(u64, u64)>,
    /// A lock on the directory, so that `systemd-tmpfiles`, which removes old files, leaves it
    /// alone.
    _kept: Option<Flock<File>>,
}

/// Whether a claimed directory existed before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existed {
    /// It was made by this claim.
    New,
    /// It was left by a dead engine.
    LeftBehind,
}

impl StateLock {
    /// Claims `directory`, and creates it if it does not exist. Returns `None` if a living process
    /// holds it.
    pub fn claim(directory: &Path) -> io::Result<Option<(Self, Existed)>> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(parent) = directory.parent() {
                fs::create_dir_all(parent)?;
            }
            // Private from the first moment on.
            let existed = match DirBuilder::new().mode(0o700).create(directory) {
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
                    if existed == Existed::New && error.kind() != io::ErrorKind::InvalidInput {
                        let _ = fs::remove_dir_all(directory);
                    }
                    return Err(error);
                }
            }
        }
    }

    /// Claims `directory` if it exists. Returns `Ok(None)` if it does not, and `Err(Taken)` if a
    /// living process holds it.
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

    /// Whether a living process holds `directory`.
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

    /// Whether the claimed directory still exists, with its lock. If not, the experiment cannot be
    /// found any more, and another one may have its name.
    pub fn is_in_force(&self) -> bool {
        let held = self.file.metadata().ok().map(|held| (held.dev(), held.ino()));
        held.is_some() && held == identity(&self.directory.join(LOCK))
    }

    /// Whether the claimed directory still exists, even without its lock.
    pub fn has_directory(&self) -> bool {
        self.identity.is_some() && self.identity == identity(&self.directory)
    }

    fn of(file: File, directory: &Path) -> Self {
        let opened = File::open(directory).ok();
        let kept = opened.and_then(|it| Flock::lock(it, FlockArg::LockSharedNonblock).ok());
        Self { file, directory: directory.into(), identity: identity(directory), _kept: kept }
    }

    fn try_lock(directory: &Path) -> io::Result<Attempt> {
        let path = directory.join(LOCK);
        if !is_state_directory(directory)? && directory.exists() {
            let why = "it is no state directory of NetLoom: there is no `lock` in it; \
                       choose another name for the experiment, or set NETLOOM_STATE_DIR";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        let file = match options.open(&path) {
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
        // The previous holder of the lock may have removed the directory. Then our lock is on a
        // deleted file.
        let locked = file.metadata()?;
        match fs::metadata(&path) {
            Ok(there) if (there.dev(), there.ino()) == (locked.dev(), locked.ino()) => {
                Ok(Attempt::Ours(Self::of(file, directory)))
            }
            Ok(_) => Ok(Attempt::Gone),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Attempt::Gone),
            Err(error) => Err(error),
        }
    }
}

/// A living process holds the directory.
#[derive(Debug)]
pub struct Taken;

enum Attempt {
    Ours(StateLock),
    Taken,
    Gone,
}

fn identity(path: &Path) -> Option<(u64, u64)> {
    fs::metadata(path).ok().map(|found| (found.dev(), found.ino()))
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

    /// A directory for one test, removed at its end.
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
    fn a_directory_is_its_owners_alone_and_never_a_strangers() {
        let place = Place::new("private");
        let (lock, _) = StateLock::claim(&place.0).unwrap().unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
        assert_eq!((mode(&place.0), mode(&place.0.join(LOCK))), (0o700, 0o600));
        assert!(lock.is_in_force());
        fs::remove_dir_all(&place.0).unwrap();
        assert!(!lock.is_in_force());
        let (_other, _) = StateLock::claim(&place.0).unwrap().unwrap();
        assert!(!lock.is_in_force());
        let strangers = Place::new("strangers");
        fs::create_dir(&strangers.0).unwrap();
        fs::write(strangers.0.join("thesis.tex"), "").unwrap();
        assert!(StateLock::claim(&strangers.0).is_err());
        assert!(StateLock::claim_existing(&strangers.0).is_err());
        assert_eq!(fs::read_dir(&strangers.0).unwrap().count(), 1);
    }

    #[test]
    fn claiming_an_existing_directory_does_not_create_it() {
        let place = Place::new("absent");
        assert!(StateLock::claim_existing(&place.0).unwrap().unwrap().is_none());
        assert!(!place.0.exists());
    }
}
