//! Services: templates of programs that nodes run, and their options in a scenario. A template is
//! one declarative file that describes what a program needs, which files are generated for it, and
//! how it starts. `netloom-services` renders the templates, because that needs addresses.

mod builtin;
mod template;

pub use builtin::{builtin, builtin_names};
pub(crate) use template::area;
pub use template::{
    Compared, OptionKind, OptionValue, Program, ServiceOption, ServiceTemplate, TemplateDirectory,
    TemplateFile, TemplateTest,
};

use netloom_document::{Diagnostics, decode};

use crate::dialect::{findings, parse};
/// Parses the text of a template.
///
/// # Errors
/// All errors of the template, with positions in that text.
pub fn template(text: &str) -> Result<ServiceTemplate, Diagnostics> {
    let tree = parse(text)?;
    let decoded = decode::<ServiceTemplate>(&tree);
    match decoded.value {
        Some(template) if decoded.errors.is_empty() => Ok(template),
        _ => Err(findings(decoded.errors)),
    }
}
