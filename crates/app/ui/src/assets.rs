//! The page's files. A release binary has them inside; a debug binary reads them at each request.

use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use rust_embed::RustEmbed;

/// The files that `make web` builds.
#[derive(RustEmbed)]
#[folder = "../../../web/dist"]
#[allow_missing = true]
struct Files;

/// The page of a binary that was built without the files.
const NONE: &str = "<!doctype html><html lang=\"en\"><title>NetLoom</title>\
    <h1>This netloom was built without its page</h1>\
    <p>Build it anew where <code>make web</code> works, or install a wheel, which has it. \
    Everything else works: <code>netloom inspect --watch</code> shows a living network in a \
    terminal.</p></html>\n";

/// Serves a file of the page. They hold no data, so they need no session.
pub async fn file(request: Request) -> Response {
    let path = request.uri().path().trim_start_matches('/');
    let path = if path.is_empty() { "index.html" } else { path };
    match Files::get(path) {
        Some(file) => {
            let kind = HeaderValue::from_static(kind(path));
            let cache = match path.starts_with("assets/") {
                // Their names change with their contents.
                true => HeaderValue::from_static("private, max-age=31536000, immutable"),
                false => HeaderValue::from_static("no-cache"),
            };
            let headers = [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, cache)];
            (headers, file.data.into_owned()).into_response()
        }
        None if path == "index.html" => axum::response::Html(NONE).into_response(),
        None => (StatusCode::NOT_FOUND, "there is no such file\n").into_response(),
    }
}

/// Returns the media type of a file of the page.
fn kind(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("json") => "application/json",
        Some("png") => "image/png",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
