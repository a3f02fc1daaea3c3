//! The `netloom` binary.
fn main() {}
