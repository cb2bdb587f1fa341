/** A retry of a request that counted gets the first answer, even if that answer was lost. */
import { randomBytes } from 'node:crypto';
import { isJsonObject, type Json } from '../../../src/shared/json/json';
import { defineTool } from '../../../src/tools/define/define';
import { eventually, type Engine } from '../support/engine';
import { ownKey, type Person } from '../../support/gateway';
import { ana, boss, gatewayScene, invoice, rita, type Answered, type Scene } from '../support/gateway-scene';
import { ask, say, type Answer } from '../../support/scripted-model';
import { afterTurns } from '../support/sessions';
import { z } from 'zod';

interface Retried extends Scene {
  /** One request under one key, twice at once. */
  twice(who: Person, url: string, body: object | undefined, key: string): Promise<[Answered, Answered]>;
  post(who: Person, url: string, body: object | undefined, key: string): Promise<Answered>;
  /** From now on the store fails before an answer can be kept. */
  forgetAnswers(): void;
}

function scene(body: (scene: Retried) => Promise<void>, script: Answer[] = [ask(['pay', invoice]), say('done')]): Promise<void> {
  return gatewayScene({ script }, async (open) => {
    const own = ownKey('retried');
    const post: Retried['post'] = (who, url, payload, key) =>
      open.send(who, 'POST', url, payload, { 'idempotency-key': `${own}-${key}` });
    const twice: Retried['twice'] = (...request) => Promise.all([post(...request), post(...request)]);
    await body({ ...open, post, twice, forgetAnswers: () => forgetAnswers(open) });
  });
}

function forgetAnswers({ store: { registers } }: Engine): void {
  const update = registers.update.bind(registers);
  registers.update = <T>(name: string, change: (value: Json, now: number) => { value?: Json; answer: T }) =>
    update(name, (value, now) => {
      const changed = change(value, now);
      if (name.startsWith('idempotency/') && isJsonObject(changed.value ?? null) && 'answer' in (changed.value as object))
        throw new Error('The store is gone.');
      return changed;
    });
}

const waiting = async ({ start }: Engine) => {
  const turn = await start('Pay.', { requester: 'acme/rita' });
  const [{ digest }] = await turn.waitForPending();
  return { turn, digest, url: `/v1/turns/${turn.id}` };
};

describe('a request under an Idempotency-Key that counted, and whose answer was not kept', () => {
  it('a decision is answered as the first time: while the turn runs, and after its end', () =>
    scene(async (open) => {
      const { turn, digest, url } = await waiting(open);
      open.forgetAnswers();
      const decision = { decision: 'approve', call: digest.slice(0, 12), note: 'checked' };
      const first = await open.post(ana, `${url}/decisions`, decision, 'once');
      expect(first).toMatchObject({ status: 200, body: { accepted: true, by: 'acme/ana', calls: [digest] } });
      expect(decided(await open.post(ana, `${url}/decisions`, decision, 'once'))).toEqual(decided(first));
      expect((await turn.result()).calls[0]!.approval.by).toEqual(['acme/ana']);
      expect(decided(await open.post(ana, `${url}/decisions`, decision, 'once'))).toEqual(decided(first));
      expect((await open.post(ana, `${url}/decisions`, decision, 'another')).status).toBe(409);
      expect(open.effects).toEqual([invoice]);
    }));

  it('an edit is answered as the first time; a refused request is judged again', () =>
    scene(async (open) => {
      const { turn, digest, url } = await waiting(open);
      open.forgetAnswers();
      const edit = { decision: 'approve', call: digest, input: { ...invoice, cents: 1 } };
      const first = await open.post(ana, `${url}/decisions`, edit, 'edit');
      expect(first.status).toBe(200);
      const [next] = await turn.waitForPending();
      const early = { decision: 'deny', call: 'f'.repeat(64) };
      for (let n = 0; n < 2; n++) expect((await open.post(ana, `${url}/decisions`, early, 'early')).status).toBe(409);
      expect(decided(await open.post(ana, `${url}/decisions`, edit, 'edit'))).toEqual(decided(first));
      expect((await open.post(ana, `${url}/decisions`, { decision: 'deny', call: next.digest }, 'deny')).status).toBe(200);
      expect(await turn.result()).toMatchObject({ calls: [{ revision: 1 }, { revision: 2, state: 'denied' }] });
      expect(decided(await open.post(ana, `${url}/decisions`, edit, 'edit'))).toEqual(decided(first));
    }));

  it('a message to the model is read once', () =>
    scene(async (open) => {
      const { turn, digest, url } = await waiting(open);
      open.forgetAnswers();
      const steer = { text: 'Only half of it.' };
      const first = await open.post(boss, `${url}/steer`, steer, 'once');
      expect(first).toEqual({ status: 200, body: { accepted: true, by: 'acme/boss' } });
      expect(await open.post(boss, `${url}/steer`, steer, 'once')).toEqual(first);
      await turn.deny(digest, { by: 'acme/ana' }).catch(() => undefined);
      await open.post(ana, `${url}/decisions`, { decision: 'deny', call: digest }, 'deny');
      await turn.result();
      expect(JSON.stringify(open.model.requests.at(-1)!.messages).split('Only half of it.')).toHaveLength(2);
      expect(await open.post(boss, `${url}/steer`, steer, 'once')).toEqual(first);
    }));

  it('a cancellation is answered as the first time after the turn has ended; another cancellation is not', () =>
    scene(async (open) => {
      const { turn, url } = await waiting(open);
      open.forgetAnswers();
      const first = await open.post(rita, `${url}/cancel`, undefined, 'once');
      expect(first).toEqual({ status: 202, body: { accepted: true } });
      expect((await turn.result()).state).toBe('cancelled');
      expect(await open.post(rita, `${url}/cancel`, undefined, 'once')).toEqual(first);
      expect((await open.post(rita, `${url}/cancel`, undefined, 'another')).status).toBe(409);
    }));

  it('messages to a session, and its closing, are answered as the first time after the session was closed', () =>
    scene(
      async (open) => {
        const opening = { agent: 'tester', message: 'Hello.' };
        const opened = await open.post(rita, '/v1/sessions', opening, 'open');
        const id = opened.body.session_id as string;
        const url = `/v1/sessions/${id}`;
        open.forgetAnswers();
        const said = await open.post(rita, `${url}/messages`, { message: 'First.' }, 'say');
        expect(said).toMatchObject({ status: 202, body: { turn_id: `${id}.2` } });
        const turn = { agent: 'tester', message: 'Second.', session_id: id };
        const begun = await open.post(rita, '/v1/turns', turn, 'turn');
        expect(begun).toMatchObject({ status: 202, body: { turn_id: `${id}.3` } });
        const renamed = await open.post(rita, `${url}/rename`, { title: 'Paid' }, 'rename');
        expect(renamed.status).toBe(200);
        await afterTurns(open.client.session(id), 3);
        const closed = await open.post(rita, `${url}/close`, undefined, 'close');
        expect(closed).toEqual({ status: 202, body: { accepted: true } });
        await eventually('it is closed', async () => (await open.send(rita, 'GET', url)).body.state === 'closed');
        expect(await open.post(rita, `${url}/close`, undefined, 'close')).toEqual(closed);
        expect(await open.post(rita, `${url}/rename`, { title: 'Paid' }, 'rename')).toEqual(renamed);
        const { body } = await open.post(rita, `${url}/messages`, { message: 'First.' }, 'say');
        expect(body).toMatchObject({ turn_id: `${id}.2`, session_id: id });
        expect(await open.post(rita, '/v1/turns', turn, 'turn')).toEqual(begun);
        expect((await open.post(rita, '/v1/sessions', opening, 'open')).body).toMatchObject({ session_id: id, turns: 3 });
        expect((await open.post(rita, `${url}/close`, undefined, 'another')).status).toBe(409);
      },
      [say('one'), say('two'), say('three')],
    ));

  it('a message to a session’s running turn goes to that turn only, and once', () =>
    scene(
      async (open) => {
        const { body } = await open.post(rita, '/v1/sessions', { agent: 'tester', message: 'Pay.' }, 'open');
        const url = `/v1/sessions/${body.session_id}`;
        const turn = await open.client.session(body.session_id).started(`${body.session_id}.1`);
        const [{ digest }] = await turn.waitForPending();
        open.forgetAnswers();
        const steer = { text: 'Only half of it.' };
        const first = await open.post(rita, `${url}/steer`, steer, 'once');
        expect(first).toEqual({ status: 202, body: { turn_id: turn.id } });
        await open.post(rita, `${url}/messages`, { message: 'And again.' }, 'again');
        await open.post(ana, `/v1/turns/${turn.id}/decisions`, { decision: 'deny', call: digest }, 'deny');
        await (await open.client.session(body.session_id).started(`${body.session_id}.2`)).waitForPending();
        expect(await open.post(rita, `${url}/steer`, steer, 'once')).toEqual(first);
        const interrupted = await open.post(rita, `${url}/interrupt`, undefined, 'stop');
        expect(interrupted.status).toBe(202);
        await open.client.turn(`${body.session_id}.2`).result();
        expect(await open.post(rita, `${url}/interrupt`, undefined, 'stop')).toEqual(interrupted);
        expect(JSON.stringify(open.model.requests.at(-1)!.messages).split('Only half of it.')).toHaveLength(2);
      },
      [ask(['pay', invoice]), say('done'), ask(['pay', invoice]), say('done')],
    ));
});

/** Without the state of the call (`now`), which is that at the time of the answer. */
function decided({ status, body }: { status: number; body: any }) {
  return { status, accepted: body.accepted, by: body.by, calls: body.calls };
}

describe('two overlapping requests under one Idempotency-Key', () => {
  it('count as one decision, and get one answer', () =>
    scene(async (open) => {
      const { turn, digest, url } = await waiting(open);
      const [a, b] = await open.twice(ana, `${url}/decisions`, { decision: 'approve', call: digest }, 'once');
      expect([a, b]).toMatchObject(Array(2).fill({ status: 200, body: { accepted: true, by: 'acme/ana', calls: [digest] } }));
      expect((await turn.result()).ignored_signals.count).toBe(0);
      expect(open.effects).toEqual([invoice]);
    }));

  it('count as one message to the model, and as one cancellation', () =>
    scene(
      async (open) => {
        const { turn, digest, url } = await waiting(open);
        const steered = await open.twice(boss, `${url}/steer`, { text: 'Only half of it.' }, 'steer');
        expect(steered.map(({ status }) => status)).toEqual([200, 200]);
        await open.post(ana, `${url}/decisions`, { decision: 'deny', call: digest }, 'deny');
        await turn.result();
        expect(JSON.stringify(open.model.requests.at(-1)!.messages).split('Only half of it.')).toHaveLength(2);
        const next = await waiting({
          ...open,
          start: () => open.start('Pay.', { requester: 'acme/rita', id: randomBytes(6).toString('hex') }),
        });
        const cancelled = await open.twice(rita, `${next.url}/cancel`, undefined, 'cancel');
        expect(cancelled.map(({ status }) => status)).toEqual([202, 202]);
      },
      [ask(['pay', invoice]), say('done'), ask(['pay', invoice])],
    ));
});

describe('a call in doubt', () => {
  it('is settled once, and the retry is answered as the first time', () => {
    const lost = defineTool({
      name: 'wire',
      version: '1.0.0',
      description: 'Sends money.',
      class: 'destructive',
      input: z.object({ to: z.string() }),
      run: () => Promise.reject(new Error('The line broke.')),
    });
    return gatewayScene({ tools: [lost], script: [ask(['wire', { to: 'x' }]), say('done')] }, async (open) => {
      const { turn, digest, url } = await waiting(open);
      const post = (body: object, key: string) => open.send(ana, 'POST', `${url}/decisions`, body, { 'idempotency-key': key });
      expect((await post({ decision: 'approve', call: digest }, 'approve')).status).toBe(200);
      await eventually('it is in doubt', async () => (await turn.status()).state === 'in_doubt');
      forgetAnswers(open);
      const settle = { decision: 'settle', call: digest, outcome: 'applied' };
      const first = await post(settle, 'settle');
      expect(first).toMatchObject({ status: 200, body: { calls: [digest] } });
      await turn.result();
      expect(decided(await post(settle, 'settle'))).toEqual(decided(first));
    });
  });
});
