/** Runs a case once: a turn in the engine that runs in production, with a worker and a store of its own. */
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../agents/define';
import { DecisionNotAccepted } from '../client/errors';
import type { HoldfastClient } from '../client/holdfast-client';
import type { TurnHandle } from '../client/turns/turn-handle';
import { namesOf, type OwnModel } from '../model/models';
import { withoutProviders } from '../worker/own-model';
import type { MessageInput } from '../shapes/message';
import type { WaitingCall } from '../shapes/turn-view';
import { optional } from '../shared/json/optional';
import { errorMessage } from '../shared/text/error-message';
import { isEnd, type TurnState } from '../shared/turn/turn-states';
import type { TurnView } from '../shared/turn/turn-view';
import { openTestEngine } from '../testing/agent/test-engine';
import { CaseError, RECORDED_MODEL, type CaseDecision, type EvalCase } from './case';
import { expectationFaults, gradeFault } from './judge';
import { bundleOf, callsIn } from './read-run';
import { withRecordedModels } from './recorded-model';
import { defaultExport, withToolsOf } from './tools';
import type { EvalGrade, EvalRubric, EvalRun, EvalState } from './types';

export interface RunParts {
  app: App;
  /** Path of the module whose default export is the app. */
  appModule?: string;
  /** Of agents whose model has no provider in the app. */
  own: OwnModel | null;
  /** The own model plays all models of the app. */
  rehearsesAll?: boolean;
}

export interface RunTask {
  one: EvalCase;
  /** Null: as the case or the agent says. */
  model: string | null;
  repetition: number;
}

/** A run that has ended, and what is wrong with it. */
export interface RunOutcome {
  run: EvalRun;
  faults: string[];
  /** The lines of its bundle. */
  bundle: string[];
}

const LOOKS_EVERY_MS = 100;
const CANCELS_WITHIN_MS = 30_000;
const EDITS_WITHIN_MS = 10_000;

/** The agent of the case, and the models that take its steps. @throws CaseError */
export function modelsOf({ one, model }: RunTask, { app, own }: RunParts): { agent: string; names: readonly string[] } {
  const agent = one.agent === undefined ? app.agents[0]! : app.agents.find(({ name }) => name === one.agent);
  if (agent === undefined)
    throw new CaseError(
      `${one.name}: the app has no agent ${JSON.stringify(one.agent)}; it has ${app.agents.map(({ name }) => name).join(', ')}.`,
    );
  const named = model ?? one.model;
  if (named === RECORDED_MODEL && one.turns === null) throw new CaseError(`${one.name} has no recorded answers (docs/evals.md).`);
  const names = namesOf(named ?? agent.model, own?.defaultModel);
  const served = (model: string) => model === RECORDED_MODEL || own !== null || app.models?.[model]?.provider !== undefined;
  const unserved = names.length === 0 ? `the agent ${agent.name} names no model` : names.find((model) => !served(model));
  if (unserved === undefined) return { agent: agent.name, names };
  throw new CaseError(
    `${one.name}: nobody serves its model (${unserved}): set a key (ANTHROPIC_API_KEY, or OPENAI_API_KEY with HOLDFAST_MODEL=openai), name a model of the app with --model, or set HOLDFAST_MODEL=rehearsal.`,
  );
}

/** @throws CaseError; the signal's reason; whatever keeps the engine from starting */
export async function runCase(task: RunTask, parts: RunParts, signal: AbortSignal): Promise<RunOutcome> {
  const { one, repetition } = task;
  const { agent, names } = modelsOf(task, parts);
  const [model = ''] = names;
  const { app, unanswered } = await withToolsOf(one, appOf(task, parts, agent));
  const isRecorded = model === RECORDED_MODEL;
  const own = isRecorded ? undefined : parts.own;
  const engine = await openTestEngine({
    app: isRecorded ? withRecordedModels(app, one.turns!) : app,
    ...optional({ appModule: parts.appModule, model: own?.provider, defaultModel: own?.defaultModel }),
  });
  try {
    const began = performance.now();
    const message = await messageOf(one, engine.client);
    const turn = await engine.client.start({ agent, message, ...optional({ requester: one.requester }) });
    const { state, refusals, view } = await new Following(one, turn, signal).toTheEnd();
    const { input_tokens: _, cost_usd, unpriced_tokens = 0 } = view.usage;
    const durationMs = Math.round(performance.now() - began);
    const bundle = await bundleOf(engine, turn.id);
    const run: EvalRun = {
      ...{ case: one.name, agent, model, repetition, state, durationMs },
      reason: refusals.length > 0 ? refusals.join(' ') : state === view.state ? view.reason : null,
      text: view.text,
      result: view.result ?? null,
      calls: await callsIn(bundle),
      steps: view.step,
      costUsd: unpriced_tokens > 0 ? null : cost_usd,
    };
    const rubric = await rubricFaults(one, run);
    return { run, faults: [...unanswered, ...expectationFaults(run, one.expect), ...rubric], bundle };
  } finally {
    await engine.close();
  }
}

/** The app with the model that is asked for. */
function appOf({ one, model }: RunTask, { app, own, rehearsesAll }: RunParts, agent: string): App {
  const name = model ?? one.model;
  const agents = app.agents.map((each) =>
    name === undefined || each.name !== agent ? each : Object.freeze({ ...each, model: name }),
  );
  const changed = Object.freeze({ ...app, agents });
  return rehearsesAll && own !== null ? withoutProviders(changed, own.provider) : changed;
}

async function messageOf({ message, files, folder }: EvalCase, client: HoldfastClient): Promise<MessageInput> {
  if (files.length === 0) return message;
  const parts: MessageInput = [];
  for (const file of files)
    parts.push(await client.files.put({ bytes: await readFile(join(folder, file)), name: basename(file) }));
  return [{ type: 'text', text: message }, ...parts];
}

async function rubricFaults({ rubric, folder }: EvalCase, run: EvalRun): Promise<string[]> {
  if (rubric === undefined) return [];
  const file = typeof rubric === 'string' ? rubric : rubric.file;
  const judge = await defaultExport(join(folder, file));
  if (typeof judge !== 'function') throw new CaseError(`${run.case}: the default export of ${file} must be a function.`);
  let grade: EvalGrade;
  try {
    grade = await (judge as EvalRubric)(structuredClone(run));
  } catch (error) {
    return [`Rubric ${file} threw: ${errorMessage(error)}`];
  }
  const fault = gradeFault(grade, rubric);
  return fault === null ? [] : [fault];
}

/** Decides the calls of a turn as the case says, until the turn ends, or waits for a decision that the case does not have. */
class Following {
  private readonly decided = new Set<string>();
  private readonly left: CaseDecision[];
  private readonly refusals: string[] = [];
  /** When the input of a waiting call was changed; the next revision takes a moment to appear. */
  private readonly editedAt = new Map<string, number>();
  private readonly until: number;

  constructor(
    { decisions, minutes }: EvalCase,
    private readonly turn: TurnHandle,
    private readonly signal: AbortSignal,
  ) {
    this.left = [...decisions];
    this.until = performance.now() + minutes * 60_000;
  }

  async toTheEnd(): Promise<{ state: EvalState; refusals: string[]; view: TurnView }> {
    const { turn, refusals } = this;
    for (;;) {
      const view = await turn.status();
      if (isEnd(view.state)) return { state: view.state, refusals, view };
      const stays = this.signal.aborted || performance.now() > this.until;
      if (stays || (!(await this.decideAll()) && isStill(view))) {
        const end = await this.cancel();
        this.signal.throwIfAborted();
        return { state: stays ? 'timeout' : 'waiting', refusals, view: end };
      }
      await sleep(LOOKS_EVERY_MS, undefined, { signal: this.signal }).catch(() => undefined);
    }
  }

  /** @returns whether anything was decided or is about to change, or nothing waits */
  private async decideAll(): Promise<boolean> {
    const waiting = await this.turn.pending();
    let decided = waiting.length === 0;
    for (const call of waiting) {
      const decision = this.decisionFor(call);
      if (decision === undefined) {
        decided ||= performance.now() - (this.editedAt.get(keyOf(call)) ?? -Infinity) < EDITS_WITHIN_MS;
        continue;
      }
      decided = true;
      this.decided.add(keyOf(call));
      try {
        await decide(this.turn, call, decision);
        if ('edit' in decision) this.editedAt.set(keyOf(call), performance.now());
      } catch (error) {
        if (!(error instanceof DecisionNotAccepted)) throw error;
        this.refusals.push(`A decision on ${call.tool} was not accepted: ${error.message}`);
      }
    }
    return decided;
  }

  /** The decisions of a tool in their order; the last one decides all its further calls. */
  private decisionFor(call: WaitingCall): CaseDecision | undefined {
    if (this.decided.has(keyOf(call))) return undefined;
    const fitting = this.left.filter((one) => one.tool === call.tool && 'settle' in one === (call.state === 'in_doubt'));
    const [first] = fitting;
    if (fitting.length > 1) this.left.splice(this.left.indexOf(first!), 1);
    return first;
  }

  private async cancel(): Promise<TurnView> {
    await this.turn.cancel().catch(() => undefined); // it may just have ended
    return Promise.race([this.turn.result(), sleep(CANCELS_WITHIN_MS, undefined, { ref: false }).then(() => this.turn.status())]);
  }
}

/** A call may wait twice: for approval, and in doubt. */
function keyOf({ digest, state }: WaitingCall): string {
  return `${digest} ${state}`;
}

/** States in which a turn waits for nobody. */
const GOES_ON: ReadonlySet<string> = new Set<TurnState>(['running', 'sleeping', 'awaiting_completion']);

/** Whether nothing of the turn goes on but what waits for a person. */
function isStill({ state, calls, sub_turns = [] }: TurnView): boolean {
  if (GOES_ON.has(state)) return false;
  const going = new Set(['proposed', 'ready', 'approved', 'running', 'pending']);
  const own = calls.some((call) => call.class !== 'agent' && going.has(call.state));
  return !own && !sub_turns.some((sub) => GOES_ON.has(sub.state));
}

async function decide(turn: TurnHandle, { digest }: WaitingCall, decision: CaseDecision): Promise<void> {
  const note = optional({ note: decision.note });
  if ('approve' in decision) for (const by of [decision.approve].flat()) await turn.approve(digest, { by, ...note });
  else if ('deny' in decision) await turn.deny(digest, { by: decision.deny, ...note });
  else if ('edit' in decision) await turn.approve(digest, { by: decision.edit, input: decision.input, ...note });
  else if ('answer' in decision) await turn.answer(digest, decision.value, { by: decision.answer, ...note });
  else await turn.settle(digest, decision.outcome, { by: decision.settle, ...note });
}
