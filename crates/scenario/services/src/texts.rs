//! Fills in the text of a template.
//!
//! Texts of a scenario's own templates are programs of unknown authors. They may loop, nest or grow
//! without end, and the process that fills them in may die of it. So they are not filled in here,
//! but in a process of their own, which the caller of [`render`](crate::render) provides.

use std::collections::BTreeSet;

use minijinja::{Environment, UndefinedBehavior, Value};
use netloom_scenario::Scenario;
use netloom_scenario::service::builtin;
use serde::{Deserialize, Serialize};

use crate::ServiceError;

/// Largest number of steps for one text: some seconds.
const FUEL: u64 = 5_000_000;
/// Length of the longest text of a template, in bytes.
const LONGEST_TEXT: usize = 1 << 20;
/// Length of the longest filled-in text, in bytes.
const LONGEST_RESULT: usize = 16 << 20;

/// A text to be filled in, with the data that it can refer to.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Question {
    text: String,
    context: Value,
}

impl Question {
    /// Fills it in. With texts of unknown authors this may loop for seconds, run out of stack or
    /// memory, and kill the process.
    ///
    /// # Errors
    /// Returns in words why it cannot be filled in.
    pub fn answer(&self) -> Result<String, String> {
        let mut environment = environment();
        environment.set_fuel(Some(FUEL));
        let limited = |what: &str, most| Err(format!("{what} is longer than {} MiB", most >> 20));
        if self.text.len() > LONGEST_TEXT {
            return limited("it", LONGEST_TEXT);
        }
        let filled = environment.render_str(&self.text, &self.context);
        match filled.map_err(|error| error.to_string())? {
            text if text.len() > LONGEST_RESULT => limited("what comes of it", LONGEST_RESULT),
            text => Ok(text),
        }
    }
}

/// Fills in a text in another process, or returns why it cannot.
pub type Elsewhere<'a> = dyn Fn(&Question) -> Result<String, String> + 'a;

/// The template that is being filled in, and for which service.
#[derive(Clone, Copy)]
pub(crate) struct TemplateUse<'a> {
    pub node: &'a str,
    pub service: &'a str,
    /// Name of the template in the scenario.
    pub template: &'a str,
}

/// Fills in texts of templates.
pub(crate) struct Texts<'a> {
    environment: Environment<'static>,
    /// Names of built-in templates.
    known: BTreeSet<&'a str>,
    elsewhere: &'a Elsewhere<'a>,
}

impl<'a> Texts<'a> {
    pub fn new(scenario: &'a Scenario, elsewhere: &'a Elsewhere<'a>) -> Self {
        let templates = scenario.templates.iter();
        let known = templates.filter(|(name, template)| builtin(name).as_ref() == Some(template));
        Self {
            environment: environment(),
            known: known.map(|(name, _)| name.as_str()).collect(),
            elsewhere,
        }
    }

    pub fn fill(
        &self,
        place: TemplateUse<'_>,
        what: &str,
        text: &str,
        context: &Value,
    ) -> Result<String, ServiceError> {
        let filled = if !text.contains('{') {
            // Nothing to fill in.
            Ok(text.to_owned())
        } else if self.known.contains(place.template) {
            self.environment.render_str(text, context).map_err(|error| error.to_string())
        } else {
            (self.elsewhere)(&Question { text: text.into(), context: context.clone() })
        };
        filled.map_err(|reason| ServiceError::Template {
            node: place.node.into(),
            service: place.service.into(),
            what: what.into(),
            reason,
        })
    }
}

fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    // A misspelled name is an error, not an empty text.
    environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
    environment.set_keep_trailing_newline(true);
    environment
}
