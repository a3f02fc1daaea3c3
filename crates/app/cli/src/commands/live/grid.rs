//! Rows and columns, as wide as the screen lets them be: bars and names stretch and shrink, and
//! where there is no room, the columns of the highest rank are left out. Pure.

use std::cmp::Ordering;

use netloom_units::readable::plain;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

/// Narrowest and widest bar, in characters.
const BAR: (usize, usize) = (5, 12);
/// Fewest characters of a name.
const NAME: usize = 8;
/// Characters of a name up to which columns are rather left out than the name cut.
const GOOD_NAME: usize = 15;
/// Eighths of a character.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
/// The part of a bar that is empty.
const EMPTY: &str = "·";
/// Share from which on a bar is conspicuous.
const FULL: f64 = 0.9;

/// How something is to be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tone {
    /// As it is.
    #[default]
    Plain,
    /// As it should be.
    Good,
    /// To look at.
    Warned,
    /// As it should not be.
    Bad,
    /// Of less interest.
    Dim,
}

/// Styles of tones. Colours are those of the terminal's palette that can be read on light and on
/// dark, and there is a word or a length beside each.
#[derive(Debug, Clone, Copy)]
pub struct Theme {
    /// Whether there are colours.
    pub has_colours: bool,
}

impl Theme {
    /// Returns the style of a tone.
    pub fn of(self, tone: Tone) -> Style {
        let style = match tone {
            Tone::Plain => return Style::new(),
            Tone::Dim => return Style::new().add_modifier(Modifier::DIM),
            Tone::Good => Style::new(),
            Tone::Warned | Tone::Bad => Style::new().add_modifier(Modifier::BOLD),
        };
        match (self.has_colours, tone) {
            (true, Tone::Good) => style.fg(Color::Green),
            (true, Tone::Warned) => style.fg(Color::Magenta),
            (true, Tone::Bad) => style.fg(Color::Red),
            _ => style,
        }
    }
}

/// A column.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// Its heading.
    pub title: &'static str,
    /// What is in it.
    pub kind: Kind,
    /// Of columns that do not fit, those with the highest rank go first; those of rank 0 stay.
    pub rank: u8,
}

/// What is in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Names: to the left, searched by the filter, and cut where they are too long.
    Name,
    /// Figures, to the right: never cut.
    Figure,
    /// Bars.
    Bar,
}

/// A cell.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cell {
    /// Its text.
    pub text: String,
    /// Share of its bar that is full, 0 to 1.
    pub bar: Option<f64>,
    /// How it is to be taken.
    pub tone: Tone,
}

impl Cell {
    /// A text, also one of others.
    pub fn text(text: &str) -> Self {
        Self { text: line(text), ..Self::default() }
    }

    /// A figure in words, or a dash if it is not known.
    pub fn figure<T>(value: Option<T>, words: impl Fn(T) -> String) -> Self {
        match value {
            Some(value) => Self { text: words(value), ..Self::default() },
            None => Self { text: "–".into(), tone: Tone::Dim, ..Self::default() },
        }
    }

    /// A bar.
    pub fn bar(share: Option<f64>) -> Self {
        let tone = match share {
            Some(share) if share >= FULL => Tone::Bad,
            Some(_) => Tone::Plain,
            None => Tone::Dim,
        };
        Self { text: String::new(), bar: share, tone }
    }

    /// The same in a tone.
    pub fn in_tone(self, tone: Tone) -> Self {
        Self { tone, ..self }
    }
}

/// What rows are sorted by.
#[derive(Debug, Clone, PartialEq)]
pub enum Key {
    /// A number: the greatest first.
    Number(f64),
    /// A text: in its order.
    Text(String),
}

impl Key {
    /// Returns the order of two rows, unless it is reversed.
    fn order(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => b.total_cmp(a),
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            (Self::Number(_), Self::Text(_)) => Ordering::Less,
            (Self::Text(_), Self::Number(_)) => Ordering::Greater,
        }
    }
}

/// A row.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Its cells, one for each column.
    pub cells: Vec<Cell>,
    /// Its keys, one for each order.
    pub keys: Vec<Key>,
}

/// A table.
#[derive(Debug, Clone, Default)]
pub struct Grid {
    /// Its columns.
    pub columns: &'static [Column],
    /// What it can be sorted by.
    pub orders: &'static [&'static str],
    /// Its rows.
    pub rows: Vec<Row>,
}

impl Grid {
    /// Keeps the rows that have a name with `filter` in it, whatever its case.
    pub fn filter(&mut self, filter: &str) {
        if filter.is_empty() {
            return;
        }
        let filter = filter.to_lowercase();
        let columns = self.columns;
        self.rows.retain(|row| {
            let mut cells = columns.iter().zip(&row.cells);
            cells.any(|(column, cell)| {
                column.kind == Kind::Name && cell.text.to_lowercase().contains(&filter)
            })
        });
    }

    /// Sorts the rows. Equal ones stay in their order.
    pub fn sort(&mut self, order: usize, is_reversed: bool) {
        self.rows.sort_by(|a, b| {
            let (a, b) = (a.keys.get(order), b.keys.get(order));
            let order = a.zip(b).map_or(Ordering::Equal, |(a, b)| a.order(b));
            if is_reversed { order.reverse() } else { order }
        });
    }

    /// Returns the headings and `height` rows from `from` on, each `width` wide.
    pub fn lines(&self, from: usize, height: usize, width: usize, theme: Theme) -> Vec<Line<'_>> {
        let rows = &self.rows[from.min(self.rows.len())..];
        let rows = &rows[..height.min(rows.len())];
        let widths = self.widths(rows, width);
        let shown = || self.columns.iter().zip(&widths).filter(|(_, width)| **width > 0);
        let headings = shown().map(|(column, width)| {
            let title = fitted(column.title, *width, column.kind == Kind::Figure);
            Span::styled(title, Style::new().add_modifier(Modifier::UNDERLINED))
        });
        let headings = gapped(headings);
        let rows = rows.iter().map(|row| {
            let cells = self.columns.iter().zip(&widths).zip(&row.cells);
            let cells = cells.filter(|((_, width), _)| **width > 0);
            gapped(cells.map(|((column, width), cell)| {
                let text = match column.kind {
                    Kind::Bar => bar(cell.bar, *width),
                    kind => fitted(&cell.text, *width, kind == Kind::Figure),
                };
                Span::styled(text, theme.of(cell.tone))
            }))
        });
        std::iter::once(headings).chain(rows).collect()
    }

    /// Returns the width of each column, 0 for those that are left out.
    fn widths(&self, rows: &[Row], width: usize) -> Vec<usize> {
        let natural = |place: usize| {
            let cells = rows.iter().map(|row| width_of(&row.cells[place].text));
            cells.max().unwrap_or_default().max(width_of(self.columns[place].title))
        };
        let natural: Vec<usize> = (0..self.columns.len()).map(natural).collect();
        let least = |place: usize| match self.columns[place].kind {
            Kind::Name => natural[place].min(GOOD_NAME),
            Kind::Figure => natural[place],
            Kind::Bar => natural[place].max(BAR.0),
        };
        let mut widths: Vec<usize> = (0..self.columns.len()).map(least).collect();
        let used = |widths: &[usize]| {
            let shown = widths.iter().filter(|width| **width > 0);
            shown.clone().sum::<usize>() + shown.count().saturating_sub(1)
        };
        while used(&widths) > width {
            let ranks = self.columns.iter().enumerate().filter(|(place, _)| widths[*place] > 0);
            let last = ranks.max_by_key(|(_, column)| column.rank);
            match last {
                Some((place, column)) if column.rank > 0 => widths[place] = 0,
                _ => break,
            }
        }
        for (place, column) in self.columns.iter().enumerate() {
            let excess = used(&widths).saturating_sub(width);
            if column.kind == Kind::Name {
                widths[place] -= excess.min(widths[place].saturating_sub(NAME));
            }
        }
        // What is left over goes to names that always stay, then to bars, then to other names.
        let is_main = |column: &Column| column.kind == Kind::Name && column.rank == 0;
        let is_bar = |column: &Column| column.kind == Kind::Bar;
        let is_other = |column: &Column| column.kind == Kind::Name && column.rank > 0;
        let groups: [&dyn Fn(&Column) -> bool; 3] = [&is_main, &is_bar, &is_other];
        for is_in in groups {
            let grows = |(place, column): &(usize, &Column)| is_in(column) && widths[*place] > 0;
            let columns = self.columns.iter().enumerate();
            let places: Vec<usize> = columns.filter(grows).map(|(place, _)| place).collect();
            for (done, place) in places.iter().enumerate() {
                let free = width.saturating_sub(used(&widths)) / (places.len() - done);
                let most =
                    if self.columns[*place].kind == Kind::Bar { BAR.1 } else { natural[*place] };
                widths[*place] += free.min(most.saturating_sub(widths[*place]));
            }
        }
        widths
    }
}

/// Joins spans with gaps.
fn gapped<'a>(spans: impl Iterator<Item = Span<'a>>) -> Line<'a> {
    let mut line = Line::default();
    for span in spans {
        if !line.spans.is_empty() {
            line.spans.push(Span::raw(" "));
        }
        line.spans.push(span);
    }
    line
}

/// Returns a bar of this width, or a dash if there is no share.
fn bar(share: Option<f64>, width: usize) -> String {
    let Some(share) = share else { return fitted("–", width, false) };
    let eighths = (share.clamp(0.0, 1.0) * (width * 8) as f64).round() as usize;
    // What is not nothing shows.
    let eighths = if share > 0.0 { eighths.max(1) } else { eighths };
    let (whole, part) = (eighths / 8, EIGHTHS[eighths % 8]);
    let empty = width - whole - usize::from(!part.is_empty());
    format!("{}{part}{}", "█".repeat(whole), EMPTY.repeat(empty))
}

/// Returns text of others in one line, without what a terminal interprets.
pub fn line(text: &str) -> String {
    plain(text).replace(['\n', '\t'], " ")
}

/// Returns the width of a text on the screen, in characters of a single width.
pub fn width_of(text: &str) -> usize {
    Span::raw(text).width()
}

/// Returns the text at exactly this width: cut with an ellipsis, or padded.
pub fn fitted(text: &str, width: usize, to_the_right: bool) -> String {
    let own = width_of(text);
    if own <= width {
        let padding = " ".repeat(width - own);
        return if to_the_right { padding + text } else { text.to_owned() + &padding };
    }
    let (mut cut, mut used) = (String::new(), 0);
    for grapheme in Span::raw(text).styled_graphemes(Style::new()) {
        let more = width_of(grapheme.symbol);
        if used + more + 1 > width {
            break;
        }
        cut += grapheme.symbol;
        used += more;
    }
    if width > 0 {
        cut.push('…');
        used += 1;
    }
    cut + &" ".repeat(width - used)
}

/// Returns the text in lines of at most this width, broken between words where there are some; all
/// lines but the first are indented like the first, and by two more.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let indent = text.len() - text.trim_start().len();
    let below = " ".repeat((indent + 2).min(width / 2));
    let mut lines = Vec::new();
    let mut now = " ".repeat(indent.min(width / 2));
    let mut is_empty = true;
    for word in text.split_whitespace() {
        let gap = usize::from(!is_empty);
        if !is_empty && width_of(&now) + gap + width_of(word) > width {
            lines.push(std::mem::replace(&mut now, below.clone()));
            is_empty = true;
        }
        if !is_empty {
            now.push(' ');
        }
        now += word;
        is_empty = false;
    }
    lines.push(now);
    lines.iter().map(|line| fitted(line, width, false).trim_end().to_owned()).collect()
}
