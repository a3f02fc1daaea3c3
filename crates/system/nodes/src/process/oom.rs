//! Order in which the kernel kills processes when memory runs out: a node's program before the
//! engine, and the engine before a node's init, whose end would kill all its processes. Lowering a
//! score below that of others takes a privilege; lowering it to theirs does not.

use std::fs;

const FILE: &str = "/proc/self/oom_score_adj";
/// Score of processes that are never killed.
pub(crate) const INIT: i32 = -1000;
/// Score of processes that are killed only if nothing else is left.
pub(crate) const ENGINE: i32 = -900;

/// Makes the kernel spare this process and those that it starts, as far as permitted. Returns the
/// previous score.
pub(crate) fn spare(score: i32) -> String {
    let before = fs::read_to_string(FILE).unwrap_or_else(|_| "0".into());
    // A process that is already spared more stays so.
    let is_better = |score: &i32| before.trim().parse().is_ok_and(|before: i32| *score < before);
    let set = |score: i32| fs::write(FILE, score.to_string()).is_ok();
    [score, 0].into_iter().filter(is_better).any(set);
    before
}
