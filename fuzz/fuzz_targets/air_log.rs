//! Whatever stands in an air log, it is read or refused; what is read is written, and read again as
//! it was.
#![no_main]

use libfuzzer_sys::fuzz_target;
use netloom_medium::{AirLogReader, AirLogWriter};

fuzz_target!(|bytes: &[u8]| {
    let Ok(reader) = AirLogReader::new(bytes) else { return };
    let header = reader.header().clone();
    let events: Vec<_> = reader.map_while(Result::ok).collect();
    let mut written = Vec::new();
    let mut writer = AirLogWriter::new(&header, &mut written);
    events.iter().for_each(|event| writer.write(event, &mut written));
    let again = AirLogReader::new(&written).expect("what was written is read");
    assert_eq!(again.header(), &header);
    let again: Vec<_> = again.map(|event| event.expect("what was written is read")).collect();
    assert_eq!(again, events);
});
