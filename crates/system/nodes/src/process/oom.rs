//! Whom the kernel kills where memory runs out: a node's program rather than the engine, and the
//! engine rather than a node's init, with which all its processes would go. To be spared more than
//! others takes a privilege; to be killed no sooner than others does not.

use std::fs;

const FILE: &str = "/proc/self/oom_score_adj";
/// Never.
pub(crate) const INIT: i32 = -1000;
/// Only if nothing else is left.
pub(crate) const ENGINE: i32 = -900;

/// Has the kernel spare this process, and what it starts, as far as it may be; how it was before.
pub(crate) fn spare(score: i32) -> String {
    let before = fs::read_to_string(FILE).unwrap_or_else(|_| "0".into());
    // What is spared more already stays so.
    let is_better = |score: &i32| before.trim().parse().is_ok_and(|before: i32| *score < before);
    let set = |score: i32| fs::write(FILE, score.to_string()).is_ok();
    [score, 0].into_iter().filter(is_better).any(set);
    before
}
