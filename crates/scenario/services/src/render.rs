//! Fills in the templates of the services of all nodes.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use minijinja::{Value, context};
use netloom_plan::Plan;
use netloom_scenario::service::{OptionKind, OptionValue, Program, ServiceTemplate, TemplateTest};
use netloom_scenario::{Command, Node, Ready, Scenario, ServiceUse};

use crate::surroundings::{Map, Spoken, Surroundings};
use crate::texts::{Elsewhere, TemplateUse, Texts};
use crate::{Directory, File, Missing, NodeServices, Service, ServiceError};

/// Finds the path of a program in a node. Its arguments are the node, the program's name, and where
/// it may be.
pub type Find<'a> = dyn Fn(&Node, &str, &Program) -> Option<String> + 'a;

/// Fills in the services of all nodes that have files or services. Texts of the scenario's own
/// templates are filled in by `elsewhere`.
///
/// # Errors
/// [`ServiceError`]: all programs that are missing, or a template that cannot be filled in.
pub fn render(
    scenario: &Scenario,
    plan: &Plan,
    find: &Find<'_>,
    elsewhere: &Elsewhere<'_>,
) -> Result<BTreeMap<String, NodeServices>, ServiceError> {
    let programs = find_programs(scenario, find)?;
    let texts = Texts::new(scenario, elsewhere);
    let spoken = spoken(scenario, &texts)?;
    let map = Map::new(plan, &scenario.links, &spoken);
    let mut rendered = BTreeMap::new();
    for node in &scenario.nodes {
        if node.software.services.is_empty() && node.software.files.is_empty() {
            continue;
        }
        // Only now, because this lists everybody on a segment.
        let Some(around) = map.around(&node.name, &spoken) else { continue };
        let of_node =
            OfNode { scenario, node, around: &around, programs: &programs, texts: &texts };
        rendered.insert(node.name.clone(), of_node.render()?);
    }
    Ok(rendered)
}

/// Paths of programs, by node and name.
type Programs<'a> = HashMap<(&'a str, &'a str), String>;

/// All services of all nodes, with their templates.
fn uses(scenario: &Scenario) -> impl Iterator<Item = (&Node, &str, &ServiceUse, &ServiceTemplate)> {
    scenario.nodes.iter().flat_map(move |node| {
        node.software.services.iter().filter_map(move |(name, service)| {
            Some((node, name.as_str(), service, scenario.templates.get(&service.template)?))
        })
    })
}

fn find_programs<'a>(
    scenario: &'a Scenario,
    find: &Find<'_>,
) -> Result<Programs<'a>, ServiceError> {
    let mut found = HashMap::new();
    let mut missing: Vec<Missing> = vec![];
    for (node, service, _, template) in uses(scenario) {
        for (name, program) in &template.programs {
            if let Some(path) = find(node, name, program) {
                found.insert((node.name.as_str(), name.as_str()), path);
                continue;
            }
            let same = |known: &&mut Missing| known.program == *name && known.service == service;
            match missing.iter_mut().find(same) {
                Some(known) => known.nodes.push(node.name.clone()),
                None => missing.push(Missing {
                    program: name.clone(),
                    package: program.package.clone(),
                    service: service.into(),
                    nodes: vec![node.name.clone()],
                }),
            }
        }
    }
    if missing.is_empty() { Ok(found) } else { Err(ServiceError::Missing { missing }) }
}

/// Fills in the protocols that every node speaks.
fn spoken<'a>(scenario: &'a Scenario, texts: &Texts<'_>) -> Result<Spoken<'a>, ServiceError> {
    let mut spoken: Spoken<'a> = HashMap::new();
    for (node, service, service_use, template) in uses(scenario) {
        let place = TemplateUse { node: &node.name, service, template: &service_use.template };
        let options = options(service_use, template);
        for (protocol, text) in &template.speaks {
            let value = texts.fill(place, "`speaks`", text, &context! { options })?;
            // `none` is the text of an option without a value.
            if !matches!(value.trim(), "" | "false" | "none") {
                spoken.entry(&node.name).or_default().insert(protocol.clone(), value);
            }
        }
    }
    Ok(spoken)
}

/// The options of a service, as its templates refer to them.
fn options(service: &ServiceUse, template: &ServiceTemplate) -> BTreeMap<String, Value> {
    let value = |(name, option): (&String, &netloom_scenario::service::ServiceOption)| {
        let value = match (option.kind, service.options.get(name)) {
            (_, None) => Value::from(()),
            (kind, Some(OptionValue::Text(text))) if kind.is_list() => {
                Value::from(vec![text.clone()])
            }
            (_, Some(OptionValue::List(texts))) => Value::from(texts.clone()),
            // Values were checked when the scenario was read.
            (OptionKind::Flag, Some(OptionValue::Text(text))) => Value::from(text == "true"),
            (kind @ (OptionKind::Text | OptionKind::Area), Some(OptionValue::Text(text))) => {
                Value::from(kind.canonical(text))
            }
            (kind, Some(OptionValue::Text(text))) => {
                let number = kind.number(text).and_then(Result::ok);
                number.map_or(Value::UNDEFINED, Value::from)
            }
        };
        (name.clone(), value)
    };
    template.options.iter().map(value).collect()
}

/// The services of one node.
struct OfNode<'a> {
    scenario: &'a Scenario,
    node: &'a Node,
    around: &'a Surroundings,
    programs: &'a Programs<'a>,
    texts: &'a Texts<'a>,
}

impl OfNode<'_> {
    fn render(&self) -> Result<NodeServices, ServiceError> {
        let mut all = NodeServices::default();
        for (name, service) in &self.node.software.services {
            let Some(template) = self.scenario.templates.get(&service.template) else { continue };
            let programs: BTreeMap<&str, &String> = template
                .programs
                .keys()
                .filter_map(|p| Some((p.as_str(), self.programs.get(&(&*self.node.name, &**p))?)))
                .collect();
            let at_interface = |interface: &str| {
                let mut interfaces = self.node.interfaces.iter();
                let own = interfaces.find(|known| known.name == interface);
                let own = own.and_then(|interface| interface.services.get(name));
                let mut service = service.clone();
                service.options.extend(own.cloned().unwrap_or_default());
                options(&service, template)
            };
            let context = context! {
                options => options(service, template),
                programs,
                ..Value::from_serialize(self.around.with_options(at_interface))
            };
            let place =
                TemplateUse { node: &self.node.name, service: name, template: &service.template };
            OfService { place, template, context, texts: self.texts }.render(&mut all)?;
        }
        for service in &mut all.services {
            service.wave = self.wave(&service.name, &mut BTreeSet::new())?;
        }
        all.services.sort_by_key(|service| service.wave);
        self.lay_files_over(&mut all);
        Ok(all)
    }

    /// Length of the longest chain of services that `service` needs.
    fn wave<'s>(
        &'s self,
        service: &'s str,
        seen: &mut BTreeSet<&'s str>,
    ) -> Result<usize, ServiceError> {
        if !seen.insert(service) {
            return Err(ServiceError::Cycle {
                node: self.node.name.clone(),
                service: service.into(),
            });
        }
        let template = self.node.software.services.get(service);
        let template = template.and_then(|s| self.scenario.templates.get(&s.template));
        let mut wave = 0;
        for needed in template.into_iter().flat_map(|template| &template.needs) {
            wave = wave.max(self.wave(needed, seen)? + 1);
        }
        seen.remove(service);
        Ok(wave)
    }

    /// Adds the scenario's own files, which take precedence. The service decides whatever they
    /// leave open.
    fn lay_files_over(&self, all: &mut NodeServices) {
        for (path, file) in &self.node.software.files {
            let generated = all.files.remove(path);
            let mode = generated.as_ref().map_or(0o644, |generated| generated.mode);
            let file = File {
                content: file.content.clone(),
                owner: generated.and_then(|generated| generated.owner),
                mode: file.mode.unwrap_or(mode),
            };
            all.files.insert(path.clone(), file);
        }
    }
}

/// One service of one node.
struct OfService<'a> {
    place: TemplateUse<'a>,
    template: &'a ServiceTemplate,
    context: Value,
    texts: &'a Texts<'a>,
}

impl OfService<'_> {
    fn render(&self, all: &mut NodeServices) -> Result<(), ServiceError> {
        let template = self.template;
        for (path, directory) in &template.directories {
            let mode = self.mode(path, directory.mode.as_deref(), 0o755)?;
            let directory = Directory { owner: directory.owner.clone(), mode };
            all.directories.insert(self.path("a directory", path)?, directory);
        }
        let mut files = vec![];
        for (path, file) in &template.files {
            let content = self.fill(&format!("file {path}"), &file.content)?;
            let mode = self.mode(path, file.mode.as_deref(), 0o644)?;
            let file = File { content, owner: file.owner.clone(), mode };
            let path = self.path("a file", path)?;
            files.push(path.clone());
            all.files.insert(path, file);
        }
        let prepare = template.prepare.iter().map(|argv| self.argv("`prepare`", argv));
        all.services.push(Service {
            name: self.place.service.into(),
            wave: 0,
            needs: template.needs.clone(),
            files,
            user: template.user.clone(),
            prepare: prepare.collect::<Result<_, _>>()?,
            command: self.argv("`command`", &template.command)?,
            ready: template.ready.as_ref().map(|test| self.test("`ready`", test)).transpose()?,
            health: template.health.as_ref().map(|test| self.test("`health`", test)).transpose()?,
        });
        Ok(())
    }

    fn fill(&self, what: &str, text: &str) -> Result<String, ServiceError> {
        self.texts.fill(self.place, what, text, &self.context)
    }

    fn argv(&self, what: &str, argv: &[String]) -> Result<Vec<String>, ServiceError> {
        let filled: Vec<String> =
            argv.iter().map(|word| self.fill(what, word)).collect::<Result<_, _>>()?;
        match filled.first() {
            Some(program) if !program.is_empty() => Ok(filled),
            _ => Err(self.value(what, &filled.join(" "), "a program with its arguments")),
        }
    }

    fn path(&self, what: &str, text: &str) -> Result<String, ServiceError> {
        let path = self.fill(what, text)?;
        let plain = path.starts_with('/')
            && path.len() > 1
            && path[1..].split('/').all(|part| !matches!(part, "" | "." | ".."));
        if plain { Ok(path) } else { Err(self.value(what, &path, "an absolute path")) }
    }

    fn mode(&self, path: &str, text: Option<&str>, default: u32) -> Result<u32, ServiceError> {
        let Some(text) = text else { return Ok(default) };
        let mode = u32::from_str_radix(text, 8).ok().filter(|mode| *mode <= 0o7777);
        mode.ok_or_else(|| self.value(&format!("the mode of {path}"), text, "octal, like `0644`"))
    }

    fn test(&self, what: &str, test: &TemplateTest) -> Result<Ready, ServiceError> {
        Ok(match test {
            TemplateTest::Port(text) => {
                let port = self.fill(what, text)?;
                let number = port.parse().ok().filter(|number| *number != 0);
                Ready::Port(number.ok_or_else(|| self.value(what, &port, "a port"))?)
            }
            TemplateTest::Path(text) => Ready::Path(self.path(what, text)?),
            TemplateTest::Output(text) => Ready::Output(self.fill(what, text)?),
            TemplateTest::Command(argv) => Ready::Command(Command::Exec(self.argv(what, argv)?)),
        })
    }

    fn value(&self, what: &str, text: &str, wanted: &'static str) -> ServiceError {
        ServiceError::Value {
            node: self.place.node.into(),
            service: self.place.service.into(),
            what: what.into(),
            text: text.into(),
            wanted,
        }
    }
}
