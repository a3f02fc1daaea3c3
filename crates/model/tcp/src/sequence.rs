//! Sequence numbers of one direction. Inside the endpoint they are 64 bits wide and never wrap. On
//! the wire they have 32 bits. Not here: what they count.

/// The position of the SYN. It is so large that a position 2³¹ before it is still positive.
pub(crate) const SYN_AT: u64 = 1 << 32;

/// Sequence numbers of one direction, which begins at an initial sequence number.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sequence {
    initial: u32,
}

impl Sequence {
    /// Returns the sequence numbers of a direction whose SYN has the number `initial` on the wire.
    pub const fn new(initial: u32) -> Self {
        Self { initial }
    }

    /// Returns the number of `position` on the wire.
    pub const fn wire(self, position: u64) -> u32 {
        self.initial.wrapping_add(position as u32)
    }

    /// Returns the position of the `wire` number that is nearest to the position `near`.
    pub const fn position(self, wire: u32, near: u64) -> u64 {
        let distance = wire.wrapping_sub(self.wire(near)) as i32;
        near.wrapping_add_signed(distance as i64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wire_numbers_wrap_and_positions_do_not() {
        let sequence = Sequence::new(u32::MAX - 5);
        assert_eq!(sequence.wire(SYN_AT), u32::MAX - 5);
        assert_eq!(sequence.wire(SYN_AT + 10), 4);
        assert_eq!(sequence.position(4, SYN_AT + 1), SYN_AT + 10);
        assert_eq!(sequence.position(u32::MAX - 10, SYN_AT + 1), SYN_AT - 5);
        let far = SYN_AT + 3 * (1 << 32) + 7;
        assert_eq!(sequence.position(sequence.wire(far), far - 1_000_000), far);
    }
}
