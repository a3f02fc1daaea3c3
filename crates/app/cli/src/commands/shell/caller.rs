//! The user that the command runs as: the caller, or with `sudo` the caller of that.

use std::env;
use std::ffi::OsString;

use anyhow::{Context, Result};
use netloom_host::shell;
use nix::unistd::{Uid, User, geteuid};

use super::network::Network;
use crate::args::Shell;
use crate::exit;

/// The variable with the address of the caller's side of the link.
const GATEWAY: &str = "NETLOOM_GATEWAY";

/// The user that the command runs as.
pub struct Caller {
    /// The user, if it differs from that of this program.
    pub other: Option<shell::Caller>,
    /// The user's entry in the machine's tables.
    user: Option<User>,
}

impl Caller {
    /// Returns the caller of this program.
    pub fn of_this_process() -> Result<Self> {
        let number = |name: &str| env::var(name).ok().and_then(|text| text.parse::<u32>().ok());
        let Some(by_sudo) = number("SUDO_UID").filter(|user| geteuid().is_root() && *user != 0)
        else {
            return Ok(Self { other: None, user: None });
        };
        let user = User::from_uid(Uid::from_raw(by_sudo)).context("cannot read the users")?;
        let user = user.ok_or_else(|| {
            exit::usage(format!(
                "there is no user {by_sudo}, whom $SUDO_UID names; unset it to run the command as \
                 root"
            ))
        })?;
        let other = shell::Caller::of(&user)
            .with_context(|| format!("cannot read the groups of {}", user.name))?;
        Ok(Self { other: Some(other), user: Some(user) })
    }

    /// Returns the command and its arguments.
    pub fn command(&self, args: &Shell) -> Result<Vec<OsString>> {
        if !args.command.is_empty() {
            return Ok(args.command.clone());
        }
        let shell = match &self.user {
            Some(user) => Some(user.shell.clone().into_os_string()),
            None => env::var_os("SHELL"),
        };
        Ok(vec![shell.filter(|shell| !shell.is_empty()).unwrap_or_else(|| "/bin/sh".into())])
    }

    /// Returns the variables of the command that differ from those of this program.
    pub fn environment(&self, network: &Network) -> Vec<(&'static str, OsString)> {
        let mut all = vec![(GATEWAY, network.subnets.v4.to_string().into())];
        let Some(user) = &self.user else { return all };
        // The values that a session of the user has.
        all.extend([
            ("HOME", user.dir.clone().into_os_string()),
            ("SHELL", user.shell.clone().into_os_string()),
            ("USER", user.name.clone().into()),
            ("LOGNAME", user.name.clone().into()),
        ]);
        let runtime = format!("/run/user/{}", user.uid);
        if std::path::Path::new(&runtime).is_dir() {
            all.push(("XDG_RUNTIME_DIR", runtime.into()));
        }
        all
    }
}
