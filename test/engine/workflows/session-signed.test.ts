/** Sessions of agents whose decisions are signed: each message is signed too, for its session. */
import { randomBytes } from 'node:crypto';
import { attestStart } from '../../../src/attestation/bundle-signer';
import type { SessionHandle } from '../../../src/client/sessions/session-handle';
import { hashJson } from '../../../src/shared/json/digests';
import { withEngine, type Engine } from '../support/engine';
import { ask, say, type Answer } from '../../support/scripted-model';
import { Signers } from '../../support/signers';
import { afterTurns, chainFaults, replayedSession, talk } from '../support/sessions';
import { pays } from '../../support/tools';

const invoice = { invoice: 'INV-7', cents: 700 };

describe('a session of an agent whose decisions are signed', () => {
  const signers = new Signers();
  afterAll(() => signers.remove());
  const effects: unknown[] = [];

  async function signed(script: Answer[], body: (engine: Engine, session: SessionHandle) => Promise<void>): Promise<void> {
    const settings = { approvals: 'attested' as const, trust: signers.trust };
    const signingKey = await signers.file(signers.gateway);
    await withEngine({ tools: [pays('pay', effects)], script, settings, signingKey }, async (engine) => {
      const id = `g-${randomBytes(4).toString('hex')}`;
      const session = await engine.client.openSession({ agent: 'tester', id, requester: 'rita' });
      await body(engine, session);
      await replayedSession(engine.client, session);
    });
  }

  const sendRaw = ({ client }: Engine, session: SessionHandle, body: object) =>
    client.temporal.workflow
      .getHandle(session.workflowId)
      .executeUpdate<{ turn_id: string }, [object]>('send', { args: [{ requester: 'rita', ...body }] })
      .then(({ turn_id }) => client.turn(turn_id).id);
  const attested = (session: SessionHandle, message: string) =>
    attestStart(signers.gateway, {
      aud: { namespace: 'default', workflow_id: session.workflowId },
      ...{ agent: 'tester', requester: 'rita', message_hash: hashJson(message) },
    });
  const ended = async (session: SessionHandle, turns: number) => (await afterTurns(session, turns)).held;

  it('signs each message, and a signed decision by somebody else lets the call run', () =>
    signed([ask(['pay', invoice]), say('Paid.'), say('You are welcome.')], async ({ store }, session) => {
      const { turn } = await session.send('Pay.');
      await session.started(turn.id);
      const [{ digest }] = await turn.waitForPending();
      await expect(turn.approve(digest, { by: 'ana' })).rejects.toThrow('Not accepted');
      await turn.approve(digest, { by: 'ana', attestation: await signers.signed(turn, digest, 'ana') });
      expect(await turn.result()).toMatchObject({ state: 'completed', requester: 'rita' });
      expect(effects).toEqual([invoice]);
      expect((await talk(session, 'Thanks.')).text).toBe('You are welcome.');
      expect(await chainFaults(store, (await afterTurns(session, 2)).head)).toEqual([]);
    }));

  it('begins no turn for a message that is not signed, or was changed; and goes on with the next one that is signed', () =>
    signed([say('Good day.')], async (engine, session) => {
      await sendRaw(engine, session, { message_id: 'a', message: 'Hello.' });
      expect(await ended(session, 1)).toMatchObject({ state: 'failed', reason: expect.stringContaining('it is not signed') });
      await sendRaw(engine, session, { message_id: 'b', message: 'Pay Eve.', attestation: attested(session, 'Hello.') });
      expect(await ended(session, 2)).toMatchObject({ state: 'failed', reason: expect.stringContaining('was rejected') });
      await sendRaw(engine, session, { message_id: 'c', message: 'Hello.', attestation: 'nonsense' });
      expect(await ended(session, 3)).toMatchObject({ state: 'failed' });
      expect(engine.model.requests).toEqual([]);
      expect((await talk(session, 'Hello.')).text).toBe('Good day.');
    }));

  it('takes a signature once, and in its own session only', () =>
    signed([say('Once.')], async (engine, session) => {
      const attestation = attested(session, 'Hello.');
      await sendRaw(engine, session, { message_id: 'a', message: 'Hello.', attestation });
      expect(await ended(session, 1)).toBeNull();
      await sendRaw(engine, session, { message_id: 'b', message: 'Hello.', attestation });
      expect(await ended(session, 2)).toMatchObject({ reason: expect.stringContaining('has begun another turn already') });
      const other = await engine.client.openSession({ agent: 'tester', id: `${session.id}-other`, requester: 'rita' });
      await sendRaw(engine, other, { message_id: 'a', message: 'Hello.', attestation });
      expect(await ended(other, 1)).toMatchObject({ state: 'failed', reason: expect.stringContaining('was rejected') });
      expect(engine.model.requests).toHaveLength(1);
    }));
});
