//! The file of the profile of this machine, and its use in runs.

use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use etcetera::BaseStrategy;
use etcetera::base_strategy::Xdg;
use netloom_api::launch::Calibration;
use netloom_profile::Profile;
use tempfile::NamedTempFile;

/// The environment variable that names another file.
pub const VARIABLE: &str = "NETLOOM_PROFILE";
/// The profile that root's runs use.
const SYSTEM: &str = "/var/lib/netloom/profile.json";
/// Advice if there is no usable profile.
const REMEDY: &str = "run `netloom calibrate`";

/// Returns the file of the profile: the one that `NETLOOM_PROFILE` names, else root's, else the
/// user's own.
///
/// # Errors
/// If it is the user's own and there is no home directory.
pub fn location() -> Result<PathBuf> {
    if let Some(file) = std::env::var_os(VARIABLE).filter(|file| !file.is_empty()) {
        return Ok(file.into());
    }
    if nix::unistd::geteuid().is_root() {
        return Ok(SYSTEM.into());
    }
    let xdg = Xdg::new()
        .with_context(|| format!("cannot tell where your data is; name a file in {VARIABLE}"))?;
    Ok(xdg.data_dir().join("netloom/profile.json"))
}

/// Reads the profile in `file`. Returns `None` if there is no such file.
///
/// # Errors
/// If the file cannot be read or is no profile. It is left unchanged.
pub fn read(file: &Path) -> Result<Option<Profile>> {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(anyhow!("cannot read {}: {error}", file.display())),
    };
    let profile = Profile::from_json(&text)
        .map_err(|error| anyhow!("cannot use {}: {error}; {REMEDY}", file.display()))?;
    Ok(Some(profile))
}

/// Checks that a profile can be written to `file`, before the user waits for one. Makes its folder.
///
/// # Errors
/// If it cannot be written.
pub fn check(file: &Path) -> Result<()> {
    part(file).map(drop).with_context(|| format!("cannot write {}", file.display()))
}

/// Writes a profile. The file is replaced as a whole, or left unchanged.
///
/// # Errors
/// If it cannot be written.
pub fn write(file: &Path, profile: &Profile) -> Result<()> {
    let written = || -> Result<()> {
        let mut part = part(file)?;
        part.write_all(profile.to_json()?.as_bytes())?;
        part.as_file().sync_all()?;
        part.persist(file)?;
        Ok(())
    };
    written().with_context(|| format!("cannot write {}", file.display()))
}

/// Makes a new file beside `file`, which is removed unless it gets a name.
fn part(file: &Path) -> Result<NamedTempFile> {
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    fs::create_dir_all(folder)?;
    let mut builder = tempfile::Builder::new();
    // Every user may read what the machine can bear.
    builder.prefix(".profile").permissions(fs::Permissions::from_mode(0o644));
    Ok(builder.tempfile_in(folder)?)
}

/// Returns the calibration for a run on this machine. Warns of a profile that exists and cannot be
/// used.
pub fn calibration() -> Calibration {
    let profile = location().and_then(|file| read(&file));
    let usable = match profile {
        Ok(Some(profile)) => usable(&profile),
        Ok(None) => return Calibration::Missing { why: format!("no calibration; {REMEDY}") },
        Err(error) => Err(netloom_api::in_words(error.as_ref())),
    };
    usable.unwrap_or_else(|why| {
        note!("warning: {why}");
        Calibration::Missing { why }
    })
}

fn usable(profile: &Profile) -> Result<Calibration, String> {
    let source = format!("the calibration of {}", profile.measured);
    let stale = profile.staleness(&netloom_results::machine::describe());
    if !stale.is_empty() {
        return Err(format!("{source} is stale ({}); {REMEDY}", stale.join(", ")));
    }
    match profile.net_internal() {
        Some(net_internal) => {
            let crossing = profile.compensation();
            Ok(Calibration::Measured { net_internal, crossing, source })
        }
        None => Err(format!("in {source} this machine bore no traffic at all; {REMEDY}")),
    }
}
