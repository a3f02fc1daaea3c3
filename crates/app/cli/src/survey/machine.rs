//! The role of a member that reports: it greets, takes an inquiry, reports, takes where others are,
//! and says what it found of them. It answers others until its standard input ends.

use std::io::{self, BufRead, Read};

use anyhow::{Context, Result};
use netloom_api::member::greeting;
use netloom_gauge::ways::Prober;
use serde::de::DeserializeOwned;

use super::{Doors, Inquiry, Said, facts};

/// Longest line that is read, in bytes.
const LONGEST: u64 = 64 << 20;

/// Reports on this machine. Returns the exit code.
pub fn main(word: &str) -> i32 {
    println!("{}", greeting(word));
    match answer() {
        Ok(()) => 0,
        Err(error) => {
            say(&Said::Failed(format!("{error:#}")));
            1
        }
    }
}

fn answer() -> Result<()> {
    let Some(inquiry) = next::<Inquiry>()? else { return Ok(()) };
    let prober = Prober::start(inquiry.place)?;
    say(&Said::Report(Box::new(facts::report(&prober, inquiry.scenario.as_deref())?)));
    let Some(doors) = next::<Doors>()? else { return Ok(()) };
    say(&Said::Ways(prober.ask(&doors)?));
    io::stdin().lock().read_to_end(&mut Vec::new()).context("cannot wait for the end")?;
    Ok(())
}

/// Reads what comes next. `None`: nothing does.
fn next<T: DeserializeOwned>() -> Result<Option<T>> {
    let mut line = Vec::new();
    let read = io::stdin().lock().take(LONGEST).read_until(b'\n', &mut line);
    match read.context("cannot read what is asked")? {
        0 => Ok(None),
        _ => serde_json::from_slice(&line).context("cannot understand what is asked").map(Some),
    }
}

fn say(said: &Said) {
    // Plain data always has a JSON form. A missing reader does not matter.
    println!("{}", serde_json::to_string(said).unwrap_or_default());
}
