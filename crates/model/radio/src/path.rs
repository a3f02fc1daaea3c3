//! The path of a signal, as a model of path loss gives it.

/// The path of a signal from one antenna to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Path {
    /// Loss in dB, minus the gains of both antennas.
    pub loss: f64,
    /// Whether a frame can be decoded at all. If not, it only makes the channel busy (`range` with
    /// a `sense` beyond its `reach`).
    pub decodable: bool,
}

impl Path {
    pub(crate) const fn decodable(loss: f64) -> Self {
        Self { loss, decodable: true }
    }
}
