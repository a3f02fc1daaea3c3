//! The node's own files, over those of the machine: overlays, whose upper layers are in the node's
//! `/run`. Every node has overlays of `/etc` and of the directories where programs keep logs and
//! state, so that programs may change them. Other directories get an overlay if a file is added
//! there.
//!
//! All files are written to the upper layers before these are mounted. A write through an overlay
//! would first copy what the machine has there, which an ordinary user may not do with files of
//! others.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::mount::MsFlags;
use nix::unistd::{Gid, Uid, chown};

use super::super::failure::{Failed, attempt};
use super::mounts::{NONE, mount};
use super::{links, owner};
use crate::process::view::{View, ViewFile};
use crate::rootless;

/// Directories that belong to the node in all cases.
const OWN: &[&str] = &["/run", "/tmp", "/var/tmp", "/dev/shm"];
const ETC: &str = "/etc";
/// Directories whose content is the machine's, and that programs can change for the node alone.
const LAID_OVER: &[&str] = &[ETC, "/var/log", "/var/lib", "/var/cache"];
/// `nobody`, the kernel's default for ids that cannot be shown.
const OVERFLOW: u32 = 65534;
/// Directory of upper layers and new directories.
pub(super) const LAYERS: &str = "/run/netloom/layers";

/// The node's own files, and the mounts that make them visible.
pub(super) struct Private {
    /// Paths that belong to the node after mounting.
    covered: Vec<PathBuf>,
    /// Directories with an overlay, and its layer.
    overlays: Vec<(PathBuf, PathBuf)>,
    /// New directories that cover others: the new directory, and the path that it covers.
    fresh: Vec<(PathBuf, PathBuf)>,
}

impl Private {
    /// Writes the files, first those that every node has; mounts nothing. In an image, everything
    /// belongs to the node already. `binds` are the open sources of `view.binds`.
    pub fn prepare(
        view: &View,
        own: &[ViewFile],
        binds: &[File],
        image: bool,
    ) -> Result<Self, Failed> {
        let mut covered: Vec<PathBuf> = OWN.iter().map(PathBuf::from).collect();
        if image {
            covered.push("/".into());
        }
        let mut private = Self { covered, overlays: vec![], fresh: vec![] };
        let targets = view.directories.iter().map(|directory| &directory.path);
        let targets = targets.chain(view.files.iter().map(|file| &file.path));
        // Existing paths can be mounted over.
        let places = view.binds.iter().map(|bind| &bind.node).filter(|place| !place.exists());
        private.choose_overlays(targets.chain(places))?;
        if image || Path::new(ETC).is_dir() {
            private.write_files(own)?;
        }
        private.make_directories(view)?;
        private.write_files(&view.files)?;
        private.make_targets(view, binds)?;
        Ok(private)
    }

    /// Does what [`prepare`](Self::prepare) does, for a part of the view whose directories exist
    /// and belong to the node already.
    pub fn prepare_again(view: &View, binds: &[File]) -> Result<Self, Failed> {
        let mut private = Self { covered: vec!["/".into()], overlays: vec![], fresh: vec![] };
        private.make_directories(view)?;
        private.write_files(&view.files)?;
        private.make_targets(view, binds)?;
        Ok(private)
    }

    /// Whether the node sees and changes something else than the machine at `path`.
    pub fn hides(&self, path: &Path) -> bool {
        self.overlays.iter().any(|(place, _)| path.starts_with(place))
    }

    /// Chooses directories for overlays: those of every node, and for each target elsewhere the
    /// nearest existing directory above it.
    fn choose_overlays<'p>(
        &mut self,
        targets: impl Iterator<Item = &'p PathBuf>,
    ) -> Result<(), Failed> {
        let mut places = BTreeSet::new();
        let found = LAID_OVER.iter().filter_map(|place| fs::canonicalize(place).ok());
        places.extend(found.filter(|place| place.is_dir()));
        // The root directory itself belongs to the node.
        let targets = targets.map(|target| nearest(target).0);
        places.extend(targets.filter(|place| place != Path::new("/")));
        // In the order of paths, so that a directory comes before those in it.
        for place in places.into_iter().filter(|place| !self.is_covered(place)).collect::<Vec<_>>()
        {
            if self.overlays.iter().any(|(other, _)| place.starts_with(other)) {
                continue;
            }
            let layer = Path::new(LAYERS).join(self.overlays.len().to_string());
            for part in ["upper", "work"] {
                make(&layer.join(part))?;
            }
            like(&layer.join("upper"), &place)?;
            self.overlays.push((place, layer));
        }
        self.covered.extend(self.overlays.iter().map(|(place, _)| place.clone()));
        Ok(())
    }

    fn is_covered(&self, path: &Path) -> bool {
        self.covered.iter().any(|covered| path.starts_with(covered))
    }

    /// Returns the path at which a file that is visible at `path` is written.
    fn physical(&self, path: &Path) -> PathBuf {
        let (place, rest) = nearest(path);
        let path = place.join(rest);
        let fresh = self.fresh.iter().rev();
        let layers = fresh.map(|(layer, target)| (target, layer.clone()));
        let upper = self.overlays.iter().map(|(place, layer)| (place, layer.join("upper")));
        for (place, layer) in layers.chain(upper) {
            if let Ok(rest) = path.strip_prefix(place) {
                return if rest.as_os_str().is_empty() { layer } else { layer.join(rest) };
            }
        }
        path
    }

    /// Creates the directories above `path`, with mode and owner of those on the machine. Returns
    /// the path at which `path` itself is written.
    fn with_parents(&self, path: &Path) -> Result<PathBuf, Failed> {
        let mut parents: Vec<&Path> = path.ancestors().skip(1).collect();
        parents.pop();
        for parent in parents.into_iter().rev() {
            let physical = self.physical(parent);
            if !physical.exists() {
                make(&physical)?;
                like(&physical, parent)?;
            }
        }
        Ok(self.physical(path))
    }

    fn make_directories(&mut self, view: &View) -> Result<(), Failed> {
        for directory in &view.directories {
            let path = &directory.path;
            let mut physical = self.with_parents(path)?;
            if path.exists() && physical != *path || physical.exists() {
                // Something exists there already: the new directory covers it.
                let (place, rest) = nearest(path);
                make(&physical)?;
                let layer = Path::new(LAYERS).join(format!("new{}", self.fresh.len()));
                self.fresh.push((layer.clone(), place.join(rest)));
                physical = layer;
            }
            make(&physical)?;
            finish(&physical, directory.owner.as_deref(), directory.mode)?;
        }
        Ok(())
    }

    fn write_files(&self, files: &[ViewFile]) -> Result<(), Failed> {
        for file in files {
            let physical = self.with_parents(&file.path)?;
            if physical.is_symlink() {
                // An image's `/etc/resolv.conf` may be a link to a file that does not exist.
                let removed = fs::remove_file(&physical);
                attempt(removed, || format!("replace {}", file.path.display()))?;
            }
            let written = fs::write(&physical, &file.content);
            attempt(written, || format!("write {}", file.path.display()))?;
            finish(&physical, file.owner.as_deref(), file.mode)?;
        }
        Ok(())
    }

    /// Creates missing mount points.
    fn make_targets(&self, view: &View, binds: &[File]) -> Result<(), Failed> {
        for (bind, source) in view.binds.iter().zip(binds) {
            if bind.node.exists() {
                continue;
            }
            let physical = self.with_parents(&bind.node)?;
            let is_directory = source.metadata().is_ok_and(|found| found.is_dir());
            let made = match is_directory {
                true => fs::create_dir_all(&physical),
                false => File::create(&physical).map(drop),
            };
            attempt(made, || format!("create {}", bind.node.display()))?;
        }
        Ok(())
    }

    /// Mounts everything.
    pub fn mount(&self) -> Result<(), Failed> {
        for (place, layer) in &self.overlays {
            let part = |name| layer.join(name).display().to_string();
            let options =
                overlay_options(&place.display().to_string(), &part("upper"), &part("work"));
            let none = MsFlags::empty();
            match mount(Some("overlay"), place, Some("overlay"), none, Some(&*options)) {
                // The kernel has no overlays, or refuses: for an ordinary user, an overlay must not
                // hide mounts below the directory, as in containers.
                Err(Errno::ENODEV | Errno::EINVAL | Errno::EPERM) => links::lay(layer, place)?,
                mounted => {
                    attempt(mounted, || {
                        format!("lay the node's own files over {}", place.display())
                    })?;
                }
            }
        }
        for (layer, target) in &self.fresh {
            let mounted = mount(Some(layer), target, NONE, MsFlags::MS_BIND, NONE);
            attempt(mounted, || format!("mount {}", target.display()))?;
        }
        Ok(())
    }
}

/// Returns the options of an overlay, for the current user namespace.
pub(super) fn overlay_options(lower: &str, upper: &str, work: &str) -> String {
    let escape = |path: &str| path.replace('\\', "\\\\").replace(':', "\\:").replace(',', "\\,");
    // For an ordinary user, the overlay stores its data in `user.*` attributes, because
    // `trusted.*` is for root only.
    let attributes = if rootless::is_initial() { "" } else { ",userxattr" };
    format!("lowerdir={},upperdir={upper},workdir={work}{attributes}", escape(lower))
}

/// Returns the nearest existing directory at or above the parent of `path`, with links resolved,
/// and the rest of `path`.
fn nearest(path: &Path) -> (PathBuf, PathBuf) {
    for parent in path.ancestors().skip(1) {
        if let Ok(found) = fs::canonicalize(parent)
            && found.is_dir()
        {
            let rest = path.strip_prefix(parent).unwrap_or(path);
            return (found, rest.into());
        }
    }
    ("/".into(), path.strip_prefix("/").unwrap_or(path).into())
}

fn make(path: &Path) -> Result<(), Failed> {
    attempt(fs::create_dir_all(path), || format!("create {}", path.display()))
}

fn finish(path: &Path, owner: Option<&str>, mode: u32) -> Result<(), Failed> {
    owner::give(path, owner)?;
    let set = fs::set_permissions(path, fs::Permissions::from_mode(mode));
    attempt(set, || format!("set the mode of {}", path.display()))
}

fn give(path: &Path, to: &fs::Metadata) -> nix::Result<()> {
    chown(path, Some(Uid::from_raw(to.uid())), Some(Gid::from_raw(to.gid())))
}

/// Gives `path` the mode and the owner of `model`, if that exists. An owner that this user
/// namespace does not know cannot be set.
fn like(path: &Path, model: &Path) -> Result<(), Failed> {
    let Ok(found) = fs::metadata(model) else { return Ok(()) };
    // The kernel shows unknown owners as this user.
    let unknown = !rootless::is_initial() && found.uid() == OVERFLOW;
    let owned = if unknown { Ok(()) } else { give(path, &found) };
    match owned {
        Ok(()) | Err(Errno::EINVAL | Errno::EPERM) => {}
        Err(errno) => return Err((format!("set the owner of {}", path.display()), errno.into())),
    }
    let set = fs::set_permissions(path, fs::Permissions::from_mode(found.mode() & 0o7777));
    attempt(set, || format!("set the mode of {}", path.display()))
}
