//! Whatever a device hands over, headers that lie included, is split, edited or refused, and every
//! piece lies within what came in; a tag that is put in comes out again and leaves no trace.
#![no_main]

use libfuzzer_sys::fuzz_target;
use netloom_ports::{FrameBuffer, HEADER_BYTES, Pool, Shape, split};

fuzz_target!(|bytes: &[u8]| {
    let mut buffer = FrameBuffer::default();
    let (head, tail) = buffer.room();
    let cut = bytes.len().min(head.len());
    head[..cut].copy_from_slice(&bytes[..cut]);
    let rest = &bytes[cut..bytes.len().min(cut + tail.len())];
    tail[..rest.len()].copy_from_slice(rest);
    let filled = cut + rest.len();
    buffer.set_filled(filled);
    if filled < HEADER_BYTES {
        return;
    }
    let mut pool = Pool::new(64 << 20);
    let Some(mut frame) = pool.take(&mut buffer) else { return };
    match frame.shape() {
        Ok(Shape::Super(layout)) => {
            let frames = layout.frames();
            let together = u32::from(bytes[0]).clamp(1, 64);
            let mut total = 0;
            for first in (0..frames).step_by(together as usize) {
                let count = together.min(frames - first);
                let piece =
                    split(&frame, &layout, first, count, &mut pool).expect("memory is ample");
                assert!(piece.len() <= frame.len() && piece.shape().is_ok());
                total += piece.len();
                pool.recycle(piece);
            }
            assert!(total >= frame.len());
        }
        Ok(Shape::Single(length)) => {
            assert_eq!(length as usize, frame.len());
            frame.mark_congestion();
            frame.remark(bytes[0] & 63);
            frame.finish_checksum();
            frame.flip_bits(&[0, 1 << 10, u64::MAX]);
        }
        Err(_) => {}
    }
    if frame.shape().is_ok() {
        let before = frame.to_vec();
        frame = pool.push_tag(frame, 10).expect("memory is ample");
        assert_eq!((frame.tag(), frame.len()), (Some(10), before.len() + 4));
        let _ = frame.shape();
        frame = pool.set_tag(frame, None).expect("memory is ample");
        assert_eq!(frame.to_vec(), before);
    }
    pool.recycle(frame);
});
