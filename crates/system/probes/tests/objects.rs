//! The compiled programs that are checked in equal the output of a compiler for the sources beside
//! them. They are loaded into the kernel as root, so what nobody has compared is said and counted,
//! and is a failure in continuous integration.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

/// Folders with sources and objects, from this crate on.
const FOLDERS: &[(&str, &[&str])] = &[
    ("bpf", &["scheduler.bpf.o", "block.bpf.o", "stall.bpf.o", "tasks.bpf.o"]),
    ("../selector/bpf", &["selector.bpf.o", "reserve.bpf.o"]),
];

/// Says what is not compared, on standard error and in the file of parts that were left out.
fn leave_out(why: &str) {
    eprintln!("left out: {why}");
    if let Some(file) = std::env::var_os("NETLOOM_LEFT_OUT") {
        let file = fs::OpenOptions::new().append(true).open(file);
        writeln!(file.expect("the list of parts that are left out"), "{why}").expect("a line");
    }
}

/// Returns the version of the compiler that `build.sh` takes, as it calls itself in objects.
fn compiler() -> Option<String> {
    let version = |name: &str| {
        let macros =
            Command::new(name).args(["-dM", "-E", "-x", "c", "/dev/null"]).output().ok()?;
        let macros = String::from_utf8_lossy(&macros.stdout).into_owned();
        let line = macros.lines().find_map(|line| line.strip_prefix("#define __VERSION__ "))?;
        Some(line.trim_matches('"').to_owned())
    };
    version("clang-14").or_else(|| version("clang"))
}

#[test]
fn objects_are_what_their_sources_say() {
    let Some(version) = compiler() else {
        let is_checked = std::env::var("CI").is_ok_and(|value| value == "1" || value == "true");
        assert!(!is_checked, "there is no clang to compare BPF objects by: run `make setup`");
        return leave_out("BPF objects are not compared with their sources: there is no clang");
    };
    for (folder, objects) in FOLDERS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let rebuilt = tempfile::tempdir().unwrap();
        let status = Command::new(folder.join("build.sh")).arg(rebuilt.path()).status().unwrap();
        assert!(status.success(), "the sources in {} do not compile", folder.display());
        for object in *objects {
            let ours = fs::read(folder.join(object)).unwrap();
            // The section `made_by`. Other versions of the compiler make other code of the same
            // source.
            if !ours.windows(version.len()).any(|bytes| bytes == version.as_bytes()) {
                leave_out(&format!("{object} was made by another compiler than {version}"));
                continue;
            }
            let same = ours == fs::read(rebuilt.path().join(object)).unwrap();
            assert!(same, "{object} is not what its source says: run `make bpf`");
        }
    }
}
