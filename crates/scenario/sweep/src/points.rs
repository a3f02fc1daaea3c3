//! Points: the product of the parameters.

use netloom_document::Setting;
use netloom_units::{Duration, Rate, Size};

use crate::file::{Parameter, Sweep};

/// A point: a value of each parameter.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point {
    /// Number of the value of each parameter.
    pub choices: Vec<usize>,
}

impl Point {
    /// Returns the parameters with their values at this point.
    pub fn values<'s>(&self, sweep: &'s Sweep) -> impl Iterator<Item = (&'s Parameter, &'s str)> {
        let all = sweep.parameters.iter().zip(self.choices.clone());
        all.map(|(parameter, choice)| (parameter, parameter.values[choice].as_str()))
    }

    /// Returns the point in words.
    pub fn in_words(&self, sweep: &Sweep) -> String {
        let words =
            self.values(sweep).map(|(parameter, value)| format!("{}={value}", parameter.name));
        let words: Vec<String> = words.collect();
        if words.is_empty() { "the only point".into() } else { words.join(", ") }
    }
}

impl Sweep {
    /// Returns the number of points.
    pub fn count(&self) -> usize {
        let is_first = |place: &usize| !self.zip.contains(place) || self.zip[0] == *place;
        let lengths = (0..self.parameters.len()).filter(is_first);
        lengths.map(|place| self.parameters[place].values.len()).product()
    }

    /// Returns all points. The values of the first parameter change last.
    pub fn points(&self) -> Vec<Point> {
        let mut points = vec![Point { choices: Vec::new() }];
        for (place, parameter) in self.parameters.iter().enumerate() {
            let beside =
                self.zip.first().filter(|first| self.zip.contains(&place) && **first < place);
            points = match beside {
                Some(first) => {
                    points.into_iter().map(|point| with(&point, point.choices[*first])).collect()
                }
                None => {
                    let all = points.into_iter();
                    all.flat_map(|point| {
                        let choices = 0..parameter.values.len();
                        choices.map(|choice| with(&point, choice)).collect::<Vec<_>>()
                    })
                    .collect()
                }
            };
        }
        points
    }

    /// Returns the values that a point sets in the scenario. Places are those in the sweep's file.
    pub fn settings<'s>(&'s self, point: &Point) -> Vec<Setting<'s>> {
        let mut settings = Vec::new();
        for (parameter, choice) in self.parameters.iter().zip(&point.choices) {
            for (path, at) in &parameter.paths {
                let value = parameter.nodes[*choice];
                settings.push(Setting { path, at: *at, tree: &self.tree, value });
            }
        }
        settings
    }

    /// Returns the command of a point, with its values in place of their names.
    pub fn command(&self, command: &str, point: &Point) -> String {
        point.values(self).fold(command.to_owned(), |command, (parameter, value)| {
            let quoted = format!("'{}'", value.replace('\'', r"'\''"));
            command.replace(&format!("{{{}}}", parameter.name), &quoted)
        })
    }

    /// Returns the number of the baseline of a point: the point that differs from it in the
    /// baseline's parameters alone. `None` for a baseline itself.
    pub fn baseline(&self, points: &[Point], point: usize) -> Option<usize> {
        let compare = self.compare.as_ref()?;
        let mut choices = points[point].choices.clone();
        for (parameter, value) in &compare.baseline {
            choices[*parameter] = *value;
        }
        let found = points.iter().position(|other| other.choices == choices)?;
        (found != point).then_some(found)
    }
}

fn with(point: &Point, choice: usize) -> Point {
    let choices = point.choices.iter().copied().chain([choice]).collect();
    Point { choices }
}

/// Returns the values of a parameter as numbers, in a common unit, if all are quantities of one
/// kind.
pub fn numbers(values: &[String]) -> Option<Vec<f64>> {
    let all = |number: &dyn Fn(&str) -> Option<f64>| -> Option<Vec<f64>> {
        values.iter().map(|value| number(value).filter(|number| number.is_finite())).collect()
    };
    all(&|text| text.parse().ok())
        .or_else(|| all(&|text| Some(text.parse::<Rate>().ok()?.bits_per_second() as f64)))
        .or_else(|| all(&|text| Some(text.parse::<Duration>().ok()?.as_nanos() as f64)))
        .or_else(|| all(&|text| text.strip_suffix('%')?.trim().parse().ok()))
        .or_else(|| all(&|text| Some(text.parse::<Size>().ok()?.bytes() as f64)))
}
