// Names for the engine's types, which are generated from its API.

import type { components } from '../generated/engine';

type Schemas = components['schemas'];
export type LinkStatus = Schemas['LinkStatus'];
export type PipeStatus = Schemas['PipeStatus'];
export type PipeConfig = Schemas['PipeConfig'];
export type NodeStatus = Schemas['NodeStatus'];
export type ProcessStatus = Schemas['ProcessStatus'];
export type ServiceStatus = Schemas['ServiceStatus'];
export type ExperimentStatus = Schemas['ExperimentStatus'];
export type Verdict = Schemas['Verdict'];
export type Judgement = Schemas['Judgement'];
export type Finding = Schemas['Finding'];
export type SignalReport = Schemas['SignalReport'];
export type PipeBound = Schemas['PipeBound'];
export type Resource = Schemas['Resource'];
export type Who = Schemas['Who'];
export type Scenario = Schemas['Scenario'];
export type ScenarioInForce = Schemas['ScenarioInForce'];
export type Event = Schemas['Event'];
export type Timing = Schemas['Timing'];
export type MediumStatus = Schemas['MediumStatus'];
export type Neighbours = Schemas['Neighbours'];
export type Neighbour = Schemas['Neighbour'];
export type StationStatus = Schemas['StationStatus'];
export type LinkChange = Schemas['LinkChange'];
export type Reach = Schemas['Reach'];
export type Summary = Schemas['Summary'];
