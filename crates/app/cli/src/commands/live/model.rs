//! The state of the page: the last two samples, the events, and what the keys have set. Pure.

use netloom_link::Window;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::grid::{Grid, Theme};
use super::log::Log;
use super::panes::{Pane, Seen};
use super::sample::Sample;

/// What a key asks for beyond the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// Nothing.
    Nothing,
    /// To leave.
    Leave,
    /// To stop the program until it is continued.
    Pause,
}

/// How a pane is shown.
#[derive(Debug, Clone, Copy, Default)]
pub struct Place {
    /// What its rows are sorted by, of the orders of its table.
    pub order: usize,
    /// Whether they are in the reverse order.
    pub is_reversed: bool,
    /// Number of rows above the first that is shown.
    pub from: usize,
    /// Number of rows that fit.
    pub height: usize,
}

/// The state of the page.
pub struct Model {
    /// Name of the experiment.
    pub name: String,
    /// The window of the links' figures; without one, they are those since the sample before.
    pub window: Option<Window>,
    /// The events.
    pub log: Log,
    /// The pane that keys are for.
    pub focus: Pane,
    /// What names must contain.
    pub filter: String,
    /// Whether the filter is being typed.
    pub is_filtering: bool,
    /// Whether the help is shown.
    pub is_helping: bool,
    /// The styles.
    pub theme: Theme,
    samples: [Option<Sample>; 2],
    places: [Place; Pane::ALL.len()],
}

impl Model {
    /// An empty page. Colours are used unless the environment has `NO_COLOR`.
    pub fn new(name: &str, window: Option<Window>) -> Self {
        let has_colours = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Self {
            name: name.into(),
            window,
            log: Log::default(),
            focus: Pane::Links,
            filter: String::new(),
            is_filtering: false,
            is_helping: false,
            theme: Theme { has_colours },
            samples: [None, None],
            places: Default::default(),
        }
    }

    /// Takes a new sample.
    pub fn take(&mut self, sample: Sample) {
        let [before, now] = &mut self.samples;
        *before = now.replace(sample);
    }

    /// Returns the last sample.
    pub fn sample(&self) -> Option<&Sample> {
        self.samples[1].as_ref()
    }

    fn seen(&self) -> Seen<'_> {
        let [before, now] = self.samples.each_ref().map(Option::as_ref);
        Seen { now, before, log: &self.log }
    }

    /// Returns the panes that have something to show, and those that every experiment has.
    pub fn panes(&self) -> Vec<Pane> {
        let has = |pane: &Pane| *pane == self.focus || pane.is_useful(self.sample());
        Pane::ALL.into_iter().filter(has).collect()
    }

    /// Returns the table of a pane, filtered and sorted, and the number of rows without the filter.
    pub fn grid(&self, pane: Pane) -> (Grid, usize) {
        let mut grid = pane.grid(self.seen());
        let all = grid.rows.len();
        let place = self.place(pane);
        grid.filter(&self.filter);
        grid.sort(place.order, place.is_reversed);
        (grid, all)
    }

    /// Returns how a pane is shown.
    pub fn place(&self, pane: Pane) -> Place {
        self.places[pane as usize]
    }

    /// Notes that `height` of `rows` rows of a pane fit, and returns the first that is shown: the
    /// last page is full.
    pub fn scrolled(&mut self, pane: Pane, rows: usize, height: usize) -> usize {
        let place = &mut self.places[pane as usize];
        place.height = height;
        place.from = place.from.min(rows.saturating_sub(height));
        place.from
    }

    /// Does what a key means here.
    pub fn press(&mut self, key: KeyEvent) -> Asked {
        if key.kind == KeyEventKind::Release {
            return Asked::Nothing;
        }
        let with_control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('c') if with_control => return Asked::Leave,
            KeyCode::Char('z') if with_control => return Asked::Pause,
            _ if with_control => return Asked::Nothing,
            _ => {}
        }
        if self.is_filtering && self.typed(key.code) {
            return Asked::Nothing;
        }
        match key.code {
            KeyCode::Char('q') => return Asked::Leave,
            KeyCode::Esc if self.is_helping => self.is_helping = false,
            KeyCode::Esc if !self.filter.is_empty() => self.filter.clear(),
            KeyCode::Esc => return Asked::Leave,
            KeyCode::Char('?') => self.is_helping = !self.is_helping,
            KeyCode::Char('/') => self.is_filtering = true,
            KeyCode::Char('s') => self.sort_by_next(),
            KeyCode::Char('S') => {
                let place = &mut self.places[self.focus as usize];
                place.is_reversed = !place.is_reversed;
            }
            KeyCode::Tab | KeyCode::Right => self.turn(1),
            KeyCode::BackTab | KeyCode::Left => self.turn(-1),
            code => self.scroll(code),
        }
        Asked::Nothing
    }

    /// Takes a key for the filter. Returns `false` if the key is for the page.
    fn typed(&mut self, code: KeyCode) -> bool {
        match code {
            KeyCode::Char(letter) => self.filter.push(letter),
            KeyCode::Backspace if self.filter.is_empty() => self.is_filtering = false,
            KeyCode::Backspace => _ = self.filter.pop(),
            KeyCode::Enter => self.is_filtering = false,
            KeyCode::Esc => {
                self.filter.clear();
                self.is_filtering = false;
            }
            _ => return false,
        }
        true
    }

    fn sort_by_next(&mut self) {
        let orders = self.focus.grid(self.seen()).orders.len().max(1);
        let place = &mut self.places[self.focus as usize];
        *place = Place { order: (place.order + 1) % orders, is_reversed: false, ..*place };
    }

    fn turn(&mut self, by: isize) {
        let panes = self.panes();
        let here = panes.iter().position(|pane| *pane == self.focus).unwrap_or_default();
        let count = panes.len() as isize;
        self.focus = panes[(here as isize + by).rem_euclid(count) as usize];
    }

    fn scroll(&mut self, code: KeyCode) {
        let place = &mut self.places[self.focus as usize];
        let page = place.height.max(1);
        place.from = match code {
            KeyCode::Up => place.from.saturating_sub(1),
            KeyCode::Down => place.from.saturating_add(1),
            KeyCode::PageUp => place.from.saturating_sub(page),
            KeyCode::PageDown => place.from.saturating_add(page),
            KeyCode::Home => 0,
            KeyCode::End => usize::MAX,
            _ => place.from,
        };
    }
}
