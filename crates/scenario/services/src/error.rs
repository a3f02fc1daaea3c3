//! What can go wrong with services before anything is made.

use std::fmt;

use thiserror::Error;

/// Why services cannot be run.
#[derive(Debug, Error)]
pub enum ServiceError {
    /// Programs are not there.
    #[error("{}", list(missing))]
    Missing {
        /// Which.
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
        /// Which text.
        what: String,
        /// Why not.
        reason: String,
    },
    /// What a template comes to makes no sense.
    #[error("node `{node}`, service `{service}`: {what} comes to `{text}`, which is not {wanted}")]
    Value {
        /// The node.
        node: String,
        /// The service.
        service: String,
        /// Which text.
        what: String,
        /// What it comes to.
        text: String,
        /// What it should be.
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

/// A program that is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// The program.
    pub program: String,
    /// The package that has it.
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
