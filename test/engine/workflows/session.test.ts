import { randomBytes } from 'node:crypto';
import { ForkRefused, SessionNotFound } from '../../../src/client/errors';
import { ModelFailure } from '../../../src/model/provider';
import { RESUME_TEXT } from '../../../src/client/sessions/session-handle';
import { walk } from '../../../src/store/core/transcript';
import { eventually, withEngine, type Engine } from '../support/engine';
import { ask, say, ScriptedModel } from '../../support/scripted-model';
import { afterTurns, callFaults, chainFaults, lines, replayedSession, talk } from '../support/sessions';
import { pays, reads } from '../../support/tools';

const invoice = { invoice: 'INV-7', cents: 700 };
const look = reads('look', ({ key }) => key);
const newId = () => `s-${randomBytes(5).toString('hex')}`;
const open = ({ client }: Engine, more = {}) => client.openSession({ agent: 'tester', id: newId(), ...more });

/** A gate before a request of the model: resolves when the request has come, and lets it go on. */
function gate() {
  const at: Record<number, { reached: () => void; open: Promise<void> }> = {};
  return {
    before: async (index: number, signal: AbortSignal) => {
      const here = at[index];
      if (!here) return;
      here.reached();
      await Promise.race([
        here.open,
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
      ]);
    },
    close(index: number) {
      let reached!: () => void;
      let opened!: () => void;
      const there = new Promise<void>((resolve) => (reached = resolve));
      at[index] = { reached, open: new Promise((resolve) => (opened = resolve)) };
      return { there, open: opened };
    },
  };
}

describe('a session', () => {
  it('carries the conversation from turn to turn, in one chain', () =>
    withEngine({ tools: [look], script: [say('one'), ask(['look', { key: 'a' }]), say('two')] }, async (engine) => {
      const session = await open(engine);
      const first = await talk(session, 'First.');
      expect(first).toMatchObject({ turn_id: `${session.id}.1`, session_id: session.id, text: 'one' });
      const second = await talk(session, 'Second.');
      expect(second).toMatchObject({ turn_id: `${session.id}.2`, text: 'two' });
      expect(lines(engine.model.requests[2]!)).toEqual([
        ...['user: First.', 'assistant: one', 'user: Second.', 'assistant: →look', 'user: ←use_1'],
      ]);
      const view = await afterTurns(session, 2);
      expect(view).toMatchObject({
        ...{ state: 'open', agent: 'tester', requester: 'local', running: null, held: null, queue: [], turns: 2 },
        usage: { input_tokens: 300, output_tokens: 30, cache_read_tokens: 0 },
        ...{ cached_share: 0, head: second.head },
      });
      expect(view.last.map(({ state }) => state)).toEqual(['completed', 'completed']);
      expect((await walk(engine.store, view.head)).map(({ block }) => block.kind)).toEqual([
        ...['start', 'message', 'message', 'admission', 'end'],
        ...['start', 'message', 'message', 'admission', 'message', 'message', 'admission', 'end'],
      ]);
      expect(await chainFaults(engine.store, view.head)).toEqual([]);
      expect(await replayedSession(engine.client, session)).toBe(1);
    }));

  it('is opened by its first message, answers at once, and runs waiting messages one after the other', () => {
    const held = gate();
    const model = new ScriptedModel([say('one'), say('two'), say('three')], held.before);
    return withEngine({ model }, async ({ client }) => {
      const first = held.close(0);
      const session = client.session(newId(), { agent: 'tester', requester: 'ana' });
      expect(await session.send('1')).toMatchObject({ turn_id: `${session.id}.1`, ahead: 0, again: false });
      await first.there;
      expect(await session.send('2')).toMatchObject({ turn_id: `${session.id}.2`, ahead: 1 });
      expect(await session.send('3')).toMatchObject({ turn_id: `${session.id}.3`, ahead: 2 });
      const view = await session.status();
      expect(view).toMatchObject({ requester: 'ana', running: { turn_id: `${session.id}.1` } });
      expect(view.queue.map(({ turn_id }) => turn_id)).toEqual([`${session.id}.2`, `${session.id}.3`]);
      first.open();
      await afterTurns(session, 3);
      expect(model.requests.map((request) => lines(request).length)).toEqual([1, 3, 5]);
      await replayedSession(client, session);
    });
  });

  it('takes a message once under its id, and refuses another one under it', () =>
    withEngine({ script: [say('one')] }, async (engine) => {
      const session = await open(engine);
      const [a, b] = await Promise.all([session.send('Hello.', { id: 'm-1' }), session.send('Hello.', { id: 'm-1' })]);
      expect([a.turn_id, b.turn_id]).toEqual([`${session.id}.1`, `${session.id}.1`]);
      expect([a.again, b.again].sort()).toEqual([false, true]);
      await expect(session.send('Something else.', { id: 'm-1' })).rejects.toThrow('has been used for another message');
      expect(await afterTurns(session, 1)).toMatchObject({ turns: 1, queue: [] });
    }));

  it('holds a queue of twenty messages, and of 400,000 bytes', () => {
    const held = gate();
    return withEngine({ model: new ScriptedModel([say('one')], held.before) }, async (engine) => {
      const first = held.close(0);
      const session = await open(engine);
      await session.send('1');
      await first.there;
      for (let n = 1; n <= 4; n++) await session.send('\u0001'.repeat(16_000));
      await expect(session.send('\u0001'.repeat(60_000))).rejects.toThrow('360002 bytes as JSON');
      await expect(session.send('x'.repeat(30_000))).rejects.toThrow('400000 bytes');
      for (let n = 5; n <= 20; n++) await session.send('short');
      await expect(session.send('one more')).rejects.toThrow('20 messages wait already');
      await engine.client.temporal.workflow.getHandle(session.workflowId).terminate();
      await engine.client.turn(`${session.id}.1`).cancel();
    });
  });

  it('belongs to the principal who opened it, and to its agent', () =>
    withEngine({ script: [] }, async (engine) => {
      const session = await open(engine, { requester: 'ana' });
      const as = (more: object) => engine.client.session(session.id, { agent: 'tester', ...more }).send('Hello.');
      await expect(as({ requester: 'bob' })).rejects.toThrow('belongs to somebody else');
      await expect(as({ requester: 'ana', agent: 'other' })).rejects.toThrow('is of agent tester');
      await expect(engine.client.session('there-is-none').send('Hello.')).rejects.toThrow(SessionNotFound);
    }));

  it('is renamed, listed and closed: messages that it has taken are run, and no later ones', () => {
    const held = gate();
    return withEngine({ model: new ScriptedModel([say('one'), say('two')], held.before) }, async (engine) => {
      const first = held.close(0);
      const session = await open(engine, { title: 'Before' });
      await session.rename('After');
      await session.send('1', { id: 'm-1' });
      await first.there;
      await session.send('2');
      await session.close({ by: 'ana' });
      expect(await session.status()).toMatchObject({ state: 'closing', title: 'After' });
      await expect(session.send('3')).rejects.toThrow('is closed');
      expect(await session.send('1', { id: 'm-1' })).toMatchObject({ again: true, turn_id: `${session.id}.1` });
      // Asked while it still runs, and answered once it has ended: its earlier state is not the last one.
      const { workflow } = engine.client.temporal;
      const handle = workflow.getHandle(session.workflowId);
      const slow = {
        ...handle,
        query: async (...asked: [string]) => {
          const view = await handle.query(...asked);
          first.open();
          await handle.result();
          return view;
        },
      };
      const asked = jest.spyOn(workflow, 'getHandle').mockReturnValueOnce(slow as typeof handle);
      const before = engine.client.session(session.id).status();
      asked.mockRestore();
      expect(await before).toMatchObject({ state: 'closing', turns: 0 });
      const closed = await eventually('it is closed', async () => {
        const view = await session.status();
        return view.state === 'closed' && view;
      });
      expect(closed).toMatchObject({ turns: 2, held: null, ended_at: expect.any(String) });
      await expect(session.send('4')).rejects.toThrow('is closed');
      await expect(engine.client.session(session.id, { agent: 'tester' }).send('5')).rejects.toThrow('is closed');
      const listed = await eventually('it is listed as closed', async () => {
        for await (const one of engine.client.sessions()) if (one.session_id === session.id && one.state === 'closed') return one;
        return undefined;
      });
      expect(listed).toMatchObject({ title: 'After', agent: 'tester', requester: 'local' });
      await replayedSession(engine.client, session);
    });
  });

  it('refuses malformed updates and takes junk signals without harm', () =>
    withEngine({ script: [say('one')] }, async (engine) => {
      const session = await open(engine);
      const handle = engine.client.temporal.workflow.getHandle(session.workflowId);
      const junk: [string, unknown, string][] = [
        ['send', 'Hello.', 'one JSON object'],
        ['send', { message_id: 'm', message: ' ', requester: 'local' }, '"message" must be'],
        ['send', { message_id: '', message: 'x', requester: 'local' }, '"message_id" must be'],
        ['send', { message_id: 'm', message: 'x' }, '"requester" must be'],
        ['send', { message_id: 'm', message: 'x', requester: 'local', head: 'x' }, 'a field "head"'],
        ['send', { message_id: 'm', message: 'x', requester: 'local', resume: true }, 'nothing to resume'],
        ['interrupt', {}, 'names who says it'],
        ['interrupt', { by: 'ana' }, 'no turn runs'],
        ['rename', { title: '' }, '"title" must be'],
        ['close', null, 'names who says it'],
      ];
      for (const [name, body, reason] of junk) {
        const error = await handle.executeUpdate(name, { args: [body] }).catch((caught: Error) => caught);
        expect((error as Error & { cause: Error }).cause.message).toContain(reason);
      }
      for (const body of [null, 'x', { turn_id: 'another.1' }, { turn_id: `${session.id}.1` }])
        await handle.signal('turn_done', body);
      await handle.signal('nonsense', { by: 'ana' });
      expect((await talk(session, 'Hello.')).text).toBe('one');
      await replayedSession(engine.client, session);
    }));
});

describe('a turn that does not come to its end', () => {
  it('is interrupted while the model thinks: the message stands, and resuming goes on from there', () => {
    const held = gate();
    const model = new ScriptedModel([say('never'), say('again'), say('later')], held.before);
    return withEngine({ model }, async (engine) => {
      const first = held.close(0);
      const session = await open(engine);
      await session.send('Hello.');
      await first.there;
      await session.send('And this.');
      await session.interrupt({ by: 'ana' });
      const turn = await engine.client.turn(`${session.id}.1`).result();
      expect(turn).toMatchObject({ state: 'cancelled', reason: 'Interrupted by ana.' });
      const view = await eventually('it is held', async () => {
        const now = await session.status();
        return now.held !== null && now;
      });
      expect(view).toMatchObject({ held: { turn_id: `${session.id}.1`, state: 'cancelled' }, turns: 1 });
      expect(view.queue).toHaveLength(1); // held as well
      await expect(session.interrupt({ by: 'ana' })).rejects.toThrow('no turn runs');
      const { turn: next } = await session.resume();
      expect(next.id).toBe(`${session.id}.3`);
      const after = await afterTurns(session, 3);
      expect(after.last.map(({ turn_id }) => turn_id.split('.')[1])).toEqual(['1', '3', '2']);
      expect(lines(model.requests[1]!)).toEqual(['user: Hello.', `user: ${RESUME_TEXT}`]);
      expect(lines(model.requests[2]!).slice(2)).toEqual(['assistant: again', 'user: And this.']);
      expect(await chainFaults(engine.store, after.head)).toEqual([]);
      await replayedSession(engine.client, session);
    });
  });

  it('is interrupted while calls wait or have not begun: each gets its answer, none runs', () => {
    const effects: unknown[] = [];
    const script = [ask(['look', { key: 'a' }], ['pay', invoice], ['look', { key: 'b' }]), say('as you wish')];
    return withEngine({ tools: [look, pays('pay', effects)], script }, async (engine) => {
      const session = await open(engine);
      const { turn } = await session.send('Pay.');
      await session.started(turn.id);
      await turn.waitForPending();
      await session.interrupt({ by: 'ana' });
      const view = await turn.result();
      expect(view).toMatchObject({ state: 'cancelled', calls: [{ state: 'succeeded' }, { state: 'cancelled' }, {}] });
      const next = await talk(session, 'Leave it.');
      expect(next.text).toBe('as you wish');
      expect(effects).toEqual([]);
      expect(callFaults(engine.model.requests[1]!.messages)).toEqual([]);
      expect(await chainFaults(engine.store, next.head)).toEqual([]);
      await replayedSession(engine.client, session);
    });
  });

  it('failed: waiting messages are held, and the next message goes on with the whole conversation', () => {
    const failure = new ModelFailure('The key is bad.', { type: 'model.auth', retryable: false, status: 401 });
    const model = new ScriptedModel([say('one'), failure, say('three')]);
    return withEngine({ model }, async (engine) => {
      const session = await open(engine);
      await talk(session, '1');
      expect(await talk(session, '2')).toMatchObject({ state: 'failed', reason: 'The key is bad.' });
      expect((await afterTurns(session, 2)).held).toMatchObject({ state: 'failed', reason: 'The key is bad.' });
      expect((await talk(session, '3')).text).toBe('three');
      expect(lines(model.requests[2]!)).toEqual(['user: 1', 'assistant: one', 'user: 2', 'user: 3']);
      const view = await afterTurns(session, 3);
      expect(view.held).toBeNull();
      expect(await chainFaults(engine.store, view.head)).toEqual([]);
      await replayedSession(engine.client, session);
    });
  });

  it('terminated through Temporal, with a call open: the session notices, and the model is told that the outcome is unknown', () => {
    const script = [ask(['pay', invoice]), say('I will look first.')];
    return withEngine({ tools: [pays('pay', [])], script }, async (engine) => {
      const session = await open(engine);
      const { turn } = await session.send('Pay.');
      await session.started(turn.id);
      await turn.waitForPending();
      await engine.client.temporal.workflow.getHandle(turn.workflowId).terminate('by hand');
      const view = await afterTurns(session, 1);
      expect(view.held).toMatchObject({ turn_id: turn.id, state: 'failed' });
      await talk(session, 'What happened?');
      expect(JSON.stringify(engine.model.requests[1]!.messages)).toContain('may or may not have taken effect');
      expect(callFaults(engine.model.requests[1]!.messages)).toEqual([]);
      await replayedSession(engine.client, session);
    });
  });

  it('cancelled while a call waits: the conversation goes on', () =>
    withEngine({ tools: [pays('pay', [])], script: [ask(['pay', invoice]), say('fine')] }, async (engine) => {
      const session = await open(engine);
      const { turn } = await session.send('Pay.');
      await session.started(turn.id);
      await turn.waitForPending();
      await turn.cancel();
      expect((await afterTurns(session, 1)).held).toMatchObject({ state: 'cancelled' });
      const next = await talk(session, 'Leave it.');
      expect(callFaults(engine.model.requests[1]!.messages)).toEqual([]);
      expect(await chainFaults(engine.store, next.head)).toEqual([]);
      await replayedSession(engine.client, session);
    }));
});

describe('steering a session', () => {
  it('reaches the running turn, and is refused where none runs', () => {
    const held = gate();
    return withEngine(
      { tools: [look], model: new ScriptedModel([ask(['look', {}]), say('in euros')], held.before) },
      async (engine) => {
        const first = held.close(0);
        const session = await open(engine);
        await expect(session.steer('Now.', { by: 'ana' })).rejects.toThrow('no turn runs');
        const { turn } = await session.send('How much?');
        await first.there;
        await session.steer('In euros.', { by: 'ana' });
        first.open();
        expect(await turn.result()).toMatchObject({ text: 'in euros', steered_by: ['ana'] });
        await afterTurns(session, 1);
      },
    );
  });

  it('supersedes a call that waits, where the agent says so, and the model is told', () => {
    const effects: unknown[] = [];
    const next = { invoice: 'INV-8', cents: 800 };
    const script = [ask(['pay', invoice]), ask(['pay', next]), say('paid')];
    return withEngine({ tools: [pays('pay', effects)], script, agent: { steerSupersedes: true } }, async (engine) => {
      const turn = await engine.start('Pay it.');
      const [first] = await turn.waitForPending();
      await turn.steer('No, INV-8.', { by: 'bob' });
      const second = await eventually('the next one waits', async () => {
        const [call] = await turn.pending();
        return call !== undefined && call.digest !== first.digest && call;
      });
      await expect(turn.approve(first.digest, { by: 'ana' })).rejects.toThrow('not asked about any more');
      await turn.approve(second.digest, { by: 'ana' });
      const view = await turn.result();
      expect(view.calls).toMatchObject([{ state: 'superseded', effect: 'refused' }, { state: 'succeeded' }]);
      expect(view.state).toBe('completed');
      expect(effects).toEqual([next]);
      const told = engine.model.requests[1]!.messages.slice(-2);
      expect(JSON.stringify(told[0])).toContain('superseded_by_message');
      expect(JSON.stringify(told[1])).toContain('No, INV-8.');
    });
  });

  it('leaves a call waiting, where the agent does not say so', () =>
    withEngine({ tools: [pays('pay', [])], script: [ask(['pay', invoice]), say('paid')] }, async ({ start }) => {
      const turn = await start('Pay it.');
      const [first] = await turn.waitForPending();
      await turn.steer('Hurry.', { by: 'bob' });
      expect(await turn.pending()).toMatchObject([{ digest: first.digest }]);
      await turn.approve(first.digest, { by: 'ana' });
      expect((await turn.result()).calls).toMatchObject([{ state: 'succeeded' }]);
    }));
});

describe('a fork', () => {
  it('goes on from a block in the middle, and leaves the first session as it is', () =>
    withEngine({ script: [say('one'), say('two'), say('other')] }, async (engine) => {
      const session = await open(engine);
      const first = await talk(session, '1');
      const second = await talk(session, '2');
      const forked = await engine.client.fork({ from: first.head!, id: newId() });
      expect(await forked.status()).toMatchObject({
        ...{ agent: 'tester', head: first.head, forked_from: { block: first.head, turn_id: first.turn_id } },
      });
      const other = await talk(forked, 'Otherwise.');
      expect(lines(engine.model.requests[2]!)).toEqual(['user: 1', 'assistant: one', 'user: Otherwise.']);
      const chain = (await walk(engine.store, other.head)).map(({ hash }) => hash);
      expect(chain).toContain(first.head);
      expect(chain).not.toContain(second.head);
      expect((await afterTurns(session, 2)).head).toBe(second.head);
      expect((await engine.client.openSession({ agent: 'tester', id: forked.id })).id).toBe(forked.id);
      const others = engine.client.openSession({ agent: 'another', id: forked.id });
      await expect(others).rejects.toThrow(expect.objectContaining({ name: 'IdempotencyConflict' }));
      await replayedSession(engine.client, forked);
    }));

  it('is refused between a call and its result, naming the block before; and from a block of somebody else, or none', () =>
    withEngine({ tools: [look], script: [ask(['look', {}]), say('one')] }, async (engine) => {
      const session = await open(engine, { requester: 'ana' });
      const turn = await talk(session, '1');
      const blocks = await walk(engine.store, turn.head);
      const [, user, asked, admission] = blocks.map(({ hash }) => hash);
      const id = newId();
      for (const from of [asked!, admission!]) {
        const refused = await engine.client.fork({ from, requester: 'ana', id }).catch((error: unknown) => error);
        expect(refused).toBeInstanceOf(ForkRefused);
        expect(refused).toMatchObject({
          near: user,
          message: expect.stringContaining(`nearest place before it is block ${user}`),
        });
      }
      for (const [from, requester] of [
        [turn.head!, 'bob'],
        ['0'.repeat(64), 'ana'],
      ] as const)
        await expect(engine.client.fork({ from, requester, id: newId() })).rejects.toThrow('of yours');
      await expect(engine.client.fork({ from: 'HEAD' })).rejects.toThrow('64 hex');
      await engine.client.fork({ from: turn.head!, requester: 'bob', of: null, id: newId() });
      expect((await engine.client.fork({ from: user!, requester: 'ana', id })).id).toMatch(/^k_/); // the id is free after a refusal
    }));
});
