//! What a process of a simulation sends to another one is read or refused, and what is read is
//! written as what can be read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use netloom_sim::{Announcement, Binary, FlowSample, Input, PipeSample, Standing};

/// Reads a thing, if the bytes are one.
fn read<T: Binary>(bytes: &[u8]) {
    if let Ok(thing) = Input::new(bytes).only::<T>() {
        let mut written = Vec::new();
        thing.encode(&mut written);
        // A number may have been written longer than it is.
        assert!(written.len() <= bytes.len());
        let again = Input::new(&written).only::<T>().expect("it was written");
        let mut twice = Vec::new();
        again.encode(&mut twice);
        assert_eq!(written, twice);
    }
}

fuzz_target!(|bytes: &[u8]| {
    read::<Vec<Announcement>>(bytes);
    read::<PipeSample>(bytes);
    read::<FlowSample>(bytes);
    read::<Standing>(bytes);
});
