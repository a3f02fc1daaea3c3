//! Changes of links of several carriers happen at one instant, or not at all.

use std::cell::RefCell;

use anyhow::{Result, bail};
use netloom_api::change::LinkChange;
use netloom_api::flow::FlowStatus;
use netloom_api::state::LinkStatus;
use netloom_course::{Carrier, Prepared, Together, change};
use netloom_link::Window;
use netloom_results::MediaSample;
use netloom_scenario::Direction;
use netloom_units::Time;

/// A carrier that records what is asked of it, and drops all frames.
struct Recording {
    links: &'static [&'static str],
    now: Time,
    /// The link whose changes it refuses.
    refuses: &'static str,
    log: RefCell<Vec<String>>,
}

impl Recording {
    fn new(links: &'static [&'static str], now: u64) -> Self {
        let log = RefCell::default();
        Self { links, now: Time::from_nanos(now), refuses: "", log }
    }

    fn log(&self) -> Vec<String> {
        self.log.borrow().clone()
    }
}

impl Carrier for Recording {
    fn has(&self, link: &str) -> bool {
        self.links.contains(&link)
    }

    fn links(&self, _window: Option<Window>) -> Result<Vec<LinkStatus>> {
        Ok(Vec::new())
    }

    fn media(&self, _with_neighbours: bool) -> Result<MediaSample> {
        Ok(MediaSample::default())
    }

    fn take_air(&self) -> Result<Vec<(String, Vec<u8>)>> {
        Ok(vec![(self.links[0].into(), vec![1])])
    }

    fn flows(&self) -> Result<Vec<FlowStatus>> {
        Ok(Vec::new())
    }

    fn prepare<'c>(&'c self, changes: &[LinkChange]) -> Result<Box<dyn Prepared + 'c>> {
        let names: Vec<&str> = changes.iter().map(|change| &*change.link).collect();
        if names.contains(&self.refuses) {
            bail!("`{}` cannot be changed", self.refuses);
        }
        self.log.borrow_mut().push(format!("prepare {}", names.join(" ")));
        Ok(Box::new(Ready(self)))
    }
}

struct Ready<'c>(&'c Recording);

impl Prepared for Ready<'_> {
    fn commit(&mut self, at: Option<Time>) -> Result<Time> {
        let at = at.unwrap_or(self.0.now);
        self.0.log.borrow_mut().push(format!("commit at {}", at.as_nanos()));
        Ok(at)
    }

    fn settle(self: Box<Self>) -> Result<()> {
        self.0.log.borrow_mut().push("settle".into());
        Ok(())
    }
}

fn changes(links: &[&str]) -> Vec<LinkChange> {
    let change = |link: &&str| LinkChange {
        link: (*link).into(),
        direction: Direction::Both,
        change: netloom_link::PipeChange {
            state: Some(netloom_link::LinkState::Down),
            ..Default::default()
        },
    };
    links.iter().map(change).collect()
}

#[test]
fn all_carriers_change_at_the_instant_of_the_first() {
    let (first, second) = (Recording::new(&["a", "b"], 7), Recording::new(&["c"], 9));
    let together = Together(vec![&first, &second]);
    assert_eq!(change(&together, &changes(&["c", "a", "b"])).unwrap(), Time::from_nanos(7));
    assert_eq!(first.log(), ["prepare a b", "commit at 7", "settle"]);
    assert_eq!(second.log(), ["prepare c", "commit at 7", "settle"]);
}

#[test]
fn a_carrier_without_a_share_is_left_alone() {
    let (first, second) = (Recording::new(&["a"], 7), Recording::new(&["c"], 9));
    let together = Together(vec![&first, &second]);
    assert_eq!(change(&together, &changes(&["c"])).unwrap(), Time::from_nanos(9));
    assert_eq!(first.log(), [""; 0]);
}

#[test]
fn nothing_changes_if_one_change_is_impossible() {
    let first = Recording::new(&["a"], 7);
    let second = Recording { refuses: "c", ..Recording::new(&["c"], 9) };
    let together = Together(vec![&first, &second]);
    let error = change(&together, &changes(&["a", "c"])).unwrap_err();
    assert_eq!(error.to_string(), "`c` cannot be changed");
    assert_eq!(first.log(), ["prepare a"]);
    assert_eq!(second.log(), [""; 0]);
}

#[test]
fn a_link_that_nobody_has_is_asked_of_the_first() {
    let first = Recording { refuses: "x", ..Recording::new(&["a"], 7) };
    let second = Recording::new(&["c"], 9);
    let error = change(&Together(vec![&first, &second]), &changes(&["x"])).unwrap_err();
    assert_eq!(error.to_string(), "`x` cannot be changed");
}

#[test]
fn an_empty_change_is_refused_before_anybody_is_asked() {
    let first = Recording::new(&["a"], 7);
    let mut empty = changes(&["a"]);
    empty[0].change = Default::default();
    let error = change(&Together(vec![&first]), &empty).unwrap_err();
    assert_eq!(error.to_string(), "the change to link `a` says nothing");
    assert_eq!(first.log(), [""; 0]);
}

#[test]
fn carriers_together_have_what_each_of_them_has() {
    let (first, second) = (Recording::new(&["a"], 7), Recording::new(&["c"], 9));
    let together = Together(vec![&first, &second]);
    let all = together.take_air().unwrap();
    assert_eq!(all, [("a".into(), vec![1]), ("c".into(), vec![1])]);
    assert!(together.has("c") && !together.has("x"));
}
