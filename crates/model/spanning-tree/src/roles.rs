//! Selects the path to the root, and the role of each port: updtRolesTree (§17.21.25, §17.28). Not
//! here: how a port takes on its role (`transitions`).

use crate::bridge::Bridge;
use crate::port::{BridgePort, Info};
use crate::{Role, Times, Vector};

impl Bridge {
    /// Selects all roles anew, and makes each port send what has changed.
    pub(crate) fn select_roles(&mut self) {
        self.select_root();
        let (id, root, times, root_port) = (self.id, self.root, self.times, self.root_port);
        for (index, port) in &mut self.ports {
            port.designated = Vector { bridge: id, port: port.id, ..root };
            port.selected_role = port.select_role(root_port == Some(*index));
            let updates = port.selected_role == Role::Designated && port.is_outdated(times);
            if updates {
                port.update(times);
            }
            if updates || port.role != port.selected_role {
                self.dirty.insert(*index);
            }
        }
    }

    /// Selects the best path to the root: the cheapest, and among equals the one through the
    /// neighbour and the ports with the lowest identifiers (§17.6).
    fn select_root(&mut self) {
        let own = self.id;
        let mine = (Vector { root: own, cost: 0, bridge: own, port: 0 }, 0, None);
        let received = self.ports.iter().filter_map(|(index, port)| {
            let path = port.root_path()?;
            (path.bridge.address() != own.address()).then_some((path, port.id, Some(*index)))
        });
        let (root, _, root_port) = received.fold(mine, |best, other| best.min(other));
        let own = self.own_times.of_root();
        let hello = own.hello;
        let times = root_port.and_then(|index| self.ports.get(&index));
        self.times = times.map_or(own, |port| Times { hello, ..port.times.aged() });
        (self.root, self.root_port) = (root, root_port);
    }
}

impl BridgePort {
    fn select_role(&self, leads_to_root: bool) -> Role {
        match self.info {
            Info::Disabled => Role::Disabled,
            Info::Aged | Info::Mine => Role::Designated,
            Info::Received if leads_to_root => Role::Root,
            Info::Received if self.designated < self.vector => Role::Designated,
            Info::Received if self.vector.bridge.address() == self.designated.bridge.address() => {
                Role::Backup
            }
            Info::Received => Role::Alternate,
        }
    }

    /// Whether a designated port has new information to send (updtInfo).
    fn is_outdated(&self, times: Times) -> bool {
        self.info != Info::Mine || (self.vector, self.times) != (self.designated, times)
    }
}
