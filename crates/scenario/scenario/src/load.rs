//! Loading a scenario: from text to [`Scenario`].

use netloom_document::{
    Diagnostic, Diagnostics, Related, Replaced, Setting, Severity, Span, decode, encode, write,
};
use netloom_link::PipeChange;
use serde::de::DeserializeOwned;

use crate::dialect::{findings as found, parse, parse_with};
use crate::files::{Files, ReadFile, Unreadable};
use crate::raw::{RawPipe, RawScenario};
use crate::resolve::{resolve, resolve_properties};
use crate::spec::Scenario;

/// A scenario that can be run, and warnings about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// The scenario.
    pub scenario: Scenario,
    /// Findings about parts that are probably not what the user meant.
    pub warnings: Diagnostics,
}

/// Loads a scenario that names no other files from its text.
///
/// ```
/// let text = "
/// name: line
/// topology:
///   nodes: { a: , r: { kind: router }, b: }
///   links:
///     - { endpoints: [a, r], delay: 5ms }
///     - { endpoints: [r, b], rate: 10Mbit/s }
/// ";
/// let scenario = netloom_scenario::load(text).unwrap().scenario;
/// assert_eq!(scenario.size().to_string(), "3 nodes and 2 links");
///
/// // Errors name the place, and what to write instead.
/// let wrong = text.replace("delay", "dealy");
/// let errors = netloom_scenario::load(&wrong).unwrap_err();
/// assert!(errors.to_string().contains("did you mean `delay`?"));
/// ```
///
/// # Errors
/// Those of [`load_with_files`]. It also fails if the scenario names a file.
pub fn load(text: &str) -> Result<Loaded, Diagnostics> {
    load_with_files(text, &mut |_: &str| Err(Unreadable::because("files cannot be read here")))
}

/// Loads a scenario from its text: YAML to a tree, tree to typed values, and these to a scenario
/// with all defaults filled in, all references checked, and the data of all files that it names.
/// `read` provides these files.
///
/// # Errors
/// All errors of the file, as far as one pass can find them, and warnings. If the text is not YAML,
/// only the first error; if its shape is wrong (a section in the wrong place, a list in place of a
/// mapping), at most three errors about that, the likeliest cause first.
pub fn load_with_files(text: &str, read: &mut dyn ReadFile) -> Result<Loaded, Diagnostics> {
    load_all(&[text], read)
}

/// Loads a scenario that several texts make up. Each is laid over those before it: its mappings are
/// joined with theirs, its lists come behind theirs, and any other value replaces theirs, with a
/// warning. Positions count lines through all texts.
///
/// # Errors
/// Those of [`load_with_files`].
pub fn load_all(texts: &[&str], read: &mut dyn ReadFile) -> Result<Loaded, Diagnostics> {
    load_set(texts, &[], read)
}

/// Loads a scenario that several texts make up, as [`load_all`] does, with these values in place of
/// what they say. Positions in the text of the settings come behind all others.
///
/// # Errors
/// Those of [`load_with_files`], and of a path that leads nowhere.
pub fn load_set(
    texts: &[&str],
    settings: &[Setting<'_>],
    read: &mut dyn ReadFile,
) -> Result<Loaded, Diagnostics> {
    let (tree, replaced) = parse_with(texts, settings)?;
    let decoded = decode::<RawScenario>(&tree);
    if !decoded.shape.is_empty() {
        return Err(Diagnostics::of_shape(decoded.shape));
    }
    let mut findings = decoded.errors;
    findings.extend(replaced.into_iter().map(|Replaced { key, was, is }| {
        let message = format!("`{key}` replaces that of a file before");
        let related = vec![Related { span: was, message: "it was written here".into() }];
        Diagnostic { related, ..Diagnostic::warning(is, message) }
    }));
    let Some(mut raw) = decoded.value else { return Err(found(findings)) };
    let mut files = Files::new(read);
    let (scenario, resolving) = resolve(&mut raw, &tree, &decoded.pruned, &mut files);
    findings.extend(resolving);
    let is_usable = findings.iter().all(|finding| finding.severity == Severity::Warning);
    let findings = found(findings);
    if is_usable { Ok(Loaded { scenario, warnings: findings }) } else { Err(findings) }
}

/// Parses one value as it may occur in a scenario file.
///
/// # Errors
/// All errors of the value.
pub fn value<T: DeserializeOwned>(text: &str) -> Result<T, Diagnostics> {
    let tree = parse(text)?;
    let decoded = decode::<T>(&tree);
    match decoded.value {
        Some(value) if decoded.errors.is_empty() => Ok(value),
        _ => Err(found(decoded.errors)),
    }
}

/// Parses properties of a link in the notation of scenario files, from a YAML mapping of their own.
/// `read` provides the files that they name.
///
/// # Errors
/// All errors of the properties.
pub fn properties(text: &str, read: &mut dyn ReadFile) -> Result<PipeChange, Diagnostics> {
    let tree = parse(text)?;
    let decoded = decode::<RawPipe>(&tree);
    let mut findings = decoded.errors;
    let Some(raw) = decoded.value else { return Err(found(findings)) };
    let mut files = Files::new(read);
    let (change, resolving) = resolve_properties(raw, &tree, &decoded.pruned, &mut files);
    findings.extend(resolving);
    if findings.is_empty() { Ok(change) } else { Err(found(findings)) }
}

/// Writes a scenario anew, in block style and without what is the default anyway: its keys are read
/// into the types of [`json_schema`](crate::json_schema), and these are written. Aliases and merge
/// keys are written out, and comments are lost; to change a value of a scenario and keep the rest,
/// use a [`Document`](netloom_document::Document).
///
/// # Errors
/// All errors of the text that can be found without resolving it.
pub fn rewritten(text: &str) -> Result<String, Diagnostics> {
    let decoded = decode::<RawScenario>(&parse(text)?);
    match decoded.value {
        Some(raw) if decoded.errors.is_empty() => match encode(&raw) {
            Ok(value) => Ok(write(&value)),
            Err(error) => Err(found(vec![Diagnostic::error(Span::START, error.to_string())])),
        },
        _ => Err(found(decoded.errors)),
    }
}
