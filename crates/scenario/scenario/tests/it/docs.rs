//! The examples in the documents are valid.

use std::path::Path;

use netloom_scenario::{OpenCapture, ReadFile, Unreadable, load_with_files};

/// The capture of the examples: an empty IPv4 packet from 192.0.2.1 to 192.0.2.2.
struct Day;

impl ReadFile for Day {
    fn text(&mut self, file: &str) -> Result<String, Unreadable> {
        match file {
            "places.yaml" => Ok("c: [200, 0]\n".into()),
            "demands.csv" => Ok("berlin,hamburg,100\n".into()),
            _ => Err(Unreadable::because(format!("the documents have no {file}"))),
        }
    }

    fn capture(&mut self, file: &str) -> Result<OpenCapture, Unreadable> {
        let words = [0xa1b2_c3d4_u32, 0x0002_0004, 0, 0, 65535, 101, 0, 0, 20, 20];
        let packet = [0x4500_0014, 0, 0x40fd_0000, 0xc000_0201, 0xc000_0202];
        let words = words.into_iter().chain(packet);
        let bytes: Vec<u8> = words.flat_map(u32::to_be_bytes).collect();
        Ok(OpenCapture { path: format!("/{file}"), bytes: Box::new(std::io::Cursor::new(bytes)) })
    }
}

#[test]
fn examples_in_the_documents_load() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs");
    for (page, examples) in [
        ("scenario.md", 6),
        ("migrating.md", 1),
        ("services.md", 1),
        ("traffic.md", 4),
        ("media.md", 2),
        ("satellites.md", 2),
    ] {
        let text = std::fs::read_to_string(docs.join(page)).unwrap();
        let blocks = text.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next());
        let mut count = 0;
        for block in blocks {
            let loaded = load_with_files(block, &mut Day);
            let findings = loaded.map_or_else(|findings| findings, |loaded| loaded.warnings);
            assert!(findings.is_empty(), "{}", findings.render(page, block));
            count += 1;
        }
        assert_eq!(count, examples, "{page}");
    }
}

#[test]
#[cfg(feature = "schema")]
fn every_key_of_the_schema_is_in_the_reference() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs");
    // The properties of links have a page of their own, which is generated from the types.
    let read = |page| std::fs::read_to_string(docs.join(page)).unwrap();
    let text = [
        "scenario.md",
        "properties.md",
        "services.md",
        "traffic.md",
        "media.md",
        "media-models.md",
        "mobility.md",
        "satellites.md",
    ]
    .map(read)
    .concat();
    let schema = netloom_scenario::json_schema();
    for one in schema["$defs"].as_object().unwrap().values().chain([&schema]) {
        for key in one["properties"].as_object().into_iter().flatten().map(|(key, _)| key) {
            let forms =
                [format!("`{key}`"), format!(".{key}`"), format!("{key}:"), format!(".{key},")];
            let is_documented = forms.iter().any(|form| text.contains(form.as_str()));
            assert!(
                is_documented || text.contains(&format!("`{key}.")),
                "`{key}` is in none of the pages of reference"
            );
        }
    }
}

/// The findings that a file may lower are those of the page.
#[test]
fn findings_that_can_be_lowered_are_on_the_page() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs");
    let page = std::fs::read_to_string(docs.join("scenario.md")).unwrap();
    let (_, section) = page.split_once("\n## `lint`\n").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    let described: Vec<&str> = rows.filter_map(|row| row.split('`').next()).collect();
    let scenario = |name: &str| {
        format!("name: x\nlint: {{ {name}: warn }}\ntopology: {{ nodes: {{ a: }} }}\n")
    };
    for name in &described {
        netloom_scenario::load(&scenario(name)).unwrap();
    }
    let refused = netloom_scenario::load(&scenario("zzzzzz")).unwrap_err();
    let help = refused.iter().find_map(|finding| finding.help.clone()).unwrap();
    let known: Vec<&str> = help.split('`').skip(1).step_by(2).collect();
    assert_eq!(described, known);
}
