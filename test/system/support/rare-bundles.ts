/** Sample bundles with parts that few turns have: decisions that the store keeps, a probe, a classifier, a full conversation. For make-bundles.ts. */
import { StopRegister } from '../../../src/stop/register';
import type { ModelMessage, ModelProvider, ModelRequest, ModelResponse } from '../../../src/model/provider';
import { eventually, type Engine, type Setup } from '../../engine/support/engine';
import { resetTurn } from '../../engine/support/reset';
import { afterTurns } from '../../engine/support/sessions';
import type { PlannedModel } from '../../support/planned-model';
import { ask, say, ScriptedModel, type Answer } from '../../support/scripted-model';
import { pays } from '../../support/tools';
import { agent, asked, ended, invoice, pay, payPreview, type Scenario } from './bundle-scenario';
import type { Agent } from '../../../src/agents/agent';

/** Three notes of this length are more than goes along to another run. */
const LONG_NOTE = '甲'.repeat(2700);
/** More than may stay beside a summary in a context window of 1,000 tokens. */
const LONG_MESSAGE = `Pay INV-7. ${'It is due. '.repeat(90)}`.trim();

const SUMMARY = 'An invoice was not paid.';

/** A payment whose answer never comes; its probe finds nothing at first. */
function lostPay() {
  let looks = 0;
  return pays('pay', [], {
    preview: payPreview,
    run: () => new Promise(() => undefined),
    timeoutMs: 500,
    reconcile: () => (looks++ === 0 ? { outcome: 'not_applied', evidence: 'No such payment.' } : { outcome: 'applied', evidence: 'Payment 17.' }) as never, // oxfmt-ignore
    reconcileMs: 500,
  });
}

const file = pays('file', [], { class: 'write', description: 'Files one invoice.' });
const COUNCIL = agent('council', { approvals: { quorum: 5 } });
const PROBER = agent('prober', {
  tools: [lostPay(), file],
  permissions: { mode: 'auto' },
  classifier: {
    name: 'strict',
    decide: ({ input }) =>
      input.cents === 1 ? { verdict: 'deny', reason: 'it is too little' } : { verdict: 'approve', reason: '' },
  },
});
const CROWDED = agent('crowded', {
  tools: [pay],
  steerSupersedes: true,
  contextWindow: 1000,
});

let judged = 0;
const FILER = agent('filer', {
  tools: [file, pays('remit', [], { preview: payPreview })],
  permissions: { mode: 'auto' },
  classifier: { name: 'talker', decide: () => ({ verdict: 'approve', reason: `look ${++judged}` }) },
});

export const RARE_AGENTS: readonly Agent[] = [PROBER, CROWDED, FILER];
export const RARE_SCRIPTS: Record<string, Answer[]> = {
  'File INV-7, and pay it.': [ask(['file', { ...invoice, cents: 1 }]), ask(['file', invoice], ['pay', invoice]), say('Paid.')],
  'File INV-7, and remit it.': [ask(['file', invoice], ['remit', invoice]), say('Remitted.')],
  [LONG_MESSAGE]: [ask(['pay', invoice]), say('It is not paid.')],
};

const textOf = ({ content }: ModelMessage): string => JSON.stringify(content);

/** Writes summaries, and reports that a conversation that goes on with `LONG_MESSAGE`, or with its summary, fills the context window. */
class CrowdedModel implements ModelProvider {
  readonly name = 'crowded';

  constructor(private readonly planned: PlannedModel) {}

  async request(request: ModelRequest, options: { signal: AbortSignal }): Promise<ModelResponse> {
    const [first, last] = [textOf(request.messages[0]!), textOf(request.messages.at(-1)!)];
    if (last.includes('Summarize this conversation')) return new ScriptedModel([say(SUMMARY)]).request(request, options);
    const goesOn = first.includes(SUMMARY);
    const model = goesOn ? new ScriptedModel([say('You are welcome.')]) : this.planned;
    const answer = await model.request(request, options);
    const isLong = goesOn || (first.includes(LONG_MESSAGE) && request.messages.length > 2);
    return isLong ? { ...answer, usage: { ...answer.usage, input_tokens: 900 } } : answer;
  }
}

export const RARE: Record<string, Scenario> = {
  /** A call that a classifier denied, one that it approved, and a payment of which people are told, whose answer is lost and which its probe finds. */
  probed: async ({ start }) => {
    const turn = await start('File INV-7, and pay it.', { requester: 'rita', agent: 'prober' });
    const [call] = await turn.waitForPending();
    await turn.approve(call.digest, { by: 'ana' });
    return ended(turn);
  },
  /** After a reset a classifier gives another reason, and somebody else approves the payment that a freeze has put off. */
  thawed: async ({ client, start, store }) => {
    const stop = new StopRegister(store);
    const frozen = { scope: 'tool', name: 'remit' } as const;
    await stop.freeze(frozen, 'root', 'An incident.');
    const turn = await start('File INV-7, and remit it.', { requester: 'rita', agent: 'filer' });
    const [call] = await turn.waitForPending();
    await turn.approve(call.digest, { by: 'ana' });
    await eventually('it waits for the end of the freeze', async () => (await turn.status()).frozen);
    const run = await resetTurn(client, turn, { before: 'admitCall' });
    await eventually('the new run asks', async () => {
      const { run_id, calls } = await turn.status();
      return run_id === run && calls.some(({ digest, state }) => digest === call.digest && state === 'waiting');
    });
    await turn.approve(call.digest, { by: 'bob' });
    await stop.unfreeze(frozen, 'root', 'It is over.');
    return ended(turn);
  },
  /** The second turn of a session: the conversation is full when it begins and when it ends, and somebody has steered the first. */
  crowded: async ({ client }) => {
    const session = await client.openSession({ agent: 'crowded', title: 'Frozen', requester: 'rita' });
    const { turn: first } = await session.send(LONG_MESSAGE);
    await session.started(first.id);
    await first.waitForPending();
    await first.steer('Not yet.', { by: 'mia' });
    await first.result();
    const { turn } = await session.send('Thanks.');
    await (await session.started(turn.id)).result();
    await afterTurns(session, 2);
    await session.close({ by: 'rita' });
    return { crowded: { kind: 'turn', id: turn.id } };
  },
};

/** On a server that lets a run grow no longer than a few events. */
export const RARE_LONG: Record<string, Scenario> = {
  /** Decisions with long notes, which the store keeps while the turn goes on in another run. */
  set_aside: async (engine: Engine) => {
    const { turn, call } = await asked(engine, 'council');
    const handle = engine.client.temporal.workflow.getHandle(turn.workflowId);
    const first = (await turn.status()).run_id;
    for (const by of ['ana', 'bob', 'cleo'])
      await handle.signal('approve', { call: call.digest, by, note: `${by} ${LONG_NOTE}` });
    await handle.signal('approve', { call: call.digest, by: 'dora' });
    await eventually('another run', async () => {
      const { runId } = await handle.describe();
      if (runId === first) await handle.signal('nothing', {});
      return runId !== first;
    });
    await turn.waitForPending();
    return turn;
  },
};
export const RARE_LONG_AGENTS: readonly Agent[] = [COUNCIL];

/** People are told about calls that wait for them. */
export function rareSetup(planned: PlannedModel): Setup {
  return { model: new CrowdedModel(planned), settings: { notifier: { tell: async () => undefined } } };
}
