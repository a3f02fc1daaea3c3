//! How a small pipe can inherit the backlog of the network (5.11), and which frames it can lose.

use netloom_symbiosis::LossMethod;
use netloom_symbiosis::rehearsal::{Inherited, Lag, Method};

use crate::measures::{followed, head, mean, percent, row};
use crate::scenes::line;
use crate::{table51, table52};

const READINGS: [(&str, Inherited, LossMethod); 5] = [
    ("held once, at the head; losses by position", Inherited::Head, LossMethod::Positions),
    ("a delay for each frame of the period", Inherited::Each, LossMethod::Positions),
    ("not at all", Inherited::Not, LossMethod::Positions),
    ("at the head; losses evenly", Inherited::Head, LossMethod::Systematic),
    ("at the head; losses by draws", Inherited::Head, LossMethod::Bernoulli),
];

pub fn run() {
    println!(
        "Error of the mean delay over all rows but those of 100 Mbit/s, one seed; losses in shares"
    );
    println!("of what was offered.\n");
    head(&["", "Table 5.1, lag 0", "lag 1", "Table 5.2, lag 0", "lag 1"]);
    let mut all = vec![vec![Vec::new(); 4]; READINGS.len()];
    let lags = [Lag::None, Lag::Period];
    for (bits, room, ..) in table51::ROWS.into_iter().filter(|(bits, ..)| *bits < 1e8) {
        table51::each(bits, room, 1, |scene, recording| {
            for ((_, inherited, losses), lists) in READINGS.into_iter().zip(&mut all) {
                for (lag, list) in lags.into_iter().zip(&mut lists[..2]) {
                    let method = Method::Md1(inherited, losses);
                    list.push(followed(scene, recording, method, lag).0);
                }
            }
        });
    }
    for (megabits, ..) in table52::ROWS {
        table52::each(megabits, &|one| line(one * 1e6, 200), 1, |scene, recording| {
            for ((_, inherited, losses), lists) in READINGS.into_iter().zip(&mut all) {
                for (lag, list) in lags.into_iter().zip(&mut lists[2..]) {
                    let method = Method::Md1(inherited, losses);
                    list.push(followed(scene, recording, method, lag).0);
                }
            }
        });
    }
    for ((name, ..), lists) in READINGS.iter().zip(&all) {
        let mut cells = vec![(*name).to_string()];
        cells.extend(lists.iter().map(|list| {
            let delay = percent(mean(list, |one| one.delay.abs()));
            format!("{delay}; {}", percent(mean(list, |one| one.lost_share)))
        }));
        row(&cells);
    }
}
