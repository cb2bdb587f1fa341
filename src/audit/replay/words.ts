/** Describes commands in words. Names come from an untrusted history: each is cut to one short line. */
import { oneLine } from './one-line';
import type { Command } from './command';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';

/** What an activity does, after `would`; `%` is the call that it is for. */
const ACTIVITIES: Record<string, string> = {
  takeStep: 'take',
  compact: 'make room in the conversation',
  runCall: 'run %',
  openSubTurn: 'start the turn of a sub-agent for %',
  closeSubTurn: 'close the turn of a sub-agent for %',
  lookAtSubTurn: 'look at the turn of a sub-agent',
  admitCall: 'admit %',
  admitDirect: 'admit the call',
  inspectEffect: 'look up what became of %',
  reconcileEffect: 'ask its tool what became of %',
  completeCall: 'look at the pending call %',
  settleEffect: 'write down how % was settled',
  checkDecision: 'check a decision',
  closeQuestion: 'close a question',
  forwardDecision: 'pass a decision on',
  waitForUnfreeze: 'wait for the end of a freeze',
  checkSteer: 'check a message to the turn',
  readCard: 'read a card again',
  keepSaid: 'put decisions into the store',
  readSaid: 'read decisions again',
  notify: 'tell people that a call waits',
  endTurn: 'write down the end of the turn',
  lookAtTurn: 'look at a turn of the session',
  beginSession: 'ask whether the session is the first of its id',
  checkFork: 'check where the session was forked from',
  deliverCallback: 'send the callback',
};

/** What the command does, as an infinitive without `to`: `run call 2.1 send_credit_memo`. */
export function deed({ kind, id, fields }: Command): string {
  switch (kind) {
    case 'activity':
      return activity(id, fields);
    case 'activity_cancel':
      return `cancel activity ${oneLine(id)}`;
    case 'timer':
      return `wait ${duration(fields.duration_ms)} (timer ${oneLine(id)})`;
    case 'timer_cancel':
      return `stop waiting (timer ${oneLine(id)})`;
    case 'child':
      return `start workflow ${oneLine(id)}`;
    case 'external_cancel':
      return `cancel workflow ${oneLine(id)}`;
    case 'signal':
      return `send a signal (${oneLine(id)})`;
    case 'search_attributes':
      return `set the search attributes ${oneLine(Object.keys(fields).join(', '))}`;
    case 'memo':
      return `set the memo ${oneLine(Object.keys(fields).join(', '))}`;
    case 'patch':
      return `mark the patch ${oneLine(id)}`;
    case 'update_accepted':
      return `accept update ${oneLine(id)}`;
    case 'update_completed':
      return `answer update ${oneLine(id)}`;
    case 'continue':
      return 'go on in another run';
    case 'complete':
      return 'end';
    case 'fail':
      return 'end as failed';
    case 'cancel':
      return 'end as cancelled';
  }
}

function activity(id: string, fields: JsonObject): string {
  const type = String(fields.type);
  const [input] = Array.isArray(fields.input) ? fields.input : [];
  const argument = input !== undefined && isJsonObject(input) ? input : {};
  if (type === 'takeStep') return `take step ${oneLine(String(argument.step))}`;
  const words = Object.hasOwn(ACTIVITIES, type) ? ACTIVITIES[type]! : `run activity ${oneLine(type)} (${oneLine(id)})`;
  return words.replace('%', () => callOf(argument.call));
}

function callOf(call: Json | undefined): string {
  if (call === undefined || !isJsonObject(call)) return 'a call';
  return oneLine(`call ${String(call.id)} ${String(call.tool)}`);
}

/** A field in a sentence, such as `another input`. */
export function fieldName(kind: Command['kind'], field: string): string {
  const NAMES: Record<string, string> = {
    input: 'another input',
    type: 'another type',
    task_queue: 'another task queue',
    retry: 'another retry policy',
    duration_ms: 'another duration',
    result: 'another result',
    failure: 'another failure',
    memo: 'another memo',
    search_attributes: 'other search attributes',
    headers: 'other headers',
    priority: 'another priority',
    parent_close_policy: 'another parent close policy',
    id_reuse_policy: 'another workflow id reuse policy',
    deprecated: 'another state',
  };
  if (kind === 'search_attributes' || kind === 'memo') return 'another value';
  if (field.endsWith('_ms')) return Object.hasOwn(NAMES, field) ? NAMES[field]! : 'another timeout';
  return Object.hasOwn(NAMES, field) ? NAMES[field]! : `another ${field.replaceAll('_', ' ')}`;
}

/** `24 h`, `15 min`, `0.5 s` */
export function duration(value: Json | undefined): string {
  const ms = Number(value);
  if (ms >= 3_600_000 && ms % 3_600_000 === 0) return `${ms / 3_600_000} h`;
  if (ms >= 60_000 && ms % 60_000 === 0) return `${ms / 60_000} min`;
  return `${ms / 1000} s`;
}
