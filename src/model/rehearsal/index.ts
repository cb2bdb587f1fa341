/** The rehearsal model: what the rest of the engine and its tests use of it. */
export { startRehearsal, type Rehearsal, type RehearsalOptions } from './server';
export { FAULT_KINDS, HTTP_FAULTS, parseFaults, type Fault, type FaultKind } from './faults';
export { REHEARSAL_MODEL } from './message';
export type { ScriptedResponse, ScriptLine } from './script';
