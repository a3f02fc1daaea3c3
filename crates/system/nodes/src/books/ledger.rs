//! Records of a living experiment: what it is about to create, what it has created, and open
//! descriptors of its namespaces.
//!
//! The engine uses these descriptors and never names: a name can disappear, or refer to something
//! else, without the engine's doing. Everything is in files as well, for the process that cleans up
//! after an engine that was killed.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use crate::books::made::{Made, Thing};
use crate::books::record::Record;
use crate::cgroup::{self, Owner};
use crate::error::of_file;
use crate::stack::netns::{self, Identity, Named};
use crate::{Layout, NodeError};

/// The records of the experiment of this process.
#[derive(Debug)]
pub(crate) struct Ledger {
    layout: Layout,
    /// Identity of the state directory when the records were opened.
    directory: Option<Identity>,
    record: Mutex<Record>,
    made: Mutex<Made>,
    file: File,
    namespaces: RwLock<HashMap<String, Arc<File>>>,
}

impl Ledger {
    /// Opens the records, with what is about to be created. Nothing may be created before this.
    pub fn open(layout: &Layout, record: Record) -> Result<Self, NodeError> {
        let path = layout.made();
        let file = OpenOptions::new().append(true).create_new(true).mode(0o600).open(&path);
        let file =
            file.map_err(|error| NodeError::system(format!("make {}", path.display()), error))?;
        record.write(layout)?;
        Ok(Self {
            layout: layout.clone(),
            directory: netns::identity(layout.state_dir()),
            record: Mutex::new(record),
            made: Mutex::default(),
            file,
            namespaces: RwLock::default(),
        })
    }

    /// Returns the layout of the experiment's things.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Whether the state directory is still the one in which the records were opened.
    pub fn has_directory(&self) -> bool {
        netns::identity(self.layout.state_dir()) == self.directory
    }

    /// Returns the record of what is about to be created.
    pub fn record(&self) -> Record {
        lock(&self.record).clone()
    }

    /// Changes the record of what is about to be created, first in the file.
    pub fn change(&self, change: impl FnOnce(&mut Record)) -> Result<(), NodeError> {
        let mut record = lock(&self.record);
        let mut changed = record.clone();
        change(&mut changed);
        changed.write(&self.layout)?;
        *record = changed;
        Ok(())
    }

    /// Returns what has been created.
    pub fn made(&self) -> Made {
        lock(&self.made).clone()
    }

    /// Records that a thing was created or removed: one line, in one write.
    pub fn note(&self, thing: Thing) -> io::Result<()> {
        let line = serde_json::to_string(&thing)? + "\n";
        let mut made = lock(&self.made);
        let written = (&self.file).write_all(line.as_bytes());
        written.map_err(|error| of_file(&self.layout.made(), error))?;
        made.add(thing);
        Ok(())
    }

    /// Creates a namespace with its name. The calling thread is in it afterwards.
    pub fn create_namespace(&self, node: &str) -> io::Result<()> {
        let path = self.layout.namespace(node);
        let left = lock(&self.made).namespaces.get(node).cloned();
        if let Some(left) = left {
            // An earlier node of this name was removed, but the name of its namespace was not.
            netns::remove(&path, &left)?;
        }
        let note = |named: Named| self.note(Thing::Namespace { node: node.to_owned(), named });
        let namespace = netns::create(&path, note)?;
        // The map is valid after each step, so a poisoned lock does no harm.
        let mut held = self.namespaces.write().unwrap_or_else(PoisonError::into_inner);
        held.insert(node.to_owned(), Arc::new(namespace));
        Ok(())
    }

    /// Returns a node's namespace.
    pub fn namespace(&self, node: &str) -> io::Result<Arc<File>> {
        let held = self.namespaces.read().unwrap_or_else(PoisonError::into_inner);
        held.get(node).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Moves the calling thread into a node's namespace.
    pub fn enter(&self, node: &str) -> io::Result<()> {
        netns::enter(&*self.namespace(node)?)
    }

    /// Records that a node's namespace was removed, and closes its descriptor.
    pub fn forget_namespace(&self, node: &str) -> io::Result<()> {
        self.let_go(node);
        self.note(Thing::NoNamespace { node: node.to_owned() })
    }

    /// Closes the descriptor of a node's namespace, which the kernel frees when nobody uses it any
    /// more.
    pub fn let_go(&self, node: &str) {
        self.namespaces.write().unwrap_or_else(PoisonError::into_inner).remove(node);
    }

    /// Closes the descriptors of all namespaces.
    pub fn let_go_of_all(&self) {
        self.namespaces.write().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Returns the nodes whose names no longer refer to their namespaces, because somebody else has
    /// unmounted them.
    pub fn unnamed(&self) -> Vec<String> {
        let made = lock(&self.made);
        let is_lost = |(node, named): &(&String, &Named)| {
            netns::identity(&self.layout.namespace(node)) != Some(named.namespace)
        };
        made.namespaces.iter().filter(is_lost).map(|(node, _)| node.clone()).collect()
    }

    /// Removes the files of the records, after everything in them has been removed.
    pub fn close(&self) -> Result<(), NodeError> {
        if !self.has_directory() {
            return Ok(());
        }
        let layout = &self.layout;
        for path in [layout.hosts(), layout.resolver(), layout.made(), layout.record()] {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(NodeError::system(format!("remove {}", path.display()), error));
                }
                _ => {}
            }
        }
        // Fails while the engine's socket is in the directory.
        let _ = fs::remove_dir(layout.state_dir());
        Ok(())
    }
}

impl Owner for Ledger {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    /// An existing cgroup belongs to somebody else, unless it was created by an earlier change that
    /// failed later on.
    fn claim(&self, path: &Path) -> io::Result<()> {
        let known = lock(&self.made).cgroups.get(path).copied().flatten();
        if known.is_some() && known == netns::identity(path) {
            return Ok(());
        }
        let may_be = |identity| Thing::Cgroup { path: path.into(), identity };
        self.note(may_be(None))?;
        if let Err(error) = cgroup::create_own(path) {
            // Report the first error.
            let _ = self.note(Thing::NoCgroup { path: path.into() });
            return Err(error);
        }
        self.note(may_be(netns::identity(path)))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Each change is made in one step, so a poisoned lock does no harm.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::books::borrowed::Borrowed;

    #[test]
    fn cgroups_of_an_earlier_attempt_are_ours_and_those_of_others_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::below(folder.path(), "demo");
        fs::create_dir(layout.state_dir()).unwrap();
        let record = Record::new(vec![], None, Borrowed::default()).unwrap();
        let ledger = Ledger::open(&layout, record).unwrap();
        let own = |hierarchy: &str| folder.path().join(hierarchy).join("netloom/demo");
        let (ours, foreign) = (own("cpu"), own("pids"));
        ledger.claim(&ours).unwrap();
        ledger.claim(&ours).unwrap();
        fs::create_dir_all(&foreign).unwrap();
        let error = ledger.claim(&foreign).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        // The path now refers to another cgroup.
        fs::rename(&ours, own("cpu").with_file_name("moved")).unwrap();
        fs::create_dir(&ours).unwrap();
        assert_eq!(ledger.claim(&ours).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        // Claiming does not need to know which hierarchies are mounted.
        ledger.claim(&own("memory")).unwrap();
        assert_eq!(crate::books::ours::Ours::of(&ledger).cgroups(), [own("memory")]);
    }
}
