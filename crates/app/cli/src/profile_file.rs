//! Where the profile of this machine is kept, and what a run may take from it.

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
/// What to do if there is no profile that can be used.
const REMEDY: &str = "run `netloom calibrate`";

/// The file of the profile: what `NETLOOM_PROFILE` names, else root's, else the user's own.
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

/// The profile in `file`; nothing if there is no such file.
///
/// # Errors
/// If it cannot be read or is no profile. It is left as it is.
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

/// Whether a profile can be written to `file`, before anybody waits for one; makes its folder.
///
/// # Errors
/// If it cannot.
pub fn check(file: &Path) -> Result<()> {
    part(file).map(drop).with_context(|| format!("cannot write {}", file.display()))
}

/// Writes a profile. The file appears whole, or stays as it was.
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

/// A new file beside `file`, which goes away unless it gets a name.
fn part(file: &Path) -> Result<NamedTempFile> {
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    fs::create_dir_all(folder)?;
    let mut builder = tempfile::Builder::new();
    // Everybody may know what the machine bears.
    builder.prefix(".profile").permissions(fs::Permissions::from_mode(0o644));
    Ok(builder.tempfile_in(folder)?)
}

/// What a run on this machine may take from the profile. Warns of one that is there and cannot be
/// used.
pub fn calibration() -> Calibration {
    let profile = location().and_then(|file| read(&file));
    let usable = match profile {
        Ok(Some(profile)) => usable(&profile),
        Ok(None) => return Calibration::Missing { why: format!("no calibration; {REMEDY}") },
        Err(error) => Err(netloom_api::in_words(error.as_ref())),
    };
    usable.unwrap_or_else(|why| {
        eprintln!("warning: {why}");
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
