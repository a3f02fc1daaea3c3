//! Whatever stands in a file of claims, in a policy or in the words of an old tool, it is read or
//! refused; a claim that is read is written, and read again as it was.
#![no_main]

use libfuzzer_sys::fuzz_target;
use netloom_shape::{Claim, ClaimFile, Policy, PortSelector, netconfig};

fuzz_target!(|text: &str| {
    let _ = Policy::parse(text);
    let _ = text.parse::<PortSelector>();
    let words: Vec<String> = text.split_whitespace().map(Into::into).collect();
    let _ = netconfig::parse(&words, &mut |_| Err("there is no resolver here".into()));
    let Ok(file) = netloom_scenario::value::<ClaimFile>(text) else { return };
    for claim in file.claims.values() {
        let json = serde_json::to_string(claim).expect("a claim has a form in JSON");
        let again: Claim = serde_json::from_str(&json).expect("what was written is read");
        assert_eq!(again, *claim);
    }
});
