//! Positions of nodes as functions of time: initial positions and mobility models become
//! trajectories.

use netloom_mobility::{
    Coordinates, Geographic, Mobility, MobilityError, Plane, Point, Surroundings, Trajectory,
};
use netloom_units::Stream;

use crate::spec::{Node, Scenario};

/// A node that may move.
pub(crate) struct Moving<'a> {
    pub name: &'a str,
    pub groups: &'a [String],
    pub position: Option<Coordinates>,
    pub mobility: Option<&'a Mobility>,
    pub origin: Option<Geographic>,
    pub seed: u64,
}

impl Moving<'_> {
    /// Returns the node's trajectory. Times count from the beginning of the run.
    pub fn trajectory(&self) -> Result<Trajectory, MobilityError> {
        let plane = self.origin.and_then(|origin| Plane::new(origin).ok());
        let position = self.position.map(|place| place.point(plane.as_ref())).transpose()?;
        let Some(mobility) = self.mobility else {
            return Ok(Trajectory::fixed(position.unwrap_or(Point::ZERO)));
        };
        // Members of a group share a leader: the last of its groups, whose properties win.
        let group = self.groups.last().map_or(self.name, String::as_str);
        let stream = |name: &str| Stream::new(self.seed, &format!("{name}/mobility"));
        mobility.trajectory(&Surroundings {
            node: self.name,
            position,
            stream: &stream(self.name),
            group: &stream(group),
            plane: plane.as_ref(),
        })
    }
}

impl Scenario {
    /// Returns the plane that nodes are on, if positions are in degrees.
    pub fn plane(&self) -> Option<Plane> {
        self.origin.and_then(|origin| Plane::new(origin).ok())
    }

    /// Returns the trajectory of a node. Times count from the beginning of the run.
    ///
    /// # Errors
    /// The mobility model is invalid. Loaded scenarios have no such models.
    pub fn trajectory(&self, node: &Node) -> Result<Trajectory, MobilityError> {
        let moving = Moving {
            name: &node.name,
            groups: &node.groups,
            position: node.position,
            mobility: node.mobility.as_ref(),
            origin: self.origin,
            seed: self.seed,
        };
        moving.trajectory()
    }
}
