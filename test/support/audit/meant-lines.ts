/** Lines of a bundle as a verifier takes them, whose form and place are right. */
import { BUNDLE_VERSION } from '../../../src/audit/format/lines';
import type { CheckedLine } from '../../../src/audit/verify/content-checks';
import type { Json, JsonObject } from '../../../src/shared/json/json';
import { at, event, payloads, type Fields } from './hand-events';
import { ARGUMENT } from './hand-lines';

export type Line = [kind: CheckedLine['kind'], body: object];

export const bundle = (more: Fields = {}): Line => {
  const about = {
    v: BUNDLE_VERSION,
    subject: { kind: 'turn', id: 't' },
    namespace: 'n',
    agent: 'clerk',
    tenant: null,
    chained: true,
  };
  return ['bundle', { ...about, made_at: at(100), made_by: {}, ...more }];
};
export const turn = (more: Fields = {}): Line => [
  'turn',
  { turn_id: 't', workflow_id: 'turn/t', first_execution_run_id: 'r', parent: null, ...more },
];
export const run: Line = ['run', { run_id: 'r', began: 'start' }];
export const started = (more: Fields = {}, id = 1): Line => [
  'event',
  {
    event: event('WORKFLOW_EXECUTION_STARTED', { firstExecutionRunId: 'r', input: payloads(ARGUMENT), ...more } as JsonObject, {
      id,
    }),
  },
];
export const part = (ref: string, body: Json): Line => ['part', { ref, part: { v: 'holdfast.part/1', salt: 's', body } }];
export const block = (ref: string, kind: string, parts: string[], parent: string | null = null, seconds = 0): Line => [
  'block',
  { ref, block: { v: 'holdfast.block/1', parent, kind, at: at(seconds), parts } },
];
export const turnEnd = (more: Fields = {}): Line => [
  'turn_end',
  { turn_id: 't', head: null, complete: false, why: 'It runs.', ...more },
];
export const end = (complete = true): Line => ['end', { complete }];
