/** A person who answers a question of the model decides nothing, and nobody answers in another's place. Each test is named after what it prevents. */
import { attestDecision } from '../../../src/attestation/bundle-signer';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import type { WaitingCall } from '../../../src/shapes/turn-view';
import { hashJson } from '../../../src/shared/json/digests';
import { noteHash } from '../../../src/shared/approval/decision';
import type { JsonObject } from '../../../src/shared/json/json';
import { askPerson } from '../../../src/tools/people/ask-person';
import { eventually, withEngine, type Engine, type Setup } from '../support/engine';
import { CHANNELS, invoice, scene, type Channel } from '../support/scene';
import { ask, say } from '../../support/scripted-model';
import { Signers } from '../../support/signers';
import { pays } from '../../support/tools';

const which: JsonObject = { question: 'Which account?', choices: ['operations', 'reserve'] };

interface Stage extends Engine {
  turn: TurnHandle;
  question: WaitingCall;
  signers: Signers;
  /** Sends a signal as the Web UI does. */
  signal(name: string, body: unknown): Promise<void>;
  /** Why the last signal was ignored, once that many have been. */
  ignored(count: number): Promise<string>;
}

/** A turn of rita's whose model asks. */
async function stage(
  channel: Channel,
  input: JsonObject,
  setup: Partial<Setup>,
  body: (on: Stage) => Promise<void>,
): Promise<void> {
  const signers = new Signers();
  const settings = { approvals: 'attested' as const, trust: signers.trust };
  const attested = channel === 'any' ? {} : { settings, signingKey: await signers.file(signers.gateway) };
  const script = [ask(['ask_person', input]), say('done')];
  try {
    await withEngine({ tools: [askPerson()], script, ...attested, ...setup }, async (engine) => {
      const turn = await engine.start('Pay it.', { requester: 'rita' });
      const [question] = await turn.waitForPending();
      const handle = engine.client.temporal.workflow.getHandle(turn.workflowId);
      const ignored = async (count: number) => {
        const { ignored_signals } = await eventually('it is ignored', async () => {
          const view = await turn.status();
          return view.ignored_signals.count >= count && view;
        });
        expect(ignored_signals.count).toBe(count);
        return ignored_signals.last.at(-1)!.reason;
      };
      await body({ ...engine, turn, question, signers, signal: (name, sent) => handle.signal(name, sent), ignored });
    });
  } finally {
    signers.remove();
  }
}

describe.each(CHANNELS)('where decisions are %s, nobody can', (channel) => {
  it('approve a payment by an answer, however it is named or signed', () =>
    scene(channel, {}, async ({ turn, digest, by, signal, ignored, effects, goesOn, signers }) => {
      const statement = channel === 'any' ? {} : { decision: 'answer' as const, value: 'approve' };
      const sent = { call: digest, value: 'approve', ...(await by('zoe', statement)) };
      await signal('answer', sent);
      expect(await ignored(1)).toContain('asks no question, and an answer decides nothing');
      await expect(turn.answer(digest, 'approve', await by('zoe', statement))).rejects.toThrow('an answer decides nothing');
      if (channel === 'attested') {
        const attestation = await signers.signed(turn, digest, 'zoe', statement);
        await expect(turn.approve(digest, { attestation })).rejects.toThrow('signed to answer, not to approve');
      }
      expect(effects).toEqual([]);
      await goesOn();
    }));

  it('answer a question by a decision', () =>
    stage(channel, which, {}, async ({ turn, question, signal, ignored }) => {
      await signal('approve', { call: question.digest, by: 'zoe' });
      expect(await ignored(1)).toContain('asks a question: send an answer');
      await signal('deny', { call: question.digest, by: 'zoe', note: 'No.' });
      expect(await ignored(2)).toContain('asks a question: send an answer');
      await signal('approve', { call: question.digest, by: 'zoe', input: { question: 'Shall I pay?' } });
      expect(await ignored(3)).toContain('asks a question: send an answer');
      await turn.cancel();
      await turn.result();
    }));

  it('fill, stall or end a turn by malformed, foreign and oversized answers', () =>
    stage(channel, which, {}, async ({ turn, question, signal, ignored }) => {
      const { digest: call } = question;
      const junk: unknown[] = [
        null, 'yes', [], { call }, { call, by: 'ana' }, { call: 'f'.repeat(64), by: 'ana', value: 'operations' },
        { call, by: 'ana', value: 'x'.repeat(200_000) }, { call, by: '', value: 'operations' }, { call, by: 'ana', value: nested(100) },
        { call, by: 'ana', value: 'operations', attestation: 'A.A' }, { call, by: 'ana', value: '\ud800' },
        { call, by: 'ana', value: 'operations', __proto__: { by: 'zoe' }, constructor: 1 },
      ]; // oxfmt-ignore
      for (const one of junk) await signal('answer', one);
      await ignored(junk.length);
      expect(await turn.status()).toMatchObject({ state: 'awaiting_answer', pending: [call] });
      await turn.cancel();
      await turn.result();
    }));
});

describe('where answers are signed, nobody can', () => {
  it('answer without a signature, or with one of another turn, question, answer, note or kind', () =>
    stage('attested', which, {}, async ({ turn, question, start, signers, signal, ignored }) => {
      const { digest: call } = question;
      const sign = (principal: string, value: string, more = {}) =>
        signers.signed(turn, call, principal, { decision: 'answer', value, ...more });
      await signal('answer', { call, by: 'ana', value: 'operations' });
      expect(await ignored(1)).toContain('takes signed decisions only');
      await signal('answer', { call, value: 'reserve', attestation: await sign('ana', 'operations') });
      expect(await ignored(2)).toBe('it was signed for another input');
      await signal('answer', { call, value: 'operations', note: 'And pay twice.', attestation: await sign('ana', 'operations') });
      expect(await ignored(3)).toBe('it was signed with another note, or with none');
      await signal('answer', { call, by: 'bob', value: 'operations', attestation: await sign('ana', 'operations') });
      expect(await ignored(4)).toBe('it is signed for ana, and says bob');
      await signal('answer', { call, value: 'operations', attestation: await signers.signed(turn, call, 'ana') });
      expect(await ignored(5)).toBe('it was signed to approve, not to answer');
      const other = await start('Again.', { requester: 'rita' });
      const aud = await other.audience();
      const claims = { digest: call, decision: 'answer' as const, principal: 'ana', roles: [], head: null };
      const elsewhere = { aud, ...claims, input_hash: hashJson('operations'), note_hash: noteHash(null) };
      await signal('answer', { call, value: 'operations', attestation: attestDecision(signers.gateway, elsewhere, null) });
      expect(await ignored(6)).toBe('it was signed for another turn');
      await signal('answer', { call, value: 'operations', attestation: await sign('ana', 'operations') });
      const view = await turn.result();
      expect(view.calls[0]).toMatchObject({ state: 'succeeded', approval: { decisions: [{ by: 'ana', attested: true }] } });
      await other.result();
    }));

  it('answer a question that is for a role, without that role in the signature, or with a key that does not give it or was revoked', () =>
    stage('attested', { ...which, to: ['role:treasurer'] }, {}, async ({ turn, question, signers }) => {
      const key = signers.person('bob', ['auditor']);
      const say = (roles: string[], own = key) =>
        signers.signed(turn, question.digest, 'bob', { decision: 'answer', value: 'reserve', roles }, own);
      const answer = (attestation: string) => turn.answer(question.digest, 'reserve', { attestation });
      await expect(answer(await say(['treasurer']))).rejects.toThrow('does not give the role treasurer');
      await expect(answer(await say(['auditor']))).rejects.toThrow('the question is for role:treasurer, and bob is none of them');
      const named = await signers.signed(turn, question.digest, 'treasurer', { decision: 'answer', value: 'reserve' });
      await expect(answer(named)).rejects.toThrow('and treasurer is none of them');
      signers.change(key, { revoked_at: new Date().toISOString() });
      await expect(answer(await say(['auditor']))).rejects.toThrow('revoked');
      await answer(await say(['treasurer'], signers.gateway));
      expect((await turn.result()).calls[0]).toMatchObject({ state: 'succeeded', approval: { by: ['bob'] } });
    }));
});

it('nobody can answer a question that is for a role under another name, where roles are not proved', async () => {
  await stage('any', { ...which, to: ['role:treasurer'] }, {}, async ({ turn, question }) => {
    for (const by of ['bob', 'treasurer', 'role:treasurer'])
      await expect(turn.answer(question.digest, 'reserve', { by })).rejects.toThrow('the question is for role:treasurer');
    await turn.cancel();
    await turn.result();
  });
});

it('a model cannot have a payment run as a question', () =>
  withEngine(
    { tools: [askPerson(), pays('pay', [])], script: [ask(['ask_person', { ...which, ...invoice }]), say('done')] },
    async ({ start }) => {
      const view = await (await start()).result();
      expect(view.calls).toMatchObject([{ state: 'rejected', error: { reason: 'schema_violation' } }]);
    },
  ));

function nested(levels: number): unknown {
  return levels === 0 ? 1 : [nested(levels - 1)];
}
