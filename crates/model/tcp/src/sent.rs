//! The packets that are sent and not yet acknowledged, with the state of each: the scoreboard (RFC
//! 6675 §3) and the order of transmission (RFC 8985 §5). Not here: when a packet counts as lost.

use std::collections::VecDeque;

use netloom_units::Time;

/// The number of a packet. It counts first transmissions, and never changes.
pub(crate) type PacketId = u64;

/// The state of delivery at the time when a packet is sent (§3.2, "P." variables).
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Stamp {
    pub delivered: u64,
    pub delivered_ce: u64,
    pub lost: u64,
    pub in_flight: u32,
    pub delivered_at: Time,
    pub first_sent_at: Time,
    pub app_limited: bool,
}

/// A packet that is not yet acknowledged, of at most one maximum segment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sent {
    /// Position of its first sequence number.
    pub start: u64,
    /// Number of sequence numbers that it takes.
    pub len: u32,
    /// Time of its latest transmission, and the number of that transmission. Several may have the
    /// same time.
    pub sent_at: Time,
    pub order: u64,
    /// The state of delivery at its latest transmission.
    pub stamp: Stamp,
    /// Whether it carries a FIN behind its payload.
    pub fin: bool,
    /// Whether it ends data that the application wrote at once.
    pub push: bool,
    /// Whether it is SACKed.
    pub sacked: bool,
    /// Whether it is deemed lost. It is in flight nevertheless if `resent`.
    pub lost: bool,
    /// Whether it was retransmitted and that retransmission is in flight.
    pub resent: bool,
    /// Whether it was ever retransmitted. It then gives no sample of the round-trip time (Karn).
    pub ever_resent: bool,
}

impl Sent {
    /// Returns a packet with `len` sequence numbers from `start` that is sent at `now` for the
    /// first time.
    pub const fn new(start: u64, len: u32, now: Time, stamp: Stamp) -> Self {
        Self {
            start,
            len,
            sent_at: now,
            order: 0,
            stamp,
            fin: false,
            push: false,
            sacked: false,
            lost: false,
            resent: false,
            ever_resent: false,
        }
    }

    /// Returns the position after its last sequence number.
    pub const fn end(&self) -> u64 {
        self.start + self.len as u64
    }
}

/// Packets in the order of their sequence numbers.
#[derive(Debug, Default)]
pub(crate) struct SentQueue {
    packets: VecDeque<Sent>,
    /// Number of the first packet.
    base: PacketId,
    /// Number of transmissions so far.
    transmissions: u64,
    sacked: u32,
    lost: u32,
    resent: u32,
    /// Number of packets that are lost and not retransmitted.
    waiting: u32,
    /// No packet before this one waits for its retransmission.
    next_lost: PacketId,
    /// Every packet before this one is SACKed, lost or retransmitted.
    pub cursor: PacketId,
    /// Retransmissions in order. Entries that are out of date stay until they are reached.
    resends: VecDeque<(PacketId, u64)>,
    /// The blocks of the latest SACK option, at most four (RFC 2018 §3). The packets that they
    /// cover are already marked.
    covered: [(u64, u64); 4],
    /// The highest end of any SACKed packet.
    pub highest_sacked: u64,
}

impl SentQueue {
    pub fn len(&self) -> u32 {
        self.packets.len() as u32
    }

    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    pub const fn sacked(&self) -> u32 {
        self.sacked
    }

    pub const fn lost(&self) -> u32 {
        self.lost
    }

    pub const fn resent(&self) -> u32 {
        self.resent
    }

    /// Returns the estimated number of packets in the network (RFC 6675 §4, SetPipe).
    pub fn in_flight(&self) -> u32 {
        (self.len() + self.resent).saturating_sub(self.sacked + self.lost)
    }

    /// Returns the number of the next packet.
    pub fn next_id(&self) -> PacketId {
        self.base + self.packets.len() as u64
    }

    pub const fn first_id(&self) -> PacketId {
        self.base
    }

    pub fn push(&mut self, packet: Sent) {
        self.transmissions += 1;
        self.packets.push_back(Sent { order: self.transmissions, ..packet });
    }

    pub fn first(&self) -> Option<&Sent> {
        self.packets.front()
    }

    pub fn get(&self, id: PacketId) -> Option<&Sent> {
        self.packets.get(id.checked_sub(self.base)? as usize)
    }

    fn get_mut(&mut self, id: PacketId) -> Option<&mut Sent> {
        self.packets.get_mut(id.checked_sub(self.base)? as usize)
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (PacketId, &Sent)> {
        self.packets.iter().enumerate().map(|(n, packet)| (self.base + n as u64, packet))
    }

    /// Removes the first packet if it ends at or before `una`. Shortens it if it is acknowledged in
    /// part.
    pub fn pop_acknowledged(&mut self, una: u64) -> Option<Sent> {
        let first = self.packets.front_mut()?;
        if first.end() > una {
            if una > first.start {
                first.len -= (una - first.start) as u32;
                first.start = una;
            }
            return None;
        }
        let packet = self.packets.pop_front()?;
        self.base += 1;
        self.sacked -= u32::from(packet.sacked);
        self.lost -= u32::from(packet.lost);
        self.resent -= u32::from(packet.resent);
        self.waiting -= u32::from(packet.lost && !packet.resent);
        Some(packet)
    }

    /// Marks the packets that a SACK block covers. `report` gets each newly covered packet, in its
    /// state before.
    pub fn sack(&mut self, block: (u64, u64), mut report: impl FnMut(PacketId, &Sent)) {
        // Blocks mostly repeat or extend those of the latest option.
        let mut parts = [block; 5];
        let mut count = 1;
        for known in self.covered {
            // A part that is added in this pass does not overlap the current block.
            let present = count;
            for part in 0..present {
                let (start, end) = parts[part];
                if known.0 >= end || known.1 <= start {
                    continue;
                }
                parts[part] = (start, known.0.max(start));
                if known.1 < end && count < parts.len() {
                    parts[count] = (known.1, end);
                    count += 1;
                }
            }
        }
        for (start, end) in parts.into_iter().take(count) {
            if start < end {
                self.sack_range(start, end, &mut report);
            }
        }
    }

    fn sack_range(&mut self, start: u64, end: u64, report: &mut impl FnMut(PacketId, &Sent)) {
        let from = self.packets.partition_point(|packet| packet.start < start);
        for (n, packet) in self.packets.range_mut(from..).enumerate() {
            if packet.end() > end {
                break;
            }
            if packet.sacked {
                continue;
            }
            report(self.base + (from + n) as u64, packet);
            self.lost -= u32::from(packet.lost);
            self.resent -= u32::from(packet.resent);
            self.waiting -= u32::from(packet.lost && !packet.resent);
            packet.sacked = true;
            packet.lost = false;
            packet.resent = false;
            self.sacked += 1;
            self.highest_sacked = self.highest_sacked.max(packet.end());
        }
    }

    /// Keeps the blocks of an option for the next one. A packet of which a block covers only a part
    /// stays unmarked, so a block is kept only as far as whole packets go.
    pub fn remember(&mut self, blocks: &[(u64, u64)]) {
        self.covered = [(0, 0); 4];
        for (slot, block) in self.covered.iter_mut().zip(blocks) {
            let from = self.packets.partition_point(|packet| packet.start < block.0);
            let to = self.packets.partition_point(|packet| packet.end() <= block.1);
            if from < to {
                *slot = (self.packets[from].start, self.packets[to - 1].end());
            }
        }
    }

    /// Marks packet `id` lost. Returns whether the packet, or its retransmission, was not deemed
    /// lost before.
    pub fn mark_lost(&mut self, id: PacketId) -> bool {
        let Some(packet) = self.get_mut(id) else { return false };
        if packet.sacked || (packet.lost && !packet.resent) {
            return false;
        }
        let (lost, resent) = (packet.lost, packet.resent);
        packet.lost = true;
        packet.resent = false;
        self.lost += u32::from(!lost);
        self.waiting += 1;
        self.resent -= u32::from(resent);
        self.next_lost = self.next_lost.min(id);
        true
    }

    /// Returns the first packet that is lost and not retransmitted (RFC 6675 §4, NextSeg, rule 1).
    pub fn next_lost(&mut self) -> Option<PacketId> {
        if self.waiting == 0 {
            return None;
        }
        let mut id = self.next_lost.max(self.base);
        while let Some(packet) = self.get(id) {
            if packet.lost && !packet.resent {
                self.next_lost = id;
                return Some(id);
            }
            id += 1;
        }
        None
    }

    /// Records that packet `id` is sent again at `now`.
    pub fn resend(&mut self, id: PacketId, now: Time, stamp: Stamp) {
        self.transmissions += 1;
        let order = self.transmissions;
        let Some(packet) = self.get_mut(id) else { return };
        let again = !packet.resent;
        let waited = packet.lost && again;
        packet.resent = true;
        packet.ever_resent = true;
        packet.sent_at = now;
        packet.order = order;
        packet.stamp = stamp;
        self.resent += u32::from(again);
        self.waiting -= u32::from(waited);
        // Out-of-date entries are removed, so that the list stays as short as the packets in
        // flight.
        self.first_resend();
        self.resends.push_back((id, order));
    }

    /// Returns the earliest retransmission that is still in flight.
    pub fn first_resend(&mut self) -> Option<(PacketId, Sent)> {
        while let Some((id, order)) = self.resends.front() {
            match self.get(*id) {
                Some(packet) if packet.resent && packet.order == *order => {
                    return Some((*id, *packet));
                }
                _ => self.resends.pop_front(),
            };
        }
        None
    }

    /// Returns the earliest packet that is in flight for the first time.
    pub fn first_original(&mut self) -> Option<(PacketId, Sent)> {
        let mut id = self.cursor.max(self.base);
        while let Some(packet) = self.get(id) {
            let packet = *packet;
            if !packet.sacked && !packet.lost && !packet.ever_resent {
                self.cursor = id;
                return Some((id, packet));
            }
            id += 1;
        }
        self.cursor = id;
        None
    }

    /// Returns the packets from number `from` that are in flight for the first time, in order.
    pub fn originals_from(&self, from: PacketId) -> impl Iterator<Item = &Sent> {
        let skipped = from.saturating_sub(self.base) as usize;
        let packets = self.packets.iter().skip(skipped);
        packets.filter(|packet| !packet.sacked && !packet.lost && !packet.ever_resent)
    }

    /// Returns the retransmissions that are in flight, in order.
    pub fn resends(&self) -> impl Iterator<Item = &Sent> {
        let known = self.resends.iter().map(|(id, order)| (self.get(*id), *order));
        known.filter_map(|(packet, order)| {
            packet.filter(|packet| packet.resent && packet.order == order)
        })
    }

    /// Removes all marks of losses: no packet was lost.
    pub fn unmark_losses(&mut self) {
        for packet in &mut self.packets {
            packet.lost = false;
        }
        self.lost = 0;
        self.waiting = 0;
        self.cursor = self.base;
    }

    /// Removes all SACK marks: the other end has dropped data that it had announced (RFC 2018 §8).
    pub fn unmark_sacks(&mut self) {
        for packet in &mut self.packets {
            packet.sacked = false;
        }
        self.sacked = 0;
        self.highest_sacked = 0;
        self.covered = [(0, 0); 4];
        self.cursor = self.base;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(packets: u64) -> SentQueue {
        let mut queue = SentQueue::default();
        for n in 0..packets {
            queue.push(Sent::new(n * 100, 100, Time::from_nanos(n), Stamp::default()));
        }
        queue
    }

    /// Recounts what the counters should say.
    fn counted(queue: &SentQueue) -> [u32; 4] {
        let count = |what: fn(&Sent) -> bool| {
            queue.packets.iter().filter(|packet| what(packet)).count() as u32
        };
        [
            count(|packet| packet.sacked),
            count(|packet| packet.lost),
            count(|packet| packet.resent),
            count(|packet| packet.lost && !packet.resent),
        ]
    }

    #[test]
    fn counters_hold_whatever_happens() {
        let mut queue = queue(50);
        let mut state = 7u64;
        let mut draw = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        let mut una = 0;
        for step in 0..5_000u64 {
            let id = queue.first_id() + draw(u64::from(queue.len()).max(1));
            match draw(8) {
                0 | 1 => {
                    let start = una + draw(3_000);
                    queue.sack((start, start + draw(900)), |_, packet| assert!(!packet.sacked));
                }
                2 => drop(queue.mark_lost(id)),
                3 => {
                    if let Some(id) = queue.next_lost() {
                        assert!(queue.get(id).is_some_and(|packet| packet.lost));
                        queue.resend(id, Time::from_nanos(step), Stamp::default());
                    }
                }
                4 => {
                    una += draw(250);
                    while queue.pop_acknowledged(una).is_some() {}
                }
                5 if step % 50 == 0 => queue.unmark_losses(),
                6 if step % 70 == 0 => queue.unmark_sacks(),
                _ => {
                    let start = queue.next_id() * 100;
                    queue.push(Sent::new(start, 100, Time::from_nanos(step), Stamp::default()));
                }
            }
            let counters = [queue.sacked, queue.lost, queue.resent, queue.waiting];
            assert_eq!(counters, counted(&queue), "{step}");
            let first = queue.iter().find(|(_, packet)| packet.lost && !packet.resent);
            let first = first.map(|(id, _)| id);
            assert_eq!(queue.next_lost(), first, "{step}");
        }
    }

    #[test]
    fn a_block_that_grows_marks_what_is_new() {
        let mut queue = queue(20);
        let mut marked = Vec::new();
        queue.sack((500, 1000), |id, _| marked.push(id));
        queue.remember(&[(500, 1000)]);
        queue.sack((300, 1250), |id, _| marked.push(id));
        // The last packet is covered only in part.
        assert_eq!(marked, [5, 6, 7, 8, 9, 3, 4, 10, 11]);
        queue.remember(&[(300, 1250)]);
        queue.sack((300, 1300), |id, _| marked.push(id));
        assert_eq!(marked.last(), Some(&12));
        assert_eq!(queue.sacked(), 10);
    }
}
