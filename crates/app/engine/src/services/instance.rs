//! One service of one node, from its start to its end.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use netloom_api::event::What;
use netloom_api::state::ServiceState;
use netloom_nodes::{ExitStatus, SpawnRequest};
use netloom_scenario::Ready;
use netloom_services::Service;
use tokio::sync::oneshot;

use super::Services;
use super::log::Log;
use super::table::Generation;
use crate::ready::{Outputs, ReadyTest};

/// Longest time for a service to become ready.
const PATIENCE: Duration = Duration::from_secs(60);
/// Period of health tests of a service.
const HEALTH_STEP: Duration = Duration::from_secs(10);
type Exited = oneshot::Receiver<ExitStatus>;

pub(super) struct Instance {
    services: Arc<Services>,
    node: String,
    service: Service,
}

impl Instance {
    pub fn new(services: Arc<Services>, node: String, service: Service) -> Self {
        Self { services, node, service }
    }

    /// Starts the service and returns when it is ready. It is watched from then on.
    pub async fn start(self) -> Result<()> {
        let generation = self.services.table.generation(&self.service.name, &self.node);
        let generation = generation.with_context(|| {
            format!("the service `{}` of node `{}` has gone", self.service.name, self.node)
        })?;
        let tests = [&self.service.ready, &self.service.health];
        let awaited = tests.into_iter().flatten().filter_map(|test| match test {
            Ready::Output(text) => Some(text.clone()),
            _ => None,
        });
        let log = Log::open(&self.services, &self.service.name, &self.node, awaited);
        let log = log.with_context(|| {
            format!("the service `{}` of node `{}` has no log", self.service.name, self.node)
        })?;
        match self.until_ready(&generation, &log).await {
            Ok((pid, exited)) => {
                self.set(&generation, ServiceState::Ready { pid });
                let (service, node) = self.names();
                self.services.events.record(What::ServiceReady { service, node });
                tokio::spawn(self.watch(generation, pid, exited, log.outputs()));
                Ok(())
            }
            Err(error) => {
                self.set(&generation, ServiceState::Failed { reason: error.to_string() });
                let words = netloom_api::in_words(error.as_ref());
                Err(anyhow!(
                    "the service `{}` of node `{}` {words}{}",
                    self.service.name,
                    self.node,
                    log.tail().await
                ))
            }
        }
    }

    fn names(&self) -> (String, String) {
        (self.service.name.clone(), self.node.clone())
    }

    fn set(&self, generation: &Generation, state: ServiceState) {
        self.services.table.set(&self.service.name, &self.node, generation, state);
    }

    async fn until_ready(&self, generation: &Generation, log: &Log) -> Result<(u32, Exited)> {
        for argv in &self.service.prepare {
            let (_, exited) = self.spawn(argv, log).await?;
            let status = exited.await.context("was ended with its node")?;
            if !status.success() {
                return Err(anyhow!(
                    "could not be prepared: `{}` {}",
                    argv.join(" "),
                    ended(status)
                ));
            }
        }
        let (pid, mut exited) = self.spawn(&self.service.command, log).await?;
        self.set(generation, ServiceState::Starting { pid });
        let Some(ready) = &self.service.ready else { return Ok((pid, exited)) };
        let test = self.test(ready, log.outputs());
        tokio::select! {
            () = test.passed_gently() => Ok((pid, exited)),
            status = &mut exited => {
                let how = status.map_or("was ended with its node".into(), ended);
                Err(anyhow!("{how} before it was ready"))
            }
            () = tokio::time::sleep(PATIENCE) => {
                Err(anyhow!("was not ready within {} s ({})", PATIENCE.as_secs(), in_words(ready)))
            }
        }
    }

    async fn spawn(&self, argv: &[String], log: &Log) -> Result<(u32, Exited)> {
        let stdio = log.stdio()?;
        let request = SpawnRequest { argv: argv.to_vec(), env: vec![], cwd: None, stdio };
        let running = self.services.network.spawn(&self.node, request).await;
        let running = running.context("could not be started")?;
        Ok((running.spawned.pid, running.exited))
    }

    fn test(&self, ready: &Ready, outputs: Outputs) -> ReadyTest {
        ReadyTest {
            network: self.services.network.clone(),
            node: self.node.clone(),
            ready: ready.clone(),
            outputs,
        }
    }

    /// Watches the service until it ends.
    async fn watch(self, generation: Generation, pid: u32, mut exited: Exited, outputs: Outputs) {
        let mut healthy = true;
        let health = self.service.health.as_ref();
        let health = health.map(|health| self.test(health, outputs));
        loop {
            tokio::select! {
                status = &mut exited => return self.ended(&generation, status.ok()),
                now = healthy_later(health.as_ref()) => {
                    if now != healthy && !generation.is_over() {
                        healthy = now;
                        let state = match healthy {
                            true => ServiceState::Ready { pid },
                            false => ServiceState::Unhealthy { pid },
                        };
                        self.set(&generation, state);
                        let (service, node) = self.names();
                        self.services.events.record(What::ServiceHealth { service, node, healthy });
                    }
                }
            }
        }
    }

    /// Reports the end of a service, unless it was asked to end, the whole experiment ends, or its
    /// tenure is over.
    fn ended(&self, generation: &Generation, status: Option<ExitStatus>) {
        let was_asked = generation.is_over() || self.services.end.reason().is_some();
        let Some(status) = status.filter(|_| !was_asked) else { return };
        self.set(generation, ServiceState::Failed { reason: ended(status) });
        let (service, node) = self.names();
        self.services.events.record(What::ServiceEnded { service, node, code: status.code() });
    }
}

/// Tests a while from now whether a service is healthy. Never returns if there is no test.
async fn healthy_later(health: Option<&ReadyTest>) -> bool {
    let Some(test) = health else { return std::future::pending().await };
    tokio::time::sleep(HEALTH_STEP).await;
    tokio::time::timeout(HEALTH_STEP, test.passes()).await.unwrap_or(false)
}

/// Describes how a process ended.
pub(super) fn ended(status: ExitStatus) -> String {
    match status {
        ExitStatus::Code(code) => format!("ended with code {code}"),
        ExitStatus::Signal(signal) => format!("was ended by signal {signal}"),
    }
}

fn in_words(ready: &Ready) -> String {
    match ready {
        Ready::Port(port) => format!("nothing listens on TCP port {port}"),
        Ready::Path(path) => format!("there is no {path}"),
        Ready::Output(text) => format!("it has not printed `{text}`"),
        Ready::Command(command) => format!("`{}` does not succeed", command.argv().join(" ")),
    }
}
