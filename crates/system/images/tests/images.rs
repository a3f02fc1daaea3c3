//! Images are made here, unpacked, and found again.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use netloom_images::{ImageError, root, sweep};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

/// A tarball with these files and a link.
fn tarball(files: &[(&str, &str)]) -> Vec<u8> {
    let mut builder = tar::Builder::new(vec![]);
    for (path, content) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o755);
        builder.append_data(&mut header, path, content.as_bytes()).unwrap();
    }
    builder.into_inner().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(vec![], Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Two frames one after the other, with one to be skipped between them, as in the layers of
/// `zstd:chunked`.
fn zstd(bytes: &[u8]) -> Vec<u8> {
    let (first, second) = bytes.split_at(bytes.len() / 2);
    let frame = |bytes| zstd::encode_all(bytes, 3).unwrap();
    let skipped = [0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3];
    [&frame(first)[..], &skipped, &frame(second)].concat()
}

/// The directory of the files of a root.
fn root_directory(path: &Path, cache: &Path) -> Result<PathBuf, ImageError> {
    Ok(root(path, cache)?.directory)
}

/// Adds a blob to a layout. Returns its descriptor.
fn blob(layout: &Path, kind: &str, bytes: &[u8]) -> serde_json::Value {
    let digits: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    fs::create_dir_all(layout.join("blobs/sha256")).unwrap();
    fs::write(layout.join("blobs/sha256").join(&digits), bytes).unwrap();
    serde_json::json!({
        "mediaType": kind, "digest": format!("sha256:{digits}"), "size": bytes.len(),
    })
}

fn layout(path: &Path, layers: &[Vec<u8>]) {
    let kind = "application/vnd.oci.image.layer.v1.tar+gzip";
    let layers: Vec<_> = layers.iter().map(|layer| blob(path, kind, &gzip(layer))).collect();
    layout_of(path, &serde_json::json!({ "schemaVersion": 2, "layers": layers }));
}

fn layout_of(path: &Path, manifest: &serde_json::Value) {
    let kind = "application/vnd.oci.image.manifest.v1+json";
    let manifest = blob(path, kind, &serde_json::to_vec(manifest).unwrap());
    let index = serde_json::json!({ "schemaVersion": 2, "manifests": [manifest] });
    fs::write(path.join("index.json"), serde_json::to_vec(&index).unwrap()).unwrap();
    fs::write(path.join("oci-layout"), "{\"imageLayoutVersion\": \"1.0.0\"}").unwrap();
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn a_directory_is_taken_as_it_is() {
    let folder = TempDir::new().unwrap();
    let found = root_directory(folder.path(), &folder.path().join("cache")).unwrap();
    assert_eq!(found, fs::canonicalize(folder.path()).unwrap());
    assert!(!folder.path().join("cache").exists());
}

#[test]
fn a_tarball_is_unpacked_once() {
    let folder = TempDir::new().unwrap();
    let (file, cache) = (folder.path().join("root.tar.gz"), folder.path().join("cache"));
    fs::write(&file, gzip(&tarball(&[("bin/tool", "one"), ("etc/motd", "hi")]))).unwrap();
    let root = root_directory(&file, &cache).unwrap();
    assert_eq!(read(&root.join("bin/tool")), "one");
    assert_eq!(fs::metadata(root.join("bin/tool")).unwrap().permissions().mode() & 0o777, 0o755);
    fs::write(root.join("witness"), "").unwrap();
    assert!(root_directory(&file, &cache).unwrap().join("witness").exists());
    fs::write(&file, tarball(&[("bin/tool", "two")])).unwrap();
    assert_eq!(read(&root_directory(&file, &cache).unwrap().join("bin/tool")), "two");
    // Only the two complete entries are there.
    assert_eq!(fs::read_dir(&cache).unwrap().count(), 2);
}

#[test]
fn layers_add_and_remove_files() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("image");
    fs::create_dir(&path).unwrap();
    layout(
        &path,
        &[
            tarball(&[("a/one", "1"), ("a/two", "2"), ("b/three", "3"), ("c", "4")]),
            tarball(&[("a/.wh.one", ""), ("b/.wh..wh..opq", ""), ("b/new", "5"), ("c", "6")]),
        ],
    );
    let root = root_directory(&path, &folder.path().join("cache")).unwrap();
    assert!(!root.join("a/one").exists() && !root.join("b/three").exists());
    let now = ["a/two", "b/new", "c"].map(|name| read(&root.join(name)));
    assert_eq!(now, ["2", "5", "6"]);
}

#[test]
fn layers_may_be_compressed_by_zstd_and_images_say_variables() {
    let folder = TempDir::new().unwrap();
    let (path, cache) = (folder.path().join("image"), folder.path().join("cache"));
    fs::create_dir(&path).unwrap();
    let kind = "application/vnd.oci.image.layer.v1.tar+zstd";
    let layer = blob(&path, kind, &zstd(&tarball(&[("bin/tool", "one"), ("a", "1")])));
    let said = |env: &[&str]| {
        let config = serde_json::json!({ "architecture": "any", "config": { "Env": env } });
        let kind = "application/vnd.oci.image.config.v1+json";
        let config = blob(&path, kind, &serde_json::to_vec(&config).unwrap());
        layout_of(&path, &serde_json::json!({ "layers": [layer.clone()], "config": config }));
        root(&path, &cache)
    };
    let found = said(&["PATH=/opt/bin:/bin", "EMPTY=", "A=b=c"]).unwrap();
    let variables = [("PATH", "/opt/bin:/bin"), ("EMPTY", ""), ("A", "b=c")];
    assert_eq!(found.variables, variables.map(|(name, value)| (name.into(), value.into())));
    assert_eq!(read(&found.directory.join("bin/tool")), "one");
    let error = said(&["PATH"]).unwrap_err().to_string();
    assert!(error.contains("`PATH`") && error.contains("NAME=VALUE"), "{error}");
}

#[test]
fn a_whiteout_does_not_reach_outside() {
    let folder = TempDir::new().unwrap();
    let outside = folder.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("kept"), "").unwrap();
    let mut first = tar::Builder::new(vec![]);
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::Symlink);
    header.set_size(0);
    first.append_link(&mut header, "way", &outside).unwrap();
    let path = folder.path().join("image");
    fs::create_dir(&path).unwrap();
    layout(&path, &[first.into_inner().unwrap(), tarball(&[("way/.wh.kept", "")])]);
    root_directory(&path, &folder.path().join("cache")).unwrap();
    assert!(outside.join("kept").exists());
}

#[test]
fn damaged_images_are_refused_and_leave_nothing() {
    let folder = TempDir::new().unwrap();
    let (path, cache) = (folder.path().join("image"), folder.path().join("cache"));
    fs::create_dir(&path).unwrap();
    layout(&path, &[tarball(&[("a", "1")])]);
    for entry in fs::read_dir(path.join("blobs/sha256")).unwrap() {
        let mut file = File::options().append(true).open(entry.unwrap().path()).unwrap();
        file.write_all(b" ").unwrap();
    }
    let error = root_directory(&path, &cache).unwrap_err().to_string();
    assert!(error.contains("is not what its digest says"), "{error}");
    let text = folder.path().join("no.tar");
    fs::write(&text, "this is no archive").unwrap();
    let error = root_directory(&text, &cache).unwrap_err().to_string();
    assert!(error.contains("cannot be unpacked"), "{error}");
    assert_eq!(fs::read_dir(&cache).unwrap().count(), 0);
    // A link is followed to its target.
    symlink(&path, folder.path().join("link")).unwrap();
    assert!(root_directory(&folder.path().join("link"), &cache).is_err());
}

/// Another process, under this program's name, unpacks until it is killed.
#[test]
fn what_a_killed_process_has_unpacked_is_swept_away_and_what_a_living_one_does_is_not() {
    let folder = TempDir::new().unwrap();
    let (file, cache) = (folder.path().join("root.tar"), folder.path().join("cache"));
    if let Some(own) = std::env::var_os("NETLOOM_UNPACKS") {
        let _ = root(&Path::new(&own).join("pipe"), &Path::new(&own).join("cache"));
        return;
    }
    let partials = || {
        let names = fs::read_dir(&cache).into_iter().flatten().flatten();
        names.filter(|it| it.file_name().to_str().unwrap().starts_with("partial-")).count()
    };
    let is_filled = || {
        let entries = fs::read_dir(&cache).into_iter().flatten().flatten();
        entries
            .filter_map(|it| fs::read_dir(it.path()).ok())
            .any(|mut within| within.next().is_some())
    };
    // An endless layer is impossible, but one that takes long enough is not.
    let name = "what_a_killed_process_has_unpacked_is_swept_away_and_what_a_living_one_does_is_not";
    let many: Vec<(String, &str)> = (0..30_000).map(|i| (format!("d{i}/file"), "")).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    fs::write(folder.path().join("pipe"), tarball(&many)).unwrap();
    let mut child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name])
        .env("NETLOOM_UNPACKS", folder.path())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    // It begins to unpack after it has released the lock on the whole cache.
    while !is_filled() {
        assert!(child.try_wait().unwrap().is_none(), "it was too quick to be caught");
        std::thread::yield_now();
    }
    child_stops(&child);
    // Another image is unpacked meanwhile.
    assert_eq!(sweep(&cache).unwrap(), 0);
    fs::write(&file, tarball(&[("bin/tool", "one")])).unwrap();
    root_directory(&file, &cache).unwrap();
    assert_eq!(partials(), 1);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(partials(), 1);
    assert_eq!(sweep(&cache).unwrap(), 1);
    assert_eq!(partials(), 0);
    assert_eq!(sweep(&cache.join("none")).unwrap(), 0);
}

fn child_stops(child: &std::process::Child) {
    let pid = nix::unistd::Pid::from_raw(i32::try_from(child.id()).unwrap());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGSTOP).unwrap();
}

#[test]
fn the_cache_is_its_owners_alone() {
    let folder = TempDir::new().unwrap();
    let (file, cache) = (folder.path().join("root.tar"), folder.path().join("cache"));
    fs::write(&file, tarball(&[("bin/tool", "one")])).unwrap();
    // As earlier versions made it.
    fs::create_dir(&cache).unwrap();
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o755)).unwrap();
    root_directory(&file, &cache).unwrap();
    assert_eq!(fs::metadata(&cache).unwrap().permissions().mode() & 0o777, 0o700);
    if !nix::unistd::geteuid().is_root() {
        println!("skipped: another user's home takes root");
        return;
    }
    let home = folder.path().join("home");
    fs::create_dir(&home).unwrap();
    std::os::unix::fs::chown(&home, Some(5001), None).unwrap();
    let refused = root_directory(&file, &home.join(".cache/roots")).unwrap_err();
    assert!(refused.to_string().contains("belongs to the user 5001"), "{refused}");
}

#[test]
fn a_whiteout_takes_away_what_has_a_name() {
    for name in ["a/.wh...", "a/.wh..", "a/.wh.", ".wh..."] {
        let folder = TempDir::new().unwrap();
        let (file, cache) = (folder.path().join("root.tar"), folder.path().join("cache"));
        fs::write(&file, tarball(&[("a/b", "1"), (name, "")])).unwrap();
        let error = root_directory(&file, &cache).unwrap_err().to_string();
        assert!(error.contains("takes away what has no name"), "{name}: {error}");
    }
}

#[test]
fn archives_that_are_made_to_do_harm_are_refused() {
    let folder = TempDir::new().unwrap();
    let (file, cache) = (folder.path().join("root.tar.zst"), folder.path().join("cache"));
    fs::write(&file, tarball(&[(&["d"; 1500].join("/"), "")])).unwrap();
    let error = root_directory(&file, &cache).unwrap_err().to_string();
    assert!(error.contains("more than 255 directories"), "{error}");
    // Half a GiB of zeros. If the disk is smaller, that error comes first.
    let mut header = tar::Header::new_gnu();
    header.set_path("zeros").unwrap();
    header.set_size(512 << 20);
    header.set_mode(0o644);
    header.set_cksum();
    let mut encoder = zstd::Encoder::new(File::create(&file).unwrap(), 1).unwrap();
    encoder.write_all(header.as_bytes()).unwrap();
    let zeros = vec![0; 1 << 20];
    (0..512).for_each(|_| encoder.write_all(&zeros).unwrap());
    encoder.finish().unwrap();
    let error = root_directory(&file, &cache).unwrap_err().to_string();
    assert!(error.contains("100 times as large") || error.contains("No space"), "{error}");
    assert_eq!(fs::read_dir(&cache).unwrap().count(), 0);
}
