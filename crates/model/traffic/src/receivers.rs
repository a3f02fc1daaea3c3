//! Chooses the receiver of what a sender sends. If a group is given, one of its members is drawn
//! each time.

use netloom_units::Stream;

/// Draws receivers. The receiver of the burst, transfer or packet with a given number does not
/// depend on other draws, so bursts may overlap.
#[derive(Debug, Clone)]
pub struct Receivers {
    origin: u64,
    count: u64,
    /// Number of packets so far.
    packets: u64,
}

impl Receivers {
    /// Returns draws among `count` receivers, for a sender whose random numbers are those of
    /// `stream`.
    pub fn new(stream: &Stream, count: usize) -> Self {
        let origin = stream.fork("to").bits();
        Self { origin, count: count.max(1) as u64, packets: 0 }
    }

    /// Returns the place of the receiver of the transfer, connection or burst with this number.
    pub fn of(&self, number: u64) -> usize {
        if self.count == 1 {
            return 0;
        }
        let wide = u128::from(mixed(self.origin, number)) * u128::from(self.count);
        // The result is below the count, which is the length of a list.
        (wide >> 64) as usize
    }

    /// Returns the place of the receiver of the next packet, which belongs to `burst` if that is
    /// given.
    pub fn of_packet(&mut self, burst: Option<u64>) -> usize {
        let number = burst.unwrap_or(self.packets);
        self.packets = self.packets.wrapping_add(1);
        self.of(number)
    }
}

/// Returns the `number`-th output of SplitMix64 (Steele, Lea & Flood 2014), starting at `origin`.
fn mixed(origin: u64, number: u64) -> u64 {
    let state = origin.wrapping_add(number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let once = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let twice = (once ^ (once >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    twice ^ (twice >> 31)
}
