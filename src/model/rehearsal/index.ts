/** The exports of the rehearsal model, for the rest of the engine and its tests. */
export { startRehearsal, type Rehearsal, type RehearsalOptions } from './server';
export { FAULT_KINDS, HTTP_FAULTS, parseFaults, type Fault, type FaultKind } from './faults';
export type { ScriptedResponse, ScriptLine } from './script';
