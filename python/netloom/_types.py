"""Types of scenarios' files. `make generate` makes this file; only type checkers read it."""

# ruff: noqa: E501, UP, RUF
from typing import Any, Literal, TypeAlias, TypedDict

from typing_extensions import Required

class After(TypedDict, total=False):
    """A start after a process has reached a milestone."""
    after: "Required[str]"
    """Name of the process."""
    delay: "Duration"
    """Additional delay after the milestone (default `0s`)."""
    when: "Milestone"
    """Milestone that the process must have reached in every node in which it runs: `started`,
    `ready` (default) or `done`."""

class AlohaConfig(TypedDict, total=False):
    """Parameters of `aloha`."""
    persistence: "Probability"
    """The probability with which a station that has something to send sends it in a slot
    (default `100%`). Without slots it has no effect."""
    rate: "Rate"
    """Rate of frames, one of the PHY's (default: its highest)."""
    slotted: "Duration"
    """Length of slots, at whose beginnings frames are sent (default: none, pure ALOHA)."""
    tries: "int"
    """How often a frame is sent until it is acknowledged; `1` (default) asks for no
    acknowledgement."""
    wait: "Duration"
    """Longest random wait before the second try, which doubles with each further one, up to ten
    times (default `10ms`)."""

class AntennaPatternChoice(TypedDict, total=False):
    """Gains of a file: lines of `degrees,dBi`, linear between them, or a list of texts like
    those lines."""
    pattern: "Required[DataOfAntennaPattern]"

class AntennaSector(TypedDict, total=False):
    """One gain within a sector, another one behind it."""
    sector: "Required[SectorConfig]"

class ArfConfig(TypedDict, total=False):
    """When the rate goes up and down."""
    down: "int"
    """Failures in a row, after which it goes down (default 2). One is enough right after a step
    up."""
    up: "int"
    """Successes in a row, after which it goes up (default 10)."""

class ArrivalsConfigGaps(TypedDict, total=False):
    """With these times between two beginnings."""
    gaps: "Required[DurationDistribution]"

class ArrivalsConfigPoisson(TypedDict, total=False):
    """Independently, so many a second on average."""
    poisson: "Required[float]"

class AssociationConfig(TypedDict, total=False):
    """When stations join access points, and leave them."""
    hysteresis: "Loss"
    """By how much another access point has to be stronger than a station's own (default `6dB`)."""
    join: "Power"
    """Least power that arrives from an access point that is joined (default `-85dBm`)."""
    leave: "Power"
    """A station leaves its access point if less power arrives from it (default `-90dBm`)."""
    outage: "Duration"
    """For how long a station that joins or changes hears and sends nothing (default `50ms`)."""
    scan: "Duration"
    """How often stations compare access points, all at one time (default `100ms`)."""

class AutomaticRateAarf(TypedDict, total=False):
    """Adaptive automatic rate fallback."""
    aarf: "Required[ArfConfig]"

class AutomaticRateArf(TypedDict, total=False):
    """Automatic rate fallback."""
    arf: "Required[ArfConfig]"

BackgroundEntry = TypedDict("BackgroundEntry", {
    "as": "Representation",
    "cbr": "CbrConfig",
    "dscp": "Dscps",
    "ecn": "bool",
    "flows": "FlowsKey",
    "on_off": "OnOffConfig",
    "poisson": "PoissonConfig",
    "ppbp": "PpbpConfig",
    "rates": "RatesConfig",
    "size": "Sizes",
    "trace": "TrafficTrace",
    "vbr": "VbrConfig",
}, total=False)
"""The notation of an entry: exactly one model, and options beside it."""

class BackoffStages(TypedDict, total=False):
    """The windows of this list, one after the other, after failures; the first after a success."""
    stages: "Required[list[int]]"

class BindOptions(TypedDict, total=False):
    to: "Required[str]"
    """Path in the node."""
    write: "bool"
    """Whether the node may write to it (default `false`)."""

class BulkConfig(TypedDict, total=False):
    """Connections that send as fast as their congestion control lets them. TCP decides when, so
    that this is a description only."""
    bytes: "Size"
    """How much each connection sends (default: until the end)."""
    connections: "int"
    """How many connections there are (default 1)."""

class Busy(TypedDict, total=False):
    """How long something may be busy without a break (θ_c, θ_d). Contention holds from that
    length on."""
    longest: "Required[Duration]"
    """The length."""

class CableConfig(TypedDict, total=False):
    """A cable, or several that end in a hub."""
    length: "Length"
    """Length from one end to the other; of a hub, that between any two stations (default
    `185m`)."""
    shape: "CableShape"
    """`bus` (default): stations are on one cable, evenly from end to end, or where each says
    with `at`. `hub`: any two have `length` between them."""
    velocity: "float"
    """Speed of signals as a share of that of light (default 0.65)."""

class Capture(TypedDict, total=False):
    """When a stronger signal takes over from the one that is being received."""
    margin: "Loss"
    """How much stronger (default `10dB`). With `reception: threshold`, a signal also has to be
    stronger than interference by so much."""
    when: "CaptureWhen"
    """When (default `preamble`). With `reception: collision`, never."""

class CaptureOptions(TypedDict, total=False):
    """A capture with its options."""
    drops: "bool"
    """Whether the frames that the link drops on their way from or to the interface are captured
    as well, with the reasons (default `false`)."""
    interface: "Required[str]"
    """The interface."""

class CbrConfig(TypedDict, total=False):
    """Frames at a constant rate, with a random phase."""
    load: "Load"
    """The rate as a share of the line's."""
    rate: "Rate"
    """The rate of the frames' bytes."""

class ClassConfig(TypedDict, total=False):
    """One class of frames."""
    discipline: "Discipline"
    """Queue discipline of the class's own frames: any but `drr`, `wf2q+` and `prio` (default:
    first in, first out)."""
    limit: "QueueLimit"
    """Limit on the waiting frames of this class, beside the limit of the whole queue (default:
    no limit of its own)."""
    match: "ClassMatch"
    """Packets of this class, unless they belong to an earlier class. One class may leave it
    out: it takes all packets that no other class matches, and all frames that are not IP, like
    ARP. If no class leaves it out, a class of weight 1 for them is added after those that are
    written."""
    most: "Rate"
    """Largest rate at which the class may send, like `4Mbit/s`, framing included (default: no
    cap). Beyond it the class waits even if the line is free."""
    weight: "int"
    """Share of the line relative to the other classes (default 1, at most 65536). `prio` has no
    weights: there the order of the classes decides."""

class ClassMatch(TypedDict, total=False):
    """Conditions on the packets of a class. A packet belongs to the class if all of them hold."""
    destination: "Prefix"
    """Prefix of the destination address."""
    destination_port: "Ports"
    """Destination port, likewise."""
    dscp: "Dscps"
    """DSCP of the packets: a number or a name, or a list."""
    ecn: "Ecns"
    """ECN field of the packets: `not_ect`, `ect0`, `ect1` or `ce`, or a list."""
    protocol: "UpperLayer"
    """Upper-layer protocol: `tcp`, `udp`, `icmp`, `icmpv6` or a number."""
    source: "Prefix"
    """Prefix of the source address."""
    source_port: "Ports"
    """Source port, a range like `6000-6999`, or a list. Only TCP and UDP have ports, and
    fragments have none."""

class Clock(TypedDict, total=False):
    """Speed of the experiment's clock."""
    dilation: "Dilation"
    """Time dilation: the machine's time divided by the experiment's, from 0.1 to 1000 (default
    1). At 10, a run of one minute takes ten minutes, and nodes seem ten times as fast. All
    times, rates and delays of the file are in the experiment's time. Nodes that run programs
    need `kernel: own`."""

class CodelConfig(TypedDict, total=False):
    """Parameters of `codel`. The defaults are those of RFC 8289, sections 4.2 and 4.3."""
    ce_threshold: "Duration"
    """Waiting time above which every ECN-capable packet is marked on its way out, beside what
    CoDel does and whatever `ecn` is (default none). A step mark for DCTCP and the like."""
    ecn: "bool"
    """Whether ECN-capable packets are marked instead of dropped (default `true`)."""
    interval: "Duration"
    """Time for which the waiting time may stay above the target before the first drop; about
    the longest round-trip time in use (default `100ms`)."""
    target: "Duration"
    """Waiting time that is acceptable indefinitely (default `5ms`)."""

class Conditioner(TypedDict, total=False):
    """The notation of a conditioner."""
    conform: "Action"
    """Action for packets that conform: `pass` (default), `drop` or `{dscp: ef}`."""
    exceed: "Action"
    """Action for packets that exceed the rate and the burst (default `pass`)."""
    green: "Action"
    """Action for green packets of `srtcm` and `trtcm` (default `pass`)."""
    match: "ClassMatch"
    """Packets that it handles, unless an earlier conditioner handles them. The last one may
    leave it out: it handles all other packets."""
    meter: "Meter"
    """Meter that measures the packets: `{rate: 5Mbit/s, burst: 20kB}`, or a three-colour
    marker, `srtcm` or `trtcm`. Without a meter all packets conform."""
    red: "Action"
    """Action for red packets (default `pass`)."""
    yellow: "Action"
    """Action for yellow packets (default `pass`)."""

class Constellation(TypedDict, total=False):
    """Satellites, each of which is a router, with links to each other and to places on the
    ground. The delay of each link follows its length. Links go up and down as satellites rise
    and set."""
    ground: "dict[str, Ground]"
    """Places on the ground by the name of their node. If `nodes` has no node of that name, a
    router is created."""
    group: "str"
    """Group that the satellites belong to."""
    isl: "InterSatelliteLinks"
    """Links between satellites. `grid` (default with `walker`): each satellite has a link to
    the next one in its plane and to one in the next plane. With `tle`, satellites whose
    ascending nodes are within 1° are a plane. `none` (default with `tle`): no links."""
    link: "Properties"
    """Properties of all links of the constellation, like `{rate: 1Gbit/s}`."""
    meridian: "Angle"
    """With `walker`: angle of the Earth's prime meridian at the beginning, eastwards from the
    ascending node of the first plane (default `0deg`)."""
    tle: "DataOfElements"
    """A file of two-line element sets. Each set is one satellite, whose position is computed by
    SGP4. The run begins at the time of the latest set. The satellites' names are `NAME-1`,
    `NAME-2` … in the order of the file."""
    walker: "WalkerConfig"
    """A Walker constellation: planes of circular orbits, evenly distributed around the Earth.
    The satellites' names are `NAME-PLANE-PLACE`, starting at `NAME-1-1`."""

Corners = TypedDict("Corners", {
    "from": "Required[list[Coordinate]]",
    "to": "Required[list[Coordinate]]",
}, total=False)
"""An area by two corners."""

class Criteria(TypedDict, total=False):
    """Thresholds of all signals. Names and defaults follow Maier 2011 ch. 4, including θ and δ."""
    application: "dict[str, float]"
    """The highest value of each metric that applications report."""
    brief: "Duration"
    """How long a metric of an application may be above its highest value, in all, to count as
    brief. Then the run is suspect, not invalid."""
    cpu: "Busy"
    """How long a CPU may have no idle moment (θ_c)."""
    disk: "Busy"
    """How long a disk may have requests pending (θ_d)."""
    faults: "Pages"
    """How many major faults and refaults the nodes may have together."""
    lateness: "Delays"
    """How late frames may leave the engine."""
    memory_in: "Pages"
    """How many pages may be swapped in."""
    memory_out: "Pages"
    """How many pages may be swapped out."""
    net_external: "TrafficLimit"
    """How much nodes may send through an uplink. The rate is calibrated; without one, it is not
    tested."""
    net_internal: "TrafficLimit"
    """How much nodes of this machine may send each other. The rate is calibrated; without one,
    it is not tested."""
    pressure: "PartLimit"
    """How much of the time a task of a node may stand still for lack of a CPU or of memory.
    Waiting for a disk is not tested, because every write to a disk waits, even if the disk is
    idle. Contention of a disk is tested by `disk`."""
    run_queue: "Delays"
    """How long tasks of a node may wait for a CPU."""
    steal: "PartLimit"
    """How much of a CPU's time the hypervisor may take."""
    timeline: "Punctuality"
    """How late events of the timeline may happen."""

class CsmaCdConfig(TypedDict, total=False):
    """Parameters of `csma_cd`."""
    attempts: "int"
    """How often a frame is sent (default 16)."""
    cable: "CableConfig"
    """Cable that joins the stations."""
    rate: "Rate"
    """Bit rate (default `10Mbit/s`)."""

class DcfConfig(TypedDict, total=False):
    """Parameters of `dcf`."""
    backoff: "Backoff"
    """How the contention window follows failures and successes (default `binary`)."""
    basic: "Rate"
    """The only basic rate: that of answers, and of broadcasts unless `multicast_rate` says
    otherwise (default: the PHY's basic rates)."""
    cw: "Window"
    """Least and largest contention window in slots, like `[31, 1023]` (default: the PHY's)."""
    multicast_rate: "Rate"
    """Rate of broadcasts and multicasts (default: the lowest basic rate)."""
    preamble: "Preamble"
    """Preamble of frames above 1 Mbit/s: `long` (default) or `short`."""
    rate: "RateControl"
    """Rate of data frames for one station, one of the PHY's (default: its highest), or how a
    station chooses it: `arf`, `aarf`, `ideal`, or a table like `{arf: {up: 10, down: 2}}`."""
    retry: "Retry"
    """How often a frame is sent."""
    rts_threshold: "RtsThreshold"
    """Frames longer than this on the air, header and FCS included, are asked for with RTS and
    CTS: `none` (default) or a size; `0B` is all."""

class Defaults(TypedDict, total=False):
    """Default properties of nodes and links."""
    link: "LinkDefaults"
    """Properties of all links, in both directions."""
    node: "NodeDefaults"
    """Properties of all nodes."""

class DelayPoint(TypedDict, total=False):
    """The delay at a time."""
    at: "Required[Duration]"
    """Time of the point, counted from when the delay was set."""
    delay: "Required[Duration]"
    """Delay of frames that leave the line then."""

class Delays(TypedDict, total=False):
    """How late is too late. Frames: contention holds if more than 1 % of those in a window are
    later than the tolerance, so that the 99th percentile is above it. A window with fewer than
    100 frames counts as filled up with punctual ones. A single frame that is later than ten
    times the tolerance is contention, too. Waits for a CPU: contention holds if, for more than
    1 % of a window, a task had waited for longer than the tolerance."""
    tolerance: "Duration"
    """The largest delay that is not late. By default `trust.delay`: 1 % of the smallest link
    delay, but at least 1 ms and at most 2 ms."""
    window: "Duration"
    """The length of the sliding window."""

class DisciplineParametersCodel(TypedDict, total=False):
    """Controlled delay (RFC 8289)."""
    codel: "Required[CodelConfig]"

class DisciplineParametersDrr(TypedDict, total=False):
    """Deficit round robin over classes or flows (Shreedhar & Varghese 1995)."""
    drr: "Required[DrrConfig]"

class DisciplineParametersDualpi2(TypedDict, total=False):
    """Two coupled queues, for scalable and for classic congestion controls (RFC 9332)."""
    dualpi2: "Required[DualPi2Config]"

class DisciplineParametersFifo(TypedDict, total=False):
    """First in, first out."""
    fifo: "Required[FifoConfig]"

class DisciplineParametersFqCodel(TypedDict, total=False):
    """A CoDel for each flow (RFC 8290)."""
    fq_codel: "Required[FqCodelConfig]"

class DisciplineParametersPie(TypedDict, total=False):
    """Proportional integral controller enhanced (RFC 8033)."""
    pie: "Required[PieConfig]"

class DisciplineParametersPrio(TypedDict, total=False):
    """Strict priority of classes."""
    prio: "Required[PrioConfig]"

class DisciplineParametersRed(TypedDict, total=False):
    """Random early detection (Floyd & Jacobson 1993)."""
    red: "Required[RedConfig]"

class DisciplineParametersStep(TypedDict, total=False):
    """First in, first out, with marks from a length on (Alizadeh and others 2010, DCTCP)."""
    step: "Required[StepConfig]"

DisciplineParametersWf2q = TypedDict("DisciplineParametersWf2q", {
    "wf2q+": "Required[Wf2qConfig]",
}, total=False)
"""Worst-case fair weighted fair queueing over classes or flows (Bennett & Zhang 1997)."""

class DistributionOfDurationConstant(TypedDict, total=False):
    """Always this."""
    constant: "Required[Duration]"

class DistributionOfDurationEmpirical(TypedDict, total=False):
    """A file with one sample a line, or a list of samples, each as likely as the others."""
    empirical: "Required[DataOfSamples]"

class DistributionOfDurationExponential(TypedDict, total=False):
    """Exponential with this mean."""
    exponential: "Required[Duration]"

class DistributionOfDurationLognormal(TypedDict, total=False):
    """The logarithm is normal."""
    lognormal: "Required[LognormalOfDuration]"

class DistributionOfDurationPareto(TypedDict, total=False):
    """Pareto with this mean and shape."""
    pareto: "Required[ParetoOfDuration]"

class DistributionOfDurationUniform(TypedDict, total=False):
    """Uniform between `from` and `to`."""
    uniform: "Required[UniformOfDuration]"

class DistributionOfDurationWeibull(TypedDict, total=False):
    """Weibull with this mean and shape."""
    weibull: "Required[WeibullOfDuration]"

class DistributionOfSizeConstant(TypedDict, total=False):
    """Always this."""
    constant: "Required[Size]"

class DistributionOfSizeEmpirical(TypedDict, total=False):
    """A file with one sample a line, or a list of samples, each as likely as the others."""
    empirical: "Required[DataOfSamples]"

class DistributionOfSizeExponential(TypedDict, total=False):
    """Exponential with this mean."""
    exponential: "Required[Size]"

class DistributionOfSizeLognormal(TypedDict, total=False):
    """The logarithm is normal."""
    lognormal: "Required[LognormalOfSize]"

class DistributionOfSizePareto(TypedDict, total=False):
    """Pareto with this mean and shape."""
    pareto: "Required[ParetoOfSize]"

class DistributionOfSizeUniform(TypedDict, total=False):
    """Uniform between `from` and `to`."""
    uniform: "Required[UniformOfSize]"

class DistributionOfSizeWeibull(TypedDict, total=False):
    """Weibull with this mean and shape."""
    weibull: "Required[WeibullOfSize]"

class Drawing(TypedDict, total=False):
    """How the network is drawn. No run depends on it."""
    positions: "dict[str, DrawnAt | str]"
    """Positions of nodes on paper, by name: `[X, Y]`, to the right and downwards in any unit,
    or `{lat, lon}` in degrees; all are of one kind. `file: NAME` reads them from a YAML or JSON
    file, over which those here take precedence. Nodes without a position are drawn beside their
    neighbours."""

class DrrConfig(TypedDict, total=False):
    """Parameters of `drr`."""
    classes: "list[ClassConfig]"
    """The classes, each with a `match` and a `weight`."""
    flows: "int"
    """Number of queues of equal weight into which flows are hashed by their 5-tuple, instead of
    classes (default 64, at most 65536)."""
    quantum: "Size"
    """Bytes on the line that a class of weight 1 may send in its turn (default `1514B`, at
    least `256B`). If it is at least the longest frame, serving a frame takes constant time."""

class DualPi2Config(TypedDict, total=False):
    """Parameters of `dualpi2`. The defaults are those of RFC 9332, appendix A.1, for round
    trips of up to 100 ms."""
    alpha: "float"
    """Weight of the distance from the target, in 1/s (default `0.15`)."""
    beta: "float"
    """Weight of the trend of the delay, in 1/s (default `3`)."""
    classic_share: "Probability"
    """Share of the line that the classic queue has at least while both queues wait (default
    `6.25%`, at most `50%`)."""
    coupling: "float"
    """k, the coupling: the low-latency queue marks with `k` times the square root of the
    classic queue's probability (default `2`, at least 1)."""
    step: "Duration"
    """Waiting time in the low-latency queue above which every packet is marked (default `1ms`)."""
    target: "Duration"
    """Queueing delay that the controller aims at in the classic queue (default `15ms`)."""
    update: "Duration"
    """Time between two steps of the controller, which happen at whole multiples of it (default
    `15ms`, at least `100us`)."""

class EmacConfig(TypedDict, total=False):
    """Parameters of `emac`. Times are the PHY's where nothing is said."""
    ack: "bool"
    """Whether frames for one station are acknowledged (default `true`)."""
    backoff: "Backoff"
    """How the contention window follows failures and successes (default `binary`)."""
    collisions: "Collisions"
    """Where frames collide: at the `receiver` (default), or at the `sender`, as published: what
    a sender senses keeps it from sending, and nothing that is sent is destroyed."""
    cw: "Window"
    """Least and largest contention window in slots (default: the PHY's)."""
    difs: "Duration"
    """Time for which the medium has to be idle."""
    rate: "Rate"
    """Rate of frames, one of the PHY's (default: its highest)."""
    retry: "Retry"
    """How often a frame is sent."""
    rts: "bool"
    """Whether frames for one station are asked for with RTS and CTS (default `false`)."""
    sifs: "Duration"
    """Time between a frame and its answer."""
    slot: "Duration"
    """Length of a slot."""

Event = TypedDict("Event", {
    "at": "Required[Duration | After]",
    "direction": "Direction",
    "disk": "Disk",
    "every": "Duration",
    "fails": "Fails",
    "for": "Duration",
    "link": "str",
    "media": "dict[str, MediumProperties]",
    "move": "Move",
    "node": "str",
    "position": "Coordinates",
    "power": "Power",
    "radio": "RadioState",
    "route": "RouteChange",
    "run": "str | list[str | float | bool]",
    "set": "Properties",
    "state": "NodeState",
    "times": "int",
    "until": "Duration",
}, total=False)
"""An event: a `link` with `set` or `state`, or a `node` with `state`, `run` or `route`."""

class Expectation(TypedDict, total=False):
    """Expectations about a process: how it ends, how soon it ends, and what it prints. The run
    fails if they are not met."""
    exit: "Exit"
    """How the process ends: an exit code, the name of the signal that ends it, like `SIGKILL`,
    or `running` if it still runs when the run ends. Replaces the requirement that foreground
    processes exit with code 0."""
    node: "str"
    """Node of the process' instance that the expectation is about (default: all instances)."""
    output: "str"
    """Text that the process' standard output or standard error contains."""
    process: "Required[str]"
    """Name of the process."""
    within: "Duration"
    """Longest time from the start of the process to its end."""

class FadingNakagami(TypedDict, total=False):
    """Nakagami: the factor is Gamma(m, 1/m), perhaps with another m far away."""
    nakagami: "Required[NakagamiConfig]"

class FadingRician(TypedDict, total=False):
    """Rician: one way is stronger than all others together, by this ratio K."""
    rician: "Required[Gain]"

Fails = TypedDict("Fails", {
    "after": "Required[DurationDistribution]",
    "for": "Required[DurationDistribution]",
}, total=False)
"""Failures at random times."""

class FarNakagami(TypedDict, total=False):
    """A shape for far receivers."""
    beyond: "Required[Length]"
    """The distance beyond which it holds."""
    m: "Required[float]"
    """The shape, from 0.5 to 1000."""

class FifoConfig(TypedDict, total=False):
    """Parameters of `fifo`."""
    drop: "DropFrom"
    """Frame that is dropped when the queue is full: the one that arrives (`tail`, default) or
    the oldest ones (`head`)."""

class File(TypedDict, total=False):
    """A file of a node, with either `content` or `source`."""
    content: "str | float | bool"
    """Content of the file."""
    mode: "str | float | bool"
    """Permissions in octal, like `0755` (default `0644`)."""
    source: "str"
    """File of the machine that the content comes from, relative to the scenario's folder. It
    must be text; use `binds` for other files."""

class FileContentOfAntennaPattern(TypedDict, total=False):
    """How a file's content travels with its name."""
    file: "Required[str]"
    """The file's name."""
    values: "Required[AntennaPattern]"
    """Values of the file."""

class FileContentOfArrivals(TypedDict, total=False):
    """How a file's content travels with its name."""
    file: "Required[str]"
    """The file's name."""
    values: "Required[Arrivals]"
    """Values of the file."""

class FileContentOfDistributionTable(TypedDict, total=False):
    """How a file's content travels with its name."""
    file: "Required[str]"
    """The file's name."""
    values: "Required[DistributionTable]"
    """Values of the file."""

class FileContentOfElements(TypedDict, total=False):
    """How a file's content travels with its name."""
    file: "Required[str]"
    """The file's name."""
    values: "Required[Elements]"
    """Values of the file."""

class FileContentOfFlowList(TypedDict, total=False):
    """How a file's content travels with its name."""
    file: "Required[str]"
    """The file's name."""
    values: "Required[FlowList]"
    """Values of the file."""

class FileContentOfLossPattern(TypedDict, total=False):
    """How a file's content travels with its name."""
    file: "Required[str]"
    """The file's name."""
    values: "Required[LossPattern]"
    """Values of the file."""

class FileContentOfOffsets(TypedDict, total=False):
    """How a file's content travels with its name."""
    file: "Required[str]"
    """The file's name."""
    values: "Required[Offsets]"
    """Values of the file."""

class FileContentOfOverheadProfile(TypedDict, total=False):
    """How a file's content travels with its name."""
    file: "Required[str]"
    """The file's name."""
    values: "Required[OverheadProfile]"
    """Values of the file."""

class FileContentOfPairLosses(TypedDict, total=False):
    """How a file's content travels with its name."""
    file: "Required[str]"
    """The file's name."""
    values: "Required[PairLosses]"
    """Values of the file."""

class FileContentOfPictures(TypedDict, total=False):
    """How a file's content travels with its name."""
    file: "Required[str]"
    """The file's name."""
    values: "Required[Pictures]"
    """Values of the file."""

class FileContentOfPolygons(TypedDict, total=False):
    """How a file's content travels with its name."""
    file: "Required[str]"
    """The file's name."""
    values: "Required[Polygons]"
    """Values of the file."""

class FileContentOfRateList(TypedDict, total=False):
    """How a file's content travels with its name."""
    file: "Required[str]"
    """The file's name."""
    values: "Required[RateList]"
    """Values of the file."""

class FileContentOfRateTrace(TypedDict, total=False):
    """How a file's content travels with its name."""
    file: "Required[str]"
    """The file's name."""
    values: "Required[RateTrace]"
    """Values of the file."""

class FileContentOfSamples(TypedDict, total=False):
    """How a file's content travels with its name."""
    file: "Required[str]"
    """The file's name."""
    values: "Required[Samples]"
    """Values of the file."""

class FileContentOfSizeList(TypedDict, total=False):
    """How a file's content travels with its name."""
    file: "Required[str]"
    """The file's name."""
    values: "Required[SizeList]"
    """Values of the file."""

class FileContentOfTraces(TypedDict, total=False):
    """How a file's content travels with its name."""
    file: "Required[str]"
    """The file's name."""
    values: "Required[Traces]"
    """Values of the file."""

class FlowsConfig(TypedDict, total=False):
    """Transfers that begin by themselves: from distributions (`arrivals`, `bytes`) or from a
    `file`."""
    arrivals: "ArrivalsConfig"
    """When transfers begin."""
    bytes: "SizeDistribution"
    """How much each sends."""
    file: "DataOfFlowList"
    """A file with start and duration in seconds, bytes and, if known, packets of a transfer in
    each line; or a list of such texts."""
    rate: "Rate"
    """How fast each sends. Over TCP the default is as much as the path takes; those of a file
    send for as long as the file says."""

class FourState(TypedDict, total=False):
    """The four-state model of tc-netem (Salsano, Ludovici, Ordine 2009). Its states are 1
    reception within a gap, 2 reception within a burst, 3 loss within a burst, and 4 isolated
    loss, which is always followed by 1. The loss rate is `(p14 + p13/p31) / (1 + p14 + p13/p31
    · (1 + p32/p23))`."""
    p13: "Required[Probability]"
    """Probability of a transition from 1 to 3: a burst begins."""
    p14: "Probability"
    """Probability of a transition from 1 to 4: an isolated loss; default `0%`."""
    p23: "Probability"
    """Probability of a transition from 2 to 3: the burst goes on losing; default `100%`."""
    p31: "Required[Probability]"
    """Probability of a transition from 3 to 1: a burst ends."""
    p32: "Probability"
    """Probability of a transition from 3 to 2: a reception within a burst; default `0%`."""

class FqCodelConfig(TypedDict, total=False):
    """Parameters of `fq_codel`. The defaults are those of RFC 8290, section 5.2, and RFC 8289."""
    ce_threshold: "Duration"
    """Waiting time above which every ECN-capable packet is marked on its way out, beside what
    CoDel does and whatever `ecn` is (default none). A step mark for DCTCP and the like."""
    ecn: "bool"
    """Whether ECN-capable packets are marked instead of dropped (default `true`)."""
    flows: "int"
    """Number of queues into which flows are hashed (default 1024, at most 65536)."""
    interval: "Duration"
    """Time for which a flow's waiting time may stay above the target before the first drop
    (default `100ms`)."""
    quantum: "Size"
    """Bytes on the line that a flow may send in its turn (default `1514B`, at least `256B`)."""
    target: "Duration"
    """Waiting time that is acceptable indefinitely (default `5ms`)."""

class GaussMarkovConfig(TypedDict, total=False):
    """Gauss-Markov: each step's speed is s ← αs + (1−α)s̄ + σ√(1−α²)·w, and its direction
    likewise. Near borders the mean direction is that of the middle of the area."""
    alpha: "Required[float]"
    """How much of a step's speed and direction the next one keeps, from 0 (nothing) to below 1."""
    area: "Required[Area]"
    """Where it moves."""
    deviation: "Required[Speed]"
    """The standard deviation σ of speeds; what would be below 0 is 0."""
    every: "Duration"
    """How long a step is (default `1s`)."""
    mean: "Required[Speed]"
    """The mean speed s̄."""
    turn: "Angle"
    """The standard deviation of directions (default `60deg`)."""

class Geographic(TypedDict, total=False):
    """A place on the WGS 84 ellipsoid."""
    alt: "float"
    """Altitude in m (default 0)."""
    lat: "Required[float]"
    """Latitude in degrees, north positive, −90 to 90."""
    lon: "Required[float]"
    """Longitude in degrees, east positive, −180 to 180."""

class GilbertElliott(TypedDict, total=False):
    """The Gilbert-Elliott model (Gilbert 1960; Elliott 1963) in the notation of tc-netem: a
    chain with a good and a bad state, which moves once for each frame, and a probability of
    loss in each state. The loss rate is `(p·bad + r·good) / (p + r)` with `bad` = 1-h and
    `good` = 1-k."""
    bad: "Probability"
    """Probability that a frame is lost in the bad state (1-h); default `100%`."""
    good: "Probability"
    """Probability that a frame is lost in the good state (1-k); default `0%`."""
    p: "Required[Probability]"
    """Probability of a transition from the good state to the bad one, for each frame."""
    r: "Required[Probability]"
    """Probability of a transition back, for each frame."""

GivenTrust = TypedDict("GivenTrust", {
    "delay": "Duration",
    "for": "Purpose",
    "losses": "int",
    "share": "Probability",
    "stall": "Duration",
    "timeline": "Duration",
    "waits": "Probability",
}, total=False)
"""How exact a run has to be, as a scenario says it. What it leaves out follows from the
purpose."""

class GridConfig(TypedDict, total=False):
    """Losses between the cells of a grid."""
    file: "Required[str]"
    """The file, in the format of [`LossGrid`]."""

class Ground(TypedDict, total=False):
    """A place on the ground, which has links to satellites in sight."""
    alt: "float"
    """Altitude in m (default 0)."""
    choose: "Choice"
    """Which of the visible satellites it has links to: at any time the `nearest` (default), the
    one that stays visible `longest`, or all, of which the `path` of packets decides."""
    elevation: "Angle"
    """Lowest elevation of a usable satellite above the horizon (default `25deg`)."""
    lat: "Required[float]"
    """Latitude in degrees, north positive, −90 to 90."""
    links: "int"
    """Number of its links at a time (default 1), but for `choose: path`."""
    lon: "Required[float]"
    """Longitude in degrees, east positive, −180 to 180."""

class Group(TypedDict, total=False):
    """A set of nodes and the properties that they share."""
    apart: "str"
    """Label: all nodes with the same one are on different machines."""
    binds: "dict[str, Bind]"
    """Files and directories of the machine, relative to the scenario's folder, that appear in
    the node. Each value is the path in the node, like `/srv/data`, or `{to: /srv/data, write:
    true}`."""
    env: "dict[str, str | float | bool]"
    """Environment variables of all processes of the node."""
    files: "dict[str, File]"
    """Files by their absolute paths in the node."""
    ipv4: "Family"
    """IPv4 addresses of interfaces that do not set them: `auto` (default) or `none`."""
    ipv6: "Family"
    """IPv6 addresses of interfaces that do not set them: `auto` (default) or `none`."""
    kernel: "Kernel"
    """Kernel of the node's network stack and processes: `shared` is the machine's (default).
    `own` is a user-mode kernel for this node alone, with all congestion controls and parameters
    of Debian's package `user-mode-linux`."""
    kind: "NodeKind"
    """Kind of the group's nodes that do not set it."""
    limits: "Limits"
    """Limits on the machine's resources that the node's processes may use. Each key takes
    precedence over the same key of groups, kinds and defaults."""
    load: "NodeLoad"
    """Load that the node is expected to be for its machine, like `{cpu: 0.5, memory: 64MiB}`
    (default: its `limits`). Each key takes precedence over the same key of groups, kinds and
    defaults."""
    loopback: "Literal['auto', 'none'] | GroupLoopbackIpv4"
    """Loopback addresses besides 127.0.0.1 and ::1: `auto` (default for routers), `none`
    (default for hosts), or one for each family."""
    machine: "str"
    """Machine that carries the node in a run over several machines (default: any)."""
    members: "list[str]"
    """Nodes that belong to the group, in addition to those that name it as their `group`."""
    mobility: "Mobility"
    """Mobility model, like `{random_waypoint: {area: [1500m, 300m], speed: [1m/s, 20m/s]}}`
    (default: the node does not move). Only shared media use it."""
    mtu: "int | str"
    """MTU of interfaces, where neither the interface nor its link sets it: largest IP packet in
    bytes."""
    root: "str"
    """Source of the root file system (default: the machine's): a directory, a tarball (`.tar`,
    `.tar.gz`) or the directory of an OCI layout, relative to the scenario's folder. The source
    is never changed."""
    routes: "list[Route]"
    """Routes in addition to those of `routing`."""
    routing: "Routing"
    """Source of the node's routes: shortest paths by link `delay` (default), by `hops`, or by
    link `cost`; `none`; or `daemon`: no routes, because the node runs a routing daemon."""
    services: "Services"
    """Services: programs that run in the node from the start, with generated configuration. A
    list like `[ospf]`, or names with options, like `{bgp: {as: 65001}}`. `docs/services.md`
    lists them."""
    simulated: "bool"
    """Whether the node is simulated, while others are not (default `false`). A simulated node
    forwards and answers like a kernel and sends `traffic`, but no program can run in it."""
    spanning_tree: "bool | GroupSpanningTreeForwardDelay"
    """For switches: whether the switch runs the Rapid Spanning Tree Protocol, which allows
    loops of switches: `true`, or `{priority: 4096}` (default `false`)."""
    startup: "list[str | list[str | float | bool]]"
    """Commands that run once in the node, in order, once the network is up and before services
    start. If one fails, the start of the experiment fails."""
    sysctls: "dict[str, str | float | bool]"
    """Kernel parameters of the network stack, like `net.ipv4.tcp_congestion_control: bbr`."""
    together: "str"
    """Label: all nodes with the same one are on the same machine."""
    total_limits: "Limits"
    """Limits on the machine's resources that the group's nodes together may use; `limits`
    applies to each of them."""

class GroupConfig(TypedDict, total=False):
    """A group around a leader. Each member has a reference point, anywhere within `radius`
    around the leader, which moves with it; around that point it wanders, straight from one
    place to the next, each anywhere within `deviation`. Members may leave the leader's area by
    as much."""
    deviation: "Length"
    """How far from its reference point a member is, at most (default `0m`)."""
    every: "Duration"
    """How long it goes from one place to the next (default `10s`)."""
    leader: "Required[Mobility]"
    """How the leader moves. All members of a group of nodes have the same one; it is no node
    itself."""
    radius: "Required[Length]"
    """How far from the leader a member's reference point is, at most."""

class GroupLoopbackIpv4(TypedDict, total=False):
    ipv4: "str"
    """`auto`, `none`, or an address like `10.255.0.1`."""
    ipv6: "str"
    """`auto`, `none`, or an address like `fd00::1`."""

class GroupSpanningTreeForwardDelay(TypedDict, total=False):
    forward_delay: "int | str"
    """Time that a port spends in listening and then in learning, where it has to wait (default
    `15s`, 4 to 30 s)."""
    hello: "int | str"
    """Time between two hellos (default `2s`, 1 to 10 s)."""
    max_age: "int | str"
    """Age at which information about the root is dropped; each switch on its way adds a second
    (default `20s`, 6 to 40 s). The root's times are the tree's."""
    priority: "int"
    """The switch with the lowest one becomes the root, and of several the first in the file
    (default 32768)."""

class HttpConfig(TypedDict, total=False):
    """A client that asks for objects, one after the other. Responses decide when, so that this
    is a description, and [`HttpConfig::exchanges`] the draws."""
    persistent: "bool"
    """Whether all requests use one connection (default true)."""
    requests: "int"
    """How many requests there are (default: until the end)."""
    sizes: "Required[SizeDistribution]"
    """The objects' lengths."""
    think: "DurationDistribution"
    """How long the client thinks between a response and its next request (default: not at all)."""

class Interface(TypedDict, total=False):
    """An interface of a node."""
    antenna: "Antenna"
    """For stations: antenna, `omni` (default), `{sector: {azimuth, width, gain, back}}` or
    `{pattern: file.csv}`."""
    cw: "Window"
    """For stations: smallest and largest contention window in slots, like `[31, 1023]`."""
    ipv4: "Literal['auto', 'none'] | str | list[str]"
    """IPv4 addresses: `auto` (default), `none`, an address like `10.0.0.1/24`, or a list of
    addresses."""
    ipv6: "Literal['auto', 'none'] | str | list[str]"
    """IPv6 addresses: `auto` (default), `none`, an address like `fd00::1/64`, or a list of
    addresses."""
    mac: "MacAddress"
    """Ethernet (MAC) address, like `02:00:00:00:00:01` (default: derived from the names of node
    and interface)."""
    mtu: "int | str"
    """MTU: largest IP packet in bytes (default: that of the link)."""
    offloads: "bool"
    """Whether the kernel may leave checksums and cutting to the engine, as to a network card
    (default `true`). `false`: each frame is as on a wire, none longer than the MTU."""
    power: "Power"
    """For stations on a shared medium: transmit power (default: the medium's)."""
    rate: "Rate"
    """For stations: rate of data frames (default: that of the MAC)."""
    services: "dict[str, dict[str, OptionValue]]"
    """Options of the node's services for this interface alone, like `{ospf: {area: 1}}`.
    Options that may differ between interfaces are marked in `docs/services.md`."""
    spanning_tree: "PortTree"
    """For ports of switches that run a spanning tree: cost and priority of the port, like
    `{cost: 20000, priority: 128}`."""
    vlan: "PortVlans"
    """For ports of switches: how the port treats VLAN tags: `{access: 10}`, or `{trunk:
    {allowed: [10, 20-29], native: 1}}`. If no port of a switch has this key, the switch does
    not interpret VLAN tags and forwards tagged frames unchanged."""

class JitterModel(TypedDict, total=False):
    """The notation of a jitter that needs a table."""
    correlation: "Probability"
    """Correlation of each value with the one before (default `0%`)."""
    deviation: "Duration"
    """Deviation to which a `table` is scaled."""
    empirical: "DataOfOffsets"
    """Samples to draw from: a list of signed durations, or a file with one a line."""
    normal: "Duration"
    """Normal distribution with mean zero and this standard deviation."""
    pareto: "Duration"
    """tc-netem's `pareto` at this deviation."""
    paretonormal: "Duration"
    """tc-netem's `paretonormal` at this deviation."""
    pattern: "DataOfOffsets"
    """A list of signed durations that are taken in order, and repeat."""
    table: "DataOfDistributionTable"
    """A distribution table of tc (`.dist`), scaled to `deviation`."""
    trace: "DataOfOffsets"
    """Like `pattern`, from a file with one a line."""
    uniform: "Duration"
    """Uniform distribution between minus and plus this duration."""

class Kinds(TypedDict, total=False):
    """Properties of all nodes of a kind."""
    host: "NodeProperties"
    """Properties of all hosts."""
    router: "NodeProperties"
    """Properties of all routers."""
    switch: "NodeProperties"
    """Properties of all switches."""

class Limits(TypedDict, total=False):
    """Limits on the machine's resources. `none` removes a limit that defaults, the kind or a
    group set."""
    cpu: "Literal['none'] | CpuQuota"
    """CPU time as a number of CPUs: `0.5` is 50 ms in each period of 100 ms, `2` is two CPUs
    all the time."""
    cpu_weight: "Literal['none'] | int"
    """Share of CPU time when CPUs are busy, relative to others, from 1 to 10000. Without a
    weight, it is 100."""
    memory: "Literal['none'] | str"
    """Memory including swap, like `64MiB`. When it is used up, the kernel kills a process."""
    pids: "Literal['none'] | int"
    """Number of processes and threads."""

class Link(TypedDict, total=False):
    """A link between two interfaces. Properties beside `endpoints` apply to both directions;
    `forward` and `reverse` set those that differ in one direction."""
    addresses: "list[IpPrefix]"
    """Addresses of the machine with their prefix lengths, like `[172.30.0.1/24]`. Only for
    links with an end `host:NAME` or `nat:NAME`."""
    background: "Background"
    """Cross traffic that joins in front of the queue and leaves at the end of the line: `none`
    (default), or a list of traffic models like `[{poisson: {load: 40%}, size: imix}]`, which
    add up."""
    ber: "BitErrorRate"
    """Bit error rate of the channel, like `1e-6` (default `0`)."""
    bit_errors: "BitErrors"
    """Effect of bit errors: `drop` (default: the frame check sequence catches them) or `flip`
    (the flipped bits reach the receiver)."""
    burst: "Size"
    """Depth of a token bucket in front of the line, like `10kB` (default `0B`): the bytes,
    framing included, that may leave at once after an idle moment. Has an effect on constant
    rates and schedules."""
    compensate: "Compensation"
    """Time that is subtracted from longer delays, because this machine itself takes time to
    carry a frame: `none` (default), `calibrated` for the time measured by `netloom calibrate`,
    or a time like `25us`. Simulated links take no such time and ignore it."""
    condition: "Condition"
    """Traffic conditioning in front of the queue: `none` (default), or a list of conditioners
    like `[{match: {dscp: ef}, meter: {rate: 5Mbit/s, burst: 20kB}, exceed: drop}]`. The first
    conditioner that matches a packet handles it."""
    corrupt: "Probability"
    """Probability that one bit of a frame is flipped, like `0.1%` (default `0%`)."""
    cost: "int"
    """Routing cost for nodes with `routing: cost` (default 1)."""
    cut: "Cut"
    """Whether its ends may be on different machines: `auto` (default) if its delay covers the
    time that frames take between the machines; `never`; or `any`: always, even if frames are
    late."""
    delay: "Delay"
    """Propagation delay, like `10ms` (default `0ns`), or one that changes with time:
    `{schedule: [{at: 0s, delay: 5ms}, {at: 60s, delay: 9ms}]}`, with linear interpolation
    between the points."""
    direct: "bool"
    """Whether the link is a pair of kernel devices (veth) that joins the two nodes directly,
    without the engine. Such a link is as fast as the kernel and has no properties."""
    dummynet: "str"
    """Properties in the notation of `ipfw pipe config`, like `bw 4Mbit/s delay 7ms queue 50`."""
    duplicate: "Probability"
    """Probability that a frame arrives twice (default `0%`)."""
    endpoints: "Required[list[str]]"
    """The two ends, like `["a:eth1", "b:eth1"]`. An end without an interface (`"a"`) uses the
    node's next free one of `eth1`, `eth2` … One end can be outside: `host:NAME`, `nat:NAME`,
    `macvlan:PARENT`, `device:NAME` or `tap:NAME`, with the name of a device of the machine."""
    forward: "LinkDirection"
    """Properties of the direction from the first endpoint to the second."""
    framing: "Framing"
    """Bytes that each frame takes on the line beside its own: `ethernet` (default: 24 bytes for
    preamble, FCS and gap, padded to the 64-byte minimum), `none`, or a size like `38B`."""
    in_flight: "InFlight"
    """Treatment of frames in flight when the pipe goes down: `drop` (default) or `deliver`."""
    jitter: "Jitter"
    """Variation of the delay from frame to frame: a duration (uniform, plus or minus), a
    distribution like `{normal: 2ms}`, or `none` (default)."""
    load: "LinkLoad"
    """Expected traffic in each direction, like `{rate: 20Mbit/s, frame: 200B}`, which decides
    how nodes are placed on several machines."""
    loss: "Loss"
    """Loss of frames in the channel: a probability like `1%` (default `0%`), or a model like
    `{gilbert_elliott: {p: 1%, r: 10%}}`."""
    mac_overhead: "DataOfOverheadProfile"
    """Extra time that each frame holds the line, drawn from a distribution: contention and
    retries of a shared medium. A file in dummynet's profile format, or a list."""
    mtu: "int | str"
    """MTU of both interfaces: largest IP packet in bytes (default 1500)."""
    name: "str"
    """Name of the link (default: `a--b` from the names of its nodes, or `a:eth1--b:eth1` if
    several links join the same nodes)."""
    netem: "str"
    """Properties in the notation of tc-netem, like `delay 10ms 2ms distribution normal loss
    1%`."""
    pipe_mtu: "MtuLimit"
    """Largest packet that the pipe carries, in bytes without the Ethernet header and its VLAN
    tag; longer ones are dropped (default `none`). The interfaces do not know this limit, so it
    is a black hole for their path MTU discovery."""
    queue: "QueueChange"
    """The queue in which frames wait for the line."""
    rate: "RateLimit"
    """Bit rate of the line: a rate like `10Mbit/s`, `unlimited` (default: no serialization time
    and no queue), `{trace: FILE}` in Mahimahi's format, or `{schedule: […]}`."""
    reorder: "Reorder"
    """Which frames overtake others, like `{probability: 25%, gap: 5}`; `none` (default) keeps
    all frames in order."""
    reverse: "LinkDirection"
    """Properties of the direction from the second endpoint to the first."""
    state: "LinkState"
    """Whether the pipe carries frames: `up` (default) or `down`."""
    tbf: "str"
    """Rate, burst and queue in the notation of tc-tbf, like `rate 10mbit burst 10kb latency
    50ms`."""

class LinkChangeKeys(TypedDict, total=False):
    """Keys of `Properties` as keyword arguments."""
    background: "Background"
    """Cross traffic that joins in front of the queue and leaves at the end of the line: `none`
    (default), or a list of traffic models like `[{poisson: {load: 40%}, size: imix}]`, which
    add up."""
    ber: "BitErrorRate"
    """Bit error rate of the channel, like `1e-6` (default `0`)."""
    bit_errors: "BitErrors"
    """Effect of bit errors: `drop` (default: the frame check sequence catches them) or `flip`
    (the flipped bits reach the receiver)."""
    burst: "Size"
    """Depth of a token bucket in front of the line, like `10kB` (default `0B`): the bytes,
    framing included, that may leave at once after an idle moment. Has an effect on constant
    rates and schedules."""
    compensate: "Compensation"
    """Time that is subtracted from longer delays, because this machine itself takes time to
    carry a frame: `none` (default), `calibrated` for the time measured by `netloom calibrate`,
    or a time like `25us`. Simulated links take no such time and ignore it."""
    condition: "Condition"
    """Traffic conditioning in front of the queue: `none` (default), or a list of conditioners
    like `[{match: {dscp: ef}, meter: {rate: 5Mbit/s, burst: 20kB}, exceed: drop}]`. The first
    conditioner that matches a packet handles it."""
    corrupt: "Probability"
    """Probability that one bit of a frame is flipped, like `0.1%` (default `0%`)."""
    delay: "Delay"
    """Propagation delay, like `10ms` (default `0ns`), or one that changes with time:
    `{schedule: [{at: 0s, delay: 5ms}, {at: 60s, delay: 9ms}]}`, with linear interpolation
    between the points."""
    dummynet: "str"
    """Properties in the notation of `ipfw pipe config`, like `bw 4Mbit/s delay 7ms queue 50`."""
    duplicate: "Probability"
    """Probability that a frame arrives twice (default `0%`)."""
    framing: "Framing"
    """Bytes that each frame takes on the line beside its own: `ethernet` (default: 24 bytes for
    preamble, FCS and gap, padded to the 64-byte minimum), `none`, or a size like `38B`."""
    in_flight: "InFlight"
    """Treatment of frames in flight when the pipe goes down: `drop` (default) or `deliver`."""
    jitter: "Jitter"
    """Variation of the delay from frame to frame: a duration (uniform, plus or minus), a
    distribution like `{normal: 2ms}`, or `none` (default)."""
    loss: "Loss"
    """Loss of frames in the channel: a probability like `1%` (default `0%`), or a model like
    `{gilbert_elliott: {p: 1%, r: 10%}}`."""
    mac_overhead: "DataOfOverheadProfile"
    """Extra time that each frame holds the line, drawn from a distribution: contention and
    retries of a shared medium. A file in dummynet's profile format, or a list."""
    netem: "str"
    """Properties in the notation of tc-netem, like `delay 10ms 2ms distribution normal loss
    1%`."""
    pipe_mtu: "MtuLimit"
    """Largest packet that the pipe carries, in bytes without the Ethernet header and its VLAN
    tag; longer ones are dropped (default `none`). The interfaces do not know this limit, so it
    is a black hole for their path MTU discovery."""
    queue: "QueueChange"
    """The queue in which frames wait for the line."""
    rate: "RateLimit"
    """Bit rate of the line: a rate like `10Mbit/s`, `unlimited` (default: no serialization time
    and no queue), `{trace: FILE}` in Mahimahi's format, or `{schedule: […]}`."""
    reorder: "Reorder"
    """Which frames overtake others, like `{probability: 25%, gap: 5}`; `none` (default) keeps
    all frames in order."""
    state: "LinkState"
    """Whether the pipe carries frames: `up` (default) or `down`."""
    tbf: "str"
    """Rate, burst and queue in the notation of tc-tbf, like `rate 10mbit burst 10kb latency
    50ms`."""

class LinkDefaults(TypedDict, total=False):
    """Properties of all links, in both directions."""
    background: "Background"
    """Cross traffic that joins in front of the queue and leaves at the end of the line: `none`
    (default), or a list of traffic models like `[{poisson: {load: 40%}, size: imix}]`, which
    add up."""
    ber: "BitErrorRate"
    """Bit error rate of the channel, like `1e-6` (default `0`)."""
    bit_errors: "BitErrors"
    """Effect of bit errors: `drop` (default: the frame check sequence catches them) or `flip`
    (the flipped bits reach the receiver)."""
    burst: "Size"
    """Depth of a token bucket in front of the line, like `10kB` (default `0B`): the bytes,
    framing included, that may leave at once after an idle moment. Has an effect on constant
    rates and schedules."""
    compensate: "Compensation"
    """Time that is subtracted from longer delays, because this machine itself takes time to
    carry a frame: `none` (default), `calibrated` for the time measured by `netloom calibrate`,
    or a time like `25us`. Simulated links take no such time and ignore it."""
    condition: "Condition"
    """Traffic conditioning in front of the queue: `none` (default), or a list of conditioners
    like `[{match: {dscp: ef}, meter: {rate: 5Mbit/s, burst: 20kB}, exceed: drop}]`. The first
    conditioner that matches a packet handles it."""
    corrupt: "Probability"
    """Probability that one bit of a frame is flipped, like `0.1%` (default `0%`)."""
    cost: "int"
    """Routing cost for nodes with `routing: cost` (default 1)."""
    cut: "Cut"
    """Whether its ends may be on different machines: `auto` (default) if its delay covers the
    time that frames take between the machines; `never`; or `any`: always, even if frames are
    late."""
    delay: "Delay"
    """Propagation delay, like `10ms` (default `0ns`), or one that changes with time:
    `{schedule: [{at: 0s, delay: 5ms}, {at: 60s, delay: 9ms}]}`, with linear interpolation
    between the points."""
    dummynet: "str"
    """Properties in the notation of `ipfw pipe config`, like `bw 4Mbit/s delay 7ms queue 50`."""
    duplicate: "Probability"
    """Probability that a frame arrives twice (default `0%`)."""
    framing: "Framing"
    """Bytes that each frame takes on the line beside its own: `ethernet` (default: 24 bytes for
    preamble, FCS and gap, padded to the 64-byte minimum), `none`, or a size like `38B`."""
    in_flight: "InFlight"
    """Treatment of frames in flight when the pipe goes down: `drop` (default) or `deliver`."""
    jitter: "Jitter"
    """Variation of the delay from frame to frame: a duration (uniform, plus or minus), a
    distribution like `{normal: 2ms}`, or `none` (default)."""
    load: "LinkLoad"
    """Expected traffic in each direction, like `{rate: 20Mbit/s, frame: 200B}`, which decides
    how nodes are placed on several machines."""
    loss: "Loss"
    """Loss of frames in the channel: a probability like `1%` (default `0%`), or a model like
    `{gilbert_elliott: {p: 1%, r: 10%}}`."""
    mac_overhead: "DataOfOverheadProfile"
    """Extra time that each frame holds the line, drawn from a distribution: contention and
    retries of a shared medium. A file in dummynet's profile format, or a list."""
    mtu: "int | str"
    """MTU of both interfaces: largest IP packet in bytes (default 1500)."""
    netem: "str"
    """Properties in the notation of tc-netem, like `delay 10ms 2ms distribution normal loss
    1%`."""
    pipe_mtu: "MtuLimit"
    """Largest packet that the pipe carries, in bytes without the Ethernet header and its VLAN
    tag; longer ones are dropped (default `none`). The interfaces do not know this limit, so it
    is a black hole for their path MTU discovery."""
    queue: "QueueChange"
    """The queue in which frames wait for the line."""
    rate: "RateLimit"
    """Bit rate of the line: a rate like `10Mbit/s`, `unlimited` (default: no serialization time
    and no queue), `{trace: FILE}` in Mahimahi's format, or `{schedule: […]}`."""
    reorder: "Reorder"
    """Which frames overtake others, like `{probability: 25%, gap: 5}`; `none` (default) keeps
    all frames in order."""
    state: "LinkState"
    """Whether the pipe carries frames: `up` (default) or `down`."""
    tbf: "str"
    """Rate, burst and queue in the notation of tc-tbf, like `rate 10mbit burst 10kb latency
    50ms`."""

class LinkDirection(TypedDict, total=False):
    """Keys of one direction of a link, apart from the properties of its pipe."""
    background: "Background"
    """Cross traffic that joins in front of the queue and leaves at the end of the line: `none`
    (default), or a list of traffic models like `[{poisson: {load: 40%}, size: imix}]`, which
    add up."""
    ber: "BitErrorRate"
    """Bit error rate of the channel, like `1e-6` (default `0`)."""
    bit_errors: "BitErrors"
    """Effect of bit errors: `drop` (default: the frame check sequence catches them) or `flip`
    (the flipped bits reach the receiver)."""
    burst: "Size"
    """Depth of a token bucket in front of the line, like `10kB` (default `0B`): the bytes,
    framing included, that may leave at once after an idle moment. Has an effect on constant
    rates and schedules."""
    compensate: "Compensation"
    """Time that is subtracted from longer delays, because this machine itself takes time to
    carry a frame: `none` (default), `calibrated` for the time measured by `netloom calibrate`,
    or a time like `25us`. Simulated links take no such time and ignore it."""
    condition: "Condition"
    """Traffic conditioning in front of the queue: `none` (default), or a list of conditioners
    like `[{match: {dscp: ef}, meter: {rate: 5Mbit/s, burst: 20kB}, exceed: drop}]`. The first
    conditioner that matches a packet handles it."""
    corrupt: "Probability"
    """Probability that one bit of a frame is flipped, like `0.1%` (default `0%`)."""
    cost: "int"
    """Routing cost in this direction for nodes with `routing: cost` (default: the link's cost)."""
    delay: "Delay"
    """Propagation delay, like `10ms` (default `0ns`), or one that changes with time:
    `{schedule: [{at: 0s, delay: 5ms}, {at: 60s, delay: 9ms}]}`, with linear interpolation
    between the points."""
    dummynet: "str"
    """Properties in the notation of `ipfw pipe config`, like `bw 4Mbit/s delay 7ms queue 50`."""
    duplicate: "Probability"
    """Probability that a frame arrives twice (default `0%`)."""
    framing: "Framing"
    """Bytes that each frame takes on the line beside its own: `ethernet` (default: 24 bytes for
    preamble, FCS and gap, padded to the 64-byte minimum), `none`, or a size like `38B`."""
    in_flight: "InFlight"
    """Treatment of frames in flight when the pipe goes down: `drop` (default) or `deliver`."""
    jitter: "Jitter"
    """Variation of the delay from frame to frame: a duration (uniform, plus or minus), a
    distribution like `{normal: 2ms}`, or `none` (default)."""
    load: "LinkLoad"
    """Expected traffic in this direction."""
    loss: "Loss"
    """Loss of frames in the channel: a probability like `1%` (default `0%`), or a model like
    `{gilbert_elliott: {p: 1%, r: 10%}}`."""
    mac_overhead: "DataOfOverheadProfile"
    """Extra time that each frame holds the line, drawn from a distribution: contention and
    retries of a shared medium. A file in dummynet's profile format, or a list."""
    netem: "str"
    """Properties in the notation of tc-netem, like `delay 10ms 2ms distribution normal loss
    1%`."""
    pipe_mtu: "MtuLimit"
    """Largest packet that the pipe carries, in bytes without the Ethernet header and its VLAN
    tag; longer ones are dropped (default `none`). The interfaces do not know this limit, so it
    is a black hole for their path MTU discovery."""
    queue: "QueueChange"
    """The queue in which frames wait for the line."""
    rate: "RateLimit"
    """Bit rate of the line: a rate like `10Mbit/s`, `unlimited` (default: no serialization time
    and no queue), `{trace: FILE}` in Mahimahi's format, or `{schedule: […]}`."""
    reorder: "Reorder"
    """Which frames overtake others, like `{probability: 25%, gap: 5}`; `none` (default) keeps
    all frames in order."""
    state: "LinkState"
    """Whether the pipe carries frames: `up` (default) or `down`."""
    tbf: "str"
    """Rate, burst and queue in the notation of tc-tbf, like `rate 10mbit burst 10kb latency
    50ms`."""

class LinkKeys(TypedDict, total=False):
    """Keys of `Link` as keyword arguments."""
    addresses: "list[IpPrefix]"
    """Addresses of the machine with their prefix lengths, like `[172.30.0.1/24]`. Only for
    links with an end `host:NAME` or `nat:NAME`."""
    background: "Background"
    """Cross traffic that joins in front of the queue and leaves at the end of the line: `none`
    (default), or a list of traffic models like `[{poisson: {load: 40%}, size: imix}]`, which
    add up."""
    ber: "BitErrorRate"
    """Bit error rate of the channel, like `1e-6` (default `0`)."""
    bit_errors: "BitErrors"
    """Effect of bit errors: `drop` (default: the frame check sequence catches them) or `flip`
    (the flipped bits reach the receiver)."""
    burst: "Size"
    """Depth of a token bucket in front of the line, like `10kB` (default `0B`): the bytes,
    framing included, that may leave at once after an idle moment. Has an effect on constant
    rates and schedules."""
    compensate: "Compensation"
    """Time that is subtracted from longer delays, because this machine itself takes time to
    carry a frame: `none` (default), `calibrated` for the time measured by `netloom calibrate`,
    or a time like `25us`. Simulated links take no such time and ignore it."""
    condition: "Condition"
    """Traffic conditioning in front of the queue: `none` (default), or a list of conditioners
    like `[{match: {dscp: ef}, meter: {rate: 5Mbit/s, burst: 20kB}, exceed: drop}]`. The first
    conditioner that matches a packet handles it."""
    corrupt: "Probability"
    """Probability that one bit of a frame is flipped, like `0.1%` (default `0%`)."""
    cost: "int"
    """Routing cost for nodes with `routing: cost` (default 1)."""
    cut: "Cut"
    """Whether its ends may be on different machines: `auto` (default) if its delay covers the
    time that frames take between the machines; `never`; or `any`: always, even if frames are
    late."""
    delay: "Delay"
    """Propagation delay, like `10ms` (default `0ns`), or one that changes with time:
    `{schedule: [{at: 0s, delay: 5ms}, {at: 60s, delay: 9ms}]}`, with linear interpolation
    between the points."""
    direct: "bool"
    """Whether the link is a pair of kernel devices (veth) that joins the two nodes directly,
    without the engine. Such a link is as fast as the kernel and has no properties."""
    dummynet: "str"
    """Properties in the notation of `ipfw pipe config`, like `bw 4Mbit/s delay 7ms queue 50`."""
    duplicate: "Probability"
    """Probability that a frame arrives twice (default `0%`)."""
    forward: "LinkDirection"
    """Properties of the direction from the first endpoint to the second."""
    framing: "Framing"
    """Bytes that each frame takes on the line beside its own: `ethernet` (default: 24 bytes for
    preamble, FCS and gap, padded to the 64-byte minimum), `none`, or a size like `38B`."""
    in_flight: "InFlight"
    """Treatment of frames in flight when the pipe goes down: `drop` (default) or `deliver`."""
    jitter: "Jitter"
    """Variation of the delay from frame to frame: a duration (uniform, plus or minus), a
    distribution like `{normal: 2ms}`, or `none` (default)."""
    load: "LinkLoad"
    """Expected traffic in each direction, like `{rate: 20Mbit/s, frame: 200B}`, which decides
    how nodes are placed on several machines."""
    loss: "Loss"
    """Loss of frames in the channel: a probability like `1%` (default `0%`), or a model like
    `{gilbert_elliott: {p: 1%, r: 10%}}`."""
    mac_overhead: "DataOfOverheadProfile"
    """Extra time that each frame holds the line, drawn from a distribution: contention and
    retries of a shared medium. A file in dummynet's profile format, or a list."""
    mtu: "int | str"
    """MTU of both interfaces: largest IP packet in bytes (default 1500)."""
    name: "str"
    """Name of the link (default: `a--b` from the names of its nodes, or `a:eth1--b:eth1` if
    several links join the same nodes)."""
    netem: "str"
    """Properties in the notation of tc-netem, like `delay 10ms 2ms distribution normal loss
    1%`."""
    pipe_mtu: "MtuLimit"
    """Largest packet that the pipe carries, in bytes without the Ethernet header and its VLAN
    tag; longer ones are dropped (default `none`). The interfaces do not know this limit, so it
    is a black hole for their path MTU discovery."""
    queue: "QueueChange"
    """The queue in which frames wait for the line."""
    rate: "RateLimit"
    """Bit rate of the line: a rate like `10Mbit/s`, `unlimited` (default: no serialization time
    and no queue), `{trace: FILE}` in Mahimahi's format, or `{schedule: […]}`."""
    reorder: "Reorder"
    """Which frames overtake others, like `{probability: 25%, gap: 5}`; `none` (default) keeps
    all frames in order."""
    reverse: "LinkDirection"
    """Properties of the direction from the second endpoint to the first."""
    state: "LinkState"
    """Whether the pipe carries frames: `up` (default) or `down`."""
    tbf: "str"
    """Rate, burst and queue in the notation of tc-tbf, like `rate 10mbit burst 10kb latency
    50ms`."""

class LinkLoad(TypedDict, total=False):
    """Expected load of a link."""
    frame: "str"
    """Mean size of a frame without FCS, like `200B`, from 60 to 65535 bytes (default `1514B`)."""
    rate: "Rate"
    """Mean rate of the traffic in one direction, like `20Mbit/s` (default: what the rates of
    the link and of all hosts' links allow)."""

class Lint(TypedDict, total=False):
    """Levels of findings about networks that could come up, but do not work: lowered to `warn`,
    a mistake can be shown to a class."""
    different_subnets: "LintLevel"
    """Interfaces of one segment that share no subnet, as with a wrong mask."""
    duplicate_address: "LintLevel"
    """An address that two interfaces of one segment or one node have."""
    duplicate_mac: "LintLevel"
    """An Ethernet address that two interfaces of one segment have."""
    neighbours: "LintLevel"
    """Neighbours of a routing protocol whose options or MTUs do not fit together."""
    next_hop: "LintLevel"
    """A next hop in no subnet of its node. Its kernel refuses such a route, so it is left out."""
    subnet_address: "LintLevel"
    """The subnet's own address, or its broadcast address, as that of an interface."""

class LogDistanceConfig(TypedDict, total=False):
    """Free space up to the reference distance, and 10·n·log₁₀(d/d₀) dB more from there on."""
    exponent: "Required[float]"
    """The exponent n, from 1 to 10: 2 in the open, 2.7 to 3.5 in towns, 4 to 6 in buildings."""
    reference: "Length"
    """The reference distance d₀ (default `1m`)."""

class LognormalOfDuration(TypedDict, total=False):
    """The logarithm is normal; written by the mean of the values themselves."""
    mean: "Required[Duration]"
    """The mean."""
    sigma: "Required[float]"
    """The standard deviation of the natural logarithm."""

class LognormalOfSize(TypedDict, total=False):
    """The logarithm is normal; written by the mean of the values themselves."""
    mean: "Required[Size]"
    """The mean."""
    sigma: "Required[float]"
    """The standard deviation of the natural logarithm."""

class LossModelBernoulli(TypedDict, total=False):
    """Each frame with the same probability."""
    bernoulli: "Required[Probability]"

class LossModelEvery(TypedDict, total=False):
    """Every n-th frame. For example, 100 means the 100th, the 200th and so on."""
    every: "Required[int]"

class LossModelFourState(TypedDict, total=False):
    """netem's `loss state`: a chain of four states."""
    four_state: "Required[FourState]"

class LossModelGilbertElliott(TypedDict, total=False):
    """Losses in bursts: a chain of a good and a bad state."""
    gilbert_elliott: "Required[GilbertElliott]"

class LossModelPattern(TypedDict, total=False):
    """Exactly the frames of a pattern, which repeats: one digit a frame, `1` for a loss."""
    pattern: "Required[LossPattern]"

class LossModelTrace(TypedDict, total=False):
    """Like `pattern`, from a file."""
    trace: "Required[DataOfLossPattern]"

LossStep = TypedDict("LossStep", {
    "at": "Required[Duration]",
    "from": "Required[str]",
    "loss": "Required[float]",
    "to": "Required[str]",
}, total=False)
"""A loss from a time on."""

class MacParametersAloha(TypedDict, total=False):
    """Who has something to send sends it (Abramson 1970; Roberts 1972)."""
    aloha: "Required[AlohaConfig]"

class MacParametersCsmaCd(TypedDict, total=False):
    """Carrier sense with collision detection: Ethernet on a cable (IEEE 802.3, clause 4)."""
    csma_cd: "Required[CsmaCdConfig]"

class MacParametersDcf(TypedDict, total=False):
    """The distributed coordination function of IEEE 802.11 (2007, clause 9)."""
    dcf: "Required[DcfConfig]"

class MacParametersEmac(TypedDict, total=False):
    """The MAC of EMPOWER (Zheng 2003 §3.8)."""
    emac: "Required[EmacConfig]"

class MacParametersNone(TypedDict, total=False):
    """No contention: each station has a line of its own."""
    none: "Required[NoMacConfig]"

class MacParametersTdma(TypedDict, total=False):
    """Slots that belong to stations."""
    tdma: "Required[TdmaConfig]"

class ManhattanConfig(TypedDict, total=False):
    """Streets around blocks. At each crossing it turns with a probability, left or right alike,
    and else goes straight on; where that is not possible it does the other. Each stretch from
    crossing to crossing has a speed of its own."""
    area: "Required[Area]"
    """Where the blocks are; its borders are streets, too."""
    blocks: "Required[list[int]]"
    """How many blocks there are to the east and to the north."""
    speed: "Required[Speeds]"
    """How fast, above 0."""
    turn: "Probability"
    """How likely it turns at a crossing (default `50%`)."""

class Mark(TypedDict, total=False):
    """The notation of actions that need a table."""
    dscp: "Required[Dscp]"
    """DSCP that the packet gets: a number from 0 to 63, or a name like `af11`."""

Matrix = TypedDict("Matrix", {
    "as": "MatrixForm",
    "file": "Required[str]",
    "scale": "float",
    "unit": "Required[RateUnit]",
}, total=False)
"""A demand matrix."""

class MatrixConfig(TypedDict, total=False):
    """Losses that a file says: what a ray tracer computed, or somebody measured. Pairs that it
    does not have hear nothing of each other, nor do others before their first time."""
    between: "Interpolation"
    """The loss between two times of a pair (default `step`)."""
    file: "Required[DataOfPairLosses]"
    """Lines of `time,from,to,dB` (seconds, names of nodes), or an event log of EMANE (`.eel`)."""
    nodes: "dict[str, str]"
    """The node that each name of the file is, like `{"1": alice}` (default: names are the
    same)."""

class Measure(TypedDict, total=False):
    """Measurements of a run beside those that it always makes."""
    capture: "list[InterfaceCapture]"
    """Interfaces whose frames are captured into the results, like `a:eth1`, or `{interface:
    "a:eth1", drops: true}` to have what the link drops as well."""
    flows: "Duration"
    """How often the counters of every flow of `traffic` are sampled (default as `interval`, at
    least `10ms`)."""
    frames: "Frames"
    """Whether what happens to every frame is logged into the results: `true` for all links and
    shared media, or a list of them (default `false`). Of a medium, all that is on the air is
    logged."""
    interval: "Duration"
    """How often the statistics of every pipe are sampled (default `1s`, at least `10ms`)."""
    observations: "bool"
    """Whether everything that the contention monitor observes is kept in the results, so that
    `netloom judge` can judge the run again (default `false`)."""

class Medium(TypedDict, total=False):
    """A medium that its members share, like a radio channel or an Ethernet cable."""
    access_points: "list[str]"
    """Switches and routers with a radio that act as access points: members reach each other,
    and networks beyond, through them (default: none; members reach each other directly)."""
    addressing: "MediumAddressing"
    """Addresses of the medium's interfaces: `subnet` (default) gives all of them addresses of
    one prefix. `hosts` gives each a prefix of its own, for routing daemons that discover their
    neighbours."""
    association: "AssociationConfig"
    """When stations join access points and leave them, like `{scan: 100ms, join: -85dBm,
    hysteresis: 6dB, leave: -90dBm, outage: 50ms}` (default)."""
    bandwidth: "Frequency"
    """The channel's width, which says how much noise there is (default: the PHY's)."""
    beacons: "Duration"
    """How often each access point sends a beacon, like `102.4ms` (default: none are sent)."""
    capture: "Capture"
    """When a stronger signal takes over from one that is being received, like `{margin: 10dB,
    when: preamble}` (default)."""
    coherence: "Duration"
    """For how long a pair keeps its fading (default: each signal has its own)."""
    cs_threshold: "Power"
    """Least power of a signal that makes the medium busy by itself (default `-82dBm`)."""
    ed_threshold: "Power"
    """Power of all signals together that makes the medium busy (default `-62dBm`)."""
    fading: "Fading"
    """How the power of signals varies from one to the next (default `none`)."""
    frequency: "Frequency"
    """The carrier's frequency (default: the PHY's)."""
    height: "Length"
    """Height of antennas, added to z (default `1.5m`)."""
    ignore: "Power"
    """Signals weaker than this are left aside altogether (default: 10 dB below noise)."""
    lock: "Lock"
    """Signals that a free radio begins to receive: `decodable` (default) or `any`."""
    mac: "Mac"
    """When stations send: `dcf` (default), another MAC, or a table of its parameters like
    `{dcf: {rts_threshold: 0B}}`."""
    members: "Required[list[str]]"
    """Nodes, or groups of nodes, that have a station on the medium. Each node gets an
    interface: `wlan1` on its first medium, `wlan2` on its second."""
    mtu: "int | str"
    """MTU of the medium's interfaces: largest IP packet in bytes (default 1500)."""
    noise_figure: "Gain"
    """Noise that receivers add to thermal noise (default `7dB`)."""
    obstacles: "list[ObstacleConfig]"
    """Buildings (default: none)."""
    phy: "Phy"
    """The physical layer, with its times and rates: `802.11b`, `802.11a`, `802.11g`,
    `802.11bg`, `dsss` or `fhss`."""
    power: "Power"
    """Power of stations that have none of their own (default `16dBm`)."""
    preset: "str"
    """Medium whose properties are the defaults: `802.11b`, `802.11a`, `802.11g`, `802.11bg`,
    `dsss`, `fhss`, or `wavelan`."""
    propagation: "Propagation"
    """How signals get weaker over a distance (default `free_space`)."""
    propagation_delay: "bool"
    """Whether signals take time, a nanosecond for 30 cm (default `true`)."""
    quantise: "Length"
    """Positions are rounded to the middles of squares of this size (default: not at all)."""
    queue: "QueueConfig"
    """Where each station's frames wait (default: 100 packets, first in, first out)."""
    reception: "ReceptionRule"
    """When a signal is received: `sinr` (default), `threshold` or `collision`."""
    sensitivity: "Power"
    """Least power of a signal that can be decoded (default: that at which the lowest rate loses
    one in ten frames of 1536 bytes to noise)."""
    shadowing: "ShadowingConfig"
    """Log-normal shadows (default: none)."""

class MediumChangeKeys(TypedDict, total=False):
    """Keys of `MediumProperties` as keyword arguments."""
    association: "AssociationConfig"
    """When stations join access points and leave them, like `{scan: 100ms, join: -85dBm,
    hysteresis: 6dB, leave: -90dBm, outage: 50ms}` (default)."""
    bandwidth: "Frequency"
    """The channel's width, which says how much noise there is (default: the PHY's)."""
    beacons: "Duration"
    """How often each access point sends a beacon, like `102.4ms` (default: none are sent)."""
    capture: "Capture"
    """When a stronger signal takes over from one that is being received, like `{margin: 10dB,
    when: preamble}` (default)."""
    coherence: "Duration"
    """For how long a pair keeps its fading (default: each signal has its own)."""
    cs_threshold: "Power"
    """Least power of a signal that makes the medium busy by itself (default `-82dBm`)."""
    ed_threshold: "Power"
    """Power of all signals together that makes the medium busy (default `-62dBm`)."""
    fading: "Fading"
    """How the power of signals varies from one to the next (default `none`)."""
    frequency: "Frequency"
    """The carrier's frequency (default: the PHY's)."""
    height: "Length"
    """Height of antennas, added to z (default `1.5m`)."""
    ignore: "Power"
    """Signals weaker than this are left aside altogether (default: 10 dB below noise)."""
    lock: "Lock"
    """Signals that a free radio begins to receive: `decodable` (default) or `any`."""
    mac: "Mac"
    """When stations send: `dcf` (default), another MAC, or a table of its parameters like
    `{dcf: {rts_threshold: 0B}}`."""
    noise_figure: "Gain"
    """Noise that receivers add to thermal noise (default `7dB`)."""
    obstacles: "list[ObstacleConfig]"
    """Buildings (default: none)."""
    phy: "Phy"
    """The physical layer, with its times and rates: `802.11b`, `802.11a`, `802.11g`,
    `802.11bg`, `dsss` or `fhss`."""
    power: "Power"
    """Power of stations that have none of their own (default `16dBm`)."""
    propagation: "Propagation"
    """How signals get weaker over a distance (default `free_space`)."""
    propagation_delay: "bool"
    """Whether signals take time, a nanosecond for 30 cm (default `true`)."""
    quantise: "Length"
    """Positions are rounded to the middles of squares of this size (default: not at all)."""
    queue: "QueueConfig"
    """Where each station's frames wait (default: 100 packets, first in, first out)."""
    reception: "ReceptionRule"
    """When a signal is received: `sinr` (default), `threshold` or `collision`."""
    sensitivity: "Power"
    """Least power of a signal that can be decoded (default: that at which the lowest rate loses
    one in ten frames of 1536 bytes to noise)."""
    shadowing: "ShadowingConfig"
    """Log-normal shadows (default: none)."""

class MediumKeys(TypedDict, total=False):
    """Keys of `Medium` as keyword arguments."""
    access_points: "list[str]"
    """Switches and routers with a radio that act as access points: members reach each other,
    and networks beyond, through them (default: none; members reach each other directly)."""
    addressing: "MediumAddressing"
    """Addresses of the medium's interfaces: `subnet` (default) gives all of them addresses of
    one prefix. `hosts` gives each a prefix of its own, for routing daemons that discover their
    neighbours."""
    association: "AssociationConfig"
    """When stations join access points and leave them, like `{scan: 100ms, join: -85dBm,
    hysteresis: 6dB, leave: -90dBm, outage: 50ms}` (default)."""
    bandwidth: "Frequency"
    """The channel's width, which says how much noise there is (default: the PHY's)."""
    beacons: "Duration"
    """How often each access point sends a beacon, like `102.4ms` (default: none are sent)."""
    capture: "Capture"
    """When a stronger signal takes over from one that is being received, like `{margin: 10dB,
    when: preamble}` (default)."""
    coherence: "Duration"
    """For how long a pair keeps its fading (default: each signal has its own)."""
    cs_threshold: "Power"
    """Least power of a signal that makes the medium busy by itself (default `-82dBm`)."""
    ed_threshold: "Power"
    """Power of all signals together that makes the medium busy (default `-62dBm`)."""
    fading: "Fading"
    """How the power of signals varies from one to the next (default `none`)."""
    frequency: "Frequency"
    """The carrier's frequency (default: the PHY's)."""
    height: "Length"
    """Height of antennas, added to z (default `1.5m`)."""
    ignore: "Power"
    """Signals weaker than this are left aside altogether (default: 10 dB below noise)."""
    lock: "Lock"
    """Signals that a free radio begins to receive: `decodable` (default) or `any`."""
    mac: "Mac"
    """When stations send: `dcf` (default), another MAC, or a table of its parameters like
    `{dcf: {rts_threshold: 0B}}`."""
    members: "list[str]"
    """Nodes, or groups of nodes, that have a station on the medium. Each node gets an
    interface: `wlan1` on its first medium, `wlan2` on its second."""
    mtu: "int | str"
    """MTU of the medium's interfaces: largest IP packet in bytes (default 1500)."""
    noise_figure: "Gain"
    """Noise that receivers add to thermal noise (default `7dB`)."""
    obstacles: "list[ObstacleConfig]"
    """Buildings (default: none)."""
    phy: "Phy"
    """The physical layer, with its times and rates: `802.11b`, `802.11a`, `802.11g`,
    `802.11bg`, `dsss` or `fhss`."""
    power: "Power"
    """Power of stations that have none of their own (default `16dBm`)."""
    preset: "str"
    """Medium whose properties are the defaults: `802.11b`, `802.11a`, `802.11g`, `802.11bg`,
    `dsss`, `fhss`, or `wavelan`."""
    propagation: "Propagation"
    """How signals get weaker over a distance (default `free_space`)."""
    propagation_delay: "bool"
    """Whether signals take time, a nanosecond for 30 cm (default `true`)."""
    quantise: "Length"
    """Positions are rounded to the middles of squares of this size (default: not at all)."""
    queue: "QueueConfig"
    """Where each station's frames wait (default: 100 packets, first in, first out)."""
    reception: "ReceptionRule"
    """When a signal is received: `sinr` (default), `threshold` or `collision`."""
    sensitivity: "Power"
    """Least power of a signal that can be decoded (default: that at which the lowest rate loses
    one in ten frames of 1536 bytes to noise)."""
    shadowing: "ShadowingConfig"
    """Log-normal shadows (default: none)."""

class MediumProperties(TypedDict, total=False):
    """Properties of a medium, each optional: what is absent keeps its value."""
    association: "AssociationConfig"
    """When stations join access points and leave them, like `{scan: 100ms, join: -85dBm,
    hysteresis: 6dB, leave: -90dBm, outage: 50ms}` (default)."""
    bandwidth: "Frequency"
    """The channel's width, which says how much noise there is (default: the PHY's)."""
    beacons: "Duration"
    """How often each access point sends a beacon, like `102.4ms` (default: none are sent)."""
    capture: "Capture"
    """When a stronger signal takes over from one that is being received, like `{margin: 10dB,
    when: preamble}` (default)."""
    coherence: "Duration"
    """For how long a pair keeps its fading (default: each signal has its own)."""
    cs_threshold: "Power"
    """Least power of a signal that makes the medium busy by itself (default `-82dBm`)."""
    ed_threshold: "Power"
    """Power of all signals together that makes the medium busy (default `-62dBm`)."""
    fading: "Fading"
    """How the power of signals varies from one to the next (default `none`)."""
    frequency: "Frequency"
    """The carrier's frequency (default: the PHY's)."""
    height: "Length"
    """Height of antennas, added to z (default `1.5m`)."""
    ignore: "Power"
    """Signals weaker than this are left aside altogether (default: 10 dB below noise)."""
    lock: "Lock"
    """Signals that a free radio begins to receive: `decodable` (default) or `any`."""
    mac: "Mac"
    """When stations send: `dcf` (default), another MAC, or a table of its parameters like
    `{dcf: {rts_threshold: 0B}}`."""
    noise_figure: "Gain"
    """Noise that receivers add to thermal noise (default `7dB`)."""
    obstacles: "list[ObstacleConfig]"
    """Buildings (default: none)."""
    phy: "Phy"
    """The physical layer, with its times and rates: `802.11b`, `802.11a`, `802.11g`,
    `802.11bg`, `dsss` or `fhss`."""
    power: "Power"
    """Power of stations that have none of their own (default `16dBm`)."""
    propagation: "Propagation"
    """How signals get weaker over a distance (default `free_space`)."""
    propagation_delay: "bool"
    """Whether signals take time, a nanosecond for 30 cm (default `true`)."""
    quantise: "Length"
    """Positions are rounded to the middles of squares of this size (default: not at all)."""
    queue: "QueueConfig"
    """Where each station's frames wait (default: 100 packets, first in, first out)."""
    reception: "ReceptionRule"
    """When a signal is received: `sinr` (default), `threshold` or `collision`."""
    sensitivity: "Power"
    """Least power of a signal that can be decoded (default: that at which the lowest rate loses
    one in ten frames of 1536 bytes to noise)."""
    shadowing: "ShadowingConfig"
    """Log-normal shadows (default: none)."""

class Meter(TypedDict, total=False):
    """The notation of a meter."""
    burst: "Size"
    """Number of bytes that may pass at once."""
    rate: "Rate"
    """Rate of a meter of one rate, which also needs `burst`; packets conform or exceed."""
    srtcm: "SrtcmConfig"
    """The single-rate three-colour marker (RFC 2697); packets are green, yellow or red."""
    trtcm: "TrtcmConfig"
    """The two-rate three-colour marker (RFC 2698); packets are green, yellow or red."""

class MobilityGaussMarkov(TypedDict, total=False):
    """Speed and direction that change little by little (Liang & Haas 1999)."""
    gauss_markov: "Required[GaussMarkovConfig]"

class MobilityGroup(TypedDict, total=False):
    """Around a leader that moves by a model of its own (Hong, Gerla, Pei & Chiang 1999)."""
    group: "Required[GroupConfig]"

class MobilityManhattan(TypedDict, total=False):
    """Along the streets of a grid."""
    manhattan: "Required[ManhattanConfig]"

class MobilityRandomDirection(TypedDict, total=False):
    """A new direction after a random time, and a pause."""
    random_direction: "Required[RandomDirectionConfig]"

class MobilityRandomWalk(TypedDict, total=False):
    """A new direction after each stretch of time or way."""
    random_walk: "Required[RandomWalkConfig]"

class MobilityRandomWaypoint(TypedDict, total=False):
    """To random places, with pauses."""
    random_waypoint: "Required[RandomWaypointConfig]"

class MobilityTrace(TypedDict, total=False):
    """As it was recorded."""
    trace: "Required[MovementTrace]"

class MobilityWaypoints(TypedDict, total=False):
    """Places one after the other."""
    waypoints: "Required[WaypointsConfig]"

class Monitor(TypedDict, total=False):
    """When a run counts as disturbed by the machine that it runs on, and what happens then."""
    criteria: "Criteria"
    """Thresholds and windows that differ from the defaults."""
    enabled: "bool"
    """Whether the run is monitored (default `true`). A run that is not monitored is never
    reported as valid."""
    on_contention: "OnContention"
    """Action when contention begins: `report` (default), or `abort` the run and keep its
    results so far."""
    warm_up: "Duration"
    """Length of the warm-up (default `0s`). Contention that ends within it is reported but does
    not affect the verdict."""

class Move(TypedDict, total=False):
    """A movement of a node: destination and speed."""
    speed: "Required[Speed]"
    """Speed of the movement."""
    to: "Required[Coordinates]"
    """Destination, which the node reaches in a straight line."""

class MovementTrace(TypedDict, total=False):
    """A recorded movement."""
    degrees: "bool"
    """Whether places are degrees: x the longitude, y the latitude (default: what the format
    says). For FCD that SUMO wrote with `--fcd-output.geo`, BonnMotion and CSV."""
    file: "Required[DataOfTraces]"
    """The file: ns-2, BonnMotion, SUMO's FCD, GPX, or CSV; or a list of lines of CSV."""
    format: "TraceFormat"
    """Its format, which is guessed from its text: an error if that is another one."""
    node: "str"
    """Which of its nodes this one is (default: the one of the same name)."""
    offset: "list[Coordinate]"
    """Vector that is added to them then, `[x, y]` (default: none)."""
    scale: "float"
    """Factor of all coordinates (default 1)."""
    start: "Duration"
    """The time in the file that is the run's zero (default `0s`)."""

class NakagamiConfig(TypedDict, total=False):
    """Nakagami fading."""
    far: "FarNakagami"
    """Another shape further away."""
    m: "Required[float]"
    """The shape, from 0.5 to 1000: 1 is Rayleigh, more is calmer."""

class NamedGroup(TypedDict, total=False):
    """All nodes of a group."""
    group: "Required[str]"
    """Name of the group."""

class NoMacConfig(TypedDict, total=False):
    """Parameters of `none`."""
    pairs: "list[PairConfig]"
    """Who receives from whom, instead of who is in reach: ordered pairs of stations, each with
    a delay and losses of its own. With an empty list, nobody receives from anybody."""
    rate: "Rate"
    """Rate of each station's line (default: the PHY's highest). A frame takes its Ethernet
    bytes without FCS, and nothing else."""

class Node(TypedDict, total=False):
    """A node: a host, a router or a switch."""
    apart: "str"
    """Label: all nodes with the same one are on different machines."""
    binds: "dict[str, Bind]"
    """Files and directories of the machine, relative to the scenario's folder, that appear in
    the node. Each value is the path in the node, like `/srv/data`, or `{to: /srv/data, write:
    true}`."""
    env: "dict[str, str | float | bool]"
    """Environment variables of all processes of the node."""
    files: "dict[str, File]"
    """Files by their absolute paths in the node."""
    group: "str"
    """Group that the node belongs to."""
    groups: "list[str]"
    """Groups that the node belongs to. Later ones take precedence over earlier ones."""
    interfaces: "dict[str, Interface]"
    """Interfaces by name, for properties that differ from the defaults. Links create the
    interfaces. A name like `eth1.10`, where a link has `eth1`, creates a VLAN sub-interface of
    `eth1`."""
    ipv4: "Family"
    """IPv4 addresses of interfaces that do not set them: `auto` (default) or `none`."""
    ipv6: "Family"
    """IPv6 addresses of interfaces that do not set them: `auto` (default) or `none`."""
    kernel: "Kernel"
    """Kernel of the node's network stack and processes: `shared` is the machine's (default).
    `own` is a user-mode kernel for this node alone, with all congestion controls and parameters
    of Debian's package `user-mode-linux`."""
    kind: "NodeKind"
    """Kind of the node (default `host`)."""
    limits: "Limits"
    """Limits on the machine's resources that the node's processes may use. Each key takes
    precedence over the same key of groups, kinds and defaults."""
    load: "NodeLoad"
    """Load that the node is expected to be for its machine, like `{cpu: 0.5, memory: 64MiB}`
    (default: its `limits`). Each key takes precedence over the same key of groups, kinds and
    defaults."""
    loopback: "Literal['auto', 'none'] | NodeLoopbackIpv4"
    """Loopback addresses besides 127.0.0.1 and ::1: `auto` (default for routers), `none`
    (default for hosts), or one for each family."""
    machine: "str"
    """Machine that carries the node in a run over several machines (default: any)."""
    mobility: "Mobility"
    """Mobility model, like `{random_waypoint: {area: [1500m, 300m], speed: [1m/s, 20m/s]}}`
    (default: the node does not move). Only shared media use it."""
    mtu: "int | str"
    """MTU of interfaces, where neither the interface nor its link sets it: largest IP packet in
    bytes."""
    position: "Coordinates"
    """Initial position, like `[10m, 5m]` or `[10m, 5m, 2m]`: distances to the east, to the
    north, and upwards (default: zero). Only shared media use it."""
    publish: "list[str]"
    """Ports of the machine that are forwarded to ports of this node, like `8080:80`, or
    `127.0.0.1:5353:53/udp`. Without an address, the machine listens on 127.0.0.1 and ::1.
    Forwarded data crosses no link."""
    root: "str"
    """Source of the root file system (default: the machine's): a directory, a tarball (`.tar`,
    `.tar.gz`) or the directory of an OCI layout, relative to the scenario's folder. The source
    is never changed."""
    routes: "list[Route]"
    """Routes in addition to those of `routing`."""
    routing: "Routing"
    """Source of the node's routes: shortest paths by link `delay` (default), by `hops`, or by
    link `cost`; `none`; or `daemon`: no routes, because the node runs a routing daemon."""
    services: "Services"
    """Services: programs that run in the node from the start, with generated configuration. A
    list like `[ospf]`, or names with options, like `{bgp: {as: 65001}}`. `docs/services.md`
    lists them."""
    simulated: "bool"
    """Whether the node is simulated, while others are not (default `false`). A simulated node
    forwards and answers like a kernel and sends `traffic`, but no program can run in it."""
    spanning_tree: "bool | NodeSpanningTreeForwardDelay"
    """For switches: whether the switch runs the Rapid Spanning Tree Protocol, which allows
    loops of switches: `true`, or `{priority: 4096}` (default `false`)."""
    startup: "list[str | list[str | float | bool]]"
    """Commands that run once in the node, in order, once the network is up and before services
    start. If one fails, the start of the experiment fails."""
    sysctls: "dict[str, str | float | bool]"
    """Kernel parameters of the network stack, like `net.ipv4.tcp_congestion_control: bbr`."""
    together: "str"
    """Label: all nodes with the same one are on the same machine."""

class NodeDefaults(TypedDict, total=False):
    """Properties of all nodes."""
    apart: "str"
    """Label: all nodes with the same one are on different machines."""
    binds: "dict[str, Bind]"
    """Files and directories of the machine, relative to the scenario's folder, that appear in
    the node. Each value is the path in the node, like `/srv/data`, or `{to: /srv/data, write:
    true}`."""
    env: "dict[str, str | float | bool]"
    """Environment variables of all processes of the node."""
    files: "dict[str, File]"
    """Files by their absolute paths in the node."""
    ipv4: "Family"
    """IPv4 addresses of interfaces that do not set them: `auto` (default) or `none`."""
    ipv6: "Family"
    """IPv6 addresses of interfaces that do not set them: `auto` (default) or `none`."""
    kernel: "Kernel"
    """Kernel of the node's network stack and processes: `shared` is the machine's (default).
    `own` is a user-mode kernel for this node alone, with all congestion controls and parameters
    of Debian's package `user-mode-linux`."""
    kind: "NodeKind"
    """Kind of nodes that do not set it (default `host`)."""
    limits: "Limits"
    """Limits on the machine's resources that the node's processes may use. Each key takes
    precedence over the same key of groups, kinds and defaults."""
    load: "NodeLoad"
    """Load that the node is expected to be for its machine, like `{cpu: 0.5, memory: 64MiB}`
    (default: its `limits`). Each key takes precedence over the same key of groups, kinds and
    defaults."""
    loopback: "Literal['auto', 'none'] | NodeDefaultsLoopbackIpv4"
    """Loopback addresses besides 127.0.0.1 and ::1: `auto` (default for routers), `none`
    (default for hosts), or one for each family."""
    machine: "str"
    """Machine that carries the node in a run over several machines (default: any)."""
    mobility: "Mobility"
    """Mobility model, like `{random_waypoint: {area: [1500m, 300m], speed: [1m/s, 20m/s]}}`
    (default: the node does not move). Only shared media use it."""
    mtu: "int | str"
    """MTU of interfaces, where neither the interface nor its link sets it: largest IP packet in
    bytes."""
    root: "str"
    """Source of the root file system (default: the machine's): a directory, a tarball (`.tar`,
    `.tar.gz`) or the directory of an OCI layout, relative to the scenario's folder. The source
    is never changed."""
    routes: "list[Route]"
    """Routes in addition to those of `routing`."""
    routing: "Routing"
    """Source of the node's routes: shortest paths by link `delay` (default), by `hops`, or by
    link `cost`; `none`; or `daemon`: no routes, because the node runs a routing daemon."""
    services: "Services"
    """Services: programs that run in the node from the start, with generated configuration. A
    list like `[ospf]`, or names with options, like `{bgp: {as: 65001}}`. `docs/services.md`
    lists them."""
    simulated: "bool"
    """Whether the node is simulated, while others are not (default `false`). A simulated node
    forwards and answers like a kernel and sends `traffic`, but no program can run in it."""
    spanning_tree: "bool | NodeDefaultsSpanningTreeForwardDelay"
    """For switches: whether the switch runs the Rapid Spanning Tree Protocol, which allows
    loops of switches: `true`, or `{priority: 4096}` (default `false`)."""
    startup: "list[str | list[str | float | bool]]"
    """Commands that run once in the node, in order, once the network is up and before services
    start. If one fails, the start of the experiment fails."""
    sysctls: "dict[str, str | float | bool]"
    """Kernel parameters of the network stack, like `net.ipv4.tcp_congestion_control: bbr`."""
    together: "str"
    """Label: all nodes with the same one are on the same machine."""

class NodeDefaultsLoopbackIpv4(TypedDict, total=False):
    ipv4: "str"
    """`auto`, `none`, or an address like `10.255.0.1`."""
    ipv6: "str"
    """`auto`, `none`, or an address like `fd00::1`."""

class NodeDefaultsSpanningTreeForwardDelay(TypedDict, total=False):
    forward_delay: "int | str"
    """Time that a port spends in listening and then in learning, where it has to wait (default
    `15s`, 4 to 30 s)."""
    hello: "int | str"
    """Time between two hellos (default `2s`, 1 to 10 s)."""
    max_age: "int | str"
    """Age at which information about the root is dropped; each switch on its way adds a second
    (default `20s`, 6 to 40 s). The root's times are the tree's."""
    priority: "int"
    """The switch with the lowest one becomes the root, and of several the first in the file
    (default 32768)."""

class NodeKeys(TypedDict, total=False):
    """Keys of `Node` as keyword arguments."""
    apart: "str"
    """Label: all nodes with the same one are on different machines."""
    binds: "dict[str, Bind]"
    """Files and directories of the machine, relative to the scenario's folder, that appear in
    the node. Each value is the path in the node, like `/srv/data`, or `{to: /srv/data, write:
    true}`."""
    env: "dict[str, str | float | bool]"
    """Environment variables of all processes of the node."""
    files: "dict[str, File]"
    """Files by their absolute paths in the node."""
    group: "str"
    """Group that the node belongs to."""
    groups: "list[str]"
    """Groups that the node belongs to. Later ones take precedence over earlier ones."""
    interfaces: "dict[str, Interface]"
    """Interfaces by name, for properties that differ from the defaults. Links create the
    interfaces. A name like `eth1.10`, where a link has `eth1`, creates a VLAN sub-interface of
    `eth1`."""
    ipv4: "Family"
    """IPv4 addresses of interfaces that do not set them: `auto` (default) or `none`."""
    ipv6: "Family"
    """IPv6 addresses of interfaces that do not set them: `auto` (default) or `none`."""
    kernel: "Kernel"
    """Kernel of the node's network stack and processes: `shared` is the machine's (default).
    `own` is a user-mode kernel for this node alone, with all congestion controls and parameters
    of Debian's package `user-mode-linux`."""
    kind: "NodeKind"
    """Kind of the node (default `host`)."""
    limits: "Limits"
    """Limits on the machine's resources that the node's processes may use. Each key takes
    precedence over the same key of groups, kinds and defaults."""
    load: "NodeLoad"
    """Load that the node is expected to be for its machine, like `{cpu: 0.5, memory: 64MiB}`
    (default: its `limits`). Each key takes precedence over the same key of groups, kinds and
    defaults."""
    loopback: "Literal['auto', 'none'] | NodeLoopbackIpv4"
    """Loopback addresses besides 127.0.0.1 and ::1: `auto` (default for routers), `none`
    (default for hosts), or one for each family."""
    machine: "str"
    """Machine that carries the node in a run over several machines (default: any)."""
    mobility: "Mobility"
    """Mobility model, like `{random_waypoint: {area: [1500m, 300m], speed: [1m/s, 20m/s]}}`
    (default: the node does not move). Only shared media use it."""
    mtu: "int | str"
    """MTU of interfaces, where neither the interface nor its link sets it: largest IP packet in
    bytes."""
    position: "Coordinates"
    """Initial position, like `[10m, 5m]` or `[10m, 5m, 2m]`: distances to the east, to the
    north, and upwards (default: zero). Only shared media use it."""
    publish: "list[str]"
    """Ports of the machine that are forwarded to ports of this node, like `8080:80`, or
    `127.0.0.1:5353:53/udp`. Without an address, the machine listens on 127.0.0.1 and ::1.
    Forwarded data crosses no link."""
    root: "str"
    """Source of the root file system (default: the machine's): a directory, a tarball (`.tar`,
    `.tar.gz`) or the directory of an OCI layout, relative to the scenario's folder. The source
    is never changed."""
    routes: "list[Route]"
    """Routes in addition to those of `routing`."""
    routing: "Routing"
    """Source of the node's routes: shortest paths by link `delay` (default), by `hops`, or by
    link `cost`; `none`; or `daemon`: no routes, because the node runs a routing daemon."""
    services: "Services"
    """Services: programs that run in the node from the start, with generated configuration. A
    list like `[ospf]`, or names with options, like `{bgp: {as: 65001}}`. `docs/services.md`
    lists them."""
    simulated: "bool"
    """Whether the node is simulated, while others are not (default `false`). A simulated node
    forwards and answers like a kernel and sends `traffic`, but no program can run in it."""
    spanning_tree: "bool | NodeSpanningTreeForwardDelay"
    """For switches: whether the switch runs the Rapid Spanning Tree Protocol, which allows
    loops of switches: `true`, or `{priority: 4096}` (default `false`)."""
    startup: "list[str | list[str | float | bool]]"
    """Commands that run once in the node, in order, once the network is up and before services
    start. If one fails, the start of the experiment fails."""
    sysctls: "dict[str, str | float | bool]"
    """Kernel parameters of the network stack, like `net.ipv4.tcp_congestion_control: bbr`."""
    together: "str"
    """Label: all nodes with the same one are on the same machine."""

class NodeLoad(TypedDict, total=False):
    """Expected load of a node. `none` removes a value that defaults, the kind or a group set."""
    cpu: "Literal['none'] | CpuQuota"
    """CPU time that the node's processes use, as a number of CPUs (default: that of `limits`,
    or nothing)."""
    memory: "Literal['none'] | str"
    """Memory that the node's processes use, like `64MiB` (default: that of `limits`, or
    nothing)."""

class NodeLoopbackIpv4(TypedDict, total=False):
    ipv4: "str"
    """`auto`, `none`, or an address like `10.255.0.1`."""
    ipv6: "str"
    """`auto`, `none`, or an address like `fd00::1`."""

class NodeProperties(TypedDict, total=False):
    """Properties of nodes."""
    apart: "str"
    """Label: all nodes with the same one are on different machines."""
    binds: "dict[str, Bind]"
    """Files and directories of the machine, relative to the scenario's folder, that appear in
    the node. Each value is the path in the node, like `/srv/data`, or `{to: /srv/data, write:
    true}`."""
    env: "dict[str, str | float | bool]"
    """Environment variables of all processes of the node."""
    files: "dict[str, File]"
    """Files by their absolute paths in the node."""
    ipv4: "Family"
    """IPv4 addresses of interfaces that do not set them: `auto` (default) or `none`."""
    ipv6: "Family"
    """IPv6 addresses of interfaces that do not set them: `auto` (default) or `none`."""
    kernel: "Kernel"
    """Kernel of the node's network stack and processes: `shared` is the machine's (default).
    `own` is a user-mode kernel for this node alone, with all congestion controls and parameters
    of Debian's package `user-mode-linux`."""
    limits: "Limits"
    """Limits on the machine's resources that the node's processes may use. Each key takes
    precedence over the same key of groups, kinds and defaults."""
    load: "NodeLoad"
    """Load that the node is expected to be for its machine, like `{cpu: 0.5, memory: 64MiB}`
    (default: its `limits`). Each key takes precedence over the same key of groups, kinds and
    defaults."""
    loopback: "Literal['auto', 'none'] | NodePropertiesLoopbackIpv4"
    """Loopback addresses besides 127.0.0.1 and ::1: `auto` (default for routers), `none`
    (default for hosts), or one for each family."""
    machine: "str"
    """Machine that carries the node in a run over several machines (default: any)."""
    mobility: "Mobility"
    """Mobility model, like `{random_waypoint: {area: [1500m, 300m], speed: [1m/s, 20m/s]}}`
    (default: the node does not move). Only shared media use it."""
    mtu: "int | str"
    """MTU of interfaces, where neither the interface nor its link sets it: largest IP packet in
    bytes."""
    root: "str"
    """Source of the root file system (default: the machine's): a directory, a tarball (`.tar`,
    `.tar.gz`) or the directory of an OCI layout, relative to the scenario's folder. The source
    is never changed."""
    routes: "list[Route]"
    """Routes in addition to those of `routing`."""
    routing: "Routing"
    """Source of the node's routes: shortest paths by link `delay` (default), by `hops`, or by
    link `cost`; `none`; or `daemon`: no routes, because the node runs a routing daemon."""
    services: "Services"
    """Services: programs that run in the node from the start, with generated configuration. A
    list like `[ospf]`, or names with options, like `{bgp: {as: 65001}}`. `docs/services.md`
    lists them."""
    simulated: "bool"
    """Whether the node is simulated, while others are not (default `false`). A simulated node
    forwards and answers like a kernel and sends `traffic`, but no program can run in it."""
    spanning_tree: "bool | NodePropertiesSpanningTreeForwardDelay"
    """For switches: whether the switch runs the Rapid Spanning Tree Protocol, which allows
    loops of switches: `true`, or `{priority: 4096}` (default `false`)."""
    startup: "list[str | list[str | float | bool]]"
    """Commands that run once in the node, in order, once the network is up and before services
    start. If one fails, the start of the experiment fails."""
    sysctls: "dict[str, str | float | bool]"
    """Kernel parameters of the network stack, like `net.ipv4.tcp_congestion_control: bbr`."""
    together: "str"
    """Label: all nodes with the same one are on the same machine."""

class NodePropertiesLoopbackIpv4(TypedDict, total=False):
    ipv4: "str"
    """`auto`, `none`, or an address like `10.255.0.1`."""
    ipv6: "str"
    """`auto`, `none`, or an address like `fd00::1`."""

class NodePropertiesSpanningTreeForwardDelay(TypedDict, total=False):
    forward_delay: "int | str"
    """Time that a port spends in listening and then in learning, where it has to wait (default
    `15s`, 4 to 30 s)."""
    hello: "int | str"
    """Time between two hellos (default `2s`, 1 to 10 s)."""
    max_age: "int | str"
    """Age at which information about the root is dropped; each switch on its way adds a second
    (default `20s`, 6 to 40 s). The root's times are the tree's."""
    priority: "int"
    """The switch with the lowest one becomes the root, and of several the first in the file
    (default 32768)."""

class NodeSpanningTreeForwardDelay(TypedDict, total=False):
    forward_delay: "int | str"
    """Time that a port spends in listening and then in learning, where it has to wait (default
    `15s`, 4 to 30 s)."""
    hello: "int | str"
    """Time between two hellos (default `2s`, 1 to 10 s)."""
    max_age: "int | str"
    """Age at which information about the root is dropped; each switch on its way adds a second
    (default `20s`, 6 to 40 s). The root's times are the tree's."""
    priority: "int"
    """The switch with the lowest one becomes the root, and of several the first in the file
    (default 32768)."""

class ObstacleConfig(TypedDict, total=False):
    """Obstacles: one, or all of a file."""
    file: "DataOfPolygons"
    """Instead of it: a file with obstacles, GeoJSON or SUMO's `poly.xml`."""
    inside: "Attenuation"
    """Loss of each metre within: 0.4 dB/m in the source's measurements."""
    polygon: "list[list[Coordinate]]"
    """The corners of one obstacle, in order, each `[x, y]`."""
    wall: "Required[Loss]"
    """Loss of each wall on the way: 9 dB in the source's measurements."""

class OnOffConfig(TypedDict, total=False):
    """Senders that are on and off by turns, independently (Willinger, Taqqu, Sherman & Wilson
    1997)."""
    off: "Required[DurationDistribution]"
    """How long it is off."""
    on: "Required[DurationDistribution]"
    """How long a sender is on."""
    rate: "Rate"
    """Rate of each sender while it is on. Over TCP the default is as much as the path takes."""
    sources: "int"
    """How many senders there are (default 1)."""
    start: "ModelStart"
    """`stationary` (default), or `empty`: all senders are off at first."""

class Outline(TypedDict, total=False):
    """An outline: rings of corners. Within is what an odd number of rings surrounds, so a ring
    in a ring is a courtyard."""
    rings: "Required[list[list[list[float]]]]"
    """The corners of each ring, in order; the last one is joined to the first."""

class OverheadPoint(TypedDict, total=False):
    """A point of the distribution function: with `probability`, the extra time is at most
    `time`."""
    lost: "bool"
    """Whether frames between the previous point and this one are lost after that time (default
    no)."""
    probability: "Required[Probability]"
    """Cumulative probability."""
    time: "Required[Duration]"
    """Extra time on the line."""

class Pages(TypedDict, total=False):
    """How many pages may be moved in a sliding window (Π_m = θ_m δ, and δ)."""
    limit: "Required[int]"
    """Contention holds from this number of pages in a window on. With 1, any page is
    contention, and the threshold is reported as 0."""
    window: "Required[Duration]"
    """The length of the window."""

PairConfig = TypedDict("PairConfig", {
    "ber": "BitErrorRate",
    "delay": "Duration",
    "from": "Required[str]",
    "loss": "Probability",
    "to": "Required[str]",
}, total=False)
"""An ordered pair of stations."""

class ParetoOfDuration(TypedDict, total=False):
    """Pareto: P(X > x) = (x_m/x)^α from x_m on, written by its mean."""
    mean: "Required[Duration]"
    """The mean, also where the tail is cut."""
    most: "Duration"
    """Largest value: longer ones count as this (default: nothing is cut)."""
    shape: "Required[float]"
    """The shape α, above 1; up to 2 the variance is infinite."""

class ParetoOfSize(TypedDict, total=False):
    """Pareto: P(X > x) = (x_m/x)^α from x_m on, written by its mean."""
    mean: "Required[Size]"
    """The mean, also where the tail is cut."""
    most: "Size"
    """Largest value: longer ones count as this (default: nothing is cut)."""
    shape: "Required[float]"
    """The shape α, above 1; up to 2 the variance is infinite."""

class PartLimit(TypedDict, total=False):
    """The part of a sliding window that something may take. Contention holds above it."""
    limit: "Required[Probability]"
    """The part."""
    window: "Required[Duration]"
    """The length of the window."""

class PieConfig(TypedDict, total=False):
    """Parameters of `pie`. The defaults are those of RFC 8033, sections 4.2, 4.3 and 5.1."""
    alpha: "float"
    """Weight of the distance from the target, in 1/s (default `0.125`)."""
    beta: "float"
    """Weight of the trend of the delay, in 1/s (default `1.25`)."""
    derandomize: "bool"
    """Whether drops are kept from being too close together or too far apart (default `true`)."""
    ecn: "bool"
    """Whether ECN-capable packets are marked instead of dropped (default `true`), as long as
    the drop probability is at most `ecn_threshold`."""
    ecn_threshold: "Probability"
    """Drop probability above which packets are dropped even if they are ECN-capable (default
    `10%`)."""
    max_burst: "Duration"
    """Time for which a burst may last before anything is dropped (default `150ms`)."""
    target: "Duration"
    """Queueing delay that the controller aims at (default `15ms`)."""
    update: "Duration"
    """Time between two steps of the controller, which happen at whole multiples of it (default
    `15ms`, at least `100us`)."""

class PingConfig(TypedDict, total=False):
    """Echo requests at a constant interval. The first one is sent at 0."""
    count: "int"
    """How many requests there are (default: no limit)."""
    interval: "Duration"
    """The time between two requests (default `1s`)."""

class Placement(TypedDict, total=False):
    """How nodes are placed on several machines. Without `--machines`, this has no effect."""
    headroom: "str"
    """Share of each machine's capacity that may be used (default `70%`)."""
    objective: "Objective"
    """Number of machines: the `fewest` that suffice (default), or `spread` over all."""
    solve_for: "Duration"
    """Length of the search for a better placement (default `10s`)."""

class PoissonConfig(TypedDict, total=False):
    """Frames that arrive as a Poisson process."""
    load: "Load"
    """The mean rate as a share of the line's."""
    rate: "Rate"
    """The mean rate of the frames' bytes."""

class Polygons(TypedDict, total=False):
    """Outlines of a file."""
    degrees: "Required[bool]"
    """Whether coordinates are degrees (longitude, latitude), not metres (x, y)."""
    outlines: "Required[list[Outline]]"
    """The outlines."""

class PortTree(TypedDict, total=False):
    """Spanning tree options of a port."""
    cost: "int"
    """Path cost, from 1 to 200000000 (default: derived from the rate of the link in the
    direction out of this port)."""
    priority: "int"
    """Port priority, a multiple of 16 from 0 to 240 (default 128). If several ports of the same
    neighbour have equal costs, the one with the lowest priority wins."""

class PortVlansAccess(TypedDict, total=False):
    """The port belongs to one VLAN. Frames without a tag are in it, and its frames leave
    without a tag."""
    access: "Required[int]"

class PortVlansTrunk(TypedDict, total=False):
    """The port carries several VLANs, which are distinguished by tags."""
    trunk: "Required[Trunk]"

class PpbpConfig(TypedDict, total=False):
    """Bursts that begin as a Poisson process, last by a Pareto distribution, and send at one
    rate."""
    burst: "Required[Duration]"
    """How long a burst lasts on average."""
    burst_rate: "Rate"
    """The rate of one burst."""
    bursts: "float"
    """How many bursts begin in a second, on average."""
    hurst: "Required[float]"
    """The Hurst parameter, above 0.5 and below 1: bursts have the Pareto shape 3 − 2H."""
    load: "Load"
    """The mean rate of all bursts together. Two of `load`, `burst_rate` and `bursts` are
    needed."""
    start: "ModelStart"
    """`stationary` (default), or `empty`: no burst is active at first."""

class PrioConfig(TypedDict, total=False):
    """Parameters of `prio`."""
    classes: "list[ClassConfig]"
    """Classes in the order of their priority, the highest first. By default, expedited
    forwarding (`ef`) and network control (`cs6`, `cs7`) come before everything else."""

class Process(TypedDict, total=False):
    """A process that a run starts in one or several nodes."""
    background: "bool"
    """Whether the run ends without waiting for the process (default false)."""
    command: "Required[str | list[str | float | bool]]"
    """Command to execute. Its working directory is the scenario's directory."""
    env: "dict[str, str | float | bool]"
    """Environment variables, in addition to those of the run itself."""
    group: "str"
    """Group of nodes that the process runs in. Each node gets an instance of it."""
    keep: "list[str]"
    """Absolute paths of files in the node that are kept with the results."""
    name: "Required[str]"
    """Name of the process."""
    node: "str"
    """Node that the process runs in."""
    nodes: "list[str]"
    """Nodes that the process runs in. Each gets an instance of it."""
    ready: "Ready"
    """Condition under which the process counts as ready. Without it, the process is ready when
    it has started."""
    start: "Start"
    """Time at which the process starts (default `0s`: as soon as the network is ready)."""

class ProcessKeys(TypedDict, total=False):
    """Keys of `Process` as keyword arguments."""
    background: "bool"
    """Whether the run ends without waiting for the process (default false)."""
    env: "dict[str, str | float | bool]"
    """Environment variables, in addition to those of the run itself."""
    group: "str"
    """Group of nodes that the process runs in. Each node gets an instance of it."""
    keep: "list[str]"
    """Absolute paths of files in the node that are kept with the results."""
    nodes: "list[str]"
    """Nodes that the process runs in. Each gets an instance of it."""
    ready: "Ready"
    """Condition under which the process counts as ready. Without it, the process is ready when
    it has started."""
    start: "Start"
    """Time at which the process starts (default `0s`: as soon as the network is ready)."""

class PropagationGrid(TypedDict, total=False):
    """Losses between the cells of a grid, from a file."""
    grid: "Required[GridConfig]"

class PropagationLogDistance(TypedDict, total=False):
    """Free space up to a reference distance, and from there on a power of the distance
    (Rappaport 2001 §4.9)."""
    log_distance: "Required[LogDistanceConfig]"

class PropagationMatrix(TypedDict, total=False):
    """Losses of pairs over time, from a file."""
    matrix: "Required[MatrixConfig]"

class PropagationRange(TypedDict, total=False):
    """All of the signal within a distance, nothing beyond (Maier 2011 §3.7.3; Zheng 2003 §4.3)."""
    range: "Required[RangeConfig]"

class Properties(TypedDict, total=False):
    """Properties of a pipe in the notations of other tools."""
    background: "Background"
    """Cross traffic that joins in front of the queue and leaves at the end of the line: `none`
    (default), or a list of traffic models like `[{poisson: {load: 40%}, size: imix}]`, which
    add up."""
    ber: "BitErrorRate"
    """Bit error rate of the channel, like `1e-6` (default `0`)."""
    bit_errors: "BitErrors"
    """Effect of bit errors: `drop` (default: the frame check sequence catches them) or `flip`
    (the flipped bits reach the receiver)."""
    burst: "Size"
    """Depth of a token bucket in front of the line, like `10kB` (default `0B`): the bytes,
    framing included, that may leave at once after an idle moment. Has an effect on constant
    rates and schedules."""
    compensate: "Compensation"
    """Time that is subtracted from longer delays, because this machine itself takes time to
    carry a frame: `none` (default), `calibrated` for the time measured by `netloom calibrate`,
    or a time like `25us`. Simulated links take no such time and ignore it."""
    condition: "Condition"
    """Traffic conditioning in front of the queue: `none` (default), or a list of conditioners
    like `[{match: {dscp: ef}, meter: {rate: 5Mbit/s, burst: 20kB}, exceed: drop}]`. The first
    conditioner that matches a packet handles it."""
    corrupt: "Probability"
    """Probability that one bit of a frame is flipped, like `0.1%` (default `0%`)."""
    delay: "Delay"
    """Propagation delay, like `10ms` (default `0ns`), or one that changes with time:
    `{schedule: [{at: 0s, delay: 5ms}, {at: 60s, delay: 9ms}]}`, with linear interpolation
    between the points."""
    dummynet: "str"
    """Properties in the notation of `ipfw pipe config`, like `bw 4Mbit/s delay 7ms queue 50`."""
    duplicate: "Probability"
    """Probability that a frame arrives twice (default `0%`)."""
    framing: "Framing"
    """Bytes that each frame takes on the line beside its own: `ethernet` (default: 24 bytes for
    preamble, FCS and gap, padded to the 64-byte minimum), `none`, or a size like `38B`."""
    in_flight: "InFlight"
    """Treatment of frames in flight when the pipe goes down: `drop` (default) or `deliver`."""
    jitter: "Jitter"
    """Variation of the delay from frame to frame: a duration (uniform, plus or minus), a
    distribution like `{normal: 2ms}`, or `none` (default)."""
    loss: "Loss"
    """Loss of frames in the channel: a probability like `1%` (default `0%`), or a model like
    `{gilbert_elliott: {p: 1%, r: 10%}}`."""
    mac_overhead: "DataOfOverheadProfile"
    """Extra time that each frame holds the line, drawn from a distribution: contention and
    retries of a shared medium. A file in dummynet's profile format, or a list."""
    netem: "str"
    """Properties in the notation of tc-netem, like `delay 10ms 2ms distribution normal loss
    1%`."""
    pipe_mtu: "MtuLimit"
    """Largest packet that the pipe carries, in bytes without the Ethernet header and its VLAN
    tag; longer ones are dropped (default `none`). The interfaces do not know this limit, so it
    is a black hole for their path MTU discovery."""
    queue: "QueueChange"
    """The queue in which frames wait for the line."""
    rate: "RateLimit"
    """Bit rate of the line: a rate like `10Mbit/s`, `unlimited` (default: no serialization time
    and no queue), `{trace: FILE}` in Mahimahi's format, or `{schedule: […]}`."""
    reorder: "Reorder"
    """Which frames overtake others, like `{probability: 25%, gap: 5}`; `none` (default) keeps
    all frames in order."""
    state: "LinkState"
    """Whether the pipe carries frames: `up` (default) or `down`."""
    tbf: "str"
    """Rate, burst and queue in the notation of tc-tbf, like `rate 10mbit burst 10kb latency
    50ms`."""

class Punctuality(TypedDict, total=False):
    """How late is too late for an event that has a scheduled time. Contention holds if one is
    later."""
    tolerance: "Required[Duration]"
    """The largest delay that is not late."""

class QueueChange(TypedDict, total=False):
    """A change of the queue in which frames wait for the line."""
    discipline: "Discipline"
    """The queue discipline (default `fifo`): a name, or a table of its parameters like `{codel:
    {target: 5ms}}`."""
    full: "WhenFull"
    """Treatment of frames that come when it is full: `drop` (default) or `wait`. With `wait`
    nothing is dropped here. Instead, the interface in front of the pipe is not read any
    further, so frames wait in the node's own queue. `wait` requires a constant rate and `fifo`."""
    limit: "QueueLimit"
    """Limit on what may wait: `100packets`, `64KiB` or `50ms` at the current rate. The default
    is 100ms or 50packets, whichever is larger."""

class QueueConfig(TypedDict, total=False):
    """The queue in which frames wait for the line."""
    discipline: "Required[Discipline]"
    """The queue discipline."""
    full: "WhenFull"
    """Treatment of frames that come when it is full."""
    limit: "Required[QueueLimit]"
    """Limit on what may wait."""

class RandomDirectionConfig(TypedDict, total=False):
    """Random direction: a direction and a speed for an exponential time, a pause, and again;
    borders reflect. Places are equally likely at any time."""
    area: "Required[Area]"
    """Where it moves."""
    every: "Required[Duration]"
    """For how long it moves in one direction, on average."""
    pause: "Duration"
    """How long it rests then (default `0s`)."""
    speed: "Required[Speeds]"
    """How fast."""

class RandomWalkConfig(TypedDict, total=False):
    """Random walk: after each stretch a new direction and a new speed; borders reflect. Places
    are equally likely at any time."""
    area: "Required[Area]"
    """Where it moves."""
    every: "Required[Stretch]"
    """How long a stretch is: a time (`10s`) or a length (`100m`)."""
    speed: "Required[Speeds]"
    """How fast."""

class RandomWaypointConfig(TypedDict, total=False):
    """Random waypoint: to a place anywhere in the area, straight, at a speed drawn for each
    leg; a pause; and again."""
    area: "Required[Area]"
    """Where it moves."""
    pause: "Duration"
    """How long it rests at each place (default `0s`)."""
    speed: "Required[Speeds]"
    """How fast, above 0."""
    start: "MovementStart"
    """How it begins (default `stationary`)."""

class RangeConfig(TypedDict, total=False):
    """A disk: frames are understood within `reach`, and sensed within `sense`."""
    reach: "Required[Length]"
    """Up to which distance frames can be understood, this distance included."""
    sense: "Length"
    """Up to which distance they occupy the channel (default: `reach`)."""

class RatesConfig(TypedDict, total=False):
    """A rate that changes at given times: a `schedule`, or a `file` with a rate for each
    `step`."""
    file: "DataOfRateList"
    """A file with a rate like `10Mbit/s`, or `0`, in each line; or a list of them."""
    repeat: "Duration"
    """After this time it starts again (default: the last rate of a schedule stays, and a file
    ends)."""
    schedule: "list[ScheduleStep]"
    """Rates and the times from which they hold: for each step `at` and `rate`; the first at
    `0s`."""
    step: "Duration"
    """How long each rate of the file holds."""

class ReadyCommand(TypedDict, total=False):
    """This command, tried every 100 ms in the node, has succeeded."""
    command: "Required[str | list[str | float | bool]]"
    """A line for `/bin/sh -c`, or a list: a program and its arguments, as they are."""

class ReadyOutput(TypedDict, total=False):
    """This text has appeared in the process' output."""
    output: "Required[str]"

class ReadyPath(TypedDict, total=False):
    """This absolute path exists in the node."""
    path: "Required[str]"

class ReadyPort(TypedDict, total=False):
    """A TCP socket listens on this port in the node."""
    port: "Required[int]"

class RedConfig(TypedDict, total=False):
    """Parameters of `red`. The defaults are those of ns-2, after Floyd's "RED: Discussions of
    Setting Parameters" (1997)."""
    adaptive: "bool"
    """Whether `max_p` adapts itself every 500 ms, from 1 % to 50 %, so that the average stays
    in the middle fifth between `min` and `max` (Floyd, Gummadi & Shenker 2001; default
    `false`)."""
    by_dscp: "RedByDscp"
    """Thresholds of packets by their DSCP, like `{af11: {min: 30packets, max: 60packets, max_p:
    2%}}`. The thresholds above are for all other packets. There is one average for all packets."""
    ecn: "bool"
    """Whether ECN-capable packets are marked instead of dropped (default `true`)."""
    gentle: "bool"
    """Whether the probability rises from `max_p` to 1 between `max` and twice `max` (default
    `true`). Otherwise it is 1 from `max` on."""
    hard_drop: "bool"
    """Whether ECN-capable packets are dropped, too, once the average is beyond the curve: from
    `max` on, or from twice `max` on if it is `gentle` (default `false`). Otherwise they are
    marked until the queue is full."""
    max: "QueueLimit"
    """Average queue length at which `max_p` is reached, in the same unit as `min` (default
    `15packets`)."""
    max_p: "Probability"
    """Drop probability as the average reaches `max` (default `10%`)."""
    mean_packet: "Size"
    """Size of a typical packet, which determines how fast the average falls while the line is
    idle (default `500B`)."""
    min: "QueueLimit"
    """Average queue length below which nothing is dropped: packets, bytes or time at the
    current rate (default `5packets`)."""
    no_drop: "bool"
    """Whether packets that are not ECN-capable pass where others are marked, until the queue is
    full (default `false`: they are dropped)."""
    weight: "float"
    """Weight of the current length in the average, above 0 and at most 1 (default `0.002`)."""

class RedThresholds(TypedDict, total=False):
    """Thresholds of packets with one DSCP. The defaults are those of `red`."""
    max: "QueueLimit"
    """Average queue length at which `max_p` is reached (default `15packets`)."""
    max_p: "Probability"
    """Drop probability as the average reaches `max` (default `10%`)."""
    min: "QueueLimit"
    """Average queue length below which none of these packets is dropped (default `5packets`),
    in the unit of all other thresholds of the queue."""

class Reordering(TypedDict, total=False):
    """Selects the frames that are sent out of turn. With a probability of zero there are none,
    and only the jitter reorders."""
    extra_delay: "Duration"
    """Extra delay of the chosen frame, with which it falls behind the next frames. Without it
    (default), the chosen frame has no delay at all and overtakes those in front."""
    gap: "int"
    """Between two frames that are sent out of turn, at least `gap - 1` frames are sent in turn.
    After them, each frame is a candidate until one is chosen, as in tc-netem (default 1: each
    frame is a candidate)."""
    probability: "Required[Probability]"
    """Probability that a candidate is sent out of turn."""

class ReplayConfig(TypedDict, total=False):
    """Frames of a capture with their bytes, from one interface: a description, since what they
    are is in a file that is too long to be held."""
    as_is: "bool"
    """Whether frames are sent as they are, whosever addresses they have (default false)."""
    file: "Required[str]"
    """A capture, pcap or pcapng, of Ethernet or IP."""
    rewrite: "dict[str, str]"
    """The node whose address each address of the capture becomes: at most 1000 of them."""
    stretch: "float"
    """Factor for the times between frames, from 0.001 to 1000 (default 1): 10 is ten times
    slower."""

class Retry(TypedDict, total=False):
    """How often a frame is sent in all."""
    long: "int"
    """Frames that were asked for (default 4)."""
    short: "int"
    """Requests, and frames that are not asked for (default 7)."""

class Route(TypedDict, total=False):
    """A route of a node, written in the scenario."""
    interface: "str"
    """Interface to send through. Required where `via` is absent."""
    metric: "int"
    """Metric of the route. Of several routes to a destination, the kernel uses the one with the
    lowest metric."""
    to: "Required[IpPrefix]"
    """Destination, like `10.9.0.0/16`; `0.0.0.0/0` or `::/0` is the default route."""
    via: "str"
    """Address of the next hop."""

class RouteChange(TypedDict, total=False):
    """A change of a node's routes."""
    add: "Route"
    """Adds a route, with the keys of `routes`."""
    remove: "IpPrefix"
    """Removes the route with this destination, like `10.9.0.0/16`."""
    replace: "Route"
    """Adds a route, replacing the one with the same destination and metric if there is one."""

class Scenario(TypedDict, total=False):
    """A NetLoom scenario: a network, the programs that run in it, and the events that change
    it."""
    drawing: "Drawing"
    """How the network is drawn. No run depends on it."""
    duration: "Duration"
    """Duration of a run, like `60s`. Without it, a run ends when every foreground process has
    ended and the timeline is over."""
    expect: "list[Expectation]"
    """Expectations about processes. The run fails if one of them is not met."""
    lint: "Lint"
    """Mistakes in the network that are warnings here, so that a class can see them."""
    measure: "Measure"
    """Measurements that a run makes in addition to the usual ones."""
    monitor: "Monitor"
    """How contention for the machine's resources is detected, and what happens then."""
    name: "Required[str]"
    """The experiment's name: letters, digits, `-` and `_`, at most 63."""
    placement: "Placement"
    """How nodes are placed on several machines. Without `--machines`, this has no effect."""
    processes: "list[Process]"
    """Processes that the run starts in the nodes."""
    seed: "int"
    """Seed of all random streams (default 1). The same seed gives the same random numbers."""
    simulation: "Simulation"
    """Options of `netloom run --simulate`."""
    symbiosis: "Symbiosis"
    """Makes the run symbiotic: real hosts are joined by pipes, and a simulation of the whole
    network calibrates these pipes."""
    time: "Clock"
    """Speed of the experiment's clock."""
    timeline: "list[Event]"
    """Events, each with the time at which it happens."""
    topology: "Required[Topology]"
    """Nodes, links, media and constellations of the network."""
    traffic: "list[TrafficHead]"
    """Traffic that the run sends between nodes."""
    trust: "GivenTrust"
    """Purpose of the run, which decides how much influence of the machine its results may have."""
    workers: "Workers"
    """CPUs of the machine that the engine's workers, the threads that carry frames, use."""

class ScenarioKeys(TypedDict, total=False):
    """Keys of `Scenario` as keyword arguments."""
    drawing: "Drawing"
    """How the network is drawn. No run depends on it."""
    duration: "Duration"
    """Duration of a run, like `60s`. Without it, a run ends when every foreground process has
    ended and the timeline is over."""
    expect: "list[Expectation]"
    """Expectations about processes. The run fails if one of them is not met."""
    lint: "Lint"
    """Mistakes in the network that are warnings here, so that a class can see them."""
    measure: "Measure"
    """Measurements that a run makes in addition to the usual ones."""
    monitor: "Monitor"
    """How contention for the machine's resources is detected, and what happens then."""
    placement: "Placement"
    """How nodes are placed on several machines. Without `--machines`, this has no effect."""
    processes: "list[Process]"
    """Processes that the run starts in the nodes."""
    seed: "int"
    """Seed of all random streams (default 1). The same seed gives the same random numbers."""
    simulation: "Simulation"
    """Options of `netloom run --simulate`."""
    symbiosis: "Symbiosis"
    """Makes the run symbiotic: real hosts are joined by pipes, and a simulation of the whole
    network calibrates these pipes."""
    time: "Clock"
    """Speed of the experiment's clock."""
    timeline: "list[Event]"
    """Events, each with the time at which it happens."""
    topology: "Topology"
    """Nodes, links, media and constellations of the network."""
    traffic: "list[TrafficHead]"
    """Traffic that the run sends between nodes."""
    trust: "GivenTrust"
    """Purpose of the run, which decides how much influence of the machine its results may have."""
    workers: "Workers"
    """CPUs of the machine that the engine's workers, the threads that carry frames, use."""

class ScheduleStep(TypedDict, total=False):
    """From when on a rate holds."""
    at: "Required[Duration]"
    """Counted from when the schedule was set."""
    rate: "Required[Rate]"
    """The rate."""

class SectorConfig(TypedDict, total=False):
    """A sector antenna."""
    azimuth: "Angle"
    """Where its middle points, from the north, clockwise (default `0deg`)."""
    back: "Required[Gain]"
    """The gain elsewhere."""
    gain: "Required[Gain]"
    """The gain within it."""
    width: "Required[Angle]"
    """How wide it is, edge to edge."""

class ServicesObjectEntryTemplate(TypedDict, total=False):
    template: "str"
    """A template of one's own: a file, relative to the scenario's folder."""

class ShadowingConfig(TypedDict, total=False):
    """Log-normal shadowing: a normal number of dB for each pair of places. Each place has a
    number of a Gaussian field, and a pair has (g(a) + g(b))/√2. The field needs no memory: its
    values at the points of a grid follow from the seed, and between them it is bilinear and
    scaled to keep its deviation. So the same place has the same shadow, and a step of the grid
    further it has another one."""
    deviation: "Required[Loss]"
    """The standard deviation: 4 to 12 dB outdoors."""
    distance: "ShadowDistance"
    """The step of the grid, over which shadows change (default `20m`), or `none`: each pair of
    stations has one number, wherever they are."""

class SimulatedTcp(TypedDict, total=False):
    """Options of the model of the hosts' TCP, in addition to their sysctls."""
    hz: "int"
    """`CONFIG_HZ` of the hosts' kernel in Hz, from 100 to 1000 (default 1000). Timers expire at
    whole ticks."""

class Simulation(TypedDict, total=False):
    """Options of `netloom run --simulate`. Results do not depend on `processes`, `threads` and
    `cells`."""
    cells: "Number"
    """Largest number of cells that the network is divided into, at least one for each process.
    `auto` (default): four for each thread if there are several threads."""
    processes: "Count"
    """Largest number of processes that the network is divided among (default 1)."""
    reroute: "Reroute"
    """Time from a link going down or up, or a node failing, until all nodes use the shortest
    paths without the parts that are down, like `2s`. `never` (default): routes stay as planned."""
    tcp: "SimulatedTcp"
    """Options of the model of the hosts' TCP, in addition to their sysctls."""
    threads: "Number"
    """Number of threads of all processes together (default 1, but at least one for each
    process). `auto`: one for each CPU."""

class SizesTable(TypedDict, total=False):
    """Lengths that come from a file."""
    file: "Required[DataOfSizeList]"
    """A file with a length in bytes and, if not 1, its weight in each line."""

class SlotNamesNames(TypedDict, total=False):
    """Stations by name."""
    names: "Required[list[str]]"

class SrtcmConfig(TypedDict, total=False):
    """Parameters of the single-rate three-colour marker (RFC 2697)."""
    aware: "bool"
    """Whether packets keep the colour of their DSCP or get a worse one: green, yellow, red for
    the drop precedences 1, 2, 3 of assured forwarding, and green for all other DSCPs (default
    `false`: colour-blind)."""
    cbs: "Required[Size]"
    """Committed burst size: up to this, packets are green."""
    cir: "Required[Rate]"
    """Committed information rate."""
    ebs: "Required[Size]"
    """Excess burst size. This bucket gets the tokens that do not fit into the committed one; up
    to its size, packets are yellow."""

class StepConfig(TypedDict, total=False):
    """Parameters of `step`."""
    mark_at: "QueueLimit"
    """K: what waits, without the frame on the line, when arrivals begin to be marked: packets,
    bytes or time at the current rate (default `20packets`, the paper's for 1 Gbit/s; it has
    `65packets` for 10 Gbit/s)."""

class Symbiosis(TypedDict, total=False):
    """Makes the run symbiotic: nodes without `simulated` are real hosts, whose packets cross a
    few pipes. A simulation of the whole network determines delay and loss of these pipes."""
    calibration: "CalibrationMethod"
    """Method that converts the simulation's reports to settings of the pipes: `md1` (default)
    or `cross_traffic`."""
    downscale: "bool"
    """Whether each chain of links becomes one pipe (default `true`). Only with `md1`."""
    loss: "LossMethod"
    """Which frames are lost: `positions` (default), `bernoulli` or `systematic`. Only with
    `md1`."""
    period: "Period"
    """Time between calibrations of the pipes, from `50ms` to `60s` (default `1s`). `auto`: the
    shortest time from 100 ms to 1 s in which each pipe of the network could send 80 full
    frames."""
    twins: "TwinMethod"
    """Representation of real TCP in the simulation: `packets` (default) or `connections`."""

class Tcp(TypedDict, total=False):
    """Options of traffic over TCP."""
    congestion_control: "str"
    """Congestion control, like `cubic` (default: the node's own)."""
    dscp: "Dscps"
    """DSCP of the packets: a number from 0 to 63, or a name like `ef`."""
    port: "int"
    """Port of the receiver (default: 47000 plus the number of the entry, counted from 0; from
    the 18,537th entry on, the first port from 47000 that is free at all its receivers)."""

class TdmaConfig(TypedDict, total=False):
    """Parameters of `tdma`."""
    guard: "Duration"
    """Time at the end of each slot in which nothing is sent (default `0s`)."""
    order: "SlotOrder"
    """Whose slots follow each other: a list of stations, of which one may come more than once,
    or `round_robin` (default), all in the order of their numbers."""
    rate: "Rate"
    """Rate of frames, one of the PHY's (default: its highest)."""
    slot: "Required[Duration]"
    """Length of a slot."""

class Topology(TypedDict, total=False):
    """Nodes, links, media and constellations of a network."""
    constellations: "dict[str, Constellation]"
    """Constellations of satellites by name."""
    defaults: "Defaults"
    """Properties of all nodes and all links, unless a kind, a group, the node or the link sets
    them."""
    groups: "dict[str, Group]"
    """Properties of sets of nodes. They take precedence over `kinds`, and later groups over
    earlier ones."""
    kinds: "Kinds"
    """Properties of all nodes of a kind. They take precedence over `defaults`."""
    links: "list[Link]"
    """Links, each between two interfaces."""
    media: "dict[str, Medium]"
    """Shared media by name, like radio channels."""
    neighbours: "KnownNeighbours"
    """Whether nodes know the Ethernet addresses of their neighbours from the start: `auto`
    (default: on shared media), `known`, or `resolved` (by ARP and NDP)."""
    nodes: "Required[dict[str, Node]]"
    """Nodes by name. `name:` alone is a node with default properties."""
    origin: "Geographic"
    """Geographic origin of the plane that nodes are on. Required for positions in degrees: with
    `{lat: 48.78, lon: 9.18}`, that position is `[0m, 0m]`."""
    tcp: "str"
    """Congestion control of all TCP connections, like `cubic`, in emulated and simulated nodes
    alike; `sysctls` and `traffic` may set others. Without it, an emulated node has the
    machine's default, and a simulated one `cubic`."""
    total_limits: "Limits"
    """Limits on the machine's resources that all nodes together may use."""

TrafficHead = TypedDict("TrafficHead", {
    "background": "bool",
    "bulk": "BulkConfig",
    "cbr": "CbrConfig",
    "family": "IpFamily",
    "flows": "FlowsConfig",
    "for": "Duration",
    "from": "NodeOrGroup",
    "http": "HttpConfig",
    "matrix": "Matrix",
    "name": "Required[str]",
    "on_off": "OnOffConfig",
    "ping": "PingConfig",
    "poisson": "PoissonConfig",
    "ppbp": "PpbpConfig",
    "rates": "RatesConfig",
    "replay": "ReplayConfig",
    "size": "Sizes",
    "start": "Start",
    "tcp": "Tcp",
    "to": "NodeOrGroup",
    "trace": "TrafficTrace",
    "udp": "Udp",
    "vbr": "VbrConfig",
}, total=False)
"""Keys of a traffic entry, apart from its model."""

class TrafficKeys(TypedDict, total=False):
    """Keys of `TrafficHead` as keyword arguments."""
    background: "bool"
    """Whether the run ends without waiting for this traffic (default false)."""
    bulk: "BulkConfig"
    """As much as TCP can send."""
    cbr: "CbrConfig"
    """Frames at a constant rate, with a random phase."""
    family: "IpFamily"
    """Address family, `ipv4` or `ipv6` (default: IPv4 if the receiver has it). Emulated runs
    use IPv4."""
    flows: "FlowsConfig"
    """Transfers that begin by themselves."""
    http: "HttpConfig"
    """Requests and responses over TCP."""
    matrix: "Matrix"
    """Constant rates between nodes, from a file; instead of `from`, `to`, `tcp` and a model."""
    on_off: "OnOffConfig"
    """Senders that are on and off by turns."""
    ping: "PingConfig"
    """Echo requests at a constant interval."""
    poisson: "PoissonConfig"
    """Independent frames: gaps are exponential."""
    ppbp: "PpbpConfig"
    """Poisson Pareto burst process (Zukerman, Neame & Addie 2003)."""
    rates: "RatesConfig"
    """A rate that changes at given times."""
    replay: "ReplayConfig"
    """Frames of a capture, with their bytes."""
    size: "Sizes"
    """Lengths of frames over UDP, Ethernet header included: `1514B` (default; for `ping`
    `98B`), `imix`, a list with weights, or `{file: FILE}`."""
    start: "Start"
    """Time at which sending begins (default `0s`: as soon as the network is ready)."""
    tcp: "Tcp"
    """Sends over the TCP of the node."""
    trace: "TrafficTrace"
    """Arrivals as they were recorded."""
    udp: "Udp"
    """Sends over UDP, at the times of the model, regardless of losses."""
    vbr: "VbrConfig"
    """Pictures of a video."""

class TrafficLimit(TypedDict, total=False):
    """How much may be sent in a sliding window (θ_n and δ). Contention holds from the rate on."""
    rate: "Rate"
    """The rate; without one, the signal is not tested."""
    window: "Duration"
    """The length of the window."""

class TrafficTrace(TypedDict, total=False):
    """Arrivals as they were recorded, counted from the file's time 0."""
    file: "Required[DataOfArrivals]"
    """A file with `SECONDS BYTES` in each line, a capture (pcap or pcapng), or a list of texts
    like those lines."""
    load: "Load"
    """Instead of `stretch`: the mean rate, for which times are stretched."""
    repeat: "Duration"
    """After so long, in the file's time, it begins again (default: it ends)."""
    stretch: "float"
    """Factor for all times, from 0.001 to 1000 (default 1): 10 is ten times slower."""

class TrtcmConfig(TypedDict, total=False):
    """Parameters of the two-rate three-colour marker (RFC 2698)."""
    aware: "bool"
    """Whether packets keep the colour of their DSCP or get a worse one, as for `srtcm` (default
    `false`)."""
    cbs: "Required[Size]"
    """Committed burst size."""
    cir: "Required[Rate]"
    """Committed information rate: within it, packets are green."""
    pbs: "Required[Size]"
    """Peak burst size."""
    pir: "Required[Rate]"
    """Peak information rate, at least `cir`: beyond it, packets are red."""

class Trunk(TypedDict, total=False):
    """A port that carries several VLANs."""
    allowed: "Required[Vlans]"
    """VLANs that pass with a tag: `all`, or a list like `[10, 20-29]`."""
    native: "int"
    """VLAN of frames without a tag; its frames leave without a tag. If it is absent, frames
    without a tag are dropped."""

class Udp(TypedDict, total=False):
    """Options of traffic over UDP."""
    dscp: "Dscps"
    """DSCP of the packets: a number from 0 to 63, or a name like `ef`."""
    port: "int"
    """Port of the receiver (default: 47000 plus the number of the entry, counted from 0; from
    the 18,537th entry on, the first port from 47000 that is free at all its receivers)."""

UniformOfDuration = TypedDict("UniformOfDuration", {
    "from": "Required[Duration]",
    "to": "Required[Duration]",
}, total=False)
"""Uniform between two bounds."""

UniformOfSize = TypedDict("UniformOfSize", {
    "from": "Required[Size]",
    "to": "Required[Size]",
}, total=False)
"""Uniform between two bounds."""

class VaryingDelay(TypedDict, total=False):
    """The notation of delays that need a table."""
    repeat: "Duration"
    """Time after which the schedule starts again (default: its last delay stays)."""
    schedule: "Required[list[DelayPoint]]"
    """Delays at points in time, counted from when the schedule is set. Each point has `at` and
    `delay`; the first one is at `0s`. Between points the delay is interpolated linearly."""

class VaryingRate(TypedDict, total=False):
    """The notation of rates that need a table."""
    repeat: "Duration"
    """Time after which the schedule starts again (default: its last rate stays)."""
    schedule: "list[ScheduleStep]"
    """Rates and the times from which they hold, counted from when the schedule is set. Each
    step has `at` and `rate`; the first one is at `0s`."""
    trace: "DataOfRateTrace"
    """A file in Mahimahi's format, or its values: the millisecond of each opportunity to send
    one 1500-byte packet. The trace repeats after its last millisecond."""

class VbrConfig(TypedDict, total=False):
    """Pictures of a video, over and over. Each is sent at once, in frames of at most the
    entry's `size`."""
    file: "Required[DataOfPictures]"
    """A file with the bytes of a picture in each line, or a list of sizes."""
    frame_rate: "Required[float]"
    """Pictures a second, from 0.001 to 100000."""

class WalkerConfig(TypedDict, total=False):
    """A Walker constellation: `i: T/P/F`."""
    altitude: "Required[Length]"
    """How high they are above the ground."""
    inclination: "Required[Angle]"
    """The planes' inclination i."""
    phasing: "int"
    """How much further satellites of the next plane are, in parts of 360°/T: F, below P."""
    planes: "Required[int]"
    """How many planes there are: P."""
    satellites: "Required[int]"
    """How many satellites there are, all together: T, a multiple of P."""
    star: "bool"
    """Planes cross the equator within 180° instead of 360°, so that the first and the last one
    move against each other: the seam (default: no)."""

class Waypoint(TypedDict, total=False):
    """One entry: a place, with how or when it is reached; or a pause."""
    at: "Duration"
    """Instead of `speed`: when to be there, resting until then."""
    by: "Duration"
    """Instead of `speed`: when to arrive, going all the time."""
    pause: "Duration"
    """Instead of all of these: how long to rest."""
    speed: "Speed"
    """How fast."""
    to: "Coordinates"
    """Where to go."""

class WaypointsTable(TypedDict, total=False):
    """Waypoints as a table."""
    loop: "bool"
    """Whether it begins again at the end."""
    path: "Required[list[Waypoint]]"
    """The entries, in order."""

class WeibullOfDuration(TypedDict, total=False):
    """Weibull: P(X > x) = exp(−(x/λ)^k), written by its mean λΓ(1 + 1/k)."""
    mean: "Required[Duration]"
    """The mean."""
    shape: "Required[float]"
    """The shape k: below 1 the tail is longer than that of an exponential."""

class WeibullOfSize(TypedDict, total=False):
    """Weibull: P(X > x) = exp(−(x/λ)^k), written by its mean λΓ(1 + 1/k)."""
    mean: "Required[Size]"
    """The mean."""
    shape: "Required[float]"
    """The shape k: below 1 the tail is longer than that of an exponential."""

class WeightedSize(TypedDict, total=False):
    """A length and how often it comes beside others."""
    bytes: "Required[Size]"
    """The frame's length."""
    weight: "float"
    """How often it comes, relative to the others (default 1)."""

class Wf2qConfig(TypedDict, total=False):
    """Parameters of `wf2q+`."""
    classes: "list[ClassConfig]"
    """The classes, each with a `match` and a `weight`. A class is guaranteed the share of the
    rate that corresponds to its weight."""
    flows: "int"
    """Number of queues of equal weight into which flows are hashed by their 5-tuple, instead of
    classes (default 64, at most 65536)."""

class Workers(TypedDict, total=False):
    """CPUs of the machine that the engine's workers, the threads that carry frames, use."""
    dedicated_cpus: "int"
    """Number of CPUs that each run one worker and nothing else of the experiment (default 0:
    workers share all CPUs with the nodes). More of them make frames late less often, but leave
    fewer CPUs to the programs in nodes."""

Action: TypeAlias = "str | float | Mark"
"""What becomes of a packet: `pass`, `drop`, or `{dscp: …}`."""

Angle: TypeAlias = "str | float"
"""An angle in degrees."""

Antenna: TypeAlias = "Literal['omni'] | AntennaSector | AntennaPatternChoice"
"""An antenna, by its gain in each horizontal direction. Directions are those of a compass: from
the north (y), clockwise."""

AntennaPattern: TypeAlias = "list[str]"
"""Gains by direction, in order of it, from 0 to below 360 degrees: (degrees, dBi)."""

Area: TypeAlias = "list[Length] | Corners"
"""A rectangle: `[width, height]` from the origin to the east and north, or two corners."""

Arrivals: TypeAlias = "list[str]"
"""Arrivals in order of time: at least one."""

ArrivalsConfig: TypeAlias = "ArrivalsConfigPoisson | ArrivalsConfigGaps"
"""When transfers begin."""

Attenuation: TypeAlias = "str | float"
"""A loss for each metre, in dB/m."""

AutomaticRate: TypeAlias = "AutomaticRateArf | AutomaticRateAarf"

Background: TypeAlias = "Literal['none'] | list[BackgroundEntry]"
"""Background traffic: `none`, or a list of entries that add up."""

Backoff: TypeAlias = "Literal['binary'] | Literal['fixed'] | Literal['linear'] | Literal['mild'] | Literal['eied'] | BackoffStages"
"""How the contention window follows failures and successes. Windows are the largest backoff in
slots: a window of 31 gives 0 to 31."""

Bind: TypeAlias = "str | BindOptions"
"""A path in the node, where it is read-only; or one with options."""

BitErrorRate: TypeAlias = "float | str"
"""A bit error rate, 0 to 1."""

BitErrors: TypeAlias = "Literal['drop'] | Literal['flip']"
"""The effect of bit errors on a frame."""

CableShape: TypeAlias = "Literal['bus'] | Literal['hub']"
"""How cables join stations."""

CalibrationMethod: TypeAlias = "Literal['md1'] | Literal['cross_traffic']"
"""Method that converts the reports of a simulation to settings of pipes."""

CaptureWhen: TypeAlias = "Literal['preamble'] | Literal['any'] | Literal['none']"
"""When a stronger signal may take over."""

Choice: TypeAlias = "Literal['nearest'] | Literal['longest'] | Literal['path']"
"""Which of the satellites in sight a place has links to."""

Collisions: TypeAlias = "Literal['receiver'] | Literal['sender']"
"""Where frames collide."""

Compensation: TypeAlias = "str | float"
"""`none`, `calibrated`, or a time with its unit, like `25us`."""

Condition: TypeAlias = "Literal['none'] | list[Conditioner]"
"""Traffic conditioning: `none`, or a list of conditioners, of which the first that matches has
the packet."""

Coordinate: TypeAlias = "str | float"
"""A length with a sign and its unit, like `-12.5m`."""

Coordinates: TypeAlias = "list[Coordinate] | Geographic"
"""A place: `[x, y]` or `[x, y, z]` in the plane (east, north, up), or `{lat, lon, alt}` on the
Earth."""

Count: TypeAlias = "int"
"""A whole number from 1 on."""

CpuQuota: TypeAlias = "float"
"""CPU time, in CPUs, in steps of 0.00001."""

Cut: TypeAlias = "Literal['auto'] | Literal['never'] | Literal['any']"
"""Whether the ends of a link may be on different machines."""

DataOfAntennaPattern: TypeAlias = "str | AntennaPattern | FileContentOfAntennaPattern"
"""The name of a file, or the values themselves."""

DataOfArrivals: TypeAlias = "str | Arrivals | FileContentOfArrivals"
"""The name of a file, or the values themselves."""

DataOfDistributionTable: TypeAlias = "str | DistributionTable | FileContentOfDistributionTable"
"""The name of a file, or the values themselves."""

DataOfElements: TypeAlias = "str | Elements | FileContentOfElements"
"""The name of a file, or the values themselves."""

DataOfFlowList: TypeAlias = "str | FlowList | FileContentOfFlowList"
"""The name of a file, or the values themselves."""

DataOfLossPattern: TypeAlias = "str | LossPattern | FileContentOfLossPattern"
"""The name of a file, or the values themselves."""

DataOfOffsets: TypeAlias = "str | Offsets | FileContentOfOffsets"
"""The name of a file, or the values themselves."""

DataOfOverheadProfile: TypeAlias = "str | OverheadProfile | FileContentOfOverheadProfile"
"""The name of a file, or the values themselves."""

DataOfPairLosses: TypeAlias = "str | PairLosses | FileContentOfPairLosses"
"""The name of a file, or the values themselves."""

DataOfPictures: TypeAlias = "str | Pictures | FileContentOfPictures"
"""The name of a file, or the values themselves."""

DataOfPolygons: TypeAlias = "str | Polygons | FileContentOfPolygons"
"""The name of a file, or the values themselves."""

DataOfRateList: TypeAlias = "str | RateList | FileContentOfRateList"
"""The name of a file, or the values themselves."""

DataOfRateTrace: TypeAlias = "str | RateTrace | FileContentOfRateTrace"
"""The name of a file, or the values themselves."""

DataOfSamples: TypeAlias = "str | Samples | FileContentOfSamples"
"""The name of a file, or the values themselves."""

DataOfSizeList: TypeAlias = "str | SizeList | FileContentOfSizeList"
"""The name of a file, or the values themselves."""

DataOfTraces: TypeAlias = "str | Traces | FileContentOfTraces"
"""The name of a file, or the values themselves."""

Delay: TypeAlias = "str | float | VaryingDelay"
"""A time with its unit, or a delay that changes with time."""

Dilation: TypeAlias = "float"
"""The machine's time divided by the experiment's, to six decimals."""

Direction: TypeAlias = "Literal['both'] | Literal['forward'] | Literal['reverse']"
"""One direction of a link, or both."""

Discipline: TypeAlias = "str | float | DisciplineParameters"
"""A queue discipline: its name, or its name with its parameters."""

DisciplineParameters: TypeAlias = "DisciplineParametersFifo | DisciplineParametersStep | DisciplineParametersRed | DisciplineParametersCodel | DisciplineParametersFqCodel | DisciplineParametersPie | DisciplineParametersDualpi2 | DisciplineParametersDrr | DisciplineParametersWf2q | DisciplineParametersPrio"
"""The disciplines with their parameters."""

Disk: TypeAlias = "Literal['keep'] | Literal['lose']"
"""What becomes of a node's files when it fails."""

DistributionOfDuration: TypeAlias = "DistributionOfDurationConstant | DistributionOfDurationExponential | DistributionOfDurationUniform | DistributionOfDurationPareto | DistributionOfDurationLognormal | DistributionOfDurationWeibull | DistributionOfDurationEmpirical"
"""Distributions by name."""

DistributionOfSize: TypeAlias = "DistributionOfSizeConstant | DistributionOfSizeExponential | DistributionOfSizeUniform | DistributionOfSizePareto | DistributionOfSizeLognormal | DistributionOfSizeWeibull | DistributionOfSizeEmpirical"
"""Distributions by name."""

DistributionTable: TypeAlias = "list[int]"
"""A distribution table of tc: the inverse of a distribution function, sampled at even steps, in
units of 1/8192 of the deviation."""

DrawnAt: TypeAlias = "list[float] | Geographic"
"""Position of a node on paper: `[X, Y]`, to the right and downwards, or `{lat, lon}` in
degrees."""

DropFrom: TypeAlias = "Literal['tail'] | Literal['head']"
"""The end of a full queue from which frames are dropped."""

Dscp: TypeAlias = "int | str"
"""A DSCP: a number from 0 to 63, or a name."""

Dscps: TypeAlias = "int | str | list[int | str]"
"""A DSCP, by number or by name, or a list of them."""

Duration: TypeAlias = "str | float"
"""A length of time with its unit: ns, us, ms, s, min or h."""

DurationDistribution: TypeAlias = "str | float | DistributionOfDuration"
"""A duration, or a distribution of durations."""

Ecns: TypeAlias = "Literal['not_ect', 'ect1', 'ect0', 'ce'] | list[Literal['not_ect', 'ect1', 'ect0', 'ce']]"
"""A value of the ECN field, or a list of them."""

Elements: TypeAlias = "list[str]"
"""Two-line elements of satellites, each with its name: the lines of a file."""

Exit: TypeAlias = "int | Literal['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGILL', 'SIGABRT', 'SIGFPE', 'SIGKILL', 'SIGSEGV', 'SIGPIPE', 'SIGALRM', 'SIGTERM', 'running']"
"""An exit code, a signal, or `running`."""

Fading: TypeAlias = "Literal['none'] | Literal['rayleigh'] | FadingRician | FadingNakagami"
"""How the power of a frame varies around its mean. Its mean factor is 1."""

Family: TypeAlias = "Literal['auto'] | Literal['none']"
"""Whether interfaces get addresses of one family."""

FlowList: TypeAlias = "list[str]"
"""Transfers in order of their beginnings: at least one."""

FlowsKey: TypeAlias = "int | FlowsConfig"
"""The two meanings of the key `flows`."""

Frames: TypeAlias = "bool | list[str]"
"""`true` for all links and shared media, or a list of them."""

Framing: TypeAlias = "str | float"
"""`ethernet`, `none`, or a number of bytes per frame."""

Frequency: TypeAlias = "str | float"
"""A frequency with its unit: Hz, kHz, MHz or GHz."""

Gain: TypeAlias = "str | float"
"""A gain in dB, or dBi of an antenna."""

InFlight: TypeAlias = "Literal['drop'] | Literal['deliver']"
"""Treatment of frames in flight when a pipe goes down."""

InterSatelliteLinks: TypeAlias = "Literal['grid'] | Literal['none']"
"""Pattern of the links between satellites."""

InterfaceCapture: TypeAlias = "str | CaptureOptions"
"""An interface like `a:eth1`, or an interface with options."""

Interpolation: TypeAlias = "Literal['step'] | Literal['linear']"
"""The loss between two times."""

IpFamily: TypeAlias = "Literal['ipv4'] | Literal['ipv6']"
"""A version of the Internet Protocol."""

IpPrefix: TypeAlias = "str"
"""An IPv4 or IPv6 prefix."""

Jitter: TypeAlias = "str | float | JitterModel"
"""`none`, a duration (uniform, plus or minus), or a distribution."""

Kernel: TypeAlias = "Literal['shared'] | Literal['own']"
"""Kernel that a node's network stack and processes run on."""

KnownNeighbours: TypeAlias = "Literal['auto'] | Literal['known'] | Literal['resolved']"
"""Whether nodes know the Ethernet addresses of their neighbours from the start."""

Length: TypeAlias = "str | float"
"""A length with its unit: um, mm, cm, m or km."""

LinkState: TypeAlias = "Literal['up'] | Literal['down']"
"""Whether a pipe carries frames."""

LintLevel: TypeAlias = "Literal['error'] | Literal['warn']"
"""Severity of a finding about a network that could come up all the same."""

Load: TypeAlias = "str | float"
"""A mean rate: a share of the line's rate like `40%`, or a rate with its unit."""

Lock: TypeAlias = "Literal['decodable'] | Literal['any']"
"""Signals that a free radio begins to receive."""

Loss: TypeAlias = "str | float | LossModel"
"""A probability, or a loss model."""

LossMethod: TypeAlias = "Literal['positions'] | Literal['bernoulli'] | Literal['systematic']"
"""Selection of the frames that a calibrated pipe loses."""

LossModel: TypeAlias = "LossModelBernoulli | LossModelGilbertElliott | LossModelFourState | LossModelPattern | LossModelEvery | LossModelTrace"
"""The notation of losses that need a table."""

LossPattern: TypeAlias = "str"
"""One digit a frame: `0` passes, `1` is lost."""

Mac: TypeAlias = "str | float | MacParameters"
"""A medium access control: its name, or its name with its parameters."""

MacAddress: TypeAlias = "str"
"""An Ethernet address."""

MacParameters: TypeAlias = "MacParametersDcf | MacParametersCsmaCd | MacParametersAloha | MacParametersTdma | MacParametersEmac | MacParametersNone"
"""The MACs with their parameters."""

MatrixForm: TypeAlias = "Literal['packets'] | Literal['fluid']"
"""Form of the demands of a matrix."""

MediumAddressing: TypeAlias = "Literal['subnet'] | Literal['hosts']"
"""Addresses of the interfaces on a medium."""

Milestone: TypeAlias = "Literal['started'] | Literal['ready'] | Literal['done']"
"""A point in a process' life."""

Mobility: TypeAlias = "MobilityWaypoints | MobilityRandomWalk | MobilityRandomDirection | MobilityRandomWaypoint | MobilityManhattan | MobilityGaussMarkov | MobilityGroup | MobilityTrace"
"""A mobility model and its parameters, written as `{random_waypoint: {…}}`."""

ModelStart: TypeAlias = "Literal['stationary'] | Literal['empty']"
"""How a model begins."""

MovementStart: TypeAlias = "Literal['stationary'] | Literal['uniform']"
"""How a movement begins."""

MtuLimit: TypeAlias = "str | float"
"""`none`, or a number of bytes."""

Never: TypeAlias = "Literal['none']"
"""The word `none`."""

NodeKind: TypeAlias = "Literal['host'] | Literal['router'] | Literal['switch']"
"""Kind of a node."""

NodeOrGroup: TypeAlias = "str | NamedGroup"
"""Senders or receivers of traffic."""

NodeState: TypeAlias = "Literal['up'] | Literal['down'] | Literal['failed']"
"""The state of a node."""

Number: TypeAlias = "int | Literal['auto']"
"""A whole number from 1 on, or `auto`."""

Objective: TypeAlias = "Literal['fewest'] | Literal['spread']"
"""Number of machines that a placement uses."""

Offset: TypeAlias = "str | float"
"""A signed length of time with its unit, like `-1.5ms`."""

Offsets: TypeAlias = "list[Offset]"
"""A list of signed lengths of time. In a file, each is on its own line."""

OnContention: TypeAlias = "Literal['report'] | Literal['abort']"
"""Reactions to the beginning of contention."""

OptionValue: TypeAlias = "str | int | bool | list[str | float | bool]"
"""A text, a number, `true`, `false`, or a list of texts."""

OverheadProfile: TypeAlias = "list[OverheadPoint]"
"""The distribution function of the extra time. It is linear between its points. Below the first
point, the time is that of the first point. Where the function jumps, the longer time holds. If
the last point is below 100 %, the remaining frames are also lost to the medium, after the
longest time."""

PairLosses: TypeAlias = "list[LossStep]"
"""Losses of pairs over time. Each direction of a pair has its own."""

Period: TypeAlias = "Duration | Literal['auto']"
"""A time with its unit, or `auto`."""

Phy: TypeAlias = "str | float"
"""A physical layer of IEEE 802.11: `802.11b`, `802.11a`, `802.11g`, `802.11bg` (g among
stations of b), `dsss` (1997) or `fhss` (1997, with the times of Bianchi 2000)."""

Pictures: TypeAlias = "list[Size]"
"""Sizes of pictures: at least one."""

PortVlans: TypeAlias = "PortVlansAccess | PortVlansTrunk"
"""The treatment of VLAN tags at a port of a switch."""

Ports: TypeAlias = "int | str | list[int | str]"
"""A port, a range of ports, or a list of them."""

Power: TypeAlias = "str | float"
"""A power in dBm, dB above a milliwatt."""

Preamble: TypeAlias = "Literal['long'] | Literal['short']"
"""Which preamble serial frames above 1 Mbit/s have."""

Prefix: TypeAlias = "str"
"""An IP prefix, or a single address."""

Probability: TypeAlias = "str | float"
"""A probability in percent."""

Propagation: TypeAlias = "PropagationRange | Literal['free_space'] | Literal['two_ray_ground'] | PropagationLogDistance | PropagationMatrix | PropagationGrid"
"""How signals get weaker over a distance."""

Purpose: TypeAlias = "Literal['functional'] | Literal['throughput'] | Literal['delay']"
"""What a run is for, which decides how exact it has to be."""

QueueLimit: TypeAlias = "str | float"
"""Packets, bytes or time at the current rate, like `100packets`, `64KiB` or `50ms`."""

RadioState: TypeAlias = "Literal['on'] | Literal['off']"
"""State of a radio."""

Rate: TypeAlias = "str | float"
"""A bit rate with its unit: bit/s, kbit/s, Mbit/s, Gbit/s or Tbit/s."""

RateControl: TypeAlias = "str | float | AutomaticRate"
"""A rate, or how a station chooses it: `arf`, `aarf` or `ideal`."""

RateLimit: TypeAlias = "str | float | VaryingRate"
"""A bit rate with its unit, `unlimited`, or a rate that varies."""

RateList: TypeAlias = "list[str]"
"""Rates, some of which may be none at all."""

RateTrace: TypeAlias = "list[int]"
"""Opportunities to send. At each of these milliseconds, 1500 bytes may leave. After the last
one the trace starts again."""

RateUnit: TypeAlias = "Literal['bit/s'] | Literal['kbit/s'] | Literal['Mbit/s'] | Literal['Gbit/s']"
"""The unit of a matrix."""

Ready: TypeAlias = "ReadyPort | ReadyPath | ReadyOutput | ReadyCommand"
"""Condition under which a process is ready: exactly one of these."""

ReceptionRule: TypeAlias = "Literal['sinr'] | Literal['threshold'] | Literal['collision']"
"""When a signal is received."""

RedByDscp: TypeAlias = "dict[str, RedThresholds]"
"""Thresholds of RED by DSCP: for each a number or a name, and `min`, `max` and `max_p`."""

Reorder: TypeAlias = "str | float | Reordering"
"""`none`, or which frames are sent out of turn."""

Representation: TypeAlias = "Literal['frames'] | Literal['fluid']"
"""The form in which background traffic exists in a pipe."""

Reroute: TypeAlias = "Duration | Literal['never']"
"""A time with its unit, or `never`."""

Routing: TypeAlias = "Literal['delay'] | Literal['hops'] | Literal['cost'] | Literal['none'] | Literal['daemon']"
"""Source of a node's routes."""

RtsThreshold: TypeAlias = "str | float"
"""`none`, or the length in bytes above which a frame is asked for with RTS and CTS."""

Samples: TypeAlias = "list[Duration]"
"""Samples with their units, one a line in a file."""

Services: TypeAlias = "list[str] | dict[str, bool | ServicesObjectEntryTemplate]"
"""Names of services, or services with options."""

ShadowDistance: TypeAlias = "Length | Never"
"""Over which distance shadows change."""

Size: TypeAlias = "str | float"
"""An amount of data with its unit: B, kB, KiB, MB, MiB, GB or GiB."""

SizeDistribution: TypeAlias = "str | float | DistributionOfSize"
"""A size, or a distribution of sizes."""

SizeList: TypeAlias = "list[WeightedSize]"
"""Lengths with weights."""

Sizes: TypeAlias = "str | float | SizeList | SizesTable"
"""A length like `1514B`, `imix`, a list of lengths, or a file of them."""

SlotNames: TypeAlias = "SlotNamesNames"

SlotOrder: TypeAlias = "str | float | SlotNames"
"""Whose slots follow each other: `round_robin`, or names of stations."""

Speed: TypeAlias = "str | float"
"""A speed with its unit: um/s, mm/s, m/s or km/s."""

Speeds: TypeAlias = "Speed | list[Speed]"
"""A speed, or the slowest and the fastest, between which all are equally likely."""

Start: TypeAlias = "Duration | After"
"""A time, like `5s`, or a milestone of a process."""

Stretch: TypeAlias = "str | float"
"""A length of time or of the way, with its unit."""

TraceFormat: TypeAlias = "Literal['ns2'] | Literal['fcd'] | Literal['gpx'] | Literal['bonnmotion'] | Literal['csv']"
"""A format of recorded movements."""

Traces: TypeAlias = "list[str]"
"""Recorded movements of nodes. Written, where there is no file, as a list of lines of CSV."""

TwinMethod: TypeAlias = "Literal['packets'] | Literal['connections']"
"""Representation of the TCP connections of real programs in the simulation."""

UpperLayer: TypeAlias = "int | str"
"""An upper-layer protocol: `tcp`, `udp`, `icmp`, `icmpv6` or a number."""

Vlans: TypeAlias = "int | str | list[int | str]"
"""`all`, a VLAN, a range like `20-29`, or a list of them."""

WaypointsConfig: TypeAlias = "list[Waypoint] | WaypointsTable"
"""Places one after the other. The first entry is where it begins, unless the node has a
position."""

WhenFull: TypeAlias = "Literal['drop'] | Literal['wait']"
"""The treatment of frames that come when a queue is full."""

Window: TypeAlias = "list[Any]"
"""Least and largest contention window in slots."""
