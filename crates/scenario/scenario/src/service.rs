//! Services: templates of programs that nodes run, and what a scenario asks of them. A template
//! says in one declarative file what a program needs, which files are made for it, and how it is
//! started. What its texts become is worked out elsewhere, as that takes addresses
//! (`netloom-services`).

mod builtin;
mod template;

pub use builtin::{builtin, builtin_names};
pub use template::{
    OptionKind, OptionValue, Program, ServiceOption, ServiceTemplate, TemplateDirectory,
    TemplateFile, TemplateTest,
};

use crate::decode::decode;
use crate::diagnostic::Diagnostics;
use crate::yaml;

/// Reads a template's text.
///
/// # Errors
/// Everything that is wrong with it, with places in that text.
pub fn template(text: &str) -> Result<ServiceTemplate, Diagnostics> {
    let tree = yaml::parse(text).map_err(|error| Diagnostics::new(vec![error]))?;
    let decoded = decode::<ServiceTemplate>(&tree);
    match decoded.value {
        Some(template) if decoded.errors.is_empty() => Ok(template),
        _ => Err(Diagnostics::new(decoded.errors)),
    }
}
