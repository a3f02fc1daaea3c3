//! Parts of answers of the engine, made up for tests.

use netloom_link::PipeConfig;
use netloom_monitor::Trust;
use serde_json::{Value, json};

/// No frames.
pub fn nothing() -> Value {
    json!({"frames": 0, "bytes": 0})
}

/// A pipe over which nothing has gone for a second.
pub fn pipe() -> Value {
    let count = nothing();
    json!({
        "config": PipeConfig::default(),
        "statistics": {
            "since": 0, "at": 1_000_000_000, "offered": count, "delivered": count,
            "duplicated": count, "corrupted": count, "marked": count, "in_flight": count,
            "dropped": {
                "down": count, "mtu": count, "queue_full": count, "aqm": count, "loss": count,
                "bit_error": count,
            },
            "queue": {"now": count, "maximum": count, "mean_frames": 0.0},
            "delay": null, "busy_ns": 0, "load": 0.0,
        },
    })
}

/// A link over which nothing has gone, from `a` to `b`.
pub fn link(name: &str, [a, b]: [&str; 2]) -> Value {
    let end = |node: &str| json!({"node": node, "interface": "eth1"});
    json!({"name": name, "endpoints": [end(a), end(b)], "forward": pipe(), "reverse": pipe()})
}

/// A verdict with so many findings.
pub fn verdict(judgement: &str, findings: usize) -> Value {
    let finding = json!({
        "about": "links", "judgement": judgement, "signal": "cpu", "on": null,
        "why": "CPU 0; stress 88 %",
    });
    let nothing = json!({"waited": "0s", "times": 0, "longest": "0s", "share": 0.0, "bad": []});
    let waited = json!({
        "waited": "1s", "times": 1, "longest": "1s", "share": 0.5, "bad": [],
    });
    let late = json!({
        "p50": "0s", "p99": "0s", "p999": "0s", "max": "0s", "beyond": 0, "share": 0.0,
    });
    let bound = json!({
        "pipes": [{
            "pipe": "a--b/forward", "frames": 1, "late": late, "at_most": late, "rate": null,
            "bad": [], "doubtful": [],
        }],
        "nodes": [{"node": "a", "cpu": waited, "memory": nothing, "disk": nothing}],
        "engine": nothing,
        "losses": {"frames": 0, "perhaps": 0, "buffers": 0},
        "timeline": {"latest": "0s", "missed": false},
    });
    json!({
        "judgement": judgement, "links": judgement, "programs": "valid",
        "findings": vec![finding; findings], "from": 0, "settled": 0, "to": 0,
        "trust": Trust::default(), "bound": bound, "bad": [{"from": 0, "to": 1}],
        "signals": [], "coverage": [],
        "overhead": {"monitoring_ns": 0, "notification_ns": 0, "share": 0.0},
    })
}
