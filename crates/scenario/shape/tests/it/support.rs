//! Users, times and claims for tests.

use netloom_shape::{
    Book, BoundPort, Capacity, Claim, Entry, Moment, NetworkId, Owner, Policy, Refusal, Request,
};
use netloom_units::Duration;

pub fn alice() -> Owner {
    Owner { uid: 1001, name: "alice".into() }
}

pub fn bob() -> Owner {
    Owner { uid: 1002, name: "bob".into() }
}

pub fn root() -> Owner {
    Owner { uid: 0, name: "root".into() }
}

/// Returns the time `seconds` after 12:32 UTC.
pub fn at(seconds: u64) -> Moment {
    let noon = Moment { unix_ms: (12 * 60 + 32) * 60_000, offset: 0 };
    noon.after(Duration::from_secs(seconds))
}

/// Parses a claim as it is written in a file.
pub fn claim(text: &str) -> Claim {
    netloom_scenario::value(text)
        .unwrap_or_else(|findings| panic!("{}", findings.render("it", text)))
}

/// A book with the limits of a policy and of a machine of 1 Gbit/s.
pub struct Host {
    pub book: Book,
    pub policy: Policy,
    pub capacity: Capacity,
    pub bound: Vec<BoundPort>,
    /// The network namespace of the next claims.
    pub network: Option<NetworkId>,
}

impl Host {
    pub fn new() -> Self {
        let policy = Policy::default();
        let capacity = Capacity::of(None, &policy);
        Self { book: Book::default(), policy, capacity, bound: Vec::new(), network: None }
    }

    /// Requests a claim `seconds` after 12:32.
    pub fn ask(
        &mut self,
        owner: &Owner,
        name: &str,
        claim: &str,
        seconds: u64,
    ) -> Result<Entry, Refusal> {
        let claim = self::claim(claim);
        let user = claim.selector.user.as_deref().map(|name| match name {
            "alice" => 1001,
            "bob" => 1002,
            _ => 0,
        });
        let request = Request {
            owner,
            name,
            claim: &claim,
            cgroup: None,
            user,
            network: self.network,
            device: "eth0",
            now: at(seconds),
            bound: &self.bound,
            force: false,
        };
        self.book.add(&request, &self.policy, self.capacity)
    }

    /// Returns the wording of a refusal.
    pub fn refusal(&mut self, owner: &Owner, claim: &str) -> String {
        self.ask(owner, "other", claim, 0).expect_err("it is refused").to_string()
    }
}

/// Rates and a delay, which an ordinary user must give.
pub const PIPES: &str = "rate: 1Mbit/s, delay: 20ms";
