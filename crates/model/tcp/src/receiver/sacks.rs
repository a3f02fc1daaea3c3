//! Decides which blocks a SACK option reports, and in which order (RFC 2018 §4, RFC 2883 §4). Not
//! here: how many blocks an option has room for.

const MOST: usize = 4;

/// The blocks most recently reported, the latest first.
#[derive(Debug, Default)]
pub(crate) struct Sacks {
    recent: [(u64, u64); MOST],
    count: usize,
    /// The block that arrived twice, which is reported once.
    pub duplicate: Option<(u64, u64)>,
}

impl Sacks {
    /// Puts `block`, which is new or has grown, first. Blocks that it covers are dropped.
    pub fn report(&mut self, block: (u64, u64)) {
        let covered = |known: &(u64, u64)| known.0 >= block.0 && known.1 <= block.1;
        let mut kept = [(0, 0); MOST];
        let mut count = 0;
        for known in &self.recent[..self.count] {
            if !covered(known) {
                kept[count] = *known;
                count += 1;
            }
        }
        let left = count.min(MOST - 1);
        self.recent[0] = block;
        self.recent[1..=left].copy_from_slice(&kept[..left]);
        self.count = left + 1;
    }

    /// Drops blocks that end at or before `next`: everything before it is in order.
    pub fn settle(&mut self, next: u64) {
        let mut count = 0;
        for at in 0..self.count {
            if self.recent[at].1 > next {
                self.recent[count] = self.recent[at];
                count += 1;
            }
        }
        self.count = count;
    }

    pub fn count(&self) -> u8 {
        (self.count + usize::from(self.duplicate.is_some())) as u8
    }

    /// Returns the blocks to report now.
    pub fn take(&mut self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let duplicate = self.duplicate.take();
        duplicate.into_iter().chain(self.recent[..self.count].iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_block_comes_first_and_covers_older_ones() {
        let mut sacks = Sacks::default();
        sacks.report((10, 20));
        sacks.report((40, 50));
        sacks.report((70, 80));
        sacks.report((10, 30));
        sacks.duplicate = Some((1, 5));
        assert_eq!(sacks.count(), 4);
        let taken: Vec<_> = sacks.take().collect();
        assert_eq!(taken, [(1, 5), (10, 30), (70, 80), (40, 50)]);
        sacks.settle(60);
        let taken: Vec<_> = sacks.take().collect();
        assert_eq!(taken, [(70, 80)]);
    }
}
