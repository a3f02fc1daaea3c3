//! Users, times and claims for tests.

use netloom_shape::{
    Book, BoundPort, Capacity, Claim, Entry, Held, Moment, NetworkId, Owner, Policy, Refusal,
    Request, Terms,
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
#[derive(Clone)]
pub struct Host {
    pub book: Book,
    pub policy: Policy,
    pub capacity: Capacity,
    pub bound: Vec<BoundPort>,
    /// The network namespace of the next claims.
    pub network: Option<NetworkId>,
    /// The longest packet of the device of the next claims.
    pub mtu: u32,
    pub held: Held,
}

impl Host {
    pub fn new() -> Self {
        let policy = Policy::default();
        let capacity = Capacity::of(None, &policy, 1 << 20);
        let (book, bound, held) = Default::default();
        Self { book, policy, capacity, bound, network: None, mtu: 1500, held }
    }

    /// The terms `seconds` after 12:32.
    pub fn terms(&self, seconds: u64) -> Terms<'_> {
        let Self { policy, capacity, held, .. } = self;
        Terms { policy, capacity: *capacity, held, now: at(seconds) }
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
            mtu: self.mtu,
            bound: &self.bound,
            force: false,
        };
        let Self { book, policy, capacity, held, .. } = self;
        let terms = Terms { policy, capacity: *capacity, held, now: at(seconds) };
        let entry = book.add(&request, terms)?;
        Ok(book.begin(entry.id, at(seconds)).expect("it is there"))
    }

    /// Has a claim again that has ended, as the daemon does.
    pub fn again(&mut self, owner: &Owner, name: &str, seconds: u64) -> Result<Entry, Refusal> {
        let claim = self.book.ended(owner, name, at(seconds))?.claim.clone();
        let text = serde_json::to_string(&claim).unwrap();
        self.ask(owner, name, &text, seconds)
    }

    /// Sets properties of a claim.
    pub fn set(&mut self, owner: &Owner, name: &str, out: &str) -> Result<Entry, Refusal> {
        let change = claim(&format!("{{everything: true, out: {out}}}")).out;
        let Self { book, policy, capacity, held, .. } = self;
        let terms = Terms { policy, capacity: *capacity, held, now: at(0) };
        let nothing = netloom_link::PipeChange::default();
        book.set(owner, name, [&change, &nothing], terms).map(|(_, entry)| entry)
    }

    /// Returns the wording of a refusal.
    pub fn refusal(&mut self, owner: &Owner, claim: &str) -> String {
        self.ask(owner, "other", claim, 0).expect_err("it is refused").to_string()
    }
}

/// Rates and a delay, which an ordinary user must give.
pub const PIPES: &str = "rate: 1Mbit/s, delay: 20ms";
