//! Findings, network and values of a scenario's text, which need not be in its file yet.
//!
//! | module | contents |
//! |---|---|
//! | `graph` | the network of a text, as a drawing needs it |
//! | `resolved` | the values in force, and where they come from |

mod graph;
mod resolved;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use netloom_api::ui::graph::{Graph, GraphRequest, Layout, LayoutRequest, Resolved};
use netloom_api::ui::{ScenarioText, Validation};
use netloom_scenario::{Diagnostics, Loaded};

use crate::answer::{Answer, Refused, apart};
use crate::folder::{Folder, below};

/// Most nodes of a layout. A drawing of more shows nothing.
const MAX_NODES: usize = 50_000;

/// Loads a text as if it were in the file at `path`.
fn load(folder: &Folder, path: Option<&str>, text: &str) -> Answer<Result<Loaded, Diagnostics>> {
    let path = below(path.unwrap_or_default())?;
    let directory: PathBuf = folder.path().join(path.parent().unwrap_or(Path::new("")));
    Ok(netloom_cli::ui::load(text, &directory))
}

type InFolder = State<Arc<Folder>>;

/// `POST /api/validate`
pub async fn validate(
    State(folder): InFolder,
    Json(ScenarioText { text, file }): Json<ScenarioText>,
) -> Answer<Json<Validation>> {
    apart(move || {
        Ok(Json(match load(&folder, file.as_deref(), &text)? {
            Ok(Loaded { scenario, warnings }) => Validation {
                valid: true,
                name: Some(scenario.name.clone()),
                size: Some(scenario.size().to_string()),
                diagnostics: warnings.iter().cloned().collect(),
            },
            Err(findings) => Validation {
                valid: false,
                name: None,
                size: None,
                diagnostics: findings.iter().cloned().collect(),
            },
        }))
    })
    .await
}

/// `POST /api/graph`
pub async fn graph(
    State(folder): InFolder,
    Json(GraphRequest { text, file, layout }): Json<GraphRequest>,
) -> Answer<Json<Graph>> {
    apart(move || {
        let loaded = load(&folder, file.as_deref(), &text)?;
        Ok(Json(graph::of(&text, loaded, layout)))
    })
    .await
}

/// `POST /api/layout`
pub async fn layout(Json(request): Json<LayoutRequest>) -> Answer<Json<Layout>> {
    let LayoutRequest { count, edges, fixed } = request;
    if count > MAX_NODES {
        return Err(Refused::bad(format!("{count} nodes are more than {MAX_NODES}")));
    }
    let is_node = |node: &usize| *node < count;
    let all = edges.iter().flat_map(|(a, b)| [a, b]).chain(fixed.iter().map(|(node, ..)| node));
    if let Some(wrong) = all.into_iter().find(|node| !is_node(node)) {
        return Err(Refused::bad(format!("there is no node {wrong} among {count}")));
    }
    let fixed: Vec<(usize, [f64; 2])> =
        fixed.into_iter().map(|(node, x, y)| (node, [x, y])).collect();
    if fixed.iter().flat_map(|(_, point)| point).any(|value| !value.is_finite()) {
        return Err(Refused::bad("points are finite numbers"));
    }
    let points = move || Ok(netloom_drawing::layout::place_among(count, &edges, &fixed));
    Ok(Json(Layout { points: apart(points).await? }))
}

/// `POST /api/resolve`
pub async fn resolve(
    State(folder): InFolder,
    Json(ScenarioText { text, file }): Json<ScenarioText>,
) -> Answer<Json<Resolved>> {
    apart(move || {
        let loaded = load(&folder, file.as_deref(), &text)?;
        let not_valid =
            |findings: Diagnostics| Refused::bad(format!("the scenario has errors: {findings}"));
        Ok(Json(resolved::of(&text, &loaded.map_err(not_valid)?.scenario)))
    })
    .await
}
