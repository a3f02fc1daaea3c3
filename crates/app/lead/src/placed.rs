//! The nodes of a scenario on their machines, and what the engine of each machine is told of that.

use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, Ipv4Addr};

use std::fs::File;
use std::io::Read;

use anyhow::{Context, Result, bail};
use netloom_api::member::Member;
use netloom_placement::{Account, Machines, MemberMachine, Placement, Problem};
use netloom_scenario::Scenario;
use netloom_units::Duration;

/// Length of datagrams between engines of one machine. Its loopback takes 64 KiB; a super-frame
/// takes several of these.
const LOCAL_DATAGRAM: usize = 16_000;
/// Largest packet on the way between machines, if the list of machines says nothing.
const MTU: u16 = 1500;
/// Name of the binary on another machine, if the list of machines says nothing.
const BINARY: &str = "netloom";

/// The nodes of a scenario on their machines.
#[derive(Debug)]
pub struct Placed {
    /// The machines that have nodes, in order. The first one's clock is that of the experiment.
    machines: Vec<MemberMachine>,
    /// The machine of each node.
    nodes: HashMap<String, String>,
    /// The command that starts a member.
    start: Option<String>,
    ports: Option<[u16; 2]>,
    mtu: Option<u16>,
    uncovered: BTreeMap<String, Duration>,
    lost_after: Duration,
    is_local: bool,
    secrets: Secrets,
}

/// Random numbers of one run.
#[derive(Debug, Clone)]
pub struct Secrets {
    /// Number that no other experiment has.
    pub session: u64,
    /// What its frames are encrypted by.
    pub key: [u8; 32],
    /// A word for commands, which others on a machine can read.
    pub word: u64,
}

impl Secrets {
    /// Returns numbers that nobody else has.
    ///
    /// # Errors
    /// If the machine has no random numbers.
    pub fn random() -> Result<Self> {
        let (mut session, mut word, mut key) = ([0; 8], [0; 8], [0; 32]);
        File::open("/dev/urandom")
            .and_then(|mut random| {
                random.read_exact(&mut session)?;
                random.read_exact(&mut word)?;
                random.read_exact(&mut key)
            })
            .context("cannot read random numbers")?;
        let [session, word] = [session, word].map(u64::from_ne_bytes);
        Ok(Self { session, key, word })
    }

    /// Returns the word for commands.
    pub fn in_words(&self) -> String {
        format!("{:016x}", self.word)
    }
}

impl Placed {
    /// Returns what follows from a placement: `placement` of `problem`, which was made of
    /// `scenario` and `machines`.
    ///
    /// # Errors
    /// If a machine of the list cannot be reached by what the list says of it.
    pub fn new(
        scenario: &Scenario,
        machines: &Machines,
        (problem, placement): (&Problem, &Placement),
        secrets: Secrets,
    ) -> Result<Self> {
        let name = |machine: usize| machines.list[machine].name.clone();
        let placed = problem.nodes.iter().zip(&placement.machine_of);
        let mut nodes: HashMap<String, String> =
            placed.map(|(node, machine)| (node.name.clone(), name(*machine))).collect();
        // An end outside is where the other end of its link is.
        for link in &scenario.links {
            let [a, b] = link.endpoints.each_ref().map(|end| &end.node);
            for (near, far) in [(a, b), (b, a)] {
                if let (None, Some(machine)) = (nodes.get(near), nodes.get(far)) {
                    nodes.insert(near.clone(), machine.clone());
                }
            }
        }
        let used = placement.used();
        let list: Vec<MemberMachine> =
            used.iter().map(|machine| machines.list[*machine].clone()).collect();
        let is_local = machines.local.is_some();
        for machine in list.iter().filter(|_| !is_local) {
            frames(machine)?;
        }
        Ok(Self {
            machines: list,
            nodes,
            start: machines.start.clone(),
            ports: machines.tunnel.ports,
            mtu: machines.tunnel.mtu,
            uncovered: uncovered(&Account::new(problem, placement)),
            lost_after: machines.lost_after,
            is_local,
            secrets: Secrets {
                key: if machines.tunnel.encryption { secrets.key } else { [0; 32] },
                ..secrets
            },
        })
    }

    /// Returns the word by which members greet.
    pub fn word(&self) -> String {
        self.secrets.in_words()
    }

    /// Returns the machine of each node.
    pub fn nodes(&self) -> BTreeMap<String, String> {
        self.nodes.iter().map(|(node, machine)| (node.clone(), machine.clone())).collect()
    }

    /// Returns what each machine is told, with the command that starts its member. Without a
    /// command, the member is on this machine.
    ///
    /// # Errors
    /// If the command names something that the list does not say of the machine.
    pub fn members(&self) -> Result<Vec<(Member, Option<String>)>> {
        let names: Vec<String> = self.machines.iter().map(|one| one.name.clone()).collect();
        let key = self.secrets.key;
        let secret = key.iter().any(|byte| *byte != 0).then(|| hexadecimal(&key));
        self.machines
            .iter()
            .map(|machine| {
                let frames = match self.is_local {
                    true => IpAddr::V4(Ipv4Addr::LOCALHOST),
                    false => frames(machine)?,
                };
                let member = Member {
                    name: machine.name.clone(),
                    machines: names.clone(),
                    nodes: self.nodes.clone(),
                    frames,
                    ports: self.ports,
                    session: self.secrets.session,
                    secret: secret.clone(),
                    uncovered: self.uncovered.clone(),
                    lost_after: self.lost_after,
                    datagram: self.datagram(frames),
                };
                let command = self.start.as_deref().map(|start| command(start, machine));
                Ok((member, command.transpose()?))
            })
            .collect()
    }

    fn datagram(&self, frames: IpAddr) -> usize {
        // Headers of IP and UDP.
        let headers = if frames.is_ipv4() { 20 + 8 } else { 40 + 8 };
        match (self.mtu, self.is_local) {
            (None, true) => LOCAL_DATAGRAM,
            (mtu, _) => usize::from(mtu.unwrap_or(MTU)).saturating_sub(headers),
        }
    }
}

/// Returns the links that are cut although they are too short.
fn uncovered(account: &Account) -> BTreeMap<String, Duration> {
    let late = account.cut.iter().filter(|link| link.is_late);
    let lacks = |nanos: i64| Duration::from_nanos(nanos.unsigned_abs());
    late.map(|link| (link.link.clone(), lacks(link.slack_ns))).collect()
}

/// Returns the address at which a machine of a list takes frames.
///
/// # Errors
/// If the list does not say it.
pub fn frames_address(machines: &Machines, machine: &MemberMachine) -> Result<IpAddr> {
    match machines.local {
        Some(_) => Ok(IpAddr::V4(Ipv4Addr::LOCALHOST)),
        None => frames(machine),
    }
}

/// Returns the command that starts a member on a machine of a list. `None`: it is this machine.
///
/// # Errors
/// If the command names something that the list does not say of the machine.
pub fn start_command(machines: &Machines, machine: &MemberMachine) -> Result<Option<String>> {
    machines.start.as_deref().map(|start| command(start, machine)).transpose()
}

fn frames(machine: &MemberMachine) -> Result<IpAddr> {
    if let Some(frames) = machine.frames {
        return Ok(frames);
    }
    let address = machine.address.as_deref().unwrap_or_default();
    let host = address.rsplit('@').next().unwrap_or_default();
    host.parse().ok().with_context(|| {
        format!(
            "machine `{}`: nothing says at which IP address it takes frames; write `frames: \
             ADDRESS`",
            machine.name
        )
    })
}

/// Returns the machines of a list with the command that starts a member on each.
///
/// # Errors
/// If the command names something that the list does not say of a machine, or if the machines are
/// made on this one.
pub fn commands(machines: &Machines) -> Result<Vec<(String, String)>> {
    let start = machines.start.as_deref().context("its machines are made on this one")?;
    let of = |machine: &MemberMachine| Ok((machine.name.clone(), command(start, machine)?));
    machines.list.iter().map(of).collect()
}

/// Returns what is `{netloom}` on a machine.
pub fn binary(machine: &MemberMachine) -> String {
    machine.netloom.as_deref().unwrap_or(BINARY).replace("{netloom}", BINARY)
}

/// Returns the command that starts a member on a machine.
fn command(start: &str, machine: &MemberMachine) -> Result<String> {
    let command = start.replace("{netloom}", &binary(machine));
    if !command.contains("{address}") {
        return Ok(command);
    }
    match &machine.address {
        Some(address) => Ok(command.replace("{address}", address)),
        None => bail!(
            "machine `{}` has no `address`, and the command that starts a member needs one: \
             {start}",
            machine.name
        ),
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(address: Option<&str>) -> MemberMachine {
        MemberMachine { address: address.map(Into::into), ..MemberMachine::named("m2") }
    }

    #[test]
    fn a_command_names_what_the_list_says() {
        let start = "ssh {address} {netloom} __member";
        let found = command(start, &machine(Some("ann@10.0.0.2"))).unwrap();
        assert_eq!(found, "ssh ann@10.0.0.2 netloom __member");
        let with = MemberMachine {
            netloom: Some("sudo -n {netloom}".into()),
            ..machine(Some("10.0.0.2"))
        };
        assert_eq!(command(start, &with).unwrap(), "ssh 10.0.0.2 sudo -n netloom __member");
        let error = command(start, &machine(None)).unwrap_err().to_string();
        assert!(error.contains("`m2` has no `address`"), "{error}");
    }

    #[test]
    fn frames_go_to_the_address_that_is_one() {
        let of = |address| frames(&machine(address));
        assert_eq!(of(Some("ann@10.0.0.2")).unwrap().to_string(), "10.0.0.2");
        assert_eq!(of(Some("fd00::2")).unwrap().to_string(), "fd00::2");
        for none in [None, Some("lab2.example"), Some("ann@lab2")] {
            let error = of(none).unwrap_err().to_string();
            assert!(error.contains("frames: ADDRESS"), "{error}");
        }
    }
}
