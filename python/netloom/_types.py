"""x"""

from typing import Any, Literal, TypeAlias, TypedDict

from typing_extensions import Required

class After(TypedDict, total=False):
    after: "Required[str]"
    delay: "Duration"
    when: "Milestone"

class AlohaConfig(TypedDict, total=False):
    persistence: "Probability"
    rate: "Rate"
    slotted: "Duration"
    tries: "int"
    wait: "Duration"

class AntennaPattern(TypedDict, total=False):
    pattern: "Required[DataOfAntennaPattern]"

class AntennaSector(TypedDict, total=False):
    sector: "Required[SectorConfig]"

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
    as: "Representation"
    cbr: "CbrConfig"
    dscp: "Dscps"
    ecn: "bool"
    flows: "FlowsKey"
    on_off: "OnOffConfig"
    poisson: "PoissonConfig"
    ppbp: "PpbpConfig"
    rates: "RatesConfig"
    size: "Sizes"
    trace: "TraceConfig2"
    vbr: "VbrConfig"

class BackoffStages(TypedDict, total=False):
    stages: "Required[list[int]]"

class BindOptions(TypedDict, total=False):
    to: "Required[str]"
    write: "bool"

class BulkConfig(TypedDict, total=False):
    bytes: "Size"
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

class CaptureOptions(TypedDict, total=False):
    drops: "bool"
    interface: "Required[str]"

class CbrConfig(TypedDict, total=False):
    load: "Load"
    rate: "Rate"

class ClassConfig(TypedDict, total=False):
    discipline: "Discipline"
    limit: "QueueLimit"
    match: "ClassMatch"
    most: "Rate"
    weight: "int"

class ClassMatch(TypedDict, total=False):
    destination: "Prefix"
    destination_port: "Ports"
    dscp: "Dscps"
    ecn: "Ecns"
    protocol: "UpperLayer"
    source: "Prefix"
    source_port: "Ports"

class Clock(TypedDict, total=False):
    dilation: "Dilation"

class CodelConfig(TypedDict, total=False):
    ce_threshold: "Duration"
    ecn: "bool"
    interval: "Duration"
    target: "Duration"

class Conditioner(TypedDict, total=False):
    conform: "Action"
    exceed: "Action"
    green: "Action"
    match: "ClassMatch"
    meter: "Meter"
    red: "Action"
    yellow: "Action"

class Constellation(TypedDict, total=False):
    ground: "dict[str, Ground]"
    group: "str"
    isl: "InterSatelliteLinks"
    link: "Properties"
    meridian: "Angle"
    tle: "DataOfElements"
    walker: "WalkerConfig"

Corners = TypedDict("Corners", {
    "from": "Required[list[Coordinate]]",
    "to": "Required[list[Coordinate]]",
}, total=False)

class Criteria(TypedDict, total=False):
    application: "dict[str, float]"
    brief: "Duration"
    cpu: "Busy"
    disk: "Busy"
    faults: "Pages"
    lateness: "Delays"
    memory_in: "Pages"
    memory_out: "Pages"
    net_external: "Traffic"
    net_internal: "Traffic"
    pressure: "Part"
    run_queue: "Delays"
    steal: "Part"
    timeline: "Punctuality"

class CsmaCdConfig(TypedDict, total=False):
    attempts: "int"
    cable: "CableConfig"
    rate: "Rate"

class DcfConfig(TypedDict, total=False):
    backoff: "Backoff"
    basic: "Rate"
    cw: "Window"
    multicast_rate: "Rate"
    preamble: "Preamble"
    rate: "RateControl"
    retry: "Retry"
    rts_threshold: "RtsThreshold"

class Defaults(TypedDict, total=False):
    link: "LinkDefaults"
    node: "NodeDefaults"

class DelayPoint(TypedDict, total=False):
    at: "Required[Duration]"
    delay: "Required[Duration]"

class Delays(TypedDict, total=False):
    tolerance: "Duration"
    window: "Duration"

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

class DrrConfig(TypedDict, total=False):
    classes: "list[ClassConfig]"
    flows: "int"
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
    cw: "Window"
    difs: "Duration"
    rate: "Rate"
    retry: "Retry"
    rts: "bool"
    sifs: "Duration"
    slot: "Duration"

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

class Expectation(TypedDict, total=False):
    exit: "Exit"
    node: "str"
    output: "str"
    process: "Required[str]"
    within: "Duration"

class FadingNakagami(TypedDict, total=False):
    nakagami: "Required[NakagamiConfig]"

class FadingRician(TypedDict, total=False):
    rician: "Required[Gain]"

Fails = TypedDict("Fails", {
    "after": "Required[DurationDistribution]",
    "for": "Required[DurationDistribution]",
}, total=False)

class FarNakagami(TypedDict, total=False):
    beyond: "Required[Length]"
    m: "Required[float]"

class FifoConfig(TypedDict, total=False):
    drop: "DropFrom"

class File(TypedDict, total=False):
    content: "str | float | bool"
    mode: "str | float | bool"
    source: "str"

class FileContent(TypedDict, total=False):
    file: "Required[str]"
    values: "Required[Traces]"

class FileContent10(TypedDict, total=False):
    file: "Required[str]"
    values: "Required[Offsets]"

class FileContent11(TypedDict, total=False):
    file: "Required[str]"
    values: "Required[DistributionTable]"

class FileContent12(TypedDict, total=False):
    file: "Required[str]"
    values: "Required[LossPattern]"

class FileContent13(TypedDict, total=False):
    file: "Required[str]"
    values: "Required[AntennaPattern]"

class FileContent14(TypedDict, total=False):
    file: "Required[str]"
    values: "Required[PairLosses]"

class FileContent15(TypedDict, total=False):
    file: "Required[str]"
    values: "Required[Polygons]"

class FileContent16(TypedDict, total=False):
    file: "Required[str]"
    values: "Required[Elements]"

class FileContent2(TypedDict, total=False):
    file: "Required[str]"
    values: "Required[RateTrace]"

class FileContent3(TypedDict, total=False):
    file: "Required[str]"
    values: "Required[Samples]"

class FileContent4(TypedDict, total=False):
    file: "Required[str]"
    values: "Required[Arrivals]"

class FileContent5(TypedDict, total=False):
    file: "Required[str]"
    values: "Required[RateList]"

class FileContent6(TypedDict, total=False):
    file: "Required[str]"
    values: "Required[Pictures]"

class FileContent7(TypedDict, total=False):
    file: "Required[str]"
    values: "Required[FlowList]"

class FileContent8(TypedDict, total=False):
    file: "Required[str]"
    values: "Required[SizeList]"

class FileContent9(TypedDict, total=False):
    file: "Required[str]"
    values: "Required[OverheadProfile]"

class FlowsConfig(TypedDict, total=False):
    arrivals: "ArrivalsConfig"
    bytes: "SizeDistribution"
    file: "DataOfFlowList"
    rate: "Rate"

class FourState(TypedDict, total=False):
    p13: "Required[Probability]"
    p14: "Probability"
    p23: "Probability"
    p31: "Required[Probability]"
    p32: "Probability"

class FqCodelConfig(TypedDict, total=False):
    ce_threshold: "Duration"
    ecn: "bool"
    flows: "int"
    interval: "Duration"
    quantum: "Size"
    target: "Duration"

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

GivenTrust = TypedDict("GivenTrust", {
    "delay": "Duration",
    "for": "Purpose",
    "losses": "int",
    "share": "Probability",
    "stall": "Duration",
    "timeline": "Duration",
    "waits": "Probability",
}, total=False)

class GridConfig(TypedDict, total=False):
    file: "Required[str]"

class Ground(TypedDict, total=False):
    alt: "float"
    choose: "Choice"
    elevation: "Angle"
    lat: "Required[float]"
    links: "int"
    lon: "Required[float]"

class Group(TypedDict, total=False):
    apart: "str"
    binds: "dict[str, Bind]"
    env: "dict[str, str | float | bool]"
    files: "dict[str, File]"
    ipv4: "Family"
    ipv6: "Family"
    kernel: "Kernel"
    kind: "NodeKind"
    limits: "Limits"
    load: "NodeLoad"
    loopback: "Literal['auto', 'none'] | GroupLoopbackIpv4"
    machine: "str"
    members: "list[str]"
    mobility: "Mobility"
    mtu: "int | str"
    root: "str"
    routes: "list[Route]"
    routing: "Routing"
    services: "Services"
    simulated: "bool"
    spanning_tree: "bool | GroupSpanningTreeForwardDelay"
    startup: "list[str | list[str | float | bool]]"
    sysctls: "dict[str, str | float | bool]"
    together: "str"
    total_limits: "Limits"

class GroupConfig(TypedDict, total=False):
    deviation: "Length"
    every: "Duration"
    leader: "Required[Mobility]"
    radius: "Required[Length]"

class GroupLoopbackIpv4(TypedDict, total=False):
    ipv4: "str"
    ipv6: "str"

class GroupSpanningTreeForwardDelay(TypedDict, total=False):
    forward_delay: "int | str"
    hello: "int | str"
    max_age: "int | str"
    priority: "int"

class HttpConfig(TypedDict, total=False):
    persistent: "bool"
    requests: "int"
    sizes: "Required[SizeDistribution]"
    think: "DurationDistribution"

class Interface(TypedDict, total=False):
    antenna: "Antenna"
    cw: "Window"
    ipv4: "Literal['auto', 'none'] | str | list[str]"
    ipv6: "Literal['auto', 'none'] | str | list[str]"
    mac: "MacAddress"
    mtu: "int | str"
    offloads: "bool"
    power: "Power"
    rate: "Rate"
    services: "dict[str, dict[str, OptionValue]]"
    spanning_tree: "PortTree"
    vlan: "PortVlans"

class JitterModel(TypedDict, total=False):
    correlation: "Probability"
    deviation: "Duration"
    empirical: "DataOfOffsets"
    normal: "Duration"
    pareto: "Duration"
    paretonormal: "Duration"
    pattern: "DataOfOffsets"
    table: "DataOfDistributionTable"
    trace: "DataOfOffsets"
    uniform: "Duration"

class Kinds(TypedDict, total=False):
    host: "NodeProperties"
    router: "NodeProperties"
    switch: "NodeProperties"

class Limits(TypedDict, total=False):
    cpu: "Literal['none'] | CpuQuota"
    cpu_weight: "Literal['none'] | int"
    memory: "Literal['none'] | str"
    pids: "Literal['none'] | int"

class Link(TypedDict, total=False):
    addresses: "list[IpPrefix]"
    background: "Background"
    ber: "BitErrorRate"
    bit_errors: "BitErrors"
    burst: "Size"
    compensate: "Compensation"
    condition: "Condition"
    corrupt: "Probability"
    cost: "int"
    cut: "Cut"
    delay: "Delay"
    direct: "bool"
    dummynet: "str"
    duplicate: "Probability"
    endpoints: "Required[list[str]]"
    forward: "LinkDirection"
    framing: "Framing"
    in_flight: "InFlight"
    jitter: "Jitter"
    load: "LinkLoad"
    loss: "Loss"
    mac_overhead: "DataOfOverheadProfile"
    mtu: "int | str"
    name: "str"
    netem: "str"
    pipe_mtu: "MtuLimit"
    queue: "QueueChange"
    rate: "RateLimit"
    reorder: "Reorder"
    reverse: "LinkDirection"
    state: "LinkState"
    tbf: "str"

class LinkChangeKeys(TypedDict, total=False):
    background: "Background"
    ber: "BitErrorRate"
    bit_errors: "BitErrors"
    burst: "Size"
    compensate: "Compensation"
    condition: "Condition"
    corrupt: "Probability"
    delay: "Delay"
    dummynet: "str"
    duplicate: "Probability"
    framing: "Framing"
    in_flight: "InFlight"
    jitter: "Jitter"
    loss: "Loss"
    mac_overhead: "DataOfOverheadProfile"
    netem: "str"
    pipe_mtu: "MtuLimit"
    queue: "QueueChange"
    rate: "RateLimit"
    reorder: "Reorder"
    state: "LinkState"
    tbf: "str"

class LinkDefaults(TypedDict, total=False):
    background: "Background"
    ber: "BitErrorRate"
    bit_errors: "BitErrors"
    burst: "Size"
    compensate: "Compensation"
    condition: "Condition"
    corrupt: "Probability"
    cost: "int"
    cut: "Cut"
    delay: "Delay"
    dummynet: "str"
    duplicate: "Probability"
    framing: "Framing"
    in_flight: "InFlight"
    jitter: "Jitter"
    load: "LinkLoad"
    loss: "Loss"
    mac_overhead: "DataOfOverheadProfile"
    mtu: "int | str"
    netem: "str"
    pipe_mtu: "MtuLimit"
    queue: "QueueChange"
    rate: "RateLimit"
    reorder: "Reorder"
    state: "LinkState"
    tbf: "str"

class LinkDirection(TypedDict, total=False):
    background: "Background"
    ber: "BitErrorRate"
    bit_errors: "BitErrors"
    burst: "Size"
    compensate: "Compensation"
    condition: "Condition"
    corrupt: "Probability"
    cost: "int"
    delay: "Delay"
    dummynet: "str"
    duplicate: "Probability"
    framing: "Framing"
    in_flight: "InFlight"
    jitter: "Jitter"
    load: "LinkLoad"
    loss: "Loss"
    mac_overhead: "DataOfOverheadProfile"
    netem: "str"
    pipe_mtu: "MtuLimit"
    queue: "QueueChange"
    rate: "RateLimit"
    reorder: "Reorder"
    state: "LinkState"
    tbf: "str"

class LinkKeys(TypedDict, total=False):
    addresses: "list[IpPrefix]"
    background: "Background"
    ber: "BitErrorRate"
    bit_errors: "BitErrors"
    burst: "Size"
    compensate: "Compensation"
    condition: "Condition"
    corrupt: "Probability"
    cost: "int"
    cut: "Cut"
    delay: "Delay"
    direct: "bool"
    dummynet: "str"
    duplicate: "Probability"
    forward: "LinkDirection"
    framing: "Framing"
    in_flight: "InFlight"
    jitter: "Jitter"
    load: "LinkLoad"
    loss: "Loss"
    mac_overhead: "DataOfOverheadProfile"
    mtu: "int | str"
    name: "str"
    netem: "str"
    pipe_mtu: "MtuLimit"
    queue: "QueueChange"
    rate: "RateLimit"
    reorder: "Reorder"
    reverse: "LinkDirection"
    state: "LinkState"
    tbf: "str"

class LinkLoad(TypedDict, total=False):
    frame: "str"
    rate: "Rate"

class Lint(TypedDict, total=False):
    different_subnets: "LintLevel"
    duplicate_address: "LintLevel"
    duplicate_mac: "LintLevel"
    neighbours: "LintLevel"
    next_hop: "LintLevel"
    subnet_address: "LintLevel"

class LogDistanceConfig(TypedDict, total=False):
    exponent: "Required[float]"
    reference: "Length"

class Lognormal(TypedDict, total=False):
    mean: "Required[Duration]"
    sigma: "Required[float]"

class Lognormal2(TypedDict, total=False):
    mean: "Required[Size]"
    sigma: "Required[float]"

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

LossStep = TypedDict("LossStep", {
    "at": "Required[Duration]",
    "from": "Required[str]",
    "loss": "Required[float]",
    "to": "Required[str]",
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

class ManhattanConfig(TypedDict, total=False):
    area: "Required[Area]"
    blocks: "Required[list[int]]"
    speed: "Required[Speeds]"
    turn: "Probability"

class Mark(TypedDict, total=False):
    dscp: "Required[Dscp]"

class Matrix(TypedDict, total=False):
    as: "MatrixForm"
    file: "Required[str]"
    scale: "float"
    unit: "Required[RateUnit]"

class MatrixConfig(TypedDict, total=False):
    between: "Interpolation"
    file: "Required[DataOfPairLosses]"
    nodes: "dict[str, str]"

class Measure(TypedDict, total=False):
    capture: "list[Capture2]"
    flows: "Duration"
    frames: "Frames"
    interval: "Duration"
    observations: "bool"

class Medium(TypedDict, total=False):
    access_points: "list[str]"
    addressing: "MediumAddressing"
    association: "AssociationConfig"
    bandwidth: "Frequency"
    beacons: "Duration"
    capture: "Capture"
    coherence: "Duration"
    cs_threshold: "Power"
    ed_threshold: "Power"
    fading: "Fading"
    frequency: "Frequency"
    height: "Length"
    ignore: "Power"
    lock: "Lock"
    mac: "Mac"
    members: "Required[list[str]]"
    mtu: "int | str"
    noise_figure: "Gain"
    obstacles: "list[ObstacleConfig]"
    phy: "Phy"
    power: "Power"
    preset: "str"
    propagation: "Propagation"
    propagation_delay: "bool"
    quantise: "Length"
    queue: "QueueConfig"
    reception: "ReceptionRule"
    sensitivity: "Power"
    shadowing: "ShadowingConfig"

class MediumChangeKeys(TypedDict, total=False):
    association: "AssociationConfig"
    bandwidth: "Frequency"
    beacons: "Duration"
    capture: "Capture"
    coherence: "Duration"
    cs_threshold: "Power"
    ed_threshold: "Power"
    fading: "Fading"
    frequency: "Frequency"
    height: "Length"
    ignore: "Power"
    lock: "Lock"
    mac: "Mac"
    noise_figure: "Gain"
    obstacles: "list[ObstacleConfig]"
    phy: "Phy"
    power: "Power"
    propagation: "Propagation"
    propagation_delay: "bool"
    quantise: "Length"
    queue: "QueueConfig"
    reception: "ReceptionRule"
    sensitivity: "Power"
    shadowing: "ShadowingConfig"

class MediumKeys(TypedDict, total=False):
    access_points: "list[str]"
    addressing: "MediumAddressing"
    association: "AssociationConfig"
    bandwidth: "Frequency"
    beacons: "Duration"
    capture: "Capture"
    coherence: "Duration"
    cs_threshold: "Power"
    ed_threshold: "Power"
    fading: "Fading"
    frequency: "Frequency"
    height: "Length"
    ignore: "Power"
    lock: "Lock"
    mac: "Mac"
    members: "list[str]"
    mtu: "int | str"
    noise_figure: "Gain"
    obstacles: "list[ObstacleConfig]"
    phy: "Phy"
    power: "Power"
    preset: "str"
    propagation: "Propagation"
    propagation_delay: "bool"
    quantise: "Length"
    queue: "QueueConfig"
    reception: "ReceptionRule"
    sensitivity: "Power"
    shadowing: "ShadowingConfig"

class MediumProperties(TypedDict, total=False):
    association: "AssociationConfig"
    bandwidth: "Frequency"
    beacons: "Duration"
    capture: "Capture"
    coherence: "Duration"
    cs_threshold: "Power"
    ed_threshold: "Power"
    fading: "Fading"
    frequency: "Frequency"
    height: "Length"
    ignore: "Power"
    lock: "Lock"
    mac: "Mac"
    noise_figure: "Gain"
    obstacles: "list[ObstacleConfig]"
    phy: "Phy"
    power: "Power"
    propagation: "Propagation"
    propagation_delay: "bool"
    quantise: "Length"
    queue: "QueueConfig"
    reception: "ReceptionRule"
    sensitivity: "Power"
    shadowing: "ShadowingConfig"

class Meter(TypedDict, total=False):
    burst: "Size"
    rate: "Rate"
    srtcm: "SrtcmConfig"
    trtcm: "TrtcmConfig"

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
    trace: "Required[TraceConfig]"

class MobilityWaypoints(TypedDict, total=False):
    waypoints: "Required[WaypointsConfig]"

class Monitor(TypedDict, total=False):
    criteria: "Criteria"
    enabled: "bool"
    on_contention: "OnContention"
    warm_up: "Duration"

class Move(TypedDict, total=False):
    speed: "Required[Speed]"
    to: "Required[Coordinates]"

class NakagamiConfig(TypedDict, total=False):
    far: "FarNakagami"
    m: "Required[float]"

class NamedGroup(TypedDict, total=False):
    group: "Required[str]"

class NoMacConfig(TypedDict, total=False):
    pairs: "list[PairConfig]"
    rate: "Rate"

class Node(TypedDict, total=False):
    apart: "str"
    binds: "dict[str, Bind]"
    env: "dict[str, str | float | bool]"
    files: "dict[str, File]"
    group: "str"
    groups: "list[str]"
    interfaces: "dict[str, Interface]"
    ipv4: "Family"
    ipv6: "Family"
    kernel: "Kernel"
    kind: "NodeKind"
    limits: "Limits"
    load: "NodeLoad"
    loopback: "Literal['auto', 'none'] | NodeLoopbackIpv4"
    machine: "str"
    mobility: "Mobility"
    mtu: "int | str"
    position: "Coordinates"
    publish: "list[str]"
    root: "str"
    routes: "list[Route]"
    routing: "Routing"
    services: "Services"
    simulated: "bool"
    spanning_tree: "bool | NodeSpanningTreeForwardDelay"
    startup: "list[str | list[str | float | bool]]"
    sysctls: "dict[str, str | float | bool]"
    together: "str"

class NodeDefaults(TypedDict, total=False):
    apart: "str"
    binds: "dict[str, Bind]"
    env: "dict[str, str | float | bool]"
    files: "dict[str, File]"
    ipv4: "Family"
    ipv6: "Family"
    kernel: "Kernel"
    kind: "NodeKind"
    limits: "Limits"
    load: "NodeLoad"
    loopback: "Literal['auto', 'none'] | NodeDefaultsLoopbackIpv4"
    machine: "str"
    mobility: "Mobility"
    mtu: "int | str"
    root: "str"
    routes: "list[Route]"
    routing: "Routing"
    services: "Services"
    simulated: "bool"
    spanning_tree: "bool | NodeDefaultsSpanningTreeForwardDelay"
    startup: "list[str | list[str | float | bool]]"
    sysctls: "dict[str, str | float | bool]"
    together: "str"

class NodeDefaultsLoopbackIpv4(TypedDict, total=False):
    ipv4: "str"
    ipv6: "str"

class NodeDefaultsSpanningTreeForwardDelay(TypedDict, total=False):
    forward_delay: "int | str"
    hello: "int | str"
    max_age: "int | str"
    priority: "int"

class NodeKeys(TypedDict, total=False):
    apart: "str"
    binds: "dict[str, Bind]"
    env: "dict[str, str | float | bool]"
    files: "dict[str, File]"
    group: "str"
    groups: "list[str]"
    interfaces: "dict[str, Interface]"
    ipv4: "Family"
    ipv6: "Family"
    kernel: "Kernel"
    kind: "NodeKind"
    limits: "Limits"
    load: "NodeLoad"
    loopback: "Literal['auto', 'none'] | NodeLoopbackIpv4"
    machine: "str"
    mobility: "Mobility"
    mtu: "int | str"
    position: "Coordinates"
    publish: "list[str]"
    root: "str"
    routes: "list[Route]"
    routing: "Routing"
    services: "Services"
    simulated: "bool"
    spanning_tree: "bool | NodeSpanningTreeForwardDelay"
    startup: "list[str | list[str | float | bool]]"
    sysctls: "dict[str, str | float | bool]"
    together: "str"

class NodeLoad(TypedDict, total=False):
    cpu: "Literal['none'] | CpuQuota"
    memory: "Literal['none'] | str"

class NodeLoopbackIpv4(TypedDict, total=False):
    ipv4: "str"
    ipv6: "str"

class NodeProperties(TypedDict, total=False):
    apart: "str"
    binds: "dict[str, Bind]"
    env: "dict[str, str | float | bool]"
    files: "dict[str, File]"
    ipv4: "Family"
    ipv6: "Family"
    kernel: "Kernel"
    limits: "Limits"
    load: "NodeLoad"
    loopback: "Literal['auto', 'none'] | NodePropertiesLoopbackIpv4"
    machine: "str"
    mobility: "Mobility"
    mtu: "int | str"
    root: "str"
    routes: "list[Route]"
    routing: "Routing"
    services: "Services"
    simulated: "bool"
    spanning_tree: "bool | NodePropertiesSpanningTreeForwardDelay"
    startup: "list[str | list[str | float | bool]]"
    sysctls: "dict[str, str | float | bool]"
    together: "str"

class NodePropertiesLoopbackIpv4(TypedDict, total=False):
    ipv4: "str"
    ipv6: "str"

class NodePropertiesSpanningTreeForwardDelay(TypedDict, total=False):
    forward_delay: "int | str"
    hello: "int | str"
    max_age: "int | str"
    priority: "int"

class NodeSpanningTreeForwardDelay(TypedDict, total=False):
    forward_delay: "int | str"
    hello: "int | str"
    max_age: "int | str"
    priority: "int"

class ObstacleConfig(TypedDict, total=False):
    file: "DataOfPolygons"
    inside: "Attenuation"
    polygon: "list[list[Coordinate]]"
    wall: "Required[Loss]"

class OnOffConfig(TypedDict, total=False):
    off: "Required[DurationDistribution]"
    on: "Required[DurationDistribution]"
    rate: "Rate"
    sources: "int"
    start: "Start2"

class Outline(TypedDict, total=False):
    rings: "Required[list[list[list[float]]]]"

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
    most: "Duration"
    shape: "Required[float]"

class Pareto2(TypedDict, total=False):
    mean: "Required[Size]"
    most: "Size"
    shape: "Required[float]"

class Part(TypedDict, total=False):
    limit: "Required[Probability]"
    window: "Required[Duration]"

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
    count: "int"
    interval: "Duration"

class Placement(TypedDict, total=False):
    headroom: "str"
    objective: "Objective"
    solve_for: "Duration"

class PoissonConfig(TypedDict, total=False):
    load: "Load"
    rate: "Rate"

class Polygons(TypedDict, total=False):
    degrees: "Required[bool]"
    outlines: "Required[list[Outline]]"

class PortTree(TypedDict, total=False):
    cost: "int"
    priority: "int"

class PortVlansAccess(TypedDict, total=False):
    access: "Required[int]"

class PortVlansTrunk(TypedDict, total=False):
    trunk: "Required[Trunk]"

class PpbpConfig(TypedDict, total=False):
    burst: "Required[Duration]"
    burst_rate: "Rate"
    bursts: "float"
    hurst: "Required[float]"
    load: "Load"
    start: "Start2"

class PrioConfig(TypedDict, total=False):
    classes: "list[ClassConfig]"

class Process(TypedDict, total=False):
    background: "bool"
    command: "Required[str | list[str | float | bool]]"
    env: "dict[str, str | float | bool]"
    group: "str"
    keep: "list[str]"
    name: "Required[str]"
    node: "str"
    nodes: "list[str]"
    ready: "Ready"
    start: "Start3"

class ProcessKeys(TypedDict, total=False):
    background: "bool"
    env: "dict[str, str | float | bool]"
    group: "str"
    keep: "list[str]"
    nodes: "list[str]"
    ready: "Ready"
    start: "Start3"

class PropagationGrid(TypedDict, total=False):
    grid: "Required[GridConfig]"

class PropagationLogDistance(TypedDict, total=False):
    log_distance: "Required[LogDistanceConfig]"

class PropagationMatrix(TypedDict, total=False):
    matrix: "Required[MatrixConfig]"

class PropagationRange(TypedDict, total=False):
    range: "Required[RangeConfig]"

class Properties(TypedDict, total=False):
    background: "Background"
    ber: "BitErrorRate"
    bit_errors: "BitErrors"
    burst: "Size"
    compensate: "Compensation"
    condition: "Condition"
    corrupt: "Probability"
    delay: "Delay"
    dummynet: "str"
    duplicate: "Probability"
    framing: "Framing"
    in_flight: "InFlight"
    jitter: "Jitter"
    loss: "Loss"
    mac_overhead: "DataOfOverheadProfile"
    netem: "str"
    pipe_mtu: "MtuLimit"
    queue: "QueueChange"
    rate: "RateLimit"
    reorder: "Reorder"
    state: "LinkState"
    tbf: "str"

class Punctuality(TypedDict, total=False):
    tolerance: "Required[Duration]"

class QueueChange(TypedDict, total=False):
    discipline: "Discipline"
    full: "WhenFull"
    limit: "QueueLimit"

class QueueConfig(TypedDict, total=False):
    discipline: "Required[Discipline]"
    full: "WhenFull"
    limit: "Required[QueueLimit]"

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
    start: "Start"

class RangeConfig(TypedDict, total=False):
    reach: "Required[Length]"
    sense: "Length"

class RateControl2Aarf(TypedDict, total=False):
    aarf: "Required[ArfConfig]"

class RateControl2Arf(TypedDict, total=False):
    arf: "Required[ArfConfig]"

class RatesConfig(TypedDict, total=False):
    file: "DataOfRateList"
    repeat: "Duration"
    schedule: "list[ScheduleStep]"
    step: "Duration"

class ReadyCommand(TypedDict, total=False):
    command: "Required[str | list[str | float | bool]]"

class ReadyOutput(TypedDict, total=False):
    output: "Required[str]"

class ReadyPath(TypedDict, total=False):
    path: "Required[str]"

class ReadyPort(TypedDict, total=False):
    port: "Required[int]"

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
    extra_delay: "Duration"
    gap: "int"
    probability: "Required[Probability]"

class ReplayConfig(TypedDict, total=False):
    as_is: "bool"
    file: "Required[str]"
    rewrite: "dict[str, str]"
    stretch: "float"

class Retry(TypedDict, total=False):
    long: "int"
    short: "int"

class Route(TypedDict, total=False):
    interface: "str"
    metric: "int"
    to: "Required[IpPrefix]"
    via: "str"

class RouteChange(TypedDict, total=False):
    add: "Route"
    remove: "IpPrefix"
    replace: "Route"

class Scenario(TypedDict, total=False):
    duration: "Duration"
    expect: "list[Expectation]"
    lint: "Lint"
    measure: "Measure"
    monitor: "Monitor"
    name: "Required[str]"
    placement: "Placement"
    processes: "list[Process]"
    seed: "int"
    simulation: "Simulation"
    symbiosis: "Symbiosis"
    time: "Clock"
    timeline: "list[Event]"
    topology: "Required[Topology]"
    traffic: "list[TrafficHead]"
    trust: "GivenTrust"
    workers: "Workers"

class ScenarioKeys(TypedDict, total=False):
    duration: "Duration"
    expect: "list[Expectation]"
    lint: "Lint"
    measure: "Measure"
    monitor: "Monitor"
    placement: "Placement"
    processes: "list[Process]"
    seed: "int"
    simulation: "Simulation"
    symbiosis: "Symbiosis"
    time: "Clock"
    timeline: "list[Event]"
    topology: "Topology"
    traffic: "list[TrafficHead]"
    trust: "GivenTrust"
    workers: "Workers"

class ScheduleStep(TypedDict, total=False):
    at: "Required[Duration]"
    rate: "Required[Rate]"

class SectorConfig(TypedDict, total=False):
    azimuth: "Angle"
    back: "Required[Gain]"
    gain: "Required[Gain]"
    width: "Required[Angle]"

class ServicesMapEntryTemplate(TypedDict, total=False):
    template: "str"

class ShadowingConfig(TypedDict, total=False):
    deviation: "Required[Loss]"
    distance: "ShadowDistance"

class SimulatedTcp(TypedDict, total=False):
    hz: "int"

class Simulation(TypedDict, total=False):
    cells: "Number"
    processes: "Count"
    reroute: "Reroute"
    tcp: "SimulatedTcp"
    threads: "Number"

class SizesTable(TypedDict, total=False):
    file: "Required[DataOfSizeList]"

class SlotOrder2Names(TypedDict, total=False):
    names: "Required[list[str]]"

class SrtcmConfig(TypedDict, total=False):
    aware: "bool"
    cbs: "Required[Size]"
    cir: "Required[Rate]"
    ebs: "Required[Size]"

class StepConfig(TypedDict, total=False):
    mark_at: "QueueLimit"

class Symbiosis(TypedDict, total=False):
    calibration: "CalibrationMethod"
    downscale: "bool"
    loss: "LossMethod"
    period: "Period"
    twins: "TwinMethod"

class Tcp(TypedDict, total=False):
    congestion_control: "str"
    dscp: "Dscps"
    port: "int"

class TdmaConfig(TypedDict, total=False):
    guard: "Duration"
    order: "SlotOrder"
    rate: "Rate"
    slot: "Required[Duration]"

class Topology(TypedDict, total=False):
    constellations: "dict[str, Constellation]"
    defaults: "Defaults"
    groups: "dict[str, Group]"
    kinds: "Kinds"
    links: "list[Link]"
    media: "dict[str, Medium]"
    neighbours: "Neighbours"
    nodes: "Required[dict[str, Node]]"
    origin: "Geographic"
    tcp: "str"
    total_limits: "Limits"

class TraceConfig(TypedDict, total=False):
    degrees: "bool"
    file: "Required[DataOfTraces]"
    format: "TraceFormat"
    node: "str"
    offset: "list[Coordinate]"
    scale: "float"
    start: "Duration"

class TraceConfig2(TypedDict, total=False):
    file: "Required[DataOfArrivals]"
    load: "Load"
    repeat: "Duration"
    stretch: "float"

class Traffic(TypedDict, total=False):
    rate: "Rate"
    window: "Duration"

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
    "start": "Start3",
    "tcp": "Tcp",
    "to": "NodeOrGroup",
    "trace": "TraceConfig2",
    "udp": "Udp",
    "vbr": "VbrConfig",
}, total=False)

class TrafficKeys(TypedDict, total=False):
    background: "bool"
    bulk: "BulkConfig"
    cbr: "CbrConfig"
    family: "IpFamily"
    flows: "FlowsConfig"
    http: "HttpConfig"
    matrix: "Matrix"
    on_off: "OnOffConfig"
    ping: "PingConfig"
    poisson: "PoissonConfig"
    ppbp: "PpbpConfig"
    rates: "RatesConfig"
    replay: "ReplayConfig"
    size: "Sizes"
    start: "Start3"
    tcp: "Tcp"
    trace: "TraceConfig2"
    udp: "Udp"
    vbr: "VbrConfig"

class TrtcmConfig(TypedDict, total=False):
    aware: "bool"
    cbs: "Required[Size]"
    cir: "Required[Rate]"
    pbs: "Required[Size]"
    pir: "Required[Rate]"

class Trunk(TypedDict, total=False):
    allowed: "Required[Vlans]"
    native: "int"

class Udp(TypedDict, total=False):
    dscp: "Dscps"
    port: "int"

Uniform = TypedDict("Uniform", {
    "from": "Required[Duration]",
    "to": "Required[Duration]",
}, total=False)

Uniform2 = TypedDict("Uniform2", {
    "from": "Required[Size]",
    "to": "Required[Size]",
}, total=False)

class VaryingDelay(TypedDict, total=False):
    repeat: "Duration"
    schedule: "Required[list[DelayPoint]]"

class VaryingRate(TypedDict, total=False):
    repeat: "Duration"
    schedule: "list[ScheduleStep]"
    trace: "DataOfRateTrace"

class VbrConfig(TypedDict, total=False):
    file: "Required[DataOfPictures]"
    frame_rate: "Required[float]"

class WalkerConfig(TypedDict, total=False):
    altitude: "Required[Length]"
    inclination: "Required[Angle]"
    phasing: "int"
    planes: "Required[int]"
    satellites: "Required[int]"
    star: "bool"

class Waypoint(TypedDict, total=False):
    at: "Duration"
    by: "Duration"
    pause: "Duration"
    speed: "Speed"
    to: "Coordinates"

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
    classes: "list[ClassConfig]"
    flows: "int"

class Workers(TypedDict, total=False):
    dedicated_cpus: "int"

Action: TypeAlias = "str | float | Mark"

Angle: TypeAlias = "str | float"

Antenna: TypeAlias = "Literal['omni'] | AntennaSector | AntennaPattern"

AntennaPattern: TypeAlias = "list[str]"

Area: TypeAlias = "list[Length] | Corners"

Arrivals: TypeAlias = "list[str]"

ArrivalsConfig: TypeAlias = "ArrivalsConfigPoisson | ArrivalsConfigGaps"

Attenuation: TypeAlias = "str | float"

Background: TypeAlias = "Literal['none'] | list[BackgroundEntry]"

Backoff: TypeAlias = "Literal['binary'] | Literal['fixed'] | Literal['linear'] | Literal['mild'] | Literal['eied'] | BackoffStages"

Bind: TypeAlias = "str | BindOptions"

BitErrorRate: TypeAlias = "float | str"

BitErrors: TypeAlias = "Literal['drop'] | Literal['flip']"

CableShape: TypeAlias = "Literal['bus'] | Literal['hub']"

CalibrationMethod: TypeAlias = "Literal['md1'] | Literal['cross_traffic']"

Capture2: TypeAlias = "str | CaptureOptions"

CaptureWhen: TypeAlias = "Literal['preamble'] | Literal['any'] | Literal['none']"

Choice: TypeAlias = "Literal['nearest'] | Literal['longest'] | Literal['path']"

Collisions: TypeAlias = "Literal['receiver'] | Literal['sender']"

Compensation: TypeAlias = "str | float"

Condition: TypeAlias = "Literal['none'] | list[Conditioner]"

Coordinate: TypeAlias = "str | float"

Coordinates: TypeAlias = "list[Coordinate] | Geographic"

Count: TypeAlias = "int"

CpuQuota: TypeAlias = "float"

Cut: TypeAlias = "Literal['auto'] | Literal['never'] | Literal['any']"

DataOfAntennaPattern: TypeAlias = "str | AntennaPattern | FileContent13"

DataOfArrivals: TypeAlias = "str | Arrivals | FileContent4"

DataOfDistributionTable: TypeAlias = "str | DistributionTable | FileContent11"

DataOfElements: TypeAlias = "str | Elements | FileContent16"

DataOfFlowList: TypeAlias = "str | FlowList | FileContent7"

DataOfLossPattern: TypeAlias = "str | LossPattern | FileContent12"

DataOfOffsets: TypeAlias = "str | Offsets | FileContent10"

DataOfOverheadProfile: TypeAlias = "str | OverheadProfile | FileContent9"

DataOfPairLosses: TypeAlias = "str | PairLosses | FileContent14"

DataOfPictures: TypeAlias = "str | Pictures | FileContent6"

DataOfPolygons: TypeAlias = "str | Polygons | FileContent15"

DataOfRateList: TypeAlias = "str | RateList | FileContent5"

DataOfRateTrace: TypeAlias = "str | RateTrace | FileContent2"

DataOfSamples: TypeAlias = "str | Samples | FileContent3"

DataOfSizeList: TypeAlias = "str | SizeList | FileContent8"

DataOfTraces: TypeAlias = "str | Traces | FileContent"

Delay: TypeAlias = "str | float | VaryingDelay"

Dilation: TypeAlias = "float"

Direction: TypeAlias = "Literal['both'] | Literal['forward'] | Literal['reverse']"

Discipline: TypeAlias = "str | float | DisciplineParameters"

DisciplineParameters: TypeAlias = "DisciplineParametersFifo | DisciplineParametersStep | DisciplineParametersRed | DisciplineParametersCodel | DisciplineParametersFqCodel | DisciplineParametersPie | DisciplineParametersDualpi2 | DisciplineParametersDrr | DisciplineParametersWf2q | DisciplineParametersPrio"

Disk: TypeAlias = "Literal['keep'] | Literal['lose']"

DistributionOfDuration: TypeAlias = "DistributionOfDurationConstant | DistributionOfDurationExponential | DistributionOfDurationUniform | DistributionOfDurationPareto | DistributionOfDurationLognormal | DistributionOfDurationWeibull | DistributionOfDurationEmpirical"

DistributionOfSize: TypeAlias = "DistributionOfSizeConstant | DistributionOfSizeExponential | DistributionOfSizeUniform | DistributionOfSizePareto | DistributionOfSizeLognormal | DistributionOfSizeWeibull | DistributionOfSizeEmpirical"

DistributionTable: TypeAlias = "list[int]"

DropFrom: TypeAlias = "Literal['tail'] | Literal['head']"

Dscp: TypeAlias = "int | str"

Dscps: TypeAlias = "int | str | list[int | str]"

Duration: TypeAlias = "str | float"

DurationDistribution: TypeAlias = "str | float | DistributionOfDuration"

Ecns: TypeAlias = "Literal['not_ect', 'ect1', 'ect0', 'ce'] | list[Literal['not_ect', 'ect1', 'ect0', 'ce']]"

Elements: TypeAlias = "list[str]"

Exit: TypeAlias = "int | Literal['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGILL', 'SIGABRT', 'SIGFPE', 'SIGKILL', 'SIGSEGV', 'SIGPIPE', 'SIGALRM', 'SIGTERM', 'running']"

Fading: TypeAlias = "Literal['none'] | Literal['rayleigh'] | FadingRician | FadingNakagami"

Family: TypeAlias = "Literal['auto'] | Literal['none']"

FlowList: TypeAlias = "list[str]"

FlowsKey: TypeAlias = "int | FlowsConfig"

Frames: TypeAlias = "bool | list[str]"

Framing: TypeAlias = "str | float"

Frequency: TypeAlias = "str | float"

Gain: TypeAlias = "str | float"

InFlight: TypeAlias = "Literal['drop'] | Literal['deliver']"

InterSatelliteLinks: TypeAlias = "Literal['grid'] | Literal['none']"

Interpolation: TypeAlias = "Literal['step'] | Literal['linear']"

IpFamily: TypeAlias = "Literal['ipv4'] | Literal['ipv6']"

IpPrefix: TypeAlias = "str"

Jitter: TypeAlias = "str | float | JitterModel"

Kernel: TypeAlias = "Literal['shared'] | Literal['own']"

Length: TypeAlias = "str | float"

LinkState: TypeAlias = "Literal['up'] | Literal['down']"

LintLevel: TypeAlias = "Literal['error'] | Literal['warn']"

Load: TypeAlias = "str | float"

Lock: TypeAlias = "Literal['decodable'] | Literal['any']"

Loss: TypeAlias = "str | float | LossModel"

LossMethod: TypeAlias = "Literal['positions'] | Literal['bernoulli'] | Literal['systematic']"

LossModel: TypeAlias = "LossModelBernoulli | LossModelGilbertElliott | LossModelFourState | LossModelPattern | LossModelEvery | LossModelTrace"

LossPattern: TypeAlias = "str"

Mac: TypeAlias = "str | float | MacParameters"

MacAddress: TypeAlias = "str"

MacParameters: TypeAlias = "MacParametersDcf | MacParametersCsmaCd | MacParametersAloha | MacParametersTdma | MacParametersEmac | MacParametersNone"

MatrixForm: TypeAlias = "Literal['packets'] | Literal['fluid']"

MediumAddressing: TypeAlias = "Literal['subnet'] | Literal['hosts']"

Milestone: TypeAlias = "Literal['started'] | Literal['ready'] | Literal['done']"

Mobility: TypeAlias = "MobilityWaypoints | MobilityRandomWalk | MobilityRandomDirection | MobilityRandomWaypoint | MobilityManhattan | MobilityGaussMarkov | MobilityGroup | MobilityTrace"

MtuLimit: TypeAlias = "str | float"

Neighbours: TypeAlias = "Literal['auto'] | Literal['known'] | Literal['resolved']"

Never: TypeAlias = "Literal['none']"

NodeKind: TypeAlias = "Literal['host'] | Literal['router'] | Literal['switch']"

NodeOrGroup: TypeAlias = "str | NamedGroup"

NodeState: TypeAlias = "Literal['up'] | Literal['down'] | Literal['failed']"

Number: TypeAlias = "int | Literal['auto']"

Objective: TypeAlias = "Literal['fewest'] | Literal['spread']"

Offset: TypeAlias = "str | float"

Offsets: TypeAlias = "list[Offset]"

OnContention: TypeAlias = "Literal['report'] | Literal['abort']"

OptionValue: TypeAlias = "str | int | bool | list[str | float | bool]"

OverheadProfile: TypeAlias = "list[OverheadPoint]"

PairLosses: TypeAlias = "list[LossStep]"

Period: TypeAlias = "Duration | Literal['auto']"

Phy: TypeAlias = "str | float"

Pictures: TypeAlias = "list[Size]"

PortVlans: TypeAlias = "PortVlansAccess | PortVlansTrunk"

Ports: TypeAlias = "int | str | list[int | str]"

Power: TypeAlias = "str | float"

Preamble: TypeAlias = "Literal['long'] | Literal['short']"

Prefix: TypeAlias = "str"

Probability: TypeAlias = "str | float"

Propagation: TypeAlias = "PropagationRange | Literal['free_space'] | Literal['two_ray_ground'] | PropagationLogDistance | PropagationMatrix | PropagationGrid"

Purpose: TypeAlias = "Literal['functional'] | Literal['throughput'] | Literal['delay']"

QueueLimit: TypeAlias = "str | float"

RadioState: TypeAlias = "Literal['on'] | Literal['off']"

Rate: TypeAlias = "str | float"

RateControl: TypeAlias = "str | float | RateControl2"

RateControl2: TypeAlias = "RateControl2Arf | RateControl2Aarf"

RateLimit: TypeAlias = "str | float | VaryingRate"

RateList: TypeAlias = "list[str]"

RateTrace: TypeAlias = "list[int]"

RateUnit: TypeAlias = "Literal['bit/s'] | Literal['kbit/s'] | Literal['Mbit/s'] | Literal['Gbit/s']"

Ready: TypeAlias = "ReadyPort | ReadyPath | ReadyOutput | ReadyCommand"

ReceptionRule: TypeAlias = "Literal['sinr'] | Literal['threshold'] | Literal['collision']"

RedByDscp: TypeAlias = "dict[str, RedThresholds]"

Reorder: TypeAlias = "str | float | Reordering"

Representation: TypeAlias = "Literal['frames'] | Literal['fluid']"

Reroute: TypeAlias = "Duration | Literal['never']"

Routing: TypeAlias = "Literal['delay'] | Literal['hops'] | Literal['cost'] | Literal['none'] | Literal['daemon']"

RtsThreshold: TypeAlias = "str | float"

Samples: TypeAlias = "list[Duration]"

Services: TypeAlias = "list[str] | dict[str, bool | ServicesMapEntryTemplate]"

ShadowDistance: TypeAlias = "Length | Never"

Size: TypeAlias = "str | float"

SizeDistribution: TypeAlias = "str | float | DistributionOfSize"

SizeList: TypeAlias = "list[WeightedSize]"

Sizes: TypeAlias = "str | float | SizeList | SizesTable"

SlotOrder: TypeAlias = "str | float | SlotOrder2"

SlotOrder2: TypeAlias = "SlotOrder2Names"

Speed: TypeAlias = "str | float"

Speeds: TypeAlias = "Speed | list[Speed]"

Start: TypeAlias = "Literal['stationary'] | Literal['uniform']"

Start2: TypeAlias = "Literal['stationary'] | Literal['empty']"

Start3: TypeAlias = "Duration | After"

Stretch: TypeAlias = "str | float"

TraceFormat: TypeAlias = "Literal['ns2'] | Literal['fcd'] | Literal['gpx'] | Literal['bonnmotion'] | Literal['csv']"

Traces: TypeAlias = "list[str]"

TwinMethod: TypeAlias = "Literal['packets'] | Literal['connections']"

UpperLayer: TypeAlias = "int | str"

Vlans: TypeAlias = "int | str | list[int | str]"

WaypointsConfig: TypeAlias = "list[Waypoint] | WaypointsTable"

WhenFull: TypeAlias = "Literal['drop'] | Literal['wait']"

Window: TypeAlias = "list[Any]"
