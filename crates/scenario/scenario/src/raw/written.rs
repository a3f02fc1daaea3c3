//! How values that can be written in several ways are written: the shortest way that has one form.

use std::fmt::Display;

use netloom_document::{Spanned, encode};
use serde::ser::{Error, SerializeMap};
use serde::{Serialize, Serializer};

use super::expect::RawExit;
use super::measure::{RawCapture, RawFrames};
use super::node::{
    Memory, Pids, RawAddresses, RawLimit, RawLoopback, RawPublish, RawSpanningTree, Weight,
};
use super::placement::{RawFrameSize, RawShare};
use super::simulation::{RawCount, RawNumber, RawReroute};
use super::software::{RawBind, RawService, RawServices};
use super::symbiosis::RawPeriod;
use super::timeline::RawStart;
use super::traffic::{RawModel, RawParties};
use super::values::{RawCommand, RawEndpoint, RawMtu, RawNextHop, RawTime};
use crate::spec::{ExpectedExit, LoopbackAddress};

/// Implements `Serialize` by a function of the value and the serializer.
macro_rules! written {
    ($($type:ty: |$value:ident, $serializer:ident| $body:expr;)*) => {$(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, $serializer: S) -> Result<S::Ok, S::Error> {
                let $value = self;
                $body
            }
        }
    )*};
}

written! {
    RawEndpoint: |end, serializer| match &end.interface {
        Some(interface) => serializer.collect_str(&format_args!("{}:{interface}", end.node)),
        None => serializer.serialize_str(&end.node),
    };
    RawNextHop: |hop, serializer| serializer.collect_str(&hop.0);
    RawTime: |time, serializer| time.0.serialize(serializer);
    RawMtu: |mtu, serializer| serializer.serialize_u32(mtu.0);
    RawCommand: |command, serializer| command.0.serialize(serializer);
    RawPublish: |port, serializer| serializer.collect_str(&port.0);
    Weight: |weight, serializer| serializer.serialize_u32(weight.0);
    Pids: |pids, serializer| serializer.serialize_u64(pids.0);
    Memory: |memory, serializer| memory.0.serialize(serializer);
    RawShare: |share, serializer| share.0.serialize(serializer);
    RawFrameSize: |size, serializer| size.0.serialize(serializer);
    RawCount: |count, serializer| count.0.serialize(serializer);
    RawNumber: |number, serializer| match number {
        RawNumber::Auto => serializer.serialize_str("auto"),
        RawNumber::Of(number) => number.serialize(serializer),
    };
    RawReroute: |reroute, serializer| match reroute {
        RawReroute::Never => serializer.serialize_str("never"),
        RawReroute::After(time) => time.serialize(serializer),
    };
    RawPeriod: |period, serializer| match period {
        RawPeriod::Auto => serializer.serialize_str("auto"),
        RawPeriod::Of(time) => time.serialize(serializer),
    };
    RawStart: |start, serializer| match start {
        RawStart::At(time) => time.serialize(serializer),
        RawStart::After(after) => after.serialize(serializer),
    };
    RawParties: |parties, serializer| match parties {
        RawParties::Node(node) => serializer.serialize_str(node),
        RawParties::Group(group) => group.serialize(serializer),
    };
    RawExit: |exit, serializer| match exit.0 {
        ExpectedExit::Code(code) => serializer.serialize_i32(code),
        ExpectedExit::Running => serializer.serialize_str("running"),
    };
    RawCapture: |capture, serializer| match capture {
        RawCapture::Plain(interface) => interface.serialize(serializer),
        RawCapture::With(options) => options.serialize(serializer),
    };
    RawFrames: |frames, serializer| match frames {
        RawFrames::All => serializer.serialize_bool(true),
        RawFrames::Of(links) => links.serialize(serializer),
    };
    RawSpanningTree: |tree, serializer| match &tree.0 {
        Some(tree) => tree.serialize(serializer),
        None => serializer.serialize_bool(false),
    };
    RawBind: |bind, serializer| match bind.write {
        true => {
            let mut options = serializer.serialize_map(Some(2))?;
            options.serialize_entry("to", &bind.to)?;
            options.serialize_entry("write", &true)?;
            options.end()
        }
        false => serializer.serialize_str(&bind.to),
    };
    RawServices: |services, serializer| {
        serializer.collect_map(services.0.iter().map(|(name, service)| (&name.value, service)))
    };
    RawService: |service, serializer| match service {
        RawService::On(options) => options.serialize(serializer),
        RawService::Off => serializer.serialize_bool(false),
    };
    RawLoopback: |loopback, serializer| {
        let mut families = serializer.serialize_map(None)?;
        if let Some(address) = &loopback.ipv4 {
            families.serialize_entry("ipv4", &loopback_address(address))?;
        }
        if let Some(address) = &loopback.ipv6 {
            families.serialize_entry("ipv6", &loopback_address(address))?;
        }
        families.end()
    };
    RawModel: |model, serializer| {
        let mut keys = serializer.serialize_map(None)?;
        for model in model.0.written() {
            // A model is a mapping of its name to its parameters.
            let parameters = encode(&model).map_err(S::Error::custom)?;
            let parameters = parameters.entry(model.name());
            keys.serialize_entry(model.name(), &parameters)?;
        }
        keys.end()
    };
}

fn loopback_address<A: Display>(address: &LoopbackAddress<A>) -> String {
    match address {
        LoopbackAddress::Auto => "auto".into(),
        LoopbackAddress::None => "none".into(),
        LoopbackAddress::Fixed(address) => address.to_string(),
    }
}

impl<P: Serialize> Serialize for RawAddresses<P> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Auto => serializer.serialize_str("auto"),
            Self::None => serializer.serialize_str("none"),
            Self::Fixed(addresses) => match &addresses[..] {
                [Spanned { value, .. }] => value.serialize(serializer),
                addresses => addresses.serialize(serializer),
            },
        }
    }
}

impl<T: Serialize> Serialize for RawLimit<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::None => serializer.serialize_str("none"),
            Self::Of(limit) => limit.serialize(serializer),
        }
    }
}
