/**
 * Writes sample bundles: turns of every kind by the real engine, with a scripted model. Needs the Temporal CLI, which `npm run setup`
 * finds, and dist/: `npm run build && npx tsx test/system/support/make-bundles.ts FOLDER [NAME…]`. A NAME is that of a scenario; without
 * one all are made. It starts Temporal servers of its own. Those in test/bundles are frozen: only new ones are copied there.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'expect';
import { agentTool } from '../../../src/agents/agent-tool';
import { defineApp } from '../../../src/agents/define';
import { ofKey } from '../../../src/attestation/bundle-signer';
import { exportBundle, type Subject } from '../../../src/audit/export/bundle';
import { TurnHandle } from '../../../src/client/turns/turn-handle';
import type { WaitingCall } from '../../../src/shapes/turn-view';
import { findTemporalCli } from '../../../src/devserver/find-cli';
import { startDevServer } from '../../../src/devserver/dev-server';
import { ToolError } from '../../../src/tools/define/errors';
import { BUNDLE_KEY, TRUST } from '../../support/bundle-keys';
import { eventually, withEngine, type Engine, type Setup } from '../../engine/support/engine';
import { PlannedModel } from '../../support/planned-model';
import { rewritten } from '../../support/rewrite-bundle';
import { ask, say, type Answer } from '../../support/scripted-model';
import { afterTurns, talk } from '../../engine/support/sessions';
import { reset } from './temporal-cli';
import { endTestFile } from '../../support/test-file';
import { pays, reads } from '../../support/tools';
import { ATTESTED, ATTESTED_AGENTS, ATTESTED_SCRIPTS, withAttestedSetup } from './attested-bundles';
import { agent, asked, ended, invoice, lookUp, pay, read, turnOf, type Made, type Scenario } from './bundle-scenario';
import { QUESTION_AGENTS, QUESTION_SCRIPTS, QUESTIONS, SIGNED_QUESTIONS } from './question-bundles';
import { RESULT_AGENTS, RESULT_SCRIPTS, RESULTS } from './result-bundles';
import { RARE, RARE_AGENTS, RARE_LONG, RARE_LONG_AGENTS, RARE_SCRIPTS, rareSetup } from './rare-bundles';
import { TIME, TIME_AGENTS, TIME_SCRIPTS } from './time-bundles';
import type { Agent } from '../../../src/agents/agent';

const lostPay = pays('pay', [], {
  run: () => {
    throw new Error('the answer was lost');
  },
});
let failures = 0;
const flaky = reads('flaky', () => {
  if (failures++ < 2) throw new ToolError('NETWORK_ERROR', 'lost', 'connection lost', { retryAfterMs: 50 });
  return 'at last';
});

const researcher = agent('researcher', { prompt: 'You look things up.', tools: [read] });
const lead = agent('lead', { prompt: 'You ask others.', tools: [agentTool(researcher, { description: 'Asks a researcher.' })] });
const payer = agent('payer', { prompt: 'You pay what you are told to.', tools: [pay] });
const boss = agent('boss', {
  prompt: 'You have others pay.',
  tools: [agentTool(payer, { description: 'Has an invoice paid.' })],
});
const AGENTS = [
  agent('tester'),
  agent('clerk', { approvals: { fourEyes: true } }),
  agent('board', { approvals: { quorum: 2 } }),
  agent('hasty', { approvalExpiryMs: 1500 }),
  agent('careless', { tools: [lostPay, flaky] }),
  agent('limited', { limits: { steps: 1 } }),
  lead,
  boss,
];
/** What the model answers, by the first message of the conversation. */
const SCRIPTS: Record<string, Answer[]> = {
  'Look it up.': [lookUp('a'), say('Done.')],
  'Anything else?': [say('Nothing to do.')],
  'Pay INV-7.': [ask(['pay', invoice]), say('Paid.')],
  'Try.': [ask(['flaky', {}]), say('Done.')],
  'Look up three things.': [lookUp('a', 'b', 'c'), say('Here they are.')],
  'Look for ever.': [lookUp('a'), lookUp('b')],
  'Hello?': [say('Hello.'), ask(['pay', invoice]), say('Paid.'), say('Bye.')],
  'Good morning.': [say('Good morning.'), say('You are welcome.')],
  'Lead.': [ask(['researcher', { task: 'Find it.' }]), say('It is found.')],
  'Find it.': [lookUp('a'), say('Found.')],
  'Have it paid.': [ask(['payer', { task: 'Pay INV-7.' }]), say('It is paid.')],
  ...ATTESTED_SCRIPTS,
  ...RARE_SCRIPTS,
  ...QUESTION_SCRIPTS,
  ...RESULT_SCRIPTS,
  ...TIME_SCRIPTS,
};

const another = (turn: TurnHandle, digest: string): Promise<WaitingCall> =>
  eventually('another call waits in its stead', async () => {
    const [next] = await turn.pending();
    return next !== undefined && next.digest !== digest && next;
  });

/** By name; each makes the sample of that name, and maybe others. */
const SCENARIOS: Record<string, Scenario> = {
  /** Two: the second names the first as the agent's bundle before it. */
  plain: async ({ start }) => {
    const first = await ended(await start('Look it up.'));
    return { plain: turnOf(first), next: turnOf(await ended(await start('Anything else?'))) };
  },
  approval: async (engine) => {
    const { turn, call } = await asked(engine);
    await turn.approve(call.digest, { by: 'ana', note: 'As agreed.' });
    return ended(turn);
  },
  /** Two approvals of people who wait for the answer, until a time that they give. */
  waited: async (engine) => {
    const { turn, call } = await asked(engine, 'board');
    await turn.approve(call.digest, { by: 'ana', note: 'As agreed.' });
    await turn.approve(call.digest, { by: 'bob' });
    return ended(turn);
  },
  edited: async (engine) => {
    const { turn, call } = await asked(engine, 'clerk');
    await turn.approve(call.digest, { by: 'ana', note: 'Half of it.', input: { ...invoice, cents: 350 } });
    await turn.approve((await another(turn, call.digest)).digest, { by: 'bob' });
    return ended(turn);
  },
  denied: async (engine) => {
    const { turn, call } = await asked(engine);
    await turn.deny(call.digest, { by: 'ana', note: 'Not this month.' });
    return ended(turn);
  },
  expired: async ({ start }) => ended(await start('Pay INV-7.', { requester: 'rita', agent: 'hasty' })),
  in_doubt: async (engine) => {
    const { turn, call } = await asked(engine, 'careless');
    await turn.approve(call.digest, { by: 'ana' });
    await eventually('in doubt', async () => (await turn.status()).state === 'in_doubt');
    await turn.settle(call.digest, 'applied', { by: 'bob', note: 'The bank has it.' });
    return ended(turn);
  },
  retries: async ({ start }) => ended(await start('Try.', { agent: 'careless' })),
  parallel: async ({ start }) => ended(await start('Look up three things.')),
  session: async ({ client }) => {
    const session = await client.openSession({ agent: 'tester', title: 'Frozen', requester: 'rita' });
    await talk(session, 'Hello?');
    const { turn } = await session.send('Pay INV-7, too.');
    await session.started(turn.id);
    const [call] = await turn.waitForPending();
    await turn.approve(call.digest, { by: 'ana' });
    await turn.result();
    await talk(session, 'Thanks.');
    await session.close({ by: 'rita' });
    return { session: { kind: 'session', id: session.id }, session_turn: turnOf(turn) };
  },
  /** A session's turn, with what its session records about it. */
  spoken: async ({ client }) => {
    const session = await client.openSession({ agent: 'tester', title: 'Frozen', requester: 'rita' });
    await talk(session, 'Good morning.');
    const turn = await talk(session, 'Thanks.');
    await afterTurns(session, 2);
    await session.close({ by: 'rita' });
    return { spoken: { kind: 'turn', id: turn.turn_id } };
  },
  sub_agent: async ({ start }) => ended(await start('Lead.', { agent: 'lead', requester: 'rita' })),
  /** A question of a sub-agent, decided in the turn above it. */
  forwarded: async (engine) => {
    const turn = await engine.start('Have it paid.', { agent: 'boss', requester: 'rita' });
    const [call] = await turn.waitForPending();
    await turn.approve(call.digest, { by: 'ana', note: 'As agreed.' });
    return ended(turn);
  },
  /** Messages of people to a running turn, by a signal and by an update. */
  steered: async (engine) => {
    const { turn, call } = await asked(engine);
    await engine.client.temporal.workflow.getHandle(turn.workflowId).signal('steer', { text: 'Say when.', by: 'mia' });
    await turn.steer('And to whom.', { by: 'tom' });
    await turn.approve(call.digest, { by: 'ana' });
    return ended(turn);
  },
  call: async ({ call }) => {
    const { turn } = await call('pay', invoice, { requester: 'rita', agent: 'tester' });
    const [waits] = await turn.waitForPending();
    await turn.approve(waits.digest, { by: 'ana' });
    return ended(turn);
  },
  limit: async ({ start }) => ended(await start('Look for ever.', { agent: 'limited' })),
  cancelled: async (engine) => {
    const { turn } = await asked(engine);
    await turn.cancel();
    return ended(turn);
  },
  terminated: async (engine) => {
    const { turn } = await asked(engine);
    await engine.client.temporal.workflow.getHandle(turn.workflowId).terminate('an operator was tired of it');
    return turn;
  },
  reset: async (engine) => {
    const { turn, call } = await asked(engine);
    await engine.client.temporal.workflow.getHandle(turn.workflowId).signal('approve', { call: call.digest, by: 'ana' });
    await turn.result();
    await reset(engine.client, turn, 'before the approval');
    await turn.approve((await another(turn, call.digest)).digest, { by: 'bob' });
    return ended(turn);
  },
  running: async (engine) => (await asked(engine)).turn,
};

/** On a server that lets a run grow no longer than this. */
const LONGEST = 30;
const LONG: Record<string, Scenario> = {
  ...RARE_LONG,
  continued: async (engine) => {
    const { turn, call } = await asked(engine, 'board');
    const first = (await turn.status()).run_id;
    await turn.approve(call.digest, { by: 'ana' });
    const handle = engine.client.temporal.workflow.getHandle(turn.workflowId);
    await eventually('another run', async () => {
      await handle.signal('nothing', {});
      return (await turn.status()).run_id !== first;
    });
    const [waits] = await turn.waitForPending();
    await turn.approve(waits.digest, { by: 'bob' });
    return ended(turn);
  },
};

const planned = (): PlannedModel => new PlannedModel((message) => SCRIPTS[message] ?? []);
const engineOf = (...agents: Agent[]): Setup => ({
  app: defineApp({ agents }),
  model: planned(),
});

/** All at once, in one engine; the bundles are made one after the other. */
async function make(scenarios: Record<string, Scenario>, { folder, names }: Wanted, setup: Setup): Promise<void> {
  const wanted = Object.entries(scenarios).filter(([name]) => names.length === 0 || names.includes(name));
  if (wanted.length === 0) return;
  await withEngine(setup, async (engine) => {
    const all = wanted.map(async ([name, run]): Promise<Made> => {
      const made = await run(engine);
      return made instanceof TurnHandle ? { [name]: turnOf(made) } : made;
    });
    const subjects = Object.entries(Object.assign({}, ...(await Promise.all(all))) as Made);
    for (const [file, subject] of subjects) await freeze(engine, subject, join(folder, `${file}.jsonl`));
  });
}

interface Wanted {
  folder: string;
  /** None: all. */
  names: string[];
}

async function freeze({ client: { temporal }, store }: Engine, subject: Subject, path: string): Promise<void> {
  const lines: string[] = [];
  for await (const line of exportBundle({ temporal, store, subject, signer: ofKey(BUNDLE_KEY) })) lines.push(line);
  // Stack traces have paths of this machine.
  const text = rewritten(lines.join(''), ({ body }) => withoutStacks(body));
  await writeFile(path, text);
  console.log(`${path}: ${lines.length} lines, ${text.length} characters, ${lines.at(-2)}`);
}

function withoutStacks(value: unknown): any {
  if (Array.isArray(value)) return value.map(withoutStacks);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, key === 'stackTrace' ? '' : withoutStacks(held)]));
}

/** @param dynamicConfig of the server, which engines and the CLI find as they find that of the tests */
async function onServer(dynamicConfig: Record<string, number>, body: () => Promise<void>): Promise<void> {
  const { path } = await findTemporalCli();
  const server = await startDevServer({ cli: path, port: 0, headless: true, dynamicConfig });
  process.env.HOLDFAST_TEST_ADDRESS = server.address;
  try {
    await body();
    await endTestFile();
  } finally {
    await server.stop();
  }
}

async function makeAll(folder: string, names: string[]): Promise<void> {
  const known = Object.keys({
    ...SCENARIOS,
    ...QUESTIONS,
    ...RESULTS,
    ...RARE,
    ...TIME,
    ...ATTESTED,
    ...SIGNED_QUESTIONS,
    ...LONG,
  });
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`There is no ${unknown}; there are ${known.join(', ')}.`);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'trust.json'), `${JSON.stringify(TRUST, null, 2)}\n`);
  const wanted = { folder, names };
  await onServer({}, async () => {
    await make(SCENARIOS, wanted, engineOf(...AGENTS));
    await make(QUESTIONS, wanted, engineOf(...QUESTION_AGENTS));
    await make(RESULTS, wanted, engineOf(...RESULT_AGENTS));
    await make(TIME, wanted, engineOf(...TIME_AGENTS));
    await make(RARE, wanted, { ...engineOf(...RARE_AGENTS), ...rareSetup(planned()) });
    const signed = { ...ATTESTED, ...SIGNED_QUESTIONS };
    await withAttestedSetup((setup) => make(signed, wanted, { ...engineOf(...ATTESTED_AGENTS, ...QUESTION_AGENTS), ...setup }));
  });
  await onServer({ 'limit.historyCount.suggestContinueAsNew': LONGEST }, () =>
    make(LONG, wanted, engineOf(...AGENTS, ...RARE_LONG_AGENTS)),
  );
}

// The histories are checked at the end as those of tests are, where Jest has set this.
Object.assign(globalThis, { expect });

void (async () => {
  const [folder, ...names] = process.argv.slice(2);
  if (folder === undefined) throw new Error('Which folder? make-bundles.ts FOLDER [NAME…]');
  await makeAll(folder, names);
  process.exit(0);
})().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
