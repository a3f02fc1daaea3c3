//! `ray:ADDRESS`: machines that are nodes of a Ray cluster.

use super::list::{MOST, Machines, Ray, Tunnel};

/// Start of the text that asks for nodes of a Ray cluster.
const PREFIX: &str = "ray:";

impl Machines {
    /// Reads `ray:ADDRESS[,count=N][,cpus=N]`. Without `count`, the list is empty until the cluster
    /// has been asked for its nodes. Returns `None` if the text does not begin with `ray:`, so that
    /// it is a file.
    pub fn ray(text: &str) -> Option<Result<Self, String>> {
        text.strip_prefix(PREFIX).map(|rest| ray(text, rest))
    }
}

fn ray(text: &str, rest: &str) -> Result<Machines, String> {
    const HELP: &str = "write like `ray:auto` or `ray:10.0.0.1:6379,count=3,cpus=4`";
    let mut words = rest.split(',');
    let address = words.next().unwrap_or_default().trim();
    if address.is_empty() {
        return Err(format!("`{text}` has no address; {HELP}"));
    }
    let (mut count, mut cpus) = (None, None);
    for word in words {
        let (key, value) = word.split_once('=').unwrap_or((word, ""));
        let (place, most) = match key {
            "count" => (&mut count, MOST),
            "cpus" => (&mut cpus, u16::MAX.into()),
            _ => return Err(format!("there is no `{key}` in `{text}`; {HELP}")),
        };
        let number = value.parse().ok().filter(|number| (1..=most).contains(number));
        let number = number
            .ok_or_else(|| format!("`{word}` in `{text}` is no number from 1 to {most}; {HELP}"))?;
        if place.replace(number).is_some() {
            return Err(format!("`{key}` is there twice in `{text}`; keep one"));
        }
    }
    let cpus = cpus.map_or(1, |cpus| u32::try_from(cpus).unwrap_or(u32::MAX));
    Ok(Machines {
        tunnel: Tunnel::default(),
        ray: Some(Ray { address: address.to_owned(), cpus, is_listed: false }),
        ..Machines::alike(count.unwrap_or(0))
    })
}
