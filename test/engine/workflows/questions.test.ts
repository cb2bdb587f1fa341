import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import type { WaitingCall } from '../../../src/shapes/turn-view';
import type { JsonObject } from '../../../src/shared/json/json';
import { resetTurn } from '../support/reset';
import { askPerson } from '../../../src/tools/people/ask-person';
import { walk } from '../../../src/store/core/transcript';
import { FILLED_MS, FILLS_A_SHORT_RUN, sendJunk, shortRunServer } from '../support/fill-run';
import { eventually, withEngine, type Engine, type Setup } from '../support/engine';
import { ask, say } from '../../support/scripted-model';
import { pays, reads } from '../../support/tools';

const which: JsonObject = { question: 'Which account shall pay the rent?', choices: ['operations', 'reserve'] };
const invoice = { invoice: 'INV-7', cents: 700 };
const short = shortRunServer();

interface Asked extends Engine {
  turn: TurnHandle;
  question: WaitingCall;
}

/** A turn of rita's whose model asks a question first. */
function asked(input: JsonObject, setup: Partial<Setup>, body: (on: Asked) => Promise<void>): Promise<void> {
  const script = [ask(['ask_person', input]), say('done')];
  return withEngine({ tools: [askPerson()], script, ...setup }, async (engine) => {
    const turn = await engine.start('Pay the rent.', { requester: 'rita' });
    const [question] = await turn.waitForPending();
    await body({ ...engine, turn, question });
  });
}

/** The results of the model's calls so far, as it was told them in its last request. */
const told = ({ model }: Engine) => {
  const { messages } = model.requests.at(-1)!;
  const content = messages.flatMap((message) => message.content).filter(({ type }) => type === 'tool_result');
  return content.map(({ content: [text] }: any) => JSON.parse(text.text));
};

describe('a question of the model', () => {
  it('waits without a running activity, and its answer is what the model gets', () =>
    asked(which, {}, async (on) => {
      const { turn, question, client } = on;
      expect(await turn.status()).toMatchObject({ state: 'awaiting_answer', pending: [question.digest] });
      const { raw } = await client.temporal.workflow.getHandle(turn.workflowId).describe();
      expect(raw.pendingActivities ?? []).toEqual([]);
      await turn.answer(question.digest.slice(0, 12), 'reserve', { by: 'ana', note: 'Operations is empty.' });
      const view = await turn.result();
      expect(view).toMatchObject({ state: 'completed', text: 'done', steered_by: ['ana'] });
      expect(view.calls).toMatchObject([
        { tool: 'ask_person', state: 'succeeded', effect: null, approval: { by: ['ana'], decision: 'answer' } },
      ]);
      expect(told(on)).toMatchObject([{ success: true, data: { answer: 'reserve', by: 'ana', note: 'Operations is empty.' } }]);
    }));

  it('has a card that says what is asked, of whom, and what to paste', () =>
    asked({ ...which, to: ['ana', 'role:treasurer'], expires: '2h' }, {}, async ({ turn, question }) => {
      const { questions } = await turn.waiting();
      expect(questions).toMatchObject([
        { digest: question.digest, card: { kind: 'question', ...which, to: ['ana', 'role:treasurer'] } },
      ]);
      const { card } = questions[0]!;
      expect(Date.parse(card.expires_at!) - Date.parse(card.asked_at!)).toBe(2 * 3_600_000);
      for (const text of [String(which.question), '"operations"', question.digest, '`ana`, `role:treasurer`', 'approves nothing'])
        expect(card.markdown).toContain(text);
      await turn.answer(question.digest, 'operations', { by: 'Ana' });
      await turn.result();
    }));

  it('takes only an answer that fits, from somebody who was asked, once; the others say why they changed nothing', () => {
    const schema = { type: 'object', properties: { cents: { type: 'integer', minimum: 1 } }, required: ['cents'] };
    return asked({ question: 'How much?', schema, to: ['ana'] }, {}, async (on) => {
      const { turn, question, client } = on;
      const answer = (value: never, by: string) => turn.answer(question.digest, value, { by });
      await expect(answer({ cents: 0 } as never, 'ana')).rejects.toThrow('"value" at /cents must be >= 1');
      await expect(answer('seven' as never, 'ana')).rejects.toThrow('"value" must be object');
      await expect(answer({ cents: 7 } as never, 'bob')).rejects.toThrow('the question is for ana, and bob is none of them');
      await expect(answer('x'.repeat(16_400) as never, 'ana')).rejects.toThrow('16384 are allowed');
      await expect(turn.approve(question.digest, { by: 'ana' })).rejects.toThrow('asks a question: send an answer');
      const handle = client.temporal.workflow.getHandle(turn.workflowId);
      await handle.signal('answer', { call: question.digest, by: 'ana', value: 7 });
      await handle.signal('answer', { call: question.digest, by: 'ana' });
      await eventually('they are ignored', async () => (await turn.status()).ignored_signals.count === 2);
      expect(await turn.status()).toMatchObject({ state: 'awaiting_answer', pending: [question.digest] });
      await handle.signal('answer', { call: question.digest, by: 'ana', value: { cents: 7 } });
      const view = await turn.result();
      expect(view.ignored_signals.last.map(({ signal, reason }) => `${signal}: ${reason}`).sort()).toEqual([
        'answer: it must have "value", the answer',
        'answer: the answer does not fit: "value" must be object',
      ]);
      expect(view.calls[0]!.approval.decisions).toMatchObject([{ decision: 'answer', by: 'ana', channel: 'signal' }]);
      expect(told(on)).toMatchObject([{ data: { answer: { cents: 7 }, by: 'ana' } }]);
    });
  });

  it('expires: the model learns that nobody answered in time', () => {
    const script = [ask(['ask_person', { question: 'Anybody?', expires: 400 }]), say('done')];
    return withEngine({ tools: [askPerson()], script }, async (on) => {
      const turn = await on.start('Pay the rent.', { requester: 'rita' });
      const view = await turn.result();
      expect(view.calls).toMatchObject([
        { state: 'expired', error: { reason: 'not_answered' }, approval: { decision: 'expired' } },
      ]);
      expect(told(on)).toMatchObject([{ success: false, error: { reason: 'not_answered' } }]);
      await expect(turn.answer(view.calls[0]!.digest!, 'Me', { by: 'ana' })).rejects.toThrow('the turn has ended');
    });
  });

  it('is asked beside other calls; one that follows in the same answer waits for it, and its result comes in order', () => {
    const effects: unknown[] = [];
    const look = reads('look', async () => ({ seen: true }));
    const script = [ask(['ask_person', which], ['look', {}], ['pay', invoice]), say('done')];
    return asked(which, { tools: [askPerson(), look, pays('pay', effects)], script }, async (on) => {
      const { turn } = on;
      const [question, payment] = await eventually('both wait', async () => {
        const calls = await turn.pending();
        return calls.length === 2 && calls;
      });
      expect((await turn.status()).state).toBe('awaiting_approval');
      await eventually('the read has run', async () => (await turn.status()).calls[1]!.state === 'succeeded');
      await turn.approve(payment!.digest, { by: 'zoe' });
      expect(effects).toEqual([]);
      expect((await turn.status()).state).toBe('awaiting_answer');
      await turn.answer(question!.digest, 'operations', { by: 'ana' });
      await turn.result();
      expect(effects).toEqual([invoice]);
      expect(told(on)).toMatchObject([{ data: { answer: 'operations' } }, { data: { seen: true } }, { success: true }]);
    });
  });

  it('makes whoever answers a maker of what the model proposes then: under four eyes he cannot approve it', () => {
    const script = [ask(['ask_person', which]), ask(['pay', invoice]), say('done')];
    const agent = { approvals: { fourEyes: true } };
    const effects: unknown[] = [];
    return asked(which, { tools: [askPerson(), pays('pay', effects)], script, agent }, async ({ turn, question }) => {
      await turn.answer(question.digest, 'operations', { by: 'bob' });
      const payment = await eventually('the payment waits', async () =>
        (await turn.pending()).find(({ tool }) => tool === 'pay'),
      );
      await expect(turn.approve(payment.digest, { by: 'Bob' })).rejects.toThrow('steered the turn');
      await turn.approve(payment.digest, { by: 'ana' });
      expect((await turn.result()).state).toBe('completed');
      expect(effects).toEqual([invoice]);
    });
  });

  it('is withdrawn by an interruption, and by a message where messages supersede what waits', async () => {
    await asked(which, {}, async ({ turn, question }) => {
      await turn.interrupt({ by: 'ana' });
      expect(await turn.result()).toMatchObject({ state: 'cancelled', calls: [{ state: 'cancelled' }] });
      await expect(turn.answer(question.digest, 'operations', { by: 'ana' })).rejects.toThrow('the turn has ended');
    });
    await asked(which, { agent: { steerSupersedes: true } }, async (on) => {
      await on.turn.steer('From operations.', { by: 'ana' });
      expect(await on.turn.result()).toMatchObject({ state: 'completed', calls: [{ state: 'superseded' }] });
      expect(told(on)).toMatchObject([{ error: { reason: 'superseded_by_message' } }]);
    });
    await asked(which, {}, async ({ turn }) => {
      await turn.cancel();
      expect(await turn.result()).toMatchObject({ state: 'cancelled', calls: [{ state: 'cancelled' }] });
    });
  });

  it('records who answered, when and through which channel, in a block of its own', () =>
    asked(which, {}, async ({ turn, question, store, client }) => {
      await turn.answer(question.digest, 'reserve', { by: 'ana' });
      const { head } = await turn.result();
      const blocks = await walk(store, head);
      expect(blocks.map(({ block }) => block.kind)).toEqual([
        'start', 'message', 'message', 'admission', 'decision', 'message', 'message', 'admission', 'end',
      ]); // oxfmt-ignore
      expect(blocks[4]!.bodies[0]).toMatchObject({
        decision: 'answer',
        digest: question.digest,
        by: 'ana',
        value: 'reserve',
        at: expect.any(String),
        channel: 'update',
        identity: client.temporal.options.identity,
        subject: { tool: 'ask_person', call_id: '1.1' },
      });
    }));

  it('is an event when it is asked and when it is answered, or not in time', () =>
    asked(which, {}, async ({ turn, question }) => {
      await turn.answer(question.digest, 'reserve', { by: 'ana' });
      await turn.result();
      const events = [];
      for await (const event of turn.watch())
        if (event.type.startsWith('question') || event.type.startsWith('approval')) events.push(event);
      const of = { call: '1.1', tool: 'ask_person', digest: question.digest };
      expect(events).toMatchObject([
        { type: 'question_asked', ...of },
        { type: 'question_answered', ...of, by: 'ana', value: 'reserve', note: null, expired: false },
      ]);
    }));

  it('goes on waiting in the next run of a full turn, and is answered there', () =>
    asked(which, { address: short.address }, async (on) => {
      const { turn, question, client } = on;
      const before = (await turn.status()).run_id;
      await sendJunk(client, turn, FILLS_A_SHORT_RUN);
      await eventually('another run goes on', async () => (await turn.status()).run_id !== before);
      await eventually('it is asked about there', async () => (await turn.pending()).length === 1);
      await turn.answer(question.digest, 'reserve', { by: 'ana' });
      expect((await turn.result()).state).toBe('completed');
      expect(told(on)).toMatchObject([{ data: { answer: 'reserve', by: 'ana' } }]);
    }), FILLED_MS); // oxfmt-ignore

  it('is asked anew after a reset, and what was answered before does not count', () =>
    asked(which, {}, async (on) => {
      const { turn, question, client } = on;
      const handle = client.temporal.workflow.getHandle(turn.workflowId);
      const events = (await handle.fetchHistory()).events!;
      const task = events.findLast(({ workflowTaskCompletedEventAttributes: done }) => done)!.eventId!;
      await handle.signal('answer', { call: question.digest, by: 'bob', value: 'operations' });
      await resetTurn(client, turn, { task });
      const again = await eventually('it is asked anew', async () =>
        (await turn.pending()).find(({ digest }) => digest !== question.digest),
      );
      await turn.answer(again.digest, 'reserve', { by: 'ana' });
      await turn.result();
      expect(told(on)).toMatchObject([{ data: { answer: 'reserve', by: 'ana' } }]);
    }));
});

describe('ask_person', () => {
  const refused = async (input: JsonObject, reason: string, tools = [askPerson()]) =>
    withEngine({ tools, script: [ask(['ask_person', input]), say('done')] }, async (engine) => {
      const view = await (await engine.start()).result();
      expect(view.calls).toMatchObject([{ state: 'rejected', error: { reason } }]);
    });

  it('is refused by admission if the question cannot be answered', async () => {
    await refused({ question: 'Who?', choices: ['a'], schema: { type: 'string' } }, 'choices_and_schema');
    await refused({ question: 'Who?', schema: { $ref: 'https://evil.example/schema' } }, 'bad_schema');
    await refused({ question: 'Who?', expires: '2w' }, 'bad_expires');
    await refused({ question: 'Who?', expires: '2h' }, 'expires_too_late', [
      askPerson({ expiresMs: 1000, longestMs: 3_600_000 }),
    ]);
    await refused({ question: 'x'.repeat(4001) }, 'schema_violation');
  });

  it('is refused as a direct call, which has no model that would read the answer', () =>
    withEngine({ tools: [askPerson()] }, async ({ call }) => {
      const { turn } = await call('ask_person', { question: 'Who?' });
      const view = await turn.result();
      expect(view.calls).toMatchObject([{ state: 'rejected', error: { reason: 'no_model' } }]);
    }));

  it('is refused where rules deny it, also when they do so only once it is answered', () =>
    withEngine(
      {
        tools: [askPerson()],
        agent: { permissions: { deny: ['ask_person'] } },
        script: [ask(['ask_person', which]), say('done')],
      },
      async ({ start }) => {
        const view = await (await start()).result();
        expect(view.calls).toMatchObject([{ state: 'rejected', error: { code: 'PERMISSION_DENIED' } }]);
      },
    ));
});
