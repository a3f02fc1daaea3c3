//! The programs that a scenario needs on this machine. `words` reads them out of lines for a shell.

mod words;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use netloom_scenario::{Command, Node, Scenario, TimelineAction};
use netloom_units::readable::first_of;

use crate::finding::{Check, State};

/// Directories of system programs, even if they are not in `PATH`.
const SYSTEM: &[&str] =
    &["/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/local/bin", "/usr/bin", "/bin"];

/// A program that something in the scenario starts.
#[derive(Debug, Default)]
struct Need {
    /// Its users, in words.
    by: Vec<String>,
    /// Debian package that contains it, if it is known.
    package: Option<String>,
    /// Directories to search first.
    places: Vec<String>,
    /// Whether something other than the line of a shell names it.
    is_certain: bool,
}

/// Returns a check for each program that nodes without a root file system of their own need.
/// `folder` is the scenario's.
pub fn checks(scenario: &Scenario, folder: &Path) -> Vec<Check> {
    needs(scenario).into_iter().map(|(name, need)| need.check(&name, folder)).collect()
}

/// Returns the programs that a run certainly starts and that are missing, each with its users in
/// words. Those with a path may be made by others that run before.
pub fn missing(scenario: &Scenario, folder: &Path) -> Vec<(String, String)> {
    let missing =
        certain(scenario).filter(|(name, need)| find(name, &need.places, folder).is_none());
    missing.map(|(name, need)| (name, first_of(&need.by))).collect()
}

/// Returns the programs that a run certainly starts, each with its users in words.
pub fn needed(scenario: &Scenario) -> Vec<(String, String)> {
    certain(scenario).map(|(name, need)| (name, first_of(&need.by))).collect()
}

/// Returns the SHA-256 of each program of this machine that the scenario names, in hexadecimal
/// digits. `None`: there is no such program. Those with a path belong to the scenario's folder.
pub fn digests(scenario: &Scenario) -> BTreeMap<String, Option<String>> {
    let needs = needs(scenario).into_iter().filter(|(name, _)| !name.contains('/'));
    let digest = |(name, need): (String, Need)| {
        let path = find(&name, &need.places, Path::new("/"));
        let digest = path.and_then(|path| netloom_lead::files::digest_of(&path).ok());
        (name, digest)
    };
    needs.map(digest).collect()
}

fn certain(scenario: &Scenario) -> impl Iterator<Item = (String, Need)> {
    let files = scenario.nodes.iter().flat_map(|node| node.software.files.keys());
    let made: Vec<&str> = files.filter_map(|path| path.rsplit('/').next()).collect();
    needs(scenario).into_iter().filter(move |(name, need)| {
        let is_made = made.contains(&name.as_str());
        need.is_certain && !name.contains('/') && !is_made
    })
}

fn needs(scenario: &Scenario) -> BTreeMap<String, Need> {
    let mut needs: BTreeMap<String, Need> = BTreeMap::new();
    let is_here = |node: &str| scenario.node(node).is_some_and(uses_machine);
    for node in scenario.nodes.iter().filter(|node| uses_machine(node)) {
        for (service, used) in &node.software.services {
            let template = scenario.templates.get(&used.template);
            for (name, program) in template.iter().flat_map(|template| &template.programs) {
                let need = needs.entry(name.clone()).or_default();
                need.add(format!("service {service}"));
                need.is_certain = true;
                need.package = Some(program.package.clone());
                need.places.extend(program.places.clone());
            }
        }
        for command in &node.software.startup {
            add(&mut needs, command, &format!("startup of {}", node.name));
        }
    }
    for process in &scenario.processes {
        if process.nodes.iter().any(|node| is_here(node)) {
            add(&mut needs, &process.command, &format!("process {}", process.name));
        }
    }
    for event in &scenario.timeline {
        if let TimelineAction::Run { node, command } = &event.action
            && is_here(node)
        {
            add(&mut needs, command, &format!("timeline, in {node}"));
        }
    }
    needs
}

/// Whether programs of a node are those of the machine.
fn uses_machine(node: &Node) -> bool {
    node.kind.has_stack() && !node.simulated && node.software.root.is_none()
}

fn add(needs: &mut BTreeMap<String, Need>, command: &Command, by: &str) {
    let (names, is_certain) = match command {
        Command::Exec(argv) => (argv.first().cloned().into_iter().collect(), true),
        Command::Shell(line) => (words::programs(line), false),
    };
    for name in names {
        let need = needs.entry(name).or_default();
        need.add(by.into());
        need.is_certain |= is_certain;
    }
}

impl Need {
    fn add(&mut self, by: String) {
        if !self.by.contains(&by) {
            self.by.push(by);
        }
    }

    fn check(&self, name: &str, folder: &Path) -> Check {
        let by = first_of(&self.by);
        let what = format!("program {name}");
        if let Some(path) = find(name, &self.places, folder) {
            return Check::new(what, State::Ok, format!("{} ({by})", path.display()));
        }
        let remedy = match &self.package {
            Some(package) => format!("install the package `{package}`"),
            None => "install it, or correct its name".into(),
        };
        // A line of a shell may say something else than it seems to say.
        let state = if self.is_certain { State::Problem } else { State::Note };
        Check::new(what, state, format!("missing ({by}): {remedy}"))
    }
}

/// Returns the path of a program. Paths with a slash are relative to the scenario's folder, where
/// commands run.
fn find(name: &str, places: &[String], folder: &Path) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(folder.join(name)).filter(|path| is_program(path));
    }
    let path = std::env::var("PATH").unwrap_or_default();
    let places = places.iter().map(String::as_str).chain(path.split(':'));
    let places = places.chain(SYSTEM.iter().copied()).filter(|place| place.starts_with('/'));
    places.map(|place| Path::new(place).join(name)).find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_programs_are_named_with_their_users() {
        let yaml = "name: n\ntopology:\n  nodes: { a: , b: { root: image } }\n  \
            links: [{ endpoints: [a, b] }]\nprocesses:\n  \
            - { name: one, node: a, command: [no-such-program, x] }\n  \
            - { name: two, node: a, command: \"no-such-word | cat\" }\n  \
            - { name: three, node: b, command: [in-the-image] }\n";
        let scenario = netloom_scenario::load(yaml).unwrap().scenario;
        let found = checks(&scenario, Path::new("/"));
        let of = |what: &str| found.iter().find(|check| check.what == what).unwrap();
        assert_eq!(found.len(), 3, "{found:?}");
        assert_eq!(of("program cat").state, State::Ok);
        let missing = of("program no-such-program");
        assert_eq!(missing.state, State::Problem);
        assert!(missing.found.starts_with("missing (process one)"), "{}", missing.found);
        assert_eq!(of("program no-such-word").state, State::Note);
    }
}
