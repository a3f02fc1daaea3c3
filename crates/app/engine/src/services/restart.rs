//! Restarts services of a node that stays, if only the contents of their files or their commands
//! have changed, because templates depend on the network or on other options.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use netloom_api::state::{ServiceState, ServiceStatus};
use netloom_nodes::{NodeError, View, ViewFile};
use netloom_scenario::Ready;
use netloom_services::Service;

use super::start::in_waves;
use super::{NodeStart, Services};
use crate::live::LiveNetwork;

/// Longest time for a service to end when asked to, before it is killed.
const PATIENCE: Duration = Duration::from_secs(5);
/// Period of checks whether it has ended.
const STEP: Duration = Duration::from_millis(20);

/// Directories that each node has for itself. Elsewhere, a file may be the machine's.
const OWN: [&str; 3] = ["/run", "/tmp", "/var/tmp"];
/// Directories where a node's changes are its own, over what the machine has there.
const LAID_OVER: [&str; 4] = ["/etc", "/var/lib", "/var/log", "/var/cache"];

/// The changes in one node.
#[derive(Debug, Clone)]
pub struct Restart {
    /// The node's view afterwards.
    view: Arc<View>,
    /// The programs that run in the node afterwards.
    start: NodeStart,
    /// Files that are written anew.
    files: Vec<ViewFile>,
    /// The services that are restarted, each after those that it needs.
    services: Vec<String>,
}

impl Restart {
    /// Returns the restart that leads from one view and set of programs to another. Returns `None`
    /// if that takes a new node.
    pub fn between(
        (seen, ran): (&Arc<View>, &NodeStart),
        (view, start): (&Arc<View>, &NodeStart),
    ) -> Option<Self> {
        let shape = |view: &View| {
            let file = |f: &ViewFile| (f.path.clone(), f.owner.clone(), f.mode);
            view.files.iter().map(file).collect::<Vec<_>>()
        };
        let kind = |s: &Service| {
            (s.name.clone(), s.wave, s.user.clone(), s.needs.clone(), s.files.clone())
        };
        let is_alike = seen.directories == view.directories
            && shape(seen) == shape(view)
            && ran.services.iter().map(kind).eq(start.services.iter().map(kind));
        if !is_alike {
            return None;
        }
        let both = seen.files.iter().zip(&view.files);
        let files: Vec<ViewFile> = both.filter(|(a, b)| a != b).map(|(_, b)| b.clone()).collect();
        let services = affected(&ran.services, &start.services, &files);
        Some(Self { view: Arc::clone(view), start: start.clone(), files, services })
    }

    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.services.is_empty()
    }

    /// Returns the services that are restarted, each after those that it needs.
    pub fn services(&self) -> &[String] {
        &self.services
    }

    /// Returns the files by which the earlier services signalled that they were ready, like their
    /// sockets.
    fn signs(&self) -> Vec<&Path> {
        let again = self.start.services.iter().filter(|s| self.services.contains(&s.name));
        signs(again, &self.view, &OWN)
    }

    /// Carries the restart out. Returns when the services are ready.
    pub async fn run(&self, services: &Arc<Services>) -> Result<()> {
        let (node, Services { table, network, .. }) = (self.start.node.as_str(), &**services);
        network.with(|live| {
            live.network.set_view(node, Some(Arc::clone(&self.view)));
            for file in &self.files {
                match live.network.rewrite_in(node, &file.path, &file.content) {
                    // Nothing runs in the node any more. Programs that start there get the new
                    // view.
                    Err(NodeError::NoFiles { .. }) => {}
                    written => written?,
                }
            }
            Ok(())
        })?;
        let earlier = table.replace(self.start.clone(), &self.services);
        // Services that need others end first.
        for status in earlier.iter().rev() {
            stop(network, status).await?;
            // The output of the earlier service is not the next one's. The file need not exist.
            let _ = fs::remove_file(table.log(&status.service, &status.node));
        }
        network.with(|live| {
            let mut stale = self.signs().into_iter();
            stale.try_for_each(|sign| Ok(live.network.remove_in(node, sign)?))
        })?;
        let again = self.start.services.iter().filter(|s| self.services.contains(&s.name));
        let start =
            NodeStart { startup: vec![], services: again.cloned().collect(), ..self.start.clone() };
        in_waves(services, start).await.map(drop)
    }
}

/// Returns the files in `folders` by which services signal that they are ready. Files of the
/// scenario are none.
fn signs<'s>(
    services: impl Iterator<Item = &'s Service>,
    view: &View,
    folders: &[&str],
) -> Vec<&'s Path> {
    let signs = services.filter_map(|service| match &service.ready {
        Some(Ready::Path(path)) => Some(Path::new(path)),
        _ => None,
    });
    let own = |path: &Path| folders.iter().any(|folder| path.starts_with(folder));
    let given = |path: &Path| {
        let mut files = view.files.iter().map(|file| &file.path);
        let mut binds = view.binds.iter().map(|bind| &bind.node);
        files.any(|file| file == path) || binds.any(|bind| path.starts_with(bind))
    };
    signs.filter(|path| own(path) && !given(path)).collect()
}

/// Removes the files by which the services of a node that has failed signalled that they were
/// ready: nobody listens at a socket from before. Other files in directories for data may be data.
pub fn forget_signs(services: &Services, start: &NodeStart) -> Result<()> {
    services.network.with(|live| {
        let view = live.network.view(&start.node).unwrap_or_default();
        let node = start.node.as_str();
        for sign in signs(start.services.iter(), &view, &OWN) {
            live.network.remove_in(node, sign)?;
        }
        for sign in signs(start.services.iter(), &view, &LAID_OVER) {
            live.network.remove_socket_in(node, sign)?;
        }
        Ok(())
    })
}

/// Returns the services that have another command or other files, or need such a service.
fn affected(before: &[Service], after: &[Service], files: &[ViewFile]) -> Vec<String> {
    let has_other_file = |service: &Service| {
        let mut paths = service.files.iter();
        paths.any(|path| files.iter().any(|file| file.path.as_os_str() == path.as_str()))
    };
    let mut affected: BTreeSet<&str> = BTreeSet::new();
    // Services are sorted by dependency, so that one pass finds all.
    for (before, after) in before.iter().zip(after) {
        let needs = after.needs.iter().any(|needed| affected.contains(needed.as_str()));
        if before != after || has_other_file(after) || needs {
            affected.insert(&after.name);
        }
    }
    let affected = after.iter().filter(|service| affected.contains(service.name.as_str()));
    affected.map(|service| service.name.clone()).collect()
}

/// Ends a service that has this state.
async fn stop(network: &LiveNetwork, status: &ServiceStatus) -> Result<()> {
    let ServiceStatus { service, node, state, .. } = status;
    let pid = match state {
        ServiceState::Starting { pid }
        | ServiceState::Ready { pid }
        | ServiceState::Unhealthy { pid } => *pid,
        ServiceState::Waiting | ServiceState::Failed { .. } => return Ok(()),
    };
    let signal = |number| network.with(|live| Ok(live.network.signal(node, pid, number).is_ok()));
    for number in [libc::SIGTERM, libc::SIGKILL] {
        signal(number).context("cannot end a service")?;
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            // Signal 0 only tests whether the process exists.
            if !signal(0)? {
                return Ok(());
            }
            tokio::time::sleep(STEP).await;
        }
    }
    bail!("the service `{service}` of node `{node}` does not end")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn service(name: &str, wave: usize, needs: &[&str], file: &str) -> Service {
        Service {
            name: name.into(),
            wave,
            needs: needs.iter().map(|name| (*name).into()).collect(),
            files: vec![file.into()],
            user: None,
            prepare: vec![],
            command: vec![name.into()],
            ready: None,
            health: None,
        }
    }

    fn node(contents: [&str; 3]) -> (Arc<View>, NodeStart) {
        let files = ["/a", "/b", "/c"].into_iter().zip(contents);
        let file = |(path, content): (&str, &str)| ViewFile {
            path: path.into(),
            content: content.into(),
            owner: None,
            mode: 0o644,
        };
        let services = vec![
            service("a", 0, &[], "/a"),
            service("b", 1, &["a"], "/b"),
            service("c", 1, &[], "/c"),
        ];
        let view = View { files: files.map(file).collect(), ..View::default() };
        (Arc::new(view), NodeStart { node: "n".into(), startup: vec![], services })
    }

    fn between(before: &(Arc<View>, NodeStart), after: &(Arc<View>, NodeStart)) -> Option<Restart> {
        Restart::between((&before.0, &before.1), (&after.0, &after.1))
    }

    #[test]
    fn only_what_has_changed_and_what_needs_it_is_started_again() {
        let before = node(["1", "2", "3"]);
        assert!(between(&before, &before).unwrap().is_empty());
        let restart = between(&before, &node(["1", "2", "other"])).unwrap();
        assert_eq!((restart.services(), restart.files.len()), (&["c".to_owned()][..], 1));
        let restart = between(&before, &node(["other", "2", "3"])).unwrap();
        assert_eq!(restart.services(), ["a", "b"]);
        let mut after = node(["1", "2", "3"]);
        after.1.services[1].command.push("--fast".into());
        let restart = between(&before, &after).unwrap();
        assert_eq!((restart.services(), restart.files.len()), (&["b".to_owned()][..], 0));
    }

    #[test]
    fn other_files_and_services_take_another_node() {
        let before = node(["1", "2", "3"]);
        let mut fewer = node(["1", "2", "3"]);
        fewer.1.services.pop();
        assert!(between(&before, &fewer).is_none());
        let mut owned = node(["1", "2", "3"]);
        Arc::get_mut(&mut owned.0).unwrap().files[0].owner = Some("frr".into());
        assert!(between(&before, &owned).is_none());
    }
}
