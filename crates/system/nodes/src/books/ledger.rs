//! The books of a living experiment: what it is to make, what it has made, and its namespaces, held
//! open.
//!
//! The engine works with what it holds, never with names: those can go, or come to be of something
//! else, behind its back. Everything is in files as well, for whoever cleans up after an engine
//! that was killed.

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

/// The books of an experiment that this process has.
#[derive(Debug)]
pub(crate) struct Ledger {
    layout: Layout,
    /// Which directory the state directory was.
    directory: Option<Identity>,
    record: Mutex<Record>,
    made: Mutex<Made>,
    file: File,
    namespaces: RwLock<HashMap<String, Arc<File>>>,
}

impl Ledger {
    /// Opens the books with what is to be made. Before this, nothing may be.
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

    /// Where the experiment's things are.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Whether the state directory is still the one in which the books were opened.
    pub fn has_directory(&self) -> bool {
        netns::identity(self.layout.state_dir()) == self.directory
    }

    /// What is to be made.
    pub fn record(&self) -> Record {
        lock(&self.record).clone()
    }

    /// Changes what is to be made, in the file first.
    pub fn change(&self, change: impl FnOnce(&mut Record)) -> Result<(), NodeError> {
        let mut record = lock(&self.record);
        let mut changed = record.clone();
        change(&mut changed);
        changed.write(&self.layout)?;
        *record = changed;
        Ok(())
    }

    /// What has been made.
    pub fn made(&self) -> Made {
        lock(&self.made).clone()
    }

    /// Writes down that a thing came or went: one line, in one piece.
    pub fn note(&self, thing: Thing) -> io::Result<()> {
        let line = serde_json::to_string(&thing)? + "\n";
        let mut made = lock(&self.made);
        let written = (&self.file).write_all(line.as_bytes());
        written.map_err(|error| of_file(&self.layout.made(), error))?;
        made.add(thing);
        Ok(())
    }

    /// Makes a namespace with its name, and leaves the calling thread in it.
    pub fn create_namespace(&self, node: &str) -> io::Result<()> {
        let path = self.layout.namespace(node);
        let left = lock(&self.made).namespaces.get(node).cloned();
        if let Some(left) = left {
            // An earlier node of this name has gone, and its namespace's name has not.
            netns::remove(&path, &left)?;
        }
        let note = |named: Named| self.note(Thing::Namespace { node: node.to_owned(), named });
        let namespace = netns::create(&path, note)?;
        // Whole after each step.
        let mut held = self.namespaces.write().unwrap_or_else(PoisonError::into_inner);
        held.insert(node.to_owned(), Arc::new(namespace));
        Ok(())
    }

    /// A node's namespace.
    pub fn namespace(&self, node: &str) -> io::Result<Arc<File>> {
        let held = self.namespaces.read().unwrap_or_else(PoisonError::into_inner);
        held.get(node).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Leaves the calling thread in a node's namespace.
    pub fn enter(&self, node: &str) -> io::Result<()> {
        netns::enter(&*self.namespace(node)?)
    }

    /// Writes down that a node's namespace has gone, and lets go of it.
    pub fn forget_namespace(&self, node: &str) -> io::Result<()> {
        self.let_go(node);
        self.note(Thing::NoNamespace { node: node.to_owned() })
    }

    /// Lets go of a node's namespace, which the kernel frees when nobody has it any more.
    pub fn let_go(&self, node: &str) {
        self.namespaces.write().unwrap_or_else(PoisonError::into_inner).remove(node);
    }

    /// Lets go of all namespaces.
    pub fn let_go_of_all(&self) {
        self.namespaces.write().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The nodes whose names lead to their namespaces no more: those were unmounted behind our
    /// back.
    pub fn unnamed(&self) -> Vec<String> {
        let made = lock(&self.made);
        let is_lost = |(node, named): &(&String, &Named)| {
            netns::identity(&self.layout.namespace(node)) != Some(named.namespace)
        };
        made.namespaces.iter().filter(is_lost).map(|(node, _)| node.clone()).collect()
    }

    /// Removes the files of the books, of which there is nothing any more.
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
        // Not empty while the engine's socket is in it.
        let _ = fs::remove_dir(layout.state_dir());
        Ok(())
    }
}

impl Owner for Ledger {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    /// One that is there is somebody else's, unless it is of a change that failed later on.
    fn claim(&self, path: &Path) -> io::Result<()> {
        let known = lock(&self.made).cgroups.get(path).copied().flatten();
        if known.is_some() && known == netns::identity(path) {
            return Ok(());
        }
        let may_be = |identity| Thing::Cgroup { path: path.into(), identity };
        self.note(may_be(None))?;
        if let Err(error) = cgroup::create_own(path) {
            // The first error is the one to report.
            let _ = self.note(Thing::NoCgroup { path: path.into() });
            return Err(error);
        }
        self.note(may_be(netns::identity(path)))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Each change is made in one step.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::books::borrowed::Borrowed;

    #[test]
    fn what_an_earlier_try_made_is_ours_and_what_others_made_is_not() {
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
        // Its place is another's by now.
        fs::rename(&ours, own("cpu").with_file_name("moved")).unwrap();
        fs::create_dir(&ours).unwrap();
        assert_eq!(ledger.claim(&ours).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        // Nobody needs to know what is mounted for this.
        ledger.claim(&own("memory")).unwrap();
        assert_eq!(crate::books::ours::Ours::of(&ledger).cgroups(), [own("memory")]);
    }
}
