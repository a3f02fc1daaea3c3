//! Lines of the record.

use netloom_shape::{Guest, Pace};

use crate::support::at;

#[test]
fn nobody_fills_the_record_and_what_is_left_out_is_counted() {
    let mut pace = Pace::default();
    let [alice, bob] = [1001, 1002].map(Guest::User);
    let lines = |pace: &mut Pace, guest, seconds, count: usize| {
        (0..count).filter(|_| pace.line(guest, at(seconds)).is_some()).count()
    };
    assert_eq!(lines(&mut pace, alice, 0, 5000), 1000);
    assert_eq!(lines(&mut pace, Guest::Strangers, 0, 5000), 60);
    // Others have their own, and root has no limit.
    assert_eq!(lines(&mut pace, bob, 0, 10), 10);
    assert_eq!(lines(&mut pace, Guest::Root, 0, 5000), 5000);
    // One comes back after some time, and says how many had none.
    assert_eq!(pace.line(alice, at(9)), None);
    assert_eq!(pace.line(alice, at(10)), Some(4001));
    assert_eq!(pace.line(alice, at(10)), None);
    assert_eq!(pace.line(Guest::Strangers, at(59)), None);
    assert_eq!(pace.line(Guest::Strangers, at(60)), Some(4941));
    // A clock that goes back gives nothing.
    assert_eq!(pace.line(alice, at(5)), None);
    // After a quiet day, all are there again, and no more than that.
    assert_eq!(lines(&mut pace, alice, 86_400, 5000), 1000);
}
