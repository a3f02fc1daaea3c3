//! `netloom inspect --tc`: links as equivalent `tc` commands.

use std::fmt::Write;

use anyhow::Result;
use netloom_api::state::{LinkStatus, PipeStatus};
use netloom_link::notation::{TcEquivalent, tc_equivalent};
use netloom_scenario::Endpoint;
use serde_json::json;

use crate::args::{Format, Inspect};
use crate::{exit, find};

/// Returns the commands of one link, or of all.
pub async fn look(args: &Inspect) -> Result<String> {
    let (link, experiment) = match args.experiment.as_deref().map(find::split_at) {
        Some((link, experiment)) => (Some(link), experiment),
        None => (None, None),
    };
    let client = find::client(experiment, &args.scenario).await?;
    let mut links: Vec<LinkStatus> = client.get("/links").await?;
    if let Some(name) = link {
        let found = find::link(&links, name)?.map(|link| link.name.clone());
        if found.is_none() {
            let names = links.iter().map(|link| link.name.as_str());
            let help = netloom_scenario::similar(name, names)
                .map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
            return Err(exit::usage(format!("there is no link `{name}`{help}")));
        }
        links.retain(|link| Some(&link.name) == found.as_ref());
    }
    let pipes = links.iter().flat_map(pipes);
    match args.showing.format {
        Format::Table => Ok(pipes.map(|pipe| pipe.script()).collect::<Vec<_>>().join("\n")),
        Format::Json => {
            let all: Vec<_> = pipes.map(|pipe| pipe.json()).collect();
            Ok(format!("{}\n", serde_json::to_string_pretty(&all)?))
        }
    }
}

/// One pipe, with the interface that sends into it.
struct Pipe<'a> {
    link: &'a str,
    direction: &'static str,
    sender: &'a Endpoint,
    /// `None` for a direct link.
    tc: Option<TcEquivalent>,
}

fn pipes(link: &LinkStatus) -> [Pipe<'_>; 2] {
    let [a, b] = &link.endpoints;
    let pipe = |direction, sender, pipe: &PipeStatus| Pipe {
        link: &link.name,
        direction,
        sender,
        tc: pipe.modelled().map(|pipe| tc_equivalent(&pipe.config)),
    };
    [pipe("forward", a, &link.forward), pipe("reverse", b, &link.reverse)]
}

impl Pipe<'_> {
    /// Returns the commands as a shell script. Comments name properties that `tc` lacks or treats
    /// differently.
    fn script(&self) -> String {
        let Self { link, direction, sender, tc } = self;
        let mut text = format!("# {link}, {direction}: sent by {sender}\n");
        let Some(tc) = tc else {
            text.push_str("# nothing to do: the link is direct\n");
            return text;
        };
        let commands = tc.commands(&sender.interface);
        if commands.is_empty() && tc.missing.is_empty() {
            text.push_str("# nothing to do: the pipe passes frames as they are\n");
        }
        // Writing to a string cannot fail.
        for missing in &tc.missing {
            let _ = writeln!(text, "# not done: {missing}");
        }
        for difference in &tc.differences {
            let _ = writeln!(text, "# done in another way: {difference}");
        }
        for command in commands {
            let _ = writeln!(text, "{command}");
        }
        text
    }

    fn json(&self) -> serde_json::Value {
        let Self { link, direction, sender, tc } = self;
        let commands = tc.as_ref().map_or(Vec::new(), |tc| tc.commands(&sender.interface));
        let missing = tc.as_ref().map_or(&[][..], |tc| &tc.missing);
        let differences = tc.as_ref().map_or(&[][..], |tc| &tc.differences);
        json!({
            "link": link, "direction": direction, "sender": sender, "direct": tc.is_none(),
            "commands": commands, "missing": missing, "differences": differences,
        })
    }
}
