//! What is an experiment's own, for its removal: by the books of a living engine, or by what a dead
//! one has left.

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

/// What is an experiment's own.
pub(crate) struct Ours<'l> {
    layout: Layout,
    /// The books, if the engine that has them is this process.
    ledger: Option<&'l Ledger>,
    /// What was to be made; none if nothing was.
    pub record: Option<Record>,
    /// What was made.
    pub made: Made,
    /// What keeps some of it from being removed, in words.
    pub problem: Option<String>,
}

impl<'l> Ours<'l> {
    /// Of the experiment of this process.
    pub fn of(ledger: &'l Ledger) -> Self {
        let (layout, made) = (ledger.layout().clone(), ledger.made());
        let (record, problem) = (Some(ledger.record()), None);
        Self { layout, ledger: Some(ledger), record, made, problem }
    }

    /// Of an engine that is dead.
    pub fn left_by(layout: &Layout) -> Self {
        let mut made = Made::read(layout);
        let (mut record, mut problem) = (None, None);
        match Record::read(layout) {
            // Nothing of the kernel's is left of before the machine was started, and its numbers
            // are others'.
            Ok(Some(read)) if !read.is_of_this_boot() => made = Made::default(),
            Ok(read) => record = read,
            // All but what the machine had lent is known without it.
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

    /// The nodes that were made.
    pub fn nodes(&self) -> impl Iterator<Item = &String> {
        self.made.namespaces.keys()
    }

    /// The user namespace of an ordinary user's experiment.
    pub fn user_namespace(&self) -> Option<Identity> {
        self.record.as_ref()?.user_namespace
    }

    /// The word on things that bear one.
    pub fn mark(&self) -> &str {
        self.record.as_ref().map_or("", |record| &record.mark)
    }

    /// The namespaces of nodes, as far as it is certain that they still are.
    pub fn namespaces(&self) -> HashSet<Identity> {
        let is_ours = |node: &str, identity: Identity| {
            // Those that are held cannot have become others. One that was noted and could not be
            // made is not held, and the kernel gives its number to the next one.
            let held = self.ledger.and_then(|ledger| ledger.namespace(node).ok());
            let held = held.and_then(|file| netns::identity_of(&file).ok());
            let named = || netns::identity(&self.layout.namespace(node));
            held == Some(identity) || named() == Some(identity)
        };
        let all = self.made.namespaces.iter();
        let certain = all.filter(|(node, named)| is_ours(node, named.namespace));
        certain.map(|(_, named)| named.namespace).collect()
    }

    /// The namespace of devices outside, if there is one.
    pub fn outside(&self) -> Option<Arc<File>> {
        let named = self.made.namespaces.get(OUTSIDE)?;
        if let Some(ledger) = self.ledger {
            return ledger.namespace(OUTSIDE).ok();
        }
        let file = File::open(self.layout.namespace(OUTSIDE)).ok()?;
        (netns::identity_of(&file).ok()? == named.namespace).then(|| Arc::new(file))
    }

    /// Whether the namespace of a node may go: not one with devices that nobody could give back.
    pub fn may_remove(&self, node: &str) -> bool {
        self.problem.is_none() || node != OUTSIDE
    }

    /// Lets go of namespaces that are held.
    pub fn let_go(&self) {
        self.ledger.into_iter().for_each(Ledger::let_go_of_all);
    }

    /// The cgroups that are there and certainly ours.
    pub fn cgroups(&self) -> Vec<PathBuf> {
        self.cgroups_with(|path, identity| identity.is_some() && netns::identity(path) == identity)
    }

    /// Those that may be ours, in which nothing can be if they are: the engine was killed when it
    /// made them.
    pub fn empty_cgroups(&self) -> Vec<PathBuf> {
        let is_empty = |path: &PathBuf| std::fs::remove_dir(path).is_ok();
        let mut may_be = self.cgroups_with(|_, identity| identity.is_none());
        may_be.retain(is_empty);
        may_be
    }

    /// By the books alone: what is mounted may not be known. A damaged book leads nowhere else than
    /// to cgroups of this name.
    fn cgroups_with(&self, is_one: impl Fn(&Path, Option<Identity>) -> bool) -> Vec<PathBuf> {
        let own = Path::new(FOLDER).join(self.layout.experiment());
        let all = self.made.cgroups.iter();
        let found = all.filter(|(path, identity)| path.ends_with(&own) && is_one(path, **identity));
        found.map(|(path, _)| path.clone()).collect()
    }
}
