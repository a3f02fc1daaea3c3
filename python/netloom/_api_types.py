"""x"""

from typing import Any, Literal, TypeAlias, TypedDict

from typing_extensions import Required

class AccessDelay(TypedDict, total=False):
    p50_ns: "Required[int]"
    p99_ns: "Required[int]"

class Addresses2Fixed(TypedDict, total=False):
    fixed: "Required[list[Ipv6Prefix]]"

class AddressesFixed(TypedDict, total=False):
    fixed: "Required[list[Ipv4Prefix]]"

class Alignment(TypedDict, total=False):
    bound: "Required[Duration]"
    drift_ppb: "Required[int]"
    offset_ns: "Required[int]"

class AlohaConfig(TypedDict, total=False):
    persistence: "Probability"
    rate: "Rate | None"
    slotted: "Duration | None"
    tries: "int"
    wait: "Duration"

class AntennaPattern(TypedDict, total=False):
    pattern: "Required[DataOfAntennaPattern]"

class AntennaSector(TypedDict, total=False):
    sector: "Required[SectorConfig]"

class ApiError(TypedDict, total=False):
    error: "Required[str]"
    help: "str | None"

class ApplyRequest(TypedDict, total=False):
    dry_run: "bool"
    file: "Required[str]"
    scenario: "Required[Scenario]"

class ApplyResponse(TypedDict, total=False):
    at: "Time | None"
    notes: "Required[list[str]]"
    steps: "Required[list[ApplyStep]]"

class ApplyStep(TypedDict, total=False):
    change: "Required[StepChange]"
    detail: "Required[str]"
    name: "Required[str]"
    part: "Required[Part]"

class AqmState(TypedDict, total=False):
    average: "float | None"
    count: "int | None"
    coupled: "float | None"
    probability: "float | None"

class ArfConfig(TypedDict, total=False):
    down: "int"
    up: "int"

class ArrivalsConfigGaps(TypedDict, total=False):
    gaps: "Required[DurationDistribution]"

class ArrivalsConfigPoisson(TypedDict, total=False):
    poisson: "Required[float]"

class AssociationConfig(TypedDict, total=False):
    hysteresis: "Loss"
    join: "Power"
    leave: "Power"
    outage: "Duration"
    scan: "Duration"

class BackgroundEntry(TypedDict, total=False):
    as: "Representation | None"
    cbr: "CbrConfig | None"
    dscp: "Dscps | None"
    ecn: "bool"
    flows: "FlowsKey | None"
    on_off: "OnOffConfig | None"
    poisson: "PoissonConfig | None"
    ppbp: "PpbpConfig | None"
    rates: "RatesConfig | None"
    size: "Sizes | None"
    trace: "TraceConfig | None"
    vbr: "VbrConfig | None"

class BackgroundStatistics(TypedDict, total=False):
    delivered: "Required[Count]"
    dropped: "Required[Count]"
    marked: "Required[Count]"
    offered: "Required[Count]"
    on_line: "Required[Count]"
    queued: "Required[Count]"

class BackoffStages(TypedDict, total=False):
    stages: "Required[list[int]]"

class Bind(TypedDict, total=False):
    machine: "Required[str]"
    write: "Required[bool]"

class Bound(TypedDict, total=False):
    engine: "Required[WaitBound]"
    losses: "Required[Losses]"
    machines: "list[MachineBound]"
    nodes: "Required[list[NodeBound]]"
    pipes: "Required[list[PipeBound]]"
    timeline: "Required[TimelineBound]"

class BulkConfig(TypedDict, total=False):
    bytes: "Size | None"
    connections: "int"

class Busy(TypedDict, total=False):
    longest: "Required[Duration]"

class CableConfig(TypedDict, total=False):
    length: "Length"
    shape: "CableShape"
    velocity: "float"

class Capture(TypedDict, total=False):
    margin: "Loss"
    when: "CaptureWhen"

class Capture2(TypedDict, total=False):
    drops: "Required[bool]"
    interface: "Required[Endpoint]"

class CbrConfig(TypedDict, total=False):
    load: "Load | None"
    rate: "Rate | None"

class ChangeRequest(TypedDict, total=False):
    changes: "Required[list[LinkChange]]"

class ChangeResponse(TypedDict, total=False):
    at: "Required[Time]"

ChangedRoute = TypedDict("ChangedRoute", {
    "is": "Route | None",
    "was": "Route | None",
}, total=False)

class ClassConfig(TypedDict, total=False):
    discipline: "Discipline | None"
    limit: "QueueLimit | None"
    match: "ClassMatch | None"
    most: "Rate | None"
    weight: "int | None"

class ClassMatch(TypedDict, total=False):
    destination: "Prefix | None"
    destination_port: "Ports | None"
    dscp: "Dscps | None"
    ecn: "Ecns | None"
    protocol: "UpperLayer | None"
    source: "Prefix | None"
    source_port: "Ports | None"

class CodelConfig(TypedDict, total=False):
    ce_threshold: "Duration | None"
    ecn: "bool"
    interval: "Duration"
    target: "Duration"

class Compared(TypedDict, total=False):
    settings: "dict[str, str]"
    when: "str | None"

class Conditioner(TypedDict, total=False):
    conform: "Action | None"
    exceed: "Action | None"
    green: "Action | None"
    match: "ClassMatch | None"
    meter: "Meter | None"
    red: "Action | None"
    yellow: "Action | None"

class Constellation(TypedDict, total=False):
    ground: "dict[str, Geographic]"
    meridian: "Angle"
    name: "Required[str]"
    orbits: "Required[Orbits]"

Corners = TypedDict("Corners", {
    "from": "Required[list[Coordinate]]",
    "to": "Required[list[Coordinate]]",
}, total=False)

class Count(TypedDict, total=False):
    bytes: "Required[int]"
    frames: "Required[int]"

class Coverage(TypedDict, total=False):
    blind_spots: "Required[list[str]]"
    machine: "str | None"
    observed: "Required[bool]"
    probes: "Required[list[str]]"
    signal: "Required[SignalKind]"
    threshold: "str | None"

class Criteria(TypedDict, total=False):
    application: "dict[str, float]"
    brief: "Duration"
    cpu: "Busy"
    disk: "Busy"
    faults: "Pages"
    lateness: "Delays"
    memory_in: "Pages"
    memory_out: "Pages"
    net_external: "Traffic2"
    net_internal: "Traffic2"
    pressure: "Part2"
    run_queue: "Delays"
    steal: "Part2"
    timeline: "Punctuality"

class CsmaCdConfig(TypedDict, total=False):
    attempts: "int"
    cable: "CableConfig"
    rate: "Rate"

class DcfConfig(TypedDict, total=False):
    backoff: "Backoff"
    basic: "Rate | None"
    cw: "Window | None"
    multicast_rate: "Rate | None"
    preamble: "Preamble"
    rate: "RateControl | None"
    retry: "Retry"
    rts_threshold: "RtsThreshold"

class DelayPoint(TypedDict, total=False):
    at: "Required[Duration]"
    delay: "Required[Duration]"

class DelayStatistics(TypedDict, total=False):
    max_ns: "Required[int]"
    mean_ns: "Required[float]"
    min_ns: "Required[int]"
    p50_ns: "Required[int]"
    p999_ns: "Required[int]"
    p99_ns: "Required[int]"

class Delays(TypedDict, total=False):
    tolerance: "Duration | None"
    window: "Duration"

class DirectPipe(TypedDict, total=False):
    statistics: "DirectStatistics | None"

class DirectStatistics(TypedDict, total=False):
    at: "Required[Time]"
    delivered: "Required[Count]"
    dropped_frames: "Required[int]"
    offered: "Required[Count]"
    since: "Time"

class DisciplineParametersCodel(TypedDict, total=False):
    codel: "Required[CodelConfig]"

class DisciplineParametersDrr(TypedDict, total=False):
    drr: "Required[DrrConfig]"

class DisciplineParametersDualpi2(TypedDict, total=False):
    dualpi2: "Required[DualPi2Config]"

class DisciplineParametersFifo(TypedDict, total=False):
    fifo: "Required[FifoConfig]"

class DisciplineParametersFqCodel(TypedDict, total=False):
    fq_codel: "Required[FqCodelConfig]"

class DisciplineParametersPie(TypedDict, total=False):
    pie: "Required[PieConfig]"

class DisciplineParametersPrio(TypedDict, total=False):
    prio: "Required[PrioConfig]"

class DisciplineParametersRed(TypedDict, total=False):
    red: "Required[RedConfig]"

class DisciplineParametersStep(TypedDict, total=False):
    step: "Required[StepConfig]"

DisciplineParametersWf2q = TypedDict("DisciplineParametersWf2q", {
    "wf2q+": "Required[Wf2qConfig]",
}, total=False)

class DistributionOfDurationConstant(TypedDict, total=False):
    constant: "Required[Duration]"

class DistributionOfDurationEmpirical(TypedDict, total=False):
    empirical: "Required[DataOfSamples]"

class DistributionOfDurationExponential(TypedDict, total=False):
    exponential: "Required[Duration]"

class DistributionOfDurationLognormal(TypedDict, total=False):
    lognormal: "Required[Lognormal]"

class DistributionOfDurationPareto(TypedDict, total=False):
    pareto: "Required[Pareto]"

class DistributionOfDurationUniform(TypedDict, total=False):
    uniform: "Required[Uniform]"

class DistributionOfDurationWeibull(TypedDict, total=False):
    weibull: "Required[Weibull]"

class DistributionOfSizeConstant(TypedDict, total=False):
    constant: "Required[Size]"

class DistributionOfSizeEmpirical(TypedDict, total=False):
    empirical: "Required[DataOfSamples]"

class DistributionOfSizeExponential(TypedDict, total=False):
    exponential: "Required[Size]"

class DistributionOfSizeLognormal(TypedDict, total=False):
    lognormal: "Required[Lognormal2]"

class DistributionOfSizePareto(TypedDict, total=False):
    pareto: "Required[Pareto2]"

class DistributionOfSizeUniform(TypedDict, total=False):
    uniform: "Required[Uniform2]"

class DistributionOfSizeWeibull(TypedDict, total=False):
    weibull: "Required[Weibull2]"

class DropStatistics(TypedDict, total=False):
    aqm: "Required[Count]"
    bit_error: "Required[Count]"
    down: "Required[Count]"
    loss: "Required[Count]"
    mtu: "Required[Count]"
    policed: "Count"
    queue_full: "Required[Count]"
    receiver_mtu: "Count"

class DrrConfig(TypedDict, total=False):
    classes: "list[ClassConfig] | None"
    flows: "int | None"
    quantum: "Size"

class DualPi2Config(TypedDict, total=False):
    alpha: "float"
    beta: "float"
    classic_share: "Probability"
    coupling: "float"
    step: "Duration"
    target: "Duration"
    update: "Duration"

class EmacConfig(TypedDict, total=False):
    ack: "bool"
    backoff: "Backoff"
    collisions: "Collisions"
    cw: "Window | None"
    difs: "Duration | None"
    rate: "Rate | None"
    retry: "Retry"
    rts: "bool"
    sifs: "Duration | None"
    slot: "Duration | None"

class Endpoint(TypedDict, total=False):
    interface: "Required[str]"
    node: "Required[str]"

Episode = TypedDict("Episode", {
    "from": "Required[Time]",
    "held": "Required[Duration]",
    "peak": "Required[float]",
    "shares": "Required[list[Share]]",
    "to": "Required[Time]",
    "warm_up": "Required[bool]",
}, total=False)

class EventBase(TypedDict, total=False):
    machine: "str | None"
    number: "Required[int]"
    time: "Required[Time]"

class ExecControlClose(TypedDict, total=False):
    close: "Required[ExecOutput]"

class ExecControlResize(TypedDict, total=False):
    resize: "Required[TerminalSize]"

class ExecControlSignal(TypedDict, total=False):
    signal: "Required[int]"

class ExecNoticeExited(TypedDict, total=False):
    exited: "Required[Inline53850]"

class ExecNoticeFailed(TypedDict, total=False):
    failed: "Required[Inline87979]"

class ExecNoticeStarted(TypedDict, total=False):
    started: "Required[Inline99243]"

class ExecRequest(TypedDict, total=False):
    command: "Required[list[str]]"
    env: "dict[str, str]"
    node: "Required[str]"
    terminal: "TerminalSize | None"

class Expectation(TypedDict, total=False):
    exit: "ExpectedExit | None"
    nodes: "Required[list[str]]"
    output: "str | None"
    process: "Required[str]"
    within: "Duration | None"

class ExpectationStatus(TypedDict, total=False):
    expected: "Required[str]"
    found: "Required[str]"
    met: "Required[bool]"
    node: "Required[str]"
    process: "Required[str]"

class ExpectedExitCode(TypedDict, total=False):
    code: "Required[int]"

class ExperimentStatus(TypedDict, total=False):
    engine_pid: "Required[int]"
    file: "Required[str]"
    links: "Required[int]"
    name: "Required[str]"
    nodes: "Required[int]"
    now: "Required[Time]"
    phase: "Required[Phase]"
    results: "str | None"
    started_unix: "Required[int]"
    version: "Required[str]"

class FadingNakagami(TypedDict, total=False):
    nakagami: "Required[NakagamiConfig]"

class FadingRician(TypedDict, total=False):
    rician: "Required[Gain]"

class Fails(TypedDict, total=False):
    after: "Required[DurationDistribution]"
    lasts: "Required[DurationDistribution]"
    until: "Duration | None"

class FarNakagami(TypedDict, total=False):
    beyond: "Required[Length]"
    m: "Required[float]"

class FifoConfig(TypedDict, total=False):
    drop: "DropFrom"

class FileContent(TypedDict, total=False):
    file: "Required[str]"
    values: "Required[RateTrace]"

class FileContent10(TypedDict, total=False):
    file: "Required[str]"
    values: "Required[DistributionTable]"

class FileContent11(TypedDict, total=False):
    file: "Required[str]"
    values: "Required[LossPattern]"

class FileContent12(TypedDict, total=False):
    file: "Required[str]"
    values: "Required[PairLosses]"

class FileContent13(TypedDict, total=False):
    file: "Required[str]"
    values: "Required[Polygons]"

class FileContent14(TypedDict, total=False):
    file: "Required[str]"
    values: "Required[ErrorTable]"

class FileContent15(TypedDict, total=False):
    file: "Required[str]"
    values: "Required[AntennaPattern]"

class FileContent16(TypedDict, total=False):
    file: "Required[str]"
    values: "Required[Traces]"

class FileContent2(TypedDict, total=False):
    file: "Required[str]"
    values: "Required[Samples]"

class FileContent3(TypedDict, total=False):
    file: "Required[str]"
    values: "Required[Arrivals]"

class FileContent4(TypedDict, total=False):
    file: "Required[str]"
    values: "Required[RateList]"

class FileContent5(TypedDict, total=False):
    file: "Required[str]"
    values: "Required[Pictures]"

class FileContent6(TypedDict, total=False):
    file: "Required[str]"
    values: "Required[FlowList]"

class FileContent7(TypedDict, total=False):
    file: "Required[str]"
    values: "Required[SizeList]"

class FileContent8(TypedDict, total=False):
    file: "Required[str]"
    values: "Required[OverheadProfile]"

class FileContent9(TypedDict, total=False):
    file: "Required[str]"
    values: "Required[Offsets]"

class Finding(TypedDict, total=False):
    about: "Required[Concern]"
    judgement: "Required[Judgement]"
    machine: "str | None"
    on: "Resource | None"
    signal: "Required[SignalKind]"
    why: "Required[str]"

class FlowDelay(TypedDict, total=False):
    max_ns: "Required[int]"
    mean_ns: "Required[float]"
    min_ns: "Required[int]"
    p50_ns: "Required[int]"
    p99_ns: "Required[int]"

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

class FlowsConfig(TypedDict, total=False):
    arrivals: "ArrivalsConfig | None"
    bytes: "SizeDistribution | None"
    file: "DataOfFlowList | None"
    rate: "Rate | None"

FollowingFlow = TypedDict("FollowingFlow", {
    "delay_difference": "float | None",
    "from": "Required[str]",
    "real": "Required[ReceivedTotal]",
    "throughput_difference": "float | None",
    "to": "Required[str]",
    "twins": "Required[ReceivedTotal]",
}, total=False)

class FollowingPipe(TypedDict, total=False):
    backlog_difference_mean: "Required[Duration]"
    backlog_mean: "Required[Duration]"
    pipe: "Required[str]"
    real: "Required[list[int]]"
    real_backlog_mean: "Required[Duration]"
    stands_for: "Required[list[str]]"
    time_mean: "Required[Duration]"
    twins: "Required[list[int]]"

class FourState(TypedDict, total=False):
    p13: "Required[Probability]"
    p14: "Probability"
    p23: "Probability"
    p31: "Required[Probability]"
    p32: "Probability"

class FqCodelConfig(TypedDict, total=False):
    ce_threshold: "Duration | None"
    ecn: "bool"
    flows: "int"
    interval: "Duration"
    quantum: "Size"
    target: "Duration"

class FrameLogSummary(TypedDict, total=False):
    bytes: "Required[int]"
    entries: "Required[int]"
    failure: "str | None"
    lost: "Required[int]"

class GaussMarkovConfig(TypedDict, total=False):
    alpha: "Required[float]"
    area: "Required[Area]"
    deviation: "Required[Speed]"
    every: "Duration"
    mean: "Required[Speed]"
    turn: "Angle"

class Geographic(TypedDict, total=False):
    alt: "float"
    lat: "Required[float]"
    lon: "Required[float]"

class GilbertElliott(TypedDict, total=False):
    bad: "Probability"
    good: "Probability"
    p: "Required[Probability]"
    r: "Required[Probability]"

class GridConfig(TypedDict, total=False):
    file: "Required[str]"

class GroupConfig(TypedDict, total=False):
    deviation: "Length"
    every: "Duration"
    leader: "Required[Mobility]"
    radius: "Required[Length]"

class HttpConfig(TypedDict, total=False):
    persistent: "bool"
    requests: "int | None"
    sizes: "Required[SizeDistribution]"
    think: "DurationDistribution | None"

class Inline38098(TypedDict, total=False):
    reason: "Required[str]"

class Inline46241(TypedDict, total=False):
    congestion_control: "str | None"
    dscp: "int | None"
    port: "Required[int]"

class Inline53850(TypedDict, total=False):
    code: "Required[int]"

class Inline54098(TypedDict, total=False):
    dscp: "int | None"
    port: "Required[int]"

class Inline87979(TypedDict, total=False):
    code: "Required[int]"
    error: "Required[ApiError]"

class Inline93545(TypedDict, total=False):
    delay: "Required[Duration]"
    process: "Required[str]"
    when: "Required[Milestone]"

class Inline96221(TypedDict, total=False):
    reason: "Required[str]"

class Inline99243(TypedDict, total=False):
    pid: "Required[int]"

class Interface(TypedDict, total=False):
    ipv4: "Required[Addresses]"
    ipv6: "Required[Addresses2]"
    mac: "MacAddress | None"
    mtu: "Required[int]"
    name: "Required[str]"
    offloads: "bool"
    services: "dict[str, dict[str, OptionValue]]"
    spanning_tree: "PortTree"
    station: "StationSetup"
    subinterface: "Subinterface | None"
    vlan: "PortVlans | None"

class InterfaceStatus(TypedDict, total=False):
    addresses: "Required[list[IpPrefix]]"
    link: "Required[str]"
    mac: "MacAddress | None"
    name: "Required[str]"
    peer: "Required[Endpoint]"
    spanning_tree: "TreePortStatus | None"
    vlan: "VlanPortStatus | None"

class JitterModel(TypedDict, total=False):
    correlation: "Probability | None"
    deviation: "Duration | None"
    empirical: "DataOfOffsets | None"
    normal: "Duration | None"
    pareto: "Duration | None"
    paretonormal: "Duration | None"
    pattern: "DataOfOffsets | None"
    table: "DataOfDistributionTable | None"
    trace: "DataOfOffsets | None"
    uniform: "Duration | None"

class LatencySummary(TypedDict, total=False):
    count: "Required[int]"
    max_us: "Required[float]"
    p50_us: "Required[float]"
    p999_us: "Required[float]"
    p99_us: "Required[float]"

class Lateness(TypedDict, total=False):
    beyond: "Required[int]"
    max: "Required[Duration]"
    p50: "Required[Duration]"
    p99: "Required[Duration]"
    p999: "Required[Duration]"
    share: "Required[float]"

class Limits(TypedDict, total=False):
    cpu: "CpuQuota | None"
    cpu_weight: "int | None"
    memory: "Size | None"
    pids: "int | None"

class Link(TypedDict, total=False):
    costs: "Required[list[int]]"
    cut: "Cut"
    direct: "bool"
    endpoints: "Required[list[Endpoint]]"
    forward: "Required[PipeConfig]"
    loads: "list[LinkLoad]"
    name: "Required[str]"
    reverse: "Required[PipeConfig]"

class LinkChange(TypedDict, total=False):
    change: "Required[WrittenChange]"
    direction: "Direction"
    link: "Required[str]"

class LinkLoad(TypedDict, total=False):
    frame: "Size | None"
    rate: "Rate | None"

class LinkStatus(TypedDict, total=False):
    endpoints: "Required[list[Endpoint]]"
    forward: "Required[PipeStatus]"
    name: "Required[str]"
    reverse: "Required[PipeStatus]"

class LogDistanceConfig(TypedDict, total=False):
    exponent: "Required[float]"
    reference: "Length"

class Lognormal(TypedDict, total=False):
    mean: "Required[Duration]"
    sigma: "Required[float]"

class Lognormal2(TypedDict, total=False):
    mean: "Required[Size]"
    sigma: "Required[float]"

class Loopback(TypedDict, total=False):
    ipv4: "Required[LoopbackAddress]"
    ipv6: "Required[LoopbackAddress2]"

class LoopbackAddress2Fixed(TypedDict, total=False):
    fixed: "Required[str]"

class LoopbackAddressFixed(TypedDict, total=False):
    fixed: "Required[str]"

class LossModelBernoulli(TypedDict, total=False):
    bernoulli: "Required[Probability]"

class LossModelEvery(TypedDict, total=False):
    every: "Required[int]"

class LossModelFourState(TypedDict, total=False):
    four_state: "Required[FourState]"

class LossModelGilbertElliott(TypedDict, total=False):
    gilbert_elliott: "Required[GilbertElliott]"

class LossModelPattern(TypedDict, total=False):
    pattern: "Required[LossPattern]"

class LossModelTrace(TypedDict, total=False):
    trace: "Required[DataOfLossPattern]"

class LossPoint(TypedDict, total=False):
    bytes: "Required[int]"
    loss: "Required[float]"
    rate: "Required[Rate]"
    snr: "Required[float]"

LossStep = TypedDict("LossStep", {
    "at": "Required[Duration]",
    "from": "Required[str]",
    "loss": "Required[float]",
    "to": "Required[str]",
}, total=False)

class Losses(TypedDict, total=False):
    buffers: "Required[int]"
    frames: "Required[int]"
    perhaps: "Required[int]"

LossesRequest = TypedDict("LossesRequest", {
    "from": "Required[list[str]]",
    "loss": "Required[list[float]]",
    "to": "Required[list[str]]",
}, total=False)

class MacParametersAloha(TypedDict, total=False):
    aloha: "Required[AlohaConfig]"

class MacParametersCsmaCd(TypedDict, total=False):
    csma_cd: "Required[CsmaCdConfig]"

class MacParametersDcf(TypedDict, total=False):
    dcf: "Required[DcfConfig]"

class MacParametersEmac(TypedDict, total=False):
    emac: "Required[EmacConfig]"

class MacParametersNone(TypedDict, total=False):
    none: "Required[NoMacConfig]"

class MacParametersTdma(TypedDict, total=False):
    tdma: "Required[TdmaConfig]"

class Machine(TypedDict, total=False):
    architecture: "Required[str]"
    clock_source: "str | None"
    distribution: "str | None"
    frequency_governor: "str | None"
    frequency_mhz: "int | None"
    host: "Required[str]"
    kernel: "Required[str]"
    memory_bytes: "int | None"
    netloom: "Required[str]"
    processor: "str | None"
    processors: "Required[int]"
    tcp_congestion_control: "str | None"

class MachineBound(TypedDict, total=False):
    clock: "Required[Alignment]"
    engine: "Required[WaitBound]"
    lost: "Time | None"
    machine: "Required[str]"

class MachineSummary(TypedDict, total=False):
    bound: "Required[Duration]"
    drift_ppb: "Required[int]"
    kernel: "str | None"
    lost: "Time | None"
    name: "Required[str]"
    offset_ns: "Required[int]"
    profile: "str | None"

class ManhattanConfig(TypedDict, total=False):
    area: "Required[Area]"
    blocks: "Required[list[int]]"
    speed: "Required[Speeds]"
    turn: "Probability"

class Mark(TypedDict, total=False):
    dscp: "Required[Dscp]"

class MatrixConfig(TypedDict, total=False):
    between: "Interpolation"
    file: "Required[DataOfPairLosses]"
    nodes: "dict[str, str]"

class Measure(TypedDict, total=False):
    air: "list[str]"
    capture: "Required[list[Capture2]]"
    flows: "Duration | None"
    frames: "Required[list[str]]"
    interval: "Required[Duration]"
    observations: "bool"

class Medium(TypedDict, total=False):
    access_points: "list[str]"
    addressing: "Required[MediumAddressing]"
    config: "Required[MediumConfig]"

class MediumConfig(TypedDict, total=False):
    association: "Required[AssociationConfig]"
    beacons: "Duration | None"
    capture: "Required[Capture]"
    cs_threshold: "Required[Power]"
    ed_threshold: "Required[Power]"
    height: "Required[Length]"
    ignore: "Power | None"
    lock: "Required[Lock]"
    mac: "Required[Mac]"
    phy: "Required[Phy]"
    power: "Required[Power]"
    propagation_delay: "Required[bool]"
    queue: "Required[QueueConfig]"
    radio: "Required[RadioConfig]"
    reception: "Required[ReceptionRule]"
    sensitivity: "Power | None"

class MediumProperties(TypedDict, total=False):
    association: "AssociationConfig | None"
    bandwidth: "Frequency | None"
    beacons: "Duration | None"
    capture: "Capture | None"
    coherence: "Duration | None"
    cs_threshold: "Power | None"
    ed_threshold: "Power | None"
    fading: "Fading | None"
    frequency: "Frequency | None"
    height: "Length | None"
    ignore: "Power | None"
    lock: "Lock | None"
    mac: "Mac | None"
    noise_figure: "Gain | None"
    obstacles: "list[ObstacleConfig] | None"
    phy: "Phy | None"
    power: "Power | None"
    propagation: "Propagation | None"
    propagation_delay: "bool | None"
    quantise: "Length | None"
    queue: "QueueConfig | None"
    reception: "ReceptionRule | None"
    sensitivity: "Power | None"
    shadowing: "ShadowingConfig | None"

class MediumRequest(TypedDict, total=False):
    set: "MediumProperties"
    stations: "list[StationRequest]"

class MediumResponse(TypedDict, total=False):
    at: "Required[Time]"

class MediumStatus(TypedDict, total=False):
    config: "Required[MediumConfig]"
    name: "Required[str]"
    stations: "Required[list[StationStatus]]"

class Meter(TypedDict, total=False):
    burst: "Size | None"
    rate: "Rate | None"
    srtcm: "SrtcmConfig | None"
    trtcm: "TrtcmConfig | None"

class MobilityGaussMarkov(TypedDict, total=False):
    gauss_markov: "Required[GaussMarkovConfig]"

class MobilityGroup(TypedDict, total=False):
    group: "Required[GroupConfig]"

class MobilityManhattan(TypedDict, total=False):
    manhattan: "Required[ManhattanConfig]"

class MobilityRandomDirection(TypedDict, total=False):
    random_direction: "Required[RandomDirectionConfig]"

class MobilityRandomWalk(TypedDict, total=False):
    random_walk: "Required[RandomWalkConfig]"

class MobilityRandomWaypoint(TypedDict, total=False):
    random_waypoint: "Required[RandomWaypointConfig]"

class MobilityTrace(TypedDict, total=False):
    trace: "Required[TraceConfig2]"

class MobilityWaypoints(TypedDict, total=False):
    waypoints: "Required[WaypointsConfig]"

class ModelBulk(TypedDict, total=False):
    bulk: "Required[BulkConfig]"

class ModelCbr(TypedDict, total=False):
    cbr: "Required[CbrConfig]"

class ModelFlows(TypedDict, total=False):
    flows: "Required[FlowsConfig]"

class ModelHttp(TypedDict, total=False):
    http: "Required[HttpConfig]"

class ModelOnOff(TypedDict, total=False):
    on_off: "Required[OnOffConfig]"

class ModelPing(TypedDict, total=False):
    ping: "Required[PingConfig]"

class ModelPoisson(TypedDict, total=False):
    poisson: "Required[PoissonConfig]"

class ModelPpbp(TypedDict, total=False):
    ppbp: "Required[PpbpConfig]"

class ModelRates(TypedDict, total=False):
    rates: "Required[RatesConfig]"

class ModelReplay(TypedDict, total=False):
    replay: "Required[ReplayConfig]"

class ModelTrace(TypedDict, total=False):
    trace: "Required[TraceConfig]"

class ModelVbr(TypedDict, total=False):
    vbr: "Required[VbrConfig]"

class ModelledPipe(TypedDict, total=False):
    config: "Required[PipeConfig]"
    statistics: "Required[PipeStatistics]"

class Monitor(TypedDict, total=False):
    criteria: "Required[Criteria]"
    enabled: "Required[bool]"
    on_contention: "Required[OnContention]"
    trust: "Required[Trust]"
    warm_up: "Required[Duration]"

class NakagamiConfig(TypedDict, total=False):
    far: "FarNakagami | None"
    m: "Required[float]"

class Neighbour(TypedDict, total=False):
    decodes: "Required[bool]"
    delivery: "Required[float]"
    distance: "Required[float]"
    hidden_from: "list[str]"
    node: "Required[str]"
    power: "Required[float]"
    rate: "Required[Rate]"
    snr: "Required[float]"

class Neighbours(TypedDict, total=False):
    medium: "Required[str]"
    neighbours: "Required[list[Neighbour]]"
    node: "Required[str]"

class NoMacConfig(TypedDict, total=False):
    pairs: "list[PairConfig] | None"
    rate: "Rate | None"

class Node(TypedDict, total=False):
    apart: "str | None"
    groups: "Required[list[str]]"
    interfaces: "Required[list[Interface]]"
    kernel: "Kernel"
    kind: "Required[NodeKind]"
    limits: "Limits"
    load: "NodeLoad"
    loopback: "Required[Loopback]"
    machine: "str | None"
    medium: "Medium | None"
    mobility: "Mobility | None"
    name: "Required[str]"
    position: "Coordinates | None"
    publish: "list[Publish]"
    routes: "Required[list[Route]]"
    routing: "Required[Routing]"
    simulated: "bool"
    software: "Software"
    spanning_tree: "SpanningTree | None"
    sysctls: "Required[dict[str, str]]"
    together: "str | None"

class NodeBound(TypedDict, total=False):
    cpu: "Required[WaitBound]"
    disk: "Required[WaitBound]"
    machine: "str | None"
    memory: "Required[WaitBound]"
    node: "Required[str]"

class NodeFile(TypedDict, total=False):
    content: "Required[str]"
    mode: "int | None"

class NodeLoad(TypedDict, total=False):
    cpu: "CpuQuota | None"
    memory: "Size | None"

class NodeStatus(TypedDict, total=False):
    interfaces: "Required[list[InterfaceStatus]]"
    kind: "Required[NodeKind]"
    limits: "Limits"
    name: "Required[str]"
    namespace: "str | None"
    primary: "Required[list[str]]"
    published: "list[Publish]"
    simulated: "bool"
    usage: "NodeUsage | None"

class NodeUsage(TypedDict, total=False):
    cpu_ns: "int | None"
    memory: "int | None"
    memory_kills: "int | None"
    memory_peak: "int | None"
    pids: "int | None"
    pids_peak: "int | None"
    throttled: "int | None"
    throttled_ns: "int | None"

class ObstacleConfig(TypedDict, total=False):
    file: "DataOfPolygons | None"
    inside: "Attenuation"
    polygon: "list[list[Coordinate]] | None"
    wall: "Required[Loss]"

class OnOffConfig(TypedDict, total=False):
    off: "Required[DurationDistribution]"
    on: "Required[DurationDistribution]"
    rate: "Rate | None"
    sources: "int"
    start: "Start"

class OrbitsTle(TypedDict, total=False):
    tle: "Required[Elements]"

class OrbitsWalker(TypedDict, total=False):
    walker: "Required[WalkerConfig]"

class Outline(TypedDict, total=False):
    rings: "Required[list[list[list[float]]]]"

class Overhead(TypedDict, total=False):
    elapsed_ns: "int"
    monitoring_ns: "Required[int]"
    notification_ns: "Required[int]"
    preparation_ns: "int"
    share: "Required[float]"

class OverheadPoint(TypedDict, total=False):
    lost: "bool"
    probability: "Required[Probability]"
    time: "Required[Duration]"

class Pages(TypedDict, total=False):
    limit: "Required[int]"
    window: "Required[Duration]"

PairConfig = TypedDict("PairConfig", {
    "ber": "BitErrorRate",
    "delay": "Duration",
    "from": "Required[str]",
    "loss": "Probability",
    "to": "Required[str]",
}, total=False)

class Pareto(TypedDict, total=False):
    mean: "Required[Duration]"
    most: "Duration | None"
    shape: "Required[float]"

class Pareto2(TypedDict, total=False):
    mean: "Required[Size]"
    most: "Size | None"
    shape: "Required[float]"

class Part2(TypedDict, total=False):
    limit: "Required[Probability]"
    window: "Required[Duration]"

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

class PieConfig(TypedDict, total=False):
    alpha: "float"
    beta: "float"
    derandomize: "bool"
    ecn: "bool"
    ecn_threshold: "Probability"
    max_burst: "Duration"
    target: "Duration"
    update: "Duration"

class PingConfig(TypedDict, total=False):
    count: "int | None"
    interval: "Duration"

class PingRequest(TypedDict, total=False):
    families: "Required[list[Family]]"
    nodes: "Required[list[str]]"
    tries: "Required[int]"

class PipeBound(TypedDict, total=False):
    at_most: "Required[Lateness]"
    bad: "Required[list[Span]]"
    doubtful: "Required[list[Span]]"
    frames: "Required[int]"
    late: "Required[Lateness]"
    machines: "list[str]"
    pipe: "Required[str]"
    rate: "RateError | None"

class PipeChange(TypedDict, total=False):
    background: "Background | None"
    ber: "BitErrorRate | None"
    bit_errors: "BitErrors | None"
    burst: "Size | None"
    compensate: "Compensation | None"
    condition: "Condition | None"
    corrupt: "Probability | None"
    delay: "Delay | None"
    duplicate: "Probability | None"
    framing: "Framing | None"
    in_flight: "InFlight | None"
    jitter: "Jitter | None"
    loss: "Loss | None"
    mac_overhead: "DataOfOverheadProfile | None"
    pipe_mtu: "MtuLimit | None"
    queue: "QueueChange | None"
    rate: "RateLimit | None"
    reorder: "Reorder | None"
    state: "LinkState | None"

class PipeConfig(TypedDict, total=False):
    background: "Required[Background]"
    ber: "Required[BitErrorRate]"
    bit_errors: "Required[BitErrors]"
    burst: "Required[Size]"
    compensate: "Required[Compensation]"
    condition: "Required[Condition]"
    corrupt: "Required[Probability]"
    delay: "Required[Delay]"
    duplicate: "Required[Probability]"
    framing: "Required[Framing]"
    in_flight: "Required[InFlight]"
    jitter: "Required[Jitter]"
    loss: "Required[Loss]"
    mac_overhead: "Required[DataOfOverheadProfile]"
    pipe_mtu: "Required[MtuLimit]"
    queue: "Required[QueueConfig]"
    rate: "Required[RateLimit]"
    reorder: "Required[Reorder]"
    state: "Required[LinkState]"

class PipeStatistics(TypedDict, total=False):
    aqm: "AqmState | None"
    at: "Required[Time]"
    background: "BackgroundStatistics | None"
    busy_ns: "Required[int]"
    corrupted: "Required[Count]"
    delay: "DelayStatistics | None"
    delivered: "Required[Count]"
    dropped: "Required[DropStatistics]"
    duplicated: "Required[Count]"
    frame_bytes_mean: "float | None"
    in_flight: "Required[Count]"
    load: "Required[float]"
    lost_percent: "float | None"
    lost_unmodelled: "Count"
    marked: "Required[Count]"
    offered: "Required[Count]"
    queue: "Required[QueueStatistics]"
    since: "Required[Time]"

class PlacementOptions(TypedDict, total=False):
    headroom: "Required[Probability]"
    objective: "Required[Objective]"
    solve_for: "Required[Duration]"

class PoissonConfig(TypedDict, total=False):
    load: "Load | None"
    rate: "Rate | None"

class Polygons(TypedDict, total=False):
    degrees: "Required[bool]"
    outlines: "Required[list[Outline]]"

class PortTree(TypedDict, total=False):
    cost: "int | None"
    priority: "int | None"

class PortVlansAccess(TypedDict, total=False):
    access: "Required[int]"

class PortVlansTrunk(TypedDict, total=False):
    trunk: "Required[Trunk]"

class Position(TypedDict, total=False):
    x: "Required[float]"
    y: "Required[float]"
    z: "float"

class PositionsRequest(TypedDict, total=False):
    nodes: "Required[list[str]]"
    x: "Required[list[float]]"
    y: "Required[list[float]]"
    z: "list[float] | None"

class PpbpConfig(TypedDict, total=False):
    burst: "Required[Duration]"
    burst_rate: "Rate | None"
    bursts: "float | None"
    hurst: "Required[float]"
    load: "Load | None"
    start: "Start"

class PrioConfig(TypedDict, total=False):
    classes: "list[ClassConfig]"

class Process(TypedDict, total=False):
    background: "Required[bool]"
    command: "Required[Command]"
    env: "Required[dict[str, str]]"
    keep: "Required[list[str]]"
    name: "Required[str]"
    nodes: "Required[list[str]]"
    ready: "Ready | None"
    start: "Required[Start3]"

class ProcessStateDone(TypedDict, total=False):
    done: "Required[Inline53850]"

class ProcessStateFailed(TypedDict, total=False):
    failed: "Required[Inline96221]"

class ProcessStateReady(TypedDict, total=False):
    ready: "Required[Inline99243]"

class ProcessStateStarted(TypedDict, total=False):
    started: "Required[Inline99243]"

class ProcessStatus(TypedDict, total=False):
    node: "Required[str]"
    process: "Required[str]"
    state: "Required[ProcessState]"

Program = TypedDict("Program", {
    "in": "list[str]",
    "package": "Required[str]",
}, total=False)

class PropagationGrid(TypedDict, total=False):
    grid: "Required[GridConfig]"

class PropagationLogDistance(TypedDict, total=False):
    log_distance: "Required[LogDistanceConfig]"

class PropagationMatrix(TypedDict, total=False):
    matrix: "Required[MatrixConfig]"

class PropagationRange(TypedDict, total=False):
    range: "Required[RangeConfig]"

class Publish(TypedDict, total=False):
    address: "str | None"
    port: "Required[int]"
    protocol: "Required[Protocol]"
    to: "Required[int]"

class Punctuality(TypedDict, total=False):
    tolerance: "Required[Duration]"

class QueueChange(TypedDict, total=False):
    discipline: "Discipline | None"
    full: "WhenFull | None"
    limit: "QueueLimit | None"

class QueueConfig(TypedDict, total=False):
    discipline: "Required[Discipline]"
    full: "WhenFull"
    limit: "Required[QueueLimit]"

class QueueStatistics(TypedDict, total=False):
    fill: "float | None"
    maximum: "Required[Count]"
    mean_frames: "Required[float]"
    now: "Required[Count]"
    seen_mean_frames: "float | None"

class RadioConfig(TypedDict, total=False):
    bandwidth: "Frequency"
    coherence: "Duration | None"
    error_table: "DataOfErrorTable | None"
    fading: "Fading"
    frequency: "Frequency"
    noise_figure: "Gain"
    obstacles: "list[ObstacleConfig]"
    propagation: "Propagation"
    quantise: "Length | None"
    shadowing: "ShadowingConfig | None"

class RandomDirectionConfig(TypedDict, total=False):
    area: "Required[Area]"
    every: "Required[Duration]"
    pause: "Duration"
    speed: "Required[Speeds]"

class RandomWalkConfig(TypedDict, total=False):
    area: "Required[Area]"
    every: "Required[Stretch]"
    speed: "Required[Speeds]"

class RandomWaypointConfig(TypedDict, total=False):
    area: "Required[Area]"
    pause: "Duration"
    speed: "Required[Speeds]"
    start: "Start2"

class RangeConfig(TypedDict, total=False):
    reach: "Required[Length]"
    sense: "Length | None"

class RateControl2Aarf(TypedDict, total=False):
    aarf: "Required[ArfConfig]"

class RateControl2Arf(TypedDict, total=False):
    arf: "Required[ArfConfig]"

class RateError(TypedDict, total=False):
    busy: "Required[Duration]"
    lost: "Required[Duration]"
    share: "Required[float]"

class RatesConfig(TypedDict, total=False):
    file: "DataOfRateList | None"
    repeat: "Duration | None"
    schedule: "list[ScheduleStep] | None"
    step: "Duration | None"

Reach = TypedDict("Reach", {
    "address": "Required[str]",
    "error": "str | None",
    "from": "Required[str]",
    "rtt_ms": "float | None",
    "sent": "Required[int]",
    "to": "Required[str]",
}, total=False)

class ReadyCommand(TypedDict, total=False):
    command: "Required[Command]"

class ReadyOutput(TypedDict, total=False):
    output: "Required[str]"

class ReadyPath(TypedDict, total=False):
    path: "Required[str]"

class ReadyPort(TypedDict, total=False):
    port: "Required[int]"

class ReceivedTotal(TypedDict, total=False):
    bytes: "Required[int]"
    delay_mean_ns: "Required[int]"
    frames: "Required[int]"

class Recurs(TypedDict, total=False):
    every: "Required[Duration]"
    lasts: "Duration | None"
    times: "int | None"
    until: "Duration | None"

class RedConfig(TypedDict, total=False):
    adaptive: "bool"
    by_dscp: "RedByDscp"
    ecn: "bool"
    gentle: "bool"
    hard_drop: "bool"
    max: "QueueLimit"
    max_p: "Probability"
    mean_packet: "Size"
    min: "QueueLimit"
    no_drop: "bool"
    weight: "float"

class RedThresholds(TypedDict, total=False):
    max: "QueueLimit"
    max_p: "Probability"
    min: "QueueLimit"

class Reordering(TypedDict, total=False):
    extra_delay: "Duration | None"
    gap: "int"
    probability: "Required[Probability]"

class ReplayConfig(TypedDict, total=False):
    as_is: "bool"
    file: "Required[str]"
    rewrite: "dict[str, str]"
    stretch: "float | None"

class ResourceBuffer(TypedDict, total=False):
    kind: "Required[Literal['buffer']]"
    of: "Required[Buffer]"
    who: "Required[Who]"

class ResourceChanges(TypedDict, total=False):
    kind: "Required[Literal['changes']]"

class ResourceClock(TypedDict, total=False):
    kind: "Required[Literal['clock']]"
    machine: "Required[str]"

class ResourceCpu(TypedDict, total=False):
    cpu: "Required[int]"
    kind: "Required[Literal['cpu']]"

class ResourceDisk(TypedDict, total=False):
    kind: "Required[Literal['disk']]"
    name: "Required[str]"

class ResourceEngine(TypedDict, total=False):
    kind: "Required[Literal['engine']]"

class ResourceEvents(TypedDict, total=False):
    kind: "Required[Literal['events']]"

class ResourceFaults(TypedDict, total=False):
    kind: "Required[Literal['faults']]"

class ResourceFlowDelay(TypedDict, total=False):
    kind: "Required[Literal['flow_delay']]"

class ResourceFlowThroughput(TypedDict, total=False):
    kind: "Required[Literal['flow_throughput']]"

class ResourceFrames(TypedDict, total=False):
    kind: "Required[Literal['frames']]"

class ResourceInternal(TypedDict, total=False):
    kind: "Required[Literal['internal']]"

class ResourceLosses(TypedDict, total=False):
    cause: "Required[DropCause]"
    kind: "Required[Literal['losses']]"

class ResourceLostPeriods(TypedDict, total=False):
    kind: "Required[Literal['lost_periods']]"

class ResourceMachine(TypedDict, total=False):
    kind: "Required[Literal['machine']]"
    name: "Required[str]"

class ResourceMetric(TypedDict, total=False):
    kind: "Required[Literal['metric']]"
    name: "Required[str]"
    who: "Required[Who]"

class ResourceMissedEvents(TypedDict, total=False):
    kind: "Required[Literal['missed_events']]"

class ResourcePeriods(TypedDict, total=False):
    kind: "Required[Literal['periods']]"

class ResourcePipe(TypedDict, total=False):
    kind: "Required[Literal['pipe']]"
    name: "Required[str]"

class ResourcePressure(TypedDict, total=False):
    kind: "Required[Literal['pressure']]"
    of: "Required[Pressure]"
    who: "Required[Who]"

class ResourceRunQueue(TypedDict, total=False):
    kind: "Required[Literal['run_queue']]"
    who: "Required[Who]"

class ResourceSingleFrame(TypedDict, total=False):
    kind: "Required[Literal['single_frame']]"

class ResourceSwap(TypedDict, total=False):
    kind: "Required[Literal['swap']]"

class ResourceUplink(TypedDict, total=False):
    kind: "Required[Literal['uplink']]"
    name: "Required[str]"

class Retry(TypedDict, total=False):
    long: "int"
    short: "int"

class Route(TypedDict, total=False):
    interface: "str | None"
    metric: "int | None"
    to: "Required[IpPrefix]"
    via: "str | None"

class RouteChangeAdd(TypedDict, total=False):
    add: "Required[Route]"

class RouteChangeRemove(TypedDict, total=False):
    remove: "Required[IpPrefix]"

class RouteChangeReplace(TypedDict, total=False):
    replace: "Required[Route]"

class RoutesRequest(TypedDict, total=False):
    changes: "Required[list[RouteChange]]"

class RoutesResponse(TypedDict, total=False):
    at: "Required[Time]"
    routes: "Required[list[ChangedRoute]]"

class Scenario(TypedDict, total=False):
    constellations: "list[Constellation]"
    dilation: "Dilation"
    duration: "Duration | None"
    expect: "list[Expectation]"
    group_limits: "dict[str, Limits]"
    links: "Required[list[Link]]"
    measure: "Required[Measure]"
    monitor: "Required[Monitor]"
    name: "Required[str]"
    neighbours: "Neighbours2"
    nodes: "Required[list[Node]]"
    origin: "Geographic | None"
    placement: "PlacementOptions"
    processes: "Required[list[Process]]"
    seed: "Required[int]"
    simulation: "SimulationOptions"
    symbiosis: "Symbiosis | None"
    templates: "dict[str, ServiceTemplate]"
    timeline: "Required[list[TimelineEvent]]"
    total_limits: "Limits"
    traffic: "list[Traffic]"
    workers: "Workers"

class ScenarioInForce(TypedDict, total=False):
    file: "Required[str]"
    text: "Required[str | None]"
    scenario: "Required[Scenario]"

class ScheduleStep(TypedDict, total=False):
    at: "Required[Duration]"
    rate: "Required[Rate]"

class SectorConfig(TypedDict, total=False):
    azimuth: "Angle"
    back: "Required[Gain]"
    gain: "Required[Gain]"
    width: "Required[Angle]"

class ServiceOption(TypedDict, total=False):
    default: "OptionValue | None"
    description: "str"
    kind: "OptionKind"
    max: "int | None"
    min: "int | None"
    one_of: "list[str] | None"
    per_interface: "bool"
    required: "bool"

class ServiceStateFailed(TypedDict, total=False):
    failed: "Required[Inline38098]"

class ServiceStateReady(TypedDict, total=False):
    ready: "Required[Inline99243]"

class ServiceStateStarting(TypedDict, total=False):
    starting: "Required[Inline99243]"

class ServiceStateUnhealthy(TypedDict, total=False):
    unhealthy: "Required[Inline99243]"

class ServiceStatus(TypedDict, total=False):
    log: "Required[str]"
    node: "Required[str]"
    service: "Required[str]"
    state: "Required[ServiceState]"

class ServiceTemplate(TypedDict, total=False):
    command: "Required[list[str]]"
    compares: "dict[str, Compared]"
    description: "str"
    directories: "dict[str, TemplateDirectory]"
    files: "dict[str, TemplateFile]"
    health: "TemplateTest | None"
    needs: "list[str]"
    options: "dict[str, ServiceOption]"
    prepare: "list[list[str]]"
    programs: "dict[str, Program]"
    ready: "TemplateTest | None"
    routing: "bool"
    speaks: "dict[str, str]"
    user: "str | None"

class ServiceUse(TypedDict, total=False):
    options: "Required[dict[str, OptionValue]]"
    template: "Required[str]"

class ShadowingConfig(TypedDict, total=False):
    deviation: "Required[Loss]"
    distance: "ShadowDistance"

class Share(TypedDict, total=False):
    amount: "Required[int]"
    share: "Required[float]"
    who: "Required[Who]"

class Signal(TypedDict, total=False):
    at: "Required[Time]"
    change: "Required[Change]"
    on: "Required[Resource]"
    shares: "Required[list[Share]]"
    signal: "Required[SignalKind]"
    threshold: "Required[float]"
    value: "Required[float]"

class SignalReport(TypedDict, total=False):
    episodes: "Required[list[Episode]]"
    held: "Required[Duration]"
    machine: "str | None"
    margin: "float | None"
    on: "Required[Resource]"
    shares: "Required[list[Share]]"
    signal: "Required[SignalKind]"
    threshold: "float | None"
    worst: "float | None"

class SimulationOptions(TypedDict, total=False):
    cells: "int | None"
    processes: "int | None"
    reroute: "Duration | None"
    tcp_hz: "int | None"
    threads: "Threads"

class SimulationSummary(TypedDict, total=False):
    busiest_second: "float | None"
    cells: "Required[int]"
    events: "Required[int]"
    highest_load: "float | None"
    not_forwarded: "Required[dict[str, int]]"
    not_modelled: "Required[list[str]]"
    packet_hops: "Required[int]"
    processes: "int"
    same_for_all_seeds: "bool"
    symbiosis: "SymbiosisSummary | None"
    threads: "Required[int]"
    wall_seconds: "Required[float]"

class SizesTable(TypedDict, total=False):
    file: "Required[DataOfSizeList]"

class SlotOrder2Names(TypedDict, total=False):
    names: "Required[list[str]]"

class Software(TypedDict, total=False):
    binds: "dict[str, Bind]"
    env: "dict[str, str]"
    files: "dict[str, NodeFile]"
    root: "str | None"
    services: "dict[str, ServiceUse]"
    startup: "list[Command]"

Span = TypedDict("Span", {
    "from": "Required[Time]",
    "to": "Required[Time]",
}, total=False)

class SpanningTree(TypedDict, total=False):
    forward_delay: "int"
    hello: "int"
    max_age: "int"
    priority: "Required[int]"

class SrtcmConfig(TypedDict, total=False):
    aware: "bool"
    cbs: "Required[Size]"
    cir: "Required[Rate]"
    ebs: "Required[Size]"

class Start3After(TypedDict, total=False):
    after: "Required[Inline93545]"

class Start3At(TypedDict, total=False):
    at: "Required[Duration]"

class StationChange(TypedDict, total=False):
    cw: "Window | None"
    on: "bool | None"
    power: "Power | None"
    rate: "Rate | None"
    speed: "Speed | None"
    to: "Position | None"

class StationRequest(TypedDict, total=False):
    cw: "Window | None"
    node: "Required[str]"
    on: "bool | None"
    power: "Power | None"
    rate: "Rate | None"
    speed: "Speed | None"
    to: "Position | None"

class StationSetup(TypedDict, total=False):
    antenna: "Antenna | None"
    cw: "Window | None"
    power: "Power | None"
    rate: "Rate | None"

class StationStatistics(TypedDict, total=False):
    access_delay: "AccessDelay | None"
    airtime_by_kind_ns: "dict[str, int]"
    airtime_ns: "Required[int]"
    attempts: "Required[int]"
    busy_ns: "Required[int]"
    collisions: "Required[int]"
    dropped: "Required[dict[str, Count]]"
    failed: "Required[Count]"
    missed: "Required[dict[str, Count]]"
    offered: "Required[Count]"
    received: "Required[Count]"
    retries: "Required[int]"
    sent: "Required[Count]"

class StationStatus(TypedDict, total=False):
    interface: "Required[Endpoint]"
    on: "Required[bool]"
    position: "Position | None"
    queued: "Required[int]"
    statistics: "Required[StationStatistics]"
    window: "Required[int]"

class StepConfig(TypedDict, total=False):
    mark_at: "QueueLimit"

class Subinterface(TypedDict, total=False):
    of: "Required[str]"
    vlan: "Required[int]"

class Summary(TypedDict, total=False):
    deploy_seconds: "Required[float]"
    dilation: "Dilation"
    ended: "Required[Time]"
    expectations: "list[ExpectationStatus]"
    failures: "Required[list[str]]"
    file: "Required[str]"
    flows: "list[FlowStatus]"
    frame_log: "FrameLogSummary | None"
    links: "Required[list[LinkStatus]]"
    machines: "list[MachineSummary]"
    media: "list[MediumStatus]"
    mode: "Mode"
    name: "Required[str]"
    placement: "dict[str, str]"
    processes: "Required[list[ProcessStatus]]"
    ready_seconds: "float | None"
    reason: "Required[EndReason]"
    seed: "Required[int]"
    simulation: "SimulationSummary | None"
    started_unix: "Required[float]"
    success: "Required[bool]"
    timeline: "list[TimelineStatus]"
    timing: "Timing | None"
    usage: "dict[str, NodeUsage]"
    verdict: "Verdict | None"
    version: "Required[str]"
    vlan_ports: "dict[str, VlanPortStatus]"
    warnings: "Required[list[str]]"

class Symbiosis(TypedDict, total=False):
    calibration: "Required[CalibrationMethod]"
    downscale: "Required[bool]"
    loss: "Required[LossMethod]"
    period: "Duration | None"
    twins: "TwinMethod"

class SymbiosisSummary(TypedDict, total=False):
    computed_mean: "Required[Duration]"
    computed_most: "Required[Duration]"
    flows: "list[FollowingFlow]"
    late: "Required[int]"
    missed: "Required[int]"
    period: "Required[Duration]"
    periods: "Required[int]"
    pipes: "Required[list[FollowingPipe]]"

class TcpStatus(TypedDict, total=False):
    acked_bytes: "Required[int]"
    connections: "Required[int]"
    cwnd: "Required[int]"
    delivery_rate: "Required[int]"
    in_flight: "Required[int]"
    lost: "int | None"
    marked: "Required[int]"
    min_rtt_ns: "Required[int]"
    retransmitted: "Required[int]"
    rto_ns: "Required[int]"
    rttvar_ns: "Required[int]"
    srtt_ns: "Required[int]"
    ssthresh: "int | None"

class TdmaConfig(TypedDict, total=False):
    guard: "Duration"
    order: "SlotOrder"
    rate: "Rate | None"
    slot: "Required[Duration]"

class TemplateDirectory(TypedDict, total=False):
    mode: "str | None"
    owner: "str | None"

class TemplateFile(TypedDict, total=False):
    content: "Required[str]"
    mode: "str | None"
    owner: "str | None"

class TemplateTestCommand(TypedDict, total=False):
    command: "Required[list[str]]"

class TemplateTestOutput(TypedDict, total=False):
    output: "Required[str]"

class TemplateTestPath(TypedDict, total=False):
    path: "Required[str]"

class TemplateTestPort(TypedDict, total=False):
    port: "Required[str]"

class TerminalSize(TypedDict, total=False):
    columns: "Required[int]"
    rows: "Required[int]"

class ThreadsOf(TypedDict, total=False):
    of: "Required[int]"

class TimelineActionRoute(TypedDict, total=False):
    change: "Required[RouteChange]"
    do: "Required[Literal['route']]"
    node: "Required[str]"

class TimelineActionRun(TypedDict, total=False):
    command: "Required[Command]"
    do: "Required[Literal['run']]"
    node: "Required[str]"

class TimelineActionSetLink(TypedDict, total=False):
    change: "Required[PipeChange]"
    direction: "Required[Direction]"
    do: "Required[Literal['set_link']]"
    link: "Required[str]"

class TimelineActionSetMedia(TypedDict, total=False):
    changes: "Required[dict[str, MediumProperties]]"
    do: "Required[Literal['set_media']]"

class TimelineActionSetNode(TypedDict, total=False):
    disk: "Disk"
    do: "Required[Literal['set_node']]"
    node: "Required[str]"
    state: "Required[NodeState]"

class TimelineActionSetStation(TypedDict, total=False):
    change: "Required[StationChange]"
    do: "Required[Literal['set_station']]"
    node: "Required[str]"

class TimelineBound(TypedDict, total=False):
    latest: "Required[Duration]"
    missed: "Required[bool]"

class TimelineEvent(TypedDict, total=False):
    action: "Required[TimelineAction]"
    at: "Required[Start3]"
    when: "When | None"

class TimelineStatus(TypedDict, total=False):
    action: "Required[str]"
    failure: "str | None"
    happened: "Time | None"
    planned: "Time | None"
    timeline: "Required[int]"

class Timing(TypedDict, total=False):
    failures: "Required[list[str]]"
    interface_down: "Required[int]"
    lateness: "Required[LatencySummary]"
    timer_wakeup: "Required[LatencySummary]"
    unattended: "Required[LatencySummary]"
    unmodelled_drops: "Required[dict[str, int]]"
    workers: "Required[list[WorkerLoad]]"

class TraceConfig(TypedDict, total=False):
    file: "Required[DataOfArrivals]"
    load: "Load | None"
    repeat: "Duration | None"
    stretch: "float | None"

class TraceConfig2(TypedDict, total=False):
    degrees: "bool | None"
    file: "Required[DataOfTraces]"
    format: "TraceFormat | None"
    node: "str | None"
    offset: "list[Coordinate]"
    scale: "float"
    start: "Duration"

Traffic = TypedDict("Traffic", {
    "background": "Required[bool]",
    "family": "IpFamily | None",
    "from": "Required[list[str]]",
    "model": "Required[Model]",
    "name": "Required[str]",
    "sizes": "Required[Sizes]",
    "start": "Required[Start3]",
    "time": "Duration | None",
    "to": "Required[list[str]]",
    "transport": "Required[Transport]",
}, total=False)

class Traffic2(TypedDict, total=False):
    rate: "Rate | None"
    window: "Duration"

class TransferStatus(TypedDict, total=False):
    begun: "Required[int]"
    completed: "Required[int]"
    max_ns: "int | None"
    mean_ns: "float | None"

class TransportTcp(TypedDict, total=False):
    tcp: "Required[Inline46241]"

class TransportUdp(TypedDict, total=False):
    udp: "Required[Inline54098]"

class TreePortStatus(TypedDict, total=False):
    bridge: "Required[str]"
    cost: "Required[int]"
    discarded: "Required[int]"
    edge: "Required[bool]"
    ignored: "Required[int]"
    legacy: "Required[bool]"
    priority: "Required[int]"
    received: "Required[int]"
    role: "Required[PortRole]"
    root: "Required[str]"
    root_cost: "Required[int]"
    sent: "Required[int]"
    state: "Required[PortState]"

class TrtcmConfig(TypedDict, total=False):
    aware: "bool"
    cbs: "Required[Size]"
    cir: "Required[Rate]"
    pbs: "Required[Size]"
    pir: "Required[Rate]"

class Trunk(TypedDict, total=False):
    allowed: "Required[Vlans]"
    native: "int | None"

Trust = TypedDict("Trust", {
    "delay": "Duration",
    "for": "Purpose",
    "losses": "int",
    "share": "Probability",
    "stall": "Duration",
    "timeline": "Duration",
    "waits": "Probability",
}, total=False)

Uniform = TypedDict("Uniform", {
    "from": "Required[Duration]",
    "to": "Required[Duration]",
}, total=False)

Uniform2 = TypedDict("Uniform2", {
    "from": "Required[Size]",
    "to": "Required[Size]",
}, total=False)

class VaryingDelay(TypedDict, total=False):
    repeat: "Duration | None"
    schedule: "Required[list[DelayPoint]]"

class VaryingRate(TypedDict, total=False):
    repeat: "Duration | None"
    schedule: "list[ScheduleStep] | None"
    trace: "DataOfRateTrace | None"

class VbrConfig(TypedDict, total=False):
    file: "Required[DataOfPictures]"
    frame_rate: "Required[float]"

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

class VlanDrops(TypedDict, total=False):
    foreign: "Required[Count]"
    untagged: "Required[Count]"

class VlanPortStatus(TypedDict, total=False):
    dropped: "Required[VlanDrops]"
    vlans: "Required[PortVlans]"

class WaitBound(TypedDict, total=False):
    bad: "Required[list[Span]]"
    longest: "Required[Duration]"
    share: "Required[float]"
    times: "Required[int]"
    waited: "Required[Duration]"

class WalkerConfig(TypedDict, total=False):
    altitude: "Required[Length]"
    inclination: "Required[Angle]"
    phasing: "int"
    planes: "Required[int]"
    satellites: "Required[int]"
    star: "bool"

class Waypoint(TypedDict, total=False):
    at: "Duration | None"
    by: "Duration | None"
    pause: "Duration | None"
    speed: "Speed | None"
    to: "Coordinates | None"

class WaypointsTable(TypedDict, total=False):
    loop: "bool"
    path: "Required[list[Waypoint]]"

class Weibull(TypedDict, total=False):
    mean: "Required[Duration]"
    shape: "Required[float]"

class Weibull2(TypedDict, total=False):
    mean: "Required[Size]"
    shape: "Required[float]"

class WeightedSize(TypedDict, total=False):
    bytes: "Required[Size]"
    weight: "float"

class Wf2qConfig(TypedDict, total=False):
    classes: "list[ClassConfig] | None"
    flows: "int | None"

class WhenFails(TypedDict, total=False):
    fails: "Required[Fails]"

class WhenLasts(TypedDict, total=False):
    lasts: "Required[Duration]"

class WhenRecurs(TypedDict, total=False):
    recurs: "Required[Recurs]"

class WhoEngine(TypedDict, total=False):
    kind: "Required[Literal['engine']]"

class WhoHypervisor(TypedDict, total=False):
    kind: "Required[Literal['hypervisor']]"

class WhoKernel(TypedDict, total=False):
    kind: "Required[Literal['kernel']]"

class WhoNode(TypedDict, total=False):
    kind: "Required[Literal['node']]"
    name: "Required[str]"

class WhoOthers(TypedDict, total=False):
    kind: "Required[Literal['others']]"

class WhoOutside(TypedDict, total=False):
    kind: "Required[Literal['outside']]"

class WhoProcess(TypedDict, total=False):
    kind: "Required[Literal['process']]"
    name: "Required[str]"
    pid: "Required[int]"

class WhoTunnel(TypedDict, total=False):
    kind: "Required[Literal['tunnel']]"

class WhoUnattributed(TypedDict, total=False):
    kind: "Required[Literal['unattributed']]"

class WorkerLoad(TypedDict, total=False):
    busy: "Required[float]"
    dedicated_cpu: "int | None"
    lateness: "Required[LatencySummary]"
    scheduling: "Required[Scheduling]"
    spinning: "Required[float]"

class Workers(TypedDict, total=False):
    dedicated_cpus: "Required[int]"

class WrittenChange(TypedDict, total=False):
    background: "Background | None"
    ber: "BitErrorRate | None"
    bit_errors: "BitErrors | None"
    burst: "Size | None"
    compensate: "Compensation | None"
    condition: "Condition | None"
    corrupt: "Probability | None"
    delay: "Delay | None"
    dummynet: "str | None"
    duplicate: "Probability | None"
    framing: "Framing | None"
    in_flight: "InFlight | None"
    jitter: "Jitter | None"
    loss: "Loss | None"
    mac_overhead: "DataOfOverheadProfile | None"
    netem: "str | None"
    pipe_mtu: "MtuLimit | None"
    queue: "QueueChange | None"
    rate: "RateLimit | None"
    reorder: "Reorder | None"
    state: "LinkState | None"
    tbf: "str | None"

class EventApplied(EventBase, total=False):
    event: "Required[Literal['applied']]"
    steps: "Required[list[ApplyStep]]"

class EventAssociated(EventBase, total=False):
    access_point: "Required[str]"
    event: "Required[Literal['associated']]"
    medium: "Required[str]"
    node: "Required[str]"
    since: "Required[Time]"

class EventChangeFailed(EventBase, total=False):
    by: "Required[Origin]"
    event: "Required[Literal['change_failed']]"
    reason: "Required[str]"

class EventChanged(EventBase, total=False):
    by: "Required[Origin]"
    changes: "Required[list[LinkChange]]"
    event: "Required[Literal['changed']]"

class EventCommandEnded(EventBase, total=False):
    code: "Required[int]"
    command: "Required[list[str]]"
    event: "Required[Literal['command_ended']]"
    node: "Required[str]"
    output: "Required[str]"

class EventContention(EventBase, total=False):
    event: "Required[Literal['contention']]"
    signal: "Required[Signal]"

class EventExpectation(EventBase, total=False):
    event: "Required[Literal['expectation']]"
    expected: "Required[str]"
    found: "Required[str]"
    met: "Required[bool]"
    node: "Required[str]"
    process: "Required[str]"

EventHandedOver = TypedDict("EventHandedOver", {
    "event": "Required[Literal['handed_over']]",
    "from": "Required[str]",
    "medium": "Required[str]",
    "node": "Required[str]",
    "since": "Required[Time]",
    "to": "Required[str]",
}, total=False)

class EventLeft(EventBase, total=False):
    access_point: "Required[str]"
    event: "Required[Literal['left']]"
    medium: "Required[str]"
    node: "Required[str]"

class EventLossesSet(EventBase, total=False):
    event: "Required[Literal['losses_set']]"
    medium: "Required[str]"
    pairs: "Required[int]"

class EventMediumChanged(EventBase, total=False):
    by: "Required[Origin]"
    event: "Required[Literal['medium_changed']]"
    medium: "Required[str]"
    set: "MediumProperties"
    stations: "list[StationRequest]"

class EventMemoryKilled(EventBase, total=False):
    event: "Required[Literal['memory_killed']]"
    node: "Required[str]"
    processes: "Required[int]"

class EventNeighbour(EventBase, total=False):
    event: "Required[Literal['neighbour']]"
    medium: "Required[str]"
    pair: "Required[list[str]]"
    up: "Required[bool]"

class EventNodeFailed(EventBase, total=False):
    event: "Required[Literal['node_failed']]"
    node: "Required[str]"

class EventNodeRecovered(EventBase, total=False):
    event: "Required[Literal['node_recovered']]"
    node: "Required[str]"

class EventPhase(EventBase, total=False):
    event: "Required[Literal['phase']]"
    phase: "Required[Phase]"

class EventPositions(EventBase, total=False):
    event: "Required[Literal['positions']]"
    nodes: "Required[list[str]]"
    x: "Required[list[float]]"
    y: "Required[list[float]]"
    z: "Required[list[float]]"

class EventProcessEnded(EventBase, total=False):
    code: "Required[int]"
    event: "Required[Literal['process_ended']]"
    node: "Required[str]"
    process: "Required[str]"

class EventProcessFailed(EventBase, total=False):
    event: "Required[Literal['process_failed']]"
    node: "Required[str]"
    process: "Required[str]"
    reason: "Required[str]"

class EventProcessReady(EventBase, total=False):
    event: "Required[Literal['process_ready']]"
    node: "Required[str]"
    process: "Required[str]"

class EventProcessStarted(EventBase, total=False):
    event: "Required[Literal['process_started']]"
    node: "Required[str]"
    pid: "Required[int]"
    process: "Required[str]"

class EventRerouted(EventBase, total=False):
    down: "Required[list[str]]"
    event: "Required[Literal['rerouted']]"

EventRouteChanged = TypedDict("EventRouteChanged", {
    "by": "Required[Origin]",
    "event": "Required[Literal['route_changed']]",
    "is": "Route | None",
    "node": "Required[str]",
    "was": "Route | None",
}, total=False)

class EventRunEnded(EventBase, total=False):
    event: "Required[Literal['run_ended']]"
    reason: "Required[EndReason]"

class EventServiceEnded(EventBase, total=False):
    code: "Required[int]"
    event: "Required[Literal['service_ended']]"
    node: "Required[str]"
    service: "Required[str]"

class EventServiceHealth(EventBase, total=False):
    event: "Required[Literal['service_health']]"
    healthy: "Required[bool]"
    node: "Required[str]"
    service: "Required[str]"

class EventServiceReady(EventBase, total=False):
    event: "Required[Literal['service_ready']]"
    node: "Required[str]"
    service: "Required[str]"

class EventTimeline(EventBase, total=False):
    action: "Required[str]"
    event: "Required[Literal['timeline']]"
    failure: "str | None"
    happened: "Time | None"
    planned: "Time | None"
    timeline: "Required[int]"

class EventWarning(EventBase, total=False):
    event: "Required[Literal['warning']]"
    message: "Required[str]"

Action: TypeAlias = "str | float | Mark"

Addresses: TypeAlias = "Literal['auto'] | Literal['none'] | AddressesFixed"

Addresses2: TypeAlias = "Literal['auto'] | Literal['none'] | Addresses2Fixed"

Angle: TypeAlias = "str | float"

Antenna: TypeAlias = "Literal['omni'] | AntennaSector | AntennaPattern"

AntennaPattern: TypeAlias = "list[str]"

Area: TypeAlias = "list[Length] | Corners"

Arrivals: TypeAlias = "list[str]"

ArrivalsConfig: TypeAlias = "ArrivalsConfigPoisson | ArrivalsConfigGaps"

Attenuation: TypeAlias = "str | float"

Background: TypeAlias = "Literal['none'] | list[BackgroundEntry]"

Backoff: TypeAlias = "Literal['binary'] | Literal['fixed'] | Literal['linear'] | Literal['mild'] | Literal['eied'] | BackoffStages"

BitErrorRate: TypeAlias = "float | str"

BitErrors: TypeAlias = "Literal['drop'] | Literal['flip']"

Buffer: TypeAlias = "Literal['udp_receive'] | Literal['udp_send'] | Literal['tcp_receive'] | Literal['listen']"

CableShape: TypeAlias = "Literal['bus'] | Literal['hub']"

CalibrationMethod: TypeAlias = "Literal['md1'] | Literal['cross_traffic']"

CaptureWhen: TypeAlias = "Literal['preamble'] | Literal['any'] | Literal['none']"

Change: TypeAlias = "Literal['began'] | Literal['grew'] | Literal['ended']"

Collisions: TypeAlias = "Literal['receiver'] | Literal['sender']"

Command: TypeAlias = "str | list[str]"

Compensation: TypeAlias = "str | float"

Concern: TypeAlias = "Literal['links'] | Literal['programs']"

Condition: TypeAlias = "Literal['none'] | list[Conditioner]"

Coordinate: TypeAlias = "str | float"

Coordinates: TypeAlias = "list[Coordinate] | Geographic"

CpuQuota: TypeAlias = "float"

Cut: TypeAlias = "Literal['auto'] | Literal['never'] | Literal['any']"

DataOfAntennaPattern: TypeAlias = "str | AntennaPattern | FileContent15"

DataOfArrivals: TypeAlias = "str | Arrivals | FileContent3"

DataOfDistributionTable: TypeAlias = "str | DistributionTable | FileContent10"

DataOfErrorTable: TypeAlias = "str | ErrorTable | FileContent14"

DataOfFlowList: TypeAlias = "str | FlowList | FileContent6"

DataOfLossPattern: TypeAlias = "str | LossPattern | FileContent11"

DataOfOffsets: TypeAlias = "str | Offsets | FileContent9"

DataOfOverheadProfile: TypeAlias = "str | OverheadProfile | FileContent8"

DataOfPairLosses: TypeAlias = "str | PairLosses | FileContent12"

DataOfPictures: TypeAlias = "str | Pictures | FileContent5"

DataOfPolygons: TypeAlias = "str | Polygons | FileContent13"

DataOfRateList: TypeAlias = "str | RateList | FileContent4"

DataOfRateTrace: TypeAlias = "str | RateTrace | FileContent"

DataOfSamples: TypeAlias = "str | Samples | FileContent2"

DataOfSizeList: TypeAlias = "str | SizeList | FileContent7"

DataOfTraces: TypeAlias = "str | Traces | FileContent16"

Delay: TypeAlias = "str | float | VaryingDelay"

Dilation: TypeAlias = "float"

Direction: TypeAlias = "Literal['both'] | Literal['forward'] | Literal['reverse']"

Discipline: TypeAlias = "str | float | DisciplineParameters"

DisciplineParameters: TypeAlias = "DisciplineParametersFifo | DisciplineParametersStep | DisciplineParametersRed | DisciplineParametersCodel | DisciplineParametersFqCodel | DisciplineParametersPie | DisciplineParametersDualpi2 | DisciplineParametersDrr | DisciplineParametersWf2q | DisciplineParametersPrio"

Disk: TypeAlias = "Literal['keep'] | Literal['lose']"

DistributionOfDuration: TypeAlias = "DistributionOfDurationConstant | DistributionOfDurationExponential | DistributionOfDurationUniform | DistributionOfDurationPareto | DistributionOfDurationLognormal | DistributionOfDurationWeibull | DistributionOfDurationEmpirical"

DistributionOfSize: TypeAlias = "DistributionOfSizeConstant | DistributionOfSizeExponential | DistributionOfSizeUniform | DistributionOfSizePareto | DistributionOfSizeLognormal | DistributionOfSizeWeibull | DistributionOfSizeEmpirical"

DistributionTable: TypeAlias = "list[int]"

DropCause: TypeAlias = "Literal['not_read_in_time'] | Literal['device_full'] | Literal['device_gone'] | Literal['rejected'] | Literal['malformed'] | Literal['no_memory'] | Literal['softnet_backlog'] | Literal['neighbour_table'] | Literal['machine_device'] | Literal['tunnel'] | Literal['tunnel_full'] | Literal['tunnel_refused']"

DropFrom: TypeAlias = "Literal['tail'] | Literal['head']"

Dscp: TypeAlias = "int | str"

Dscps: TypeAlias = "int | str | list[int | str]"

Duration: TypeAlias = "str | float"

DurationDistribution: TypeAlias = "str | float | DistributionOfDuration"

Ecns: TypeAlias = "Literal['not_ect', 'ect1', 'ect0', 'ce'] | list[Literal['not_ect', 'ect1', 'ect0', 'ce']]"

Elements: TypeAlias = "list[str]"

EndReason: TypeAlias = "Literal['completed'] | Literal['duration'] | Literal['failed'] | Literal['interrupted'] | Literal['client_gone'] | Literal['contention'] | Literal['state_gone']"

ErrorTable: TypeAlias = "list[LossPoint]"

Event: TypeAlias = "EventPhase | EventChanged | EventMediumChanged | EventLossesSet | EventNeighbour | EventPositions | EventRouteChanged | EventRerouted | EventApplied | EventChangeFailed | EventProcessStarted | EventProcessReady | EventProcessEnded | EventProcessFailed | EventServiceReady | EventServiceHealth | EventServiceEnded | EventNodeFailed | EventNodeRecovered | EventCommandEnded | EventTimeline | EventExpectation | EventMemoryKilled | EventAssociated | EventHandedOver | EventLeft | EventContention | EventWarning | EventRunEnded"

ExecControl: TypeAlias = "ExecControlResize | ExecControlSignal | ExecControlClose"

ExecNotice: TypeAlias = "ExecNoticeStarted | ExecNoticeExited | ExecNoticeFailed"

ExecOutput: TypeAlias = "Literal['stdout'] | Literal['stderr']"

ExpectedExit: TypeAlias = "ExpectedExitCode | Literal['running']"

Fading: TypeAlias = "Literal['none'] | Literal['rayleigh'] | FadingRician | FadingNakagami"

Family: TypeAlias = "Literal['ipv4'] | Literal['ipv6']"

FlowList: TypeAlias = "list[str]"

FlowsKey: TypeAlias = "int | FlowsConfig"

Framing: TypeAlias = "str | float"

Frequency: TypeAlias = "str | float"

Gain: TypeAlias = "str | float"

InFlight: TypeAlias = "Literal['drop'] | Literal['deliver']"

Interpolation: TypeAlias = "Literal['step'] | Literal['linear']"

IpFamily: TypeAlias = "Literal['ipv4'] | Literal['ipv6']"

IpPrefix: TypeAlias = "str"

Ipv4Prefix: TypeAlias = "str"

Ipv6Prefix: TypeAlias = "str"

Jitter: TypeAlias = "str | float | JitterModel"

Judgement: TypeAlias = "Literal['valid'] | Literal['suspect'] | Literal['invalid']"

Kernel: TypeAlias = "Literal['shared'] | Literal['own']"

Length: TypeAlias = "str | float"

LinkState: TypeAlias = "Literal['up'] | Literal['down']"

Load: TypeAlias = "str | float"

Lock: TypeAlias = "Literal['decodable'] | Literal['any']"

LoopbackAddress: TypeAlias = "Literal['auto'] | Literal['none'] | LoopbackAddressFixed"

LoopbackAddress2: TypeAlias = "Literal['auto'] | Literal['none'] | LoopbackAddress2Fixed"

Loss: TypeAlias = "str | float | LossModel"

LossMethod: TypeAlias = "Literal['positions'] | Literal['bernoulli'] | Literal['systematic']"

LossModel: TypeAlias = "LossModelBernoulli | LossModelGilbertElliott | LossModelFourState | LossModelPattern | LossModelEvery | LossModelTrace"

LossPattern: TypeAlias = "str"

Mac: TypeAlias = "str | float | MacParameters"

MacAddress: TypeAlias = "str"

MacParameters: TypeAlias = "MacParametersDcf | MacParametersCsmaCd | MacParametersAloha | MacParametersTdma | MacParametersEmac | MacParametersNone"

MediumAddressing: TypeAlias = "Literal['subnet'] | Literal['hosts']"

Milestone: TypeAlias = "Literal['started'] | Literal['ready'] | Literal['done']"

Mobility: TypeAlias = "MobilityWaypoints | MobilityRandomWalk | MobilityRandomDirection | MobilityRandomWaypoint | MobilityManhattan | MobilityGaussMarkov | MobilityGroup | MobilityTrace"

Mode: TypeAlias = "Literal['emulation'] | Literal['simulation'] | Literal['hybrid'] | Literal['symbiosis']"

Model: TypeAlias = "ModelCbr | ModelPoisson | ModelOnOff | ModelPpbp | ModelTrace | ModelFlows | ModelRates | ModelVbr | ModelBulk | ModelHttp | ModelPing | ModelReplay"

MtuLimit: TypeAlias = "str | float"

Neighbours2: TypeAlias = "Literal['auto'] | Literal['known'] | Literal['resolved']"

Never: TypeAlias = "Literal['none']"

NodeKind: TypeAlias = "Literal['host'] | Literal['router'] | Literal['switch'] | Literal['medium'] | Literal['outside']"

NodeState: TypeAlias = "Literal['up'] | Literal['down'] | Literal['failed']"

Objective: TypeAlias = "Literal['fewest'] | Literal['spread']"

Offset: TypeAlias = "str | float"

Offsets: TypeAlias = "list[Offset]"

OnContention: TypeAlias = "Literal['report'] | Literal['abort']"

OptionKind: TypeAlias = "Literal['text'] | Literal['number'] | Literal['seconds'] | Literal['milliseconds'] | Literal['flag'] | Literal['list'] | Literal['prefixes'] | Literal['area']"

OptionValue: TypeAlias = "str | int | bool | list[str | float | bool]"

Orbits: TypeAlias = "OrbitsWalker | OrbitsTle"

Origin: TypeAlias = "Literal['timeline'] | Literal['request']"

OverheadProfile: TypeAlias = "list[OverheadPoint]"

PairLosses: TypeAlias = "list[LossStep]"

Part: TypeAlias = "Literal['node'] | Literal['link'] | Literal['medium'] | Literal['interface'] | Literal['parameter'] | Literal['loopback'] | Literal['routes'] | Literal['limits'] | Literal['services'] | Literal['port']"

Phase: TypeAlias = "Literal['starting'] | Literal['deployed'] | Literal['running'] | Literal['stopping']"

Phy: TypeAlias = "str | float"

Pictures: TypeAlias = "list[Size]"

PipeStatus: TypeAlias = "ModelledPipe | DirectPipe"

PortRole: TypeAlias = "Literal['disabled'] | Literal['root'] | Literal['designated'] | Literal['alternate'] | Literal['backup']"

PortState: TypeAlias = "Literal['discarding'] | Literal['learning'] | Literal['forwarding']"

PortVlans: TypeAlias = "PortVlansAccess | PortVlansTrunk"

Ports: TypeAlias = "int | str | list[int | str]"

Power: TypeAlias = "str | float"

Preamble: TypeAlias = "Literal['long'] | Literal['short']"

Prefix: TypeAlias = "str"

Pressure: TypeAlias = "Literal['cpu'] | Literal['memory'] | Literal['io']"

Probability: TypeAlias = "str | float"

ProcessState: TypeAlias = "Literal['waiting'] | ProcessStateStarted | ProcessStateReady | ProcessStateDone | ProcessStateFailed | Literal['never_started'] | Literal['stopped']"

Propagation: TypeAlias = "PropagationRange | Literal['free_space'] | Literal['two_ray_ground'] | PropagationLogDistance | PropagationMatrix | PropagationGrid"

Protocol: TypeAlias = "Literal['tcp'] | Literal['udp']"

Purpose: TypeAlias = "Literal['functional'] | Literal['throughput'] | Literal['delay']"

QueueLimit: TypeAlias = "str | float"

Rate: TypeAlias = "str | float"

RateControl: TypeAlias = "str | float | RateControl2"

RateControl2: TypeAlias = "RateControl2Arf | RateControl2Aarf"

RateLimit: TypeAlias = "str | float | VaryingRate"

RateList: TypeAlias = "list[str]"

RateTrace: TypeAlias = "list[int]"

Ready: TypeAlias = "ReadyPort | ReadyPath | ReadyOutput | ReadyCommand"

ReceptionRule: TypeAlias = "Literal['sinr'] | Literal['threshold'] | Literal['collision']"

RedByDscp: TypeAlias = "dict[str, RedThresholds]"

Reorder: TypeAlias = "str | float | Reordering"

Representation: TypeAlias = "Literal['frames'] | Literal['fluid']"

Resource: TypeAlias = "ResourcePipe | ResourceFrames | ResourceSingleFrame | ResourceEngine | ResourceLosses | ResourceBuffer | ResourceCpu | ResourceRunQueue | ResourceInternal | ResourceUplink | ResourceSwap | ResourceFaults | ResourceDisk | ResourcePressure | ResourceEvents | ResourceMissedEvents | ResourcePeriods | ResourceLostPeriods | ResourceFlowDelay | ResourceFlowThroughput | ResourceMetric | ResourceClock | ResourceChanges | ResourceMachine"

RouteChange: TypeAlias = "RouteChangeAdd | RouteChangeReplace | RouteChangeRemove"

Routing: TypeAlias = "Literal['delay'] | Literal['hops'] | Literal['cost'] | Literal['none'] | Literal['daemon']"

RtsThreshold: TypeAlias = "str | float"

Samples: TypeAlias = "list[Duration]"

Scheduling: TypeAlias = "Literal['real_time'] | Literal['favoured'] | Literal['normal']"

ServiceState: TypeAlias = "Literal['waiting'] | ServiceStateStarting | ServiceStateReady | ServiceStateUnhealthy | ServiceStateFailed"

ShadowDistance: TypeAlias = "Length | Never"

SignalKind: TypeAlias = "Literal['lateness'] | Literal['unmodelled_drop'] | Literal['buffers'] | Literal['cpu'] | Literal['run_queue'] | Literal['net_internal'] | Literal['net_external'] | Literal['memory_in'] | Literal['memory_out'] | Literal['disk'] | Literal['steal'] | Literal['pressure'] | Literal['application'] | Literal['timeline'] | Literal['simulation'] | Literal['divergence'] | Literal['clock'] | Literal['tunnel'] | Literal['change_late'] | Literal['machine_lost']"

Size: TypeAlias = "str | float"

SizeDistribution: TypeAlias = "str | float | DistributionOfSize"

SizeList: TypeAlias = "list[WeightedSize]"

Sizes: TypeAlias = "str | float | SizeList | SizesTable"

SlotOrder: TypeAlias = "str | float | SlotOrder2"

SlotOrder2: TypeAlias = "SlotOrder2Names"

Speed: TypeAlias = "str | float"

Speeds: TypeAlias = "Speed | list[Speed]"

Start: TypeAlias = "Literal['stationary'] | Literal['empty']"

Start2: TypeAlias = "Literal['stationary'] | Literal['uniform']"

Start3: TypeAlias = "Start3At | Start3After"

StepChange: TypeAlias = "Literal['add'] | Literal['remove'] | Literal['replace'] | Literal['change']"

Stretch: TypeAlias = "str | float"

TemplateTest: TypeAlias = "TemplateTestPort | TemplateTestPath | TemplateTestOutput | TemplateTestCommand"

Threads: TypeAlias = "Literal['auto'] | ThreadsOf"

Time: TypeAlias = "int"

TimelineAction: TypeAlias = "TimelineActionSetLink | TimelineActionSetNode | TimelineActionSetMedia | TimelineActionSetStation | TimelineActionRun | TimelineActionRoute"

TraceFormat: TypeAlias = "Literal['ns2'] | Literal['fcd'] | Literal['gpx'] | Literal['bonnmotion'] | Literal['csv']"

Traces: TypeAlias = "list[str]"

Transport: TypeAlias = "Literal['icmp'] | Literal['frames'] | Literal['fluid'] | TransportUdp | TransportTcp"

TwinMethod: TypeAlias = "Literal['packets'] | Literal['connections']"

UpperLayer: TypeAlias = "int | str"

Vlans: TypeAlias = "int | str | list[int | str]"

WaypointsConfig: TypeAlias = "list[Waypoint] | WaypointsTable"

When: TypeAlias = "WhenLasts | WhenRecurs | WhenFails"

WhenFull: TypeAlias = "Literal['drop'] | Literal['wait']"

Who: TypeAlias = "WhoNode | WhoProcess | WhoEngine | WhoKernel | WhoHypervisor | WhoOutside | WhoTunnel | WhoUnattributed | WhoOthers"

Window: TypeAlias = "list[Any]"
