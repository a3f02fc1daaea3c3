//! The guide to a first change prints code that compiles, and names what is there.

use std::fs;
use std::path::Path;

const PAGE: &str = include_str!("../../../../../docs/first-change.md");
const DISCIPLINE: &str = include_str!("../../src/queue/tests/lifo.rs");
const LAW: &str = include_str!("queues/oldest_first.rs");

/// Returns the Rust code of the page, block by block.
fn blocks() -> Vec<&'static str> {
    let parts = PAGE.split("```rust\n").skip(1);
    parts.map(|part| part.split_once("```").expect("a block ends").0).collect()
}

#[test]
fn the_code_of_the_page_is_compiled_and_tested() {
    let blocks = blocks();
    assert_eq!(blocks.len(), 2, "blocks that no test compiles");
    // The variant is added by the step that follows on the page.
    assert_eq!(blocks[0], DISCIPLINE.replace("Discipline::Fifo(_)", "Discipline::Lifo(_)"));
    let law = LAW.replace("oldest", "newest").replace("fifo", "lifo");
    assert_eq!(blocks[1], law.replace("[0, 1, 2, 3]", "[0, 3, 2, 1]"));
}

/// The steps that make the discipline known name files and places that exist.
#[test]
fn the_steps_of_the_page_are_possible() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |file: &str| {
        fs::read_to_string(root.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    };
    for (words, file, place) in [
        ("`queue/mod.rs`: `mod lifo;`", "src/queue/mod.rs", "mod fifo;"),
        ("`use lifo::Lifo;`", "src/queue/mod.rs", "use codel::Codel;"),
        ("`pub use lifo::LifoConfig;`", "src/queue/mod.rs", "pub use codel::CodelConfig;"),
        ("in `Kind::of`", "src/queue/mod.rs", "Discipline::Codel(config) => Box::new("),
        ("`use super::lifo::LifoConfig;`", "src/queue/config.rs", "use super::codel::CodelConfig;"),
        ("`Lifo(LifoConfig) = \"lifo\";`", "src/queue/config.rs", "Fifo(FifoConfig) = \"fifo\";"),
        (
            "`Self::Lifo(_)` among those",
            "src/queue/config.rs",
            "Self::Fifo(_) | Self::Step(_) | Self::Red(_)",
        ),
        ("`link/src/lib.rs`: `LifoConfig`", "src/lib.rs", "CodelConfig"),
        (
            "`notation/child.rs`",
            "src/notation/child.rs",
            "tc.misses(\"queue discipline wf2q+: tc has",
        ),
        ("`mod.rs` beside it", "tests/it/queues/mod.rs", "mod fifo;"),
        (
            "`queues::config::a_name_is_enough`",
            "tests/it/queues/config.rs",
            "fn a_name_is_enough()",
        ),
    ] {
        let page = PAGE.replace(['\n', ' '], "");
        assert!(page.contains(&words.replace(' ', "")), "{words}");
        assert!(read(file).contains(place), "{words}: {file} has no `{place}`");
    }
}
