//! The network between machines that are made on this one, for `local:N` with a delay, a rate or
//! losses: a network of NetLoom's own, whose nodes are the machines. Each has a network namespace,
//! and a clock of its own.

use std::fmt::Write;
use std::net::Ipv4Addr;
use std::path::Path;

use anyhow::{Context, Result};
use netloom_api::launch::Mode;
use netloom_placement::{Local, Machines};

use crate::find::{self, Loaded};
use crate::launch::Engine;
use crate::{preflight, profile_file};

/// Name of the switch that joins the machines. No machine has it: they are `m1`, `m2` …
const SWITCH: &str = "switch";
/// Seconds by which the clock of a machine differs from that of the one before it.
const APART: usize = 1000;
/// Longest name of an experiment.
const LONGEST: usize = 63;
/// End of the name of the network between the machines of an experiment.
const END: &str = "-between";

/// The network between machines on this one, while it is up.
pub struct Underlay(Engine);

impl Underlay {
    /// Makes the network of `local:N,…`, and writes into the list how its machines are reached.
    /// Returns nothing if there is to be none.
    ///
    /// # Errors
    /// If it cannot be made here.
    pub async fn make(machines: &mut Machines, experiment: &str) -> Result<Option<Self>> {
        let Some(local) = machines.local.filter(|local| *local != Local::default()) else {
            return Ok(None);
        };
        let name: String = experiment.chars().take(LONGEST - END.len()).collect();
        let name = name + END;
        let binary = std::env::current_exe().context("cannot find the netloom binary")?;
        let source = scenario(&name, machines, &local, &binary);
        let folder = std::env::current_dir().context("cannot find the current folder")?;
        let found = find::load(&source, &folder);
        let scenario = found.map_err(|why| anyhow::anyhow!(why.render(&name, &source)))?.scenario;
        preflight::check(&scenario)?;
        let loaded = Loaded::of(folder.join(SWITCH), folder, source, scenario);
        let calibration = profile_file::calibration();
        let mut engine = Engine::start(&loaded, None, calibration, Mode::Deploy).await?;
        // It ends with this program, however that ends.
        engine.keep_lease();
        engine.ready().await.context("cannot make the network between machines")?;
        reach(machines, &name, &binary);
        Ok(Some(Self(engine)))
    }

    /// Takes it down.
    pub async fn remove(mut self) {
        self.0.let_go();
        let _ = self.0.wait().await;
    }
}

/// Writes the scenario of the network. Its nodes see the binary where it is: under `/tmp`, say,
/// they have files of their own.
fn scenario(name: &str, machines: &Machines, local: &Local, binary: &Path) -> String {
    let binary = serde_json::Value::from(binary.to_string_lossy());
    let mut text = format!("name: {name}\ntopology:\n  nodes:\n    {SWITCH}: {{ kind: switch }}\n");
    let mut links = String::from("  links:\n");
    let rate = local.rate.map(|rate| format!(", rate: {rate}")).unwrap_or_default();
    // A packet goes forward on one link and back on another one.
    let [there, back] = [local.delay.as_nanos() / 2, local.delay.as_nanos().div_ceil(2)];
    for (number, machine) in machines.list.iter().enumerate() {
        let (machine, address) = (&machine.name, address(number));
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "    {machine}: {{ binds: {{ {binary}: {binary} }}, interfaces: {{ eth1: {{ ipv4: \
             {address}/16, ipv6: none }} }} }}"
        );
        let _ = writeln!(
            links,
            "    - {{ endpoints: [\"{machine}:eth1\", {SWITCH}]{rate}, forward: {{ delay: \
             {there}ns, loss: {} }}, reverse: {{ delay: {back}ns }} }}",
            local.loss
        );
    }
    text + &links
}

/// Returns the address of a machine.
fn address(number: usize) -> Ipv4Addr {
    let [.., high, low] = (number + 1).to_be_bytes();
    Ipv4Addr::new(10, 99, high, low)
}

/// Writes into the list how machines are reached that are nodes of the network `name`.
fn reach(machines: &mut Machines, name: &str, binary: &Path) {
    let binary = binary.display();
    machines.start = Some(format!("{binary} exec {{address}}@{name} -- {{netloom}} __member"));
    for (number, machine) in machines.list.iter_mut().enumerate() {
        machine.address = Some(machine.name.clone());
        machine.frames = Some(address(number).into());
        let ahead = number * APART;
        machine.netloom = Some(format!("unshare --time --monotonic {ahead} --fork {binary}"));
    }
    machines.local = None;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_network_has_what_was_asked_for_between_any_two_machines() {
        let asked = "local:2,delay=3ns,rate=1Gbit/s,loss=0.5%";
        let machines = Machines::local(asked).unwrap().unwrap();
        let binary = Path::new("/tmp/a: \"b\"/netloom");
        let text = scenario("n", &machines, &machines.local.unwrap(), binary);
        let found = find::load(&text, Path::new("/")).map_err(|why| why.render("n", &text));
        let scenario = found.unwrap().scenario;
        assert_eq!(scenario.links.len(), 2);
        let machine = scenario.nodes.iter().find(|node| node.name == "m2").unwrap();
        let (there, bind) = machine.software.binds.iter().next().unwrap();
        assert_eq!([there, &bind.machine].map(Path::new), [binary; 2]);
        let [one, other] = [&scenario.links[0], &scenario.links[1]];
        let delay = |pipe: &netloom_link::PipeConfig| pipe.delay.to_string();
        assert_eq!([delay(&one.forward), delay(&other.reverse)], ["1ns", "2ns"]);
        assert_eq!(one.forward.rate.to_string(), "1Gbit/s");
    }
}
