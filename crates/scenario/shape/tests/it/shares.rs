//! Shares: no guest takes what is another's.

use netloom_shape::{Guest, Limits, Shares};
use proptest::prelude::*;

use crate::support::{alice, bob, root};

const LIMITS: Limits = Limits { root: 8, user: 16, strangers: 4, all: 24 };

#[test]
fn guests_are_who_the_policy_says() {
    assert_eq!(Guest::of(&root(), false), Guest::Root);
    assert_eq!(Guest::of(&alice(), true), Guest::User(1001));
    assert_eq!(Guest::of(&alice(), false), Guest::of(&bob(), false));
}

#[test]
fn a_share_is_full_before_others_have_too_little() {
    let mut shares = Shares::new(LIMITS);
    let [alice, bob] = [1001, 1002].map(Guest::User);
    assert!(shares.take(alice, 16));
    assert!(!shares.take(alice, 1));
    assert!(shares.take(bob, 1) && shares.take(Guest::Strangers, 4) && shares.take(Guest::Root, 8));
    assert!(!shares.take(Guest::Strangers, 1) && !shares.take(Guest::Root, 1));
    // All together have less than the sum of their shares.
    assert!(shares.take(bob, 3) && !shares.take(bob, 1));
    shares.give_back(alice, 1);
    assert!(shares.take(bob, 1));
    // Nobody gains by giving back what was never taken, or by asking for more than numbers hold.
    shares.give_back(Guest::User(7), 3);
    assert!(!shares.take(bob, u64::MAX) && !shares.take(Guest::Root, u64::MAX));
    assert_eq!((shares.of(alice), shares.of(bob), shares.of(Guest::User(7))), (15, 5, 0));
}

proptest! {
    /// Whatever others do, root has its share; and while all but one together leave room, that one
    /// has its own.
    #[test]
    fn limits_hold(steps in prop::collection::vec((0..6_u32, 0..20_u64, any::<bool>()), 0..100)) {
        let mut shares = Shares::new(LIMITS);
        for (who, amount, takes) in steps {
            let guest = match who {
                0 => Guest::Root,
                1 => Guest::Strangers,
                who => Guest::User(who),
            };
            match takes {
                true => { let _ = shares.take(guest, amount); }
                false => shares.give_back(guest, amount),
            }
            let users = (2..6).map(Guest::User).chain([Guest::Strangers]);
            let all: u64 = users.clone().map(|guest| shares.of(guest)).sum();
            prop_assert!(all <= LIMITS.all);
            for guest in users.chain([Guest::Root]) {
                prop_assert!(shares.of(guest) <= shares.limit(guest));
            }
        }
        let left = LIMITS.root - shares.of(Guest::Root);
        prop_assert!(shares.take(Guest::Root, left));
    }
}
