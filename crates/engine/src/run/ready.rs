//! Whether a process is ready.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use netloom_nodes::{SpawnRequest, Stdio};
use netloom_scenario::Ready;

use crate::experiment::Experiment;

/// How often a readiness test is tried.
const STEP: Duration = Duration::from_millis(20);
/// How seldom it is tried at most where many are.
const LONGEST_STEP: Duration = Duration::from_millis(500);
/// How often a readiness command is tried, counted from the end of the last try.
const COMMAND_STEP: Duration = Duration::from_millis(100);

/// A readiness test of one process instance.
pub struct Test {
    /// The experiment.
    pub experiment: Arc<Experiment>,
    /// The node of the instance.
    pub node: String,
    /// The test.
    pub ready: Ready,
    /// The files that the instance's output goes to.
    pub outputs: Vec<PathBuf>,
}

impl Test {
    /// Waits until the test has passed; forever if it never does.
    pub async fn passed(&self) {
        let step = match self.ready {
            Ready::Command(_) => COMMAND_STEP,
            _ => STEP,
        };
        while !self.passes().await {
            tokio::time::sleep(step).await;
        }
    }

    /// The same for one of many that start together: looks less and less often.
    pub async fn passed_gently(&self) {
        let mut step = STEP;
        while !self.passes().await {
            tokio::time::sleep(step).await;
            step = (step * 3 / 2).min(LONGEST_STEP);
        }
    }

    /// Whether it passes now.
    pub async fn passes(&self) -> bool {
        match &self.ready {
            Ready::Port(port) => self
                .experiment
                .with_live(|live| Ok(live.network.listening_tcp_ports(&self.node)?.contains(port)))
                .unwrap_or(false),
            Ready::Path(path) => self
                .experiment
                .with_live(|live| Ok(live.network.exists_in(&self.node, Path::new(path))?))
                .unwrap_or(false),
            Ready::Output(text) => {
                let mut found = false;
                for output in &self.outputs {
                    let content = tokio::fs::read(output).await.unwrap_or_default();
                    found |= String::from_utf8_lossy(&content).contains(text.as_str());
                }
                found
            }
            Ready::Command(command) => self.succeeds(command.argv()).await,
        }
    }

    async fn succeeds(&self, argv: Vec<String>) -> bool {
        let Ok(stdio) = nowhere() else { return false };
        let request = SpawnRequest { argv, env: Vec::new(), cwd: None, stdio };
        match self.experiment.spawn(&self.node, request).await {
            Ok(running) => running.exited.await.is_ok_and(|status| status.success()),
            Err(_) => false,
        }
    }
}

fn nowhere() -> std::io::Result<Stdio> {
    let null = std::fs::File::options().read(true).write(true).open("/dev/null")?;
    Ok(Stdio::Files {
        stdin: null.try_clone()?.into(),
        stdout: null.try_clone()?.into(),
        stderr: null.into(),
    })
}
