//! The page, drawn: the run and its verdict on top, then the panes, then the keys. Pure.

use netloom_monitor::Judgement;
use netloom_units::readable::counted;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Paragraph};

use super::super::summary::judged;
use super::super::view::phase;
use super::grid::{Tone, fitted, line, width_of, wrapped};
use super::model::Model;
use super::panes::Pane;
use super::sample::Sample;

/// Smallest screen with several panes at once, in columns and rows.
const LARGE: (u16, u16) = (140, 32);
/// Rows of the events below another pane on a small screen.
const EVENTS: u16 = 6;
/// Fewest rows of a screen with events below another pane, and with the whole head.
const HIGH: u16 = 20;
/// Most rows of the error bound in the head; the verdict's pane has all of it.
const BOUND: usize = 2;
/// Most findings of a verdict that are shown.
const FINDINGS: usize = 8;
/// Fewest rows of the signals below a verdict.
const SIGNALS: usize = 5;

const KEYS: &str = "q leave  / filter  s S sort  Tab pane  ↑↓ scroll  ? help";

const HELP: &[(&str, &str)] = &[
    ("q, Esc, Ctrl-C", "leave; the experiment goes on"),
    ("Tab, ← →", "another pane"),
    ("↑ ↓, PgUp PgDn, Home End", "scroll"),
    ("/", "show only what has these letters in a name: Enter keeps it, Esc ends it"),
    ("s", "sort by something else"),
    ("S", "sort the other way round"),
    ("Ctrl-Z", "stop; `fg` goes on"),
    ("?", "this help"),
    ("", ""),
    ("load", "share of the time in which the line was sending"),
    ("queue", "mean queue of the fuller direction, as a share of its limit"),
    ("dropped, in all", "frames in the time that is shown, and since the start"),
    ("CPU", "100 % is one CPU; a bar is full at the node's limit"),
    ("airtime, busy", "share of the time in which a station sent, or sensed others"),
    ("–", "not known, or there is no such thing"),
];

/// Draws the page.
pub fn draw(frame: &mut Frame<'_>, model: &mut Model) {
    let area = frame.area();
    let head = head(model, area);
    let rows = [
        Constraint::Length(head.len() as u16),
        Constraint::Length(1),
        Constraint::Min(0),
        Constraint::Length(1),
    ];
    let [top, tabs, body, bottom] = Layout::vertical(rows).areas(area);
    frame.render_widget(Paragraph::new(head), top);
    frame.render_widget(self::tabs(model, tabs.width.into()), tabs);
    frame.render_widget(self::bottom(model, bottom.width.into()), bottom);
    if model.is_helping {
        help(frame, body);
        return;
    }
    if model.sample().is_none() {
        frame.render_widget("waiting for the engine's answer", body);
        return;
    }
    for (pane, area) in arranged(model, body) {
        draw_pane(frame, model, pane, area);
    }
}

/// Returns the panes that are shown, each with its part of the screen.
fn arranged(model: &Model, body: Rect) -> Vec<(Pane, Rect)> {
    let panes = model.panes();
    let has = |pane: &Pane| panes.contains(pane);
    let is_large = body.width >= LARGE.0 && body.height + HIGH / 4 >= LARGE.1;
    let beside = matches!(model.focus, Pane::Events | Pane::Verdict);
    if is_large && !beside {
        let columns = [Constraint::Percentage(58), Constraint::Length(2), Constraint::Fill(1)];
        let [left, _, right] = Layout::horizontal(columns).areas(body);
        let left_panes = [Pane::Links, Pane::Flows, Pane::Radio];
        let right_panes = [Pane::Nodes, Pane::Processes, Pane::Events];
        let left_panes = left_panes.into_iter().filter(has).collect();
        let right_panes = right_panes.into_iter().filter(has).collect();
        return [stacked(model, left_panes, left), stacked(model, right_panes, right)].concat();
    }
    if beside || body.height < HIGH - 6 {
        return vec![(model.focus, body)];
    }
    let height = needed(model, model.focus).min(body.height - EVENTS);
    let rows = [Constraint::Length(height), Constraint::Fill(1)];
    let [above, below] = Layout::vertical(rows).areas(body);
    vec![(model.focus, above), (Pane::Events, below)]
}

/// Returns the rows that a pane needs for all that it has: title, headings, and a blank row below.
fn needed(model: &Model, pane: Pane) -> u16 {
    u16::try_from(model.grid(pane).0.rows.len() + 3).unwrap_or(u16::MAX)
}

/// Returns panes above each other: each has the rows that it needs, but no more than its share.
fn stacked(model: &Model, panes: Vec<Pane>, area: Rect) -> Vec<(Pane, Rect)> {
    let mut left = area.height;
    let mut heights: Vec<(usize, u16)> = Vec::new();
    let mut by_need: Vec<(usize, u16)> =
        panes.iter().map(|pane| needed(model, *pane)).enumerate().collect();
    by_need.sort_by_key(|(_, needed)| *needed);
    for (done, (place, needed)) in by_need.iter().enumerate() {
        let share = left / (panes.len() - done) as u16;
        let height = if done + 1 == panes.len() { left } else { share.min(*needed) };
        left -= height;
        heights.push((*place, height));
    }
    heights.sort_unstable();
    let rows = heights.iter().map(|(_, height)| Constraint::Length(*height));
    let areas = Layout::vertical(rows).split(area);
    panes.into_iter().zip(areas.iter().copied()).collect()
}

/// Returns the lines about the experiment as a whole.
fn head(model: &Model, area: Rect) -> Vec<Line<'static>> {
    let width = usize::from(area.width);
    let Some(sample) = model.sample() else { return vec![Line::raw(line(&model.name))] };
    let verdict = &sample.view.verdict;
    let mut judged = judged(verdict, 0).into_iter();
    let theme = model.theme;
    let tone = match verdict.judgement {
        Judgement::Valid => Tone::Good,
        Judgement::Suspect => Tone::Warned,
        Judgement::Invalid => Tone::Bad,
    };
    let mut lines = vec![Line::styled(
        fitted(&experiment(model, sample), width, false),
        Style::new().add_modifier(Modifier::BOLD),
    )];
    let word = verdict.judgement.to_string().to_uppercase();
    let rest = judged.next().unwrap_or_default();
    let rest = rest.strip_prefix(&word).unwrap_or_default().to_owned();
    let said = "verdict so far: ";
    let room = width.saturating_sub(said.len() + word.len());
    lines.push(Line::from(vec![
        Span::raw(said),
        Span::styled(word, theme.of(tone).add_modifier(Modifier::BOLD)),
        Span::raw(fitted(&line(&rest), room, false)),
    ]));
    if area.height >= HIGH {
        // First comes what the run is for.
        let bound = verdict.stated().into_iter().next().unwrap_or_default();
        let bound = wrapped(&format!("error bound: {}", line(&bound)), width);
        lines.extend(bound.into_iter().take(BOUND).map(Line::raw));
    }
    let (outcome, tone) = model.log.outcome(&sample.view.processes);
    let said = "outcome so far: ";
    lines.push(Line::from(vec![
        Span::raw(said),
        Span::styled(fitted(&outcome, width.saturating_sub(said.len()), false), theme.of(tone)),
    ]));
    lines
}

fn experiment(model: &Model, sample: &Sample) -> String {
    let status = &sample.view.experiment;
    let seconds = status.now.as_secs_f64();
    let of = match model.window {
        Some(window) => format!("links: the last {window}"),
        None => "figures: the last second".into(),
    };
    let (nodes, links) = (counted(status.nodes, "node"), counted(status.links, "link"));
    let parts = [line(&status.name), phase(status), format!("{seconds:.0} s"), nodes, links, of];
    parts.join(" · ")
}

/// Returns the tabs, of which that of the pane with the focus is conspicuous.
fn tabs(model: &Model, width: usize) -> Line<'static> {
    let mut tabs = Line::default();
    for pane in model.panes() {
        let title = match pane == model.focus {
            true => format!("[{}]", pane.title()),
            false => format!(" {} ", pane.title()),
        };
        let style = match pane == model.focus {
            true => Style::new().add_modifier(Modifier::REVERSED),
            false => Style::new(),
        };
        if tabs.width() + width_of(&title) <= width {
            tabs.push_span(Span::styled(title, style));
        }
    }
    tabs
}

fn bottom(model: &Model, width: usize) -> Line<'static> {
    if model.is_filtering {
        let prompt = format!("/{}▏  Enter keeps it, Esc ends it", line(&model.filter));
        return Line::raw(fitted(&prompt, width, false));
    }
    let text = match model.filter.is_empty() {
        true => KEYS.to_owned(),
        false => format!("only `{}`: Esc ends it  {KEYS}", line(&model.filter)),
    };
    Line::styled(fitted(&text, width, false), model.theme.of(Tone::Dim))
}

fn help(frame: &mut Frame<'_>, area: Rect) {
    let first = HELP.iter().map(|(key, _)| width_of(key)).max().unwrap_or_default();
    let rest = usize::from(area.width).saturating_sub(first + 2);
    let lines = HELP.iter().flat_map(|(key, text)| {
        let texts = wrapped(text, rest.max(10));
        let keys = std::iter::once(*key).chain(std::iter::repeat(""));
        let lines = texts.into_iter().zip(keys);
        lines.map(|(text, key)| Line::raw(format!("{}  {text}", fitted(key, first, false))))
    });
    frame.render_widget(Clear, area);
    frame.render_widget(Paragraph::new(lines.collect::<Vec<_>>()), area);
}

fn draw_pane(frame: &mut Frame<'_>, model: &mut Model, pane: Pane, area: Rect) {
    if area.height < 2 || area.width == 0 {
        return;
    }
    let rows = [Constraint::Length(1), Constraint::Min(0)];
    let [title, mut below] = Layout::vertical(rows).areas(area);
    if let (Pane::Verdict, Some(sample)) = (pane, model.sample()) {
        let all = judged(&sample.view.verdict, FINDINGS);
        let lines = all.iter().flat_map(|text| wrapped(&line(text), area.width.into()));
        let most = usize::from(below.height).saturating_sub(SIGNALS);
        let lines: Vec<Line<'_>> = lines.take(most).map(Line::raw).collect();
        let rows = [Constraint::Length(lines.len() as u16 + 1), Constraint::Min(0)];
        let [text, signals] = Layout::vertical(rows).areas(below);
        frame.render_widget(Paragraph::new(lines), text);
        below = signals;
    }
    let (grid, all) = model.grid(pane);
    // The headings take a row.
    let height = usize::from(below.height).saturating_sub(1);
    let from = model.scrolled(pane, grid.rows.len(), height);
    let place = model.place(pane);
    let shown = height.min(grid.rows.len() - from);
    let which = match (grid.rows.len(), all) {
        (0, 0) => "none".into(),
        (0, all) => format!("none of {all} fits the filter"),
        (some, all) if shown < some && some < all => {
            format!("{}–{} of {some} of {all}", from + 1, from + shown)
        }
        (some, all) if some < all => format!("{some} of {all}"),
        (some, _) if shown < some => format!("{}–{} of {some}", from + 1, from + shown),
        (some, _) => some.to_string(),
    };
    let by = grid.orders.get(place.order).copied().unwrap_or_default();
    let arrow = if place.is_reversed { "▴" } else { "▾" };
    let text = format!("─ {}: {which}, by {by} {arrow} ", pane.title());
    let rule = "─".repeat(usize::from(area.width).saturating_sub(width_of(&text)));
    let style = match pane == model.focus {
        true => Style::new().add_modifier(Modifier::BOLD),
        false => model.theme.of(Tone::Dim),
    };
    let text = fitted(&(text + &rule), area.width.into(), false);
    frame.render_widget(Line::styled(text, style), title);
    let lines = grid.lines(from, height, below.width.into(), model.theme);
    frame.render_widget(Paragraph::new(lines), below);
}
