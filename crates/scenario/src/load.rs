//! The way from text to scenario.

use crate::decode::decode;
use crate::diagnostic::{Diagnostics, Severity};
use crate::raw::RawScenario;
use crate::resolve::resolve;
use crate::spec::Scenario;
use crate::yaml;

/// A scenario that can be run.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// The scenario.
    pub scenario: Scenario,
    /// What is probably not as it was meant.
    pub warnings: Diagnostics,
}

/// Reads a scenario file's text: YAML to a tree, tree to typed values, values to a scenario with all
/// defaults filled in and all references checked.
///
/// # Errors
/// Everything that is wrong with the file, as far as it can be known in one pass; warnings are among
/// the findings then. Where the text is not YAML at all, only the first fault is known.
pub fn load(text: &str) -> Result<Loaded, Diagnostics> {
    let tree = yaml::parse(text).map_err(|error| Diagnostics::new(vec![error]))?;
    let decoded = decode::<RawScenario>(&tree);
    let mut findings = decoded.errors;
    let Some(raw) = decoded.value else { return Err(Diagnostics::new(findings)) };
    let (scenario, resolving) = resolve(&raw, &tree, &decoded.pruned);
    findings.extend(resolving);
    let is_usable = findings.iter().all(|finding| finding.severity == Severity::Warning);
    let findings = Diagnostics::new(findings);
    if is_usable { Ok(Loaded { scenario, warnings: findings }) } else { Err(findings) }
}
