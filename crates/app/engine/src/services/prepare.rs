//! Works out views and programs of nodes before anything is made, so that an error occurs while
//! there is nothing to undo.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use netloom_images::Root;
use netloom_nodes::{View, ViewBind, ViewDirectory, ViewFile, rootless};
use netloom_plan::Plan;
use netloom_scenario::service::Program;
use netloom_scenario::{Command, Node, Scenario};
use netloom_services::{NodeServices, Question, Service};

use super::filler::Filler;

/// Directories of system programs, even if they are not in `PATH`.
const SYSTEM: &[&str] =
    &["/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/local/bin", "/usr/bin", "/bin"];

/// The views of nodes, and the programs that run in them from the start.
pub struct Prepared {
    /// The parts of nodes' views that differ from the machine.
    pub views: HashMap<String, View>,
    /// The programs that run in nodes, in the order of the scenario.
    pub starts: Vec<NodeStart>,
}

/// The programs that run in a node from the start.
#[derive(Debug, Clone)]
pub struct NodeStart {
    /// The node.
    pub node: String,
    /// Commands that are run first, in order.
    pub startup: Vec<Command>,
    /// Services, each after those that it needs.
    pub services: Vec<Service>,
}

/// Works out views and programs of all nodes. Relative paths are below `directory`, the scenario's.
pub fn prepare(scenario: &Scenario, plan: &Plan, directory: &Path) -> Result<Prepared> {
    let mut roots = HashMap::new();
    for node in &scenario.nodes {
        if let Some(root) = &node.software.root {
            let found = netloom_images::root(&directory.join(root), &netloom_images::cache()?);
            let found = found.with_context(|| format!("node `{}` has no root", node.name))?;
            roots.insert(node.name.as_str(), found);
        }
    }
    let root_of =
        |node: &str| roots.get(node).map_or(Path::new("/"), |root| root.directory.as_path());
    let find = |node: &Node, name: &str, program: &Program| {
        let path = roots.get(node.name.as_str()).and_then(|root| variable(root, "PATH"));
        find(node, (root_of(&node.name), path), directory, name, program)
    };
    let filler = Filler::default();
    let elsewhere = |question: &Question| filler.fill(question);
    let mut services = netloom_services::render(scenario, plan, &find, &elsewhere)?;
    let mut prepared = Prepared { views: HashMap::new(), starts: vec![] };
    for node in scenario.nodes.iter().filter(|node| !node.software.is_empty()) {
        let of_node = services.remove(&node.name).unwrap_or_default();
        check_users(node, &of_node, root_of(&node.name))?;
        let root = roots.get(node.name.as_str());
        let view = view(node, &of_node, root, directory)?;
        prepared.views.insert(node.name.clone(), view);
        let start = NodeStart {
            node: node.name.clone(),
            startup: node.software.startup.clone(),
            services: of_node.services,
        };
        if !start.startup.is_empty() || !start.services.is_empty() {
            prepared.starts.push(start);
        }
    }
    Ok(prepared)
}

/// Returns the value of a variable in an image.
fn variable<'r>(root: &'r Root, name: &str) -> Option<&'r str> {
    // The last value counts, as it does for programs.
    let said = root.variables.iter().rfind(|(other, _)| other == name);
    said.map(|(_, value)| value.as_str())
}

/// Returns the path of a program as the node finds it, in a root whose image may set where programs
/// are looked for.
fn find(
    node: &Node,
    (root, path): (&Path, Option<&str>),
    directory: &Path,
    name: &str,
    program: &Program,
) -> Option<String> {
    let path = path.map_or_else(|| std::env::var("PATH").unwrap_or_default(), Into::into);
    let places = program.places.iter().map(String::as_str);
    let places = places.chain(path.split(':')).chain(SYSTEM.iter().copied());
    let candidates =
        places.filter(|place| place.starts_with('/')).map(|place| format!("{place}/{name}"));
    candidates.into_iter().find(|candidate| {
        let on_machine = on_machine(node, root, directory, Path::new(candidate));
        // In an image, symbolic links lead to paths of the image, not of the machine.
        match fs::symlink_metadata(&on_machine) {
            Ok(found) if found.is_symlink() => root != Path::new("/") || is_program(&on_machine),
            Ok(_) => is_program(&on_machine),
            Err(_) => false,
        }
    })
}

/// Returns the path on the machine of a file that a node has at `path`: bound, or in its root.
fn on_machine(node: &Node, root: &Path, directory: &Path, path: &Path) -> PathBuf {
    let bound = node.software.binds.iter().filter_map(|(place, bind)| {
        let rest = path.strip_prefix(place).ok()?;
        Some((place.len(), directory.join(&bind.machine).join(rest)))
    });
    let nearest = bound.max_by_key(|(length, _)| *length);
    nearest.map_or_else(|| root.join(path.strip_prefix("/").unwrap_or(path)), |(_, path)| path)
}

fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// Returns an error if a service is to become a user that does not exist, or that it may not
/// become.
fn check_users(node: &Node, of_node: &NodeServices, root: &Path) -> Result<()> {
    let passwd = fs::read_to_string(root.join("etc/passwd")).unwrap_or_default();
    for service in &of_node.services {
        let Some(user) = &service.user else { continue };
        let line = passwd.lines().find(|line| line.split(':').next() == Some(user));
        let number = line.and_then(|line| line.split(':').nth(2)?.parse().ok());
        match number {
            None => bail!(
                "the service `{}` of node `{}` runs as the user `{user}`, and /etc/passwd has no \
                 such user: is its package installed entirely?",
                service.name,
                node.name
            ),
            Some(number) if !rootless::knows_user(number) => bail!(
                "the service `{}` of node `{}` runs as the user `{user}` ({number}), and you have \
                 no subordinate ids with which programs could become other users: an administrator \
                 can give you some (`usermod --add-subuids 100000-165535 --add-subgids \
                 100000-165535 NAME`; \
                 docs/rootless.md)",
                service.name,
                node.name
            ),
            Some(_) => {}
        }
    }
    Ok(())
}

fn view(
    node: &Node,
    of_node: &NodeServices,
    root: Option<&Root>,
    directory: &Path,
) -> Result<View> {
    let directories = of_node.directories.iter().map(|(path, made)| ViewDirectory {
        path: path.into(),
        owner: made.owner.clone(),
        mode: made.mode,
    });
    let files = of_node.files.iter().map(|(path, file)| ViewFile {
        path: path.into(),
        content: file.content.clone(),
        owner: file.owner.clone(),
        mode: file.mode,
    });
    let mut binds = vec![];
    for (path, bind) in &node.software.binds {
        let machine = directory.join(&bind.machine);
        if let Err(error) = fs::metadata(&machine) {
            bail!(
                "node `{}` is to see {} at {path}, and that cannot be reached: {error}; \
                 correct its `binds`, or make it",
                node.name,
                machine.display()
            );
        }
        binds.push(ViewBind { machine, node: path.into(), write: bind.write });
    }
    // The scenario's values come last, and take precedence.
    let of_image = root.into_iter().flat_map(|root| root.variables.clone());
    let env = of_image.chain(node.software.env.clone());
    Ok(View {
        root: root.map(|root| root.directory.clone()),
        directories: directories.collect(),
        files: files.collect(),
        binds,
        env: env.collect(),
    })
}
