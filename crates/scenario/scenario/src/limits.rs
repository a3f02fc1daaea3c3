//! Limits on the machine's resources that nodes may use: one node, or all nodes of a group or of
//! the experiment together.

use std::fmt;
use std::str::FromStr;

use netloom_units::{Dilation, Duration, Size};
#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Limits on the machine's resources. Absent ones are not limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Limits {
    /// CPU time, as a number of CPUs. Processes that have used it up pause until the next period of
    /// 100 ms begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<CpuQuota>,
    /// Share of CPU time when CPUs are busy, relative to others with a weight. The default weight
    /// is 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_weight: Option<u32>,
    /// Memory including swap. When it is used up, the kernel kills a process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Size>,
    /// Number of processes and threads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pids: Option<u64>,
}

impl Limits {
    /// Whether nothing is limited.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns these limits for the machine when time is dilated: the CPU time of the experiment is
    /// spread over more, or less, of the machine's time.
    #[must_use]
    pub fn dilated(self, dilation: Dilation) -> Self {
        Self { cpu: self.cpu.map(|cpu| cpu.dilated(dilation)), ..self }
    }

    /// Returns the controllers that these limits need.
    pub fn controllers(&self) -> impl Iterator<Item = Controller> + use<> {
        let cpu = self.cpu.is_some() || self.cpu_weight.is_some();
        let used = [
            (Controller::Cpu, cpu),
            (Controller::Memory, self.memory.is_some()),
            (Controller::Pids, self.pids.is_some()),
        ];
        used.into_iter().filter(|(_, used)| *used).map(|(controller, _)| controller)
    }
}

/// The notation of scenario files: `cpu 0.5, memory 64MiB`.
impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            self.cpu.map(|cpu| format!("cpu {cpu}")),
            self.cpu_weight.map(|weight| format!("cpu_weight {weight}")),
            self.memory.map(|memory| format!("memory {memory}")),
            self.pids.map(|pids| format!("pids {pids}")),
        ];
        f.write_str(&parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }
}

/// A controller of the kernel's cgroups, which enforces a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Controller {
    /// Enforces `cpu` and `cpu_weight`.
    Cpu,
    /// Enforces `memory`.
    Memory,
    /// Enforces `pids`.
    Pids,
}

impl Controller {
    /// All controllers.
    pub const ALL: [Self; 3] = [Self::Cpu, Self::Memory, Self::Pids];

    /// Returns the kernel's name of the controller.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Memory => "memory",
            Self::Pids => "pids",
        }
    }
}

/// CPU time as a number of CPUs, in steps of 0.00001: one microsecond in each 100 ms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CpuQuota(u64);

impl CpuQuota {
    /// Period of the quota in µs, which is the kernel's default.
    pub const PERIOD_US: u64 = 100_000;
    /// Smallest quota of the kernel in µs per period: one millisecond.
    const LEAST: u64 = 1000;
    /// Largest quota in µs per period: more CPUs than any machine has.
    const MOST: u64 = 100_000 * Self::PERIOD_US;

    /// Returns the quota in µs per period.
    pub fn micros_per_period(self) -> u64 {
        self.0
    }

    /// Converts CPUs of the experiment to CPUs of the machine, rounded down.
    fn dilated(self, dilation: Dilation) -> Self {
        Self(dilation.to_experiment(Duration::from_nanos(self.0)).as_nanos())
    }

    /// Whether the kernel supports a quota this small.
    pub(crate) fn can_be_given(self) -> bool {
        self.0 >= Self::LEAST
    }

    /// Returns the quota as a number of CPUs.
    pub fn cpus(self) -> f64 {
        self.0 as f64 / Self::PERIOD_US as f64
    }
}

impl FromStr for CpuQuota {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || format!("`{text}` is no amount of CPU time; write it in CPUs, like `0.5` or `2`");
        let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if !digits(whole) || !digits(part) {
            return Err(wrong());
        }
        let part = part.trim_end_matches('0');
        if part.len() > 5 {
            return Err(format!("`{text}` is too exact; steps of 0.00001 CPUs are the least"));
        }
        let hundred_thousandths = format!("{part:0<5}").parse::<u64>().map_err(|_| wrong())?;
        let whole = whole.parse::<u64>().ok().and_then(|n| n.checked_mul(Self::PERIOD_US));
        match whole.map(|whole| whole + hundred_thousandths) {
            Some(quota @ Self::LEAST..=Self::MOST) => Ok(Self(quota)),
            _ => Err(format!("`{text}` CPUs are impossible; it is from 0.01 to 100000")),
        }
    }
}

impl fmt::Display for CpuQuota {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.cpus())
    }
}

impl Serialize for CpuQuota {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.cpus())
    }
}

impl<'de> Deserialize<'de> for CpuQuota {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The shortest decimal representation restores a number of five decimal places exactly.
        f64::deserialize(deserializer)?.to_string().parse().map_err(de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for CpuQuota {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "CpuQuota".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "number",
            "description": "CPU time, in CPUs, in steps of 0.00001.",
            "minimum": 0.01,
            "maximum": 100_000,
            "examples": [0.5],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotas_are_exact() {
        for (text, micros) in [
            ("0.5", 50_000),
            ("2", 200_000),
            ("0.01", 1000),
            ("1.23456", 123_456),
            ("1.50", 150_000),
        ] {
            let quota: CpuQuota = text.parse().unwrap();
            assert_eq!(quota.micros_per_period(), micros);
            let json = serde_json::to_string(&quota).unwrap();
            assert_eq!(serde_json::from_str::<CpuQuota>(&json).unwrap(), quota);
        }
        for text in
            ["", ".5", "5.", "0", "0.009", "-1", "1e3", "half", "0.123456", "100000.1", "50%"]
        {
            assert!(text.parse::<CpuQuota>().is_err(), "{text}");
        }
    }

    #[test]
    fn quotas_are_those_of_the_experiments_cpus() {
        let limits = Limits { cpu: "0.5".parse().ok(), ..Limits::default() };
        for (dilation, micros, given) in
            [("1", 50_000, true), ("10", 5000, true), ("100", 500, false), ("0.1", 500_000, true)]
        {
            let quota = limits.dilated(dilation.parse().unwrap()).cpu.unwrap();
            assert_eq!((quota.micros_per_period(), quota.can_be_given()), (micros, given));
        }
    }

    #[test]
    fn limits_need_the_controllers_that_enforce_them() {
        let limits = Limits { cpu_weight: Some(50), pids: Some(10), ..Limits::default() };
        assert_eq!(limits.controllers().collect::<Vec<_>>(), [Controller::Cpu, Controller::Pids]);
        assert_eq!(limits.to_string(), "cpu_weight 50, pids 10");
        assert_eq!(Limits::default().controllers().count(), 0);
    }
}
