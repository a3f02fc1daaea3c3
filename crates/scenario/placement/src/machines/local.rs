//! `local:N`: machines that NetLoom makes itself on this one, to try several without having them.

use super::list::{Local, MOST, Machines};

/// Start of the text that asks for machines on this one.
const PREFIX: &str = "local:";

impl Machines {
    /// Reads `local:N[,delay=TIME][,rate=RATE][,loss=PERCENT]`. Returns `None` if the text does not
    /// begin with `local:`, so that it is a file.
    pub fn local(text: &str) -> Option<Result<Self, String>> {
        text.strip_prefix(PREFIX).map(|rest| local(text, rest))
    }
}

fn local(text: &str, rest: &str) -> Result<Machines, String> {
    const HELP: &str = "write like `local:3` or `local:3,delay=1ms,rate=1Gbit/s,loss=0.1%`";
    let mut words = rest.split(',');
    let number = words.next().unwrap_or_default();
    let count: usize = match number.parse() {
        Ok(0) => return Err(format!("`{text}` has no machine; {HELP}")),
        Ok(count) if count > MOST => {
            return Err(format!("`{text}` has {count} machines, and {} are the most", MOST));
        }
        Ok(count) if number.bytes().all(|byte| byte.is_ascii_digit()) => count,
        _ => return Err(format!("`{number}` in `{text}` is no number of machines; {HELP}")),
    };
    let mut local = Local::default();
    let mut seen: Vec<&str> = Vec::new();
    for word in words {
        let Some((key, value)) = word.split_once('=') else {
            return Err(format!("`{word}` in `{text}` has no value; {HELP}"));
        };
        if seen.contains(&key) {
            return Err(format!("`{key}` is there twice in `{text}`; keep one"));
        }
        seen.push(key);
        let wrong = |why: &dyn std::fmt::Display| format!("`{key}` in `{text}`: {why}");
        match key {
            "delay" => local.delay = value.parse().map_err(|error| wrong(&error))?,
            "rate" => local.rate = Some(value.parse().map_err(|error| wrong(&error))?),
            "loss" => local.loss = value.parse().map_err(|error| wrong(&error))?,
            _ => return Err(format!("there is no `{key}` in `{text}`; {HELP}")),
        }
    }
    let mut machines = Machines::alike(count);
    machines.list.iter_mut().for_each(|machine| machine.uplink = local.rate);
    machines.local = Some(local);
    Ok(machines)
}
