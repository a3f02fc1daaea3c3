//! Why a machine does not let an ordinary user have a user namespace, and what would permit it.

use std::{fmt, fs, io};

use nix::errno::Errno;

/// The machine forbids user namespaces, or operations that are needed in them.
#[derive(Debug)]
pub struct Refusal {
    action: &'static str,
    error: String,
    reason: String,
}

impl std::error::Error for Refusal {}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "cannot {} as an ordinary user: {}; {}. Or run NetLoom as root (docs/rootless.md)",
            self.action, self.error, self.reason
        )
    }
}

impl Refusal {
    /// Creates the refusal of `action`, with the machine's setting that explains it.
    pub(super) fn because(action: &'static str, error: &io::Error) -> Self {
        let setting = |name: &str| {
            let text = fs::read_to_string(format!("/proc/sys/{}", name.replace('.', "/")));
            text.ok().and_then(|text| text.trim().parse().ok())
        };
        let errno = error.raw_os_error().map_or(Errno::UnknownErrno, Errno::from_raw);
        Self { action, error: error.to_string(), reason: reason(errno, setting) }
    }
}

/// Returns the reason of the error, from the settings of the machine. `setting` returns `None` for
/// those that the machine does not have.
fn reason(errno: Errno, setting: impl Fn(&str) -> Option<u64>) -> String {
    let forbidden = matches!(errno, Errno::EPERM | Errno::EACCES);
    if forbidden && setting("kernel.unprivileged_userns_clone") == Some(0) {
        return "this machine forbids user namespaces to ordinary users: \
                `sudo sysctl kernel.unprivileged_userns_clone=1` allows them"
            .into();
    }
    if setting("user.max_user_namespaces") == Some(0) {
        return "this machine has turned user namespaces off: \
                `sudo sysctl user.max_user_namespaces=10000` turns them on"
            .into();
    }
    if forbidden && setting("kernel.apparmor_restrict_unprivileged_userns") == Some(1) {
        return "AppArmor restricts user namespaces of ordinary users on this machine: give \
                `netloom` a profile that allows them (docs/rootless.md has it), or \
                `sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0` for all programs"
            .into();
    }
    match errno {
        Errno::ENOSPC | Errno::EUSERS => "there are as many namespaces as the machine allows, or \
            they are nested too deeply: raise `user.max_user_namespaces` and \
            `user.max_mnt_namespaces`"
            .into(),
        Errno::EINVAL => "the kernel lacks user namespaces (CONFIG_USER_NS)".into(),
        _ => "no setting of the kernel's forbids it: a container's seccomp profile or another \
              security module may"
            .into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the reason on a machine whose setting `name` is `value`, and which has no other
    /// restriction.
    fn on(errno: Errno, name: &str, value: u64) -> String {
        reason(errno, |asked| match asked {
            _ if asked == name => Some(value),
            "user.max_user_namespaces" => Some(63000),
            _ => None,
        })
    }

    #[test]
    fn each_restriction_is_reported_with_a_remedy() {
        for (errno, name, value, remedy) in [
            (Errno::EPERM, "kernel.unprivileged_userns_clone", 0, "unprivileged_userns_clone=1"),
            (Errno::ENOSPC, "user.max_user_namespaces", 0, "max_user_namespaces=10000"),
            (Errno::EPERM, "user.max_user_namespaces", 0, "max_user_namespaces=10000"),
            (Errno::EACCES, "kernel.apparmor_restrict_unprivileged_userns", 1, "userns=0"),
            (Errno::EPERM, "kernel.apparmor_restrict_unprivileged_userns", 1, "a profile"),
            (Errno::ENOSPC, "user.max_user_namespaces", 100, "raise"),
            (Errno::EINVAL, "user.max_user_namespaces", 100, "CONFIG_USER_NS"),
            (Errno::EPERM, "kernel.apparmor_restrict_unprivileged_userns", 0, "seccomp"),
        ] {
            let words = on(errno, name, value);
            assert!(words.contains(remedy), "{errno} with {name}={value}: {words}");
        }
    }
}
