//! `netloom ui`: who gets in and who does not, as raw HTTP; and what the page does, as seen from
//! the command line.

#[path = "../common/mod.rs"]
mod common;
mod endings;
mod page;
mod simulated;

use std::collections::BTreeSet;
use std::fs;
use std::net::TcpStream;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::process::Command;
use std::time::Duration;

use common::eventually;
use netloom_api::live::{self, PipeRow, state};
use page::{PAIR, Page, hear, say};
use serde_json::{Value, json};

#[test]
fn without_the_token_nothing_is_said() {
    let page = Page::new(PAIR, &[]);
    let origin = page.origin();
    for path in ["/api/about", "/api/files/netloom.yaml", "/api/experiments", "/api/x", "/api"] {
        assert_eq!(page.send("GET", path, &[], "").status, 401, "{path}");
    }
    let wrong = ["Authorization: Bearer 00", "Authorization: Basic 00", "Authorization: Bearer "];
    for wrong in wrong {
        assert_eq!(page.send("GET", "/api/about", &[wrong], "").status, 401, "{wrong}");
    }
    let token = json!({"token": "0".repeat(64)}).to_string();
    let refused = page.send("POST", "/session", &[&origin], &token);
    assert_eq!((refused.status, refused.body.contains("key")), (401, false));
    // A key in the address is no key, and the token is none either.
    let path = format!("/api/about?ticket={}", page.key);
    assert_eq!(page.send("GET", &path, &[], "").status, 401);
    let token = format!("Authorization: Bearer {}", page.token);
    assert_eq!(page.send("GET", "/api/about", &[&token], "").status, 401);
    assert_eq!(page.get("/api/about").json()["read_only"], false);
    // Files of the page hold no data.
    let index = page.send("GET", "/", &[], "");
    assert_eq!(index.status, 200);
    assert!(index.header("content-security-policy").unwrap().contains("default-src 'none'"));
    assert_eq!(index.header("x-content-type-options"), Some("nosniff"));
    assert!(index.header("access-control-allow-origin").is_none());
    assert!(index.header("set-cookie").is_none());
}

/// The smoke test of the page where there is no browser: what it consists of is there, is what it
/// says it is, and comes from nowhere else. `make test-ui` opens it in Chromium.
#[test]
fn the_page_is_served_with_all_that_it_names() {
    let page = Page::new(PAIR, &[]);
    let index = page.send("GET", "/", &[], "");
    assert_eq!(index.header("content-type"), Some("text/html; charset=utf-8"));
    if index.body.contains("built without its page") {
        eprintln!("skipped: there is no web/dist; `make web` builds it");
        return;
    }
    let kinds = [(".js", "text/javascript"), (".css", "text/css"), (".svg", "image/svg+xml")];
    let kind =
        |path: &str| kinds.iter().find(|(end, _)| path.ends_with(end)).map(|(_, kind)| *kind);
    // Scripts name what they load later, beside them.
    let named = |text: &str| -> Vec<String> {
        let parts = text.split(['"', '\'', '`']).filter(|part| kind(part).is_some());
        let own = |part: &str| {
            let name = ["/assets/", "assets/", "./"].iter().find_map(|of| part.strip_prefix(of))?;
            Some(format!("/assets/{name}"))
        };
        parts.filter_map(own).collect()
    };
    let (mut left, mut seen) = (named(&index.body), BTreeSet::new());
    while let Some(path) = left.pop() {
        if !seen.insert(path.clone()) {
            continue;
        }
        let file = page.send("GET", &path, &[], "");
        assert_eq!((file.status, file.body.is_empty()), (200, false), "{path}");
        assert!(file.header("content-type").unwrap().starts_with(kind(&path).unwrap()), "{path}");
        assert!(file.header("cache-control").unwrap().contains("immutable"), "{path}");
        if path.ends_with(".js") {
            left.extend(named(&file.body));
        }
    }
    let count = |end: &str| seen.iter().filter(|path| path.ends_with(end)).count();
    assert!(count(".js") > 3 && count(".css") > 0, "{seen:?}");
    // A policy without exceptions, and a page that needs none.
    let policy = index.header("content-security-policy").unwrap();
    assert!(policy.contains("script-src 'self';") && !policy.contains("unsafe-eval"), "{policy}");
    assert!(!index.body.contains("<script>"), "{index:?}");
    assert_eq!(page.send("GET", "/assets/none.js", &[], "").status, 404);
}

#[test]
fn wrong_tokens_have_to_wait() {
    let page = Page::new(PAIR, &[]);
    let began = std::time::Instant::now();
    let token = json!({"token": "guess"}).to_string();
    for _ in 0..12 {
        assert_eq!(page.send("POST", "/session", &[&page.origin()], &token).status, 401);
    }
    assert!(began.elapsed() >= Duration::from_secs(2), "{:?}", began.elapsed());
    // The right one does not.
    assert_eq!(page.send("POST", "/session", &[&page.origin()], &page.token_body()).status, 200);
}

#[test]
fn tickets_are_good_once_and_for_one_path() {
    let page = Page::new(PAIR, &[]);
    let ticket = page.ticket("/api/files/netloom.yaml");
    let path = format!("/api/files/netloom.yaml?ticket={ticket}");
    let first = page.send("GET", &path, &[], "");
    assert_eq!((first.status, first.body.contains("topology")), (200, true));
    assert_eq!(page.send("GET", &path, &[], "").status, 401);
    let ticket = page.ticket("/api/files/netloom.yaml");
    let other = format!("/api/about?ticket={ticket}");
    assert_eq!(page.send("GET", &other, &[], "").status, 401);
    // It was used, if in vain; and it is for reading.
    assert_eq!(page.send("GET", &path, &[], "").status, 401);
    let ticket = page.ticket("/api/destroy");
    let post = format!("/api/destroy?ticket={ticket}");
    let refused = page.send("POST", &post, &[&page.origin()], "{\"experiment\": \"x\"}");
    assert_eq!(refused.status, 401);
}

#[test]
fn other_pages_get_nothing() {
    let page = Page::new(PAIR, &[]);
    let (origin, bearer) = (page.origin(), page.bearer());
    for host in ["evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1:1", ""] {
        let host = format!("Host: {host}");
        assert_eq!(page.send("GET", "/", &[&host], "").status, 421, "{host}");
        assert_eq!(page.send("GET", "/api/about", &[&host, &bearer], "").status, 421, "{host}");
    }
    let named = format!("Host: localhost:{}", page.port);
    assert_eq!(page.send("GET", "/api/about", &[&named, &bearer], "").status, 200);
    let token = page.token_body();
    let foreign = ["Origin: http://evil.example", "Origin: null", "Origin: http://127.0.0.1:1"];
    for foreign in foreign {
        assert_eq!(page.send("POST", "/session", &[foreign], &token).status, 403, "{foreign}");
        assert_eq!(page.send("GET", "/api/about", &[foreign, &bearer], "").status, 403);
    }
    // Another site's form, and another site's image.
    let form = ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", &origin, &bearer];
    assert_eq!(page.send("POST", "/session", &form, &token).status, 403);
    assert_eq!(page.send("POST", "/session", &[], &token).status, 403, "no origin");
    let image = ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: image"];
    for path in ["/", "/index.html", "/assets/x.svg", "/api/about"] {
        assert_eq!(page.send("GET", path, &image, "").status, 403, "{path}");
    }
    let same_site = ["Sec-Fetch-Site: same-site", &bearer];
    assert_eq!(page.send("GET", "/api/about", &same_site, "").status, 403);
    // Somebody may come by a link.
    let visit =
        ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"];
    assert_eq!(page.send("GET", "/", &visit, "").status, 200);
    assert_eq!(page.send("GET", "/api/about", &visit, "").status, 403);
}

#[test]
fn files_stay_in_the_folder() {
    let page = Page::new(PAIR, &[]);
    let outside = page.lab.directory.with_extension("outside");
    fs::write(&outside, "secret").unwrap();
    symlink(&outside, page.lab.path("link.yaml")).unwrap();
    symlink("/etc", page.lab.path("etc")).unwrap();
    symlink("/proc/self/root", page.lab.path("root")).unwrap();
    let paths = ["../x", "%2e%2e/x", "/etc/passwd", "%2Fetc%2Fpasswd", "link.yaml", "etc/passwd"];
    for path in paths.into_iter().chain(["root/etc/passwd", "a/..%2f..%2fx"]) {
        let read = page.get(&format!("/api/files/{path}"));
        assert!([403, 404].contains(&read.status), "{path}: {read:?}");
        assert!(!read.body.contains("secret") && !read.body.contains("root:"), "{path}");
        let new = ["If-None-Match: *", &page.origin(), &page.bearer()];
        let written = page.send("PUT", &format!("/api/files/{path}"), &new, "x");
        assert!([403, 404, 412, 400].contains(&written.status), "{path}: {written:?}");
    }
    assert_eq!(fs::read_to_string(&outside).unwrap(), "secret");
    fs::remove_file(outside).unwrap();
    let listed = page.get("/api/files").json();
    let names: Vec<&str> = listed["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["path"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["netloom.yaml", "state"]);
    for path in ["/api/files?folder=../", "/api/files?folder=etc", "/api/files?folder=/"] {
        assert_eq!(page.get(path).status, 403, "{path}");
    }
    let run = page.get("/api/results/file?run=..&file=x");
    assert_eq!(run.status, 403);
}

#[test]
fn texts_are_replaced_by_digest() {
    let page = Page::new(PAIR, &[]);
    let put = |path: &str, header: &str, text: &str| {
        let headers = [header, &page.origin(), &page.bearer()];
        page.send("PUT", &format!("/api/files/{path}"), &headers, text)
    };
    let read = page.get("/api/files/netloom.yaml");
    let tag = read.header("etag").unwrap().to_owned();
    let same = page.send(
        "GET",
        "/api/files/netloom.yaml",
        &[&page.bearer(), &format!("If-None-Match: {tag}")],
        "",
    );
    assert_eq!((same.status, same.body.as_str()), (304, ""));
    assert_eq!(put("netloom.yaml", "X: y", "name: x\n").status, 428);
    fs::set_permissions(page.lab.path("netloom.yaml"), fs::Permissions::from_mode(0o640)).unwrap();
    let saved = put("netloom.yaml", &format!("If-Match: {tag}"), "# ü\n");
    assert_eq!(saved.status, 200, "{saved:?}");
    assert_eq!(fs::read_to_string(page.lab.path("netloom.yaml")).unwrap(), "# ü\n");
    assert_eq!(fs::metadata(page.lab.path("netloom.yaml")).unwrap().mode() & 0o777, 0o640);
    // It is another text by now.
    assert_eq!(put("netloom.yaml", &format!("If-Match: {tag}"), "other").status, 412);
    assert_eq!(put("netloom.yaml", "If-None-Match: *", "other").status, 412);
    assert_eq!(put("new.netloom.yaml", "If-None-Match: *", "new").status, 200);
    assert_eq!(fs::read_to_string(page.lab.path("new.netloom.yaml")).unwrap(), "new");
    assert_eq!(fs::read_dir(&page.lab.directory).unwrap().count(), 3, "no parts are left");
}

#[test]
fn one_that_only_looks_on_changes_nothing() {
    let page = Page::new(PAIR, &["--read-only"]);
    assert_eq!(page.get("/api/about").json()["read_only"], true);
    let action = json!({"file": "netloom.yaml"});
    for path in ["/api/deploy", "/api/run", "/api/simulate", "/api/apply"] {
        assert_eq!(page.own("POST", path, &action).status, 403, "{path}");
    }
    let ending = json!({"experiment": page.lab.name});
    assert_eq!(page.own("POST", "/api/destroy", &ending).status, 403);
    let headers = ["If-None-Match: *", &page.origin(), &page.bearer()];
    assert_eq!(page.send("PUT", "/api/files/x.yaml", &headers, "x").status, 403);
    let engine = format!("/api/experiments/{}/v1", page.lab.name);
    assert_eq!(page.own("PATCH", &format!("{engine}/links"), &json!({})).status, 403);
    let exec = format!("{engine}/exec");
    let ticketed = format!("{exec}?ticket={}", page.ticket(&exec));
    assert_eq!(page.websocket(&ticketed, &[&page.origin()]).unwrap_err(), 403);
    let text = fs::read_to_string(page.lab.path("netloom.yaml")).unwrap();
    let valid = page.own("POST", "/api/validate", &json!({"text": text}));
    assert_eq!(valid.json()["valid"], true, "{valid:?}");
}

#[test]
fn the_address_is_its_users_own_and_said_again() {
    let page = Page::new(PAIR, &[]);
    let file = page.state.join(".ui/ui.json");
    assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(page.state.join(".ui")).unwrap().mode() & 0o777, 0o700);
    let mut again = page.lab.command(&["ui", "--no-open"]);
    let again = again.env("NETLOOM_STATE_DIR", &page.state).output().unwrap();
    let url = format!("http://127.0.0.1:{}/#{}\n", page.port, page.token);
    assert_eq!((common::text(&again.stdout), again.status.code()), (url, Some(0)));
    // No argument of a process, which others see, has the token.
    let cmdline = fs::read(format!("/proc/{}/cmdline", page.server.id())).unwrap();
    assert!(!String::from_utf8_lossy(&cmdline).contains(&page.token));
    let mut far = page.lab.command(&["ui", "--listen", "0.0.0.0"]);
    let far = far.env("NETLOOM_STATE_DIR", page.lab.path("other")).output().unwrap();
    assert_eq!(far.status.code(), Some(2));
    assert!(common::text(&far.stderr).contains("ssh -L"), "{far:?}");
    if common::takes_root("another user", "only root becomes another user") {
        let mut other = Command::new("setpriv");
        other.args(["--reuid=65534", "--regid=65534", "--clear-groups", "cat"]).arg(&file);
        let other = other.output().unwrap();
        assert!(!other.status.success() && other.stdout.is_empty(), "{other:?}");
    }
}

#[test]
fn findings_and_networks_have_their_places() {
    let page = Page::new(PAIR, &[]);
    let text = "name: x\ntopology:\n  nodes: { r: { kind: router }, \"n[1-3]\": }\n  links:\n    \
                - { endpoints: [r, n1], dealy: 5ms }\n    \
                - { endpoints: [r, n2], rate: 1Mbit/s }\n";
    let wrong = page.own("POST", "/api/validate", &json!({"text": text})).json();
    assert_eq!(wrong["valid"], false);
    let findings = wrong["diagnostics"].as_array().unwrap();
    let finding = findings.iter().find(|finding| finding["severity"] == "error").unwrap();
    assert_eq!(finding["line"].as_u64(), Some(5), "{finding}");
    assert!(finding["help"].as_str().unwrap().contains("delay"), "{finding}");
    let drawn = page.own("POST", "/api/graph", &json!({"text": text})).json();
    assert_eq!(
        (drawn["nodes"].as_array().unwrap().len(), drawn["valid"].as_bool()),
        (4, Some(false))
    );
    let text = text.replace("dealy", "delay");
    let graph = page.own("POST", "/api/graph", &json!({"text": text, "layout": true})).json();
    assert_eq!(graph["stacks"][0]["written"], "n[1-3]");
    let (router, node) = (&graph["nodes"][0], &graph["nodes"][1]);
    assert_eq!(
        (router["kind"].as_str(), node["origin"]["stack"].as_u64()),
        (Some("router"), Some(0))
    );
    assert!(node["point"][0].is_number(), "{node}");
    let link = &graph["links"][1];
    assert_eq!(
        (link["forward"].as_str(), link["origin"]["line"].as_u64()),
        (Some("1Mbit/s"), Some(6))
    );
    let resolved = page.own("POST", "/api/resolve", &json!({"text": text})).json();
    let rate = &resolved["links"]["r--n2"][1];
    assert_eq!(
        (rate["key"].as_str(), rate["layer"].as_str()),
        (Some("rate"), Some("topology.links.1"))
    );
    let layout = json!({"count": 3, "edges": [[0, 1], [1, 2]], "fixed": [[0, 5.0, 5.0]]});
    let points = page.own("POST", "/api/layout", &layout).json();
    assert_eq!(points["points"][0], json!([5.0, 5.0]));
    let beyond = json!({"count": 2, "edges": [[0, 2]]});
    assert_eq!(page.own("POST", "/api/layout", &beyond).status, 400);
}

#[test]
fn a_network_is_deployed_watched_changed_and_destroyed() {
    let page = Page::new(PAIR, &[]);
    let action = json!({"file": "netloom.yaml"});
    let before = page.own("POST", "/api/plan", &action).json();
    assert_eq!(before["running"], false, "{before}");
    let said = page.job("/api/deploy", &action);
    assert!(said.iter().any(|line| line["progress"]["ready"].is_object()), "{said:?}");
    let name = &page.lab.name;
    let engine = format!("/api/experiments/{name}/v1");
    let status = page.get(&format!("{engine}/experiment")).json();
    assert_eq!(status["name"], name.as_str());
    let listed = page.get("/api/experiments").json();
    assert_eq!((&listed[0]["name"], &listed[0]["alive"]), (&json!(name), &json!(true)));
    assert_eq!(page.get("/api/experiments/none/v1/links").status, 404);
    assert_eq!(page.get("/api/experiments/..%2fx/v1/links").status, 400);

    // Live, with a session and an origin only.
    let live_path = format!("{engine}/live");
    let origin = page.origin();
    assert_eq!(page.websocket(&live_path, &[&origin]).unwrap_err(), 401);
    let ticketed = || format!("{live_path}?ticket={}", page.ticket(&live_path));
    assert_eq!(page.websocket(&ticketed(), &[]).unwrap_err(), 403);
    assert_eq!(page.websocket(&ticketed(), &["Origin: http://evil.example"]).unwrap_err(), 403);
    let mut socket = page.websocket(&ticketed(), &[&origin]).unwrap();
    say(&mut socket, "{\"interval_ms\": 100, \"links\": \"all\"}");
    let (kind, notice) = hear(&mut socket);
    let notice: Value = serde_json::from_slice(&notice).unwrap();
    assert_eq!((kind, &notice["network"]["links"]), (1, &json!(1)));
    let mut rows = vec![PipeRow::default(); 2];
    let mut ticks = 0;
    let mut until = |what: &str, socket: &mut TcpStream, done: &dyn Fn(&[PipeRow]) -> bool| {
        for _ in 0..600 {
            let (2, frame) = hear(socket) else { continue };
            let (header, changed) = live::read::<PipeRow>(&frame).unwrap();
            assert_eq!((header.revision, header.tick), (0, ticks));
            ticks += 1;
            changed.iter().for_each(|row| rows[row.index as usize] = *row);
            if header.interval > 0.0 && done(&rows) {
                return;
            }
        }
        panic!("{what}: {rows:?}");
    };
    until("quiet", &mut socket, &|rows| rows[0].state == 0);

    // A terminal's way: a command over the WebSocket, whose traffic is seen.
    let exec = format!("{engine}/exec");
    let mut command =
        page.websocket(&format!("{exec}?ticket={}", page.ticket(&exec)), &[&origin]).unwrap();
    let words = json!({"node": "a", "command": ["ping", "-i", "0.02", "-c", "50", "b"]});
    say(&mut command, &words.to_string());
    until("traffic", &mut socket, &|rows| rows[0].delivered > 1000.0 && rows[1].delivered > 1000.0);
    let down = json!({"changes": [{"link": "a--b", "change": {"state": "down"}}]});
    let changed = page.own("PATCH", &format!("{engine}/links"), &down);
    assert_eq!(changed.status, 200, "{changed:?}");
    until("down", &mut socket, &|rows| rows[0].state & rows[1].state & state::DOWN != 0);
    drop((socket, command));
    // Those who come while the last one goes are served, too.
    for _ in 0..30 {
        let mut next = page.websocket(&ticketed(), &[&origin]).unwrap();
        say(&mut next, "{\"interval_ms\": 100, \"links\": \"all\"}");
        assert_eq!(hear(&mut next).0, 1);
    }

    // One more node, as the drawing would have it.
    let text = fs::read_to_string(page.lab.path("netloom.yaml")).unwrap();
    let text = text.replace("b: }", "b: , c: }").replace(
        "5ms } ]",
        "5ms }, \
                            { endpoints: [b, c] } ]",
    );
    fs::write(page.lab.path("netloom.yaml"), text).unwrap();
    let plan = page.own("POST", "/api/plan", &action).json();
    let steps: Vec<(&str, &str)> = plan["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| (step["change"].as_str().unwrap(), step["name"].as_str().unwrap()))
        .collect();
    assert!(steps.contains(&("add", "c")), "{plan}");
    page.job("/api/apply", &action);
    assert_eq!(page.get(&format!("{engine}/links")).json().as_array().unwrap().len(), 2);
    page.job("/api/destroy", &json!({"experiment": name}));
    assert_eq!(page.get("/api/experiments").json(), json!([]));
    assert_eq!(page.get(&format!("{engine}/links")).status, 404);
}

#[test]
fn a_run_is_stopped_in_order_and_its_results_are_read() {
    let scenario = format!(
        "{PAIR}processes:\n  - {{ node: a, name: evil, command: [sh, -c, \"printf \
         '<script>alert(1)</script>\\\\033]52;c;eA==\\\\007'; sleep 1000\"] }}\n"
    );
    let page = Page::new(&scenario, &[]);
    let begun = page.own("POST", "/api/run", &json!({"file": "netloom.yaml"}));
    assert_eq!(begun.status, 202, "{begun:?}");
    let id = begun.json()["id"].clone();
    let name = &page.lab.name;
    let processes = format!("/api/experiments/{name}/v1/processes");
    eventually("the process runs", || {
        let listed = page.get(&processes);
        listed.status == 200 && listed.body.contains("ready")
    });
    let stopped = page.own("POST", &format!("/api/jobs/{id}/stop"), &json!({}));
    assert_eq!(stopped.status, 202);
    let events = page.get(&format!("/api/jobs/{id}/events")).body;
    assert!(events.contains("\"ended\":{\"code\":130}"), "{events}");
    let runs = page.get("/api/results").json();
    assert_eq!((&runs[0]["experiment"], &runs[0]["finished"]), (&json!(name), &json!(true)));
    let run = runs[0]["path"].as_str().unwrap();
    let files = page.get(&format!("/api/results/files?run={run}")).body;
    assert!(files.contains("processes/evil@a.stdout"), "{files}");
    let table = |range: &str| {
        let columns = "file=pipes.parquet&columns=link,time_ns";
        page.get(&format!("/api/results/table?run={run}&{columns}&{range}")).json()
    };
    let all = table("from=0&to=1000");
    assert_eq!(all["columns"][0]["values"][0], "a--b", "{all}");
    assert_eq!(table("from=1000")["rows"], 0);
    assert_eq!(table("rows=1")["truncated"], true);
    // What a process wrote is a download, and a report is in a sandbox.
    let output = page.get(&format!("/api/results/file?run={run}&file=processes/evil@a.stdout"));
    assert_eq!(output.header("content-type"), Some("application/octet-stream"));
    assert_eq!(output.header("content-disposition"), Some("attachment"));
    assert!(output.body.contains("<script>"), "{output:?}");
    let report = page.get(&format!("/api/results/file?run={run}&file=report.html"));
    assert!(report.header("content-security-policy").unwrap().contains("sandbox allow-scripts"));
    assert!(!report.body.contains("<script>alert(1)"), "the report has it as text");
}
