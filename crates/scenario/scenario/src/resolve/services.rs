//! Services of nodes: their templates, their options, and the services that they need.

use std::collections::BTreeMap;

use netloom_document::{Diagnostic, Span, Spanned};

use super::nodes::NodeDraft;
use super::report::Report;
use crate::address::IpPrefix;
use crate::files::Files;
use crate::raw::{RawInterfaceOptions, RawService, RawServices};
use crate::service::{
    self, OptionKind, OptionValue, ServiceOption, ServiceTemplate, builtin_names,
};
use crate::software::ServiceUse;

/// Option with the file of the user's own template.
const TEMPLATE: &str = "template";

/// Services of one node after all layers.
#[derive(Default)]
pub(super) struct ServiceDrafts<'a>(BTreeMap<&'a str, ServiceDraft<'a>>);

/// One service of a node.
struct ServiceDraft<'a> {
    /// Position where the service is last named.
    span: Span,
    options: BTreeMap<&'a str, (Span, &'a Spanned<OptionValue>)>,
}

impl<'a> ServiceDrafts<'a> {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Overrides these options with those that `layer` sets, each option separately.
    pub fn lay_over(&mut self, layer: &'a RawServices) {
        for (name, said) in &layer.0 {
            let RawService::On(options) = said else {
                self.0.remove(name.as_str());
                continue;
            };
            let draft = self
                .0
                .entry(name.as_str())
                .or_insert_with(|| ServiceDraft { span: name.span, options: BTreeMap::new() });
            draft.span = name.span;
            let said = options.iter().map(|(key, value)| (key.as_str(), (key.span, value)));
            draft.options.extend(said);
        }
    }

    /// Returns all services that run, including those that others need.
    pub fn resolve(
        &self,
        templates: &mut Templates<'_, '_>,
        report: &mut Report<'_>,
    ) -> BTreeMap<String, ServiceUse> {
        let mut resolved = BTreeMap::new();
        // Services that are still to be resolved, each with the position that requires it.
        let mut open: Vec<(String, Span)> =
            self.0.iter().map(|(name, draft)| ((*name).to_owned(), draft.span)).collect();
        while let Some((name, span)) = open.pop() {
            if resolved.contains_key(&name) {
                continue;
            }
            let draft = self.0.get(name.as_str());
            let Some((key, template)) = templates.find(&name, span, draft, report) else {
                continue;
            };
            open.extend(template.needs.iter().map(|needed| (needed.clone(), span)));
            let options = options(&name, span, draft, &template, report);
            resolved.insert(name, ServiceUse { template: key, options });
        }
        resolved
    }
}

/// Templates of a scenario, each read once.
pub(super) struct Templates<'f, 'r> {
    pub files: &'f mut Files<'r>,
    /// By the name of the service, or of the file; `None` for an invalid template.
    read: BTreeMap<String, Option<ServiceTemplate>>,
}

impl<'f, 'r> Templates<'f, 'r> {
    pub fn new(files: &'f mut Files<'r>) -> Self {
        Self { files, read: BTreeMap::new() }
    }

    /// Returns a template that was read.
    pub fn loaded(&self, key: &str) -> Option<&ServiceTemplate> {
        self.read.get(key)?.as_ref()
    }

    /// Returns all valid templates that were read.
    pub fn finish(self) -> BTreeMap<String, ServiceTemplate> {
        self.read.into_iter().filter_map(|(key, template)| Some((key, template?))).collect()
    }

    /// Returns the template of the service `name`, and its key.
    fn find(
        &mut self,
        name: &str,
        span: Span,
        draft: Option<&ServiceDraft<'_>>,
        report: &mut Report<'_>,
    ) -> Option<(String, ServiceTemplate)> {
        let own = draft.and_then(|draft| draft.options.get(TEMPLATE));
        let (key, template) = match own {
            Some((_, value)) => {
                let OptionValue::Text(file) = &value.value else {
                    report.error(Diagnostic::error(value.span, "a template is one file"));
                    return None;
                };
                let template = self.own(file, value.span, report);
                (file.clone(), template)
            }
            None => (name.to_owned(), self.builtin(name, span, report)),
        };
        template.map(|template| (key, template))
    }

    fn own(&mut self, file: &str, span: Span, report: &mut Report<'_>) -> Option<ServiceTemplate> {
        if let Some(known) = self.read.get(file) {
            return known.clone();
        }
        let template = match self.files.text(file) {
            Ok(text) => service::template(&text).map_err(|findings| {
                findings.iter().map(|finding| in_file(file, span, finding)).collect()
            }),
            Err(unreadable) => {
                let message = format!("cannot read the template `{file}`: {}", unreadable.reason);
                let finding = Diagnostic::error(span, message);
                Err(vec![finding.with_optional_help(unreadable.help)])
            }
        };
        let template = template.map_err(|findings: Vec<Diagnostic>| {
            findings.into_iter().for_each(|finding| report.error(finding));
        });
        self.read.insert(file.into(), template.clone().ok());
        template.ok()
    }

    fn builtin(
        &mut self,
        name: &str,
        span: Span,
        report: &mut Report<'_>,
    ) -> Option<ServiceTemplate> {
        if let Some(known) = self.read.get(name) {
            return known.clone();
        }
        let Some(template) = service::builtin(name) else {
            let message = format!("there is no service `{name}`");
            let help =
                report.did_you_mean(name, "the services are", builtin_names()).unwrap_or_else(
                    || format!("for one of your own, write `{name}: {{template: FILE}}`"),
                );
            report.error(Diagnostic::error(span, message).with_help(help));
            return None;
        };
        self.read.insert(name.into(), Some(template.clone()));
        Some(template)
    }
}

/// Converts a finding in a template to one at the position where the scenario names the template.
fn in_file(file: &str, span: Span, finding: &Diagnostic) -> Diagnostic {
    let at = finding.span;
    let found = without_texts(&finding.message);
    let message = format!("`{file}`, line {}, column {}: {found}", at.line, at.column);
    Diagnostic::error(span, message).with_optional_help(finding.help.clone())
}

/// Shortens long quoted texts in a message to their first word. The file may not be the one that
/// the user meant, and may contain secrets.
fn without_texts(message: &str) -> String {
    /// Largest number of characters of a key or kind in a template.
    const MOST: usize = 20;
    let parts = message.split('`').enumerate().map(|(index, part)| {
        let is_quoted = index % 2 == 1;
        if !is_quoted || part.chars().count() <= MOST {
            return part.to_owned();
        }
        let is_word = |c: &char| c.is_alphanumeric() || matches!(c, '_' | '-');
        part.chars().take_while(is_word).take(MOST).chain(['…']).collect()
    });
    parts.collect::<Vec<String>>().join("`")
}

/// Returns the values of all options that have one.
fn options(
    service: &str,
    span: Span,
    draft: Option<&ServiceDraft<'_>>,
    template: &ServiceTemplate,
    report: &mut Report<'_>,
) -> BTreeMap<String, OptionValue> {
    let mut values: BTreeMap<String, OptionValue> = BTreeMap::new();
    for (name, option) in &template.options {
        let said = draft.and_then(|draft| draft.options.get(name.as_str()));
        if option.required && said.is_none() {
            let message = format!("the service `{service}` needs the option `{name}`");
            let what =
                if option.description.is_empty() { "its value" } else { &option.description };
            let help = format!("write `{service}: {{{name}: …}}`: {what}");
            report.error(Diagnostic::error(span, message).with_help(help));
        }
        values.extend(option.default.clone().map(|default| (name.clone(), default)));
    }
    let said = draft.into_iter().flat_map(|draft| &draft.options);
    for (name, (key, value)) in said.filter(|(name, _)| **name != TEMPLATE) {
        match template.options.get(*name) {
            Some(option) => {
                check_value(name, value, option, report);
                values.insert((*name).into(), value.value.clone());
            }
            None => {
                unknown_option(service, name, *key, template.options.keys(), report);
            }
        }
    }
    values
}

fn unknown_option<'o>(
    service: &str,
    name: &str,
    span: Span,
    known: impl Iterator<Item = &'o String>,
    report: &mut Report<'_>,
) {
    let message = format!("the service `{service}` has no option `{name}`");
    let help = report.did_you_mean(name, "its options are", known.map(String::as_str));
    report.error(Diagnostic::error(span, message).with_optional_help(help));
}

/// Resolves the options that interfaces of nodes have of their own.
pub(super) fn at_interfaces(
    nodes: &mut [NodeDraft<'_>],
    templates: &BTreeMap<String, ServiceTemplate>,
    report: &mut Report<'_>,
) {
    for node in nodes.iter_mut() {
        for interface in &mut node.interfaces {
            let raw = node.raw.head.interfaces.find(&interface.name);
            for (service, options) in raw.iter().flat_map(|raw| raw.services.iter()) {
                let Some(used) = node.software.services.get(&service.value) else {
                    let message =
                        format!("node `{}` has no service `{}`", node.name.value, service.value);
                    let help = format!("add it, like `services: [{}]`", service.value);
                    report.error(Diagnostic::error(service.span, message).with_help(help));
                    continue;
                };
                let Some(template) = templates.get(&used.template) else { continue };
                let values = options_at_interface(&service.value, options, template, report);
                interface.services.insert(service.value.clone(), values);
            }
        }
    }
}

fn options_at_interface(
    service: &str,
    options: &RawInterfaceOptions,
    template: &ServiceTemplate,
    report: &mut Report<'_>,
) -> BTreeMap<String, OptionValue> {
    let per_interface = || {
        let options = template.options.iter().filter(|(_, option)| option.per_interface);
        options.map(|(name, _)| name)
    };
    let mut values = BTreeMap::new();
    for (name, value) in options.iter() {
        match template.options.get(&name.value) {
            Some(option) if option.per_interface => {
                check_value(&name.value, value, option, report);
                values.insert(name.value.clone(), value.value.clone());
            }
            Some(_) => {
                let message = format!(
                    "the option `{}` of the service `{service}` is one of the whole node",
                    name.value
                );
                let known: Vec<&str> = per_interface().map(String::as_str).collect();
                let help = match known[..] {
                    [] => format!("write it under the node's `services: {{{service}: …}}`"),
                    _ => format!("those of an interface are `{}`", known.join("`, `")),
                };
                report.error(Diagnostic::error(name.span, message).with_help(help));
            }
            None => unknown_option(service, &name.value, name.span, per_interface(), report),
        }
    }
    values
}

fn check_value(
    name: &str,
    value: &Spanned<OptionValue>,
    option: &ServiceOption,
    report: &mut Report<'_>,
) {
    let texts = match &value.value {
        OptionValue::Text(text) => std::slice::from_ref(text),
        OptionValue::List(texts) => texts,
    };
    let is_list = matches!(value.value, OptionValue::List(_));
    let problem = if is_list && !option.kind.is_list() {
        Some(format!("the option `{name}` has one value, and this is a list"))
    } else {
        texts.iter().find_map(|text| problem(name, text, option))
    };
    if let Some(problem) = problem {
        let help = option.description.clone();
        let finding = Diagnostic::error(value.span, problem);
        report.error(finding.with_optional_help((!help.is_empty()).then_some(help)));
    }
}

/// Returns what is wrong with one text of an option, or `None`.
fn problem(name: &str, text: &str, option: &ServiceOption) -> Option<String> {
    let word = match option.kind {
        OptionKind::List => text.split_whitespace().next().unwrap_or_default(),
        _ => text,
    };
    if let Some(valid) = option.one_of.as_ref().filter(|valid| !valid.iter().any(|v| v == word)) {
        return Some(format!("`{name}` is one of `{}`, not `{word}`", valid.join("`, `")));
    }
    match option.kind {
        OptionKind::Text | OptionKind::List => text
            .contains(char::is_control)
            .then(|| format!("the option `{name}` is a line of text, without control characters")),
        OptionKind::Prefixes => {
            text.parse::<IpPrefix>().err().map(|error| format!("`{text}`: {error}"))
        }
        OptionKind::Area => service::area(text).is_none().then(|| {
            format!("`{text}` is no area of OSPF, which is a number, or four like `0.0.0.1`")
        }),
        OptionKind::Flag => (!matches!(text, "true" | "false"))
            .then(|| format!("`{text}` is neither `true` nor `false`")),
        OptionKind::Number | OptionKind::Seconds | OptionKind::Milliseconds => {
            let (min, max) = (option.min.unwrap_or(0), option.max.unwrap_or(u64::MAX));
            let unit = match option.kind {
                OptionKind::Seconds => " s",
                OptionKind::Milliseconds => " ms",
                _ => "",
            };
            match option.kind.number(text)? {
                Ok(number) if (min..=max).contains(&number) => None,
                Ok(_) => Some(format!("`{name}` is from {min} to {max}{unit}, not {text}")),
                Err(problem) => Some(problem),
            }
        }
    }
}
