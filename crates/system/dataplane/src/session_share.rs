//! The share of the machine that this process's session gets (its *autogroup*). Linux gives each
//! session the same share by default, so the nice value of a thread counts within its session only.
//! Not here: when a worker deserves more (`scheduling`).

use std::fs;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Nice value and name of this process's autogroup.
const FILE: &str = "/proc/self/autogroup";

/// What keeps the session's share raised. A process has one session, so there is one of these.
static HOLDERS: Mutex<Holders> = Mutex::new(Holders { count: 0, before: 0 });

struct Holders {
    /// Number of [`SessionShare`]s.
    count: usize,
    /// Nice value of the session without them.
    before: i32,
}

/// A larger share of the machine for this process's session, for as long as one of these exists.
#[derive(Debug)]
pub(crate) struct SessionShare(());

impl SessionShare {
    /// Nice value of a session whose share is larger.
    pub const NICE: i32 = -10;

    /// Raises the share. Returns `None` if the machine has no autogroups, does not permit it, or if
    /// the session has another leader than this process: its share is not ours to change.
    pub fn raise() -> Option<Self> {
        // SAFETY: takes a number only; 0 is this process.
        if unsafe { libc::getsid(0) != libc::getpid() } {
            return None;
        }
        let mut holders = holders();
        if holders.count == 0 {
            holders.before = nice()?;
            if holders.before > Self::NICE {
                set_nice(Self::NICE).ok()?;
            }
        }
        holders.count += 1;
        Some(Self(()))
    }

    /// Gives the share up; the last one to do so restores the session's nice value.
    ///
    /// # Errors
    /// The kernel permits no change now, which happens to users without privileges that make many.
    /// The share is still raised.
    pub fn lower(self) -> Result<(), Self> {
        if self.give_up() {
            std::mem::forget(self);
            return Ok(());
        }
        Err(self)
    }

    /// Returns whether the share is given up.
    fn give_up(&self) -> bool {
        let mut holders = holders();
        let is_last = holders.count == 1 && holders.before > Self::NICE;
        let done = !is_last || set_nice(holders.before).is_ok();
        holders.count -= usize::from(done);
        done
    }
}

impl Drop for SessionShare {
    fn drop(&mut self) {
        // If the kernel refuses that, the share ends with the session, which the process leads.
        self.give_up();
    }
}

/// Locks the count. It is right even if a holder panicked meanwhile: nothing here panics.
fn holders() -> MutexGuard<'static, Holders> {
    HOLDERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the nice value of the session, or `None` without autogroups.
fn nice() -> Option<i32> {
    parse(&fs::read_to_string(FILE).ok()?)
}

/// Parses a line like `/autogroup-10269 nice 0`.
fn parse(line: &str) -> Option<i32> {
    line.trim_end().rsplit_once(" nice ")?.1.parse().ok()
}

fn set_nice(nice: i32) -> io::Result<()> {
    fs::write(FILE, nice.to_string())
}

#[cfg(test)]
pub(crate) mod tests {
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    use super::*;

    const INSIDE: &str = "NETLOOM_TEST_OWN_SESSION";

    /// Runs `body` in a process that leads a session of its own and has autogroups that it may
    /// change, by running this test again there. `test` is its full name.
    pub fn in_own_session(test: &str, body: impl FnOnce()) {
        if std::env::var_os(INSIDE).is_some() {
            return body();
        }
        let mut again = Command::new(std::env::current_exe().unwrap());
        again.args([test, "--exact", "--nocapture", "--test-threads=1"]).env(INSIDE, "1");
        // SAFETY: the closure makes one system call.
        unsafe { again.pre_exec(|| nix::unistd::setsid().map(drop).map_err(io::Error::from)) };
        let output = again.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        said.lines().filter(|line| line.starts_with("skipped")).for_each(|line| println!("{line}"));
        assert!(output.status.success() && said.contains("1 passed"), "{said}\n{output:?}");
    }

    /// Returns the session's nice value if this process may change it.
    pub fn changeable() -> Option<i32> {
        // Threads of tests have tests' names, so the leader is the process, not the thread.
        let before = nice()?;
        let share = SessionShare::raise()?;
        share.lower().ok()?;
        Some(before)
    }

    /// Returns the session's nice value.
    pub fn nice_now() -> i32 {
        nice().unwrap()
    }

    #[test]
    fn the_last_holder_restores_the_share() {
        in_own_session("session_share::tests::the_last_holder_restores_the_share", || {
            let Some(before) = changeable() else {
                println!("skipped: this machine has no autogroups, or permits no change");
                return;
            };
            let [first, second] = [(); 2].map(|()| SessionShare::raise().unwrap());
            assert_eq!(nice_now(), SessionShare::NICE);
            first.lower().unwrap();
            assert_eq!(nice_now(), SessionShare::NICE);
            second.lower().unwrap();
            assert_eq!(nice_now(), before);
        });
    }

    #[test]
    fn a_session_of_others_keeps_its_share() {
        // SAFETY: takes a number only.
        if unsafe { libc::getsid(0) == libc::getpid() } {
            println!("skipped: this test leads its session");
            return;
        }
        assert!(SessionShare::raise().is_none());
    }

    #[test]
    fn the_kernels_line_is_understood() {
        assert_eq!(parse("/autogroup-10269 nice 0\n"), Some(0));
        assert_eq!(parse("/autogroup-7 nice -15\n"), Some(-15));
        assert_eq!(parse(""), None);
    }
}
