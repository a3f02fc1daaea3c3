//! The archive of a failure: what somebody on another machine needs to understand it.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};
use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{Builder, Header, HeaderMode};

use super::evidence::Evidence;
use crate::args::Run;
use crate::commands::{doctor, report};
use crate::find;

/// Writes the archive into `file`. It holds, in a folder of its own name: `about.txt`, with the
/// outcome and versions; `doctor.txt`; `junit.xml`; `scenario`, with the files of the scenario; and
/// `results`, with those of the runs that have failed.
///
/// # Errors
/// If the archive cannot be written, or something that belongs into it cannot be read.
pub async fn write(file: &Path, args: &Run, evidence: &Evidence) -> Result<()> {
    let doctor = match doctor::checks(evidence.loaded.as_ref()).await {
        Ok((checks, size)) => doctor::in_words(&checks, size),
        Err(error) => format!("{}\n", netloom_api::in_words(error.as_ref())),
    };
    let written = || -> Result<()> {
        let mut how = OpenOptions::new();
        how.write(true).create(true).truncate(true).mode(report::PRIVATE);
        let mut archive = Archive::new(GzEncoder::new(how.open(file)?, Compression::default()));
        archive.root = folder(file);
        archive.text("about.txt", &about(evidence))?;
        archive.text("doctor.txt", &doctor)?;
        archive.text("junit.xml", &evidence.junit.to_xml()?)?;
        archive.scenario(args, evidence)?;
        for directory in evidence.failed.iter().filter(|directory| directory.is_dir()) {
            let name = match evidence.failed.len() {
                1 => PathBuf::from("results"),
                _ => Path::new("results").join(directory.file_name().unwrap_or_default()),
            };
            archive.directory(&name, directory)?;
        }
        archive.builder.into_inner()?.finish()?.sync_all()?;
        Ok(())
    };
    let result = written().with_context(|| format!("cannot write {}", file.display()));
    if result.is_err() {
        // Half an archive helps nobody.
        let _ = fs::remove_file(file);
    }
    result
}

/// Returns the name of the archive without its endings.
fn folder(file: &Path) -> PathBuf {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(".tar.gz").or_else(|| name.strip_suffix(".tgz"));
    name.filter(|name| !name.is_empty()).unwrap_or("bundle").into()
}

fn about(evidence: &Evidence) -> String {
    let machine = netloom_results::machine::describe();
    let (version, kernel) = (env!("CARGO_PKG_VERSION"), machine.kernel);
    let time = chrono::Local::now().format("%Y-%m-%d %H:%M:%S %z");
    let outcome = evidence.outcome.join("\n");
    format!("{outcome}\n\nNetLoom {version}\nLinux {kernel}\nwritten {time}\n")
}

struct Archive<W: Write> {
    builder: Builder<W>,
    root: PathBuf,
}

impl<W: Write> Archive<W> {
    fn new(writer: W) -> Self {
        let mut builder = Builder::new(writer);
        // Owners and times of this machine mean nothing on another.
        builder.mode(HeaderMode::Deterministic);
        builder.follow_symlinks(false);
        Self { builder, root: PathBuf::new() }
    }

    fn text(&mut self, name: &str, text: &str) -> Result<()> {
        let mut header = Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        self.builder.append_data(&mut header, self.root.join(name), text.as_bytes())?;
        Ok(())
    }

    fn directory(&mut self, name: &Path, directory: &Path) -> Result<()> {
        let cannot = || format!("cannot read {}", directory.display());
        self.builder.append_dir_all(self.root.join(name), directory).with_context(cannot)
    }

    /// Adds the scenario, files laid over it, and those that it names, with their paths as seen
    /// from the scenario's folder.
    fn scenario(&mut self, args: &Run, evidence: &Evidence) -> Result<()> {
        let (files, folder) = match &evidence.loaded {
            Some(loaded) => (loaded.files.clone(), loaded.directory.clone()),
            // It could not be loaded; its own files are what there is.
            None => {
                let files = find::named_files(&args.start.scenario).unwrap_or_default();
                let whole = files.first().and_then(|file| fs::canonicalize(file).ok());
                let folder = whole.as_deref().and_then(Path::parent).map(Into::into);
                (files, folder.unwrap_or_default())
            }
        };
        let mut added = Vec::new();
        for file in files {
            let Ok(whole) = fs::canonicalize(&file) else { continue };
            if added.contains(&whole) {
                continue;
            }
            let name = Path::new("scenario").join(inside(&whole, &folder));
            let cannot = || format!("cannot read {}", file.display());
            self.builder
                .append_path_with_name(&whole, self.root.join(name))
                .with_context(cannot)?;
            added.push(whole);
        }
        Ok(())
    }
}

/// Returns the path of `file` as seen from `folder`. What is elsewhere comes into `elsewhere`.
fn inside(file: &Path, folder: &Path) -> PathBuf {
    if let Ok(inside) = file.strip_prefix(folder) {
        return inside.to_owned();
    }
    let parts = file.components().filter(|part| matches!(part, Component::Normal(_)));
    Path::new("elsewhere").join(parts.collect::<PathBuf>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_the_archive_stay_in_it() {
        let inside = |file: &str| inside(Path::new(file), Path::new("/home/me/lab"));
        assert_eq!(inside("/home/me/lab/traces/a.csv"), Path::new("traces/a.csv"));
        assert_eq!(inside("/etc/motd"), Path::new("elsewhere/etc/motd"));
        for (file, name) in [("x/fail.tar.gz", "fail"), ("fail.tgz", "fail"), (".tar.gz", "bundle")]
        {
            assert_eq!(folder(Path::new(file)), Path::new(name));
        }
    }
}
