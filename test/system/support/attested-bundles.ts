/** Sample bundles of turns under signed approvals. For make-bundles.ts. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FileTrust } from '../../../src/attestation/file-trust';
import { signDecisions, unsignedDecisions, type Signing, type UnsignedDecision } from '../../../src/client/approvals/attest';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import { eventually, type Engine, type Setup } from '../../engine/support/engine';
import { ANA_KEY, ENROLLER_KEY, GATEWAY_KEY, TRUST } from '../../support/bundle-keys';
import { named } from '../../support/deputies';
import { enrolled, passkeyDecision, type EnrolledPasskey } from '../../support/passkeys';
import { optional } from '../../../src/shared/json/optional';
import { ask, say, type Answer } from '../../support/scripted-model';
import { pays } from '../../support/tools';
import { agent, asked, ended, invoice, payPreview, read, type Scenario } from './bundle-scenario';
import type { Agent } from '../../../src/agents/agent';

const approvals = { quorum: 2, roles: ['treasurer'], fourEyes: true };
const TREASURY = agent('treasury', { approvals });
/** Its tool declares what it acts on. */
const BANK = agent('bank', { approvals, tools: [pays('pay', [], { preview: payPreview, target: { account: 'DE-1' } }), read] });

/** What an approval needs depends on the amount, and on how long the call has waited. */
const ESCALATES_MS = 1500;
const CASHIER = agent('cashier', {
  approvals: {
    roles: ['treasurer'],
    tools: {
      pay: [{ when: 'input.cents > 600', quorum: 2, escalate: [{ afterMs: ESCALATES_MS, roles: ['cfo'] }] }, { allow: true }],
    },
  },
});

export const ATTESTED_AGENTS: readonly Agent[] = [TREASURY, BANK, CASHIER];

export const ATTESTED_SCRIPTS: Record<string, Answer[]> = {
  'Pay both.': [ask(['pay', invoice], ['pay', { invoice: 'INV-8', cents: 500 }]), say('Paid.')],
};

async function attested(folder: string): Promise<Setup['settings'] & object> {
  const path = join(folder, 'trust.json');
  await writeFile(path, JSON.stringify(TRUST));
  return { approvals: 'attested', trust: new FileTrust({ path, namespace: 'default', log: console as never }) };
}

export const signed = async (
  turn: TurnHandle,
  digest: string,
  principal: string,
  more: Partial<Signing> = {},
  key = GATEWAY_KEY,
) => {
  const signing = { decision: 'approve' as const, calls: [digest], principal, roles: ['treasurer'], ...more };
  return (await signDecisions(turn, key, signing))[0]!.attestation;
};

export const ATTESTED: Record<string, Scenario> = {
  quorum: (engine) => signedByTwo(engine, 'treasury'),
  bound: (engine) => signedByTwo(engine, 'bank'),
  passkeys: signedByPasskeys,
  /** Bob approves for ana, by the statement that her key signed; the other vote is kim's. */
  deputy: async (engine) => {
    const { turn, call } = await asked(engine, 'treasury');
    await turn.approve(call.digest, { attestation: await signed(turn, call.digest, 'bob', { deputyship: named(ANA_KEY) }) });
    await turn.approve(call.digest, { attestation: await signed(turn, call.digest, 'kim') });
    return ended(turn);
  },
  /** Two payments: a treasurer approves the large one, and later somebody who may after a time; nobody is asked about the other. */
  by_input: async ({ start }) => {
    const turn = await start('Pay both.', { requester: 'rita', agent: 'cashier' });
    const [{ digest }] = await turn.waitForPending();
    const asked = Date.now();
    await turn.approve(digest, { attestation: await signed(turn, digest, 'ana', {}, ANA_KEY) });
    await sleep(asked + ESCALATES_MS + 200 - Date.now());
    await turn.approve(digest, { attestation: await signed(turn, digest, 'kim', { roles: ['cfo'] }) });
    return ended(turn);
  },
};

async function signedByTwo(engine: Engine, agentName: string): ReturnType<Scenario> {
  const { turn, call } = await asked(engine, agentName);
  const own = await signed(turn, call.digest, 'ana', {}, ANA_KEY);
  await engine.client.temporal.workflow.getHandle(turn.workflowId).signal('approve', { call: call.digest, attestation: own });
  await eventually('one of two', async () => (await turn.status()).calls[0]!.approval.by.length === 1);
  await turn.approve(call.digest, { attestation: await signed(turn, call.digest, 'bob') });
  return ended(turn);
}

/** One security key by a signal, one passkey of Windows by an update with a note. */
async function signedByPasskeys(engine: Engine): ReturnType<Scenario> {
  const { turn, call } = await asked(engine, 'treasury');
  const ana = enrolled(ENROLLER_KEY);
  const bob = enrolled(ENROLLER_KEY, { principal: 'bob', alg: 'RS256' });
  const by = async (person: EnrolledPasskey, principal: string, note?: string) => {
    const signing = {
      decision: 'approve' as const,
      calls: [call.digest],
      principal,
      roles: ['treasurer'],
      ...optional({ note }),
    };
    const [{ claims }] = (await unsignedDecisions(turn, signing)) as [UnsignedDecision];
    return passkeyDecision(person, claims, { counter: 1 });
  };
  const own = await by(ana, 'ana');
  await engine.client.temporal.workflow.getHandle(turn.workflowId).signal('approve', { call: call.digest, attestation: own });
  await eventually('one of two', async () => (await turn.status()).calls[0]!.approval.by.length === 1);
  const note = 'Checked.';
  await turn.approve(call.digest, { attestation: await by(bob, 'bob', note), note });
  return ended(turn);
}

/** Further settings of an engine for these bundles, while `body` runs. */
export async function withAttestedSetup(body: (setup: Setup) => Promise<void>): Promise<void> {
  const temp = await mkdtemp(join(tmpdir(), 'holdfast-bundles-'));
  const signingKey = join(temp, 'gateway.pem');
  await GATEWAY_KEY.save(signingKey);
  try {
    await body({ signingKey, settings: await attested(temp) });
  } finally {
    await rm(temp, { recursive: true, force: true });
  }
}
