//! What all handlers share.

use std::path::PathBuf;

use axum::extract::FromRef;
use netloom_api::ui::About;
use std::sync::Arc;

use crate::experiments::Looked;
use crate::folder::Folder;
use crate::jobs::Jobs;
use crate::security::Doors;

/// The server.
#[derive(Clone)]
pub struct Server {
    /// Who comes in.
    pub doors: Arc<Doors>,
    /// The folder.
    pub folder: Arc<Folder>,
    /// The commands.
    pub jobs: Arc<Jobs>,
    /// The experiments of the machine, for those who watch.
    pub looked: Arc<Looked>,
}

impl Server {
    /// Describes it.
    pub fn about(&self) -> About {
        About {
            version: env!("CARGO_PKG_VERSION").into(),
            directory: PathBuf::from(self.folder.path()),
            read_only: self.doors.is_read_only(),
        }
    }
}

impl FromRef<Server> for Arc<Folder> {
    fn from_ref(server: &Server) -> Self {
        server.folder.clone()
    }
}

impl FromRef<Server> for Arc<Jobs> {
    fn from_ref(server: &Server) -> Self {
        server.jobs.clone()
    }
}

impl FromRef<Server> for Arc<Doors> {
    fn from_ref(server: &Server) -> Self {
        server.doors.clone()
    }
}
