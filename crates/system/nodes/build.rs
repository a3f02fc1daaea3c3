//! Builds the library that is loaded into user-mode kernels (`shim`). These are separate programs,
//! and this crate contains the library's bytes.

use std::env;
use std::path::PathBuf;
use std::process::Command;

/// Platform of Debian's user-mode kernel.
const TARGET: &str = "x86_64-unknown-linux-gnu";

fn main() {
    println!("cargo::rerun-if-changed=shim");
    println!("cargo::rerun-if-changed=build.rs");
    let library = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("shim.so");
    if env::var("TARGET").is_ok_and(|target| target == TARGET) {
        build(&library);
    } else {
        // On other platforms, no node can have a kernel of its own.
        std::fs::write(&library, []).expect("an output directory that can be written");
    }
}

fn build(library: &PathBuf) {
    let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc.args(["--edition", "2024", "--crate-type", "cdylib", "--target", TARGET]);
    rustc.args(["-C", "opt-level=s", "-C", "panic=abort", "-C", "strip=symbols"]);
    rustc.args(["-C", "link-arg=-nostartfiles", "--crate-name", "shim", "-o"]);
    let status = rustc.arg(library).arg("shim/lib.rs").status();
    assert!(status.is_ok_and(|status| status.success()), "cannot build shim/lib.rs");
}
