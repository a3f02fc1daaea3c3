//! The checks that each request passes before anything else looks at it, and the headers of each
//! response.

use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderName};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::answer::{Answer, Refused};
use crate::server::Server;

/// What the page may load and do: what this server has, and nothing else. xterm writes styles.
const POLICY: &str = "default-src 'none'; script-src 'self'; connect-src 'self'; \
    img-src 'self' blob:; style-src 'self' 'unsafe-inline'; frame-src 'self'; \
    frame-ancestors 'none'; base-uri 'none'; form-action 'none'; \
    require-trusted-types-for 'script'; trusted-types svelte-trusted-html";

/// Headers of each response.
const HEADERS: [(&str, &str); 5] = [
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("x-frame-options", "SAMEORIGIN"),
];

/// Requests other than GET that change nothing.
const HARMLESS: [&str; 7] = [
    "/session",
    "/api/tickets",
    "/api/validate",
    "/api/graph",
    "/api/layout",
    "/api/resolve",
    "/api/plan",
];

/// Lets a request through to its handler, or refuses it.
pub async fn guard(State(server): State<Server>, request: Request, next: Next) -> Response {
    let (head, body) = request.into_parts();
    let mut response = match admit(&server, &head).await {
        Ok(()) => next.run(Request::from_parts(head, body)).await,
        Err(refused) => refused.into_response(),
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    let policy = HeaderValue::from_static(POLICY);
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(policy);
    let cache = HeaderValue::from_static("no-store");
    headers.entry(header::CACHE_CONTROL).or_insert(cache);
    response
}

async fn admit(server: &Server, request: &Parts) -> Answer<()> {
    let doors = &server.doors;
    let (headers, path) = (&request.headers, request.uri.path());
    let host = text(headers, &header::HOST).unwrap_or_default();
    let authority = request.uri.authority().map_or(host, |own| own.as_str());
    if !doors.is_host(host) || !doors.is_host(authority) {
        let error = "this server answers for 127.0.0.1 and localhost only";
        return Err(Refused::new(StatusCode::MISDIRECTED_REQUEST, error));
    }
    let is_read = matches!(request.method, Method::GET | Method::HEAD);
    let is_upgrade = headers.contains_key(header::UPGRADE);
    if !is_visit(headers, path, is_read) {
        check_source(headers, host, is_read && !is_upgrade)?;
    }
    if path.starts_with("/api") {
        check_session(server, request).await?;
    }
    let is_live = path.ends_with("/v1/live");
    let changes = if is_upgrade { !is_live } else { !is_read && !HARMLESS.contains(&path) };
    if doors.is_read_only() && changes {
        let error = "this page only looks on: `netloom ui` was started with `--read-only`";
        return Err(Refused::new(StatusCode::FORBIDDEN, error));
    }
    Ok(())
}

/// Whether a user goes to the page from somewhere else. The page by itself shows nothing.
fn is_visit(headers: &HeaderMap, path: &str, is_read: bool) -> bool {
    let fetch = |what: &str| {
        let name = HeaderName::from_bytes(format!("sec-fetch-{what}").as_bytes()).ok()?;
        text(headers, &name)
    };
    let is_document = fetch("mode") == Some("navigate") && fetch("dest") == Some("document");
    is_read && is_document && matches!(path, "/" | "/index.html")
}

/// Checks that a request comes from our own page. One that only reads may come from none.
fn check_source(headers: &HeaderMap, host: &str, only_reads: bool) -> Answer<()> {
    let foreign = |error: &str| Err(Refused::new(StatusCode::FORBIDDEN, error));
    match headers.get(header::ORIGIN) {
        Some(origin) if origin.as_bytes() != format!("http://{host}").as_bytes() => {
            return foreign("the request comes from another page");
        }
        None if !only_reads => {
            return foreign("a request that changes something, or a WebSocket, needs an `Origin`");
        }
        _ => {}
    }
    match text(headers, &HeaderName::from_static("sec-fetch-site")) {
        None | Some("same-origin") => Ok(()),
        Some("none") if only_reads => Ok(()),
        Some(_) => foreign("the request comes from another site"),
    }
}

/// Checks the key of a request or, of one that cannot have a header, its ticket.
async fn check_session(server: &Server, request: &Parts) -> Answer<()> {
    let authorization = text(&request.headers, &header::AUTHORIZATION);
    if let Some(key) = authorization.and_then(|value| value.strip_prefix("Bearer ")) {
        return server.doors.check_key(key).await;
    }
    let ticket = ticket(request.uri.query().unwrap_or_default());
    if let Some(ticket) = ticket.filter(|_| request.method == Method::GET) {
        return server.doors.use_ticket(ticket, request.uri.path()).await;
    }
    Err(Refused::new(StatusCode::UNAUTHORIZED, "there is no session")
        .with_help("run `netloom ui` and open the address that it prints"))
}

/// Returns the ticket of a query. Tickets have no characters that are escaped.
fn ticket(query: &str) -> Option<&str> {
    query.split('&').find_map(|pair| pair.strip_prefix("ticket="))
}

/// Returns a query without its ticket.
pub fn without_ticket(query: &str) -> String {
    let others = query.split('&').filter(|pair| !pair.starts_with("ticket="));
    others.collect::<Vec<_>>().join("&")
}

fn text<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}
