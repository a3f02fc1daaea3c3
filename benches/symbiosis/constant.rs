//! One flow evenly spaced, the other Poisson, on one link.

use crate::measures::{head, row};
use crate::poisson::{runs, signed};
use crate::scenes::{Arrivals, FOLLOWERS};

pub fn run() {
    println!("10 Mbit/s, 1000 frames, 100 s. Difference of mean delays; thesis: < 1 ms.");
    println!("Probe, md1 at 90 %: real constant −36, −50, −49 %; simulated −0.4 to +1.4 %.\n");
    let names = FOLLOWERS.map(|(name, ..)| name);
    head(&[&["constant", "load, real", "mean delay"][..], &names].concat());
    let (constant, poisson) = (Arrivals::Constant, Arrivals::Poisson);
    for (name, arrivals) in [("real", [constant, poisson]), ("simulated", [poisson, constant])] {
        for load in [0.1, 0.5, 0.9] {
            for share in [0.2, 0.5, 0.8] {
                let (delay, all) = runs(load, share, arrivals);
                let mut cells = vec![
                    name.into(),
                    format!("{:.0} %, {:.0} %", load * 100.0, share * 100.0),
                    format!("{:.2} ms", 1e3 * delay),
                ];
                cells.extend(all.iter().map(|each| signed(each)));
                row(&cells);
            }
        }
    }
}
