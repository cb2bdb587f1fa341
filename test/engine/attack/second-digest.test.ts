/**
 * An attacker who reaches Temporal's gRPC port has any call admitted under a second digest: for another agent, or without its
 * makers. An effect is found by its act too, since a reset gives a call another digest. So a second digest of the
 * same act must not say whose effect it is.
 */
import { defineAgent, defineApp } from '../../../src/agents/define';
import type { CallArguments, RunCallInput, TurnContext } from '../../../src/shared/io/activities';
import { idempotencyKey } from '../../../src/shared/json/digests';
import { attestDecision } from '../../../src/attestation/bundle-signer';
import type { SigningKey } from '../../../src/attestation/signing-key';
import { ToolError } from '../../../src/tools/define/errors';
import { eventually, withEngine, type Engine } from '../support/engine';
import { approvalOf, runInput, waitingArguments, withForger, type Forge } from '../support/forge';
import { insteadOf } from '../support/scene';
import { ask, say } from '../../support/scripted-model';
import { Signers } from '../../support/signers';
import { pays } from '../../support/tools';
import type { Tool, ToolDefinition } from '../../../src/tools/define/tool';

const invoice = { invoice: 'INV-7', cents: 700 };
const edited = { ...invoice, cents: 70 };

/** Pays, and its answer is lost. */
const payBy = (bank: unknown[], account: string, more: Partial<ToolDefinition<any>> = {}): Tool =>
  pays('pay', bank, {
    target: { account },
    run: (input: unknown) => {
      bank.push(input);
      throw new ToolError('NETWORK_ERROR', 'connection_lost', 'the connection was lost after sending');
    },
    ...more,
  });

interface Scene extends Engine {
  forge: Forge;
  signers: Signers;
  /** As the turn dispatched it. */
  request: RunCallInput;
  /** Has the same act admitted for this turn, by an activity of the attacker's. */
  admitted(turn: TurnContext): Promise<CallArguments>;
  state(): Promise<string>;
}

/** A payment of agent `ours` that rita asked for, whose input sam has changed, and that ana has approved. It was made, and is in doubt. */
async function inDoubt(theirs: Partial<ToolDefinition<any>>, body: (scene: Scene) => Promise<void>): Promise<void> {
  const signers = new Signers();
  const bank: unknown[] = [];
  const agent = (name: string, tool: Tool) => defineAgent({ name, prompt: 'Test.', tools: [tool] });
  const setup = {
    app: defineApp({ agents: [agent('ours', payBy(bank, 'DE-1')), agent('theirs', payBy([], 'DE-2', theirs))] }),
    script: [ask(['pay', invoice]), say('done')],
    settings: { approvals: 'attested' as const, trust: signers.trust },
    signingKey: await signers.file(signers.gateway),
    madeUp: true,
  };
  try {
    await withEngine(setup, async (engine) => {
      const turn = await engine.start('Pay it.', { agent: 'ours', requester: 'rita' });
      const [{ digest: proposed }] = await turn.waitForPending();
      const edit = await signers.signed(turn, proposed, 'sam', { decision: 'edit', input: edited });
      await turn.approve(proposed, { attestation: edit, input: edited });
      const waiting = await insteadOf(turn, proposed);
      const args = await waitingArguments(engine.client, turn, waiting.digest);
      const attestation = await signers.signed(turn, waiting.digest, 'ana');
      const request = await runInput(turn, args, [approvalOf(waiting, 'ana', { attestation })]);
      await turn.approve(waiting.digest, { attestation });
      await eventually('in doubt', async () => (await turn.status()).state === 'in_doubt');
      const key = idempotencyKey({ ...request.turn, call_id: args.id, digest: args.digest });
      const state = async () => (await engine.store.effects.latest(key))!.state;
      await withForger(engine.client, engine.taskQueue, async (forge) => {
        const admitted = async (of: TurnContext): Promise<CallArguments> => {
          const { digest: _, dispatch: __, preview_ref: ___, makers: ____, ...call } = request.call;
          const answer = await forge('admitCall', { turn: of, call, reason: 'made up', expires_at: null });
          if (!answer.ok) throw new Error(answer.error.message);
          const { digest, preview_ref, target_hash = null } = answer;
          return { ...call, digest, preview_ref, target_hash, dispatch: 1 };
        };
        await body({ ...engine, forge, signers, request, admitted, state });
      });
      expect(bank).toEqual([edited]);
      const attestation2 = await signers.signed(turn, args.digest, 'bob', { decision: 'settle', outcome: 'applied' });
      await turn.settle(args.digest, 'applied', { attestation: attestation2 });
      await turn.result();
    });
  } finally {
    signers.remove();
  }
}

/** A person's statement on how a call ended, signed by his own key. */
function settlement(key: SigningKey, principal: string, { turn, call }: Pick<RunCallInput, 'turn' | 'call'>): string {
  const { workflow_id, first_execution_run_id, store_id } = turn;
  const store = store_id === undefined ? {} : { store_id };
  const aud = { namespace: 'default', workflow_id, first_execution_run_id, ...store };
  const said = { decision: 'settle' as const, outcome: 'not_applied' as const, principal, roles: [], head: null };
  return attestDecision(key, { aud, digest: call.digest, ...said }, null);
}

describe('a payment in doubt that somebody has had admitted under a second digest', () => {
  it('is not settled by the probe of the agent that the second digest names', () =>
    inDoubt({ reconcile: () => 'not_applied' as const }, async ({ forge, request, admitted, state }) => {
      const turn = { ...request.turn, agent: 'theirs' };
      const call = await admitted(turn);
      const { at, head } = request;
      await forge('reconcileEffect', { turn, call, at, head, not_applied_from: at }).catch(() => undefined);
      expect(await state()).toBe('in_doubt');
    }));

  it('is not settled by its requester, though the second digest names another requester', () =>
    inDoubt({}, async ({ forge, signers, request, admitted, state }) => {
      const turn = { ...request.turn, requester: 'somebody' };
      const call = await admitted(turn);
      const { at, head } = request;
      const attestation = settlement(signers.person('rita'), 'rita', { turn, call });
      const said = { outcome: 'not_applied' as const, by: 'rita', note: null, identity: '', attestation };
      await forge('settleEffect', { turn, call, at, head, ...said }).catch(() => undefined);
      expect(await state()).toBe('in_doubt');
    }));

  it('is not settled by a maker of it, though the second digest leaves him out', () =>
    inDoubt({}, async ({ forge, signers, request: { turn, at, head }, admitted, state }) => {
      const call = await admitted(turn);
      const attestation = settlement(signers.person('sam'), 'sam', { turn, call });
      const said = { outcome: 'not_applied' as const, by: 'sam', note: null, identity: '', attestation };
      await expect(forge('settleEffect', { turn, call, at, head, ...said })).rejects.toThrow(
        'sam changed this call or steered the turn',
      );
      expect(await state()).toBe('in_doubt');
    }));

  it('is not settled by a statement for a turn that is bound to no store', () =>
    inDoubt({}, async ({ forge, signers, request: { turn, call, at, head }, state }) => {
      const { store_id: _, ...unbound } = turn;
      const attestation = settlement(signers.person('bob'), 'bob', { turn: unbound, call });
      const said = { outcome: 'not_applied' as const, by: 'bob', note: null, identity: '', attestation };
      await expect(forge('settleEffect', { turn, call, at, head, ...said })).rejects.toThrow('bound to no store');
      expect(await state()).toBe('in_doubt');
    }));
});
