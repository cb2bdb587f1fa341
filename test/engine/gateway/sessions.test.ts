import { eventually, type Engine } from '../support/engine';
import { ownKey, type Person } from '../../support/gateway';
import { ana, boss, eve, gatewayScene, ned, olga, rita, ron, type Answered, type Scene } from '../support/gateway-scene';
import { ask, say, type Answer } from '../../support/scripted-model';
import { afterTurns } from '../support/sessions';

const OUTSIDE = [eve, ned];

interface Talk extends Omit<Scene, 'send'> {
  send(who: Person, method: 'GET' | 'POST', url: string, body?: object, key?: string): Promise<Answered>;
  /** A session of rita's; its address. */
  opened(): Promise<{ id: string; url: string }>;
}

function scene(script: Answer[], body: (talk: Talk) => Promise<void>): Promise<void> {
  return gatewayScene({ script }, (open) => {
    const own = ownKey('session');
    const send: Talk['send'] = (who, method, url, payload, key) =>
      open.send(who, method, url, payload, key === undefined ? {} : { 'idempotency-key': `${own}-${key}` });
    const opened = async () => {
      const { status, body: view } = await send(rita, 'POST', '/v1/sessions', { agent: 'tester' });
      expect({ status, ...view }).toMatchObject({ status: 201, requester: 'acme/rita', state: 'open', turns: 0 });
      expect(view).not.toHaveProperty('run_id');
      return { id: view.session_id as string, url: `/v1/sessions/${view.session_id}` };
    };
    return body({ ...open, send, opened });
  });
}

const refused = (status: number, reason: string) => ({ status, body: { success: false, error: { reason } } });
const waitsIn = ({ client }: Engine, turnId: string) => client.turn(turnId).waitForPending();

describe('sessions over HTTP', () => {
  it('are opened, shown and listed, and take messages; a message counts once under its key', () =>
    scene([say('one'), say('two')], async ({ client, send, opened }) => {
      const { id, url } = await opened();
      const first = await send(rita, 'POST', `${url}/messages`, { message: 'First.' }, 'k-1');
      const turn_id = `${id}.1`;
      expect(first).toMatchObject({ status: 202, body: { session_id: id, turn_id, events_url: `/v1/turns/${turn_id}/events` } });
      expect((await send(rita, 'POST', `${url}/messages`, { message: 'First.' }, 'k-1')).body.turn_id).toBe(turn_id);
      expect(await send(rita, 'POST', `${url}/messages`, { message: 'Other.' }, 'k-1')).toMatchObject(refused(409, 'key_used'));
      await afterTurns(client.session(id), 1);
      await send(rita, 'POST', `${url}/messages`, { message: 'Second.' });
      await afterTurns(client.session(id), 2);
      expect((await send(rita, 'GET', url)).body).toMatchObject({
        turns: 2,
        last: [
          { turn_id, state: 'completed' },
          { turn_id: `${id}.2`, state: 'completed' },
        ],
      });
      expect((await send(rita, 'GET', `/v1/turns/${turn_id}`)).body).toMatchObject({ text: 'one', session_id: id });

      const listed = async (who: Person) =>
        (await send(who, 'GET', '/v1/sessions?limit=200')).body.sessions.map((one: any) => one.session_id);
      await eventually('it is listed', async () => (await listed(rita)).includes(id));
      for (const who of [boss, ana, olga]) expect(await listed(who)).toContain(id);
      for (const who of [ron, ...OUTSIDE]) expect(await listed(who)).not.toContain(id);
    }));

  it('are opened once under a key, with a first message', () =>
    scene([say('one')], async ({ client, send }) => {
      const body = { agent: 'tester', message: 'Hello.', title: 'AAPL' };
      const [a, b] = [await send(rita, 'POST', '/v1/sessions', body, 'k'), await send(rita, 'POST', '/v1/sessions', body, 'k')];
      expect([a.status, b.status, b.body.session_id]).toEqual([201, 201, a.body.session_id]);
      const other = await send(ron, 'POST', '/v1/sessions', body, 'k'); // another principal's key is another key
      expect(other.body.session_id).not.toBe(a.body.session_id);
      expect(await afterTurns(client.session(a.body.session_id), 1)).toMatchObject({ turns: 1, title: 'AAPL', queue: [] });
      await afterTurns(client.session(other.body.session_id), 1);
    }));

  it('are hidden from other tenants and other starters, and take messages from their requester only', () =>
    scene([ask(['pay', { invoice: 'INV-7', cents: 700 }]), say('done')], async (engine) => {
      const { send, opened } = engine;
      const { id, url } = await opened();
      await send(rita, 'POST', `${url}/messages`, { message: 'Pay.' });
      await engine.client.session(id).started(`${id}.1`);
      await waitsIn(engine, `${id}.1`);
      const acts: [path: string, body?: object][] = [
        ['/messages', { message: 'Me too.' }],
        ['/steer', { text: 'Pay me.' }],
        ['/interrupt'],
        ['/rename', { title: 'Mine' }],
        ['/close'],
      ];
      const missing = await send(rita, 'GET', '/v1/sessions/there-is-none');
      expect(missing).toMatchObject(refused(404, 'unknown_session'));
      for (const who of [ron, ...OUTSIDE]) {
        const hidden = await send(who, 'GET', url);
        expect(hidden.status).toBe(404);
        expect(hidden.body.error.message.replace(id, 'there-is-none')).toBe(missing.body.error.message);
        for (const [path, body] of acts)
          expect(await send(who, 'POST', url + path, body)).toMatchObject(refused(404, 'unknown_session'));
        const turn = { agent: 'tester', message: 'Me too.', session_id: id };
        expect(await send(who, 'POST', '/v1/turns', turn)).toMatchObject(refused(404, 'unknown_session'));
      }
      for (const who of [boss, olga]) {
        expect((await send(who, 'GET', url)).status).toBe(200);
        expect(await send(who, 'POST', `${url}/messages`, { message: 'Me too.' })).toMatchObject(refused(403, 'not_requester'));
      }
      expect((await send(ana, 'GET', url)).status).toBe(200);
      expect((await send(ana, 'POST', `${url}/interrupt`)).status).toBe(403);

      expect((await send(boss, 'POST', `${url}/interrupt`)).status).toBe(202);
      expect(await engine.client.turn(`${id}.1`).result()).toMatchObject({
        state: 'cancelled',
        reason: 'Interrupted by acme/boss.',
      });
      expect((await afterTurns(engine.client.session(id), 1)).held).toMatchObject({ state: 'cancelled' });
      expect(await send(rita, 'POST', `${url}/steer`, { text: 'Hm.' })).toMatchObject(refused(409, 'not_accepted'));
      expect(await send(rita, 'POST', `${url}/interrupt`)).toMatchObject(refused(409, 'not_accepted'));
      expect((await send(rita, 'POST', `${url}/messages`, { message: 'Go on.', resume: true })).body.turn_id).toBe(`${id}.2`);
      await afterTurns(engine.client.session(id), 2);
      expect((await send(rita, 'POST', `${url}/rename`, { title: 'Paid' })).status).toBe(200);
      expect((await send(rita, 'POST', `${url}/close`)).status).toBe(202);
      await eventually('it is closed', async () => (await send(rita, 'GET', url)).body.state === 'closed');
      expect(await send(rita, 'POST', `${url}/messages`, { message: 'More.' })).toMatchObject(refused(409, 'not_accepted'));
    }));

  it('are steered while a turn runs: the message is signed for its sender', () =>
    scene([ask(['pay', { invoice: 'INV-7', cents: 700 }]), say('done')], async (engine) => {
      const { id, url } = await engine.opened();
      await engine.send(rita, 'POST', `${url}/messages`, { message: 'Pay.' });
      const turn = await engine.client.session(id).started(`${id}.1`);
      const [{ digest }] = await turn.waitForPending();
      expect(await engine.send(rita, 'POST', `${url}/steer`, { text: 'Only half.' })).toMatchObject({
        ...{ status: 202, body: { turn_id: turn.id } },
      });
      expect((await engine.send(boss, 'POST', `${url}/steer`, { text: 'Rather nothing.' })).status).toBe(202);
      const deny = { decision: 'deny', call: digest };
      expect((await engine.send(ana, 'POST', `/v1/turns/${turn.id}/decisions`, deny)).status).toBe(200);
      expect(await turn.result()).toMatchObject({ steered_by: ['acme/boss'] }); // besides the requester
      const told = JSON.stringify(engine.model.requests[1]!.messages);
      expect(told).toContain('Only half.');
      expect(told).toContain('Rather nothing.');
    }));

  it('are forked only from a block that the principal may see', () =>
    scene([say('one'), say('other')], async ({ client, send, opened }) => {
      const { id, url } = await opened();
      await send(rita, 'POST', `${url}/messages`, { message: 'First.' });
      const { head } = await afterTurns(client.session(id), 1);
      for (const who of [ron, ...OUTSIDE])
        expect(await send(who, 'POST', '/v1/forks', { from: head })).toMatchObject(refused(404, 'unknown_block'));
      expect(await send(rita, 'POST', '/v1/forks', { from: '0'.repeat(64) })).toMatchObject(refused(404, 'unknown_block'));
      const forked = await send(boss, 'POST', '/v1/forks', { from: head, title: 'A look of my own' });
      expect(forked).toMatchObject({ status: 201, body: { requester: 'acme/boss', agent: 'tester', head } });
      const other = forked.body.session_id;
      expect((await send(rita, 'GET', `/v1/sessions/${other}`)).status).toBe(404);
      await send(boss, 'POST', `/v1/sessions/${other}/messages`, { message: 'Otherwise.' });
      expect(await afterTurns(client.session(other), 1)).toMatchObject({ held: null });
    }));

  it('take a turn that names them as their next message', () =>
    scene([ask(['pay', { invoice: 'INV-7', cents: 700 }]), say('one'), say('two')], async (engine) => {
      const { app, client, send, opened } = engine;
      const { id, url } = await opened();
      await send(rita, 'POST', `${url}/messages`, { message: 'Pay.' });
      await client.session(id).started(`${id}.1`);
      const [{ digest }] = await waitsIn(engine, `${id}.1`);
      const turn = { agent: 'tester', message: 'And then?', session_id: id };
      const queued = await send(rita, 'POST', '/v1/turns', turn, 'k');
      expect(queued).toMatchObject({ status: 202, body: { turn_id: `${id}.2`, workflow_id: `turn/${id}.2` } });
      expect((await send(rita, 'POST', '/v1/turns', turn, 'k')).body).toEqual(queued.body);
      expect((await send(rita, 'GET', url)).body).toMatchObject({
        running: { turn_id: `${id}.1` },
        queue: [{ turn_id: `${id}.2` }],
      });

      // It has not begun: who may see the session learns that, its stream waits for it, and to others it is not there.
      const later = `/v1/turns/${id}.2`;
      for (const [who, path] of [
        [rita, ''],
        [boss, '/bundle'],
        [ana, ''],
      ] as const)
        expect(await send(who, 'GET', later + path)).toMatchObject(refused(409, 'not_begun'));
      expect(await send(rita, 'POST', `${later}/cancel`)).toMatchObject(refused(409, 'not_begun'));
      expect(await send(ron, 'GET', later)).toMatchObject(refused(404, 'unknown_turn'));
      expect(await send(rita, 'GET', `/v1/turns/${id}.3`)).toMatchObject(refused(404, 'unknown_turn'));
      const events = app.inject({ method: 'GET', url: `${later}/events`, headers: rita.headers });

      expect(await send(rita, 'POST', '/v1/turns', { ...turn, agent: 'other' })).toMatchObject(refused(409, 'another_agent'));
      expect(await send(rita, 'POST', '/v1/turns', { ...turn, session_id: 'none' })).toMatchObject(
        refused(404, 'unknown_session'),
      );
      const called = { ...turn, callback_url: 'https://hooks.example/x' };
      expect(await send(rita, 'POST', '/v1/turns', called)).toMatchObject(refused(400, 'callback_not_allowed'));

      await send(ana, 'POST', `/v1/turns/${id}.1/decisions`, { decision: 'deny', call: digest });
      expect((await afterTurns(client.session(id), 2)).last.map(({ turn_id }) => turn_id)).toEqual([`${id}.1`, `${id}.2`]);
      expect((await client.turn(`${id}.2`).result()).text).toBe('two');
      expect((await events).payload.match(/(?<=^event: turn_).*$/gm)).toEqual(['started', 'completed']);
    }));
});
