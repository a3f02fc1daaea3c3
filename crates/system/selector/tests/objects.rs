//! The compiled programs in the repository match the sources beside them.

use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn objects_are_what_their_sources_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("bpf");
    let macros = Command::new("clang").args(["-dM", "-E", "-x", "c", "/dev/null"]).output();
    let Ok(macros) = macros else { return println!("skipped: there is no clang") };
    let macros = String::from_utf8_lossy(&macros.stdout).into_owned();
    let version = macros.lines().find_map(|line| line.strip_prefix("#define __VERSION__ "));
    let version = version.unwrap().trim_matches('"').as_bytes();
    let rebuilt = tempfile::tempdir().unwrap();
    let status = Command::new(folder.join("build.sh")).arg(rebuilt.path()).status().unwrap();
    assert!(status.success(), "the sources do not compile");
    for object in ["selector.bpf.o", "reserve.bpf.o"] {
        let ours = fs::read(folder.join(object)).unwrap();
        // The section `made_by`. Compilers of other versions produce other code from the same
        // source.
        if !ours.windows(version.len()).any(|bytes| bytes == version) {
            println!("skipped: {object} was made by another clang than {version:?}");
            continue;
        }
        let same = ours == fs::read(rebuilt.path().join(object)).unwrap();
        assert!(same, "{object} is not what its source says: run `make bpf`");
    }
}
