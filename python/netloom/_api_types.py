"""Types of the engine's API. `make generate` makes this file; only type checkers read it."""

# ruff: noqa: E501, UP, RUF
from typing import Any, Literal, TypeAlias, TypedDict

from typing_extensions import Required

from ._types import (
    AntennaPatternChoice as AntennaPatternChoice,
    AntennaSector as AntennaSector,
    ArfConfig as ArfConfig,
    ArrivalsConfigPoisson as ArrivalsConfigPoisson,
    AutomaticRateAarf as AutomaticRateAarf,
    AutomaticRateArf as AutomaticRateArf,
    BackoffStages as BackoffStages,
    Busy as Busy,
    CableConfig as CableConfig,
    Corners as Corners,
    CsmaCdConfig as CsmaCdConfig,
    DelayPoint as DelayPoint,
    DisciplineParametersDualpi2 as DisciplineParametersDualpi2,
    DisciplineParametersFifo as DisciplineParametersFifo,
    DisciplineParametersPie as DisciplineParametersPie,
    DisciplineParametersRed as DisciplineParametersRed,
    DisciplineParametersStep as DisciplineParametersStep,
    DistributionOfDurationConstant as DistributionOfDurationConstant,
    DistributionOfDurationEmpirical as DistributionOfDurationEmpirical,
    DistributionOfDurationExponential as DistributionOfDurationExponential,
    DistributionOfDurationLognormal as DistributionOfDurationLognormal,
    DistributionOfDurationUniform as DistributionOfDurationUniform,
    DistributionOfDurationWeibull as DistributionOfDurationWeibull,
    DistributionOfSizeConstant as DistributionOfSizeConstant,
    DistributionOfSizeEmpirical as DistributionOfSizeEmpirical,
    DistributionOfSizeExponential as DistributionOfSizeExponential,
    DistributionOfSizeLognormal as DistributionOfSizeLognormal,
    DistributionOfSizeUniform as DistributionOfSizeUniform,
    DistributionOfSizeWeibull as DistributionOfSizeWeibull,
    DualPi2Config as DualPi2Config,
    FadingRician as FadingRician,
    FarNakagami as FarNakagami,
    FifoConfig as FifoConfig,
    FileContentOfAntennaPattern as FileContentOfAntennaPattern,
    FileContentOfArrivals as FileContentOfArrivals,
    FileContentOfDistributionTable as FileContentOfDistributionTable,
    FileContentOfFlowList as FileContentOfFlowList,
    FileContentOfOffsets as FileContentOfOffsets,
    FileContentOfOverheadProfile as FileContentOfOverheadProfile,
    FileContentOfPairLosses as FileContentOfPairLosses,
    FileContentOfPictures as FileContentOfPictures,
    FileContentOfPolygons as FileContentOfPolygons,
    FileContentOfRateList as FileContentOfRateList,
    FileContentOfRateTrace as FileContentOfRateTrace,
    FileContentOfSamples as FileContentOfSamples,
    FileContentOfSizeList as FileContentOfSizeList,
    FileContentOfTraces as FileContentOfTraces,
    GaussMarkovConfig as GaussMarkovConfig,
    Geographic as Geographic,
    GridConfig as GridConfig,
    LogDistanceConfig as LogDistanceConfig,
    LognormalOfDuration as LognormalOfDuration,
    LognormalOfSize as LognormalOfSize,
    LossStep as LossStep,
    MacParametersCsmaCd as MacParametersCsmaCd,
    ManhattanConfig as ManhattanConfig,
    Mark as Mark,
    MatrixConfig as MatrixConfig,
    MobilityGaussMarkov as MobilityGaussMarkov,
    MobilityManhattan as MobilityManhattan,
    MobilityRandomDirection as MobilityRandomDirection,
    MobilityRandomWalk as MobilityRandomWalk,
    MobilityRandomWaypoint as MobilityRandomWaypoint,
    Outline as Outline,
    OverheadPoint as OverheadPoint,
    Pages as Pages,
    PairConfig as PairConfig,
    PartLimit as PartLimit,
    PieConfig as PieConfig,
    Polygons as Polygons,
    PortVlansAccess as PortVlansAccess,
    PropagationGrid as PropagationGrid,
    PropagationLogDistance as PropagationLogDistance,
    PropagationMatrix as PropagationMatrix,
    Punctuality as Punctuality,
    RandomDirectionConfig as RandomDirectionConfig,
    RandomWalkConfig as RandomWalkConfig,
    RandomWaypointConfig as RandomWaypointConfig,
    ReadyOutput as ReadyOutput,
    ReadyPort as ReadyPort,
    RedConfig as RedConfig,
    RedThresholds as RedThresholds,
    Retry as Retry,
    ScheduleStep as ScheduleStep,
    SectorConfig as SectorConfig,
    SizesTable as SizesTable,
    SlotNamesNames as SlotNamesNames,
    SrtcmConfig as SrtcmConfig,
    StepConfig as StepConfig,
    TrtcmConfig as TrtcmConfig,
    UniformOfDuration as UniformOfDuration,
    UniformOfSize as UniformOfSize,
    VbrConfig as VbrConfig,
    WalkerConfig as WalkerConfig,
    WeibullOfDuration as WeibullOfDuration,
    WeibullOfSize as WeibullOfSize,
    WeightedSize as WeightedSize,
    Action as Action,
    Angle as Angle,
    Antenna as Antenna,
    AntennaPattern as AntennaPattern,
    Area as Area,
    Arrivals as Arrivals,
    Attenuation as Attenuation,
    AutomaticRate as AutomaticRate,
    Backoff as Backoff,
    BitErrorRate as BitErrorRate,
    BitErrors as BitErrors,
    CableShape as CableShape,
    CalibrationMethod as CalibrationMethod,
    CaptureWhen as CaptureWhen,
    Collisions as Collisions,
    Compensation as Compensation,
    Coordinate as Coordinate,
    Coordinates as Coordinates,
    CpuQuota as CpuQuota,
    Cut as Cut,
    DataOfAntennaPattern as DataOfAntennaPattern,
    DataOfArrivals as DataOfArrivals,
    DataOfDistributionTable as DataOfDistributionTable,
    DataOfFlowList as DataOfFlowList,
    DataOfOffsets as DataOfOffsets,
    DataOfOverheadProfile as DataOfOverheadProfile,
    DataOfPairLosses as DataOfPairLosses,
    DataOfPictures as DataOfPictures,
    DataOfPolygons as DataOfPolygons,
    DataOfRateList as DataOfRateList,
    DataOfRateTrace as DataOfRateTrace,
    DataOfSamples as DataOfSamples,
    DataOfSizeList as DataOfSizeList,
    DataOfTraces as DataOfTraces,
    Dilation as Dilation,
    Direction as Direction,
    Disk as Disk,
    DistributionTable as DistributionTable,
    DrawnAt as DrawnAt,
    DropFrom as DropFrom,
    Dscp as Dscp,
    Dscps as Dscps,
    Duration as Duration,
    Ecns as Ecns,
    Elements as Elements,
    FlowList as FlowList,
    Framing as Framing,
    Frequency as Frequency,
    Gain as Gain,
    InFlight as InFlight,
    Interpolation as Interpolation,
    IpFamily as IpFamily,
    IpPrefix as IpPrefix,
    Kernel as Kernel,
    KnownNeighbours as KnownNeighbours,
    Length as Length,
    LinkState as LinkState,
    Load as Load,
    Lock as Lock,
    LossMethod as LossMethod,
    MacAddress as MacAddress,
    MediumAddressing as MediumAddressing,
    Milestone as Milestone,
    ModelStart as ModelStart,
    MovementStart as MovementStart,
    MtuLimit as MtuLimit,
    Never as Never,
    NodeState as NodeState,
    Objective as Objective,
    Offset as Offset,
    Offsets as Offsets,
    OnContention as OnContention,
    OptionValue as OptionValue,
    OverheadProfile as OverheadProfile,
    PairLosses as PairLosses,
    Phy as Phy,
    Pictures as Pictures,
    Ports as Ports,
    Power as Power,
    Preamble as Preamble,
    Prefix as Prefix,
    Probability as Probability,
    Purpose as Purpose,
    QueueLimit as QueueLimit,
    Rate as Rate,
    RateControl as RateControl,
    RateList as RateList,
    RateTrace as RateTrace,
    ReceptionRule as ReceptionRule,
    RedByDscp as RedByDscp,
    Representation as Representation,
    Routing as Routing,
    RtsThreshold as RtsThreshold,
    Samples as Samples,
    ShadowDistance as ShadowDistance,
    Size as Size,
    SizeList as SizeList,
    Sizes as Sizes,
    SlotNames as SlotNames,
    SlotOrder as SlotOrder,
    Speed as Speed,
    Speeds as Speeds,
    Stretch as Stretch,
    TraceFormat as TraceFormat,
    Traces as Traces,
    TwinMethod as TwinMethod,
    UpperLayer as UpperLayer,
    Vlans as Vlans,
    WhenFull as WhenFull,
    Window as Window,
)

class AccessDelay(TypedDict, total=False):
    """How long frames took from their turn to their end."""
    p50_ns: "Required[int]"
    """Median in ns, within 1 %."""
    p99_ns: "Required[int]"
    """99th percentile in ns, within 1 %."""

class AddressesOfIpv4PrefixFixed(TypedDict, total=False):
    """These addresses, as `address/length`."""
    fixed: "Required[list[Ipv4Prefix]]"

class AddressesOfIpv6PrefixFixed(TypedDict, total=False):
    """These addresses, as `address/length`."""
    fixed: "Required[list[Ipv6Prefix]]"

class Alignment(TypedDict, total=False):
    """How the clock of one of several machines reads in **cluster time**, the clock of the
    first machine. Both count from the experiment's zero."""
    bound: "Required[Duration]"
    """The greatest error of a time that is converted so."""
    drift_ppb: "Required[int]"
    """How much faster cluster time passes than this clock shows, in 10⁻⁹."""
    offset_ns: "Required[int]"
    """Cluster time when the machine's clock shows zero, in ns."""

class AlohaConfig(TypedDict, total=False):
    """Parameters of `aloha`."""
    persistence: "Probability"
    """The probability with which a station that has something to send sends it in a slot
    (default `100%`). Without slots it has no effect."""
    rate: "Rate | None"
    """Rate of frames, one of the PHY's (default: its highest)."""
    slotted: "Duration | None"
    """Length of slots, at whose beginnings frames are sent (default: none, pure ALOHA)."""
    tries: "int"
    """How often a frame is sent until it is acknowledged; `1` (default) asks for no
    acknowledgement."""
    wait: "Duration"
    """Longest random wait before the second try, which doubles with each further one, up to ten
    times (default `10ms`)."""

class ApiError(TypedDict, total=False):
    """Failure of a request: the body of every response that is not 2xx."""
    error: "Required[str]"
    """Description of the failure and its reason, for people."""
    help: "str | None"
    """Suggestion what to do next, if there is one."""

class ApplyRequest(TypedDict, total=False):
    """A new scenario for the network."""
    dry_run: "bool"
    """Whether only the steps are wanted, without carrying them out."""
    file: "Required[str]"
    """Absolute path of the scenario's file."""
    scenario: "Required[Scenario]"
    """The resolved scenario."""
    text: "str | None"
    """The scenario's text as its user wrote it, for those who ask for the scenario in force."""

class ApplyResponse(TypedDict, total=False):
    """The steps from the current scenario to the new one."""
    at: "Time | None"
    """Time of the change, in nanoseconds since zero. Absent if nothing was done."""
    notes: "Required[list[str]]"
    """Changes of the scenario that have no effect on a deployed network."""
    steps: "Required[list[ApplyStep]]"
    """Steps that were, or would be, carried out. Empty if the network need not change."""

class ApplyStep(TypedDict, total=False):
    """A change of one part of the network."""
    change: "Required[StepChange]"
    """Kind of change."""
    detail: "Required[str]"
    """Details of the change, in words. May be empty."""
    name: "Required[str]"
    """Name of the part in the scenario. For routes, parameters, limits and services, the name
    of the node."""
    part: "Required[Part]"
    """Kind of part."""

class AqmState(TypedDict, total=False):
    """The state of a queue discipline that manages its queue actively, at the time of the
    statistics. What a discipline does not have is absent."""
    average: "float | None"
    """Average length of `red`'s queue at the latest arrival, in packets or bytes like its
    thresholds."""
    count: "int | None"
    """Number of drops and marks since `codel` entered its dropping state; 0 outside of it. Of
    `fq_codel`, the largest of all flows."""
    coupled: "float | None"
    """Probability, which may exceed 1, that `dualpi2` marks in its low-latency queue because of
    the classic one: p_CL."""
    probability: "float | None"
    """Probability that an arrival is dropped or marked: of `pie`, PIE's drop probability; of
    `red`, p_b at its average, without the thresholds by DSCP; of `dualpi2`, p_C, that of the
    classic queue."""

class ArrivalsConfigGaps(TypedDict, total=False):
    """With these times between two beginnings."""
    gaps: "Required[DurationDistribution]"

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

BackgroundEntry = TypedDict("BackgroundEntry", {
    "as": "Representation | None",
    "cbr": "CbrConfig | None",
    "dscp": "Dscps | None",
    "ecn": "bool",
    "flows": "FlowsKey | None",
    "on_off": "OnOffConfig | None",
    "poisson": "PoissonConfig | None",
    "ppbp": "PpbpConfig | None",
    "rates": "RatesConfig | None",
    "size": "Sizes | None",
    "trace": "TrafficTrace | None",
    "vbr": "VbrConfig | None",
}, total=False)
"""The notation of an entry: exactly one model, and options beside it."""

class BackgroundStatistics(TypedDict, total=False):
    """The statistics of one pipe's background. Since the beginning, `offered = delivered +
    dropped + queued + on_line` holds at any time, in frames and in bytes. A fluid counts as the
    whole frames and bytes that it stands for. It is never `on_line`: fluid that has left the
    queue is delivered."""
    delivered: "Required[Count]"
    """Frames that left the line."""
    dropped: "Required[Count]"
    """Frames that were dropped, for any reason."""
    marked: "Required[Count]"
    """Frames that the queue discipline marked instead of dropping (ECN)."""
    offered: "Required[Count]"
    """Frames that arrived."""
    on_line: "Required[Count]"
    """Frames on the line."""
    queued: "Required[Count]"
    """Part of the queue's length that is background."""

class Bind(TypedDict, total=False):
    """A file or directory of the machine that appears in a node."""
    machine: "Required[str]"
    """Path on the machine, absolute or relative to the scenario's directory."""
    write: "Required[bool]"
    """Whether the node may write to it."""

class Bound(TypedDict, total=False):
    """By how much a run may be wrong, from the end of its warm-up on."""
    engine: "Required[WaitBound]"
    """Time during which the engine did not run at all. Frames that came meanwhile were read
    late. Of several machines, that of the engine that stood still for the longest time."""
    losses: "Required[Losses]"
    """Losses outside the model."""
    machines: "list[MachineBound]"
    """Bounds of the machines, if there are several."""
    nodes: "Required[list[NodeBound]]"
    """Bounds of the nodes whose programs were observed to wait."""
    pipes: "Required[list[PipeBound]]"
    """Bounds of the pipes that frames left for an interface."""
    timeline: "Required[TimelineBound]"
    """Punctuality of the timeline."""

class BulkConfig(TypedDict, total=False):
    """Connections that send as fast as their congestion control lets them. TCP decides when, so
    that this is a description only."""
    bytes: "Size | None"
    """How much each connection sends (default: until the end)."""
    connections: "int"
    """How many connections there are (default 1)."""

class Capture(TypedDict, total=False):
    """When a stronger signal takes over from the one that is being received."""
    margin: "Loss"
    """How much stronger (default `10dB`). With `reception: threshold`, a signal also has to be
    stronger than interference by so much."""
    when: "CaptureWhen"
    """When (default `preamble`). With `reception: collision`, never."""

class CbrConfig(TypedDict, total=False):
    """Frames at a constant rate, with a random phase."""
    load: "Load | None"
    """The rate as a share of the line's."""
    rate: "Rate | None"
    """The rate of the frames' bytes."""

class ChangeRequest(TypedDict, total=False):
    """Changes of links, applied together at one instant or not at all."""
    changes: "Required[list[LinkChange]]"
    """The changes, in order."""

class ChangeResponse(TypedDict, total=False):
    """The time at which changes were applied."""
    at: "Required[Time]"
    """Time of the changes, in nanoseconds since zero."""

ChangedRoute = TypedDict("ChangedRoute", {
    "is": "Route | None",
    "was": "Route | None",
}, total=False)
"""A route before and after a change."""

class ClassConfig(TypedDict, total=False):
    """One class of frames."""
    discipline: "Discipline | None"
    """Queue discipline of the class's own frames: any but `drr`, `wf2q+` and `prio` (default:
    first in, first out)."""
    limit: "QueueLimit | None"
    """Limit on the waiting frames of this class, beside the limit of the whole queue (default:
    no limit of its own)."""
    match: "ClassMatch | None"
    """Packets of this class, unless they belong to an earlier class. One class may leave it
    out: it takes all packets that no other class matches, and all frames that are not IP, like
    ARP. If no class leaves it out, a class of weight 1 for them is added after those that are
    written."""
    most: "Rate | None"
    """Largest rate at which the class may send, like `4Mbit/s`, framing included (default: no
    cap). Beyond it the class waits even if the line is free."""
    weight: "int | None"
    """Share of the line relative to the other classes (default 1, at most 65536). `prio` has no
    weights: there the order of the classes decides."""

class ClassMatch(TypedDict, total=False):
    """Conditions on the packets of a class. A packet belongs to the class if all of them hold."""
    destination: "Prefix | None"
    """Prefix of the destination address."""
    destination_port: "Ports | None"
    """Destination port, likewise."""
    dscp: "Dscps | None"
    """DSCP of the packets: a number or a name, or a list."""
    ecn: "Ecns | None"
    """ECN field of the packets: `not_ect`, `ect0`, `ect1` or `ce`, or a list."""
    protocol: "UpperLayer | None"
    """Upper-layer protocol: `tcp`, `udp`, `icmp`, `icmpv6` or a number."""
    source: "Prefix | None"
    """Prefix of the source address."""
    source_port: "Ports | None"
    """Source port, a range like `6000-6999`, or a list. Only TCP and UDP have ports, and
    fragments have none."""

class ClockStatus(TypedDict, total=False):
    """What a machine knows of another one's clock."""
    bound: "Required[int]"
    """Largest error of it, in ns."""
    drift: "Required[int]"
    """How much faster their clock is, in parts of 10⁹."""
    offset: "Required[int]"
    """Their `CLOCK_MONOTONIC` minus ours, in ns."""
    round_trip: "Required[int]"
    """Shortest time there and back so far, in ns."""

class CodelConfig(TypedDict, total=False):
    """Parameters of `codel`. The defaults are those of RFC 8289, sections 4.2 and 4.3."""
    ce_threshold: "Duration | None"
    """Waiting time above which every ECN-capable packet is marked on its way out, beside what
    CoDel does and whatever `ecn` is (default none). A step mark for DCTCP and the like."""
    ecn: "bool"
    """Whether ECN-capable packets are marked instead of dropped (default `true`)."""
    interval: "Duration"
    """Time for which the waiting time may stay above the target before the first drop; about
    the longest round-trip time in use (default `100ms`)."""
    target: "Duration"
    """Waiting time that is acceptable indefinitely (default `5ms`)."""

class Compared(TypedDict, total=False):
    """Settings of a protocol that the neighbours on a link compare."""
    settings: "dict[str, str]"
    """The option that holds each setting: `hello: babel_hello`."""
    when: "str | None"
    """Option that turns the protocol on, by `true` or by any value. Absent: it is always on."""

class Conditioner(TypedDict, total=False):
    """The notation of a conditioner."""
    conform: "Action | None"
    """Action for packets that conform: `pass` (default), `drop` or `{dscp: ef}`."""
    exceed: "Action | None"
    """Action for packets that exceed the rate and the burst (default `pass`)."""
    green: "Action | None"
    """Action for green packets of `srtcm` and `trtcm` (default `pass`)."""
    match: "ClassMatch | None"
    """Packets that it handles, unless an earlier conditioner handles them. The last one may
    leave it out: it handles all other packets."""
    meter: "Meter | None"
    """Meter that measures the packets: `{rate: 5Mbit/s, burst: 20kB}`, or a three-colour
    marker, `srtcm` or `trtcm`. Without a meter all packets conform."""
    red: "Action | None"
    """Action for red packets (default `pass`)."""
    yellow: "Action | None"
    """Action for yellow packets (default `pass`)."""

class Constellation(TypedDict, total=False):
    """Satellites that are nodes of the scenario, and places on the ground that have links to
    them."""
    ground: "dict[str, Geographic]"
    """Positions of the constellation's nodes on the ground, by node."""
    meridian: "Angle"
    """Angle of the Earth's prime meridian at the beginning, eastwards from the ascending node
    of the first plane of a Walker constellation."""
    name: "Required[str]"
    """Name, which is the prefix of the satellites' names."""
    orbits: "Required[Orbits]"
    """Orbits of the satellites."""

class Count(TypedDict, total=False):
    """Wire frames and their bytes (with Ethernet header, without FCS and framing)."""
    bytes: "Required[int]"
    """Their bytes."""
    frames: "Required[int]"
    """Number of wire frames."""

class Coverage(TypedDict, total=False):
    """How a signal was observed."""
    blind_spots: "Required[list[str]]"
    """Parts of the signal that could not be observed, and why: a sentence each."""
    machine: "str | None"
    """The machine on which it was to be observed, in an experiment on several machines."""
    observed: "Required[bool]"
    """Whether it was observed for the whole run. A probe that observes only a part of the
    signal is not enough."""
    probes: "Required[list[str]]"
    """The probes that watched it for the whole run."""
    signal: "Required[SignalKind]"
    """The signal."""
    threshold: "str | None"
    """Origin of the threshold, or the reason why nothing is tested. `None` if the threshold is
    the scenario's, or equal on every machine."""

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

class CrossingStatus(TypedDict, total=False):
    """A pipe between two machines, as one of them sees it."""
    direction: "Required[str]"
    """`forward` or `reverse`."""
    leads_there: "Required[bool]"
    """Whether it leads to the other machine; otherwise it comes from there."""
    least: "Required[Duration]"
    """Shortest time that frames ever propagate on it."""
    link: "Required[str]"
    """The link."""
    lost: "Required[int]"
    """Wire frames that were lost on the way; of a pipe that leads there, those that the socket
    had no room for, which the other machine counts among its lost ones."""
    refused: "Required[int]"
    """Wire frames that came and could not be put into the network."""
    sent: "Required[int]"
    """Wire frames that were sent, as far as this machine knows."""
    slack: "int | None"
    """What remains of that beyond half a round trip and the error of the clock, in ns. Frames
    are late if it is negative. Absent until the clock is known."""

class DcfConfig(TypedDict, total=False):
    """Parameters of `dcf`."""
    backoff: "Backoff"
    """How the contention window follows failures and successes (default `binary`)."""
    basic: "Rate | None"
    """The only basic rate: that of answers, and of broadcasts unless `multicast_rate` says
    otherwise (default: the PHY's basic rates)."""
    cw: "Window | None"
    """Least and largest contention window in slots, like `[31, 1023]` (default: the PHY's)."""
    multicast_rate: "Rate | None"
    """Rate of broadcasts and multicasts (default: the lowest basic rate)."""
    preamble: "Preamble"
    """Preamble of frames above 1 Mbit/s: `long` (default) or `short`."""
    rate: "RateControl | None"
    """Rate of data frames for one station, one of the PHY's (default: its highest), or how a
    station chooses it: `arf`, `aarf`, `ideal`, or a table like `{arf: {up: 10, down: 2}}`."""
    retry: "Retry"
    """How often a frame is sent."""
    rts_threshold: "RtsThreshold"
    """Frames longer than this on the air, header and FCS included, are asked for with RTS and
    CTS: `none` (default) or a size; `0B` is all."""

class DelayStatistics(TypedDict, total=False):
    """Time in the pipe, from arrival to scheduled release."""
    max_ns: "Required[int]"
    """Longest delay, in ns; exact."""
    mean_ns: "Required[float]"
    """Mean delay, in ns."""
    min_ns: "Required[int]"
    """Shortest delay, in ns; exact."""
    p50_ns: "Required[int]"
    """Median delay, in ns, within 1 %."""
    p999_ns: "Required[int]"
    """99.9th percentile, in ns, within 1 %."""
    p99_ns: "Required[int]"
    """99th percentile, in ns, within 1 %."""

class Delays(TypedDict, total=False):
    """How late is too late. Frames: contention holds if more than 1 % of those in a window are
    later than the tolerance, so that the 99th percentile is above it. A window with fewer than
    100 frames counts as filled up with punctual ones. A single frame that is later than ten
    times the tolerance is contention, too. Waits for a CPU: contention holds if, for more than
    1 % of a window, a task had waited for longer than the tolerance."""
    tolerance: "Duration | None"
    """The largest delay that is not late. By default `trust.delay`: 1 % of the smallest link
    delay, but at least 1 ms and at most 2 ms."""
    window: "Duration"
    """The length of the sliding window."""

class DirectPipe(TypedDict, total=False):
    """One direction of a direct link. It has no properties, and only those statistics that the
    kernel counts at its ends."""
    statistics: "DirectStatistics | None"
    """Statistics since the network was up. Absent if the request asked for the last seconds,
    which the kernel does not know, or if one of the interfaces no longer exists."""

class DirectStatistics(TypedDict, total=False):
    """The kernel's statistics of one direction of a direct link. The kernel counts a
    super-frame, which represents many frames on a wire, as one frame."""
    at: "Required[Time]"
    """Time of reading, in ns since zero."""
    delivered: "Required[Count]"
    """Traffic that the receiving interface has received."""
    dropped_frames: "Required[int]"
    """Number of frames that either interface dropped. The kernel does not count their bytes."""
    offered: "Required[Count]"
    """Traffic that the sending interface has sent."""
    since: "Time"
    """Beginning of the count, in ns since zero."""

class DisciplineParametersCodel(TypedDict, total=False):
    """Controlled delay (RFC 8289)."""
    codel: "Required[CodelConfig]"

class DisciplineParametersDrr(TypedDict, total=False):
    """Deficit round robin over classes or flows (Shreedhar & Varghese 1995)."""
    drr: "Required[DrrConfig]"

class DisciplineParametersFqCodel(TypedDict, total=False):
    """A CoDel for each flow (RFC 8290)."""
    fq_codel: "Required[FqCodelConfig]"

class DisciplineParametersPrio(TypedDict, total=False):
    """Strict priority of classes."""
    prio: "Required[PrioConfig]"

DisciplineParametersWf2q = TypedDict("DisciplineParametersWf2q", {
    "wf2q+": "Required[Wf2qConfig]",
}, total=False)
"""Worst-case fair weighted fair queueing over classes or flows (Bennett & Zhang 1997)."""

class DistributionOfDurationPareto(TypedDict, total=False):
    """Pareto with this mean and shape."""
    pareto: "Required[ParetoOfDuration]"

class DistributionOfSizePareto(TypedDict, total=False):
    """Pareto with this mean and shape."""
    pareto: "Required[ParetoOfSize]"

class DrawingOptions(TypedDict, total=False):
    """How a network is drawn."""
    positions: "Required[dict[str, DrawnAt]]"
    """Positions of nodes on paper, by name. All are of the same kind."""

class DropStatistics(TypedDict, total=False):
    """The frames that the model dropped, by reason."""
    aqm: "Required[Count]"
    """Active queue management dropped the frame."""
    bit_error: "Required[Count]"
    """Bit errors, which the frame check sequence caught."""
    down: "Required[Count]"
    """The pipe was down, or went down with the frame in it."""
    loss: "Required[Count]"
    """The channel lost the frame."""
    mtu: "Required[Count]"
    """The packet was longer than the pipe's MTU."""
    policed: "Count"
    """A conditioner in front of the queue dropped the frame."""
    queue_full: "Required[Count]"
    """The queue was full."""
    receiver_mtu: "Count"
    """The frame was longer than the interface at the far end takes."""

class DrrConfig(TypedDict, total=False):
    """Parameters of `drr`."""
    classes: "list[ClassConfig] | None"
    """The classes, each with a `match` and a `weight`."""
    flows: "int | None"
    """Number of queues of equal weight into which flows are hashed by their 5-tuple, instead of
    classes (default 64, at most 65536)."""
    quantum: "Size"
    """Bytes on the line that a class of weight 1 may send in its turn (default `1514B`, at
    least `256B`). If it is at least the longest frame, serving a frame takes constant time."""

class EmacConfig(TypedDict, total=False):
    """Parameters of `emac`. Times are the PHY's where nothing is said."""
    ack: "bool"
    """Whether frames for one station are acknowledged (default `true`)."""
    backoff: "Backoff"
    """How the contention window follows failures and successes (default `binary`)."""
    collisions: "Collisions"
    """Where frames collide: at the `receiver` (default), or at the `sender`, as published: what
    a sender senses keeps it from sending, and nothing that is sent is destroyed."""
    cw: "Window | None"
    """Least and largest contention window in slots (default: the PHY's)."""
    difs: "Duration | None"
    """Time for which the medium has to be idle."""
    rate: "Rate | None"
    """Rate of frames, one of the PHY's (default: its highest)."""
    retry: "Retry"
    """How often a frame is sent."""
    rts: "bool"
    """Whether frames for one station are asked for with RTS and CTS (default `false`)."""
    sifs: "Duration | None"
    """Time between a frame and its answer."""
    slot: "Duration | None"
    """Length of a slot."""

class Endpoint(TypedDict, total=False):
    """One end of a link."""
    interface: "Required[str]"
    """Name of the interface."""
    node: "Required[str]"
    """Name of the node."""

Episode = TypedDict("Episode", {
    "from": "Required[Time]",
    "held": "Required[Duration]",
    "peak": "Required[float]",
    "shares": "Required[list[Share]]",
    "to": "Required[Time]",
    "warm_up": "Required[bool]",
}, total=False)
"""An interval in which contention held."""

class EventBase(TypedDict, total=False):
    """One thing that happened."""
    machine: "str | None"
    """The machine that recorded it, in a run on several machines."""
    number: "Required[int]"
    """Counts from 0 without gaps."""
    time: "Required[Time]"
    """When: nanoseconds since zero, when all that runs from the start was ready; negative
    before that. An event that is sent before zero is known has the time since the network was
    up."""

class ExecControlClose(TypedDict, total=False):
    """Closes an output. The next write to it fails, and ends a command that does not handle it
    with SIGPIPE. A terminal has only one output."""
    close: "Required[ExecOutput]"

class ExecControlResize(TypedDict, total=False):
    """The terminal has a new size."""
    resize: "Required[TerminalSize]"

class ExecControlSignal(TypedDict, total=False):
    """Sends this signal, by number."""
    signal: "Required[int]"

class ExecNoticeExited(TypedDict, total=False):
    """The command has ended, and all its output has been sent."""
    exited: "Required[ExecNoticeExitedExited]"

class ExecNoticeExitedExited(TypedDict, total=False):
    code: "Required[int]"
    """Exit code; 128 + the signal's number if a signal ended it."""

class ExecNoticeFailed(TypedDict, total=False):
    """The command could not be run."""
    failed: "Required[ExecNoticeFailedFailed]"

class ExecNoticeFailedFailed(TypedDict, total=False):
    code: "Required[int]"
    """Exit code that a shell would return: 127 not found, 126 not executable, else 125."""
    error: "Required[ApiError]"
    """Reason of the failure."""

class ExecNoticeOwnKernel(TypedDict, total=False):
    """The node has a kernel of its own, in which no descriptors of this machine work: the
    command has to be run over the WebSocket. Only at `exec.sock`."""
    own_kernel: "Required[dict[str, Any]]"

class ExecNoticeSignalled(TypedDict, total=False):
    """A signal was passed on. Only at `exec.sock`."""
    signalled: "Required[ExecNoticeSignalledSignalled]"

class ExecNoticeSignalledSignalled(TypedDict, total=False):
    number: "Required[int]"
    """The signal's number."""

class ExecNoticeStarted(TypedDict, total=False):
    """The command runs."""
    started: "Required[ExecNoticeStartedStarted]"

class ExecNoticeStartedStarted(TypedDict, total=False):
    machine_pid: "int | None"
    """Process id as the machine knows it. Absent if the command has ended already, or in a node
    with a kernel of its own."""
    pid: "Required[int]"
    """Process id in the node."""

class ExecRequest(TypedDict, total=False):
    """A command and the node to run it in."""
    command: "Required[list[str]]"
    """The program and its arguments. Empty: the user's shell."""
    directory: "str | None"
    """Directory in the node where the command starts. Absent: the scenario's."""
    env: "dict[str, str]"
    """Environment variables, in addition to those of the node."""
    node: "Required[str]"
    """Name of the node."""
    terminal: "TerminalSize | None"
    """Size of the terminal to run the command on. Absent: no terminal."""

class Expectation(TypedDict, total=False):
    """An expectation about a process: at least one of `exit`, `within` and `output`."""
    exit: "ExpectedExit | None"
    """How the process ends."""
    nodes: "Required[list[str]]"
    """Nodes whose instances of the process the expectation is about."""
    output: "str | None"
    """Text that the process' output contains."""
    process: "Required[str]"
    """Name of the process."""
    within: "Duration | None"
    """Longest time from the start of the process to its end."""

class ExpectationStatus(TypedDict, total=False):
    """An expectation about a process in one node, and whether it was met."""
    expected: "Required[str]"
    """Description of the expectation."""
    found: "Required[str]"
    """Description of what happened instead. Empty if it was met."""
    met: "Required[bool]"
    """Whether it was met."""
    node: "Required[str]"
    """Name of the node."""
    process: "Required[str]"
    """Name of the process."""

class ExpectedExitCode(TypedDict, total=False):
    """It ends with this exit code, which is 128 + the signal's number if a signal ends it."""
    code: "Required[int]"

class ExperimentStatus(TypedDict, total=False):
    """The experiment as a whole."""
    engine_pid: "Required[int]"
    """Process id of the engine."""
    file: "Required[str]"
    """Scenario file that the experiment was made from."""
    links: "Required[int]"
    """Number of links."""
    name: "Required[str]"
    """Name of the experiment."""
    nodes: "Required[int]"
    """Number of nodes, switches included."""
    now: "Required[Time]"
    """Current time, in nanoseconds since zero, when all that runs from the start was ready. In
    phase `starting`, in nanoseconds since the network was up."""
    phase: "Required[Phase]"
    """Phase of the experiment."""
    results: "str | None"
    """Directory of the results, if this is a run."""
    simulated: "bool"
    """Whether it is a simulation in virtual time. Nothing in it can be changed by request, and
    it has no nodes in which commands could run."""
    started_unix: "Required[int]"
    """Date of the time from which `now` counts, in seconds since 1970-01-01 UTC."""
    version: "Required[str]"
    """Version of the engine."""

class FadingNakagami(TypedDict, total=False):
    """Nakagami: the factor is Gamma(m, 1/m), perhaps with another m far away."""
    nakagami: "Required[NakagamiConfig]"

class Fails(TypedDict, total=False):
    """Random failures. The random numbers are those of the stream `timeline/NUMBER`."""
    after: "Required[DurationDistribution]"
    """Time that it works before each failure."""
    lasts: "Required[DurationDistribution]"
    """Duration of each failure."""
    until: "Duration | None"
    """Time before which it fails."""

class Failure(TypedDict, total=False):
    """The reason for which a command failed."""
    code: "Required[int]"
    """Exit code of the command."""
    error: "Required[str]"
    """Error, for people."""

class FileContentOfErrorTable(TypedDict, total=False):
    """How a file's content travels with its name."""
    file: "Required[str]"
    """The file's name."""
    values: "Required[ErrorTable]"
    """Values of the file."""

class Finding(TypedDict, total=False):
    """A reason why a run is not `valid`."""
    about: "Required[Concern]"
    """Which of the two judgements it contributes to."""
    judgement: "Required[Judgement]"
    """The best judgement that this reason allows."""
    machine: "str | None"
    """The machine, in an experiment on several machines. `None` for a pipe between two of them."""
    on: "Resource | None"
    """The resource; `None` if the signal was not observed."""
    signal: "Required[SignalKind]"
    """The signal."""
    why: "Required[str]"
    """The reason, in a sentence."""

class FlowDelay(TypedDict, total=False):
    """Delays of a flow's packets."""
    max_ns: "Required[int]"
    """Longest, in ns."""
    mean_ns: "Required[float]"
    """Mean, in ns."""
    min_ns: "Required[int]"
    """Shortest, in ns."""
    p50_ns: "Required[int]"
    """Median, in ns, within 1 %."""
    p99_ns: "Required[int]"
    """99th percentile, in ns, within 1 %."""

FlowStatus = TypedDict("FlowStatus", {
    "began": "Time | None",
    "completed": "Time | None",
    "delay": "FlowDelay | None",
    "duplicated": "Required[int]",
    "errors": "Required[int]",
    "from": "Required[str]",
    "jitter_ns": "Required[float]",
    "name": "Required[str]",
    "over": "Time | None",
    "protocol": "Required[str]",
    "received": "Required[Count]",
    "refused": "Required[int]",
    "reordered": "Required[int]",
    "sent": "Required[Count]",
    "tcp": "TcpStatus | None",
    "to": "Required[str]",
    "transfers": "TransferStatus | None",
}, total=False)
"""A flow from one node to another."""

class FlowsConfig(TypedDict, total=False):
    """Transfers that begin by themselves: from distributions (`arrivals`, `bytes`) or from a
    `file`."""
    arrivals: "ArrivalsConfig | None"
    """When transfers begin."""
    bytes: "SizeDistribution | None"
    """How much each sends."""
    file: "DataOfFlowList | None"
    """A file with start and duration in seconds, bytes and, if known, packets of a transfer in
    each line; or a list of such texts."""
    rate: "Rate | None"
    """How fast each sends. Over TCP the default is as much as the path takes; those of a file
    send for as long as the file says."""

FollowingFlow = TypedDict("FollowingFlow", {
    "delay_difference": "float | None",
    "from": "Required[str]",
    "real": "Required[ReceivedTotal]",
    "throughput_difference": "float | None",
    "to": "Required[str]",
    "twins": "Required[ReceivedTotal]",
}, total=False)
"""Traffic from one real host to another, and that of its twins in the simulation."""

class FollowingPipe(TypedDict, total=False):
    """How a pipe between real hosts followed its chain in the simulation."""
    backlog_difference_mean: "Required[Duration]"
    """Mean difference between the two backlogs."""
    backlog_mean: "Required[Duration]"
    """Mean backlog of the chain at the ends of periods (W₁)."""
    pipe: "Required[str]"
    """Name of the pipe."""
    real: "Required[list[int]]"
    """Real frames that entered the pipe, were lost, and left it, up to the last calibration."""
    real_backlog_mean: "Required[Duration]"
    """Mean backlog of the pipe when it was calibrated (W₂)."""
    stands_for: "Required[list[str]]"
    """Pipes of the simulation that it represents, in the order of the path."""
    time_mean: "Required[Duration]"
    """Mean time of twins in queues and on lines of the chain, over all periods (W)."""
    twins: "Required[list[int]]"
    """Frames of twins that entered the chain, were lost in it, and left it."""

class FqCodelConfig(TypedDict, total=False):
    """Parameters of `fq_codel`. The defaults are those of RFC 8290, section 5.2, and RFC 8289."""
    ce_threshold: "Duration | None"
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

class FrameLogSummary(TypedDict, total=False):
    """Summary of the frame log."""
    bytes: "Required[int]"
    """Number of bytes written."""
    entries: "Required[int]"
    """Number of entries written."""
    failure: "str | None"
    """Reason of a write error. Nothing was written after it."""
    lost: "Required[int]"
    """Number of entries that are missing because they came faster than they could be written."""

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

class HttpConfig(TypedDict, total=False):
    """A client that asks for objects, one after the other. Responses decide when, so that this
    is a description, and [`HttpConfig::exchanges`] the draws."""
    persistent: "bool"
    """Whether all requests use one connection (default true)."""
    requests: "int | None"
    """How many requests there are (default: until the end)."""
    sizes: "Required[SizeDistribution]"
    """The objects' lengths."""
    think: "DurationDistribution | None"
    """How long the client thinks between a response and its next request (default: not at all)."""

class Interface(TypedDict, total=False):
    """An interface of a node."""
    ipv4: "Required[AddressesOfIpv4Prefix]"
    """IPv4 addresses."""
    ipv6: "Required[AddressesOfIpv6Prefix]"
    """IPv6 addresses, in addition to the link-local one."""
    mac: "MacAddress | None"
    """MAC address, if the scenario sets it. Otherwise it is derived from the names."""
    mtu: "Required[int]"
    """MTU: largest IP packet in bytes."""
    name: "Required[str]"
    """Name in the node, at most 15 bytes."""
    offloads: "bool"
    """Whether frames may pass it with unfinished checksums, and several as one."""
    services: "dict[str, dict[str, OptionValue]]"
    """Options of the node's services whose values at this interface differ from the node's, by
    service and option."""
    spanning_tree: "PortTree"
    """Cost and priority of a port of a switch that runs a spanning tree."""
    station: "StationSetup"
    """Properties of the interface's station on a shared medium."""
    subinterface: "Subinterface | None"
    """Parent interface and VLAN, if this is a VLAN sub-interface and not an interface of a
    link."""
    vlan: "PortVlans | None"
    """How a port of a switch treats VLAN tags. Absent in other nodes, and where the switch does
    not interpret VLAN tags."""

class InterfaceCapture(TypedDict, total=False):
    """Frames at an interface, captured into the results."""
    drops: "Required[bool]"
    """Whether it has what the link drops on its way from or to the interface, with the reasons."""
    interface: "Required[Endpoint]"
    """The interface."""

class InterfaceStatus(TypedDict, total=False):
    """An interface."""
    addresses: "Required[list[IpPrefix]]"
    """Addresses with their prefix length: those of the plan, then those that programs in the
    node have added since, like leases of DHCP."""
    link: "Required[str]"
    """Name of the link that the interface is at."""
    mac: "MacAddress | None"
    """Ethernet (MAC) address. Absent for a switch port."""
    name: "Required[str]"
    """Name in the node. That of a VLAN sub-interface is like `eth1.10`, and its link is that of
    `eth1`."""
    peer: "Required[Endpoint]"
    """The other end of the link."""
    spanning_tree: "TreePortStatus | None"
    """For ports of switches that run a spanning tree: state of the port in the tree."""
    vlan: "VlanPortStatus | None"
    """For ports of switches with VLANs: VLANs of the port, and the frames that it dropped."""

class JitterModel(TypedDict, total=False):
    """The notation of a jitter that needs a table."""
    correlation: "Probability | None"
    """Correlation of each value with the one before (default `0%`)."""
    deviation: "Duration | None"
    """Deviation to which a `table` is scaled."""
    empirical: "DataOfOffsets | None"
    """Samples to draw from: a list of signed durations, or a file with one a line."""
    normal: "Duration | None"
    """Normal distribution with mean zero and this standard deviation."""
    pareto: "Duration | None"
    """tc-netem's `pareto` at this deviation."""
    paretonormal: "Duration | None"
    """tc-netem's `paretonormal` at this deviation."""
    pattern: "DataOfOffsets | None"
    """A list of signed durations that are taken in order, and repeat."""
    table: "DataOfDistributionTable | None"
    """A distribution table of tc (`.dist`), scaled to `deviation`."""
    trace: "DataOfOffsets | None"
    """Like `pattern`, from a file with one a line."""
    uniform: "Duration | None"
    """Uniform distribution between minus and plus this duration."""

class LatencySummary(TypedDict, total=False):
    """A distribution of latencies in microseconds."""
    count: "Required[int]"
    """Number of samples."""
    max_us: "Required[float]"
    """Largest, µs."""
    p50_us: "Required[float]"
    """Median, µs."""
    p999_us: "Required[float]"
    """99.9th percentile, µs."""
    p99_us: "Required[float]"
    """99th percentile, µs."""

class Lateness(TypedDict, total=False):
    """Lateness of frames."""
    beyond: "Required[int]"
    """Number of wire frames that were later than `trust.delay`."""
    max: "Required[Duration]"
    """The maximum, equally exact."""
    p50: "Required[Duration]"
    """The median. It is not below the true one, and less than a quarter above it."""
    p99: "Required[Duration]"
    """The 99th percentile, equally exact."""
    p999: "Required[Duration]"
    """The 99.9th percentile, equally exact."""
    share: "Required[float]"
    """`beyond` as a share of all frames."""

class Limits(TypedDict, total=False):
    """Limits on the machine's resources. Absent ones are not limited."""
    cpu: "CpuQuota | None"
    """CPU time, as a number of CPUs. Processes that have used it up pause until the next period
    of 100 ms begins."""
    cpu_weight: "int | None"
    """Share of CPU time when CPUs are busy, relative to others with a weight. The default
    weight is 100."""
    memory: "Size | None"
    """Memory including swap. When it is used up, the kernel kills a process."""
    pids: "int | None"
    """Number of processes and threads."""

class Link(TypedDict, total=False):
    """A link: two pipes between two interfaces, or a pair of kernel devices."""
    costs: "Required[list[int]]"
    """Routing costs from the first end to the second, and back, for `routing: cost`."""
    cut: "Cut"
    """Whether its ends may be on different machines."""
    direct: "bool"
    """Whether the link is a pair of kernel devices (veth) that joins the two nodes without the
    engine. Both pipes then have default properties."""
    endpoints: "Required[list[Endpoint]]"
    """The two ends."""
    forward: "Required[PipeConfig]"
    """The pipe from the first end to the second."""
    loads: "list[LinkLoad]"
    """Expected traffic from the first end to the second, and back."""
    name: "Required[str]"
    """Unique name; by default `a--b` from its nodes, or `a:eth1--b:eth1` where two links join
    the same nodes."""
    reverse: "Required[PipeConfig]"
    """The pipe from the second end to the first."""

class LinkChange(TypedDict, total=False):
    """A change of one link."""
    change: "Required[WrittenChange]"
    """New properties. The notations of other tools (`netem`, `tbf`, `dummynet`) are accepted as
    in a scenario."""
    direction: "Direction"
    """Pipes of the link that change."""
    link: "Required[str]"
    """Name of the link."""

class LinkLoad(TypedDict, total=False):
    """Expected load of one direction of a link."""
    frame: "Size | None"
    """Mean size of a frame without FCS. Absent: 1514 bytes."""
    rate: "Rate | None"
    """Mean rate of the traffic. Absent: what the rates of the links allow."""

class LinkStatus(TypedDict, total=False):
    """A link with its two pipes."""
    endpoints: "Required[list[Endpoint]]"
    """The two ends."""
    forward: "Required[PipeStatus]"
    """Pipe from the first end to the second."""
    name: "Required[str]"
    """Name of the link."""
    reverse: "Required[PipeStatus]"
    """Pipe from the second end to the first."""

class LiveNetwork(TypedDict, total=False):
    """The network that indices of frames are of."""
    links: "Required[int]"
    """Number of links: those of `GET /v1/links`, in their order. Pipe `2 * link` leads from the
    first end to the second, and pipe `2 * link + 1` back."""
    revision: "Required[int]"
    """Number of the network: another one after each change to another scenario."""
    stations: "Required[int]"
    """Number of stations: those of all media of `GET /v1/media`, in their order."""

class LiveNoticeFailed(TypedDict, total=False):
    """The request cannot be understood, or the network is gone."""
    failed: "Required[ApiError]"

class LiveNoticeNetwork(TypedDict, total=False):
    """The network, at first and whenever it is another one. Places of links and stations are
    those of its `revision`."""
    network: "Required[LiveNetwork]"

class LiveNoticeSlowed(TypedDict, total=False):
    """The interval is not the one that was asked for."""
    slowed: "Required[LiveSlowed]"

class LiveRequest(TypedDict, total=False):
    """What a client wants to have sent."""
    busiest: "int"
    """So many of the other links are wanted, too: those that deliver most, at each tick."""
    interval_ms: "Required[int]"
    """Time between ticks, in ms of the machine's time, from 100 to 10000."""
    links: "LiveLinks"
    """The links whose pipes are wanted."""
    positions: "bool"
    """Whether positions of stations are wanted."""
    stations: "bool"
    """Whether stations on shared media are wanted."""

class LiveSlowed(TypedDict, total=False):
    """A longer interval."""
    interval_ms: "Required[int]"
    """The interval in force, in ms."""
    why: "Required[str]"
    """The reason, for people; empty if the interval is the wanted one again."""

class Loopback(TypedDict, total=False):
    """Loopback addresses of a node, in addition to 127.0.0.1 and ::1."""
    ipv4: "Required[LoopbackAddressOfipv4]"
    """IPv4."""
    ipv6: "Required[LoopbackAddressOfipv6]"
    """IPv6."""

class LoopbackAddressOfipv4Fixed(TypedDict, total=False):
    """This address."""
    fixed: "Required[str]"

class LoopbackAddressOfipv6Fixed(TypedDict, total=False):
    """This address."""
    fixed: "Required[str]"

class LossPoint(TypedDict, total=False):
    """A share of frames that was lost."""
    bytes: "Required[int]"
    """How long the frames were, all bytes on the air."""
    loss: "Required[float]"
    """Which share was lost, 0 to 1."""
    rate: "Required[Rate]"
    """The rate at which they were sent."""
    snr: "Required[float]"
    """The ratio of signal to noise, in dB."""

class Losses(TypedDict, total=False):
    """Losses outside the model."""
    buffers: "Required[int]"
    """Number of packets for which sockets of nodes had no room."""
    frames: "Required[int]"
    """Number of wire frames of the experiment."""
    perhaps: "Required[int]"
    """Number of wire frames that may have been somebody else's."""

LossesRequest = TypedDict("LossesRequest", {
    "from": "Required[list[str]]",
    "loss": "Required[list[float]]",
    "to": "Required[list[str]]",
}, total=False)
"""Losses between pairs of stations, all at one time, in columns. They hold instead of those
that follow from propagation, until they are set anew."""

class MacParametersAloha(TypedDict, total=False):
    """Who has something to send sends it (Abramson 1970; Roberts 1972)."""
    aloha: "Required[AlohaConfig]"

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

class Machine(TypedDict, total=False):
    """Properties of a machine that may explain results later. Those that could not be read are
    absent."""
    architecture: "Required[str]"
    """Architecture of the processor."""
    clock_source: "str | None"
    """Clock source of the kernel."""
    distribution: "str | None"
    """Name and version of the distribution."""
    frequency_governor: "str | None"
    """Frequency governor of the processor."""
    frequency_mhz: "int | None"
    """Highest frequency of the processor in MHz, or its only one if it cannot be changed."""
    host: "Required[str]"
    """Name of the host."""
    kernel: "Required[str]"
    """Release of the kernel."""
    memory_bytes: "int | None"
    """Memory, in bytes."""
    netloom: "Required[str]"
    """Version of NetLoom."""
    processor: "str | None"
    """Name of the processor."""
    processors: "Required[int]"
    """Number of processors that the engine may use."""
    tcp_congestion_control: "str | None"
    """Default TCP congestion control, which nodes inherit."""

class MachineBound(TypedDict, total=False):
    """What one of several machines did to a run as a whole."""
    clock: "Required[Alignment]"
    """Its clock, within a bound."""
    engine: "Required[WaitBound]"
    """Time during which its engine did not run at all."""
    lost: "Time | None"
    """When it was lost; absent if it was there to the end."""
    machine: "Required[str]"
    """The machine."""

class MachineSummary(TypedDict, total=False):
    """A machine of a run on several machines."""
    bound: "Required[Duration]"
    """The greatest error of a time that is converted so."""
    drift_ppb: "Required[int]"
    """How much faster cluster time passes than this clock shows, in 10⁻⁹."""
    kernel: "str | None"
    """Release of its kernel. Absent if its results are missing."""
    lost: "Time | None"
    """Time at which it was lost, in ns since zero. Absent if it was there to the end."""
    name: "Required[str]"
    """Name of the machine."""
    offset_ns: "Required[int]"
    """Cluster time when the machine's clock shows zero, in ns."""
    profile: "str | None"
    """File of its profile. Absent if it was not calibrated."""

class Measure(TypedDict, total=False):
    """Measurements of a run beside those that it always makes."""
    air: "list[str]"
    """Shared media of which it is logged what happens on the air."""
    capture: "Required[list[InterfaceCapture]]"
    """Interfaces whose frames are captured into the results."""
    flows: "Duration | None"
    """How often the counters of every flow are sampled, if not as often."""
    frames: "Required[list[str]]"
    """Links of which it is logged what happens to every frame."""
    interval: "Required[Duration]"
    """How often the statistics of every pipe are sampled."""
    observations: "bool"
    """Whether everything that the contention monitor observes is kept."""

class Medium(TypedDict, total=False):
    """A medium that nodes share, like a radio channel."""
    access_points: "list[str]"
    """Switches and routers that act as access points: all other members communicate through
    them. Empty if members communicate directly."""
    addressing: "Required[MediumAddressing]"
    """Addresses of the medium's interfaces."""
    config: "Required[MediumConfig]"
    """Channel and MAC of the medium."""

class MediumConfig(TypedDict, total=False):
    """The complete configuration of a medium."""
    association: "Required[AssociationConfig]"
    """When stations join access points and leave them, like `{scan: 100ms, join: -85dBm,
    hysteresis: 6dB, leave: -90dBm, outage: 50ms}` (default)."""
    beacons: "Duration | None"
    """How often each access point sends a beacon, like `102.4ms` (default: none are sent)."""
    capture: "Required[Capture]"
    """When a stronger signal takes over from one that is being received, like `{margin: 10dB,
    when: preamble}` (default)."""
    cs_threshold: "Required[Power]"
    """Least power of a signal that makes the medium busy by itself (default `-82dBm`)."""
    ed_threshold: "Required[Power]"
    """Power of all signals together that makes the medium busy (default `-62dBm`)."""
    height: "Required[Length]"
    """Height of antennas, added to z (default `1.5m`)."""
    ignore: "Power | None"
    """Signals weaker than this are left aside altogether (default: 10 dB below noise)."""
    lock: "Required[Lock]"
    """Signals that a free radio begins to receive: `decodable` (default) or `any`."""
    mac: "Required[Mac]"
    """When stations send: `dcf` (default), another MAC, or a table of its parameters like
    `{dcf: {rts_threshold: 0B}}`."""
    phy: "Required[Phy]"
    """The physical layer, with its times and rates: `802.11b`, `802.11a`, `802.11g`,
    `802.11bg`, `dsss` or `fhss`."""
    power: "Required[Power]"
    """Power of stations that have none of their own (default `16dBm`)."""
    propagation_delay: "Required[bool]"
    """Whether signals take time, a nanosecond for 30 cm (default `true`)."""
    queue: "Required[QueueConfig]"
    """Where each station's frames wait (default: 100 packets, first in, first out)."""
    radio: "Required[RadioConfig]"
    """The channel between stations."""
    reception: "Required[ReceptionRule]"
    """When a signal is received: `sinr` (default), `threshold` or `collision`."""
    sensitivity: "Power | None"
    """Least power of a signal that can be decoded (default: that at which the lowest rate loses
    one in ten frames of 1536 bytes to noise)."""

class MediumProperties(TypedDict, total=False):
    """Properties of a medium, each optional: what is absent keeps its value."""
    association: "AssociationConfig | None"
    """When stations join access points and leave them, like `{scan: 100ms, join: -85dBm,
    hysteresis: 6dB, leave: -90dBm, outage: 50ms}` (default)."""
    bandwidth: "Frequency | None"
    """The channel's width, which says how much noise there is (default: the PHY's)."""
    beacons: "Duration | None"
    """How often each access point sends a beacon, like `102.4ms` (default: none are sent)."""
    capture: "Capture | None"
    """When a stronger signal takes over from one that is being received, like `{margin: 10dB,
    when: preamble}` (default)."""
    coherence: "Duration | None"
    """For how long a pair keeps its fading (default: each signal has its own)."""
    cs_threshold: "Power | None"
    """Least power of a signal that makes the medium busy by itself (default `-82dBm`)."""
    ed_threshold: "Power | None"
    """Power of all signals together that makes the medium busy (default `-62dBm`)."""
    fading: "Fading | None"
    """How the power of signals varies from one to the next (default `none`)."""
    frequency: "Frequency | None"
    """The carrier's frequency (default: the PHY's)."""
    height: "Length | None"
    """Height of antennas, added to z (default `1.5m`)."""
    ignore: "Power | None"
    """Signals weaker than this are left aside altogether (default: 10 dB below noise)."""
    lock: "Lock | None"
    """Signals that a free radio begins to receive: `decodable` (default) or `any`."""
    mac: "Mac | None"
    """When stations send: `dcf` (default), another MAC, or a table of its parameters like
    `{dcf: {rts_threshold: 0B}}`."""
    noise_figure: "Gain | None"
    """Noise that receivers add to thermal noise (default `7dB`)."""
    obstacles: "list[ObstacleConfig] | None"
    """Buildings (default: none)."""
    phy: "Phy | None"
    """The physical layer, with its times and rates: `802.11b`, `802.11a`, `802.11g`,
    `802.11bg`, `dsss` or `fhss`."""
    power: "Power | None"
    """Power of stations that have none of their own (default `16dBm`)."""
    propagation: "Propagation | None"
    """How signals get weaker over a distance (default `free_space`)."""
    propagation_delay: "bool | None"
    """Whether signals take time, a nanosecond for 30 cm (default `true`)."""
    quantise: "Length | None"
    """Positions are rounded to the middles of squares of this size (default: not at all)."""
    queue: "QueueConfig | None"
    """Where each station's frames wait (default: 100 packets, first in, first out)."""
    reception: "ReceptionRule | None"
    """When a signal is received: `sinr` (default), `threshold` or `collision`."""
    sensitivity: "Power | None"
    """Least power of a signal that can be decoded (default: that at which the lowest rate loses
    one in ten frames of 1536 bytes to noise)."""
    shadowing: "ShadowingConfig | None"
    """Log-normal shadows (default: none)."""

class MediumRequest(TypedDict, total=False):
    """A change of a medium, all of it at one time."""
    set: "MediumProperties"
    """Properties of the medium."""
    stations: "list[StationRequest]"
    """Stations that change."""

class MediumResponse(TypedDict, total=False):
    """When a change was made."""
    at: "Required[Time]"
    """On the experiment's clock."""

class MediumStatus(TypedDict, total=False):
    """A medium."""
    config: "Required[MediumConfig]"
    """Its complete configuration."""
    name: "Required[str]"
    """Its name."""
    stations: "Required[list[StationStatus]]"
    """Its stations, in the order of its members."""

class Meter(TypedDict, total=False):
    """The notation of a meter."""
    burst: "Size | None"
    """Number of bytes that may pass at once."""
    rate: "Rate | None"
    """Rate of a meter of one rate, which also needs `burst`; packets conform or exceed."""
    srtcm: "SrtcmConfig | None"
    """The single-rate three-colour marker (RFC 2697); packets are green, yellow or red."""
    trtcm: "TrtcmConfig | None"
    """The two-rate three-colour marker (RFC 2698); packets are green, yellow or red."""

class MobilityGroup(TypedDict, total=False):
    """Around a leader that moves by a model of its own (Hong, Gerla, Pei & Chiang 1999)."""
    group: "Required[GroupConfig]"

class MobilityTrace(TypedDict, total=False):
    """As it was recorded."""
    trace: "Required[MovementTrace]"

class MobilityWaypoints(TypedDict, total=False):
    """Places one after the other."""
    waypoints: "Required[WaypointsConfig]"

class ModelBulk(TypedDict, total=False):
    """As much as TCP can send."""
    bulk: "Required[BulkConfig]"

class ModelCbr(TypedDict, total=False):
    """Frames at a constant rate, with a random phase."""
    cbr: "Required[CbrConfig]"

class ModelFlows(TypedDict, total=False):
    """Transfers that begin by themselves."""
    flows: "Required[FlowsConfig]"

class ModelHttp(TypedDict, total=False):
    """Requests and responses over TCP."""
    http: "Required[HttpConfig]"

class ModelOnOff(TypedDict, total=False):
    """Senders that are on and off by turns."""
    on_off: "Required[OnOffConfig]"

class ModelPing(TypedDict, total=False):
    """Echo requests at a constant interval."""
    ping: "Required[PingConfig]"

class ModelPoisson(TypedDict, total=False):
    """Independent frames: gaps are exponential."""
    poisson: "Required[PoissonConfig]"

class ModelPpbp(TypedDict, total=False):
    """Poisson Pareto burst process (Zukerman, Neame & Addie 2003)."""
    ppbp: "Required[PpbpConfig]"

class ModelRates(TypedDict, total=False):
    """A rate that changes at given times."""
    rates: "Required[RatesConfig]"

class ModelReplay(TypedDict, total=False):
    """Frames of a capture, with their bytes."""
    replay: "Required[ReplayConfig]"

class ModelTrace(TypedDict, total=False):
    """Arrivals as they were recorded."""
    trace: "Required[TrafficTrace]"

class ModelVbr(TypedDict, total=False):
    """Pictures of a video."""
    vbr: "Required[VbrConfig]"

class ModelledPipe(TypedDict, total=False):
    """A pipe of the engine."""
    config: "Required[PipeConfig]"
    """Current configuration of the pipe."""
    statistics: "Required[PipeStatistics]"
    """Statistics since the pipe was created, or of the last seconds if the request asked for
    these."""

class Monitor(TypedDict, total=False):
    """When a run counts as disturbed by its own machine, and what is done then."""
    criteria: "Required[Criteria]"
    """Thresholds and windows."""
    enabled: "Required[bool]"
    """Whether the run is watched. One that is not is never said to be valid."""
    on_contention: "Required[OnContention]"
    """Reaction to the beginning of contention."""
    trust: "Required[Trust]"
    """Needs of the run: how much of its machine may show in it."""
    warm_up: "Required[Duration]"
    """How long the experiment warms up: contention that ends before is reported, but not held
    against the run."""

class MovementTrace(TypedDict, total=False):
    """A recorded movement."""
    degrees: "bool | None"
    """Whether places are degrees: x the longitude, y the latitude (default: what the format
    says). For FCD that SUMO wrote with `--fcd-output.geo`, BonnMotion and CSV."""
    file: "Required[DataOfTraces]"
    """The file: ns-2, BonnMotion, SUMO's FCD, GPX, or CSV; or a list of lines of CSV."""
    format: "TraceFormat | None"
    """Its format, which is guessed from its text: an error if that is another one."""
    node: "str | None"
    """Which of its nodes this one is (default: the one of the same name)."""
    offset: "list[Coordinate]"
    """Vector that is added to them then, `[x, y]` (default: none)."""
    scale: "float"
    """Factor of all coordinates (default 1)."""
    start: "Duration"
    """The time in the file that is the run's zero (default `0s`)."""

class NakagamiConfig(TypedDict, total=False):
    """Nakagami fading."""
    far: "FarNakagami | None"
    """Another shape further away."""
    m: "Required[float]"
    """The shape, from 0.5 to 1000: 1 is Rayleigh, more is calmer."""

class Neighbour(TypedDict, total=False):
    """How well a node is heard by another, as long as nobody else sends and without fading."""
    decodes: "Required[bool]"
    """Whether it can decode what arrives; if not, it only waits while the other sends."""
    delivery: "Required[float]"
    """The probability that a frame with a packet of 1500 bytes survives at that rate."""
    distance: "Required[float]"
    """How far away it is, in m."""
    hidden_from: "list[str]"
    """Nodes that it hears and that do not hear the sender: they may send at the same time.
    Absent where all nodes are listed."""
    node: "Required[str]"
    """The node that hears."""
    power: "Required[float]"
    """Power that arrives there, in dBm."""
    rate: "Required[Rate]"
    """The rate of the next frame to it."""
    snr: "Required[float]"
    """The ratio of that power to noise, in dB."""

class Neighbours(TypedDict, total=False):
    """Those that a node reaches on a medium."""
    medium: "Required[str]"
    """The medium."""
    neighbours: "Required[list[Neighbour]]"
    """Those that decode what it sends, or sense it."""
    node: "Required[str]"
    """The node that sends."""

class NoMacConfig(TypedDict, total=False):
    """Parameters of `none`."""
    pairs: "list[PairConfig] | None"
    """Who receives from whom, instead of who is in reach: ordered pairs of stations, each with
    a delay and losses of its own. With an empty list, nobody receives from anybody."""
    rate: "Rate | None"
    """Rate of each station's line (default: the PHY's highest). A frame takes its Ethernet
    bytes without FCS, and nothing else."""

class Node(TypedDict, total=False):
    """A node: a network stack of its own, or a switch."""
    apart: "str | None"
    """Label: all nodes with the same one are on different machines."""
    groups: "Required[list[str]]"
    """Groups that the node belongs to."""
    interfaces: "Required[list[Interface]]"
    """Interfaces, in the order in which the links name them, followed by VLAN sub-interfaces.
    For a switch, its ports."""
    kernel: "Kernel"
    """Kernel that the node's network stack and processes run on."""
    kind: "Required[NodeKind]"
    """Kind of the node."""
    limits: "Limits"
    """Limits on the machine's resources that the node's processes may use."""
    load: "NodeLoad"
    """Load that the node is expected to be for its machine; see [`Node::expected_load`]."""
    loopback: "Required[Loopback]"
    """Loopback addresses of the node."""
    machine: "str | None"
    """Machine that carries the node in a run over several machines; absent: any."""
    medium: "Medium | None"
    """Properties of the medium, if the node is one."""
    mobility: "Mobility | None"
    """Mobility model, for shared media."""
    name: "Required[str]"
    """Unique name."""
    position: "Coordinates | None"
    """Initial position, for shared media."""
    publish: "list[Publish]"
    """Ports of the machine that are forwarded to ports of the node."""
    routes: "Required[list[Route]]"
    """Routes of the node, in addition to those of `routing`. For the same prefix, these take
    precedence."""
    routing: "Required[Routing]"
    """Source of the node's routes."""
    simulated: "bool"
    """Whether the node is simulated. It then has no kernel, and no program runs in it."""
    software: "Software"
    """Files, services and other software of the node."""
    spanning_tree: "SpanningTree | None"
    """Options of the Rapid Spanning Tree Protocol, if the node is a switch that runs it."""
    sysctls: "Required[dict[str, str]]"
    """Kernel parameters of its network stack, like `net.ipv4.tcp_congestion_control`."""
    together: "str | None"
    """Label: all nodes with the same one are on the same machine."""

class NodeBound(TypedDict, total=False):
    """Time during which the programs of a node waited."""
    cpu: "Required[WaitBound]"
    """Waits for a CPU. Only the part of a wait that exceeds `trust.delay` counts."""
    disk: "Required[WaitBound]"
    """Waits for a disk that others kept busy."""
    machine: "str | None"
    """Its machine, if the experiment has several."""
    memory: "Required[WaitBound]"
    """Waits for memory."""
    node: "Required[str]"
    """The node."""

class NodeFile(TypedDict, total=False):
    """A file of a node."""
    content: "Required[str]"
    """Content of the file."""
    mode: "int | None"
    """Permissions. Absent: those that a service sets for the file, or else 0644."""

class NodeLoad(TypedDict, total=False):
    """Expected load of a node; see [`Node::expected_load`](super::Node::expected_load)."""
    cpu: "CpuQuota | None"
    """CPU time that the node's processes use."""
    memory: "Size | None"
    """Memory that the node's processes use."""

class NodeStatus(TypedDict, total=False):
    """A node."""
    interfaces: "Required[list[InterfaceStatus]]"
    """Interfaces of the node. For a switch, its ports."""
    kind: "Required[NodeKind]"
    """Kind of the node."""
    limits: "Limits"
    """Limits of the node's processes. Those of its group and of the experiment apply too."""
    name: "Required[str]"
    """Name of the node."""
    namespace: "str | None"
    """Name of the network namespace for `ip netns exec`. Absent for a switch or a simulated
    node."""
    primary: "Required[list[str]]"
    """Addresses that the node's name resolves to, at most one for each family."""
    published: "list[Publish]"
    """Ports of the machine that are forwarded to the node."""
    simulated: "bool"
    """Whether the node is simulated."""
    usage: "NodeUsage | None"
    """Current and past use of resources. Absent if nothing measures it, and before the first
    process."""

class NodeUsage(TypedDict, total=False):
    """Resources that the processes of a node use and have used. Those that the machine does not
    account for are absent."""
    cpu_ns: "int | None"
    """CPU time in ns."""
    memory: "int | None"
    """Memory in bytes."""
    memory_kills: "int | None"
    """Number of processes that the kernel killed for lack of memory."""
    memory_peak: "int | None"
    """Highest memory use, in bytes."""
    pids: "int | None"
    """Number of processes and threads, without NetLoom's own init."""
    pids_peak: "int | None"
    """Highest number of processes and threads."""
    throttled: "int | None"
    """Periods of 100 ms in which the node's own CPU quota was used up. The scenario asks for
    this; it is not contention. Only with a quota."""
    throttled_ns: "int | None"
    """Time for which its processes were paused then, in ns, summed over CPUs."""

class ObstacleConfig(TypedDict, total=False):
    """Obstacles: one, or all of a file."""
    file: "DataOfPolygons | None"
    """Instead of it: a file with obstacles, GeoJSON or SUMO's `poly.xml`."""
    inside: "Attenuation"
    """Loss of each metre within: 0.4 dB/m in the source's measurements."""
    polygon: "list[list[Coordinate]] | None"
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
    rate: "Rate | None"
    """Rate of each sender while it is on. Over TCP the default is as much as the path takes."""
    sources: "int"
    """How many senders there are (default 1)."""
    start: "ModelStart"
    """`stationary` (default), or `empty`: all senders are off at first."""

class OrbitsTle(TypedDict, total=False):
    """Orbits given as two-line element sets."""
    tle: "Required[Elements]"

class OrbitsWalker(TypedDict, total=False):
    """Planes of circular orbits."""
    walker: "Required[WalkerConfig]"

class Overhead(TypedDict, total=False):
    """Costs of the monitor itself."""
    elapsed_ns: "int"
    """Time that monitoring and notification took, including times in which others held the CPU."""
    monitoring_ns: "Required[int]"
    """CPU time of probes and criteria."""
    notification_ns: "Required[int]"
    """CPU time of reporting signals."""
    preparation_ns: "int"
    """CPU time of the preparation: loading programs into the kernel, opening files. Spent once,
    while the network comes up."""
    share: "Required[float]"
    """`monitoring_ns` and `notification_ns` as a share of the run's duration, that is, of one
    CPU."""

class ParetoOfDuration(TypedDict, total=False):
    """Pareto: P(X > x) = (x_m/x)^α from x_m on, written by its mean."""
    mean: "Required[Duration]"
    """The mean, also where the tail is cut."""
    most: "Duration | None"
    """Largest value: longer ones count as this (default: nothing is cut)."""
    shape: "Required[float]"
    """The shape α, above 1; up to 2 the variance is infinite."""

class ParetoOfSize(TypedDict, total=False):
    """Pareto: P(X > x) = (x_m/x)^α from x_m on, written by its mean."""
    mean: "Required[Size]"
    """The mean, also where the tail is cut."""
    most: "Size | None"
    """Largest value: longer ones count as this (default: nothing is cut)."""
    shape: "Required[float]"
    """The shape α, above 1; up to 2 the variance is infinite."""

PathStatus = TypedDict("PathStatus", {
    "addresses": "Required[list[str]]",
    "at": "Time | None",
    "delay_ns": "Required[int]",
    "free_bits_per_second": "int | None",
    "from": "Required[str]",
    "loss": "Required[float]",
    "time_ns": "Required[int]",
    "to": "Required[str]",
}, total=False)
"""A path from one real host to another, in the simulated network of the last period."""

class PeerStatus(TypedDict, total=False):
    """What a machine knows of another one, and what crosses between the two."""
    clock: "ClockStatus | None"
    """What is known of its clock. Absent until it has answered."""
    clock_faults: "Required[int]"
    """How often what was known of its clock turned out to be wrong: steps, changes of its rate."""
    lost_probes: "Required[int]"
    """Questions among these that were not answered within a second."""
    machine: "Required[str]"
    """The other machine."""
    pipes: "Required[list[CrossingStatus]]"
    """The pipes between the two."""
    probes: "Required[int]"
    """Questions about its clock."""
    refused: "Required[int]"
    """Datagrams from it, and records in them, that were refused."""
    silent: "Duration | None"
    """Time since it last said anything about its clock. Absent until it has."""
    trouble: "str | None"
    """Why datagrams to it were last not sent, if some were not."""

class PingConfig(TypedDict, total=False):
    """Echo requests at a constant interval. The first one is sent at 0."""
    count: "int | None"
    """How many requests there are (default: no limit)."""
    interval: "Duration"
    """The time between two requests (default `1s`)."""

class PingRequest(TypedDict, total=False):
    """Nodes to ping, and how."""
    families: "Required[list[Family]]"
    """Address families to ping with."""
    nodes: "Required[list[str]]"
    """Nodes, each of which pings every other."""
    tries: "Required[int]"
    """Largest number of echo requests that a node sends to another, one each second."""

class PipeBound(TypedDict, total=False):
    """How late the frames of one pipe were, and how slow its line."""
    at_most: "Required[Lateness]"
    """Upper bound of the lateness. It adds to `late` how much earlier frames could have been
    released if the engine had read every frame when it came, and between two machines by how
    much their clocks may differ. Senders that wait for answers have adapted, so this bound may
    be too high."""
    bad: "Required[list[Span]]"
    """Times in which more frames than tolerated were late, or one was held up for too long."""
    doubtful: "Required[list[Span]]"
    """Further times in which that may have happened, according to `at_most`."""
    frames: "Required[int]"
    """Number of wire frames that left the pipe for an interface."""
    late: "Required[Lateness]"
    """Time between release and hand-over, as a frame log shows it."""
    machines: "list[str]"
    """The machines of its ends, if the experiment has several."""
    pipe: "Required[str]"
    """The link and the direction: `a--b/forward`."""
    rate: "RateError | None"
    """Shortfall of the line's rate while it was busy; `None` if it never was."""

class PipeChange(TypedDict, total=False):
    """Properties of one pipe, each optional. An absent property keeps its value."""
    background: "Background | None"
    """Cross traffic that joins in front of the queue and leaves at the end of the line: `none`
    (default), or a list of traffic models like `[{poisson: {load: 40%}, size: imix}]`, which
    add up."""
    ber: "BitErrorRate | None"
    """Bit error rate of the channel, like `1e-6` (default `0`)."""
    bit_errors: "BitErrors | None"
    """Effect of bit errors: `drop` (default: the frame check sequence catches them) or `flip`
    (the flipped bits reach the receiver)."""
    burst: "Size | None"
    """Depth of a token bucket in front of the line, like `10kB` (default `0B`): the bytes,
    framing included, that may leave at once after an idle moment. Has an effect on constant
    rates and schedules."""
    compensate: "Compensation | None"
    """Time that is subtracted from longer delays, because this machine itself takes time to
    carry a frame: `none` (default), `calibrated` for the time measured by `netloom calibrate`,
    or a time like `25us`. Simulated links take no such time and ignore it."""
    condition: "Condition | None"
    """Traffic conditioning in front of the queue: `none` (default), or a list of conditioners
    like `[{match: {dscp: ef}, meter: {rate: 5Mbit/s, burst: 20kB}, exceed: drop}]`. The first
    conditioner that matches a packet handles it."""
    corrupt: "Probability | None"
    """Probability that one bit of a frame is flipped, like `0.1%` (default `0%`)."""
    delay: "Delay | None"
    """Propagation delay, like `10ms` (default `0ns`), or one that changes with time:
    `{schedule: [{at: 0s, delay: 5ms}, {at: 60s, delay: 9ms}]}`, with linear interpolation
    between the points."""
    duplicate: "Probability | None"
    """Probability that a frame arrives twice (default `0%`)."""
    framing: "Framing | None"
    """Bytes that each frame takes on the line beside its own: `ethernet` (default: 24 bytes for
    preamble, FCS and gap, padded to the 64-byte minimum), `none`, or a size like `38B`."""
    in_flight: "InFlight | None"
    """Treatment of frames in flight when the pipe goes down: `drop` (default) or `deliver`."""
    jitter: "Jitter | None"
    """Variation of the delay from frame to frame: a duration (uniform, plus or minus), a
    distribution like `{normal: 2ms}`, or `none` (default)."""
    loss: "Loss | None"
    """Loss of frames in the channel: a probability like `1%` (default `0%`), or a model like
    `{gilbert_elliott: {p: 1%, r: 10%}}`."""
    mac_overhead: "DataOfOverheadProfile | None"
    """Extra time that each frame holds the line, drawn from a distribution: contention and
    retries of a shared medium. A file in dummynet's profile format, or a list."""
    pipe_mtu: "MtuLimit | None"
    """Largest packet that the pipe carries, in bytes without the Ethernet header and its VLAN
    tag; longer ones are dropped (default `none`). The interfaces do not know this limit, so it
    is a black hole for their path MTU discovery."""
    queue: "QueueChange | None"
    """The queue in which frames wait for the line."""
    rate: "RateLimit | None"
    """Bit rate of the line: a rate like `10Mbit/s`, `unlimited` (default: no serialization time
    and no queue), `{trace: FILE}` in Mahimahi's format, or `{schedule: […]}`."""
    reorder: "Reorder | None"
    """Which frames overtake others, like `{probability: 25%, gap: 5}`; `none` (default) keeps
    all frames in order."""
    state: "LinkState | None"
    """Whether the pipe carries frames: `up` (default) or `down`."""

class PipeConfig(TypedDict, total=False):
    """The complete configuration of one pipe."""
    background: "Required[Background]"
    """Cross traffic that joins in front of the queue and leaves at the end of the line: `none`
    (default), or a list of traffic models like `[{poisson: {load: 40%}, size: imix}]`, which
    add up."""
    ber: "Required[BitErrorRate]"
    """Bit error rate of the channel, like `1e-6` (default `0`)."""
    bit_errors: "Required[BitErrors]"
    """Effect of bit errors: `drop` (default: the frame check sequence catches them) or `flip`
    (the flipped bits reach the receiver)."""
    burst: "Required[Size]"
    """Depth of a token bucket in front of the line, like `10kB` (default `0B`): the bytes,
    framing included, that may leave at once after an idle moment. Has an effect on constant
    rates and schedules."""
    compensate: "Required[Compensation]"
    """Time that is subtracted from longer delays, because this machine itself takes time to
    carry a frame: `none` (default), `calibrated` for the time measured by `netloom calibrate`,
    or a time like `25us`. Simulated links take no such time and ignore it."""
    condition: "Required[Condition]"
    """Traffic conditioning in front of the queue: `none` (default), or a list of conditioners
    like `[{match: {dscp: ef}, meter: {rate: 5Mbit/s, burst: 20kB}, exceed: drop}]`. The first
    conditioner that matches a packet handles it."""
    corrupt: "Required[Probability]"
    """Probability that one bit of a frame is flipped, like `0.1%` (default `0%`)."""
    delay: "Required[Delay]"
    """Propagation delay, like `10ms` (default `0ns`), or one that changes with time:
    `{schedule: [{at: 0s, delay: 5ms}, {at: 60s, delay: 9ms}]}`, with linear interpolation
    between the points."""
    duplicate: "Required[Probability]"
    """Probability that a frame arrives twice (default `0%`)."""
    framing: "Required[Framing]"
    """Bytes that each frame takes on the line beside its own: `ethernet` (default: 24 bytes for
    preamble, FCS and gap, padded to the 64-byte minimum), `none`, or a size like `38B`."""
    in_flight: "Required[InFlight]"
    """Treatment of frames in flight when the pipe goes down: `drop` (default) or `deliver`."""
    jitter: "Required[Jitter]"
    """Variation of the delay from frame to frame: a duration (uniform, plus or minus), a
    distribution like `{normal: 2ms}`, or `none` (default)."""
    loss: "Required[Loss]"
    """Loss of frames in the channel: a probability like `1%` (default `0%`), or a model like
    `{gilbert_elliott: {p: 1%, r: 10%}}`."""
    mac_overhead: "Required[DataOfOverheadProfile]"
    """Extra time that each frame holds the line, drawn from a distribution: contention and
    retries of a shared medium. A file in dummynet's profile format, or a list."""
    pipe_mtu: "Required[MtuLimit]"
    """Largest packet that the pipe carries, in bytes without the Ethernet header and its VLAN
    tag; longer ones are dropped (default `none`). The interfaces do not know this limit, so it
    is a black hole for their path MTU discovery."""
    queue: "Required[QueueConfig]"
    """The queue in which frames wait for the line."""
    rate: "Required[RateLimit]"
    """Bit rate of the line: a rate like `10Mbit/s`, `unlimited` (default: no serialization time
    and no queue), `{trace: FILE}` in Mahimahi's format, or `{schedule: […]}`."""
    reorder: "Required[Reorder]"
    """Which frames overtake others, like `{probability: 25%, gap: 5}`; `none` (default) keeps
    all frames in order."""
    state: "Required[LinkState]"
    """Whether the pipe carries frames: `up` (default) or `down`."""

class PipeStatistics(TypedDict, total=False):
    """The statistics of one pipe from `since` to `at`: since its beginning, or in a [`Window`].
    All counts are of wire frames: a super-frame counts as its wire frames. Since the beginning,
    `offered + duplicated = delivered + dropped + lost_unmodelled + queue.now + in_flight` holds
    at any time, in frames and in bytes. In a window, the contents of the pipe at `since` must
    be added to the left side. If the pipe has had a background, `background.queued` must be
    subtracted from `queue.now`: queue, busy time and load include both kinds of frames, and all
    other statistics include only those that were offered."""
    aqm: "AqmState | None"
    """The state of the queue discipline at `at`, if it manages the queue actively."""
    at: "Required[Time]"
    """End of the period, at which the statistics were read, in ns since the experiment's zero."""
    background: "BackgroundStatistics | None"
    """The background traffic; absent for a pipe that has had none."""
    busy_ns: "Required[int]"
    """Time that the line spent sending, in ns."""
    corrupted: "Required[Count]"
    """Frames that arrived with flipped bits."""
    delay: "DelayStatistics | None"
    """Time from arrival to release as the model scheduled it, over all frames that it released;
    absent if there are none."""
    delivered: "Required[Count]"
    """Frames that left the pipe at its far end."""
    dropped: "Required[DropStatistics]"
    """Frames that the model dropped, by reason."""
    duplicated: "Required[Count]"
    """Copies that the channel made."""
    frame_bytes_mean: "float | None"
    """Mean length of the offered frames, in bytes; absent if there were none."""
    in_flight: "Required[Count]"
    """Frames on the line or propagating."""
    load: "Required[float]"
    """`busy_ns` as a share of the time from `since` to `at`, 0 to 1."""
    lost_percent: "float | None"
    """Share of lost frames, in percent: those that were dropped or lost_unmodelled, among these
    and the delivered ones. Absent if there are none."""
    lost_unmodelled: "Count"
    """Frames that the model released and the receiving interface refused: its node has set it
    down, it has no room, or it no longer exists."""
    marked: "Required[Count]"
    """Frames that the queue discipline marked instead of dropping (ECN)."""
    offered: "Required[Count]"
    """Frames that the sending interface offered."""
    queue: "Required[QueueStatistics]"
    """The queue in front of the line."""
    since: "Required[Time]"
    """Beginning of the period, in ns since the experiment's zero."""

class PlacementOptions(TypedDict, total=False):
    """How nodes are placed on several machines."""
    headroom: "Required[Probability]"
    """Share of each machine's capacity that may be used, more than 0."""
    objective: "Required[Objective]"
    """Number of machines that are used."""
    solve_for: "Required[Duration]"
    """Length of the search for a better placement. It counts in steps of the search, so that a
    search has the same result on any machine."""

class PoissonConfig(TypedDict, total=False):
    """Frames that arrive as a Poisson process."""
    load: "Load | None"
    """The mean rate as a share of the line's."""
    rate: "Rate | None"
    """The mean rate of the frames' bytes."""

class PortTree(TypedDict, total=False):
    """Spanning tree options of a port."""
    cost: "int | None"
    """Path cost, from 1 to 200,000,000. Absent: derived from the link's rate."""
    priority: "int | None"
    """Port priority, a multiple of 16 from 0 to 240. Absent: 128. If several ports of the same
    neighbour have equal costs, the one with the lowest priority wins."""

class PortVlansTrunk(TypedDict, total=False):
    """The port carries several VLANs, which are distinguished by tags."""
    trunk: "Required[Trunk]"

class Position(TypedDict, total=False):
    """A position on the plane, in metres."""
    x: "Required[float]"
    """Distance to the east."""
    y: "Required[float]"
    """Distance to the north."""
    z: "float"
    """Distance upwards."""

class PositionsRequest(TypedDict, total=False):
    """New positions, all at one time, in columns: the first node is at the first `x` and `y`."""
    nodes: "Required[list[str]]"
    """The nodes."""
    x: "Required[list[float]]"
    """Metres to the east, one for each node."""
    y: "Required[list[float]]"
    """Metres to the north, one for each node."""
    z: "list[float] | None"
    """Metres upwards, one for each node (default: 0)."""

class PpbpConfig(TypedDict, total=False):
    """Bursts that begin as a Poisson process, last by a Pareto distribution, and send at one
    rate."""
    burst: "Required[Duration]"
    """How long a burst lasts on average."""
    burst_rate: "Rate | None"
    """The rate of one burst."""
    bursts: "float | None"
    """How many bursts begin in a second, on average."""
    hurst: "Required[float]"
    """The Hurst parameter, above 0.5 and below 1: bursts have the Pareto shape 3 − 2H."""
    load: "Load | None"
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
    background: "Required[bool]"
    """Whether the run ends without waiting for the process."""
    command: "Required[Command]"
    """Command to execute. Its working directory is the scenario's directory."""
    env: "Required[dict[str, str]]"
    """Environment variables, in addition to those of the run itself."""
    keep: "Required[list[str]]"
    """Paths of files in the node that are kept with the results."""
    name: "Required[str]"
    """Unique name."""
    nodes: "Required[list[str]]"
    """Nodes that the process runs in. Each gets an instance of it."""
    ready: "Ready | None"
    """Condition under which the process counts as ready. Without it, the process is ready when
    it has started."""
    start: "Required[Start]"
    """Time at which the process starts."""

class ProcessStateDone(TypedDict, total=False):
    """It has ended."""
    done: "Required[ProcessStateDoneDone]"

class ProcessStateDoneDone(TypedDict, total=False):
    code: "Required[int]"
    """Exit code; 128 + the signal's number if a signal ended it."""

class ProcessStateFailed(TypedDict, total=False):
    """It could not be started."""
    failed: "Required[ProcessStateFailedFailed]"

class ProcessStateFailedFailed(TypedDict, total=False):
    reason: "Required[str]"
    """Reason of the failure."""

class ProcessStateReady(TypedDict, total=False):
    """It runs and is ready."""
    ready: "Required[ProcessStateReadyReady]"

class ProcessStateReadyReady(TypedDict, total=False):
    pid: "Required[int]"
    """Process id in the node."""

class ProcessStateStarted(TypedDict, total=False):
    """It runs, and its `ready` test has not passed yet."""
    started: "Required[ProcessStateStartedStarted]"

class ProcessStateStartedStarted(TypedDict, total=False):
    pid: "Required[int]"
    """Process id in the node."""

class ProcessStatus(TypedDict, total=False):
    """A process of the scenario in one node."""
    node: "Required[str]"
    """Name of the node."""
    process: "Required[str]"
    """Name of the process."""
    state: "Required[ProcessState]"
    """State of the process."""

Program = TypedDict("Program", {
    "in": "list[str]",
    "package": "Required[str]",
}, total=False)
"""A program that a service needs."""

class ProgressEnded(TypedDict, total=False):
    """A run has ended; with `--repeat`, one of several."""
    ended: "Required[RunEnd]"

class ProgressEvent(TypedDict, total=False):
    """Something has happened in an emulated run."""
    event: "Required[Event]"

class ProgressFailed(TypedDict, total=False):
    """The command has failed."""
    failed: "Required[Failure]"

class ProgressNodes(TypedDict, total=False):
    """So many of the nodes exist."""
    nodes: "Required[ProgressShare]"

class ProgressNote(TypedDict, total=False):
    """Something the user should know."""
    note: "Required[str]"

class ProgressReady(TypedDict, total=False):
    """The experiment is ready, and its API answers."""
    ready: "Required[Readiness]"

class ProgressServices(TypedDict, total=False):
    """So many of the services are ready."""
    services: "Required[ProgressShare]"

class ProgressShare(TypedDict, total=False):
    """Part of a number of things."""
    done: "Required[int]"
    """Things that are done."""
    total: "Required[int]"
    """Things there will be."""

class ProgressSimulated(TypedDict, total=False):
    """A simulation has come so far."""
    simulated: "Required[Simulated]"

class ProgressUp(TypedDict, total=False):
    """The network is up, and what runs from the start is still to become ready."""
    up: "Required[dict[str, Any]]"

class PropagationRange(TypedDict, total=False):
    """All of the signal within a distance, nothing beyond (Maier 2011 §3.7.3; Zheng 2003 §4.3)."""
    range: "Required[RangeConfig]"

class Publish(TypedDict, total=False):
    """A port of the machine that is forwarded to a port of a node."""
    address: "str | None"
    """Address that the machine listens on. Absent: its loopback addresses."""
    port: "Required[int]"
    """Port of the machine."""
    protocol: "Required[Protocol]"
    """Transport protocol."""
    to: "Required[int]"
    """Port of the node, at 127.0.0.1 or, if nothing listens there, at ::1."""

class QueueChange(TypedDict, total=False):
    """A change of the queue in which frames wait for the line."""
    discipline: "Discipline | None"
    """The queue discipline (default `fifo`): a name, or a table of its parameters like `{codel:
    {target: 5ms}}`."""
    full: "WhenFull | None"
    """Treatment of frames that come when it is full: `drop` (default) or `wait`. With `wait`
    nothing is dropped here. Instead, the interface in front of the pipe is not read any
    further, so frames wait in the node's own queue. `wait` requires a constant rate and `fifo`."""
    limit: "QueueLimit | None"
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

class QueueStatistics(TypedDict, total=False):
    """The queue in front of the line, without the frame on the line."""
    fill: "float | None"
    """The mean queue as a share of the limit at `at`: in frames if the limit is in packets,
    otherwise in bytes on the line; for the default limit, the smaller share. Absent if nothing
    limits the queue, or nothing may wait."""
    maximum: "Required[Count]"
    """Largest numbers of frames and of bytes that waited at any moment (not necessarily at the
    same one)."""
    mean_frames: "Required[float]"
    """Number of waiting frames, averaged over time."""
    now: "Required[Count]"
    """Frames that wait now."""
    seen_mean_frames: "float | None"
    """Number of waiting frames that an offered frame found, averaged over the offered frames;
    the frame itself and the frame on the line are not counted. All frames of a super-frame find
    the same number. Absent if no frame was offered."""

class RadioConfig(TypedDict, total=False):
    """The keys of a channel. Each may be left away."""
    bandwidth: "Frequency"
    """The channel's width, which says how much noise there is (default `20MHz`)."""
    coherence: "Duration | None"
    """For how long a pair keeps its fading, about 0.423·c/(v·f) (default: each frame has its
    own)."""
    error_table: "DataOfErrorTable | None"
    """Measured losses of frames instead of formulas: a file with lines of
    `rate,snr,bytes,loss`. Rates that it does not have keep their formulas."""
    fading: "Fading"
    """How the power of frames varies (default `none`)."""
    frequency: "Frequency"
    """The carrier's frequency (default `2.412GHz`)."""
    noise_figure: "Gain"
    """Noise of receivers beside thermal noise (default `7dB`)."""
    obstacles: "list[ObstacleConfig]"
    """Buildings (default: none)."""
    propagation: "Propagation"
    """Path loss (default `free_space`)."""
    quantise: "Length | None"
    """Positions are rounded to the middles of squares of this size, as NET did it (default: not
    at all)."""
    shadowing: "ShadowingConfig | None"
    """Log-normal shadows (default: none)."""

class RangeConfig(TypedDict, total=False):
    """A disk: frames are understood within `reach`, and sensed within `sense`."""
    reach: "Required[Length]"
    """Up to which distance frames can be understood, this distance included."""
    sense: "Length | None"
    """Up to which distance they occupy the channel (default: `reach`)."""

class RateError(TypedDict, total=False):
    """Shortfall of a line's rate, in the seconds in which the line was busy."""
    busy: "Required[Duration]"
    """Time during which it was busy."""
    lost: "Required[Duration]"
    """The part of that time during which it may have been idle although a frame waited that the
    engine had not read yet."""
    share: "Required[float]"
    """`lost` as a share of `busy`."""

class RatesConfig(TypedDict, total=False):
    """A rate that changes at given times: a `schedule`, or a `file` with a rate for each
    `step`."""
    file: "DataOfRateList | None"
    """A file with a rate like `10Mbit/s`, or `0`, in each line; or a list of them."""
    repeat: "Duration | None"
    """After this time it starts again (default: the last rate of a schedule stays, and a file
    ends)."""
    schedule: "list[ScheduleStep] | None"
    """Rates and the times from which they hold: for each step `at` and `rate`; the first at
    `0s`."""
    step: "Duration | None"
    """How long each rate of the file holds."""

Reach = TypedDict("Reach", {
    "address": "Required[str]",
    "error": "str | None",
    "from": "Required[str]",
    "rtt_ms": "float | None",
    "sent": "Required[int]",
    "to": "Required[str]",
}, total=False)
"""Result of one node pinging another."""

class Readiness(TypedDict, total=False):
    """An experiment that is ready."""
    engine_pid: "Required[int]"
    """Process id of its engine."""
    experiment: "Required[str]"
    """Name of the experiment."""
    seconds: "Required[float]"
    """Wall time from the start to readiness, in seconds."""
    socket: "Required[str]"
    """Socket of its API."""

class ReadyCommand(TypedDict, total=False):
    """This command, tried every 100 ms in the node, has succeeded."""
    command: "Required[Command]"

class ReadyPath(TypedDict, total=False):
    """This path exists in the node."""
    path: "Required[str]"

class ReceivedTotal(TypedDict, total=False):
    """Traffic that a host received from another."""
    bytes: "Required[int]"
    """Bytes of their IP packets."""
    delay_mean_ns: "Required[int]"
    """Mean delay, in ns."""
    frames: "Required[int]"
    """Number of frames."""

class Recurs(TypedDict, total=False):
    """Repetition of an event."""
    every: "Required[Duration]"
    """Period of the repetition."""
    lasts: "Duration | None"
    """Duration of each change. Absent: it is not reverted."""
    times: "int | None"
    """Largest number of times that it happens."""
    until: "Duration | None"
    """Time before which it repeats."""

class Reordering(TypedDict, total=False):
    """Selects the frames that are sent out of turn. With a probability of zero there are none,
    and only the jitter reorders."""
    extra_delay: "Duration | None"
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
    stretch: "float | None"
    """Factor for the times between frames, from 0.001 to 1000 (default 1): 10 is ten times
    slower."""

class ResourceBuffer(TypedDict, total=False):
    """Buffers of a node's sockets."""
    kind: "Required[Literal['buffer']]"
    of: "Required[Buffer]"
    """The buffer."""
    who: "Required[Who]"
    """The node."""

class ResourceChanges(TypedDict, total=False):
    """Changes that several machines make at one instant."""
    kind: "Required[Literal['changes']]"

class ResourceClock(TypedDict, total=False):
    """The clock of another machine."""
    kind: "Required[Literal['clock']]"
    machine: "Required[str]"
    """The other machine."""

class ResourceCpu(TypedDict, total=False):
    """A CPU."""
    cpu: "Required[int]"
    """Its number."""
    kind: "Required[Literal['cpu']]"

class ResourceDisk(TypedDict, total=False):
    """A disk."""
    kind: "Required[Literal['disk']]"
    name: "Required[str]"
    """Its name."""

class ResourceEngine(TypedDict, total=False):
    """The engine as a whole: it did not run."""
    kind: "Required[Literal['engine']]"

class ResourceEvents(TypedDict, total=False):
    """The events of the timeline that happened."""
    kind: "Required[Literal['events']]"

class ResourceFaults(TypedDict, total=False):
    """Memory: major faults and refaults of nodes."""
    kind: "Required[Literal['faults']]"

class ResourceFlowDelay(TypedDict, total=False):
    """The delay of real flows of a symbiotic run."""
    kind: "Required[Literal['flow_delay']]"

class ResourceFlowThroughput(TypedDict, total=False):
    """The throughput of real flows of a symbiotic run."""
    kind: "Required[Literal['flow_throughput']]"

class ResourceFrames(TypedDict, total=False):
    """The engine's schedule: the 99th percentile of all frames in a window."""
    kind: "Required[Literal['frames']]"

class ResourceInternal(TypedDict, total=False):
    """Forwarding between the nodes of this machine."""
    kind: "Required[Literal['internal']]"

class ResourceLosses(TypedDict, total=False):
    """A place where frames are lost."""
    cause: "Required[DropCause]"
    """The place."""
    kind: "Required[Literal['losses']]"

class ResourceLostPeriods(TypedDict, total=False):
    """Periods of a symbiotic run that pipes followed so late that they followed another
    network."""
    kind: "Required[Literal['lost_periods']]"

class ResourceMachine(TypedDict, total=False):
    """A machine of the experiment."""
    kind: "Required[Literal['machine']]"
    name: "Required[str]"
    """Its name."""

class ResourceMetric(TypedDict, total=False):
    """A metric of an application."""
    kind: "Required[Literal['metric']]"
    name: "Required[str]"
    """Its name."""
    who: "Required[Who]"
    """The node that reported it."""

class ResourceMissedEvents(TypedDict, total=False):
    """The events of the timeline that had not happened when the run ended."""
    kind: "Required[Literal['missed_events']]"

class ResourcePeriods(TypedDict, total=False):
    """The periods of a symbiotic run."""
    kind: "Required[Literal['periods']]"

class ResourcePipe(TypedDict, total=False):
    """The frames of a pipe."""
    kind: "Required[Literal['pipe']]"
    name: "Required[str]"
    """The link and the direction: `a--b/forward`."""

class ResourcePressure(TypedDict, total=False):
    """A resource for which tasks waited."""
    kind: "Required[Literal['pressure']]"
    of: "Required[Pressure]"
    """The resource."""
    who: "Required[Who]"
    """The party whose tasks waited."""

class ResourceRunQueue(TypedDict, total=False):
    """The CPUs, for which tasks wait."""
    kind: "Required[Literal['run_queue']]"
    who: "Required[Who]"
    """The party whose tasks wait."""

class ResourceSingleFrame(TypedDict, total=False):
    """The engine's schedule: the latest frame of all."""
    kind: "Required[Literal['single_frame']]"

class ResourceSwap(TypedDict, total=False):
    """Memory: pages swapped."""
    kind: "Required[Literal['swap']]"

class ResourceUplink(TypedDict, total=False):
    """An uplink."""
    kind: "Required[Literal['uplink']]"
    name: "Required[str]"
    """Its name."""

class Route(TypedDict, total=False):
    """A route of a node, written in the scenario."""
    interface: "str | None"
    """Interface to send through; absent if the next hop determines it."""
    metric: "int | None"
    """Metric of the route. Of several routes to a destination, the kernel uses the one with the
    lowest metric."""
    to: "Required[IpPrefix]"
    """Destination; `0.0.0.0/0` or `::/0` is the default route."""
    via: "str | None"
    """Next hop; absent if the destination is directly connected."""

class RouteChangeAdd(TypedDict, total=False):
    """Adds the route. No route with the same destination and metric may exist."""
    add: "Required[Route]"

class RouteChangeRemove(TypedDict, total=False):
    """Removes the route to this destination, the one with the lowest metric if there are
    several. One must exist."""
    remove: "Required[IpPrefix]"

class RouteChangeReplace(TypedDict, total=False):
    """Adds the route, replacing the one with the same destination and metric if there is one."""
    replace: "Required[Route]"

class RoutesRequest(TypedDict, total=False):
    """Changes of a node's routes, applied one after the other. If one of them fails, those
    before it are reverted."""
    changes: "Required[list[RouteChange]]"
    """The changes, in order."""

class RoutesResponse(TypedDict, total=False):
    """Results of changing routes."""
    at: "Required[Time]"
    """Time at which all changes had been made, in nanoseconds since zero."""
    routes: "Required[list[ChangedRoute]]"
    """Result of each change, in order."""

class RunEnd(TypedDict, total=False):
    """The end of a run."""
    code: "Required[int]"
    """Exit code of the run."""
    judgement: "Judgement | None"
    """Whether the run can be trusted. Absent for simulated runs, which no machine disturbs."""
    outcome: "Required[list[str]]"
    """How it ended, and why if that is a failure: lines for people."""
    results: "Required[str]"
    """Directory of the results."""
    success: "Required[bool]"
    """Whether everything in the run went well."""

class Scenario(TypedDict, total=False):
    """One experiment, resolved."""
    constellations: "list[Constellation]"
    """Constellations whose satellites are among the nodes."""
    dilation: "Dilation"
    """Time dilation: the machine's time divided by the experiment's."""
    drawing: "DrawingOptions"
    """How the network is drawn."""
    duration: "Duration | None"
    """Duration of a run. Without it, a run ends when every foreground process has ended and the
    timeline is over."""
    expect: "list[Expectation]"
    """Expectations about processes, in the order of the file."""
    group_limits: "dict[str, Limits]"
    """Limits on the machine's resources that the nodes of a group together may use, for groups
    that have such limits. A node is in at most one of these groups."""
    links: "Required[list[Link]]"
    """All links, in the order of the file."""
    measure: "Required[Measure]"
    """Measurements that a run makes."""
    monitor: "Required[Monitor]"
    """Criteria and options of the monitor."""
    name: "Required[str]"
    """Name of the experiment."""
    neighbours: "KnownNeighbours"
    """Whether nodes know the Ethernet addresses of their neighbours from the start."""
    nodes: "Required[list[Node]]"
    """All nodes, in the order of the file."""
    origin: "Geographic | None"
    """Geographic origin of the plane that nodes are on, if positions are in degrees."""
    placement: "PlacementOptions"
    """How nodes are placed on several machines."""
    processes: "Required[list[Process]]"
    """Processes that run in the nodes, in the order of the file."""
    seed: "Required[int]"
    """Seed of all random streams of the experiment."""
    simulation: "SimulationOptions"
    """Options of runs in virtual time."""
    symbiosis: "Symbiosis | None"
    """Options of a symbiotic run; present only if the run is symbiotic."""
    templates: "dict[str, ServiceTemplate]"
    """Templates of the services that nodes run."""
    timeline: "Required[list[TimelineEvent]]"
    """Events, each with its time, in the order of the file."""
    total_limits: "Limits"
    """Limits on the machine's resources that all nodes together may use."""
    traffic: "list[Traffic]"
    """Traffic between nodes, in the order of the file."""
    workers: "Workers"
    """CPUs of the engine's workers."""

class ScenarioInForce(TypedDict, total=False):
    """The scenario in force: the one that was deployed, or the last that was applied. Changes
    of single links and media since are in the state of these."""
    file: "Required[str]"
    """Absolute path of the scenario's file. That of standard input ends with `/-`."""
    scenario: "Required[Scenario]"
    """The resolved scenario."""
    text: "str | None"
    """The scenario's text as its user wrote it. Null if whoever applied it has not sent it."""

class ServiceOption(TypedDict, total=False):
    """An option of a service."""
    default: "OptionValue | None"
    """Value if the scenario does not set the option."""
    description: "str"
    """Description of the option."""
    kind: "OptionKind"
    """Type of its values."""
    max: "int | None"
    """Largest number that is valid."""
    min: "int | None"
    """Smallest number that is valid."""
    one_of: "list[str] | None"
    """Texts that are valid, or for a list the first words of valid lines. Absent: any."""
    per_interface: "bool"
    """Whether interfaces may have values of their own, as `interface.options.NAME`."""
    required: "bool"
    """Whether the scenario must set the option."""

class ServiceStateFailed(TypedDict, total=False):
    """It could not be started, or has ended."""
    failed: "Required[ServiceStateFailedFailed]"

class ServiceStateFailedFailed(TypedDict, total=False):
    reason: "Required[str]"
    """Reason of the failure, or how it ended."""

class ServiceStateReady(TypedDict, total=False):
    """It runs and is ready."""
    ready: "Required[ServiceStateReadyReady]"

class ServiceStateReadyReady(TypedDict, total=False):
    pid: "Required[int]"
    """Process id in the node."""

class ServiceStateStarting(TypedDict, total=False):
    """It runs, and is not ready yet."""
    starting: "Required[ServiceStateStartingStarting]"

class ServiceStateStartingStarting(TypedDict, total=False):
    pid: "Required[int]"
    """Process id in the node."""

class ServiceStateUnhealthy(TypedDict, total=False):
    """It runs but does not work."""
    unhealthy: "Required[ServiceStateUnhealthyUnhealthy]"

class ServiceStateUnhealthyUnhealthy(TypedDict, total=False):
    pid: "Required[int]"
    """Process id in the node."""

class ServiceStatus(TypedDict, total=False):
    """A service of a node."""
    log: "Required[str]"
    """File with the service's output, on the machine."""
    node: "Required[str]"
    """Name of the node."""
    service: "Required[str]"
    """Name of the service."""
    state: "Required[ServiceState]"
    """State of the service."""

class ServiceTemplate(TypedDict, total=False):
    """A program that nodes can run as a service. The texts of `directories`, `files`,
    `prepare`, `command`, `ready`, `health` and `speaks` are Jinja templates."""
    command: "Required[list[str]]"
    """The program and its arguments. It must stay in the foreground."""
    compares: "dict[str, Compared]"
    """Settings of each protocol that neighbours compare. `validate` reports neighbours whose
    settings keep them from meeting."""
    description: "str"
    """Description of the service, in one line."""
    directories: "dict[str, TemplateDirectory]"
    """Directories of the node that are created empty, even where the machine has such a
    directory."""
    files: "dict[str, TemplateFile]"
    """Files that are generated. A scenario's `files` take precedence over them."""
    health: "TemplateTest | None"
    """Test that the service still works, every 10 s. Without it, a service works while it runs."""
    needs: "list[str]"
    """Services that must be ready in the node before this one starts."""
    options: "dict[str, ServiceOption]"
    """Options that a scenario may set."""
    prepare: "list[list[str]]"
    """Commands that must succeed before the service starts."""
    programs: "dict[str, Program]"
    """Programs that must be installed. `{{ programs.NAME }}` is the path of one."""
    ready: "TemplateTest | None"
    """Test that the service is ready. Without it, the service is ready when it has started."""
    routing: "bool"
    """Whether the service provides the node's routes. The default of `routing` is then
    `daemon`."""
    speaks: "dict[str, str]"
    """Protocols that the service speaks, each with the data that neighbours need: `bgp: "{{
    options.as }}"`. A protocol whose text is empty or `false` is not spoken."""
    user: "str | None"
    """User that the service switches to, if it does. The user must exist."""

class ServiceUse(TypedDict, total=False):
    """A service in a node."""
    options: "Required[dict[str, OptionValue]]"
    """Values of all options of the template that have a value."""
    template: "Required[str]"
    """Key of its template in the scenario's `templates`."""

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

class Share(TypedDict, total=False):
    """A party's share of something. The shares add up to the whole exactly."""
    amount: "Required[int]"
    """Amount, by signal: late frames, lost frames, packets without room, ns of CPU time, waits,
    bits, pages, requests (ns where a disk was polled), ns of steal, ns of standing still,
    reports."""
    share: "Required[float]"
    """`amount` as a share of the whole, 0 to 1."""
    who: "Required[Who]"
    """The party."""

class Signal(TypedDict, total=False):
    """A report that contention began, grew, or ended."""
    at: "Required[Time]"
    """Time of the change. A beginning: when the criterion was met. An end: when the criterion
    last held."""
    change: "Required[Change]"
    """Which of the three."""
    on: "Required[Resource]"
    """The resource."""
    shares: "Required[list[Share]]"
    """The parties that caused it so far, the heaviest first: at most [`Signal::PARTIES`], and
    the others as one."""
    signal: "Required[SignalKind]"
    """The signal."""
    threshold: "Required[float]"
    """The threshold, in the signal's unit."""
    value: "Required[float]"
    """The value, in the signal's unit. An end: the largest value of the episode."""

class SignalReport(TypedDict, total=False):
    """Report on one signal on one resource."""
    episodes: "Required[list[Episode]]"
    """The episodes in which it held. Gaps shorter than [`Episode::GAP`] do not separate
    episodes."""
    held: "Required[Duration]"
    """Time during which contention held since the experiment had warmed up."""
    machine: "str | None"
    """The machine of the resource, in an experiment on several machines."""
    margin: "float | None"
    """Distance of the worst value below the threshold, as a share of the threshold: 1 if
    untouched, 0 at the threshold, negative above it. With a threshold of zero it is 1 or −1."""
    on: "Required[Resource]"
    """The resource."""
    shares: "Required[list[Share]]"
    """The parties that caused it in all counted episodes, the heaviest first: at most
    [`Episode::PARTIES`], and the others as one."""
    signal: "Required[SignalKind]"
    """The signal, which gives the unit of the values."""
    threshold: "float | None"
    """The threshold; `None` if there is none to test against."""
    worst: "float | None"
    """The worst value since the experiment had warmed up; `None` if none was measured."""

class Simulated(TypedDict, total=False):
    """The progress of a simulation."""
    seconds: "Required[float]"
    """Virtual time that has been simulated, in seconds."""
    whole_seconds: "float | None"
    """Virtual time of the whole run, in seconds, if it is known."""

class SimulationOptions(TypedDict, total=False):
    """Options of runs in virtual time. Results do not depend on `processes`, `threads` and
    `cells`."""
    cells: "int | None"
    """Largest number of cells that the network is divided into. Absent: several for each thread
    if there are several threads."""
    processes: "int | None"
    """Largest number of processes of the simulation. Absent: 1."""
    reroute: "Duration | None"
    """Time from a link going down or up until routes avoid the parts that are down. Absent:
    routes stay as planned."""
    tcp_hz: "int | None"
    """`CONFIG_HZ` of the hosts' TCP, in Hz. Absent: the default of the TCP model."""
    threads: "Threads"
    """Number of threads of all processes together."""

class SimulationSummary(TypedDict, total=False):
    """Work and limits of a simulation."""
    busiest_second: "float | None"
    """In a hybrid run, share of the busiest second for which its thread was busy: about 1 if it
    could not keep up."""
    cells: "Required[int]"
    """Number of cells that the network was divided into."""
    events: "Required[int]"
    """Number of events."""
    highest_load: "float | None"
    """In a hybrid run, largest number of seconds of the machine that one second of the
    experiment took."""
    not_forwarded: "Required[dict[str, int]]"
    """Packets that nodes neither forwarded nor received, by reason."""
    not_modelled: "Required[list[str]]"
    """Parts of the scenario that were not modelled, one sentence each."""
    packet_hops: "Required[int]"
    """Number of times that a frame left a pipe."""
    processes: "int"
    """Number of processes of the simulation."""
    same_for_all_seeds: "bool"
    """Whether nothing in the run was drawn at random, so that it is the same with every seed
    and repetitions add no precision."""
    symbiosis: "SymbiosisSummary | None"
    """In a symbiotic run, how pipes between real hosts followed the simulation."""
    threads: "Required[int]"
    """Number of threads of all processes together."""
    wall_seconds: "Required[float]"
    """Duration in seconds of real time. In a hybrid run, the time for which its thread was
    busy."""

class Software(TypedDict, total=False):
    """Software of a node, apart from its network stack."""
    binds: "dict[str, Bind]"
    """Files and directories of the machine that appear in the node, by their paths in the node."""
    env: "dict[str, str]"
    """Environment variables of all processes of the node."""
    files: "dict[str, NodeFile]"
    """Files, by their paths in the node."""
    root: "str | None"
    """Source of the root file system: a directory, a tarball or an OCI layout, absolute or
    relative to the scenario's directory. Absent: the machine's."""
    services: "dict[str, ServiceUse]"
    """Services by name, including those that other services need."""
    startup: "list[Command]"
    """Commands that run once, in order, when the network is up."""

Span = TypedDict("Span", {
    "from": "Required[Time]",
    "to": "Required[Time]",
}, total=False)
"""An interval of a run's time."""

class SpanningTree(TypedDict, total=False):
    """Options of a switch in the spanning tree (IEEE 802.1D-2004, clause 17)."""
    forward_delay: "int"
    """Seconds that a port spends in listening and then in learning, where it has to wait."""
    hello: "int"
    """Seconds between two hellos."""
    max_age: "int"
    """Age in seconds at which information about the root is dropped; each switch on its way
    adds one. While the switch is the root, its three times are those of the whole tree."""
    priority: "Required[int]"
    """Bridge priority: a multiple of 4096 from 0 to 61440. The switch with the lowest one
    becomes the root."""

class StartAfter(TypedDict, total=False):
    """`delay` after a process has reached a milestone in every node in which it runs."""
    after: "Required[StartAfterAfter]"

class StartAfterAfter(TypedDict, total=False):
    delay: "Required[Duration]"
    """Additional delay after the milestone."""
    process: "Required[str]"
    """The process' name."""
    when: "Required[Milestone]"
    """The milestone."""

class StartAt(TypedDict, total=False):
    """This time."""
    at: "Required[Duration]"

class StationChange(TypedDict, total=False):
    """A change of a station. Absent properties keep their values."""
    cw: "Window | None"
    """Smallest and largest contention window, in slots."""
    on: "bool | None"
    """Whether the radio is on."""
    power: "Power | None"
    """Transmit power."""
    rate: "Rate | None"
    """Rate of its data frames."""
    speed: "Speed | None"
    """Speed of the movement. Without it, the station is at the new position immediately."""
    to: "Position | None"
    """New position, or destination of a movement if `speed` is set."""

class StationRequest(TypedDict, total=False):
    """A change of a station; what is absent stays as it is."""
    cw: "Window | None"
    """Smallest and largest contention window, in slots."""
    node: "Required[str]"
    """Its node."""
    on: "bool | None"
    """Whether the radio is on."""
    power: "Power | None"
    """Transmit power."""
    rate: "Rate | None"
    """Rate of its data frames."""
    speed: "Speed | None"
    """Speed of the movement. Without it, the station is at the new position immediately."""
    to: "Position | None"
    """New position, or destination of a movement if `speed` is set."""

class StationSetup(TypedDict, total=False):
    """Properties of the station of an interface. Absent ones are those of the medium."""
    antenna: "Antenna | None"
    """Antenna."""
    cw: "Window | None"
    """Smallest and largest contention window, in slots."""
    power: "Power | None"
    """Transmit power."""
    rate: "Rate | None"
    """Rate of its data frames."""

class StationStatistics(TypedDict, total=False):
    """Counters of a station since it was added. Frames are counted with the bytes of their
    Ethernet frames, without FCS."""
    access_delay: "AccessDelay | None"
    """From when a frame's turn came to when it was sent, and acknowledged where that is asked
    for."""
    airtime_by_kind_ns: "dict[str, int]"
    """The airtime by the kind of frame sent: `data`, `rts`, `cts`, `ack` or `jam`. Kinds that
    never occurred are absent."""
    airtime_ns: "Required[int]"
    """Nanoseconds that it was sending."""
    attempts: "Required[int]"
    """How often it sent a frame, asked to, or tried."""
    busy_ns: "Required[int]"
    """Nanoseconds that it sensed others."""
    collisions: "Required[int]"
    """Signals that it was receiving when another destroyed them."""
    dropped: "Required[dict[str, Count]]"
    """Frames that it was given, by why they were lost."""
    failed: "Required[Count]"
    """Frames that it gave up."""
    missed: "Required[dict[str, Count]]"
    """Frames of others that were for it and that it did not receive, by why; each try counts."""
    offered: "Required[Count]"
    """Frames that it was given to send."""
    received: "Required[Count]"
    """Frames for it that it received."""
    retries: "Required[int]"
    """Attempts that were not the first for their frame."""
    sent: "Required[Count]"
    """Frames that it is done with: sent, and acknowledged where that is asked for."""

class StationStatus(TypedDict, total=False):
    """A station on a medium."""
    interface: "Required[Endpoint]"
    """Its interface."""
    on: "Required[bool]"
    """Whether its radio is on."""
    position: "Position | None"
    """Where it is; absent while it is away."""
    queued: "Required[int]"
    """Frames that wait in it, with the one that it serves."""
    statistics: "Required[StationStatistics]"
    """Its counters."""
    window: "Required[int]"
    """The contention window from which it draws its next backoff, in slots."""

class Subinterface(TypedDict, total=False):
    """Parent and VLAN of a VLAN sub-interface like `eth1.10`."""
    of: "Required[str]"
    """Name of the parent interface, like `eth1`."""
    vlan: "Required[int]"
    """VLAN whose tag the sub-interface's frames have at the parent."""

class Summary(TypedDict, total=False):
    """Summary of a finished run."""
    deploy_seconds: "Required[float]"
    """Time until the network was up, in seconds."""
    dilation: "Dilation"
    """Time dilation: the machine's time divided by the experiment's. Absent if it is 1."""
    ended: "Required[Time]"
    """End of the run, in nanoseconds since zero. With a `duration`, what was sent by then has
    arrived or is given up, so all counts are of the time up to here."""
    expectations: "list[ExpectationStatus]"
    """Expectations about processes, and whether they were met."""
    failures: "Required[list[str]]"
    """Failures, in words. Empty if `success`."""
    file: "Required[str]"
    """Path of the scenario file."""
    flows: "list[FlowStatus]"
    """Flows of traffic, with their counters."""
    frame_log: "FrameLogSummary | None"
    """Summary of the frame log, if the run wrote one."""
    links: "Required[list[LinkStatus]]"
    """Links with their total statistics."""
    machines: "list[MachineSummary]"
    """Machines of the run, if there were several. Times of the results are those of the clock
    of the first one."""
    media: "list[MediumStatus]"
    """Shared media at the end of the run, with the counters of their stations."""
    mode: "Mode"
    """The part that carried the packets."""
    name: "Required[str]"
    """Name of the experiment."""
    placement: "dict[str, str]"
    """Machine of each node, if there were several machines."""
    processes: "Required[list[ProcessStatus]]"
    """Processes, and how they ended."""
    ready_seconds: "float | None"
    """Time until all that runs from the start was ready, in seconds. Absent if nothing does."""
    reason: "Required[EndReason]"
    """Reason for the end of the run."""
    seed: "Required[int]"
    """Seed of all random streams."""
    simulation: "SimulationSummary | None"
    """Results of the simulation, if this run was one."""
    started_unix: "Required[float]"
    """Date of zero, when all that runs from the start was ready, in seconds since 1970-01-01
    UTC."""
    success: "Required[bool]"
    """Whether every foreground process and every command of the timeline ended with exit code
    0, every change was made, and every expectation was met."""
    timeline: "list[TimelineStatus]"
    """Events of the timeline, in the order of the scenario."""
    timing: "Timing | None"
    """How exactly the engine kept its schedule. Absent for a simulation, which uses no clock."""
    usage: "dict[str, NodeUsage]"
    """Resources of the machine that nodes used, by name of the node, as far as known."""
    verdict: "Verdict | None"
    """Whether the run can be trusted."""
    version: "Required[str]"
    """Version of NetLoom."""
    vlan_ports: "dict[str, VlanPortStatus]"
    """Ports of switches with VLANs, by name."""
    warnings: "Required[list[str]]"
    """Facts to check before relying on the results."""

class Symbiosis(TypedDict, total=False):
    """Options of a symbiotic run: real hosts, joined by pipes that follow a simulation."""
    calibration: "Required[CalibrationMethod]"
    """Method that converts the simulation's reports to settings of the pipes."""
    downscale: "Required[bool]"
    """Whether each chain of links becomes one pipe."""
    loss: "Required[LossMethod]"
    """Which frames are lost."""
    period: "Duration | None"
    """Time between calibrations of the pipes. Absent: the shortest that the network's rates
    allow."""
    twins: "TwinMethod"
    """Representation of real TCP in the simulation."""

class SymbiosisSummary(TypedDict, total=False):
    """How pipes between real hosts followed a simulation."""
    computed_mean: "Required[Duration]"
    """Mean time from the end of a period until its calibrations took effect."""
    computed_most: "Required[Duration]"
    """Longest time from the end of a period until its calibrations took effect."""
    flows: "list[FollowingFlow]"
    """Traffic from one real host to another, for each pair of hosts."""
    late: "Required[int]"
    """Periods for which that took more than half a period."""
    missed: "Required[int]"
    """Periods for which that took more than a period."""
    period: "Required[Duration]"
    """Time between calibrations."""
    periods: "Required[int]"
    """Number of periods that were simulated."""
    pipes: "Required[list[FollowingPipe]]"
    """Pipes between real hosts."""

class TcpStatus(TypedDict, total=False):
    """Fields of TCP_INFO of the kernel."""
    acked_bytes: "Required[int]"
    """Bytes that the other end has acknowledged."""
    connections: "Required[int]"
    """Number of connections."""
    cwnd: "Required[int]"
    """Congestion window, in packets."""
    delivery_rate: "Required[int]"
    """Most recent delivery rate, in bytes per second."""
    in_flight: "Required[int]"
    """Packets in flight."""
    lost: "int | None"
    """Packets considered lost. Absent if the kernel sends: it does not count them."""
    marked: "Required[int]"
    """Packets whose acknowledgement echoed an ECN mark."""
    min_rtt_ns: "Required[int]"
    """Smallest round-trip time of the past minutes, in ns."""
    retransmitted: "Required[int]"
    """Packets retransmitted."""
    rto_ns: "Required[int]"
    """Retransmission timeout, in ns."""
    rttvar_ns: "Required[int]"
    """Deviation of the round-trip time, in ns."""
    srtt_ns: "Required[int]"
    """Smoothed round-trip time, in ns."""
    ssthresh: "int | None"
    """Slow-start threshold in packets; absent before the first reduction."""

class TdmaConfig(TypedDict, total=False):
    """Parameters of `tdma`."""
    guard: "Duration"
    """Time at the end of each slot in which nothing is sent (default `0s`)."""
    order: "SlotOrder"
    """Whose slots follow each other: a list of stations, of which one may come more than once,
    or `round_robin` (default), all in the order of their numbers."""
    rate: "Rate | None"
    """Rate of frames, one of the PHY's (default: its highest)."""
    slot: "Required[Duration]"
    """Length of a slot."""

class TemplateDirectory(TypedDict, total=False):
    """A directory of a node that a template creates."""
    mode: "str | None"
    """Permissions (default `0755`)."""
    owner: "str | None"
    """User that owns it; the group is that of the same name (default: root)."""

class TemplateFile(TypedDict, total=False):
    """A file of a node that a template generates."""
    content: "Required[str]"
    """Content of the file."""
    mode: "str | None"
    """Permissions (default `0644`)."""
    owner: "str | None"
    """User that owns it; the group is that of the same name (default: root)."""

class TemplateTestCommand(TypedDict, total=False):
    """This program with these arguments succeeds."""
    command: "Required[list[str]]"

class TemplateTestOutput(TypedDict, total=False):
    """This text has appeared in the service's output."""
    output: "Required[str]"

class TemplateTestPath(TypedDict, total=False):
    """This path exists."""
    path: "Required[str]"

class TemplateTestPort(TypedDict, total=False):
    """A TCP socket listens on this port."""
    port: "Required[str]"

class TerminalSize(TypedDict, total=False):
    """A terminal's size in characters."""
    columns: "Required[int]"
    """Width, in columns."""
    rows: "Required[int]"
    """Height, in lines."""

class ThreadsOf(TypedDict, total=False):
    """This number."""
    of: "Required[int]"

class TimelineActionRoute(TypedDict, total=False):
    """A route of a node is added or removed."""
    change: "Required[RouteChange]"
    """Change of the node's routes."""
    do: "Required[Literal['route']]"
    node: "Required[str]"
    """The node's name."""

class TimelineActionRun(TypedDict, total=False):
    """A command runs in a node. Its output is kept with the event."""
    command: "Required[Command]"
    """The command."""
    do: "Required[Literal['run']]"
    node: "Required[str]"
    """The node's name."""

class TimelineActionSetLink(TypedDict, total=False):
    """A link's properties change."""
    change: "Required[PipeChange]"
    """New values of the link's properties."""
    direction: "Required[Direction]"
    """Pipes of the link that change."""
    do: "Required[Literal['set_link']]"
    link: "Required[str]"
    """The link's name."""

class TimelineActionSetMedia(TypedDict, total=False):
    """Properties of shared media change. All properties of a medium change at the same time."""
    changes: "Required[dict[str, MediumProperties]]"
    """New values of properties, by the names of the media."""
    do: "Required[Literal['set_media']]"

class TimelineActionSetNode(TypedDict, total=False):
    """All links of a node go down or up, or the node itself fails or recovers."""
    disk: "Disk"
    """What becomes of the node's files if it fails."""
    do: "Required[Literal['set_node']]"
    node: "Required[str]"
    """The node's name."""
    state: "Required[NodeState]"
    """The new state."""

class TimelineActionSetStation(TypedDict, total=False):
    """Stations of a node on shared media change."""
    change: "Required[StationChange]"
    """New values of the stations' properties."""
    do: "Required[Literal['set_station']]"
    node: "Required[str]"
    """The node's name."""

class TimelineBound(TypedDict, total=False):
    """Punctuality of the timeline."""
    latest: "Required[Duration]"
    """Lateness of its latest event."""
    missed: "Required[bool]"
    """Whether an event that was due never happened."""

class TimelineEvent(TypedDict, total=False):
    """An event of the timeline."""
    action: "Required[TimelineAction]"
    """Action of the event."""
    at: "Required[Start]"
    """Time of the event."""
    when: "When | None"
    """Repetition and duration. Absent: the event happens once and is not reverted."""

class TimelineStatus(TypedDict, total=False):
    """An event of the timeline, with its planned and actual time."""
    action: "Required[str]"
    """Description of the event."""
    failure: "str | None"
    """Reason of the failure, if the event failed."""
    happened: "Time | None"
    """Actual time, in nanoseconds since zero. Absent if the event did not happen."""
    planned: "Time | None"
    """Planned time, in nanoseconds since zero. Absent if its start condition was not met."""
    timeline: "Required[int]"
    """Index in the scenario's timeline, counted from 0."""

class Timing(TypedDict, total=False):
    """Timing errors of the engine since it started."""
    failures: "Required[list[str]]"
    """Devices that failed, in words. Their links have carried nothing since."""
    interface_down: "Required[int]"
    """Wire frames that reached an interface which its owner had taken down. They are not among
    `unmodelled_drops`."""
    lateness: "Required[LatencySummary]"
    """Difference between the time at which each frame left and the time of the model. It
    includes the delay after the scheduled release, and the time that this frame, or one before
    it on its link, had waited for more than 100 µs until the engine read it."""
    timer_wakeup: "Required[LatencySummary]"
    """Delay with which the machine wakes a sleeping thread, sampled beside the engine: the
    machine's part of `lateness`."""
    unattended: "Required[LatencySummary]"
    """Times between two checks of its devices by a worker that was awake. A frame may have
    waited for this long before its arrival was recorded."""
    unmodelled_drops: "Required[dict[str, int]]"
    """Frames lost anywhere except in a pipe's model, by cause. It must be empty in a
    trustworthy run."""
    workers: "Required[list[WorkerLoad]]"
    """Load of each data-plane worker."""

Traffic = TypedDict("Traffic", {
    "background": "Required[bool]",
    "family": "IpFamily | None",
    "from": "Required[list[str]]",
    "model": "Required[Model]",
    "name": "Required[str]",
    "sizes": "Required[Sizes]",
    "start": "Required[Start]",
    "time": "Duration | None",
    "to": "Required[list[str]]",
    "transport": "Required[Transport]",
}, total=False)
"""Traffic that a run sends between nodes."""

class TrafficLimit(TypedDict, total=False):
    """How much may be sent in a sliding window (θ_n and δ). Contention holds from the rate on."""
    rate: "Rate | None"
    """The rate; without one, the signal is not tested."""
    window: "Duration"
    """The length of the window."""

class TrafficTrace(TypedDict, total=False):
    """Arrivals as they were recorded, counted from the file's time 0."""
    file: "Required[DataOfArrivals]"
    """A file with `SECONDS BYTES` in each line, a capture (pcap or pcapng), or a list of texts
    like those lines."""
    load: "Load | None"
    """Instead of `stretch`: the mean rate, for which times are stretched."""
    repeat: "Duration | None"
    """After so long, in the file's time, it begins again (default: it ends)."""
    stretch: "float | None"
    """Factor for all times, from 0.001 to 1000 (default 1): 10 is ten times slower."""

class TransferStatus(TypedDict, total=False):
    """Transfers over TCP, or requests and responses."""
    begun: "Required[int]"
    """Number of transfers that have begun."""
    completed: "Required[int]"
    """Number of transfers that the receiver, or the client, has received completely."""
    max_ns: "int | None"
    """Longest duration of a completed transfer, in ns."""
    mean_ns: "float | None"
    """Mean duration of completed transfers in ns, counted from the time at which the model
    started them."""

class TransportTcp(TypedDict, total=False):
    """The TCP of the node."""
    tcp: "Required[TransportTcpTcp]"

class TransportTcpTcp(TypedDict, total=False):
    congestion_control: "str | None"
    """Congestion control. Absent: the node's own."""
    dscp: "int | None"
    """DSCP of the packets."""
    port: "Required[int]"
    """Port of the receiver."""

class TransportUdp(TypedDict, total=False):
    """UDP, without feedback from the receiver."""
    udp: "Required[TransportUdpUdp]"

class TransportUdpUdp(TypedDict, total=False):
    dscp: "int | None"
    """DSCP of the packets."""
    port: "Required[int]"
    """Port of the receiver."""

class TreePortStatus(TypedDict, total=False):
    """A port of a switch that runs the Rapid Spanning Tree Protocol (IEEE 802.1D-2004, clause
    17)."""
    bridge: "Required[str]"
    """Bridge id of the switch, as `PRIORITY.ADDRESS`."""
    cost: "Required[int]"
    """Path cost of the port: 20,000 at 1 Gbit/s."""
    discarded: "Required[int]"
    """Wire frames that entered the port and were dropped because it does not forward. The pipe
    that leads here counts them as delivered."""
    edge: "Required[bool]"
    """Whether the port is considered an edge port: no other bridge is behind it."""
    ignored: "Required[int]"
    """Invalid BPDUs received."""
    legacy: "Required[bool]"
    """Whether a bridge behind the port uses the protocol's first version (STP)."""
    priority: "Required[int]"
    """Port priority. Of several ports with equal costs, the one with the lowest priority is
    used."""
    received: "Required[int]"
    """Valid BPDUs received."""
    role: "Required[PortRole]"
    """Role of the port in the tree."""
    root: "Required[str]"
    """Bridge id of the tree's root, in the view of the switch."""
    root_cost: "Required[int]"
    """Path cost from the switch to the root."""
    sent: "Required[int]"
    """BPDUs sent."""
    state: "Required[PortState]"
    """Treatment of frames."""

class Trunk(TypedDict, total=False):
    """A port that carries several VLANs."""
    allowed: "Required[Vlans]"
    """VLANs that pass with a tag: `all`, or a list like `[10, 20-29]`."""
    native: "int | None"
    """VLAN of frames without a tag; its frames leave without a tag. If it is absent, frames
    without a tag are dropped."""

Trust = TypedDict("Trust", {
    "delay": "Duration",
    "for": "Purpose",
    "losses": "int",
    "share": "Probability",
    "stall": "Duration",
    "timeline": "Duration",
    "waits": "Probability",
}, total=False)
"""How exact a run has to be."""

class VaryingDelay(TypedDict, total=False):
    """The notation of delays that need a table."""
    repeat: "Duration | None"
    """Time after which the schedule starts again (default: its last delay stays)."""
    schedule: "Required[list[DelayPoint]]"
    """Delays at points in time, counted from when the schedule is set. Each point has `at` and
    `delay`; the first one is at `0s`. Between points the delay is interpolated linearly."""

class VaryingRate(TypedDict, total=False):
    """The notation of rates that need a table."""
    repeat: "Duration | None"
    """Time after which the schedule starts again (default: its last rate stays)."""
    schedule: "list[ScheduleStep] | None"
    """Rates and the times from which they hold, counted from when the schedule is set. Each
    step has `at` and `rate`; the first one is at `0s`."""
    trace: "DataOfRateTrace | None"
    """A file in Mahimahi's format, or its values: the millisecond of each opportunity to send
    one 1500-byte packet. The trace repeats after its last millisecond."""

Verdict = TypedDict("Verdict", {
    "bad": "Required[list[Span]]",
    "bound": "Required[Bound]",
    "coverage": "Required[list[Coverage]]",
    "findings": "Required[list[Finding]]",
    "from": "Required[Time]",
    "judgement": "Required[Judgement]",
    "links": "Required[Judgement]",
    "overhead": "Required[Overhead]",
    "programs": "Required[Judgement]",
    "settled": "Required[Time]",
    "signals": "Required[list[SignalReport]]",
    "to": "Required[Time]",
    "trust": "Required[Trust]",
}, total=False)
"""Whether a run can be trusted, and why."""

class VlanDrops(TypedDict, total=False):
    """The frames that a port has refused, in wire frames and their bytes."""
    foreign: "Required[Count]"
    """Frames tagged with a VLAN that the port does not carry."""
    untagged: "Required[Count]"
    """Frames without a tag, on a trunk without a native VLAN."""

class VlanPortStatus(TypedDict, total=False):
    """A port of a switch with VLANs."""
    dropped: "Required[VlanDrops]"
    """Wire frames that entered the port and were dropped. The pipe that leads here counts them
    as delivered."""
    vlans: "Required[PortVlans]"
    """VLANs of the port."""

class WaitBound(TypedDict, total=False):
    """Time during which somebody waited."""
    bad: "Required[list[Span]]"
    """The seconds of the run in which the wait was longer than tolerated."""
    longest: "Required[Duration]"
    """The longest wait, as far as it is known."""
    share: "Required[float]"
    """`waited` as a share of the run."""
    times: "Required[int]"
    """Number of waits."""
    waited: "Required[Duration]"
    """Total time."""

class Waypoint(TypedDict, total=False):
    """One entry: a place, with how or when it is reached; or a pause."""
    at: "Duration | None"
    """Instead of `speed`: when to be there, resting until then."""
    by: "Duration | None"
    """Instead of `speed`: when to arrive, going all the time."""
    pause: "Duration | None"
    """Instead of all of these: how long to rest."""
    speed: "Speed | None"
    """How fast."""
    to: "Coordinates | None"
    """Where to go."""

class WaypointsTable(TypedDict, total=False):
    """Waypoints as a table."""
    loop: "bool"
    """Whether it begins again at the end."""
    path: "Required[list[Waypoint]]"
    """The entries, in order."""

class Wf2qConfig(TypedDict, total=False):
    """Parameters of `wf2q+`."""
    classes: "list[ClassConfig] | None"
    """The classes, each with a `match` and a `weight`. A class is guaranteed the share of the
    rate that corresponds to its weight."""
    flows: "int | None"
    """Number of queues of equal weight into which flows are hashed by their 5-tuple, instead of
    classes (default 64, at most 65536)."""

class WhenFails(TypedDict, total=False):
    """It happens at random times."""
    fails: "Required[Fails]"

class WhenLasts(TypedDict, total=False):
    """It happens once and is reverted after this time."""
    lasts: "Required[Duration]"

class WhenRecurs(TypedDict, total=False):
    """It repeats."""
    recurs: "Required[Recurs]"

class WhoEngine(TypedDict, total=False):
    """The engine of the experiment."""
    kind: "Required[Literal['engine']]"

class WhoHypervisor(TypedDict, total=False):
    """The hypervisor, or other guests of it."""
    kind: "Required[Literal['hypervisor']]"

class WhoKernel(TypedDict, total=False):
    """The kernel, on behalf of no known party."""
    kind: "Required[Literal['kernel']]"

class WhoNode(TypedDict, total=False):
    """A node of the experiment."""
    kind: "Required[Literal['node']]"
    name: "Required[str]"
    """Its name."""

class WhoOthers(TypedDict, total=False):
    """All parties that are not in the list."""
    kind: "Required[Literal['others']]"

class WhoOutside(TypedDict, total=False):
    """A process outside the experiment; which one is unknown."""
    kind: "Required[Literal['outside']]"

class WhoProcess(TypedDict, total=False):
    """A process outside the experiment."""
    kind: "Required[Literal['process']]"
    name: "Required[str]"
    """Its command, as the kernel reports it; empty if unknown."""
    pid: "Required[int]"
    """Its process ID."""

class WhoTunnel(TypedDict, total=False):
    """The way between two machines of the experiment."""
    kind: "Required[Literal['tunnel']]"

class WhoUnattributed(TypedDict, total=False):
    """It is unknown who."""
    kind: "Required[Literal['unattributed']]"

class WorkerLoad(TypedDict, total=False):
    """Load of a worker."""
    busy: "Required[float]"
    """Share of time spent moving frames and executing commands, 0 to 1."""
    dedicated_cpu: "int | None"
    """Number of the worker's dedicated CPU, which runs nothing else of the experiment. Absent
    if the scenario asks for none."""
    lateness: "Required[LatencySummary]"
    """`lateness` of this worker alone."""
    scheduling: "Required[Scheduling]"
    """Scheduling class of the worker's thread."""
    spinning: "Required[float]"
    """Share of time spent awake, waiting for a near deadline, 0 to 1."""

class Workers(TypedDict, total=False):
    """CPUs of the engine's workers."""
    dedicated_cpus: "Required[int]"
    """Number of CPUs that each run one worker and nothing else of the experiment. With 0,
    workers share all CPUs with the rest of the experiment."""

class WrittenChange(TypedDict, total=False):
    """The possible entries, for the schema."""
    background: "Background | None"
    """Cross traffic that joins in front of the queue and leaves at the end of the line: `none`
    (default), or a list of traffic models like `[{poisson: {load: 40%}, size: imix}]`, which
    add up."""
    ber: "BitErrorRate | None"
    """Bit error rate of the channel, like `1e-6` (default `0`)."""
    bit_errors: "BitErrors | None"
    """Effect of bit errors: `drop` (default: the frame check sequence catches them) or `flip`
    (the flipped bits reach the receiver)."""
    burst: "Size | None"
    """Depth of a token bucket in front of the line, like `10kB` (default `0B`): the bytes,
    framing included, that may leave at once after an idle moment. Has an effect on constant
    rates and schedules."""
    compensate: "Compensation | None"
    """Time that is subtracted from longer delays, because this machine itself takes time to
    carry a frame: `none` (default), `calibrated` for the time measured by `netloom calibrate`,
    or a time like `25us`. Simulated links take no such time and ignore it."""
    condition: "Condition | None"
    """Traffic conditioning in front of the queue: `none` (default), or a list of conditioners
    like `[{match: {dscp: ef}, meter: {rate: 5Mbit/s, burst: 20kB}, exceed: drop}]`. The first
    conditioner that matches a packet handles it."""
    corrupt: "Probability | None"
    """Probability that one bit of a frame is flipped, like `0.1%` (default `0%`)."""
    delay: "Delay | None"
    """Propagation delay, like `10ms` (default `0ns`), or one that changes with time:
    `{schedule: [{at: 0s, delay: 5ms}, {at: 60s, delay: 9ms}]}`, with linear interpolation
    between the points."""
    dummynet: "str | None"
    """Properties in the notation of `ipfw pipe config`, like `bw 4Mbit/s delay 7ms queue 50`."""
    duplicate: "Probability | None"
    """Probability that a frame arrives twice (default `0%`)."""
    framing: "Framing | None"
    """Bytes that each frame takes on the line beside its own: `ethernet` (default: 24 bytes for
    preamble, FCS and gap, padded to the 64-byte minimum), `none`, or a size like `38B`."""
    in_flight: "InFlight | None"
    """Treatment of frames in flight when the pipe goes down: `drop` (default) or `deliver`."""
    jitter: "Jitter | None"
    """Variation of the delay from frame to frame: a duration (uniform, plus or minus), a
    distribution like `{normal: 2ms}`, or `none` (default)."""
    loss: "Loss | None"
    """Loss of frames in the channel: a probability like `1%` (default `0%`), or a model like
    `{gilbert_elliott: {p: 1%, r: 10%}}`."""
    mac_overhead: "DataOfOverheadProfile | None"
    """Extra time that each frame holds the line, drawn from a distribution: contention and
    retries of a shared medium. A file in dummynet's profile format, or a list."""
    netem: "str | None"
    """Properties in the notation of tc-netem, like `delay 10ms 2ms distribution normal loss
    1%`."""
    pipe_mtu: "MtuLimit | None"
    """Largest packet that the pipe carries, in bytes without the Ethernet header and its VLAN
    tag; longer ones are dropped (default `none`). The interfaces do not know this limit, so it
    is a black hole for their path MTU discovery."""
    queue: "QueueChange | None"
    """The queue in which frames wait for the line."""
    rate: "RateLimit | None"
    """Bit rate of the line: a rate like `10Mbit/s`, `unlimited` (default: no serialization time
    and no queue), `{trace: FILE}` in Mahimahi's format, or `{schedule: […]}`."""
    reorder: "Reorder | None"
    """Which frames overtake others, like `{probability: 25%, gap: 5}`; `none` (default) keeps
    all frames in order."""
    state: "LinkState | None"
    """Whether the pipe carries frames: `up` (default) or `down`."""
    tbf: "str | None"
    """Rate, burst and queue in the notation of tc-tbf, like `rate 10mbit burst 10kb latency
    50ms`."""

class EventApplied(EventBase, total=False):
    """Another scenario took the place of the one in force."""
    event: "Required[Literal['applied']]"
    steps: "Required[list[ApplyStep]]"
    """Steps that were carried out."""

class EventAssociated(EventBase, total=False):
    """A station that had no access point has one from now on."""
    access_point: "Required[str]"
    """The access point."""
    event: "Required[Literal['associated']]"
    medium: "Required[str]"
    """The medium."""
    node: "Required[str]"
    """The station's node."""
    since: "Required[Time]"
    """When it decided so: between then and now it heard and sent nothing."""

class EventChangeFailed(EventBase, total=False):
    """A change could not be made."""
    by: "Required[Origin]"
    """Who asked."""
    event: "Required[Literal['change_failed']]"
    reason: "Required[str]"
    """Why not."""

class EventChanged(EventBase, total=False):
    """Links were changed."""
    by: "Required[Origin]"
    """Who asked."""
    changes: "Required[list[LinkChange]]"
    """Changes of links."""
    event: "Required[Literal['changed']]"

class EventCommandEnded(EventBase, total=False):
    """A command of the timeline ended."""
    code: "Required[int]"
    """Its exit code."""
    command: "Required[list[str]]"
    """The command."""
    event: "Required[Literal['command_ended']]"
    node: "Required[str]"
    """The node."""
    output: "Required[str]"
    """Standard output and error together, the first 64 KiB."""

class EventContention(EventBase, total=False):
    """Contention for the machine began, grew, or ended."""
    event: "Required[Literal['contention']]"
    signal: "Required[Signal]"
    """Which, how much, and through whom."""

class EventExpectation(EventBase, total=False):
    """An expectation about a process was met, or was not: once the process has ended, or else
    at the end of the run."""
    event: "Required[Literal['expectation']]"
    expected: "Required[str]"
    """Description of the expectation."""
    found: "Required[str]"
    """Description of what happened instead. Empty if it was met."""
    met: "Required[bool]"
    """Whether it was met."""
    node: "Required[str]"
    """Name of the node."""
    process: "Required[str]"
    """Name of the process."""

EventHandedOver = TypedDict("EventHandedOver", {
    "event": "Required[Literal['handed_over']]",
    "from": "Required[str]",
    "medium": "Required[str]",
    "node": "Required[str]",
    "since": "Required[Time]",
    "to": "Required[str]",
}, total=False)
"""A station has another access point from now on."""

class EventLeft(EventBase, total=False):
    """A station has no access point any more."""
    access_point: "Required[str]"
    """The access point that it left."""
    event: "Required[Literal['left']]"
    medium: "Required[str]"
    """The medium."""
    node: "Required[str]"
    """The station's node."""

class EventLossesSet(EventBase, total=False):
    """Losses between pairs of stations were set."""
    event: "Required[Literal['losses_set']]"
    medium: "Required[str]"
    """The medium."""
    pairs: "Required[int]"
    """Number of pairs."""

class EventMediumChanged(EventBase, total=False):
    """A shared medium or its stations were changed."""
    by: "Required[Origin]"
    """Who asked."""
    event: "Required[Literal['medium_changed']]"
    medium: "Required[str]"
    """The medium."""
    set: "MediumProperties"
    """Properties of the medium."""
    stations: "list[StationRequest]"
    """Stations that change."""

class EventMemoryKilled(EventBase, total=False):
    """The kernel killed processes of a node because a limit on memory was reached: the node's,
    its group's, or the experiment's."""
    event: "Required[Literal['memory_killed']]"
    node: "Required[str]"
    """The node."""
    processes: "Required[int]"
    """How many."""

class EventNeighbour(EventBase, total=False):
    """Two nodes on a shared medium can decode each other from now on, or cannot any more."""
    event: "Required[Literal['neighbour']]"
    medium: "Required[str]"
    """The medium."""
    pair: "Required[list[str]]"
    """The two."""
    up: "Required[bool]"
    """Whether they can."""

class EventNodeFailed(EventBase, total=False):
    """A node failed: all that ran in it was killed."""
    event: "Required[Literal['node_failed']]"
    node: "Required[str]"
    """The node."""

class EventNodeRecovered(EventBase, total=False):
    """A node that had failed works again: its services are being started."""
    event: "Required[Literal['node_recovered']]"
    node: "Required[str]"
    """The node."""

class EventPhase(EventBase, total=False):
    """The experiment entered a phase."""
    event: "Required[Literal['phase']]"
    phase: "Required[Phase]"
    """Which."""

class EventPositions(EventBase, total=False):
    """Where nodes on shared media are that have moved: columns, the first node at the first
    `x`, `y` and `z`, in m."""
    event: "Required[Literal['positions']]"
    nodes: "Required[list[str]]"
    """The nodes."""
    x: "Required[list[float]]"
    """Metres to the east."""
    y: "Required[list[float]]"
    """Metres to the north."""
    z: "Required[list[float]]"
    """Metres upwards."""

class EventProcessEnded(EventBase, total=False):
    """A process ended."""
    code: "Required[int]"
    """Exit code; 128 + the signal's number if a signal ended it."""
    event: "Required[Literal['process_ended']]"
    node: "Required[str]"
    """The node."""
    process: "Required[str]"
    """The process."""

class EventProcessFailed(EventBase, total=False):
    """A process could not be started."""
    event: "Required[Literal['process_failed']]"
    node: "Required[str]"
    """The node."""
    process: "Required[str]"
    """The process."""
    reason: "Required[str]"
    """Why."""

class EventProcessReady(EventBase, total=False):
    """A process passed its `ready` test."""
    event: "Required[Literal['process_ready']]"
    node: "Required[str]"
    """The node."""
    process: "Required[str]"
    """The process."""

class EventProcessStarted(EventBase, total=False):
    """A process of the scenario was started."""
    event: "Required[Literal['process_started']]"
    node: "Required[str]"
    """The node."""
    pid: "Required[int]"
    """Process id in the node."""
    process: "Required[str]"
    """The process."""

class EventRerouted(EventBase, total=False):
    """The routes of a simulated network are now the shortest paths without what is down."""
    down: "Required[list[str]]"
    """Links that no route leads over, by name."""
    event: "Required[Literal['rerouted']]"

EventRouteChanged = TypedDict("EventRouteChanged", {
    "by": "Required[Origin]",
    "event": "Required[Literal['route_changed']]",
    "is": "Route | None",
    "node": "Required[str]",
    "was": "Route | None",
}, total=False)
"""A route of a node was changed."""

class EventRunEnded(EventBase, total=False):
    """The run is over."""
    event: "Required[Literal['run_ended']]"
    reason: "Required[EndReason]"
    """Why."""

class EventServiceEnded(EventBase, total=False):
    """A service ended although nobody had asked it to."""
    code: "Required[int]"
    """Exit code; 128 + the signal's number if a signal ended it."""
    event: "Required[Literal['service_ended']]"
    node: "Required[str]"
    """The node."""
    service: "Required[str]"
    """The service."""

class EventServiceHealth(EventBase, total=False):
    """A service's health changed."""
    event: "Required[Literal['service_health']]"
    healthy: "Required[bool]"
    """Whether it does its work."""
    node: "Required[str]"
    """The node."""
    service: "Required[str]"
    """The service."""

class EventServiceReady(EventBase, total=False):
    """A service of a node is ready."""
    event: "Required[Literal['service_ready']]"
    node: "Required[str]"
    """The node."""
    service: "Required[str]"
    """The service."""

class EventTimeline(EventBase, total=False):
    """An event of the timeline happened, or never will."""
    action: "Required[str]"
    """Description of the event."""
    event: "Required[Literal['timeline']]"
    failure: "str | None"
    """Reason of the failure, if the event failed."""
    happened: "Time | None"
    """Actual time, in nanoseconds since zero. Absent if the event did not happen."""
    planned: "Time | None"
    """Planned time, in nanoseconds since zero. Absent if its start condition was not met."""
    timeline: "Required[int]"
    """Index in the scenario's timeline, counted from 0."""

class EventWarning(EventBase, total=False):
    """Check this before you trust the result."""
    event: "Required[Literal['warning']]"
    message: "Required[str]"
    """Text of the warning."""

AddressesOfIpv4Prefix: TypeAlias = "Literal['auto'] | Literal['none'] | AddressesOfIpv4PrefixFixed"
"""Source of an interface's addresses of one family."""

AddressesOfIpv6Prefix: TypeAlias = "Literal['auto'] | Literal['none'] | AddressesOfIpv6PrefixFixed"
"""Source of an interface's addresses of one family."""

ArrivalsConfig: TypeAlias = "ArrivalsConfigPoisson | ArrivalsConfigGaps"
"""When transfers begin."""

Background: TypeAlias = "Literal['none'] | list[BackgroundEntry]"
"""Background traffic: `none`, or a list of entries that add up."""

Buffer: TypeAlias = "Literal['udp_receive'] | Literal['udp_send'] | Literal['tcp_receive'] | Literal['listen']"
"""Buffers of a node's sockets."""

Change: TypeAlias = "Literal['began'] | Literal['grew'] | Literal['ended']"
"""A change of contention."""

Command: TypeAlias = "str | list[str]"
"""A command to execute."""

Concern: TypeAlias = "Literal['links'] | Literal['programs']"
"""Subject of a finding."""

Condition: TypeAlias = "Literal['none'] | list[Conditioner]"
"""Traffic conditioning: `none`, or a list of conditioners, of which the first that matches has
the packet."""

DataOfErrorTable: TypeAlias = "str | ErrorTable | FileContentOfErrorTable"
"""The name of a file, or the values themselves."""

Delay: TypeAlias = "str | float | VaryingDelay"
"""A time with its unit, or a delay that changes with time."""

Discipline: TypeAlias = "str | float | DisciplineParameters"
"""A queue discipline: its name, or its name with its parameters."""

DisciplineParameters: TypeAlias = "DisciplineParametersFifo | DisciplineParametersStep | DisciplineParametersRed | DisciplineParametersCodel | DisciplineParametersFqCodel | DisciplineParametersPie | DisciplineParametersDualpi2 | DisciplineParametersDrr | DisciplineParametersWf2q | DisciplineParametersPrio"
"""The disciplines with their parameters."""

DistributionOfDuration: TypeAlias = "DistributionOfDurationConstant | DistributionOfDurationExponential | DistributionOfDurationUniform | DistributionOfDurationPareto | DistributionOfDurationLognormal | DistributionOfDurationWeibull | DistributionOfDurationEmpirical"
"""Distributions by name."""

DistributionOfSize: TypeAlias = "DistributionOfSizeConstant | DistributionOfSizeExponential | DistributionOfSizeUniform | DistributionOfSizePareto | DistributionOfSizeLognormal | DistributionOfSizeWeibull | DistributionOfSizeEmpirical"
"""Distributions by name."""

DropCause: TypeAlias = "Literal['not_read_in_time'] | Literal['device_full'] | Literal['device_gone'] | Literal['rejected'] | Literal['malformed'] | Literal['no_memory'] | Literal['softnet_backlog'] | Literal['neighbour_table'] | Literal['machine_device'] | Literal['tunnel'] | Literal['tunnel_full'] | Literal['tunnel_refused']"
"""ResourceId or reason of a loss outside the model."""

DurationDistribution: TypeAlias = "str | float | DistributionOfDuration"
"""A duration, or a distribution of durations."""

EndReason: TypeAlias = "Literal['completed'] | Literal['duration'] | Literal['failed'] | Literal['interrupted'] | Literal['client_gone'] | Literal['contention'] | Literal['state_gone']"
"""Why a run ended."""

ErrorTable: TypeAlias = "list[LossPoint]"
"""Which share of frames was lost, by rate and by the ratio of signal to noise."""

Event: TypeAlias = "EventPhase | EventChanged | EventMediumChanged | EventLossesSet | EventNeighbour | EventPositions | EventRouteChanged | EventRerouted | EventApplied | EventChangeFailed | EventProcessStarted | EventProcessReady | EventProcessEnded | EventProcessFailed | EventServiceReady | EventServiceHealth | EventServiceEnded | EventNodeFailed | EventNodeRecovered | EventCommandEnded | EventTimeline | EventExpectation | EventMemoryKilled | EventAssociated | EventHandedOver | EventLeft | EventContention | EventWarning | EventRunEnded"

ExecControl: TypeAlias = "ExecControlResize | ExecControlSignal | ExecControlClose"
"""A message from the client to a running command."""

ExecNotice: TypeAlias = "ExecNoticeStarted | ExecNoticeSignalled | ExecNoticeOwnKernel | ExecNoticeExited | ExecNoticeFailed"
"""A message from the engine about a command."""

ExecOutput: TypeAlias = "Literal['stdout'] | Literal['stderr']"
"""An output of a command."""

ExpectedExit: TypeAlias = "ExpectedExitCode | Literal['running']"
"""How a process is expected to end."""

Fading: TypeAlias = "Literal['none'] | Literal['rayleigh'] | FadingRician | FadingNakagami"
"""How the power of a frame varies around its mean. Its mean factor is 1."""

Family: TypeAlias = "Literal['ipv4'] | Literal['ipv6']"
"""An address family."""

FlowsKey: TypeAlias = "int | FlowsConfig"
"""The two meanings of the key `flows`."""

Ipv4Prefix: TypeAlias = "str"
"""An IPv4 address and prefix length."""

Ipv6Prefix: TypeAlias = "str"
"""An IPv6 address and prefix length."""

Jitter: TypeAlias = "str | float | JitterModel"
"""`none`, a duration (uniform, plus or minus), or a distribution."""

Judgement: TypeAlias = "Literal['valid'] | Literal['suspect'] | Literal['invalid']"
"""A verdict in a word."""

LiveLinks: TypeAlias = "LiveWord | list[int]"
"""Links that a client wants."""

LiveNotice: TypeAlias = "LiveNoticeNetwork | LiveNoticeSlowed | LiveNoticeFailed"
"""A message in words."""

LiveWord: TypeAlias = "Literal['all'] | Literal['none']"
"""A word in place of links."""

LoopbackAddressOfipv4: TypeAlias = "Literal['auto'] | Literal['none'] | LoopbackAddressOfipv4Fixed"
"""One loopback address of a node."""

LoopbackAddressOfipv6: TypeAlias = "Literal['auto'] | Literal['none'] | LoopbackAddressOfipv6Fixed"
"""One loopback address of a node."""

Loss: TypeAlias = "str | float"
"""A loss in dB."""

Mac: TypeAlias = "str | float | MacParameters"
"""A medium access control: its name, or its name with its parameters."""

MacParameters: TypeAlias = "MacParametersDcf | MacParametersCsmaCd | MacParametersAloha | MacParametersTdma | MacParametersEmac | MacParametersNone"
"""The MACs with their parameters."""

Mobility: TypeAlias = "MobilityWaypoints | MobilityRandomWalk | MobilityRandomDirection | MobilityRandomWaypoint | MobilityManhattan | MobilityGaussMarkov | MobilityGroup | MobilityTrace"
"""A mobility model and its parameters, written as `{random_waypoint: {…}}`."""

Mode: TypeAlias = "Literal['emulation'] | Literal['simulation'] | Literal['hybrid'] | Literal['symbiosis']"
"""The part that carried the packets of a run."""

Model: TypeAlias = "ModelCbr | ModelPoisson | ModelOnOff | ModelPpbp | ModelTrace | ModelFlows | ModelRates | ModelVbr | ModelBulk | ModelHttp | ModelPing | ModelReplay"
"""A traffic model and its parameters, written as `{cbr: {rate: 1Mbit/s}}`."""

NodeKind: TypeAlias = "Literal['host'] | Literal['router'] | Literal['switch'] | Literal['medium'] | Literal['outside']"
"""Kind of a node."""

OptionKind: TypeAlias = "Literal['text'] | Literal['number'] | Literal['seconds'] | Literal['milliseconds'] | Literal['flag'] | Literal['list'] | Literal['prefixes'] | Literal['area']"
"""Type of the values of an option."""

Orbits: TypeAlias = "OrbitsWalker | OrbitsTle"
"""Orbits of satellites."""

Origin: TypeAlias = "Literal['timeline'] | Literal['request']"
"""Who asked for a change."""

Part: TypeAlias = "Literal['node'] | Literal['link'] | Literal['medium'] | Literal['interface'] | Literal['parameter'] | Literal['loopback'] | Literal['routes'] | Literal['limits'] | Literal['services'] | Literal['port']"
"""A kind of part of a network."""

Phase: TypeAlias = "Literal['starting'] | Literal['deployed'] | Literal['running'] | Literal['stopping']"
"""Phase of an experiment."""

PipeStatus: TypeAlias = "ModelledPipe | DirectPipe"
"""One direction of a link."""

PortRole: TypeAlias = "Literal['disabled'] | Literal['root'] | Literal['designated'] | Literal['alternate'] | Literal['backup']"
"""Role of a port in a spanning tree."""

PortState: TypeAlias = "Literal['discarding'] | Literal['learning'] | Literal['forwarding']"
"""Treatment of frames by a port of a spanning tree."""

PortVlans: TypeAlias = "PortVlansAccess | PortVlansTrunk"
"""The treatment of VLAN tags at a port of a switch."""

Pressure: TypeAlias = "Literal['cpu'] | Literal['memory'] | Literal['io']"
"""A resource for which tasks can wait, as in the kernel's pressure stall information."""

ProcessState: TypeAlias = "Literal['waiting'] | ProcessStateStarted | ProcessStateReady | ProcessStateDone | ProcessStateFailed | Literal['never_started'] | Literal['stopped']"
"""State of a process."""

Progress: TypeAlias = "ProgressNodes | ProgressUp | ProgressServices | ProgressNote | ProgressReady | ProgressEvent | ProgressSimulated | ProgressEnded | ProgressFailed"
"""A line of standard output."""

Propagation: TypeAlias = "PropagationRange | Literal['free_space'] | Literal['two_ray_ground'] | PropagationLogDistance | PropagationMatrix | PropagationGrid"
"""How signals get weaker over a distance."""

Protocol: TypeAlias = "Literal['tcp'] | Literal['udp']"
"""Transport protocol of a published port."""

RateLimit: TypeAlias = "str | float | VaryingRate"
"""A bit rate with its unit, `unlimited`, or a rate that varies."""

Ready: TypeAlias = "ReadyPort | ReadyPath | ReadyOutput | ReadyCommand"
"""Condition under which a process is ready."""

Reorder: TypeAlias = "str | float | Reordering"
"""`none`, or which frames are sent out of turn."""

Resource: TypeAlias = "ResourcePipe | ResourceFrames | ResourceSingleFrame | ResourceEngine | ResourceLosses | ResourceBuffer | ResourceCpu | ResourceRunQueue | ResourceInternal | ResourceUplink | ResourceSwap | ResourceFaults | ResourceDisk | ResourcePressure | ResourceEvents | ResourceMissedEvents | ResourcePeriods | ResourceLostPeriods | ResourceFlowDelay | ResourceFlowThroughput | ResourceMetric | ResourceClock | ResourceChanges | ResourceMachine"
"""A resource that is contended."""

RouteChange: TypeAlias = "RouteChangeAdd | RouteChangeReplace | RouteChangeRemove"
"""A change of a node's routes."""

Scheduling: TypeAlias = "Literal['real_time'] | Literal['favoured'] | Literal['normal']"
"""Scheduling class of a data-plane worker, as good as the machine permits."""

ServiceState: TypeAlias = "Literal['waiting'] | ServiceStateStarting | ServiceStateReady | ServiceStateUnhealthy | ServiceStateFailed"
"""State of a service."""

SignalKind: TypeAlias = "Literal['lateness'] | Literal['unmodelled_drop'] | Literal['buffers'] | Literal['cpu'] | Literal['run_queue'] | Literal['net_internal'] | Literal['net_external'] | Literal['memory_in'] | Literal['memory_out'] | Literal['disk'] | Literal['steal'] | Literal['pressure'] | Literal['application'] | Literal['timeline'] | Literal['simulation'] | Literal['divergence'] | Literal['clock'] | Literal['tunnel'] | Literal['change_late'] | Literal['machine_lost']"
"""The signals. Each has a criterion of its own."""

SizeDistribution: TypeAlias = "str | float | DistributionOfSize"
"""A size, or a distribution of sizes."""

Start: TypeAlias = "StartAt | StartAfter"
"""Time at which something begins. Times count from when the network is ready."""

StepChange: TypeAlias = "Literal['add'] | Literal['remove'] | Literal['replace'] | Literal['change']"
"""Kind of change of a part of the network."""

TemplateTest: TypeAlias = "TemplateTestPort | TemplateTestPath | TemplateTestOutput | TemplateTestCommand"
"""A test that a service works."""

Threads: TypeAlias = "Literal['auto'] | ThreadsOf"
"""Number of threads that a simulation runs on."""

Time: TypeAlias = "int"
"""A point in time: nanoseconds since the experiment's zero, negative before it. The origin is
the caller's choice; models only compare and subtract."""

TimelineAction: TypeAlias = "TimelineActionSetLink | TimelineActionSetNode | TimelineActionSetMedia | TimelineActionSetStation | TimelineActionRun | TimelineActionRoute"
"""Action of an event."""

Transport: TypeAlias = "Literal['icmp'] | Literal['frames'] | Literal['fluid'] | TransportUdp | TransportTcp"
"""Transport of traffic."""

WaypointsConfig: TypeAlias = "list[Waypoint] | WaypointsTable"
"""Places one after the other. The first entry is where it begins, unless the node has a
position."""

When: TypeAlias = "WhenLasts | WhenRecurs | WhenFails"
"""Repetition of an event, and the time at which it is reverted."""

Who: TypeAlias = "WhoNode | WhoProcess | WhoEngine | WhoKernel | WhoHypervisor | WhoOutside | WhoTunnel | WhoUnattributed | WhoOthers"
"""A [`Party`] by name."""
