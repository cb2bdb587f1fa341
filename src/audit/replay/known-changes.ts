/**
 * Lists intended and harmless differences between workflows of this build and of older builds. All other differences are reported:
 * a change of what a workflow passes on needs a line here, with the reason, or must be marked with `patched`.
 */
import { type Json, type JsonObject, isJsonObject } from '../../shared/json/json';
import type { Command } from './command';
import type { Place } from './json-differences';

interface KnownChange {
  /** Type of the activity or of the child; else the kind of the command: `complete` is the end of a run. */
  of: string;
  /** `*` stands for one name or number. */
  path: string;
  /** The recorded value; absent: there was none. */
  was?: Json;
  /** The present value; absent: any. */
  now?: Json;
  reason: string;
}

const DECISIONS = 'older builds passed one approval, as `approval`; the decision is the same';
const RECORD_FACT_REASON = 'older builds did not pass it on; it is what the record of the call says beside its outcome';
const CARD = 'older builds did not pass it on; only cards and messages to people depend on it';
const VIEW = 'older builds did not show it in the state of the turn';

/** Activities that carry out what a person has said; of calls the destructive ones. */
const FIRST = [
  'checkDecision',
  'checkAnswer',
  'checkSteer',
  'forwardDecision',
  'inspectEffect',
  'settleEffect',
  'reconcileEffect',
  'runCall',
];

export const KNOWN_CHANGES: readonly KnownChange[] = [
  { of: 'patch', path: 'deprecated', was: false, now: true, reason: 'a patch that every run has passed is called deprecated' },
  {
    of: 'runCall',
    path: 'heartbeat_ms',
    was: 5000,
    now: 10_000,
    reason: 'a busy worker got more time between two signs of life',
  },
  {
    of: 'admitCall',
    path: 'input.0.untrusted',
    now: true,
    reason:
      'older builds passed it on neither for the card nor, with an edit, for the rules; where the call ran the rules were asked rightly',
  },
  ...['admitCall.head', 'admitCall.cards', 'notify.head', 'callback.question'].map((name) => {
    const [of = '', field = ''] = name.split('.');
    return { of, path: `input.0.${field}`, reason: CARD };
  }),
  ...Object.entries({ takeStep: 30, compact: 6 }).map(([of, was]) => ({
    of,
    path: 'retry.maximum_attempts',
    was,
    now: 0,
    reason: 'the activity counts its attempts itself, without those in which it waited for the limits of its model',
  })),
  ...FIRST.map((of) => ({
    of,
    path: 'priority',
    was: 0,
    now: 1,
    reason: 'what a person has decided comes before the steps of other turns, where activities wait for a worker',
  })),
  { of: 'runCall', path: 'input.0.approvals.*.identity', was: '', reason: 'older builds did not know who had sent a decision' },
  {
    of: 'checkDecision',
    path: 'input.0.note_hash',
    reason: 'older builds did not compare the note with what was signed',
  },
  ...['untrusted', 'verdict', 'validation_ms'].map((name) => ({
    of: 'runCall',
    path: `input.0.${name}`,
    reason: RECORD_FACT_REASON,
  })),
  ...['takeStep', 'endTurn'].flatMap((of) =>
    ['version', 'class', 'revision'].map((name) => ({ of, path: `input.0.outcomes.*.${name}`, reason: RECORD_FACT_REASON })),
  ),
  { of: 'complete', path: 'result.calls.*.revision', reason: VIEW },
  ...['quorum', 'channel', 'decisions'].map((name) => ({
    of: 'complete',
    path: `result.calls.*.approval.${name}`,
    reason: VIEW,
  })),
];

/** Why the difference is harmless; null: it is not listed here. */
export function knownChange(command: Command, { path, recorded, now }: Place): string | null {
  const of = command.fields.type ?? command.kind;
  const change = KNOWN_CHANGES.find(
    (one) => one.of === of && fits(one.path, path) && recorded === one.was && (one.now === undefined || now === one.now),
  );
  return change?.reason ?? null;
}

/** The recorded fields in the form of today's code, with the same meaning. */
export function inWordsOfToday(command: Command): { fields: JsonObject; reason: string | null } {
  const { input, type } = command.fields;
  const [first] = Array.isArray(input) ? input : [];
  if (type !== 'runCall' || first === undefined || !isJsonObject(first) || !('approval' in first) || 'approvals' in first)
    return { fields: command.fields, reason: null };
  const { approval, ...rest } = first;
  const approvals: Json[] = approval === null || approval === undefined ? [] : [approval];
  return { fields: { ...command.fields, input: [{ ...rest, approvals }] }, reason: DECISIONS };
}

function fits(pattern: string, path: string): boolean {
  const [patternNames, names] = [pattern.split('.'), path.split('.')];
  return patternNames.length === names.length && patternNames.every((name, index) => name === '*' || name === names[index]);
}
