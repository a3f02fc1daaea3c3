//! The things that belong to an experiment, for their removal: from the records of a living engine,
//! or from those that a dead one has left.

use std::collections::HashSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::Layout;
use crate::books::layout::OUTSIDE;
use crate::books::ledger::Ledger;
use crate::books::made::Made;
use crate::books::record::Record;
use crate::cgroup::FOLDER;
use crate::stack::netns::{self, Identity};

/// The things that belong to an experiment.
pub(crate) struct Ours<'l> {
    layout: Layout,
    /// Records of the experiment, if its engine is this process.
    ledger: Option<&'l Ledger>,
    /// Record of what was about to be created; `None` if nothing was.
    pub record: Option<Record>,
    /// Things that were created.
    pub made: Made,
    /// Reason why some of it cannot be removed, in words.
    pub problem: Option<String>,
}

impl<'l> Ours<'l> {
    /// Returns the things of this process' experiment.
    pub fn of(ledger: &'l Ledger) -> Self {
        let (layout, made) = (ledger.layout().clone(), ledger.made());
        let (record, problem) = (Some(ledger.record()), None);
        Self { layout, ledger: Some(ledger), record, made, problem }
    }

    /// Returns the things of an engine that is dead.
    pub fn left_by(layout: &Layout) -> Self {
        let mut made = Made::read(layout);
        let (mut record, mut problem) = (None, None);
        match Record::read(layout) {
            // No kernel object survives a restart of the machine, and its numbers may now be those
            // of other objects.
            Ok(Some(read)) if !read.is_of_this_boot() => made = Made::default(),
            Ok(read) => record = read,
            // The record is needed only for what the machine has lent.
            Err(error) => {
                let path = layout.namespace(OUTSIDE);
                problem = made.namespaces.contains_key(OUTSIDE).then(|| {
                    format!(
                        "{} is damaged ({error}), so that it is not known how the devices in {} \
                         were before: move them back by `ip -n {}.{OUTSIDE} link set DEVICE \
                         netns 1`, then remove both",
                        layout.record().display(),
                        path.display(),
                        layout.experiment()
                    )
                });
            }
        }
        Self { layout: layout.clone(), ledger: None, record, made, problem }
    }

    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Returns the nodes that were created.
    pub fn nodes(&self) -> impl Iterator<Item = &String> {
        self.made.namespaces.keys()
    }

    /// Returns the user namespace of an ordinary user's experiment.
    pub fn user_namespace(&self) -> Option<Identity> {
        self.record.as_ref()?.user_namespace
    }

    /// Returns the mark on things that can bear one.
    pub fn mark(&self) -> &str {
        self.record.as_ref().map_or("", |record| &record.mark)
    }

    /// Returns the namespaces of nodes that certainly still exist.
    pub fn namespaces(&self) -> HashSet<Identity> {
        let is_ours = |node: &str, identity: Identity| {
            // A namespace with an open descriptor cannot have been replaced. One that was recorded
            // but could not be created has no descriptor, and the kernel gives its number to the
            // next namespace.
            let held = self.ledger.and_then(|ledger| ledger.namespace(node).ok());
            let held = held.and_then(|file| netns::identity_of(&file).ok());
            let named = || netns::identity(&self.layout.namespace(node));
            held == Some(identity) || named() == Some(identity)
        };
        let all = self.made.namespaces.iter();
        let certain = all.filter(|(node, named)| is_ours(node, named.namespace));
        certain.map(|(_, named)| named.namespace).collect()
    }

    /// Returns the namespace of devices outside, if there is one.
    pub fn outside(&self) -> Option<Arc<File>> {
        let named = self.made.namespaces.get(OUTSIDE)?;
        if let Some(ledger) = self.ledger {
            return ledger.namespace(OUTSIDE).ok();
        }
        let file = File::open(self.layout.namespace(OUTSIDE)).ok()?;
        (netns::identity_of(&file).ok()? == named.namespace).then(|| Arc::new(file))
    }

    /// Whether the namespace of a node may be removed: not if it contains devices that nobody could
    /// give back.
    pub fn may_remove(&self, node: &str) -> bool {
        self.problem.is_none() || node != OUTSIDE
    }

    /// Closes the descriptors of all namespaces.
    pub fn let_go(&self) {
        self.ledger.into_iter().for_each(Ledger::let_go_of_all);
    }

    /// Returns the cgroups that exist and certainly belong to the experiment.
    pub fn cgroups(&self) -> Vec<PathBuf> {
        self.cgroups_with(|path, identity| identity.is_some() && netns::identity(path) == identity)
    }

    /// Returns cgroups that may belong to the experiment: the engine was killed while it created
    /// them, so they are empty if they do.
    pub fn empty_cgroups(&self) -> Vec<PathBuf> {
        let is_empty = |path: &PathBuf| std::fs::remove_dir(path).is_ok();
        let mut may_be = self.cgroups_with(|_, identity| identity.is_none());
        may_be.retain(is_empty);
        may_be
    }

    /// Searches the records alone, because the mounted hierarchies may be unknown. A damaged record
    /// can refer only to cgroups of this name.
    fn cgroups_with(&self, is_one: impl Fn(&Path, Option<Identity>) -> bool) -> Vec<PathBuf> {
        let own = Path::new(FOLDER).join(self.layout.experiment());
        let all = self.made.cgroups.iter();
        let found = all.filter(|(path, identity)| path.ends_with(&own) && is_one(path, **identity));
        found.map(|(path, _)| path.clone()).collect()
    }
}
