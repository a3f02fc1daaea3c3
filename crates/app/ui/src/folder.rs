//! The one folder whose files the page may read and write. Whatever path it names, links included,
//! the kernel opens nothing outside the folder.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context;
use axum::Json;
use axum::extract::{Path as UrlPath, Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use netloom_api::ui::{Entry, EntryKind, Folder as Listed, Saved};
use nix::fcntl::{AtFlags, OFlag, OpenHow, RenameFlags, ResolveFlag, openat2, renameat2};
use nix::sys::stat::{FileStat, Mode, SFlag, fstatat};
use nix::unistd::{UnlinkatFlags, unlinkat};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::answer::{Answer, Refused, apart};

/// Size of the largest text that is read or written, in bytes.
const MAX_TEXT: usize = 16 << 20;

/// Most things that are listed at a time.
const MAX_ENTRIES: usize = 2000;

/// How deep scenarios are looked for.
const DEPTH: usize = 4;

/// The folder.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    open: OwnedFd,
    /// Held from the look at what a text replaces until it has replaced it.
    writing: Mutex<()>,
}

impl Folder {
    /// Opens the folder.
    ///
    /// # Errors
    /// It is none, or may not be entered.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let context = || format!("cannot open the folder {}", path.display());
        let path = std::fs::canonicalize(path).with_context(context)?;
        let open = File::open(&path).with_context(context)?;
        anyhow::ensure!(open.metadata()?.is_dir(), "{} is not a folder", path.display());
        Ok(Self { path, open: open.into(), writing: Mutex::default() })
    }

    /// Returns its absolute path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens something below it. No link leads out.
    pub fn at(&self, path: &Path, flags: OFlag) -> Answer<OwnedFd> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let how = OpenHow::new()
            .flags(flags | OFlag::O_CLOEXEC | OFlag::O_NONBLOCK)
            .resolve(ResolveFlag::RESOLVE_BENEATH | ResolveFlag::RESOLVE_NO_MAGICLINKS);
        openat2(&self.open, path, how).map_err(|errno| unreachable(path, errno))
    }

    /// Opens a file for reading.
    pub fn file(&self, path: &Path) -> Answer<File> {
        let file = File::from(self.at(path, OFlag::O_RDONLY)?);
        match file.metadata() {
            Ok(found) if found.is_file() => Ok(file),
            _ => Err(Refused::bad(format!("{} is not a file", path.display()))),
        }
    }

    /// Reads a text.
    pub fn text(&self, path: &Path) -> Answer<String> {
        let mut bytes = Vec::new();
        let limit = MAX_TEXT as u64 + 1;
        let read = self.file(path)?.take(limit).read_to_end(&mut bytes);
        read.with_context(|| format!("cannot read {}", path.display()))?;
        if bytes.len() > MAX_TEXT {
            return Err(Refused::bad(format!("{} has more than 16 MiB", path.display())));
        }
        let not_text = |_| Refused::bad(format!("{} is not UTF-8 text", path.display()));
        String::from_utf8(bytes).map_err(not_text)
    }

    /// Replaces the text of a file, at once.
    fn replace(&self, path: &Path, text: &str, is_new: bool) -> Answer<()> {
        let name = path.file_name().ok_or_else(|| Refused::bad("the path names no file"))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let folder = self.at(folder, OFlag::O_RDONLY | OFlag::O_DIRECTORY)?;
        let part = part_of(name);
        let wrote = write_beside(folder.as_fd(), Path::new(&part), Path::new(name), text, is_new);
        if wrote.is_err() {
            // It may not have been made.
            let _ = unlinkat(&folder, Path::new(&part), UnlinkatFlags::NoRemoveDir);
        }
        match wrote {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(changed(&format!("{} is there already", path.display())))
            }
            wrote => Ok(wrote.with_context(|| format!("cannot write {}", path.display()))?),
        }
    }

    /// Lists what is in a folder below it.
    pub fn list(&self, folder: &Path) -> Answer<Vec<Entry>> {
        let open = self.at(folder, OFlag::O_RDONLY | OFlag::O_DIRECTORY)?;
        let dir = rustix::fs::Dir::read_from(&open).context("cannot list the folder")?;
        let names: Vec<OsString> =
            dir.filter_map(|entry| Some(os_name(entry.ok()?.file_name().to_bytes()))).collect();
        let mut entries = Vec::new();
        for name in names {
            let Some(text) = name.to_str().filter(|name| !name.starts_with('.')) else { continue };
            // What was removed meanwhile, and links, are left out.
            let Ok(stat) = fstatat(&open, &*name, AtFlags::AT_SYMLINK_NOFOLLOW) else {
                continue;
            };
            let Some(kind) = kind(text, &stat) else { continue };
            let Some(path) = folder.join(text).to_str().map(Into::into) else { continue };
            entries.push(Entry {
                path,
                name: text.into(),
                kind,
                bytes: u64::try_from(stat.st_size).unwrap_or_default(),
                modified_unix: u64::try_from(stat.st_mtime).unwrap_or_default(),
            });
        }
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(entries)
    }

    /// Lists the scenarios in a folder and below it.
    fn scenarios(&self, folder: &Path, depth: usize, found: &mut Vec<Entry>) -> Answer<()> {
        for entry in self.list(folder)? {
            match entry.kind {
                EntryKind::Scenario => found.push(entry),
                EntryKind::Folder if depth > 0 && found.len() <= MAX_ENTRIES => {
                    // A folder that may not be read has no scenarios for this user.
                    let _ = self.scenarios(Path::new(&entry.path), depth - 1, found);
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn os_name(bytes: &[u8]) -> OsString {
    use std::os::unix::ffi::OsStringExt;
    OsString::from_vec(bytes.to_vec())
}

/// Returns a name for a file until it is complete.
fn part_of(name: &std::ffi::OsStr) -> OsString {
    let mut part = OsString::from(".");
    part.push(name);
    part.push(format!(".{}.part", std::process::id()));
    part
}

fn write_beside(
    folder: BorrowedFd<'_>,
    part: &Path,
    name: &Path,
    text: &str,
    is_new: bool,
) -> io::Result<()> {
    let mode = match fstatat(folder, name, AtFlags::AT_SYMLINK_NOFOLLOW) {
        Ok(stat) if SFlag::from_bits_truncate(stat.st_mode).contains(SFlag::S_IFLNK) => {
            return Err(io::Error::other("it is a link: write to the file that it leads to"));
        }
        Ok(stat) => Mode::from_bits_truncate(stat.st_mode & 0o777),
        Err(_) => Mode::from_bits_truncate(0o644),
    };
    let flags = OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_TRUNC | OFlag::O_NOFOLLOW;
    let how = OpenHow::new().flags(flags | OFlag::O_CLOEXEC).mode(mode);
    let how = how.resolve(ResolveFlag::RESOLVE_BENEATH | ResolveFlag::RESOLVE_NO_SYMLINKS);
    let mut file = File::from(openat2(folder, part, how)?);
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    let flags = if is_new { RenameFlags::RENAME_NOREPLACE } else { RenameFlags::empty() };
    Ok(renameat2(folder, part, folder, name, flags)?)
}

/// Returns the kind of a thing in a folder. Links, devices and pipes are left out.
fn kind(name: &str, stat: &FileStat) -> Option<EntryKind> {
    let kind = SFlag::from_bits_truncate(stat.st_mode) & SFlag::S_IFMT;
    match kind {
        SFlag::S_IFDIR => Some(EntryKind::Folder),
        SFlag::S_IFREG if is_scenario(name) => Some(EntryKind::Scenario),
        SFlag::S_IFREG => Some(EntryKind::File),
        _ => None,
    }
}

fn is_scenario(name: &str) -> bool {
    let stem = name.strip_suffix(".yaml").or_else(|| name.strip_suffix(".yml"));
    stem.is_some_and(|stem| stem == "netloom" || stem.ends_with(".netloom"))
}

/// Returns a path of the page as one below the folder.
///
/// # Errors
/// It leads out, or is absolute.
pub fn below(path: &str) -> Answer<PathBuf> {
    let path = Path::new(path);
    let is_below = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    match path.components().all(is_below) {
        true => Ok(path.components().filter(|part| *part != Component::CurDir).collect()),
        false => Err(Refused::new(
            StatusCode::FORBIDDEN,
            format!("{} is not below the server's folder", path.display()),
        )),
    }
}

fn unreachable(path: &Path, errno: nix::Error) -> Refused {
    let shown = path.display();
    match errno {
        nix::Error::ENOENT | nix::Error::ENOTDIR => {
            Refused::not_found(format!("there is no {shown}"))
        }
        nix::Error::EXDEV | nix::Error::ELOOP => {
            let error = format!("{shown} leads out of the server's folder");
            Refused::new(StatusCode::FORBIDDEN, error)
        }
        errno => Refused::bad(format!("cannot open {shown}: {errno}")),
    }
}

fn changed(error: &str) -> Refused {
    Refused::new(StatusCode::PRECONDITION_FAILED, error)
        .with_help("look at both versions, and save again with the digest of the one in the file")
}

/// Returns the digest of a text.
pub fn digest(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What a list is of.
#[derive(Debug, Deserialize)]
pub struct Of {
    #[serde(default)]
    folder: String,
    #[serde(default)]
    scenarios: bool,
}

/// `GET /api/files`
pub async fn list(State(folder): State<Arc<Folder>>, Query(of): Query<Of>) -> Answer<Json<Listed>> {
    apart(move || {
        let path = below(&of.folder)?;
        let mut entries = match of.scenarios {
            true => {
                let mut found = Vec::new();
                folder.scenarios(&path, DEPTH, &mut found)?;
                found
            }
            false => folder.list(&path)?,
        };
        let truncated = entries.len() > MAX_ENTRIES;
        entries.truncate(MAX_ENTRIES);
        Ok(Json(Listed { folder: path.display().to_string(), entries, truncated }))
    })
    .await
}

/// `GET /api/files/{path}`
pub async fn read(
    State(folder): State<Arc<Folder>>,
    UrlPath(path): UrlPath<String>,
    headers: HeaderMap,
) -> Answer<Response> {
    apart(move || {
        let text = folder.text(&below(&path)?)?;
        let tag = tag(&digest(&text));
        let known = headers.get(header::IF_NONE_MATCH).is_some_and(|known| *known == tag);
        let kind = HeaderValue::from_static("text/plain; charset=utf-8");
        let answer = [(header::ETAG, tag), (header::CONTENT_TYPE, kind)];
        Ok(match known {
            true => (StatusCode::NOT_MODIFIED, answer).into_response(),
            false => (answer, text).into_response(),
        })
    })
    .await
}

/// `PUT /api/files/{path}`
pub async fn write(
    State(folder): State<Arc<Folder>>,
    UrlPath(path): UrlPath<String>,
    headers: HeaderMap,
    text: String,
) -> Answer<Response> {
    apart(move || {
        if text.len() > MAX_TEXT {
            return Err(Refused::bad("a text has at most 16 MiB"));
        }
        let below = below(&path)?;
        let is_new = headers.get(header::IF_NONE_MATCH).is_some_and(|value| value == "*");
        // Of two windows that have read the same, the second one to write is told.
        let _turn = folder.writing.lock().unwrap_or_else(PoisonError::into_inner);
        match headers.get(header::IF_MATCH) {
            Some(known) => {
                if *known != tag(&digest(&folder.text(&below)?)) {
                    return Err(changed(&format!("{path} has changed since it was read")));
                }
            }
            None if is_new => {}
            None => {
                let error = "say what the text replaces, by `If-Match`, or that the file is new, \
                             by `If-None-Match: *`";
                return Err(Refused::new(StatusCode::PRECONDITION_REQUIRED, error));
            }
        }
        folder.replace(&below, &text, is_new)?;
        let saved = Saved { path, digest: digest(&text), bytes: text.len() as u64 };
        Ok(([(header::ETAG, tag(&saved.digest))], Json(saved)).into_response())
    })
    .await
}

fn tag(digest: &str) -> HeaderValue {
    // A digest has hexadecimal digits only.
    HeaderValue::from_str(&format!("\"{digest}\"")).unwrap_or(HeaderValue::from_static("\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_below_the_folder() {
        for path in ["/etc/passwd", "../x", "a/../../x", "a/.."] {
            assert_eq!(below(path).unwrap_err().status, StatusCode::FORBIDDEN, "{path}");
        }
        assert_eq!(below("./a/b.yaml").unwrap(), Path::new("a/b.yaml"));
    }

    #[test]
    fn scenarios_go_by_their_names() {
        let all = ["netloom.yaml", "a.netloom.yml", "netloom.yaml.txt", "a.yaml", ".netloom.yaml"];
        assert_eq!(all.map(is_scenario), [true, true, false, false, true]);
    }
}
