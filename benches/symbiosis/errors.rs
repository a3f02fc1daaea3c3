//! A table of the errors of all followers: a line for each row of the thesis's, and their means.

use netloom_symbiosis::rehearsal::{Recording, Scene};

use crate::measures::{Difference, followed, head, mean, percent, row};
use crate::scenes::FOLLOWERS;

/// Value that a row takes of each of its recorded runs.
pub type Take<'t> = &'t mut dyn FnMut(&Scene, &Recording);

/// The table, as far as it has been printed.
pub struct Errors {
    sums: Vec<f64>,
    rows: u32,
}

impl Errors {
    /// Begins a table whose rows are told apart by `what`.
    pub fn begin(what: &str) -> Self {
        let names = FOLLOWERS.map(|(name, ..)| name);
        head(&[&[what, "thesis", "probe, delay"][..], &names].concat());
        Self { sums: vec![0.0; FOLLOWERS.len()], rows: 0 }
    }

    /// A row, with all recorded runs that `each` gives.
    pub fn row(&mut self, name: String, paper: &str, probe: &str, each: impl FnOnce(Take<'_>)) {
        let mut all: Vec<Vec<Difference>> = vec![Vec::new(); FOLLOWERS.len()];
        each(&mut |scene, recording| {
            for (list, (_, method, lag)) in all.iter_mut().zip(FOLLOWERS) {
                list.push(followed(scene, recording, method, lag).0);
            }
        });
        self.rows += 1;
        let mut cells = vec![name, paper.into(), probe.into()];
        for (sum, list) in self.sums.iter_mut().zip(&all) {
            let delay = mean(list, |one| one.delay.abs());
            *sum += delay;
            let lost = percent(mean(list, |one| one.lost_share));
            let received = percent(mean(list, |one| one.received_share));
            cells.push(format!("{}; {lost}, {received}", percent(delay)));
        }
        row(&cells);
    }

    /// The last line.
    pub fn end(self, paper: &str, probe: &str) {
        let rows = f64::from(self.rows);
        let means = self.sums.into_iter().map(|sum| percent(sum / rows));
        let first = ["mean of rows", paper, probe].map(String::from).into_iter();
        row(&first.chain(means).collect::<Vec<_>>());
    }
}
