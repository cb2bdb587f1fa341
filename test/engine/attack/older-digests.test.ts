/** Turns that began when digests named neither agent nor store: an attacker cannot choose what their digests leave out, and they end. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { CallArguments, RunCallInput, TurnContext } from '../../../src/shared/io/activities';
import { OLD_DIGESTS_MS } from '../../../src/activities/checks/resolve-call';
import { FileStore } from '../../../src/store/files/file-store';
import { append } from '../../../src/store/core/transcript';
import { withEngine, type Setup } from '../support/engine';
import { withForger, type Forge } from '../support/forge';
import { contextOf, madeUpApproval, madeUpCall, recordedRefs } from '../support/made-up';
import { ask, say } from '../../support/scripted-model';
import { pays } from '../../support/tools';

const invoice = { invoice: 'INV-7', cents: 700 };
const AT = '2026-01-01T00:00:00.000Z';

interface Scene {
  forge: Forge;
  effects: unknown[];
  /** The context of a turn that an older version began. */
  old: TurnContext;
  /** The head after its start. */
  head: string;
  /** Context and head of a turn that began now. */
  present: { turn: TurnContext; head: string };
  /** A call with a digest of version 1, and an approval. */
  request(turn: TurnContext, head: string): RunCallInput;
}

async function scene(setup: Partial<Setup>, body: (scene: Scene) => Promise<void>): Promise<void> {
  const effects: unknown[] = [];
  const script = [ask(['pay', invoice]), say('done')];
  await withEngine({ tools: [pays('pay', effects)], script, madeUp: true, ...setup }, async (engine) => {
    const { client, taskQueue, store } = engine;
    const waiting = await engine.start('Pay it.', { requester: 'rita' });
    await waiting.waitForPending();
    const { policy_ref } = await recordedRefs(client, waiting);
    const { store_id: _, ...unbound } = await contextOf(waiting);
    const old: TurnContext = { ...unbound, turn_id: 'old', workflow_id: 'turn/old', first_execution_run_id: 'old-run' };
    const start = { ...old, agent: { name: 'tester' }, policy_ref };
    const head = await append(store, 'old-run', { parent: null, kind: 'start', at: AT, bodies: [start as never] });
    const request = (turn: TurnContext, from: string): RunCallInput => {
      const call: CallArguments = madeUpCall(turn, { input: invoice, policy_ref });
      return { turn, call, at: AT, head: from, approvals: [madeUpApproval(call)], verdict: 'ask' };
    };
    const present = { turn: unbound, head: (await waiting.status()).head! };
    await withForger(client, taskQueue, (forge) => body({ forge, effects, old, head, present, request }));
    await waiting.cancel();
    await waiting.result();
  });
}

describe('a call with a digest of version 1', () => {
  it('runs in a turn that began with version 1, for its own agent, and for no other turn, agent or version', () =>
    scene({}, async ({ forge, effects, old, head, present, request }) => {
      const refused: [string, RunCallInput][] = [
        ['a turn that began with version 2', request(present.turn, present.head)],
        ['a head of another turn', request(old, present.head)],
        ['another agent', request({ ...old, agent: 'other' }, head)],
      ];
      for (const [what, input] of refused) {
        const { state, effect, error } = await forge('runCall', input);
        expect([what, state, effect]).toEqual([what, 'failed', 'not_applied']);
        expect(['digest_mismatch', 'tool_changed']).toContain(error!.reason);
      }
      expect(effects).toEqual([]);
      expect(await forge('runCall', request(old, head))).toMatchObject({ effect: 'applied' });
      expect(effects).toEqual([invoice]);
    }));

  it('does not run in a turn that somebody begins anew as an older one, by ending it before its first step', () =>
    scene({}, async ({ forge, effects, present: { turn, head }, request }) => {
      const begin = { message: 'Pay it.' };
      const ended = await forge('endTurn', { turn, at: AT, head, outcomes: [], state: 'failed', reason: null, begin });
      const { state, error } = await forge('runCall', request(turn, ended.head!));
      expect([state, error?.reason]).toEqual(['failed', 'digest_mismatch']);
      expect(effects).toEqual([]);
    }));

  it('is refused, with a reason, from the date that the operator has set', () =>
    scene({ settings: { oldDigestsUntil: new Date(AT) } }, async ({ forge, effects, old, head, request }) => {
      const { effect, error } = await forge('runCall', request(old, head));
      expect([effect, error!.reason]).toEqual(['not_applied', 'digest_retired']);
      expect(error!.message).toContain(AT);
      expect(error!.message).toContain('HOLDFAST_OLD_DIGESTS_UNTIL');
      expect(effects).toEqual([]);
    }));

  it('is refused 30 days after the store got its id, where the operator has set no date', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-older-'));
    const since = (days: number) => new Date(Date.now() - OLD_DIGESTS_MS + days * 24 * 3_600_000).toISOString();
    try {
      for (const [days, effect] of [
        [-1, 'not_applied'],
        [1, 'applied'],
      ] as const) {
        const place = join(folder, String(days));
        await FileStore.open(place);
        const [name] = (await readdir(place, { recursive: true })).filter((file) => basename(file) === 'store.json');
        const { id } = JSON.parse(await readFile(join(place, name!), 'utf8')) as { id: string };
        await writeFile(join(place, name!), JSON.stringify({ id, made_at: since(days) }));
        const store = await FileStore.open(place);
        await scene({ store }, async ({ forge, old, head, request }) => {
          const ran = await forge('runCall', request(old, head));
          expect(ran).toMatchObject({ effect, ...(days < 0 ? { error: { reason: 'digest_retired' } } : {}) });
        });
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
