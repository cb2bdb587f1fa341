/** Builds of one app whose agents pay, as a deploy replaces one by another (test/system/fault/fixtures/deploy.app.ts). */
import { join } from 'node:path';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import type { ScriptedResponse } from '../../../src/model/rehearsal';
import type { JsonObject } from '../../../src/shared/json/json';
import type { Stage, WorkerProcess } from './fault-stage';

/** Of one agent, whose tool is `pay_AGENT`. */
export interface Build {
  /** The versions of its tool, with the name of the amount, fields that it fills in, and what its preview says. */
  pays: { version: string; amount: string; defaults?: Record<string, string>; says?: string }[];
  /** People who must approve. */
  quorum?: number;
  /** A rule denies the tool. */
  denies?: boolean;
  /** A budget, of so many payments an hour. */
  budget?: { name: string; cap: number };
  /** Payments of one amount are one act, no matter who asks for them. */
  sameAct?: boolean;
}

export const OLD: Build = { pays: [{ version: '1.2.0', amount: 'cents' }] };

/** What the stage is opened with. */
export const BUILDS = { app: join(__dirname, '../fault/fixtures/deploy.app.ts'), answer };

/** @param builds by agent */
export function startBuild(
  stage: Stage,
  builds: Record<string, Build>,
  settings: Record<string, string> = {},
): Promise<WorkerProcess> {
  return stage.startWorker(undefined, { FAULT_BUILDS: JSON.stringify(builds), HOLDFAST_DRAIN_SECONDS: '1', ...settings });
}

export interface Payment {
  name: string;
  turn: TurnHandle;
  /** Of the call that was admitted first. */
  digest: string;
}

/** A turn that wants to pay, and waits for approval. */
export async function startPayment({ client }: Stage, agent: string, name: string): Promise<Payment> {
  const turn = await client.start({ agent, message: `pay ${name}`, requester: 'rita' });
  const [call] = await turn.waitForPending();
  return { name, turn, digest: call.digest };
}

/** By signal, as the Web UI does: that needs no worker. */
export function signalApproval({ client }: Stage, { turn }: Payment, call: string, by = 'ana'): Promise<void> {
  return client.temporal.workflow.getHandle(turn.workflowId).signal('approve', { call, by });
}

/** Which of these payments the other side has taken, and how often. */
export function paid({ backend }: Stage, ...payments: Payment[]): Record<string, number> {
  const isOfThese = (key: string) => payments.some(({ name }) => key.startsWith('pay@') && key.split(' ')[1] === name);
  return Object.fromEntries(Object.entries(backend.reads).filter(([key]) => isOfThese(key)));
}

/** It looks up and asks to pay, with the input fields of the tool that it is shown; told that the tool has changed, it asks once more. */
function answer(body: JsonObject): ScriptedResponse {
  const messages = body.messages as JsonObject[];
  const [, turn] = /pay (\w+)/.exec(JSON.stringify(messages[0]))!;
  const pay = (body.tools as JsonObject[]).find(({ name }) => String(name).startsWith('pay_'));
  const first = messages.length === 1;
  const changed = JSON.stringify(messages.at(-1)).includes('Ask for the call again');
  if (!pay || !(first || changed)) return { content: [{ type: 'text', text: 'Done.' }] };
  const { properties } = pay.input_schema as { properties: JsonObject };
  const amount = Object.hasOwn(properties, 'cents') ? { cents: 700 } : { euros: 7 };
  const asked = { type: 'tool_use' as const, name: String(pay.name), input: { turn: turn!, ...amount } };
  const lookUp = { type: 'tool_use' as const, name: 'look_up', input: { turn: turn! } };
  return { content: first ? [lookUp, asked] : [asked] };
}
