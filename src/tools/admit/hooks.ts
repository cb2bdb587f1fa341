/**
 * Hooks: functions of the agent's or app's author that run around every call. Before-hooks get a valid call, and may refuse it
 * or change its input; a before-hook that fails refuses the call. After-hooks get a result, and may only annotate it.
 */
import { type CallError, callError, exceptionText } from '../../shared/wire/errors';
import { type Json, type JsonObject, isJsonObject, unknownFields } from '../../shared/json/json';
import type { ToolClass } from '../../shared/turn/tool-class';
import type { TurnFacts } from '../../rules';
import { matchesWildcard } from '../../rules/text-pattern';
import { toJson } from '../results/to-json';
import type { CheckFault, ToolLogger } from '../define/tool';

/** The call that a hook gets. It is a copy: a hook that writes into it changes nothing. */
export interface HookCall {
  tool: string;
  version: string;
  class: ToolClass;
  input: JsonObject;
  turn: TurnFacts;
}

export interface HookContext {
  /** Aborts at the hook's time limit. */
  signal: AbortSignal;
  log: ToolLogger;
}

export type BeforeAnswer = undefined | void | { refuse: CheckFault } | { input: JsonObject; why: string };

interface HookCommon {
  /** `[A-Za-z0-9_-]{1,64}`; shown in history and on cards. */
  name: string;
  /** Names of tools, with `*` for any characters. Absent: all. */
  tools?: string[];
  /** Time limit of one run, ms. Default 10,000; synchronous hooks cannot be interrupted. */
  timeoutMs?: number;
}

export interface BeforeHook extends HookCommon {
  /** The hook does I/O. It runs in its own activity, after the hooks without I/O, and may run again after a crash. */
  io?: boolean;
  run(call: HookCall, ctx: HookContext): BeforeAnswer | Promise<BeforeAnswer>;
}

export interface HookResult extends HookCall {
  ok: boolean;
  /** What the tool returned; null when it failed. */
  data: Json;
  error: CallError | null;
}

/** `note` is for the model; `metadata` is added to the envelope's metadata, under names that are not taken there. */
export type AfterAnswer = undefined | void | { note?: string; metadata?: JsonObject };

export interface AfterHook extends HookCommon {
  run(result: HookResult, ctx: HookContext): AfterAnswer | Promise<AfterAnswer>;
}

export interface Hooks {
  before: BeforeHook[];
  after: AfterHook[];
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
export const HOOK_TIMEOUT = 10_000;
/** Limit for the timeouts of all hooks of a kind together, ms: they run inside activities that have their own timeouts. */
const MOST_TOGETHER = 60_000;

/** Returns every fault of the hooks' definitions, as messages. */
export function hookFaults(hooks: Partial<Hooks> | undefined): string[] {
  const kinds = ['before', 'after'] as const;
  const unknown = unknownFields(hooks, kinds, 'hooks');
  return [
    ...unknown,
    ...kinds.flatMap((kind) => {
      const list: unknown = hooks?.[kind] ?? [];
      if (!Array.isArray(list)) return [`hooks.${kind} must be a list`];
      const all = list as BeforeHook[];
      const names = all.map((hook) => hook?.name);
      const twice = names.filter((name, index) => names.indexOf(name) !== index);
      const together = all.reduce((sum, hook) => sum + (hook?.timeoutMs ?? (kind === 'after' || hook?.io ? HOOK_TIMEOUT : 0)), 0);
      return [
        ...all.flatMap((hook) => oneFaults(kind, hook)),
        ...(twice.length > 0 ? [`two hooks.${kind} have one name: ${twice.join(', ')}`] : []),
        ...(together > MOST_TOGETHER
          ? [`hooks.${kind} may take ${together} ms together; at most ${MOST_TOGETHER}: give them a smaller timeoutMs`]
          : []),
      ];
    }),
  ];
}

function oneFaults(kind: string, hook: BeforeHook): string[] {
  if (typeof hook !== 'object' || hook === null) return [`hooks.${kind} has ${JSON.stringify(hook)}, which is no hook`];
  const { name, run, tools, timeoutMs } = hook;
  const fields = ['name', 'tools', 'timeoutMs', 'run', ...(kind === 'before' ? ['io'] : [])];
  const faults = unknownFields(hook, fields, `hooks.${kind} ${name}`);
  if (typeof name !== 'string' || !NAME.test(name))
    faults.push(`hooks.${kind}: name ${JSON.stringify(name)} must match ${NAME.source}`);
  if (typeof run !== 'function') faults.push(`hooks.${kind} ${name}: run must be a function`);
  if (tools !== undefined && !(Array.isArray(tools) && tools.every((tool) => typeof tool === 'string')))
    faults.push(`hooks.${kind} ${name}: tools must be a list of names`);
  if (timeoutMs !== undefined && !(timeoutMs > 0))
    faults.push(`hooks.${kind} ${name}: timeoutMs is ${timeoutMs}; it must be positive`);
  return faults;
}

/** Joins hooks; the app's run first. */
export function joinHooks(...all: (Partial<Hooks> | undefined)[]): Hooks {
  return { before: all.flatMap((hooks) => hooks?.before ?? []), after: all.flatMap((hooks) => hooks?.after ?? []) };
}

export function hooksFor<H extends HookCommon>(hooks: readonly H[], tool: string): H[] {
  return hooks.filter(({ tools }) => tools === undefined || tools.some((name) => matchesWildcard(name, tool)));
}

/** A change that a hook made to an input, and why. */
export interface InputChange {
  hook: string;
  why: string;
  /** The input before the change. */
  before: JsonObject;
}

export type BeforeOutcome = { ok: true; input: JsonObject; changes: InputChange[] } | { ok: false; error: CallError };
/** Checks a changed input: the effective input, or the error. */
export type Revalidate = (input: JsonObject) => Promise<{ ok: true; input: JsonObject } | { ok: false; error: CallError }>;

/** Runs the synchronous hooks on a call. */
export async function runBefore(
  hooks: readonly BeforeHook[],
  call: HookCall,
  revalidate: Revalidate,
  log: ToolLogger,
): Promise<BeforeOutcome> {
  let outcome: BeforeOutcome = { ok: true, input: call.input, changes: [] };
  for (const hook of hooks) {
    if (!outcome.ok) break;
    const current = outcome;
    outcome = await step(hook, current, revalidate, () => {
      const answer = hook.run(ownCopy(call, current), { signal: new AbortController().signal, log });
      if (!isThenable(answer)) return answer;
      answer.then(undefined, () => undefined);
      throw new Error('it returned a promise; declare it with io: true');
    });
  }
  return outcome;
}

/** Runs hooks with I/O on a call, one after the other, each within its time limit. */
export async function runBeforeIo(
  hooks: readonly BeforeHook[],
  call: HookCall,
  revalidate: Revalidate,
  log: ToolLogger,
): Promise<BeforeOutcome> {
  let outcome: BeforeOutcome = { ok: true, input: call.input, changes: [] };
  for (const hook of hooks) {
    if (!outcome.ok) break;
    const current = outcome;
    const answer = await settle(() =>
      within(hook.timeoutMs ?? HOOK_TIMEOUT, (signal) => hook.run(ownCopy(call, current), { signal, log })),
    );
    outcome = await step(hook, current, revalidate, answer);
  }
  return outcome;
}

function isThenable(answer: BeforeAnswer | Promise<BeforeAnswer>): answer is Promise<BeforeAnswer> {
  return typeof (answer as Partial<Promise<BeforeAnswer>> | undefined)?.then === 'function';
}

function ownCopy(call: HookCall, outcome: BeforeOutcome): HookCall {
  return { ...call, input: structuredClone(outcome.ok ? outcome.input : call.input), turn: { ...call.turn } };
}

/** Applies one hook's answer. A hook that throws, or gives an invalid answer, refuses the call. */
async function step(
  hook: BeforeHook,
  current: BeforeOutcome & { ok: true },
  revalidate: Revalidate,
  answer: () => BeforeAnswer,
): Promise<BeforeOutcome> {
  const hookFailure = (what: string): BeforeOutcome => ({
    ok: false,
    error: callError('EXECUTION_ERROR', 'hook_failed', `The before-hook ${hook.name} failed, so the call was not run: ${what}`, {
      hint: 'The operator of the agent must act; another input does not help.',
    }),
  });
  let reply: BeforeAnswer;
  try {
    reply = answer();
  } catch (error) {
    return hookFailure(exceptionText(error));
  }
  if (reply === undefined || reply === null) return current;
  if (typeof reply !== 'object') return hookFailure(`it answered ${typeof reply}`);
  if ('refuse' in reply) return { ok: false, error: refusalOf(hook, reply.refuse) };
  if (!('input' in reply) || !isJsonObject(reply.input)) return hookFailure('it answered neither refuse nor input');
  const json = toJson(reply.input);
  if (!json.ok) return hookFailure(`the input that it gave is not JSON: ${json.message}`);
  const checked = await revalidate(json.data as JsonObject);
  if (!checked.ok) return hookFailure(`the input that it gave is refused: ${checked.error.message}`);
  const why = String(reply.why ?? '')
    .slice(0, 300)
    .toWellFormed();
  return { ok: true, input: checked.input, changes: [...current.changes, { hook: hook.name, why, before: current.input }] };
}

function refusalOf(hook: BeforeHook, refuse: CheckFault): CallError {
  const { reason, message, hint } = refuse ?? {};
  const word = typeof reason === 'string' && reason !== '' ? reason.slice(0, 100).toWellFormed() : 'refused_by_hook';
  const text =
    typeof message === 'string' && message !== '' ? message.toWellFormed() : `The hook ${hook.name} refused this call.`;
  return callError('PERMISSION_DENIED', word, text, typeof hint === 'string' ? { hint: hint.slice(0, 1000).toWellFormed() } : {});
}

async function settle(work: () => Promise<BeforeAnswer>): Promise<() => BeforeAnswer> {
  try {
    const answer = await work();
    return () => answer;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/**
 * Runs `work` with a signal that aborts at the time limit.
 * @throws Error when the work takes longer; and any error of `work`
 */
export async function within<T>(ms: number, work: (signal: AbortSignal) => T | Promise<T>): Promise<T> {
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const error = new Error(`it did not answer within ${ms} ms`);
      reject(error);
      abort.abort(error);
    }, ms);
  });
  try {
    return await Promise.race([(async () => work(abort.signal))(), late]);
  } finally {
    clearTimeout(timer);
  }
}
