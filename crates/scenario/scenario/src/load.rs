//! The way from text to scenario.

use netloom_link::PipeChange;
use serde::de::DeserializeOwned;

use crate::decode::decode;
use crate::diagnostic::{Diagnostics, Severity};
use crate::files::{Files, ReadFile, Unreadable};
use crate::raw::{RawPipe, RawScenario};
use crate::resolve::{resolve, resolve_properties};
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

/// Reads a scenario file's text, of a scenario that names no other files.
///
/// # Errors
/// As [`load_with_files`]; a file that is named cannot be read.
pub fn load(text: &str) -> Result<Loaded, Diagnostics> {
    load_with_files(text, &mut |_: &str| Err(Unreadable::because("files cannot be read here")))
}

/// Reads a scenario file's text: YAML to a tree, tree to typed values, values to a scenario with
/// all defaults filled in, all references checked, and the values of all files that it names, which
/// `read` gives.
///
/// # Errors
/// Everything that is wrong with the file, as far as it can be known in one pass; warnings are
/// among the findings then. Where the text is not YAML at all, only the first fault is known.
pub fn load_with_files(text: &str, read: &mut dyn ReadFile) -> Result<Loaded, Diagnostics> {
    let tree = yaml::parse(text).map_err(|error| Diagnostics::new(vec![error]))?;
    let decoded = decode::<RawScenario>(&tree);
    let mut findings = decoded.errors;
    let Some(mut raw) = decoded.value else { return Err(Diagnostics::new(findings)) };
    let mut files = Files::new(read);
    let (scenario, resolving) = resolve(&mut raw, &tree, &decoded.pruned, &mut files);
    findings.extend(resolving);
    let is_usable = findings.iter().all(|finding| finding.severity == Severity::Warning);
    let findings = Diagnostics::new(findings);
    if is_usable { Ok(Loaded { scenario, warnings: findings }) } else { Err(findings) }
}

/// Reads one value as it may stand in a scenario file.
///
/// # Errors
/// Everything that is wrong with it.
pub fn value<T: DeserializeOwned>(text: &str) -> Result<T, Diagnostics> {
    let tree = yaml::parse(text).map_err(|error| Diagnostics::new(vec![error]))?;
    let decoded = decode::<T>(&tree);
    match decoded.value {
        Some(value) if decoded.errors.is_empty() => Ok(value),
        _ => Err(Diagnostics::new(decoded.errors)),
    }
}

/// Reads properties of a link as they stand in a scenario file, in a YAML mapping of their own.
/// `read` gives the files that they name.
///
/// # Errors
/// Everything that is wrong with them.
pub fn properties(text: &str, read: &mut dyn ReadFile) -> Result<PipeChange, Diagnostics> {
    let tree = yaml::parse(text).map_err(|error| Diagnostics::new(vec![error]))?;
    let decoded = decode::<RawPipe>(&tree);
    let mut findings = decoded.errors;
    let Some(raw) = decoded.value else { return Err(Diagnostics::new(findings)) };
    let mut files = Files::new(read);
    let (change, resolving) = resolve_properties(raw, &tree, &decoded.pruned, &mut files);
    findings.extend(resolving);
    if findings.is_empty() { Ok(change) } else { Err(Diagnostics::new(findings)) }
}
