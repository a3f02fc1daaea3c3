//! Strings of other tools are translated or refused. What is taken can be said in NetLoom's own
//! words, and what tc can do comes back from its own string.
#![no_main]

use libfuzzer_sys::fuzz_target;
use netloom_link::notation::{Netem, Notations, tc_equivalent};
use netloom_link::{PipeChange, PipeConfig};

fuzz_target!(|text: &str| {
    let notations = Notations {
        netem: text.parse().ok(),
        tbf: text.parse().ok(),
        dummynet: text.parse().ok(),
    };
    for (_, given) in notations.given() {
        let json = serde_json::to_string(&given.said).expect("properties have a JSON form");
        let again: PipeChange = serde_json::from_str(&json).expect("and it can be read");
        assert_eq!(again, given.said);
    }
    if let Some(netem) = &notations.netem {
        let mut config = PipeConfig::default();
        netem.translation().implied.apply_to(&mut config);
        netem.translation().said.apply_to(&mut config);
        let tc = tc_equivalent(&config);
        if tc.missing.is_empty() && !tc.netem.is_empty() {
            assert!(tc.netem.parse::<Netem>().is_ok(), "{}", tc.netem);
        }
    }
});
