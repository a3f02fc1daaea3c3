//! The node's own files over those of the machine where there can be no overlay: a directory of the
//! node's own with links to everything that the machine has there. Files of the machine are then
//! seen, and can be replaced, but not written into.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;

use nix::mount::MsFlags;

use super::super::failure::{Failed, attempt};
use super::mounts::{NONE, bind, mount, open, read_only};

/// Shows `upper` of `layer`, completed by links, at `place`.
pub(super) fn lay(layer: &Path, place: &Path) -> Result<(), Failed> {
    let (upper, machine) = (layer.join("upper"), layer.join("machine"));
    attempt(fs::create_dir(&machine), || format!("create {}", machine.display()))?;
    bind(&open(place)?, &machine)?;
    read_only(&machine)?;
    attempt(complete(&upper, &machine), || {
        format!("make links to what is in {}", place.display())
    })?;
    let shown = mount(Some(&upper), place, NONE, MsFlags::MS_BIND, NONE);
    attempt(shown, || format!("mount {}", place.display()))
}

/// Links in `upper` to all that is in `lower` and not in `upper`. Links of the machine are taken as
/// they are: they are seen where they were.
fn complete(upper: &Path, lower: &Path) -> io::Result<()> {
    // What this user may not read, the node may not either.
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
