//! `netloom mobility`: movements without a network.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use netloom_mobility::{
    Contacts, Geographic, Mobility as Model, Movements, Plane, Point, Surroundings, TraceFormat,
    Traces, Trajectory,
};
use netloom_scenario::{ReadFile, Unreadable};
use netloom_units::{Duration, FileError, FileFault, Length, Stream, Time, readable};
use serde_json::json;

use crate::args::{Format, Mobility};
use crate::exit::{self, WithCode};
use crate::files;
use crate::table::table;

/// Duration of a model's movements by default.
const DEFAULT: Duration = Duration::from_secs(900);

/// Converts movements, checks them, or shows what they mean for radios.
pub fn mobility(args: &Mobility) -> Result<i32> {
    let moving = moving(args)?;
    match (args.to, args.stats) {
        (Some(format), _) => write(&moving, format, args.output.as_deref()),
        (None, Some(reach)) => stats(&moving, reach, args.format),
        (None, None) => show(&moving, args.format),
    }
}

/// Nodes that move, and the end of the movements.
struct Moving {
    /// The file's format, or the model.
    source: String,
    nodes: Vec<(String, Trajectory)>,
    until: Time,
    plane: Option<Plane>,
    /// Parts of the file that are not movements.
    left_out: Vec<String>,
}

fn moving(args: &Mobility) -> Result<Moving> {
    let mut moving = match (&args.model, &args.file) {
        (Some(model), _) => modelled(model, args)?,
        (None, Some(file)) => recorded(file, args)?,
        // The command line requires one of them, so this cannot happen.
        (None, None) => return Err(exit::usage("a FILE or a `--model` is needed")),
    };
    if moving.until == Time::ZERO {
        return Err(exit::usage("nothing moves in it; `--for TIME` says up to when to look"));
    }
    moving.nodes.iter_mut().for_each(|(_, path)| path.extend(moving.until));
    Ok(moving)
}

/// Reads the nodes of a file.
fn recorded(file: &Path, args: &Mobility) -> Result<Moving> {
    let name = file.display();
    let text = files::reader(Path::new(".")).text(&file.to_string_lossy());
    let text = text.map_err(|Unreadable { reason, help }| {
        let help = help.map(|help| format!("; {help}")).unwrap_or_default();
        exit::usage(format!("cannot read {name}: {reason}{help}"))
    })?;
    let names = || TraceFormat::ALL.iter().map(|(_, name, _)| *name).collect::<Vec<_>>().join(", ");
    let format = args.from.or_else(|| TraceFormat::guess(&text)).ok_or_else(|| {
        exit::usage(format!("{name} is none of the formats {}; `--from` says which", names()))
    })?;
    let traces = format
        .read(&text)
        .map_err(|error| exit::usage(format!("{name} is no trace of {format}: {error}")))?;
    let traces = match args.degrees && !traces.needs_plane() {
        true => traces.in_degrees().map_err(|error| exit::usage(error.to_string()))?,
        false => traces,
    };
    if traces.may_be_degrees() {
        eprintln!("warning: all places of {name} fit degrees, and are read as metres");
        eprintln!("  help: say `--degrees` if they are longitudes and latitudes");
    }
    let plane = plane(args.origin, traces.first_place())?;
    let nodes =
        traces.names().map(|node| Ok((node.to_owned(), path(&traces, node, plane.as_ref())?)));
    let until = args.time.map_or_else(|| traces.last(), |time| Time::ZERO + time);
    Ok(Moving {
        source: format.to_string(),
        nodes: nodes.collect::<Result<_>>()?,
        until,
        plane,
        left_out: traces.left_out().to_vec(),
    })
}

fn path(traces: &Traces, node: &str, plane: Option<&Plane>) -> Result<Trajectory> {
    let path = traces.trajectory(node, plane, Time::ZERO, &|point| point);
    path.map_err(|error| exit::usage(error.to_string()))
}

/// Returns the plane around an origin, or else around the first place.
fn plane(origin: Option<Geographic>, first: Option<Geographic>) -> Result<Option<Plane>> {
    let origin = origin.or(first.map(|first| Geographic { alt: 0.0, ..first }));
    origin.map(Plane::new).transpose().map_err(exit::usage)
}

/// Returns nodes that move according to a model.
fn modelled(text: &str, args: &Mobility) -> Result<Moving> {
    let mut model: Model = netloom_scenario::value(text).map_err(|findings| WithCode {
        code: exit::USAGE,
        message: findings.render("--model", text),
    })?;
    let mut reader = files::reader(Path::new("."));
    model.load(&mut |name| reader.text(name)).map_err(unusable)?;
    let plane = plane(args.origin, None)?;
    let group = Stream::new(args.seed, "group/mobility");
    let node = |number: u32| {
        let name = format!("n{number}");
        let stream = Stream::new(args.seed, &format!("{name}/mobility"));
        let given = Surroundings {
            node: &name,
            position: None,
            stream: &stream,
            group: &group,
            plane: plane.as_ref(),
        };
        let path = model.trajectory(&given).map_err(|error| exit::usage(error.to_string()))?;
        Ok((name, path))
    };
    Ok(Moving {
        source: model.name().into(),
        nodes: (1..=args.nodes).map(node).collect::<Result<_>>()?,
        until: Time::ZERO + args.time.unwrap_or(DEFAULT),
        plane,
        left_out: Vec::new(),
    })
}

/// Makes the error for files that could not be used.
fn unusable(errors: Vec<FileError<Unreadable>>) -> anyhow::Error {
    let lines = errors.into_iter().map(|FileError { property, file, what, cause }| match cause {
        FileFault::Unreadable(Unreadable { reason, .. }) => {
            format!("{property}: cannot read the {what} {file}: {reason}")
        }
        FileFault::Malformed(error) => format!("{property}: {file} is no {what}: {error}"),
    });
    exit::usage(lines.collect::<Vec<_>>().join("\n"))
}

fn write(moving: &Moving, format: TraceFormat, output: Option<&Path>) -> Result<i32> {
    let Moving { nodes, until, plane, .. } = moving;
    let movements = Movements { nodes, until: *until, plane: plane.as_ref() };
    let text = format.write(&movements).map_err(exit::usage)?;
    moving.left_out.iter().for_each(|what| eprintln!("left out: {what}"));
    match output {
        Some(file) => {
            fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))?;
        }
        None => print!("{text}"),
    }
    Ok(exit::SUCCESS)
}

/// Shows nodes, time, area and speed.
fn show(moving: &Moving, format: Format) -> Result<i32> {
    let legs = || {
        let paths = moving.nodes.iter().map(|(_, path)| path);
        paths.flat_map(|path| path.legs().iter().filter(|leg| leg.start <= moving.until))
    };
    let bound = |start: f64, pick: fn(f64, f64) -> f64, axis: fn(Point) -> f64| {
        legs().map(|leg| axis(leg.at)).fold(start, pick)
    };
    let low = |axis: fn(Point) -> f64| bound(f64::INFINITY, f64::min, axis);
    let high = |axis: fn(Point) -> f64| bound(f64::NEG_INFINITY, f64::max, axis);
    let from = [low(|at| at.x), low(|at| at.y)];
    let to = [high(|at| at.x), high(|at| at.y)];
    let fastest = legs().map(|leg| leg.velocity.length()).fold(0.0, f64::max);
    let seconds = moving.until.since(Time::ZERO).as_secs_f64();
    if format == Format::Json {
        let names: Vec<_> = moving.nodes.iter().map(|(name, _)| name).collect();
        println!(
            "{:#}",
            json!({
                "source": moving.source, "nodes": names, "seconds": seconds, "from": from, "to": to,
                "fastest": fastest, "left_out": moving.left_out,
            })
        );
        return Ok(exit::SUCCESS);
    }
    let mut rows = table(&["what", "value"]);
    rows.add_row(["movements of", &moving.source]);
    rows.add_row(["nodes", &moving.nodes.len().to_string()]);
    rows.add_row(["time", &format!("{seconds} s")]);
    rows.add_row([
        "area",
        &format!("{:.1}, {:.1} to {:.1}, {:.1} m", from[0], from[1], to[0], to[1]),
    ]);
    rows.add_row(["fastest", &format!("{fastest:.2} m/s")]);
    for what in &moving.left_out {
        rows.add_row(["left out", what]);
    }
    println!("{rows}");
    Ok(exit::SUCCESS)
}

/// Shows links and paths of radios with a given reach.
fn stats(moving: &Moving, reach: Length, format: Format) -> Result<i32> {
    let paths: Vec<_> = moving.nodes.iter().map(|(_, path)| path.clone()).collect();
    let contacts = Contacts::new(&paths, reach, moving.until);
    if format == Format::Json {
        println!("{}", serde_json::to_string_pretty(&contacts)?);
        return Ok(exit::SUCCESS);
    }
    let mut rows = table(&["what", "value"]);
    let percent = format!("{:.2}%", contacts.pairs_with_path * 100.0);
    rows.add_row(["link changes", &readable::count(contacts.link_changes)]);
    rows.add_row(["neighbours of a node", &format!("{:.1}", contacts.mean_degree)]);
    rows.add_row(["pairs with a path", &percent]);
    rows.add_row(["hops of a path", &format!("{:.2}", contacts.mean_hops)]);
    rows.add_row(["most hops", &contacts.most_hops.to_string()]);
    rows.add_row(["mean speed", &format!("{:.3} m/s", contacts.mean_speed)]);
    println!("{rows}");
    Ok(exit::SUCCESS)
}
