//! The files that go to a machine and come back: the folder of the scenario before a run, and what
//! the member has left after it. Each way is a command like the one that starts a member, so that
//! nothing but that command is needed between machines.
//!
//! | mode | argument | what the machine does |
//! |---|---|---|
//! | `put` | digest of an archive | says `have PATH` if it has unpacked that archive before; otherwise says `want`, reads it, unpacks it, and says `have PATH` |
//! | `list` | | says a line of JSON for each directory that members have left ([`Left`]) |
//! | `get` | a directory | sends it as an archive, and removes it; its engine must have ended |
//! | `drop` | a directory | removes it |
//!
//! `cleanup`, with an experiment or without, is `netloom cleanup` there. Runs of a sweep take the
//! folder by [`unpacked`] and give what they leave by [`pack`], in one stream (`cli`).
//!
//! An archive is a tarball, compressed by gzip. It is the same for the same files.

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Component, Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use netloom_api::launch::Launch;
use netloom_api::member::{Kept, greeting};
use netloom_results::private_folder;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tar::{Archive, Builder, HeaderMode};

use crate::Preamble;

/// Most bytes of a scenario's folder.
const MOST: u64 = 256 << 20;
/// The file in the scenario's folder that says what stays at home: a path in each line.
const IGNORED: &str = ".netloomignore";
/// What always stays at home: results of earlier runs.
const RESULTS: &str = "netloom-results";
/// Most bytes of a line.
const LONGEST: u64 = 64 << 10;

/// Longest time until a machine greets that may not be there any more.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// What a member has left on its machine.
#[derive(Debug, Serialize, Deserialize)]
pub struct Left {
    /// The directory of its results.
    pub directory: PathBuf,
    /// Whether an engine of its name is there.
    pub runs: bool,
    /// Whose it is.
    pub kept: Kept,
}

/// A folder, packed.
#[derive(Debug)]
pub struct Packed {
    /// SHA-256 of the archive, in hexadecimal digits.
    pub digest: String,
    bytes: Vec<u8>,
}

impl Packed {
    /// Packs the folder of a scenario.
    ///
    /// # Errors
    /// If it cannot be read, or has more than 256 MiB.
    pub fn folder(folder: &Path) -> Result<Self> {
        Self::folder_without(folder, None)
    }

    /// Packs the folder of a scenario without `also`, a path in it.
    ///
    /// # Errors
    /// As [`Packed::folder`].
    pub fn folder_without(folder: &Path, also: Option<&Path>) -> Result<Self> {
        let ignored = fs::read_to_string(folder.join(IGNORED)).unwrap_or_default();
        let lines = ignored.lines().map(str::trim).filter(|line| !line.is_empty());
        let lines =
            lines.filter(|line| !line.starts_with('#')).map(|line| line.trim_end_matches('/'));
        let ignored = lines.chain([RESULTS]).map(PathBuf::from);
        let ignored: Vec<PathBuf> = ignored.chain(also.map(Into::into)).collect();
        let mut builder = builder();
        let mut left = MOST;
        add(&mut builder, folder, Path::new(""), &ignored, &mut left)?;
        let bytes = builder.into_inner()?.finish()?;
        Ok(Self { digest: digest(&bytes), bytes })
    }

    /// Returns the archive.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Brings the folder to the machine that a command leads to. Returns its path there, and the
    /// number of bytes that were sent.
    ///
    /// # Errors
    /// If the machine cannot be reached, or cannot take it.
    pub fn put(&self, command: &str, word: &str) -> Result<(PathBuf, usize)> {
        let mut there = There::start(command, word, &["put", &self.digest], Some(PATIENCE))?;
        let sent = match there.line()?.as_str() {
            "want" => {
                let mut to = there.child.stdin.take().context("it has no standard input")?;
                to.write_all(&self.bytes).context("it does not take the scenario's folder")?;
                self.bytes.len()
            }
            line => return Ok((have(line)?, 0)),
        };
        Ok((have(&there.line()?)?, sent))
    }
}

fn builder() -> Builder<GzEncoder<Vec<u8>>> {
    let mut builder = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    builder.mode(HeaderMode::Deterministic);
    builder.follow_symlinks(false);
    builder
}

/// Adds a directory and all below it, in the order of names.
fn add(
    to: &mut Builder<GzEncoder<Vec<u8>>>,
    folder: &Path,
    below: &Path,
    ignored: &[PathBuf],
    left: &mut u64,
) -> Result<()> {
    let directory = folder.join(below);
    let cannot = || format!("cannot read {}", directory.display());
    let entries = fs::read_dir(&directory).with_context(cannot)?;
    let mut names: Vec<_> = entries
        .map(|entry| Ok(entry?.file_name()))
        .collect::<io::Result<_>>()
        .with_context(cannot)?;
    names.sort_unstable();
    for name in names {
        let inside = below.join(&name);
        if ignored.contains(&inside) {
            continue;
        }
        let path = folder.join(&inside);
        let cannot = || format!("cannot read {}", path.display());
        let kind = fs::symlink_metadata(&path).with_context(cannot)?;
        if kind.is_dir() {
            to.append_dir(&inside, &path).with_context(cannot)?;
            add(to, folder, &inside, ignored, left)?;
        } else if kind.is_file() || kind.is_symlink() {
            *left = left.checked_sub(kind.len()).with_context(|| {
                format!(
                    "the folder of the scenario, {}, has more than 256 MiB, and goes to each \
                     machine; name what its programs do not need in {IGNORED} there",
                    folder.display()
                )
            })?;
            to.append_path_with_name(&path, &inside).with_context(cannot)?;
        }
    }
    Ok(())
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the SHA-256 of a file, in hexadecimal digits.
///
/// # Errors
/// If it cannot be read.
pub fn digest_of(file: &Path) -> io::Result<String> {
    let mut sum = Sha256::new();
    io::copy(&mut fs::File::open(file)?, &mut sum)?;
    Ok(sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Reads the path that a machine says. It becomes a word of commands for a shell here and for one
/// there, and the machine may say anything: so it has nothing that a shell knows.
fn have(line: &str) -> Result<PathBuf> {
    match line.strip_prefix("have ") {
        Some(path) => plain(path),
        None => Err(refusal(line)),
    }
}

fn plain(path: &str) -> Result<PathBuf> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    match path.starts_with('/') && path.chars().all(is_plain) {
        true => Ok(path.into()),
        false => bail!(
            "it keeps files in `{}`: set XDG_CACHE_HOME there to a path of letters, digits, `-`, \
             `_` and `.`",
            path.escape_debug()
        ),
    }
}

/// Returns a random word by which a machine greets.
///
/// # Errors
/// If the kernel has none.
pub fn word() -> Result<String> {
    let mut word = [0; 8];
    let random = fs::File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut word));
    random.context("cannot read random numbers")?;
    Ok(format!("{:016x}", u64::from_ne_bytes(word)))
}

/// Returns what members have left on the machine that a command leads to.
///
/// # Errors
/// If the machine cannot be reached, or says something else.
pub fn list(command: &str, word: &str) -> Result<Vec<Left>> {
    let mut there = There::start(command, word, &["list"], Some(PATIENCE))?;
    let mut all = Vec::new();
    loop {
        match there.line()?.as_str() {
            "end" => return Ok(all),
            line => {
                let left: Left = serde_json::from_str(line).map_err(|_| refusal(line))?;
                plain(left.directory.to_str().unwrap_or_default())?;
                all.push(left);
            }
        }
    }
}

/// Cleans up on the machine that a command leads to: an experiment, or all whose engines have died.
/// Returns what it says.
///
/// # Errors
/// If the machine cannot be reached, or something could not be removed there.
pub fn clean_up(command: &str, word: &str, experiment: Option<&str>) -> Result<String> {
    let mode: Vec<&str> = ["cleanup"].into_iter().chain(experiment).collect();
    let (said, is_done) = said(command, word, &mode)?;
    match is_done {
        true => Ok(said),
        false => bail!("not all could be cleaned up\n{}", said.trim_end()),
    }
}

/// Returns all that the machine says in a mode to which a command leads, and whether that was
/// successful.
///
/// # Errors
/// If the machine cannot be reached.
pub fn said(command: &str, word: &str, mode: &[&str]) -> Result<(String, bool)> {
    let mut there = There::start(command, word, mode, Some(PATIENCE))?;
    let mut said = String::new();
    there.lines.read_to_string(&mut said).context("cannot hear what it says")?;
    Ok((said, there.child.wait()?.success()))
}

/// What a machine says instead of an answer.
fn refusal(line: &str) -> anyhow::Error {
    anyhow!("{}", line.strip_prefix("error ").unwrap_or(line))
}

/// Fetches a directory from the machine that a command leads to, into `target`. It is gone there.
/// With `patience`, the machine may be gone.
///
/// # Errors
/// If the machine cannot be reached, its member's engine runs still, or the directory cannot be
/// written here.
pub fn get(
    command: &str,
    word: &str,
    directory: &Path,
    target: &Path,
    patience: Option<Duration>,
) -> Result<()> {
    let path = directory.to_str().context("the directory's name is no text")?;
    let mut there = There::start(command, word, &["get", path], patience)?;
    match there.line()?.as_str() {
        "sends" => {}
        line => return Err(refusal(line)),
    }
    fs::create_dir(target).with_context(|| format!("cannot make {}", target.display()))?;
    unpack(GzDecoder::new(&mut there.lines), target)
        .with_context(|| format!("cannot fetch what is in {path}"))
}

/// Unpacks a tarball of results into `target`, and nowhere else.
///
/// # Errors
/// If it is none, has anything but plain files and directories, or cannot be written.
pub fn unpack(tarball: impl Read, target: &Path) -> Result<()> {
    for entry in Archive::new(tarball).entries()? {
        let mut entry = entry?;
        let kind = entry.header().entry_type();
        // Links could lead to files of this machine, which would then be taken for results.
        if !(kind.is_file() || kind.is_dir()) || !entry.unpack_in(target)? {
            bail!("it is not made of plain files");
        }
    }
    Ok(())
}

/// Removes a directory of the machine that a command leads to.
///
/// # Errors
/// If the machine cannot be reached.
pub fn remove(command: &str, word: &str, directory: &Path) -> Result<()> {
    let path = directory.to_str().context("the directory's name is no text")?;
    There::start(command, word, &["drop", path], Some(PATIENCE)).map(drop)
}

/// A process on a machine.
struct There {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl There {
    /// Starts one. With `patience`, it must greet within that time.
    fn start(command: &str, word: &str, mode: &[&str], patience: Option<Duration>) -> Result<Self> {
        let line = format!("{command} {word} {}", mode.join(" "));
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", &line]).stdin(Stdio::piped()).stdout(Stdio::piped());
        // A group of its own: whatever the shell starts ends with it.
        let mut child = shell.process_group(0).spawn().context("cannot start a shell")?;
        let lines = child.stdout.take().context("it has no standard output")?;
        let mut there = Self { child, lines: BufReader::new(lines) };
        let (greeted, waiting) = channel::<()>();
        let group = i32::try_from(there.child.id()).map(Pid::from_raw);
        if let (Some(patience), Ok(group)) = (patience, group) {
            std::thread::spawn(move || {
                if waiting.recv_timeout(patience) == Err(RecvTimeoutError::Timeout) {
                    let _ = killpg(group, Signal::SIGKILL);
                }
            });
        }
        let mut preamble = Preamble::of(word);
        let by = || format!("`{command}`");
        loop {
            let line = there.line().map_err(|_| preamble.ended()).with_context(by)?;
            if preamble.read(&line).with_context(by)? {
                drop(greeted);
                return Ok(there);
            }
        }
    }

    fn line(&mut self) -> Result<String> {
        let mut line = Vec::new();
        if (&mut self.lines).take(LONGEST).read_until(b'\n', &mut line)? == 0 {
            bail!("the machine could not be reached");
        }
        Ok(String::from_utf8_lossy(&line).trim_end().to_owned())
    }
}

impl Drop for There {
    fn drop(&mut self) {
        // It ends when it cannot read any more, or has ended.
        drop(self.child.stdin.take());
        let _ = io::copy(&mut self.lines, &mut io::sink());
        let _ = self.child.wait();
    }
}

/// The role of the binary on a machine, beside that of a member. Returns its exit code.
pub fn main(word: &str, mode: &str, argument: &str) -> i32 {
    println!("{}", greeting(word));
    let done = match mode {
        "put" => taken(argument).map(|path| println!("have {}", path.display())),
        "list" => tell(),
        "get" => give(Path::new(argument)),
        "drop" => discard(Path::new(argument)),
        _ => Err(anyhow!("there is no mode `{mode}`")),
    };
    match done {
        Ok(()) => 0,
        Err(error) => {
            println!("error {}", netloom_api::in_words(error.as_ref()));
            1
        }
    }
}

/// Returns the directory of what members keep on a machine.
///
/// # Errors
/// If there is no home directory.
pub fn cache() -> Result<PathBuf> {
    let strategy = etcetera::choose_base_strategy().context("there is no home directory")?;
    Ok(etcetera::BaseStrategy::cache_dir(&strategy).join("netloom"))
}

/// Returns the directory for the results of a member on a machine where the scenario's folder is
/// `folder`.
pub fn results_beside(folder: &Path, name: &str) -> PathBuf {
    let cache = folder.ancestors().nth(2).unwrap_or(folder);
    cache.join("members").join(name)
}

/// Takes an archive from standard input, unless it is there.
fn taken(wanted: &str) -> Result<PathBuf> {
    unpacked(wanted, || {
        println!("want");
        let mut bytes = Vec::new();
        io::stdin().lock().take(2 * MOST).read_to_end(&mut bytes)?;
        Ok(bytes)
    })
}

/// Returns the path of a folder whose archive has this digest. Unless it is there, it is unpacked
/// from the archive that `sent` returns.
///
/// # Errors
/// If that is no such archive, or there is no room for it.
pub fn unpacked(wanted: &str, sent: impl FnOnce() -> Result<Vec<u8>>) -> Result<PathBuf> {
    let is_digest = wanted.len() == 64 && wanted.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_digest {
        bail!("`{wanted}` is no digest");
    }
    let cache = cache()?;
    let all = cache.join("scenarios");
    for directory in [&all, &cache.join("members")] {
        let made = private_folder(directory);
        made.with_context(|| format!("cannot make {}", directory.display()))?;
    }
    let path = all.join(wanted);
    if path.is_dir() {
        return Ok(path);
    }
    let bytes = sent().context("cannot read the archive")?;
    if digest(&bytes) != wanted {
        bail!("the archive came in pieces only");
    }
    let part = tempfile::tempdir_in(&all).context("cannot unpack the archive")?;
    let unpacked = Archive::new(GzDecoder::new(&bytes[..])).unpack(part.path());
    unpacked.with_context(|| {
        format!(
            "cannot unpack it in {}: have room there, or set XDG_CACHE_HOME to another folder",
            all.display()
        )
    })?;
    match fs::rename(part.path(), &path) {
        Ok(()) => drop(part.keep()),
        // Another one has unpacked the same meanwhile.
        Err(_) if path.is_dir() => {}
        Err(error) => return Err(error).with_context(|| format!("cannot make {}", path.display())),
    }
    Ok(path)
}

/// Says what members have left.
fn tell() -> Result<()> {
    let all = match fs::read_dir(cache()?.join("members")) {
        Ok(all) => all.collect::<io::Result<Vec<_>>>()?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error).context("cannot read what members have left"),
    };
    for directory in all.into_iter().map(|entry| entry.path()) {
        // Without it, a member was killed before there was anything to keep.
        let Ok(kept) = kept(&directory) else { continue };
        let left = Left { runs: runs(&kept), directory, kept };
        println!("{}", serde_json::to_string(&left)?);
    }
    println!("end");
    Ok(())
}

/// Reads what a member has kept beside its results.
///
/// # Errors
/// If it has kept nothing.
pub fn kept(directory: &Path) -> Result<Kept> {
    let file = directory.join(Kept::FILE);
    let read = || -> Result<Kept> { Ok(serde_json::from_slice(&fs::read(&file)?)?) };
    read().with_context(|| format!("cannot read {}", file.display()))
}

/// Whether an engine of a member's name is on this machine.
pub fn runs(kept: &Kept) -> bool {
    let name = Launch::member_name(&kept.experiment, &kept.machine);
    netloom_host::inspect(&name).is_ok_and(|found| found.alive)
}

/// Sends a directory of members' results, and removes it.
fn give(directory: &Path) -> Result<()> {
    let directory = own(directory)?;
    if !directory.is_dir() {
        bail!("there is no {} any more", directory.display());
    }
    if kept(&directory).is_ok_and(|kept| runs(&kept)) {
        bail!("its engine runs still: `netloom machines collect` fetches them when it has ended");
    }
    println!("sends");
    pack(&directory, io::stdout().lock())?;
    fs::remove_dir_all(&directory).context("cannot remove the results")
}

/// Writes what is in a directory as a tarball that is compressed by gzip.
///
/// # Errors
/// If it cannot be read, or nobody takes it.
pub fn pack(directory: &Path, to: impl Write) -> Result<()> {
    let mut builder = Builder::new(GzEncoder::new(to, Compression::fast()));
    builder.follow_symlinks(false);
    builder.append_dir_all("", directory).context("cannot read the results")?;
    Ok(builder.into_inner()?.finish()?.flush()?)
}

fn discard(directory: &Path) -> Result<()> {
    match fs::remove_dir_all(own(directory)?) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

/// Returns a directory if it is one of members' results, and nothing else of this machine.
fn own(directory: &Path) -> Result<PathBuf> {
    let inside = directory.strip_prefix(cache()?.join("members"));
    let is_one = inside.is_ok_and(|inside| {
        let mut parts = inside.components();
        matches!(parts.next(), Some(Component::Normal(_))) && parts.next().is_none()
    });
    is_one.then(|| directory.to_owned()).context("no member has left its results there")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_a_shell_would_read_is_refused() {
        assert_eq!(
            have("have /home/ann/.cache/netloom").unwrap(),
            Path::new("/home/ann/.cache/netloom")
        );
        for path in ["/tmp/a b", "/tmp/x'; true; '", "/tmp/$(true)", "tmp", "/tmp/\u{1b}[2J"] {
            let error = have(&format!("have {path}")).unwrap_err().to_string();
            assert!(error.contains("XDG_CACHE_HOME"), "{error}");
        }
        assert_eq!(have("error no space left").unwrap_err().to_string(), "no space left");
    }

    /// A machine that sends `archive`, whatever it is asked for.
    fn sent(archive: &[u8]) -> Result<()> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("sent");
        fs::write(&file, archive).unwrap();
        let command = format!("echo '{}'; echo sends; cat {} #", greeting("w"), file.display());
        get(&command, "w", Path::new("/there"), &folder.path().join("target"), None)
    }

    #[test]
    fn only_plain_files_are_fetched() {
        let packed = |kind, name: &str, link: Option<&str>| {
            let mut builder = builder();
            let mut header = tar::Header::new_gnu();
            header.set_entry_type(kind);
            header.set_size(0);
            header.set_mode(0o644);
            match link {
                Some(link) => builder.append_link(&mut header, name, link).unwrap(),
                None => builder.append_data(&mut header, name, io::empty()).unwrap(),
            }
            builder.into_inner().unwrap().finish().unwrap()
        };
        sent(&packed(tar::EntryType::Regular, "events.jsonl", None)).unwrap();
        let link = packed(tar::EntryType::Symlink, "summary.json", Some("/etc/passwd"));
        let error = format!("{:#}", sent(&link).unwrap_err());
        assert!(error.contains("plain files"), "{error}");
        assert!(sent(b"no archive").is_err());
    }
}
