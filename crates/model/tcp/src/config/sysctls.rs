//! Sets fields of a [`Config`] by the names of Linux's sysctls. Not here: the meaning of the
//! fields.

use netloom_units::Duration;

use super::{Buffer, Config, EcnMode, LossDetection};

/// The reason why a sysctl cannot be set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SysctlError {
    /// The model has nothing that the sysctl would change.
    #[error("the model of TCP knows no sysctl `{0}`: it has no effect here")]
    Unknown(String),
    /// Linux would refuse the value.
    #[error("`{name}` cannot be `{value}`: it takes {takes}")]
    Invalid {
        /// The sysctl.
        name: String,
        /// The value that was given.
        value: String,
        /// The values that the sysctl takes.
        takes: &'static str,
    },
}

/// Descriptions of the values that sysctls take.
const NUMBER: &str = "a whole number from 0 to 4294967295";
const SWITCH: &str = "0 or 1";
const THREE: &str = "three sizes in bytes that do not fall: least, first, most";

impl Config {
    /// Whether the sysctl `name` sets anything in the model.
    pub fn knows(name: &str) -> bool {
        takes(name.strip_prefix("net.ipv4.").unwrap_or(name)).is_some()
    }

    /// Sets the fields that the sysctl `name` sets, with or without the prefix `net.ipv4.`.
    ///
    /// # Errors
    /// If the sysctl sets nothing in the model, or Linux would refuse the value.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), SysctlError> {
        let short = name.strip_prefix("net.ipv4.").unwrap_or(name);
        let value = value.trim();
        let known = self.set_switch(short, value)
            || self.set_number(short, value)
            || self.set_special(short, value);
        if known {
            return Ok(());
        }
        match takes(short) {
            None => Err(SysctlError::Unknown(name.into())),
            Some(takes) => {
                Err(SysctlError::Invalid { name: name.into(), value: value.into(), takes })
            }
        }
    }

    fn switch(&mut self, name: &str) -> Option<&mut bool> {
        Some(match name {
            "tcp_sack" => &mut self.sack,
            "tcp_dsack" => &mut self.dsack,
            "tcp_window_scaling" => &mut self.window_scaling,
            "tcp_slow_start_after_idle" => &mut self.slow_start_after_idle,
            "tcp_moderate_rcvbuf" => &mut self.moderate_rcvbuf,
            _ => return None,
        })
    }

    fn set_switch(&mut self, name: &str, value: &str) -> bool {
        let on = match value {
            "0" => false,
            "1" => true,
            _ => return false,
        };
        self.switch(name).map(|field| *field = on).is_some()
    }

    fn number(&mut self, name: &str) -> Option<&mut u32> {
        Some(match name {
            "tcp_reordering" => &mut self.reordering,
            "tcp_max_reordering" => &mut self.max_reordering,
            "tcp_pacing_ss_ratio" => &mut self.pacing_slow_start_ratio,
            "tcp_pacing_ca_ratio" => &mut self.pacing_avoidance_ratio,
            "tcp_min_tso_segs" => &mut self.min_tso_segments,
            "tcp_tso_rtt_log" => &mut self.tso_rtt_log,
            "tcp_tso_win_divisor" => &mut self.tso_window_divisor,
            "tcp_comp_sack_nr" => &mut self.comp_sack_segments,
            "tcp_notsent_lowat" => &mut self.notsent_lowat,
            "tcp_limit_output_bytes" => &mut self.limit_output_bytes,
            "tcp_syn_retries" => &mut self.syn_retries,
            "tcp_syn_linear_timeouts" => &mut self.syn_linear_timeouts,
            "tcp_synack_retries" => &mut self.synack_retries,
            "tcp_retries2" => &mut self.retries2,
            _ => return None,
        })
    }

    fn set_number(&mut self, name: &str, value: &str) -> bool {
        let Ok(number) = value.parse() else { return false };
        self.number(name).map(|field| *field = number).is_some()
    }

    fn set_special(&mut self, name: &str, value: &str) -> bool {
        if name == "tcp_congestion_control" {
            return value.parse().map(|found| self.congestion_control = found).is_ok();
        }
        if let "tcp_rmem" | "tcp_wmem" = name {
            let field = if name == "tcp_rmem" { &mut self.rmem } else { &mut self.wmem };
            return buffer(value).map(|found| *field = found).is_some();
        }
        let Ok(number) = value.parse::<u32>() else { return false };
        let nanos = Duration::from_nanos(number.into());
        match (name, number) {
            ("tcp_timestamps", 0..=2) => self.timestamps = number > 0,
            ("tcp_ecn", 0) => self.ecn = EcnMode::Off,
            ("tcp_ecn", 1) => self.ecn = EcnMode::On,
            ("tcp_ecn", 2) => self.ecn = EcnMode::Passive,
            ("tcp_recovery", _) => {
                let rack = number & 1 == 1;
                self.recovery =
                    if rack { LossDetection::Rack } else { LossDetection::DuplicateThreshold };
            }
            ("tcp_early_retrans", 0..=4) => self.tail_loss_probe = number >= 3,
            ("tcp_frto", 0..=2) => self.frto = number > 0,
            ("tcp_rto_min_us", 1..) => self.rto_min = Duration::from_micros(number.into()),
            ("tcp_rto_max_ms", 1000..=120_000) => {
                self.rto_max = Duration::from_millis(number.into());
            }
            ("tcp_min_rtt_wlen", 0..=86_400) => {
                self.min_rtt_window = Duration::from_secs(number.into());
            }
            ("tcp_comp_sack_delay_ns", _) => self.comp_sack_delay = nanos,
            ("tcp_comp_sack_slack_ns", _) => self.comp_sack_slack = nanos,
            ("tcp_fin_timeout", _) => self.fin_timeout = Duration::from_secs(number.into()),
            ("tcp_invalid_ratelimit", _) => {
                self.invalid_ratelimit = Duration::from_millis(number.into());
            }
            _ => return false,
        }
        true
    }
}

fn buffer(value: &str) -> Option<Buffer> {
    let mut sizes = value.split_whitespace().map(|size| size.parse::<u32>().ok());
    let (min, initial, max) = (sizes.next()??, sizes.next()??, sizes.next()??);
    (sizes.next().is_none() && min <= initial && initial <= max && min > 0).then_some(Buffer {
        min,
        initial,
        max,
    })
}

/// Returns a description of the values that a sysctl takes. `None` if it sets nothing in the model.
fn takes(name: &str) -> Option<&'static str> {
    let mut any = Config::default();
    if any.switch(name).is_some() {
        return Some(SWITCH);
    }
    if any.number(name).is_some() {
        return Some(NUMBER);
    }
    Some(match name {
        "tcp_congestion_control" => "the name of a congestion control of the model",
        "tcp_rmem" | "tcp_wmem" => THREE,
        "tcp_timestamps" | "tcp_ecn" | "tcp_frto" => "0, 1 or 2 (accurate ECN is not modelled)",
        "tcp_early_retrans" => "a number from 0 to 4",
        "tcp_rto_min_us" => "microseconds, 1 at least",
        "tcp_rto_max_ms" => "milliseconds from 1000 to 120000",
        "tcp_min_rtt_wlen" => "seconds from 0 to 86400",
        "tcp_recovery"
        | "tcp_comp_sack_delay_ns"
        | "tcp_comp_sack_slack_ns"
        | "tcp_fin_timeout"
        | "tcp_invalid_ratelimit" => NUMBER,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Algorithm;

    #[test]
    fn linuxs_defaults_are_those_of_the_model() {
        let mut config = Config { sack: false, hz: 1000, ..Config::default() };
        let defaults = [
            ("net.ipv4.tcp_congestion_control", "cubic"),
            ("net.ipv4.tcp_rmem", "4096\t131072\t6291456"),
            ("net.ipv4.tcp_wmem", "4096 16384 4194304"),
            ("tcp_sack", "1"),
            ("tcp_dsack", "1"),
            ("tcp_timestamps", "1"),
            ("tcp_window_scaling", "1"),
            ("tcp_moderate_rcvbuf", "1"),
            ("tcp_slow_start_after_idle", "1"),
            ("tcp_ecn", "2"),
            ("tcp_recovery", "1"),
            ("tcp_early_retrans", "3"),
            ("tcp_frto", "2"),
            ("tcp_reordering", "3"),
            ("tcp_max_reordering", "300"),
            ("tcp_rto_min_us", "200000"),
            ("tcp_rto_max_ms", "120000"),
            ("tcp_min_rtt_wlen", "300"),
            ("tcp_pacing_ss_ratio", "200"),
            ("tcp_pacing_ca_ratio", "120"),
            ("tcp_min_tso_segs", "2"),
            ("tcp_tso_rtt_log", "9"),
            ("tcp_tso_win_divisor", "3"),
            ("tcp_comp_sack_delay_ns", "1000000"),
            ("tcp_comp_sack_slack_ns", "100000"),
            ("tcp_comp_sack_nr", "44"),
            ("tcp_notsent_lowat", "4294967295"),
            ("tcp_limit_output_bytes", "1048576"),
            ("tcp_syn_retries", "6"),
            ("tcp_syn_linear_timeouts", "4"),
            ("tcp_synack_retries", "5"),
            ("tcp_retries2", "15"),
            ("tcp_fin_timeout", "60"),
            ("tcp_invalid_ratelimit", "500"),
        ];
        for (name, value) in defaults {
            assert_eq!(config.set(name, value), Ok(()), "{name}");
        }
        assert_eq!(config, Config::default());
    }

    #[test]
    fn values_take_effect() {
        let mut config = Config::default();
        config.set("net.ipv4.tcp_congestion_control", "bbr").unwrap();
        config.set("net.ipv4.tcp_ecn", "1").unwrap();
        config.set("tcp_recovery", "0").unwrap();
        config.set("tcp_rto_min_us", "5000").unwrap();
        assert_eq!(config.congestion_control, Algorithm::Bbr);
        assert_eq!(config.ecn, EcnMode::On);
        assert_eq!(config.recovery, LossDetection::DuplicateThreshold);
        assert_eq!(config.rto_min, Duration::from_millis(5));
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let mut config = Config::default();
        let unknown = config.set("net.ipv4.tcp_fastopen", "1").unwrap_err();
        assert_eq!(unknown, SysctlError::Unknown("net.ipv4.tcp_fastopen".into()));
        let wrong = [
            ("tcp_sack", "2", "0 or 1"),
            ("tcp_ecn", "3", "accurate ECN"),
            ("tcp_rmem", "4096 131072", "three sizes"),
            ("tcp_rmem", "9 8 7", "do not fall"),
            ("tcp_congestion_control", "renno", "name of a congestion control"),
            ("tcp_reordering", "-1", "whole number"),
        ];
        for (name, value, says) in wrong {
            let error = config.set(name, value).unwrap_err().to_string();
            assert!(error.contains(name) && error.contains(says), "{error}");
        }
        assert_eq!(config, Config::default());
    }
}
