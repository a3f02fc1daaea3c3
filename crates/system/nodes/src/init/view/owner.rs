//! Users by name, from the node's files. Not through the C library, which would load code from the
//! node's file system into this process.

use std::fs;
use std::io;
use std::path::Path;

use nix::unistd::{Gid, Uid, chown};

use super::super::failure::{Failed, attempt};

/// Gives `path` to a user and the group of the same name, or to root if there is no name.
pub(super) fn give(path: &Path, owner: Option<&str>) -> Result<(), Failed> {
    let Some(owner) = owner else { return Ok(()) };
    let ids = find(owner).ok_or_else(|| {
        let error = io::Error::new(io::ErrorKind::NotFound, "there is no such user in /etc/passwd");
        (format!("find the user `{owner}`"), error)
    })?;
    attempt(chown(path, Some(ids.0), Some(ids.1)), || format!("give {} to {owner}", path.display()))
}

fn find(name: &str) -> Option<(Uid, Gid)> {
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let user = fields(&users, name)?;
    let groups = fs::read_to_string("/etc/group").unwrap_or_default();
    let group = fields(&groups, name).and_then(|group| group.get(2)?.parse().ok());
    let own = || user.get(3)?.parse().ok();
    Some((Uid::from_raw(user.get(2)?.parse().ok()?), Gid::from_raw(group.or_else(own)?)))
}

/// Returns the fields of the line for `name`.
fn fields<'t>(text: &'t str, name: &str) -> Option<Vec<&'t str>> {
    text.lines().map(|line| line.split(':').collect::<Vec<_>>()).find(|line| line[0] == name)
}
