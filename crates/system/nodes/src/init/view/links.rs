//! The node's own files over those of the machine, where an overlay is impossible: a directory of
//! the node with links to everything that the machine has there. Files of the machine are then
//! visible and can be replaced, but not written to.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;

use nix::mount::MsFlags;

use super::super::failure::{Failed, attempt};
use super::mounts::{NONE, bind, mount, open, read_only};

/// Where the machine's directory is mounted, in the directory of the layer. The links lead there.
pub(super) const MACHINE: &str = "machine";

/// Mounts `upper` of `layer`, completed by links, at `place`.
pub(super) fn lay(layer: &Path, place: &Path) -> Result<(), Failed> {
    let (upper, machine) = (layer.join("upper"), layer.join(MACHINE));
    attempt(fs::create_dir(&machine), || format!("create {}", machine.display()))?;
    bind(&open(place)?, &machine)?;
    read_only(&machine)?;
    attempt(complete(&upper, &machine), || {
        format!("make links to what is in {}", place.display())
    })?;
    let shown = mount(Some(&upper), place, NONE, MsFlags::MS_BIND, NONE);
    attempt(shown, || format!("mount {}", place.display()))
}

/// Creates links in `upper` to everything that is in `lower` but not in `upper`. Links of the
/// machine are copied, because their targets are at the same paths.
fn complete(upper: &Path, lower: &Path) -> io::Result<()> {
    // If this user cannot read the directory, neither can the node.
    let Ok(entries) = fs::read_dir(lower) else { return Ok(()) };
    for entry in entries {
        let entry = entry?;
        let (ours, theirs) = (upper.join(entry.file_name()), entry.path());
        let kind = entry.file_type()?;
        match fs::symlink_metadata(&ours) {
            Ok(found) if found.is_dir() && kind.is_dir() => complete(&ours, &theirs)?,
            Ok(_) => {}
            Err(_) if kind.is_symlink() => symlink(fs::read_link(&theirs)?, &ours)?,
            Err(_) => symlink(&theirs, &ours)?,
        }
    }
    Ok(())
}
