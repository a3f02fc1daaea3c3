//! `netloom shape`

use std::path::PathBuf;

use clap::{Args, Subcommand};
use netloom_shape::{Lifetime, PortSelector};
use netloom_units::Rate;

use super::Showing;

/// Where the daemon is, unless the user says otherwise.
pub const STATE: &str = "/run/netloom/shape";

/// `netloom shape`
#[derive(Debug, Args)]
pub struct Shape {
    /// Where the daemon has its socket and its state.
    #[arg(long, global = true, value_name = "DIR", default_value = STATE)]
    pub state: PathBuf,
    /// Command to run.
    #[command(subcommand)]
    pub command: ShapeCommand,
}

/// Commands about claims.
#[derive(Debug, Subcommand)]
pub enum ShapeCommand {
    /// Claim traffic: it goes through a link from now on.
    Add(Box<AddClaim>),
    /// Change the link of a claim; what is in it stays in it.
    Set(SetClaim),
    /// Show your claims.
    List(ListClaims),
    /// Let a claim last from now on.
    Renew {
        /// The claim.
        name: String,
        /// For how long, as `1h`.
        #[arg(long = "for", value_name = "TIME", default_value = "1h")]
        lifetime: Lifetime,
    },
    /// Capture the frames of a claim of yours as pcapng.
    Capture(CaptureClaim),
    /// End a claim, all of yours, or all.
    Remove {
        /// The claim.
        #[arg(required_unless_present_any = ["mine", "all"])]
        name: Option<String>,
        /// All of yours.
        #[arg(long, conflicts_with_all = ["name", "all"])]
        mine: bool,
        /// All that there are; for root.
        #[arg(long, conflicts_with = "name")]
        all: bool,
    },
    /// Show what there is room for.
    Capacity,
    /// Show what was asked for, and what happened to claims.
    Log,
    /// Check a file of claims.
    Check {
        /// The file.
        #[arg(short = 'f', long = "file", value_name = "FILE")]
        file: PathBuf,
    },
    /// Make the claims of a file, change those that differ; others stay.
    Apply {
        /// The file.
        #[arg(short = 'f', long = "file", value_name = "FILE")]
        file: PathBuf,
    },
    /// Take the words of PlanetLab's tool of this name: `netconfig help`.
    Netconfig {
        /// Its words.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<String>,
    },
    /// Run the daemon. It ends a minute after the last claim.
    Serve {
        /// Rights of users; without the file, root alone may shape.
        #[arg(long, value_name = "FILE", default_value = netloom_shape::Policy::FILE)]
        policy: PathBuf,
        /// Where requests are recorded.
        #[arg(long, value_name = "FILE", default_value = "/var/log/netloom/shape.jsonl")]
        records: PathBuf,
        /// Rate that this machine bears in frames of 1514 bytes, both directions together.
        #[arg(long, value_name = "RATE")]
        bears: Option<Rate>,
    },
    /// End all claims, and the daemon.
    Stop,
}

/// `netloom shape list`
#[derive(Debug, Args)]
pub struct ListClaims {
    /// Also those of others: for root all about them, for others whose they are.
    #[arg(long)]
    pub all: bool,
    /// How it is shown.
    #[command(flatten)]
    pub showing: Showing,
}

/// `netloom shape capture`
#[derive(Debug, Args)]
pub struct CaptureClaim {
    /// The claim.
    pub name: String,
    /// At the side of the wire: what leaves the link for it, and what comes from it. By default at
    /// the side of the host.
    #[arg(long)]
    pub wire: bool,
    /// Also show the frames that the link drops on their way from or to this side: as those of a
    /// second interface `CLAIM:DEVICE drops`, each with the reason as its comment.
    #[arg(long)]
    pub drops: bool,
    /// Where the pcapng goes; `-` for standard output, into `wireshark -k -i -`.
    #[arg(short, long, value_name = "FILE|-")]
    pub write: PathBuf,
}

/// `netloom shape add`
#[derive(Debug, Args)]
pub struct AddClaim {
    /// The claim's name.
    pub name: String,
    /// Remote ports that programs here send to, as `80`, `tcp/80,8000-8010@192.0.2.0/24`.
    #[arg(long, value_name = "PORTS")]
    pub client: Option<PortSelector>,
    /// Local ports, and where from.
    #[arg(long, value_name = "PORTS")]
    pub server: Option<PortSelector>,
    /// Ports at either end.
    #[arg(long, value_name = "PORTS")]
    pub service: Option<PortSelector>,
    /// Sockets of a user.
    #[arg(long, value_name = "USER")]
    pub user: Option<String>,
    /// Sockets of a cgroup and of those below it.
    #[arg(long, value_name = "PATH")]
    pub cgroup: Option<String>,
    /// Addresses of the other side.
    #[arg(long, value_name = "PREFIX", value_delimiter = ',')]
    pub prefix: Vec<String>,
    /// The device; by default that of the default route.
    #[arg(long, value_name = "DEVICE")]
    pub interface: Option<String>,
    /// The network namespace, as /run/netns/NAME; for root.
    #[arg(long, value_name = "PATH", conflicts_with = "pid")]
    pub netns: Option<String>,
    /// The network namespace of a process, as of a container's.
    #[arg(long, value_name = "PID")]
    pub pid: Option<u32>,
    /// All of the device but ssh; for root, and in a network namespace of one's own.
    #[arg(long)]
    pub everything: bool,
    /// Properties of what this host sends, as `rate=5Mbit/s delay=20ms`.
    #[arg(long, value_name = "KEY=VALUE", num_args = 1..)]
    pub out: Vec<String>,
    /// Properties of what this host gets.
    #[arg(long = "in", value_name = "KEY=VALUE", num_args = 1..)]
    pub inward: Vec<String>,
    /// Properties of both.
    #[arg(long = "both", value_name = "KEY=VALUE", num_args = 1..)]
    pub both: Vec<String>,
    /// For how long: a time, `session`, or `never` (root).
    #[arg(long = "for", value_name = "TIME", default_value = "1h")]
    pub lifetime: Lifetime,
    /// Let no other user but root bind the local ports of the claim meanwhile.
    #[arg(long)]
    pub reserve: bool,
    /// Take what users have claimed, too; for root.
    #[arg(long)]
    pub over: bool,
    /// Take it whatever this machine can bear; for root.
    #[arg(long)]
    pub force: bool,
    /// Answer yes to questions.
    #[arg(long)]
    pub yes: bool,
}

/// `netloom shape set`
#[derive(Debug, Args)]
pub struct SetClaim {
    /// The claim.
    pub name: String,
    /// Properties of what this host sends, as `rate=5Mbit/s delay=20ms`.
    #[arg(long, value_name = "KEY=VALUE", num_args = 1..)]
    pub out: Vec<String>,
    /// Properties of what this host gets.
    #[arg(long = "in", value_name = "KEY=VALUE", num_args = 1..)]
    pub inward: Vec<String>,
    /// Properties of both.
    #[arg(value_name = "KEY=VALUE")]
    pub both: Vec<String>,
}
