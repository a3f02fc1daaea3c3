//! Links the binary at a fixed address (`docs/decisions/040-a-fixed-address.md`): each start of a
//! position-independent one corrects 95,000 addresses, in pages that become its own by that.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-link-arg-bins=-no-pie");
}
