//! A legacy bridge (IEEE 802.1D-1998, clause 8) that reads and writes its BPDUs by hand. It uses
//! only version 0, and ignores everything else.

use std::collections::{BTreeMap, VecDeque};

use netloom_units::{Duration, Time};

const HELLO: Duration = Duration::from_secs(2);
const MAX_AGE: Duration = Duration::from_secs(20);
const FORWARD_DELAY: Duration = Duration::from_secs(15);

/// Root, cost, bridge and port, in the order in which they are compared.
type Vector = ([u8; 8], u32, [u8; 8], u16);

struct Port {
    cost: u32,
    up: bool,
    /// The neighbour's information, and the time until which it is valid.
    heard: Option<(Vector, Time)>,
    /// Listening, learning or forwarding. `advances` is the time of the next stage.
    stage: u8,
    advances: Option<Time>,
    acknowledge: bool,
}

pub struct Legacy {
    pub id: [u8; 8],
    ports: BTreeMap<usize, Port>,
    hello: Time,
    /// Time until which it sets the topology change flag.
    changing: Time,
    /// Whether it still has to notify the root.
    notify: bool,
    frames: VecDeque<(usize, Vec<u8>)>,
    pub heard_configs: u64,
    pub heard_notifications: u64,
    pub heard_acknowledgements: u64,
    pub heard_changes: u64,
    /// Number of frames of version 2, which it cannot read.
    pub unread: u64,
}

impl Legacy {
    pub fn new(priority: u16, address: [u8; 6]) -> Self {
        let mut id = [0; 8];
        id[..2].copy_from_slice(&priority.to_be_bytes());
        id[2..].copy_from_slice(&address);
        Self {
            id,
            ports: BTreeMap::new(),
            hello: Time::ZERO + HELLO,
            changing: Time::ZERO,
            notify: false,
            frames: VecDeque::new(),
            heard_configs: 0,
            heard_notifications: 0,
            heard_acknowledgements: 0,
            heard_changes: 0,
            unread: 0,
        }
    }

    pub fn add_port(&mut self, now: Time, port: usize, cost: u32) {
        let fresh =
            Port { cost, up: true, heard: None, stage: 0, advances: None, acknowledge: false };
        self.ports.insert(port, fresh);
        self.select(now);
    }

    pub fn enable(&mut self, now: Time, port: usize, up: bool) {
        let state = self.ports.get_mut(&port).unwrap();
        (state.up, state.heard, state.stage, state.advances) = (up, None, 0, None);
        self.select(now);
    }

    pub fn forwards(&self, port: usize) -> bool {
        self.ports[&port].stage == 2
    }

    pub fn learns(&self, port: usize) -> bool {
        self.ports[&port].stage >= 1
    }

    pub fn poll_transmit(&mut self) -> Option<(usize, Vec<u8>)> {
        self.frames.pop_front()
    }

    pub fn next_deadline(&self) -> Option<Time> {
        let ports = self.ports.values();
        let times = ports.flat_map(|port| [port.advances, port.heard.map(|(_, until)| until)]);
        times.flatten().chain([self.hello]).min()
    }

    fn root(&self) -> (Vector, Option<usize>) {
        let ports = self.ports.iter().filter(|(_, port)| port.up);
        let paths = ports.filter_map(|(index, port)| {
            let ((root, cost, bridge, number), _) = port.heard?;
            (bridge != self.id).then_some(((root, cost + port.cost, bridge, number), Some(*index)))
        });
        paths.chain([((self.id, 0, self.id, 0), None)]).min().unwrap()
    }

    fn says(&self, port: usize) -> Vector {
        let ((root, cost, ..), _) = self.root();
        (root, cost, self.id, 0x8001 + port as u16)
    }

    fn designated(&self, port: usize) -> bool {
        let state = &self.ports[&port];
        state.up && state.heard.is_none_or(|(heard, _)| self.says(port) < heard)
    }

    /// Lets root and designated ports advance to forwarding by time, and blocks the others.
    fn select(&mut self, now: Time) {
        let (_, root_port) = self.root();
        let ports: Vec<usize> = self.ports.keys().copied().collect();
        for index in ports {
            let opens = self.designated(index) || root_port == Some(index);
            let port = self.ports.get_mut(&index).unwrap();
            if !opens && port.stage == 2 {
                self.notify = true;
            }
            if !opens {
                (port.stage, port.advances) = (0, None);
            } else if port.stage < 2 && port.advances.is_none() {
                port.advances = Some(now + FORWARD_DELAY);
            }
        }
        self.topology(now);
    }

    fn topology(&mut self, now: Time) {
        if !self.notify {
            return;
        }
        match self.root().1 {
            None => {
                self.notify = false;
                self.changing = now + MAX_AGE + FORWARD_DELAY;
            }
            Some(port) => self.send(port, &[0, 0, 0, 0x80]),
        }
    }

    pub fn handle_timeout(&mut self, now: Time) {
        let mut changed = false;
        for port in self.ports.values_mut() {
            if port.heard.is_some_and(|(_, until)| until <= now) {
                port.heard = None;
                changed = true;
            }
            if port.advances.is_some_and(|at| at <= now) {
                port.stage += 1;
                port.advances = (port.stage < 2).then_some(now + FORWARD_DELAY);
                self.notify |= port.stage == 2;
                changed = true;
            }
        }
        if changed {
            self.select(now);
        }
        if self.hello <= now {
            self.hello = now + HELLO;
            self.topology(now);
            if self.root().1.is_none() {
                self.send_configurations(now);
            }
        }
    }

    fn send_configurations(&mut self, now: Time) {
        let ports: Vec<usize> = self.ports.keys().copied().collect();
        for port in ports.into_iter().filter(|port| self.designated(*port)).collect::<Vec<_>>() {
            self.send_configuration(now, port);
        }
    }

    fn send_configuration(&mut self, now: Time, port: usize) {
        let (root, cost, bridge, number) = self.says(port);
        let acknowledge = std::mem::take(&mut self.ports.get_mut(&port).unwrap().acknowledge);
        let flags = u8::from(now < self.changing) | u8::from(acknowledge) << 7;
        let age = u16::from(self.root().1.is_some()) * 256;
        let mut bpdu = vec![0, 0, 0, 0, flags];
        bpdu.extend(root);
        bpdu.extend(cost.to_be_bytes());
        bpdu.extend(bridge);
        bpdu.extend(number.to_be_bytes());
        for time in [age, 20 * 256, 2 * 256, 15 * 256] {
            bpdu.extend(time.to_be_bytes());
        }
        self.send(port, &bpdu);
    }

    fn send(&mut self, port: usize, bpdu: &[u8]) {
        let mut frame = vec![0x01, 0x80, 0xc2, 0, 0, 0];
        frame.extend(&self.id[2..]);
        frame.extend((bpdu.len() as u16 + 3).to_be_bytes());
        frame.extend([0x42, 0x42, 0x03]);
        frame.extend(bpdu);
        frame.resize(60, 0);
        self.frames.push_back((port, frame));
    }

    pub fn receive(&mut self, now: Time, port: usize, frame: &[u8]) {
        assert_eq!(frame[14..17], [0x42, 0x42, 0x03]);
        let bpdu = &frame[17..];
        match (bpdu[2], bpdu[3]) {
            (0, 0x80) => {
                self.heard_notifications += 1;
                self.ports.get_mut(&port).unwrap().acknowledge = true;
                self.notify = true;
                self.topology(now);
                self.send_configuration(now, port);
            }
            (0, 0) => self.hear_config(now, port, bpdu),
            _ => self.unread += 1,
        }
    }

    fn hear_config(&mut self, now: Time, port: usize, bpdu: &[u8]) {
        self.heard_configs += 1;
        let vector = (
            bpdu[5..13].try_into().unwrap(),
            u32::from_be_bytes(bpdu[13..17].try_into().unwrap()),
            bpdu[17..25].try_into().unwrap(),
            u16::from_be_bytes(bpdu[25..27].try_into().unwrap()),
        );
        let age = Duration::from_secs(u64::from(bpdu[27]));
        let mine = self.says(port);
        let state = self.ports.get_mut(&port).unwrap();
        let known = state.heard.map_or(mine, |(heard, _)| heard);
        let same = state.heard.is_some_and(|((_, _, b, p), _)| (b, p) == (vector.2, vector.3));
        if vector > known && !same {
            if self.designated(port) {
                self.send_configuration(now, port);
            }
            return;
        }
        state.heard = Some((vector, now + MAX_AGE.saturating_sub(age)));
        self.select(now);
        if self.root().1 == Some(port) {
            if bpdu[4] & 1 != 0 {
                self.heard_changes += 1;
                self.changing = now + HELLO + HELLO;
            } else {
                self.changing = now;
            }
            if bpdu[4] & 0x80 != 0 {
                self.heard_acknowledgements += 1;
                self.notify = false;
            }
            self.send_configurations(now);
        }
    }
}
