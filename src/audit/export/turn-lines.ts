/** Yields the lines of one turn, each read from Temporal or the store when it is written. */
import { WorkflowNotFoundError } from '@temporalio/client';
import { asJson } from '../../shared/json/json';
import { canonical, CanonicalError } from '../../shared/json/canonical';
import type { Part } from '../../shared/turn/transcript';
import { readFileBody } from '../../record/stored-file';
import { isOfScope } from '../../store/core/identity';
import { StoreError } from '../../store/store';
import type { Bodies, LineKind } from '../format/lines';
import { readRun } from '../../temporal/history/read-history';
import { referencesOf } from './chain';
import { eventJson } from './event-json';
import { ownText } from './own-text';
import type { PlannedTurn, Sources } from './plan';
import { noReferences } from './references';
import type { SessionHistory } from './session-events';

export type AnyLine = { [K in LineKind]: [kind: K, body: Bodies[K]] }[LineKind];

/** What the bundle already has. */
export interface SoFar {
  /** Refs of parts that are already written. */
  writtenRefs: Set<string>;
  sessions: SessionHistory;
}

export async function* turnLines(sources: Sources, plan: PlannedTurn, { writtenRefs, sessions }: SoFar): AsyncGenerator<AnyLine> {
  const { turn, blocks, records, head, faults } = plan;
  yield ['turn', turn];
  yield* runLines(sources, plan);
  yield* sessionLines(sessions, plan);
  for (const hash of blocks) yield* blockLines(sources, hash, writtenRefs, faults);
  for (const record of records) yield ['effect', { record: { ...record } }];
  yield* partLines(sources, plan.parts, writtenRefs, faults, turn.first_execution_run_id);
  yield ['turn_end', { turn_id: turn.turn_id, head, complete: faults.length === 0, why: faults.join(' ') || null }];
}

/** Up to the last event that was surveyed: a running turn continues during the export. */
async function* runLines({ temporal }: Sources, { turn, runs, faults }: PlannedTurn): AsyncGenerator<AnyLine> {
  for (const { run_id, began, last_event } of runs) {
    yield ['run', { run_id, began }];
    try {
      for await (const event of readRun(temporal, { workflowId: turn.workflow_id, runId: run_id }, { follow: false })) {
        yield ['event', { event: eventJson(event) }];
        if (String(event.eventId) === last_event) break;
      }
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError) && (error as { code?: unknown }).code !== NOT_FOUND) throw error;
      faults.push(`Temporal no longer has run ${run_id}.`);
    }
  }
}

async function* sessionLines(sessions: SessionHistory, { turn, session, faults }: PlannedTurn): AsyncGenerator<AnyLine> {
  if (session === null) return;
  const lines = await sessions.about(turn.workflow_id, session);
  if (lines === null) faults.push('Temporal no longer has what its session says of it.');
  for (const body of lines ?? []) yield ['session', body];
}

/** Status code of gRPC. */
const NOT_FOUND = 5;

async function* blockLines(sources: Sources, hash: string, writtenRefs: Set<string>, faults: string[]): AsyncGenerator<AnyLine> {
  const sealedBlock = await sources.store.getSealedBlock(hash);
  const { block, parts } = sealedBlock;
  for (const [index, ref] of block.parts.entries()) {
    if (writtenRefs.has(ref)) continue;
    writtenRefs.add(ownText(ref));
    yield ['part', { ref, part: fitting(parts[index]!, ref, faults) }];
  }
  yield ['block', { ref: hash, block }];
  const references = noReferences();
  referencesOf(sealedBlock, references);
  yield* partLines(sources, references.parts, writtenRefs, faults);
}

/**
 * The given parts that are not written yet.
 * @param scope those of other turns are left out; null: none is
 */
async function* partLines(
  { store }: Pick<Sources, 'store'>,
  refs: Iterable<string>,
  writtenRefs: Set<string>,
  faults: string[],
  scope: string | null = null,
): AsyncGenerator<AnyLine> {
  for (const ref of refs) {
    if (writtenRefs.has(ref)) continue;
    writtenRefs.add(ref);
    let part: Part | null = null;
    try {
      const sealed = await store.getSealedPart(ref);
      if (scope === null || isOfScope(store, scope, ref, sealed.body)) part = fitting(sealed, ref, faults);
      else faults.push(`Its history names part ${ref} of another turn, which was left out.`);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      faults.push(`The store cannot give part ${ref}.`);
    }
    yield ['part', { ref, part }];
    const file = part === null ? null : readFileBody(part.body);
    if (file !== null) yield* partLines({ store }, [ownText(file.bytes)], writtenRefs, faults);
  }
}

/** Null: the part is nested too deep. Its line adds levels to it, and canonical JSON has a limit. */
function fitting(part: Part, ref: string, faults: string[]): Part | null {
  try {
    canonical({ n: 0, kind: 'part', prev: null, body: { ref, part: asJson(part) } });
    return part;
  } catch (error) {
    if (!(error instanceof CanonicalError)) throw error;
    faults.push(`Part ${ref} is nested too deep for a bundle.`);
    return null;
  }
}
