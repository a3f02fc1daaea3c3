//! `netloom validate`

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::json;

use crate::args::{Format, Validate};
use crate::{exit, find};

/// Checks scenarios: all errors in one pass.
pub fn validate(args: Validate) -> Result<i32> {
    let is_one = args.files.is_empty() && args.format == Format::Table;
    let is_changed = !args.scenario.with.is_empty() || !args.scenario.set.is_empty();
    if is_changed && !is_one {
        return Err(exit::usage("`--with` and `--set` go with one scenario, and a table"));
    }
    if is_one {
        let loaded = find::scenario(&args.scenario)?;
        report_valid(&loaded.file.display().to_string(), &loaded.scenario);
        return Ok(exit::SUCCESS);
    }
    let given = args.scenario.directory.as_deref();
    let mut files: Vec<PathBuf> = args.files.into_iter().chain(args.scenario.file).collect();
    if files.is_empty() {
        files.push(find::only_scenario_here()?);
    }
    let mut reports = Vec::new();
    let mut valid = true;
    for file in files {
        let name = file.display().to_string();
        let source = find::read(&file)?;
        let directory = given.or(file.parent()).unwrap_or(Path::new("."));
        let (diagnostics, ok) = match find::load(&source, directory) {
            Ok(loaded) => {
                if args.format == Format::Table {
                    eprint!("{}", loaded.warnings.render(&name, &source));
                    report_valid(&name, &loaded.scenario);
                }
                (loaded.warnings, true)
            }
            Err(diagnostics) => {
                if args.format == Format::Table {
                    eprint!("{}", diagnostics.render(&name, &source));
                }
                (diagnostics, false)
            }
        };
        valid &= ok;
        reports.push(json!({"file": name, "valid": ok, "diagnostics": diagnostics}));
    }
    if args.format == Format::Json {
        println!("{}", serde_json::to_string_pretty(&reports)?);
    }
    Ok(if valid { exit::SUCCESS } else { exit::USAGE })
}

fn report_valid(file: &str, scenario: &netloom_scenario::Scenario) {
    println!("{file}: valid ({}: {})", scenario.name, scenario.size());
}
