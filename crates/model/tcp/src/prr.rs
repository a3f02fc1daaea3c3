//! Proportional rate reduction (RFC 9937, which replaces RFC 6937): the number of packets that are
//! sent while the window shrinks to the threshold. Not here: when a reduction begins and ends.

/// The state of a reduction (RFC 6937 §3, RFC 9937's algorithm).
#[derive(Debug, Default)]
pub(crate) struct Prr {
    /// Number of packets delivered since the reduction began (prr_delivered).
    delivered: u32,
    /// Number of packets sent since then (prr_out).
    pub sent: u32,
    /// Number of packets not yet delivered when the reduction begins (RecoverFS).
    flight: u32,
}

impl Prr {
    /// Begins a reduction with `flight` packets in flight: those not acknowledged, and not SACKed
    /// before this acknowledgement.
    pub fn begin(&mut self, flight: u32) {
        *self = Self { delivered: 0, sent: 0, flight: flight.max(1) };
    }

    /// Returns the window after an acknowledgement that delivered `delivered` packets and left
    /// `in_flight`, on the way to `threshold`. `safe` is whether it acknowledges new data and shows
    /// no new loss (SafeACK).
    pub fn window(&mut self, delivered: u32, in_flight: u32, threshold: u32, safe: bool) -> u32 {
        self.delivered += delivered;
        let room = i64::from(threshold) - i64::from(in_flight);
        let may = if room < 0 {
            // Proportional part: CEIL(prr_delivered · ssthresh/RecoverFS) − prr_out.
            let share = u64::from(threshold) * u64::from(self.delivered);
            share.div_ceil(u64::from(self.flight)) as i64 - i64::from(self.sent)
        } else {
            // Up to the threshold: packet conservation, plus one packet if it is safe.
            let owed = i64::from(self.delivered) - i64::from(self.sent);
            let bound = owed.max(i64::from(delivered)) + i64::from(safe);
            room.min(bound)
        };
        // The fast retransmission is sent in any case (RFC 9937: "force a fast retransmit upon
        // entering recovery").
        let may = may.max(i64::from(self.sent == 0));
        in_flight + may as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first example of RFC 6937 §4: one of 20 packets is lost, and the window is halved.
    #[test]
    fn a_packet_goes_out_for_every_second_delivered_one() {
        let mut prr = Prr::default();
        prr.begin(20);
        let mut in_flight: u32 = 18; // one lost, one delivered
        let mut sent = Vec::new();
        for _ in 0..18 {
            let may = prr.window(1, in_flight, 10, false) - in_flight;
            sent.push(may);
            prr.sent += may;
            in_flight = in_flight + may - 1;
        }
        assert_eq!(sent[..6], [1, 0, 1, 0, 1, 0]);
        assert_eq!(prr.sent, 9);
        assert_eq!(in_flight, 9);
    }
}
