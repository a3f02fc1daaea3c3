//! Software of nodes: merged key by key from all layers, and checked.

use std::collections::BTreeMap;

use netloom_document::{Diagnostic, Span, Spanned};

use super::nodes::NodeDraft;
use super::report::Report;
use super::services::{ServiceDrafts, Templates};
use crate::files::{Files, Unreadable};
use crate::raw::{RawBind, RawFile, RawNodeProps};
use crate::service::ServiceTemplate;
use crate::software::{Bind, NodeFile, Software};
use crate::spec::Command;

/// Paths of the kernel's file systems, which cannot contain files or binds.
const OF_THE_KERNEL: &[&str] = &["/proc", "/sys", "/dev"];

/// The software of one node in all layers.
#[derive(Default)]
pub(super) struct SoftwareDraft<'a> {
    root: Option<&'a Spanned<String>>,
    files: BTreeMap<&'a str, (Span, &'a Spanned<RawFile>)>,
    env: BTreeMap<&'a str, (Span, &'a str)>,
    binds: BTreeMap<&'a str, (Span, &'a Spanned<RawBind>)>,
    startup: Vec<Command>,
    services: ServiceDrafts<'a>,
}

impl<'a> SoftwareDraft<'a> {
    /// Overrides this software with that of `layer`. Commands of all layers are kept.
    pub fn lay_over(&mut self, layer: &'a RawNodeProps) {
        self.root = layer.root.as_ref().or(self.root);
        self.files.extend(layer.files.iter().map(|(path, f)| (path.as_str(), (path.span, f))));
        let env = layer.env.iter().map(|(name, v)| (name.as_str(), (name.span, v.0.as_str())));
        self.env.extend(env);
        self.binds.extend(layer.binds.iter().map(|(path, b)| (path.as_str(), (path.span, b))));
        self.startup.extend(layer.startup.iter().map(|command| command.0.clone()));
        self.services.lay_over(&layer.services);
    }

    fn is_empty(&self) -> bool {
        self.root.is_none()
            && self.files.is_empty()
            && self.env.is_empty()
            && self.binds.is_empty()
            && self.startup.is_empty()
            && self.services.is_empty()
    }

    fn resolve(&self, templates: &mut Templates<'_, '_>, report: &mut Report<'_>) -> Software {
        let mut files = BTreeMap::new();
        for (path, (span, file)) in &self.files {
            check_path(path, *span, report);
            files.insert((*path).into(), resolve_file(path, *span, file, templates.files, report));
        }
        let mut env = BTreeMap::new();
        for (name, (span, value)) in &self.env {
            check_variable(name, value, *span, report);
            env.insert((*name).into(), (*value).into());
        }
        let binds = self.resolve_binds(report);
        let services = self.services.resolve(templates, report);
        let root = self.root.map(|root| root.value.clone());
        Software { root, files, env, binds, startup: self.startup.clone(), services }
    }

    fn resolve_binds(&self, report: &mut Report<'_>) -> BTreeMap<String, Bind> {
        let mut binds = BTreeMap::new();
        for (machine, (span, bind)) in &self.binds {
            check_path(&bind.to, bind.span, report);
            if machine.is_empty() {
                report.error(Diagnostic::error(*span, "an empty path names nothing"));
            }
            if let Some((file, _)) = self.files.get(bind.to.as_str()) {
                let message = format!("`{}` is among the node's `files`, too", bind.to);
                report.error(
                    Diagnostic::error(bind.span, message)
                        .with_related(*file, "the file")
                        .with_help("keep one of them"),
                );
            }
            let seen = Bind { machine: (*machine).into(), write: bind.write };
            if let Some(other) = binds.insert(bind.to.clone(), seen) {
                let message =
                    format!("`{}` is seen at `{}`, and so is `{machine}`", other.machine, bind.to);
                let help = "choose another place for one of them";
                report.error(Diagnostic::error(bind.span, message).with_help(help));
            }
        }
        binds
    }
}

/// Resolves the software of all nodes, and returns the templates of their services.
pub(super) fn resolve(
    nodes: &mut [NodeDraft<'_>],
    files: &mut Files<'_>,
    report: &mut Report<'_>,
) -> BTreeMap<String, ServiceTemplate> {
    let mut templates = Templates::new(files);
    for node in nodes.iter_mut().filter(|node| !node.is_segment()) {
        if node.props.software.is_empty() {
            continue;
        }
        node.software = node.props.software.resolve(&mut templates, report);
        let uses = node.software.services.values();
        node.props.routed_by_service =
            uses.filter_map(|service| templates.loaded(&service.template)).any(|t| t.routing);
    }
    templates.finish()
}

fn check_path(path: &str, span: Span, report: &mut Report<'_>) {
    let is_plain = path.starts_with('/')
        && path.len() > 1
        && !path.ends_with('/')
        && !path.contains(['\0', '\n'])
        && path[1..].split('/').all(|part| !matches!(part, "" | "." | ".."));
    if !is_plain {
        let message = format!("`{path}` is not an absolute path in the node");
        let help = "write it from the root, like `/etc/motd`, without `..`";
        report.error(Diagnostic::error(span, message).with_help(help));
    }
    let below = |top: &&&str| path == **top || path.starts_with(&format!("{top}/"));
    if let Some(top) = OF_THE_KERNEL.iter().find(below) {
        let message = format!("nothing can be put at `{path}`: `{top}` is the kernel's");
        let help = "for kernel parameters there are `sysctls`";
        report.error(Diagnostic::error(span, message).with_help(help));
    }
}

fn resolve_file(
    path: &str,
    span: Span,
    file: &Spanned<RawFile>,
    files: &mut Files<'_>,
    report: &mut Report<'_>,
) -> NodeFile {
    let content = match (&file.content, &file.source) {
        (Some(content), None) => content.0.clone(),
        (None, Some(source)) => files.text(source).unwrap_or_else(|unreadable| {
            report.error(unreadable_source(source, unreadable));
            String::new()
        }),
        (Some(_), Some(source)) => {
            let message = format!("the file `{path}` has both `content` and `source`");
            report.error(Diagnostic::error(source.span, message).with_help("keep one of them"));
            String::new()
        }
        (None, None) => {
            if !report.is_incomplete(file.id) {
                let message = format!("the file `{path}` has neither `content` nor `source`");
                let help = "say what is in it, like `{content: \"hello\\n\"}` or `{source: FILE}`";
                report.error(Diagnostic::error(span, message).with_help(help));
            }
            String::new()
        }
    };
    let mode = file.mode.as_ref().and_then(|mode| {
        let parsed = u32::from_str_radix(&mode.value.0, 8).ok().filter(|bits| *bits <= 0o7777);
        if parsed.is_none() {
            let message = format!("`{}` is not a file's mode", mode.value.0);
            let help = "write it in octal, like `0644` or `0755`";
            report.error(Diagnostic::error(mode.span, message).with_help(help));
        }
        parsed
    });
    NodeFile { content, mode }
}

fn unreadable_source(source: &Spanned<String>, unreadable: Unreadable) -> Diagnostic {
    let Unreadable { reason, help } = unreadable;
    let help = help.or_else(|| {
        reason.contains("UTF-8").then(|| "`binds` shows a node any file of the machine".into())
    });
    let message = format!("cannot read `{}`: {reason}", source.value);
    Diagnostic::error(source.span, message).with_optional_help(help)
}

fn check_variable(name: &str, value: &str, span: Span, report: &mut Report<'_>) {
    if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
        let message = format!("`{name}` cannot be an environment variable");
        report.error(Diagnostic::error(span, message));
    }
    if name.starts_with("NETLOOM_") {
        let message = format!("`{name}` is NetLoom's own variable");
        let help = "choose a name that does not begin with `NETLOOM_`";
        report.error(Diagnostic::error(span, message).with_help(help));
    }
}
