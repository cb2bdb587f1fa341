/** A session that was opened anew under its key takes no old turn for the answer to a new message. Each test is named after what it prevents. */
import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HoldfastClient } from '../../../src/client';
import type { SessionHandle } from '../../../src/client/sessions/session-handle';
import { FileRegisters } from '../../../src/store/files/file-registers';
import { FileStore } from '../../../src/store/files/file-store';
import { eventually, withEngine, type Engine } from '../support/engine';
import { ask, say } from '../../support/scripted-model';
import { afterTurns, lines, replayedSession, talk } from '../support/sessions';
import { pays } from '../../support/tools';

const newKey = () => `key-${Math.random().toString(36).slice(2)}`;

async function terminated({ client }: Engine, session: SessionHandle): Promise<void> {
  await client.temporal.workflow.getHandle(session.workflowId).terminate('by hand');
}

async function forgotten({ temporal }: HoldfastClient, workflowId: string): Promise<void> {
  await temporal.workflowService.deleteWorkflowExecution({ namespace: 'default', workflowExecution: { workflowId } });
  const handle = temporal.workflow.getHandle(workflowId);
  const isGone = () =>
    handle.describe().then(
      () => false,
      () => true,
    );
  await eventually('it is forgotten', isGone);
}

const opened = ({ client }: Engine, id: string) => client.openSession({ agent: 'tester', id });

describe('a session that was terminated, and opened again under its key, cannot', () => {
  it('answer a new message with an old turn: it is read, and answered in a turn of its own', () =>
    withEngine({ script: [say('one'), say('two'), say('three')] }, async (engine) => {
      const key = newKey();
      const before = await opened(engine, key);
      const first = await talk(before, 'Before.');
      expect(first).toMatchObject({ turn_id: `${key}.1`, text: 'one' });
      await terminated(engine, before);
      const session = await opened(engine, key);
      const view = await talk(session, 'After.');
      expect(view.text).toBe('two');
      expect(view.turn_id).toMatch(new RegExp(`^${key}\\.1-[0-9a-f]{8}$`));
      expect(lines(engine.model.requests[1]!)).toEqual(['user: After.']);
      expect((await afterTurns(session, 1)).last).toEqual([{ turn_id: view.turn_id, state: 'completed' }]);
      await talk(session, 'And after that.');
      await replayedSession(engine.client, session);
    }));

  it('answer the same message under the same id with an old turn: the new session does not know that turn', () =>
    withEngine({ script: [say('one'), say('two')] }, async (engine) => {
      const key = newKey();
      const before = await opened(engine, key);
      await talk(before, 'Hello.', 'm-1');
      await terminated(engine, before);
      expect(await talk(await opened(engine, key), 'Hello.', 'm-1')).toMatchObject({ text: 'two' });
    }));

  it('take up a turn of the former session that still waits: that turn is decided by itself', () => {
    const effects: unknown[] = [];
    const invoice = { invoice: 'INV-7', cents: 700 };
    const script = [ask(['pay', invoice]), say('Hello.'), say('Paid.')];
    return withEngine({ tools: [pays('pay', effects)], script }, async (engine) => {
      const key = newKey();
      const before = await opened(engine, key);
      const { turn: old } = await before.send('Pay.');
      await before.started(old.id);
      const [call] = await old.waitForPending();
      await terminated(engine, before);
      const session = await opened(engine, key);
      expect((await talk(session, 'Hello.')).text).toBe('Hello.');
      expect(effects).toEqual([]);
      await old.approve(call!.digest, { by: 'ana' });
      expect((await old.result()).text).toBe('Paid.');
      expect(await afterTurns(session, 1)).toMatchObject({ turns: 1, running: null });
    });
  });

  it('take the ids of one that Temporal has forgotten: the store still knows it, also a month later', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-reopened-'));
    const store = await FileStore.open(folder);
    await withEngine({ store, script: [say('one'), say('two')] }, async (engine) => {
      const { client } = engine;
      const key = newKey();
      const before = await opened(engine, key);
      const { turn_id } = await talk(before, 'Before.');
      await terminated(engine, before);
      await Promise.all([before.workflowId, `turn/${turn_id}`].map((workflowId) => forgotten(client, workflowId)));
      await aMonthLater(folder);
      const view = await talk(await opened(engine, key), 'After.');
      expect(view).toMatchObject({ text: 'two' });
      expect(view.turn_id).not.toBe(turn_id);
    });
    await rm(folder, { recursive: true, force: true });
  });
});

/** Nothing has changed in the store for a month, and old registers are swept. */
async function aMonthLater(folder: string): Promise<void> {
  const before = new Date(Date.now() - 31 * 86_400_000);
  const all = await readdir(join(folder, 'registers'));
  await Promise.all(all.map((name) => utimes(join(folder, 'registers', name), before, before)));
  const registers = await FileRegisters.open(folder, join(folder, 'tmp'));
  await registers.sweep();
  registers.close();
}

describe('a session cannot', () => {
  it('accept a turn that somebody else has started under the id of its next one: it says so, and runs nothing after it', () =>
    withEngine({ script: [say('one'), say('made up'), say('two')] }, async (engine) => {
      const session = await opened(engine, newKey());
      await talk(session, 'First.');
      const before = await afterTurns(session, 1);
      const next = `${session.id}.2`;
      await (await engine.start('Not this.', { id: next, sessionId: session.id })).result();
      expect((await session.send('Mine.')).turn_id).toBe(next);
      const { held, head } = await afterTurns(session, 2);
      expect(held).toMatchObject({ turn_id: next, state: 'failed' });
      expect(held?.reason).toContain('the message was not run; send it again');
      expect(head).toBe(before.head);
      expect((await talk(session, 'Mine.')).text).toBe('two');
      await replayedSession(engine.client, session);
    }));
});
