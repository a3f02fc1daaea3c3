//! Has the page embedded anew when `make web` has made it anew.

use std::fs;

fn main() {
    let page = "../../../web/dist";
    // Cargo would run this for every build while there is no such folder.
    let _ = fs::create_dir_all(page);
    println!("cargo:rerun-if-changed={page}");
}
