//! What the scheduler's program keeps of a CPU: `struct record` of `bpf/scheduler.bpf.c`, as words.

use netloom_monitor::Party;

/// Parties of a stretch that are told apart.
const PARTIES: usize = 63;
const HEAD: usize = 10;
/// The length of a record.
pub const WORDS: usize = HEAD + 2 * PARTIES;

/// A record, as the kernel gives it.
#[derive(Debug, Clone, Copy)]
pub struct Record<'a>(&'a [u64; WORDS]);

impl<'a> Record<'a> {
    pub fn new(words: &'a [u64; WORDS]) -> Self {
        Self(words)
    }

    /// Whether it was not read while it changed: of its first two words, the program writes first
    /// what is read last.
    pub fn is_consistent(&self) -> bool {
        self.0[0] == self.0[1]
    }

    /// Whether the CPU has turned to something since the program runs.
    pub fn is_known(&self) -> bool {
        self.0[0] > 0
    }

    /// Of an event: the CPU.
    pub fn cpu(&self) -> u32 {
        self.0[8] as u32
    }

    /// When it was last idle; nothing if it is.
    pub fn since(&self) -> Option<u64> {
        Some(self.0[2]).filter(|since| *since > 0)
    }

    /// Of an event: the end of the stretch.
    pub fn until(&self) -> u64 {
        self.0[9]
    }

    /// Events that were lost.
    pub fn lost(&self) -> u64 {
        self.0[7]
    }

    /// Who used the CPU from `since` to `now`, in ns; all of it. In the course of a stretch each
    /// party keeps its place, and others come after it.
    pub fn uses(&self, now: u64) -> Vec<(Party, u64)> {
        let [_, _, _, running, from, used, others, ..] = *self.0;
        let entries = self.0[HEAD..].chunks_exact(2).take(used as usize);
        let running_at = entries.clone().position(|entry| entry[0] == running);
        let mut uses = vec![(Party::Unattributed, others)];
        uses.extend(entries.map(|entry| (party(entry[0]), entry[1])));
        // What it does now is not counted yet.
        let now = now.saturating_sub(from);
        match running_at {
            Some(place) => uses[1 + place].1 += now,
            None if uses.len() > PARTIES => uses[0].1 += now,
            None => uses.push((party(running), now)),
        }
        uses
    }
}

/// Who that is in the kernel; nobody is unattributed.
pub fn party(key: u64) -> Party {
    let number = key as u32;
    match key >> 32 {
        0 if number == 0 => Party::Unattributed,
        0 => Party::Process(number),
        1 => Party::Kernel,
        2 => Party::Node(number),
        // A process without a number in this PID namespace.
        _ => Party::Unattributed,
    }
}
