//! Errors of services that are detected before anything is made.

use std::fmt;

use thiserror::Error;

/// The reason why services cannot be run.
#[derive(Debug, Error)]
pub enum ServiceError {
    /// Programs are missing.
    #[error("{}", list(missing))]
    Missing {
        /// The missing programs.
        missing: Vec<Missing>,
    },
    /// A text of a template cannot be filled in.
    #[error(
        "node `{node}`, service `{service}`: the template's {what} cannot be filled in: {reason}"
    )]
    Template {
        /// The node.
        node: String,
        /// The service.
        service: String,
        /// The text.
        what: String,
        /// The reason.
        reason: String,
    },
    /// A filled-in text of a template is not valid.
    #[error("node `{node}`, service `{service}`: {what} comes to `{text}`, which is not {wanted}")]
    Value {
        /// The node.
        node: String,
        /// The service.
        service: String,
        /// The text.
        what: String,
        /// Its value.
        text: String,
        /// The kind of value that it should be.
        wanted: &'static str,
    },
    /// Services that wait for each other.
    #[error(
        "node `{node}`: the service `{service}` needs itself, by way of others; change `needs` in \
         a template"
    )]
    Cycle {
        /// The node.
        node: String,
        /// One of the services.
        service: String,
    },
}

/// A missing program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// The program.
    pub program: String,
    /// The package that contains it.
    pub package: String,
    /// The service that needs it.
    pub service: String,
    /// The nodes in which the service is to run.
    pub nodes: Vec<String>,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { program, package, service, nodes } = self;
        let first = nodes.first().map_or("", String::as_str);
        write!(f, "the service `{service}` of node `{first}`")?;
        match nodes.len() {
            0 | 1 => {}
            2 => write!(f, " and of one other")?,
            all => write!(f, " and of {} others", all - 1)?,
        }
        write!(f, " needs the program `{program}`, which is not there: ")?;
        write!(f, "install the package `{package}` (`apt-get install {package}`)")
    }
}

fn list(missing: &[Missing]) -> String {
    let lines: Vec<String> = missing.iter().map(ToString::to_string).collect();
    lines.join("; ")
}
