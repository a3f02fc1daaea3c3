//! A scenario file of any text is read or refused, and what was read can be drawn and described.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut read = |name: &str| Ok(format!("1\n{name}\n"));
    match netloom_scenario::load_with_files(text, &mut read) {
        Ok(loaded) => {
            let _ = netloom_scenario::graph::dot(&loaded.scenario);
            let _ = netloom_scenario::graph::mermaid(&loaded.scenario);
        }
        Err(diagnostics) => drop(format!("{diagnostics:?}")),
    }
});
