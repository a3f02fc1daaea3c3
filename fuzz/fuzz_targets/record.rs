//! The heads of records and of datagrams are read or refused, and what is read is written as the
//! same bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use netloom_tunnel::{Header, MAX_FRAME, RECORD_HEADER, Record};

fuzz_target!(|bytes: &[u8]| {
    if let Some(head) = bytes.first_chunk::<RECORD_HEADER>()
        && let Ok((record, length)) = Record::decode(head)
    {
        assert!(length <= MAX_FRAME && record.frames > 0);
        assert_eq!(record.encode(length), *head);
    }
    if let Some(header) = Header::decode(bytes) {
        assert_eq!(header.encode(), bytes[..Header::BYTES]);
    }
});
