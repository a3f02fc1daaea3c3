//! The record that the scheduler's program keeps for a CPU: `struct record` of
//! `bpf/scheduler.bpf.c`, as words.

use netloom_monitor::Party;

/// Number of parties of a stretch that are counted separately.
const PARTIES: usize = 63;
const HEAD: usize = 10;
/// Length of a record, in words.
pub const WORDS: usize = HEAD + 2 * PARTIES;

/// A record, as read from the kernel.
#[derive(Debug, Clone, Copy)]
pub struct Record<'a>(&'a [u64; WORDS]);

impl<'a> Record<'a> {
    pub fn new(words: &'a [u64; WORDS]) -> Self {
        Self(words)
    }

    /// Whether the record did not change while it was read. The program changes the second word
    /// before all others and the first word after them; the reader reads them in the opposite
    /// order.
    pub fn is_consistent(&self) -> bool {
        self.0[0] == self.0[1]
    }

    /// Whether the CPU has switched since the program was attached.
    pub fn is_known(&self) -> bool {
        self.0[0] > 0
    }

    /// The CPU; only set in events.
    pub fn cpu(&self) -> u32 {
        self.0[8] as u32
    }

    /// End of the last idle moment; `None` while idle.
    pub fn since(&self) -> Option<u64> {
        Some(self.0[2]).filter(|since| *since > 0)
    }

    /// End of the stretch; only set in events.
    pub fn until(&self) -> u64 {
        self.0[9]
    }

    /// Number of events that were lost.
    pub fn lost(&self) -> u64 {
        self.0[7]
    }

    /// The parties that used the CPU from `since` to `now`, in ns, which add up to the whole time.
    /// During a stretch each party keeps its place, and new ones are appended.
    pub fn uses(&self, now: u64) -> Vec<(Party, u64)> {
        let [_, _, _, running, from, used, others, ..] = *self.0;
        let entries = self.0[HEAD..].chunks_exact(2).take(used as usize);
        let running_at = entries.clone().position(|entry| entry[0] == running);
        let mut uses = vec![(Party::Unattributed, others)];
        uses.extend(entries.map(|entry| (party(entry[0]), entry[1])));
        // The time of the running party since `from` is not counted yet.
        let now = now.saturating_sub(from);
        match running_at {
            Some(place) => uses[1 + place].1 += now,
            None if uses.len() > PARTIES => uses[0].1 += now,
            None => uses.push((party(running), now)),
        }
        uses
    }
}

/// Converts the kernel's key of a party. No party is unattributed.
pub fn party(key: u64) -> Party {
    let number = key as u32;
    match key >> 32 {
        0 if number == 0 => Party::Unattributed,
        0 => Party::Process(number),
        1 => Party::Kernel,
        2 => Party::Node(number),
        // A process that has no ID in this PID namespace.
        _ => Party::Unattributed,
    }
}
