//! Contacts in sets of movements.

use netloom_mobility::{Contacts, Point, Trajectory};
use netloom_units::{Length, Time};

use crate::common::{model, nodes, second};

/// Three nodes in a row, 100 m apart. The last one leaves at half time.
#[test]
fn contacts_are_counted_exactly() {
    let fixed = |x| Trajectory::fixed(Point::flat(x, 0.0));
    let mut leaves = fixed(200.0);
    leaves.rest_until(second(50));
    leaves.jump(Point::flat(1000.0, 0.0));
    let contacts =
        Contacts::new(&[fixed(0.0), fixed(100.0), leaves], Length::from_metres(100), second(100));
    assert_eq!((contacts.link_changes, contacts.most_hops), (1, 2));
    // There are three nodes, with two links for half of the time and one link for the other half.
    assert!((contacts.mean_degree - 1.0).abs() < 1e-9, "{contacts:?}");
    assert!((contacts.pairs_with_path - (1.0 + 1.0 / 3.0) / 2.0).abs() < 1e-9, "{contacts:?}");
    // The shortest paths have 1, 1 and 2 hops at first, and 1 later.
    assert!((contacts.mean_hops - 5.0 / 4.0).abs() < 1e-9, "{contacts:?}");
    assert_eq!(contacts.mean_speed, 0.0);
}

/// The movements of Broch et al. 1998: nearly all pairs have a path of 2.2 to 2.8 hops.
#[test]
fn nodes_of_broch_are_nearly_always_connected() {
    for (pause, seed) in [(0, 1), (120, 2), (900, 3)] {
        let json = format!(
            r#"{{"random_waypoint": {{"area": ["1500m", "300m"], "speed": ["0.1m/s", "20m/s"],
                "pause": "{pause}s", "start": "uniform"}}}}"#
        );
        let nodes = nodes(&model(&json), seed, 50, second(900));
        let contacts = Contacts::new(&nodes, Length::from_metres(250), second(900));
        assert!(contacts.pairs_with_path > 0.99, "{contacts:?}");
        // Nodes that rest are a single random placement, which varies more.
        let (least, most) = if pause == 900 { (1.8, 3.3) } else { (2.1, 2.9) };
        assert!((least..most).contains(&contacts.mean_hops), "{contacts:?}");
        assert!((6..=10).contains(&contacts.most_hops), "{contacts:?}");
        assert_eq!(contacts.link_changes == 0, pause == 900);
    }
    let empty = Contacts::new(&[], Length::from_metres(1), Time::from_nanos(1));
    assert_eq!((empty.mean_degree, empty.pairs_with_path), (0.0, 0.0));
}
