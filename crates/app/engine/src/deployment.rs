//! A deployment: a scenario in force, its plan, and the identities of its parts. It is replaced as
//! a whole when the scenario changes while the network runs. Not here: the network itself (`live`).

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Result, anyhow, bail};
use netloom_api::apply::ScenarioInForce;
use netloom_api::launch::Launch;
use netloom_api::member::Member;
use netloom_dataplane::PeerId;
use netloom_fabric::LinkId;
use netloom_link::{Compensation, LinkState, PipeConfig};
use netloom_nodes::Network;
use netloom_plan::{NodePlan, Plan};
use netloom_scenario::{Direction, Endpoint, Link, Node, NodeKind, Scenario};
use netloom_units::Duration;

use crate::interfaces::InterfaceStates;

/// A scenario in force, with its plan and identities.
pub struct Deployment {
    /// The whole network.
    pub whole: Part,
    /// The part of it that this machine's kernel carries: all of it, but for simulated nodes and
    /// those of other machines.
    pub mine: Part,
    /// The scenario's file.
    pub file: PathBuf,
    /// The scenario's text as its user wrote it. `None` if whoever applied it has not sent it.
    pub text: Option<String>,
    /// Which machine carries what, if several do.
    pub member: Option<Arc<Member>>,
    /// The identities of links in the data plane, by name.
    pub links: HashMap<String, LinkId>,
    /// The nodes' numbers, by name: for the monitor, and for switches in the data plane.
    pub nodes: HashMap<String, u32>,
    /// The states of the ends of direct links when their devices were new: the base of the kernel's
    /// counts.
    pub direct_at_start: InterfaceStates,
    /// The time that `compensate: calibrated` takes off a delay, in the experiment's time, or the
    /// reason why it is unknown.
    pub crossing: Result<Duration, String>,
}

/// A network, or a part of it.
#[derive(Clone)]
pub struct Part {
    /// Its scenario.
    pub scenario: Arc<Scenario>,
    /// Its addresses and routes.
    pub plan: Arc<Plan>,
}

impl Part {
    /// A network with its plan.
    pub fn new(scenario: Scenario, plan: Plan) -> Self {
        Self { scenario: Arc::new(scenario), plan: Arc::new(plan) }
    }

    /// Returns its part with all nodes that are not simulated.
    pub fn real(&self) -> Self {
        let scenario = self.scenario.real_part();
        let plan = self.plan.part(|node: &NodePlan| scenario.node(&node.name).is_some());
        Self::new(scenario, plan)
    }

    /// Returns the part of it that `member` carries.
    pub fn of(&self, member: &Member) -> Self {
        let scenario = self.scenario.part(|node| member.has(node));
        let plan = self.plan.part(|node: &NodePlan| member.has(&node.name));
        Self::new(scenario, plan)
    }
}

/// Assigns a number to every node and every link that ever exists. A number never changes, and is
/// never reused while the experiment lives.
#[derive(Debug, Default)]
pub struct Identities {
    nodes: Names,
    links: Names,
}

/// Names, each at the index that is its number.
#[derive(Debug, Default)]
struct Names(Mutex<Vec<String>>);

/// The numbers of the nodes and links of one scenario.
#[derive(Debug)]
pub struct Numbered {
    nodes: HashMap<String, u32>,
    links: HashMap<String, LinkId>,
}

impl Identities {
    /// Returns the numbers of the parts of `scenario`. New parts get new numbers, in order.
    pub fn of(&self, scenario: &Scenario) -> Numbered {
        let nodes = scenario.nodes.iter().map(|node| node.name.as_str());
        let links = scenario.modelled_links().map(|link| link.name.as_str());
        let links = self.links.of(links).into_iter();
        Numbered {
            nodes: self.nodes.of(nodes),
            links: links.map(|(name, number)| (name, LinkId(number))).collect(),
        }
    }

    /// Returns the names of all nodes so far, each at its number.
    pub fn node_names(&self) -> Vec<String> {
        self.nodes.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Numbered {
    /// Whether the nodes are those of `deployment`, with equal numbers.
    pub fn has_nodes_of(&self, deployment: &Deployment) -> bool {
        self.nodes == deployment.nodes
    }
}

impl Names {
    fn of<'a>(&self, wanted: impl Iterator<Item = &'a str>) -> HashMap<String, u32> {
        let mut names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known: HashMap<String, u32> =
            (0..).zip(&*names).map(|(n, s)| (s.clone(), n)).collect();
        let mut numbers = HashMap::new();
        for name in wanted {
            let number = *known.entry(name.to_owned()).or_insert_with(|| {
                names.push(name.to_owned());
                // No machine can hold more names than that.
                u32::try_from(names.len() - 1).unwrap_or(u32::MAX)
            });
            numbers.insert(name.to_owned(), number);
        }
        numbers
    }
}

impl Deployment {
    /// Makes a deployment whose direct links have counted nothing yet.
    pub fn new(
        whole: Part,
        mine: Part,
        numbered: Numbered,
        file: PathBuf,
        crossing: Result<Duration, String>,
    ) -> Self {
        let Numbered { nodes, links } = numbered;
        let direct_at_start = InterfaceStates::new();
        let member = None;
        let text = None;
        Self { whole, mine, file, text, member, links, nodes, direct_at_start, crossing }
    }

    /// Returns the scenario in force, for the API.
    pub fn in_force(&self) -> ScenarioInForce {
        let scenario = Scenario::clone(&self.whole.scenario);
        ScenarioInForce { file: self.file.clone(), text: self.text.clone(), scenario }
    }

    /// Returns the network around this machine's nodes, with all that their links and traffic lead
    /// to: the nodes of other machines belong to it, and simulated ones do not.
    pub fn around(&self) -> &Part {
        if self.member.is_some() { &self.whole } else { &self.mine }
    }

    /// Whether a node is on this machine. Simulated nodes are not in its kernel, but here.
    pub fn is_here(&self, node: &str) -> bool {
        self.member.as_ref().is_none_or(|member| member.has(node))
    }

    /// Returns the machine that has the other end of a link, if one end is on this machine and the
    /// other is not.
    pub fn peer(&self, link: &Link) -> Option<PeerId> {
        let member = self.member.as_deref()?;
        let [here, away] = link.endpoints.each_ref().map(|end| &end.node);
        let (here, away) = if member.has(here) { (here, away) } else { (away, here) };
        if !member.has(here) || member.has(away) {
            return None;
        }
        let number = member.number(member.machine_of(away)?)?;
        Some(PeerId(u32::try_from(number).ok()?))
    }

    /// Refuses a change of a link whose other end is on another machine: it would change one end
    /// alone, and each direction where it begins only.
    ///
    /// # Errors
    /// If it is one. The error names what does change both.
    pub fn has_both_ends(&self, name: &str) -> Result<()> {
        let away = self.mine.scenario.link(name).and_then(|link| self.peer(link));
        let Some(machine) = away else { return Ok(()) };
        let member = self.member.as_deref();
        let place = usize::try_from(machine.0).unwrap_or(usize::MAX);
        let machine = member.and_then(|member| member.machines.get(place));
        bail!(
            "link `{name}` leads to machine {}, which would not change its end: change it in the \
             scenario's timeline, which changes both",
            machine.map_or("?", String::as_str)
        )
    }

    /// Returns the name of the experiment, by which its engine on this machine is found.
    pub fn name(&self) -> String {
        let name = &self.whole.scenario.name;
        match &self.member {
            None => name.clone(),
            Some(member) => Launch::member_name(name, &member.name),
        }
    }

    /// Returns the configuration that a pipe of `link` runs on if it is to have `config`.
    ///
    /// # Errors
    /// If its compensation refers to a time that is unknown.
    pub fn resolved(&self, link: &str, mut config: PipeConfig) -> Result<PipeConfig> {
        config.compensate = self.compensation(link, config.compensate)?;
        Ok(config)
    }

    /// Returns the compensation that `asked` means for the delay of `link`.
    ///
    /// # Errors
    /// If it refers to a time that is unknown.
    pub fn compensation(&self, link: &str, asked: Compensation) -> Result<Compensation> {
        asked.resolved(&self.crossing).map_err(|why| {
            anyhow!(
                "link `{link}` cannot be compensated by what was measured of this machine: {why}"
            )
        })
    }

    /// Whether this machine's kernel carries the whole network.
    pub fn is_all_mine(&self) -> bool {
        !self.whole.scenario.is_hybrid() && self.member.is_none()
    }

    /// Returns the link of an identity.
    pub fn link(&self, id: LinkId) -> Option<&Link> {
        let name = self.links.iter().find(|(_, link)| **link == id).map(|(name, _)| name)?;
        self.mine.scenario.link(name)
    }

    /// Returns the identity of a link in the data plane. The error says why there is none.
    pub fn modelled(&self, name: &str) -> Result<LinkId> {
        self.links.get(name).copied().ok_or_else(|| match self.mine.scenario.link(name) {
            Some(_) => anyhow!(
                "link `{name}` is direct: a pair of kernel devices, whose frames the engine does \
                 not see; leave out `direct: true` in the scenario for a link that the engine \
                 carries"
            ),
            None => {
                let names = self.mine.scenario.links.iter().map(|link| link.name.as_str());
                unknown("link", name, names)
            }
        })
    }

    /// Returns the name of the link that a user calls `name`, which may have its ends in the other
    /// order, or its only link between two nodes. A name without a link stays.
    ///
    /// # Errors
    /// If it stands for several links, or `direction` would be that of the other order.
    pub fn called(&self, name: &str, direction: Direction) -> Result<String> {
        match self.whole.scenario.link_called(name) {
            Ok((link, turned)) if turned && direction != Direction::Both => bail!(
                "`{name}` is link `{}`, whose directions are its own: write that, and the \
                 direction as its ends are there",
                link.name
            ),
            Ok((link, _)) => Ok(link.name.clone()),
            Err(several) if several.is_empty() => Ok(name.into()),
            Err(several) => {
                bail!("`{name}` stands for several links: write one of `{}`", several.join("`, `"))
            }
        }
    }

    /// Returns the links in the data plane with their identities, in the order of the scenario.
    pub fn modelled_links(&self) -> impl Iterator<Item = (LinkId, &Link)> {
        let links = self.mine.scenario.modelled_links();
        links.filter_map(|link| Some((*self.links.get(&link.name)?, link)))
    }

    /// Returns the link that ends at an interface, and the index of that end.
    pub fn link_at(&self, interface: &Endpoint) -> Result<(&Link, usize)> {
        let at = |link: &Link| link.endpoints.iter().position(|endpoint| endpoint == interface);
        let found = self.mine.scenario.links.iter().find_map(|link| Some((link, at(link)?)));
        found.ok_or_else(|| {
            let ends = self.mine.scenario.links.iter().flat_map(|link| &link.endpoints);
            let all: Vec<String> = ends.map(ToString::to_string).collect();
            unknown("interface", &interface.to_string(), all.iter().map(String::as_str))
        })
    }

    /// Returns the simulated link at an interface of a real node, if there is one. It is an error
    /// if the interface belongs to a simulated node.
    pub fn border_link(&self, interface: &Endpoint) -> Result<Option<&Link>> {
        let whole = &self.whole.scenario;
        if whole.node(&interface.node).is_some_and(|node| node.simulated) {
            bail!(
                "`{}` is simulated, and nobody sees its frames: capture at a node that is not, or \
                 run with `--simulate`",
                interface.node
            );
        }
        Ok(whole.simulated_links().find(|link| link.endpoints.contains(interface)))
    }

    /// Returns the number of a node.
    pub fn number(&self, node: &str) -> Option<u32> {
        self.nodes.get(node).copied()
    }

    /// Returns the node called `name`, if processes can run in it. The error says why not.
    pub fn process_node(&self, name: &str) -> Result<&Node> {
        if self.whole.scenario.node(name).is_some_and(|node| node.simulated) {
            bail!("`{name}` is simulated: it has no kernel in which anything could run");
        }
        if let Some(member) = &self.member
            && let Some(machine) = member.machine_of(name).filter(|_| !member.has(name))
        {
            bail!(
                "`{name}` is on machine {machine}: ask the experiment `{}`",
                Launch::member_name(&self.whole.scenario.name, machine)
            );
        }
        let node = self.mine.scenario.node(name).ok_or_else(|| {
            let names = self.mine.scenario.nodes.iter().map(|node| node.name.as_str());
            unknown("node", name, names)
        })?;
        if node.kind.is_segment() {
            let what = if node.kind == NodeKind::Switch { "switch" } else { "medium" };
            bail!("`{name}` is a {what}: a segment inside the engine in which nothing can run");
        }
        if node.kind == NodeKind::Outside {
            bail!("`{name}` is no node but this machine: run the command here");
        }
        Ok(node)
    }

    /// Returns the nodes that have a limit on memory, their own or a shared one.
    pub fn memory_limited(&self) -> Vec<String> {
        let limited = |node: &&Node| {
            self.mine.scenario.limits_over(node).iter().any(|limits| limits.memory.is_some())
        };
        self.mine.scenario.nodes.iter().filter(limited).map(|node| node.name.clone()).collect()
    }

    /// Returns the nodes' numbers by the inodes of their network namespaces. Switches have none.
    pub fn namespaces(&self, network: &Network) -> HashMap<u64, u32> {
        let found = self.mine.scenario.nodes.iter().filter_map(|node| {
            Some((network.namespace_inode(&node.name)?, self.number(&node.name)?))
        });
        found.collect()
    }

    /// Returns the interfaces of nodes at the ends of a link in the data plane.
    pub fn interfaces_of(&self, link: &Link) -> impl Iterator<Item = Endpoint> {
        let ends = link.endpoints.iter().filter(|end| self.mine.plan.node(&end.node).is_some());
        ends.flat_map(|end| self.mine.scenario.interfaces_at(end))
    }

    /// Returns the ends of direct links.
    pub fn direct_ends(&self) -> Vec<Endpoint> {
        let direct = self.mine.scenario.links.iter().filter(|link| link.direct);
        direct.flat_map(|link| link.endpoints.clone()).collect()
    }
}

/// Whether the scenario sets both directions of a link to down.
pub fn is_cut(link: &Link) -> bool {
    [&link.forward, &link.reverse].iter().all(|pipe| pipe.state == LinkState::Down)
}

/// Makes an error for a name that does not exist, with the most similar one that does.
pub fn unknown<'a>(what: &str, name: &str, names: impl Iterator<Item = &'a str>) -> anyhow::Error {
    match netloom_scenario::similar(name, names) {
        Some(nearest) => anyhow!("there is no {what} `{name}`; did you mean `{nearest}`?"),
        None => anyhow!("there is no {what} `{name}`; `netloom inspect` lists them"),
    }
}
