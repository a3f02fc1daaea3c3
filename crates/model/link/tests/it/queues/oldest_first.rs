//! The oldest frame leaves first.

use crate::common::{burst, drain, ns, pipe};

#[test]
fn the_oldest_leaves_first_and_a_full_queue_drops_the_arrival() {
    let queue = r#"{"discipline":"fifo","limit":"3packets"}"#;
    let mut pipe = pipe(&format!(r#"{{"rate":"1Mbit/s","framing":"none","queue":{queue}}}"#));
    burst(&mut pipe, ns(0), 0, 5, 1000);
    // Frame 0 is on the line at once; 1 to 3 wait; 4 finds the queue full.
    let order: Vec<u64> = drain(&mut pipe).into_iter().map(|(frame, _)| frame).collect();
    assert_eq!(order, [0, 1, 2, 3]);
}
