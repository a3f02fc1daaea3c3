//! Replays: checks before the run that all frames of a capture can be sent. Not here: sending them.

use std::io::BufReader;
use std::net::IpAddr;

use netloom_document::{Diagnostic, Spanned};
use netloom_traffic::{Addressed, ReplayConfig, Survey, Unsendable};

use super::One;
use crate::files::{OpenCapture, Unreadable};

impl One<'_, '_, '_> {
    /// Checks a replay, and stores the path of its capture.
    pub(super) fn replay(
        &mut self,
        config: &mut ReplayConfig,
        from: &[String],
        to: &[String],
    ) -> Option<()> {
        let ([from], [_]) = (from, to) else {
            let message = "a capture is sent from one node, and to one".into();
            self.error(message, "name a node in `from` and in `to`, not a group");
            return None;
        };
        self.check_rewrite(config)?;
        let node = self.references.draft(from)?;
        let most = node.interfaces.iter().map(|interface| interface.mtu).max();
        let file = config.file.clone();
        let survey = self.survey(config, &file)?;
        if let Some(most) = most.filter(|most| survey.longest > *most as usize) {
            let Survey { longest, longest_at, .. } = survey;
            let message = format!(
                "{file}: frame {longest_at} holds a packet of {longest} bytes, and the MTU of \
                 `{from}` is {most}"
            );
            let help = "give its link that `mtu`; or capture without segmentation offload \
                        (`ethtool -K DEVICE tso off gso off gro off`)";
            self.refuse(&file, message, Some(help));
            return None;
        }
        Some(())
    }

    /// Reports nodes of `rewrite` that do not exist.
    fn check_rewrite(&mut self, config: &ReplayConfig) -> Option<()> {
        let id = self.report.node(self.entry.id, &["replay", "rewrite"]);
        let mut are_there = true;
        for name in config.rewrite.values() {
            let id = id.unwrap_or(self.entry.id);
            let span = self.report.scalar(id, name).unwrap_or(self.entry.span);
            let node = Spanned { value: name.clone(), span, id };
            are_there &= self.references.node_with_stack(&node, self.report);
        }
        are_there.then_some(())
    }

    /// Reads the whole capture, and reports the first reason why it cannot be sent.
    fn survey(&mut self, config: &mut ReplayConfig, file: &str) -> Option<Survey> {
        let OpenCapture { path, bytes } = match self.files.capture(file) {
            Ok(open) => open,
            Err(Unreadable { reason, help }) => {
                let message = format!("`replay` cannot use {file}: {reason}");
                self.refuse(file, message, help.as_deref());
                return None;
            }
        };
        config.file = path;
        // Whether a frame can be sent does not depend on the addresses of nodes.
        let same = |address: IpAddr| config.rewrite.contains_key(&address).then_some(address);
        let addressed = if config.as_is { Addressed::AsIs } else { Addressed::Rewritten(same) };
        match Survey::of(BufReader::new(bytes), addressed) {
            Ok(survey) => Some(survey),
            Err(error) => {
                let help = match &error {
                    Unsendable::Frame { fault, .. } => Some(fault.help()),
                    _ => None,
                };
                self.refuse(file, format!("{file}: {error}"), help);
                None
            }
        }
    }

    /// Reports an error of a file, at the position of its name.
    fn refuse(&mut self, file: &str, message: String, help: Option<&str>) {
        let span = self.report.scalar(self.entry.id, file).unwrap_or(self.entry.span);
        let help = help.map(Into::into);
        self.report.error(Diagnostic::error(span, message).with_optional_help(help));
    }
}
