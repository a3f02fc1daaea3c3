//! The commands and their options.

mod calibrate;
mod completion;
mod machines;
mod medium;
mod mobility;
mod parse;
mod plan;
mod plan_failures;
mod run;
mod shape;
mod shell;
mod sweep;
mod symbiosis;
mod traffic;
mod ui;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use netloom_link::Window;
use netloom_sweep::Tolerance;
use netloom_units::{Dilation, Duration};

pub use calibrate::Calibrate;
pub use completion::{Completion, Man};
pub use machines::{CheckMachines, Collect, Machines, Manifest};
pub use medium::Medium;
pub use mobility::Mobility;
pub use plan::Plan;
pub use plan_failures::{Failing, PlanFailures};
pub use run::Run;
pub use shape::{
    AddClaim, CaptureClaim, ListClaims, STATE as SHAPE, SetClaim, Shape, ShapeCommand,
};
pub use shell::Shell;
pub use sweep::{Jobs, Sweep, Table};
pub use symbiosis::{Symbiosis, SymbiosisPlan};
pub use traffic::{Check, Generate, ModelOptions, Traffic};
pub use ui::{Ui, UiServer};

/// NetLoom: one file, one command, a living network.
#[derive(Debug, Parser)]
#[command(name = "netloom", version, max_term_width = 100)]
pub struct Cli {
    /// Command to run.
    #[command(subcommand)]
    pub command: Command,
}

/// Commands of the tool.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a scenario: bring the network up, run its timeline and processes, keep the results, take
    /// it down.
    Run(Run),
    /// Bring a scenario's network up and return.
    Deploy(Deploy),
    /// Make a running network what its scenario says by now, without touching what stays as it is.
    Apply(Apply),
    /// Take an experiment down; nothing of it is left.
    Destroy(Destroy),
    /// Draw, run and watch networks in a browser.
    Ui(Ui),
    /// Show experiments, nodes, links and statistics.
    Inspect(Inspect),
    /// Run a command in a node; the exit code is the command's own.
    Exec(Exec),
    /// Open an interactive shell in a node.
    Connect(Connect),
    /// Run a command of this machine over a modelled link: by default your shell. Everything but
    /// its network is yours; the exit code is the command's own.
    Shell(Shell),
    /// Let every host ping every other.
    Pingall(Pingall),
    /// Show what a service or the startup commands of a node have printed.
    Logs(Logs),
    /// Capture the frames at an interface as pcapng.
    Capture(Capture),
    /// Change a link while it runs.
    Set(Set),
    /// Turn the frame log of a run into a table.
    Frames(Frames),
    /// Make the report of a run: one HTML page with its verdict and its curves.
    Report(Report),
    /// Compare two runs of a scenario: their flows and pipes, by name.
    Compare(Compare),
    /// Run a scenario many times, over values and seeds: means with intervals, one table over all.
    Sweep(Sweep),
    /// Print a Parquet file of results.
    Table(Table),
    /// Judge a run again from what its monitor observed, by its own criteria or by others.
    Judge(Judge),
    /// Draw a scenario's topology.
    Graph(Graph),
    /// Check a scenario: all errors in one pass.
    Validate(Validate),
    /// Place the nodes of a scenario on several machines, or check a placement.
    Plan(Plan),
    /// Look at the machines of a list, before a run or after it.
    #[command(subcommand)]
    Machines(Machines),
    /// Show what links carry while each link or router is down: demands as rates along the routes.
    PlanFailures(PlanFailures),
    /// Measure what this machine can bear; runs take their thresholds of traffic from it.
    Calibrate(Calibrate),
    /// Say what this machine can do, and what to change for more.
    Doctor(Doctor),
    /// Look at traffic models: list them, write their arrivals, check a recording.
    #[command(subcommand)]
    Traffic(Traffic),
    /// Look at movements: convert them, check them, show what they mean for radios.
    Mobility(Mobility),
    /// Try a shared medium by itself, in virtual time: what comes through, and who gets how much.
    Medium(Medium),
    /// Look at what a symbiotic run does with a scenario's network.
    #[command(subcommand)]
    Symbiosis(Symbiosis),
    /// Have traffic of programs on this host go through links: a delay, a rate, losses.
    Shape(Shape),
    /// Remove what experiments left whose engine has died.
    Cleanup(Cleanup),
    /// Print what lets a shell complete commands and options.
    Completion(Completion),
    /// Write manual pages, one for each command.
    Man(Man),
    /// Read and edit scenarios' texts, for the Python package.
    #[command(name = "__pen", hide = true)]
    Pen,
}

/// Which scenario.
#[derive(Debug, Default, Args)]
pub struct ScenarioFile {
    /// The scenario file, or `-` for standard input up to its end or a zero byte; by default the
    /// only `netloom.yaml` or `*.netloom.yaml` in this folder.
    #[arg(short = 't', long = "topology", value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The folder of a scenario from standard input: where its processes start, and what its paths
    /// are relative to. By default this folder.
    #[arg(long, value_name = "DIR")]
    pub directory: Option<PathBuf>,
    /// A file to lay over the scenario: its lists come behind the scenario's, its keys join the
    /// scenario's, and a value that both have is that of this file. May be given several times.
    #[arg(long, value_name = "FILE")]
    pub with: Vec<PathBuf>,
    /// Set a value of the scenario, like `links.bottleneck.rate=5Mbit/s`: keys with dots between
    /// them, members of lists by their names or numbers (`processes.0.command`), and a value as in
    /// the file. May be given several times.
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
}

/// Options of a start.
#[derive(Debug, Args)]
pub struct StartOptions {
    /// Which scenario.
    #[command(flatten)]
    pub scenario: ScenarioFile,
    /// Name of the experiment instead of the scenario's own.
    #[arg(long)]
    pub name: Option<String>,
    /// Seed of all random streams instead of the scenario's own.
    #[arg(long)]
    pub seed: Option<u64>,
    /// Time dilation instead of the scenario's own, from 0.1 to 1000: the machine's time divided by
    /// the experiment's. Nodes that run programs need `kernel: own`.
    #[arg(long, value_name = "X")]
    pub dilation: Option<Dilation>,
    /// Data-plane worker threads; by default one per core but one, and one more that helps out in
    /// overload.
    #[arg(long, value_name = "N")]
    pub workers: Option<usize>,
}

/// `netloom deploy`
#[derive(Debug, Args)]
pub struct Deploy {
    /// Options of the start.
    #[command(flatten)]
    pub start: StartOptions,
    /// Wait until every host reaches every other one, as `pingall` tells, and routes have been
    /// found: by default for 60 s at most. What is not reached by then is an error; the network
    /// stays.
    #[arg(long, value_name = "TIME", num_args = 0..=1, require_equals = true,
          default_missing_value = "60s")]
    pub wait: Option<Duration>,
    /// Stay until standard input closes or a signal comes, then take the experiment down. So it
    /// ends with the program that has started it, however that ends.
    #[arg(long)]
    pub lease: bool,
    /// Output format: `json` prints progress and outcome as lines of JSON.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// `netloom apply`
#[derive(Debug, Args)]
pub struct Apply {
    /// Options of the start, if the experiment does not run yet.
    #[command(flatten)]
    pub start: StartOptions,
    /// Only say what would be done.
    #[arg(long)]
    pub dry_run: bool,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// `netloom destroy`
#[derive(Debug, Args)]
pub struct Destroy {
    /// The experiment; by default the only one, or the one of the scenario in this folder.
    #[arg(value_name = "EXPERIMENT")]
    pub experiment: Option<String>,
    /// The experiment of this scenario file.
    #[command(flatten)]
    pub scenario: ScenarioFile,
    /// All experiments of this machine.
    #[arg(long, conflicts_with_all = ["experiment", "file"])]
    pub all: bool,
}

/// Output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Table,
    /// For programs.
    Json,
}

/// `netloom inspect`
#[derive(Debug, Args)]
pub struct Inspect {
    /// The experiment; by default the only one. Without any, all are listed. With `--tc` a link, as
    /// LINK or LINK@EXPERIMENT.
    #[arg(value_name = "EXPERIMENT")]
    pub experiment: Option<String>,
    /// The experiment of this scenario file.
    #[command(flatten)]
    pub scenario: ScenarioFile,
    /// Print a link, or all of them, as the `tc` commands that do the same on its interfaces.
    #[arg(long, conflicts_with = "all")]
    pub tc: bool,
    /// Show what stations on shared media have sent and met.
    #[arg(long, conflicts_with_all = ["all", "tc"])]
    pub radio: bool,
    /// Show where nodes on shared media are.
    #[arg(long, conflicts_with_all = ["all", "tc", "radio"])]
    pub positions: bool,
    /// Show whom a node on shared media reaches: with which power, how likely a frame arrives, and
    /// who is hidden from it there.
    #[arg(long, value_name = "NODE", conflicts_with_all = ["all", "tc", "radio", "positions"])]
    pub neighbours: Option<String>,
    /// Show what members of an experiment on several machines know of each other: clocks, and what
    /// crosses between them. Of all members on this machine, if none is named; of those on all
    /// machines of a list, with `--machines=FILE`.
    #[arg(long, value_name = "MACHINES", num_args = 0..=1, require_equals = true,
          conflicts_with_all = ["all", "tc", "radio", "positions", "neighbours"])]
    pub machines: Option<Option<String>>,
    /// List all experiments of this machine; of one that is named, all signals of its monitor.
    #[arg(long)]
    pub all: bool,
    /// How it is shown.
    #[command(flatten)]
    pub showing: Showing,
}

/// How the state of links is shown.
#[derive(Debug, Args)]
pub struct Showing {
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Statistics of the last seconds instead of since the beginning, like `5s`: from `1s` to
    /// `60s`, and up to the next whole second of the engine's clock further back.
    #[arg(long, value_name = "TIME")]
    pub last: Option<Window>,
    /// Show it again every second until Ctrl-C. In a terminal, one experiment has a page with keys.
    #[arg(long)]
    pub watch: bool,
}

/// `netloom exec`
#[derive(Debug, Args)]
pub struct Exec {
    /// The node, as NODE or NODE@EXPERIMENT.
    #[arg(value_name = "NODE[@EXPERIMENT]")]
    pub node: String,
    /// The experiment of this scenario file.
    #[command(flatten)]
    pub scenario: ScenarioFile,
    /// Give the command a terminal.
    #[arg(long)]
    pub tty: bool,
    /// Environment variable for the command.
    #[arg(short, long, value_name = "NAME=VALUE")]
    pub env: Vec<String>,
    /// Directory in the node where the command starts; by default the scenario's.
    #[arg(short, long, value_name = "DIR")]
    pub workdir: Option<PathBuf>,
    /// The command and its arguments; options of `exec` itself stand before them.
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "COMMAND"
    )]
    pub command: Vec<String>,
}

/// `netloom connect`
#[derive(Debug, Args)]
pub struct Connect {
    /// The node, as NODE or NODE@EXPERIMENT.
    #[arg(value_name = "NODE[@EXPERIMENT]")]
    pub node: String,
    /// The experiment of this scenario file.
    #[command(flatten)]
    pub scenario: ScenarioFile,
}

/// `netloom pingall`
#[derive(Debug, Args)]
pub struct Pingall {
    /// The experiment; by default that of the scenario in this folder.
    #[arg(value_name = "EXPERIMENT")]
    pub experiment: Option<String>,
    /// The experiment of this scenario file.
    #[command(flatten)]
    pub scenario: ScenarioFile,
    /// Only by IPv4.
    #[arg(short = '4', long)]
    pub ipv4: bool,
    /// Only by IPv6.
    #[arg(short = '6', long)]
    pub ipv6: bool,
    /// From and to routers as well.
    #[arg(long)]
    pub routers: bool,
    /// How many echo requests a host sends at most to reach another, one a second.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 3,
        value_parser = clap::value_parser!(u16).range(1..)
    )]
    pub tries: u16,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// `netloom logs`
#[derive(Debug, Args)]
pub struct Logs {
    /// The node, as NODE or NODE@EXPERIMENT.
    #[arg(value_name = "NODE[@EXPERIMENT]")]
    pub node: String,
    /// The service, or `startup`; without it, those of which there is a log are listed.
    pub service: Option<String>,
    /// The experiment of this scenario file.
    #[command(flatten)]
    pub scenario: ScenarioFile,
    /// Go on with what is printed from now on, until Ctrl-C or the end of the experiment.
    #[arg(short, long, requires = "service")]
    pub follow: bool,
}

/// `netloom capture`
#[derive(Debug, Args)]
pub struct Capture {
    /// The interface, as NODE:IF or NODE:IF@EXPERIMENT; or a shared medium, as medium:NAME, of
    /// which all is shown that is on the air, as 802.11 frames behind radiotap headers.
    #[arg(value_name = "NODE:IF[@EXPERIMENT]")]
    pub interface: String,
    /// The experiment of this scenario file.
    #[command(flatten)]
    pub scenario: ScenarioFile,
    /// Also show the frames that the link drops on their way from or to the interface: as those of
    /// a second interface `NODE:IF drops`, each with the reason as its comment.
    #[arg(long)]
    pub drops: bool,
    /// Where the pcapng goes; `-` for standard output, into `wireshark -k -i -`.
    #[arg(short, long, value_name = "FILE|-")]
    pub write: PathBuf,
}

/// `netloom set`
#[derive(Debug, Args)]
pub struct Set {
    /// The link, as LINK or LINK@EXPERIMENT; or a shared medium, or a node on one.
    #[arg(value_name = "NAME[@EXPERIMENT]")]
    pub link: String,
    /// Properties as in the scenario; of a node `position=[10m, 5m]`, `power`, `rate`, `cw`,
    /// `radio=off`; of a medium its keys; of a link its own, like `rate=10Mbit/s queue.limit=50ms
    /// jitter.normal=2ms loss.gilbert_elliott='{p: 1%, r: 10%}' netem='delay 10ms 2ms' state=down`.
    /// Files are relative to this folder.
    #[arg(required = true, value_name = "KEY=VALUE")]
    pub properties: Vec<String>,
    /// The experiment of this scenario file.
    #[command(flatten)]
    pub scenario: ScenarioFile,
    /// Which of the link's pipes.
    #[arg(short, long, value_enum, default_value_t = Direction::Both)]
    pub direction: Direction,
}

/// One direction of a link, or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Direction {
    /// Both pipes.
    Both,
    /// From the first endpoint to the second.
    Forward,
    /// From the second endpoint to the first.
    Reverse,
}

/// `netloom frames`
#[derive(Debug, Args)]
pub struct Frames {
    /// The frame log, `frames.nlf` in the results of a run, or the air log of a shared medium,
    /// `air/MEDIUM.nlf`.
    #[arg(value_name = "FILE")]
    pub log: PathBuf,
    /// How entries are printed, one a line, if no file is asked for.
    #[arg(
        long,
        value_enum,
        default_value_t = Format::Table,
        conflicts_with_all = ["csv", "parquet"]
    )]
    pub format: Format,
    /// Give the medium once more, in virtual time, what the air log says that came to it, and say
    /// whether the same happens, to the byte. The log has to be where the run has put it.
    #[arg(long, conflicts_with_all = ["csv", "parquet"])]
    pub replay: bool,
    /// Write a CSV file; `-` for standard output.
    #[arg(long, value_name = "FILE|-")]
    pub csv: Option<PathBuf>,
    /// Write a Parquet file.
    #[arg(long, value_name = "FILE")]
    pub parquet: Option<PathBuf>,
}

/// `netloom judge`
#[derive(Debug, Args)]
pub struct Judge {
    /// The results of a run whose scenario has `measure: { observations: true }`.
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
    /// Judge by the criteria of this scenario instead of the run's own.
    #[arg(long, value_name = "FILE")]
    pub criteria_of: Option<PathBuf>,
    /// End with code 4 if the run is `invalid`.
    #[arg(long)]
    pub strict: bool,
    /// How it is shown.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// `netloom compare`
#[derive(Debug, Args)]
pub struct Compare {
    /// The results of two runs, emulated or simulated; with `--with`, those of the first group. A
    /// directory that has results of several runs in it stands for all of them; that of a sweep may
    /// be followed by values, as in `fair.sweep:control=cubic`.
    #[arg(value_name = "DIR", required = true)]
    pub directories: Vec<PathBuf>,
    /// The results of a second group of runs: means are compared, with 95 % confidence intervals.
    #[arg(long, value_name = "DIR", num_args = 1..)]
    pub with: Vec<PathBuf>,
    /// Compare only what happened after this time of the runs, like `2s`.
    #[arg(long, value_name = "TIME")]
    pub from: Option<Duration>,
    /// Compare only what happened before this time of the runs.
    #[arg(long, value_name = "TIME")]
    pub to: Option<Duration>,
    /// Leave out the times that verdicts mark. Says how much that is; runs with more than half of
    /// it are not compared.
    #[arg(long)]
    pub good: bool,
    /// How far the second may be from the first, like `goodput=2%,rtt=5%`, of `goodput`, `loss`,
    /// `delay` (or `rtt`), `delay_mean`, `delay_p99`, `jitter` and `load`. Ends with code 5 if
    /// anything is outside, or in one of the runs only.
    #[arg(long, value_name = "MEASURE=SHARE", value_delimiter = ',')]
    pub tolerance: Vec<Tolerance>,
    /// How it is shown.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// `netloom report`
#[derive(Debug, Args)]
pub struct Report {
    /// The results of the run.
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
    /// Where it goes; by default `report.html` in the results.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// How to draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Drawing {
    /// Graphviz.
    Dot,
    /// Mermaid, as in Markdown.
    Mermaid,
    /// A picture.
    Svg,
}

/// `netloom graph`
#[derive(Debug, Args)]
pub struct Graph {
    /// Which scenario.
    #[command(flatten)]
    pub scenario: ScenarioFile,
    /// How to draw.
    #[arg(long, value_enum, default_value_t = Drawing::Dot)]
    pub format: Drawing,
    /// Draw nodes where they are at this time of a run, like `30s`: those on shared media,
    /// satellites and places on the ground.
    #[arg(long, value_name = "TIME")]
    pub at: Option<Duration>,
    /// Where it goes; by default standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// `netloom validate`
#[derive(Debug, Args)]
pub struct Validate {
    /// The scenario files; by default the only one in this folder.
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Which scenario.
    #[command(flatten)]
    pub scenario: ScenarioFile,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// `netloom doctor`
#[derive(Debug, Args)]
pub struct Doctor {
    /// The scenario for which there is to be room, and whose programs are to be here; by default
    /// room for a thousand nodes with two thousand links.
    #[arg(short = 't', long = "topology", value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// How to print it.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// `netloom cleanup`
#[derive(Debug, Args)]
pub struct Cleanup {
    /// The experiment; by default every one whose engine has died.
    #[arg(value_name = "EXPERIMENT")]
    pub experiment: Option<String>,
    /// Every experiment of this machine, the living ones too.
    #[arg(long, conflicts_with = "experiment")]
    pub all: bool,
    /// Kill the engine if it still lives.
    #[arg(long, requires = "experiment")]
    pub force: bool,
    /// Do it on each machine of this list, or of `local:N`: the experiments there whose engines
    /// have died.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["experiment", "all"])]
    pub machines: Option<String>,
}
