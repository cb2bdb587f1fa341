/** A `holdfast worker --app FILE` with a tool that spins in a thread: another turn's calls go on meanwhile. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../../src/shared/json/json';
import { eventually, testAddress } from '../../engine/support/engine';
import { openStage, type Stage } from '../support/fault-stage';

const app = join(__dirname, 'fixtures/isolated.app.ts');

describe('a worker whose tool spins in a thread', () => {
  let stage: Stage;
  beforeAll(async () => {
    const answer = ({ messages }: JsonObject) => {
      const [asked, ...rest] = messages as JsonObject[];
      if (rest.length > 0) return { content: [{ type: 'text' as const, text: 'Done.' }] };
      const [name, note] = textOf(asked!.content).split(' ');
      return { content: [{ type: 'tool_use' as const, id: 'toolu_1', name: name!, input: { note: note! } }] };
    };
    stage = await openStage(testAddress(), { app, answer });
  });
  afterAll(() => stage.close());

  it('ends that call at its time limit, and runs the calls of another turn meanwhile', async () => {
    const { client, home } = stage;
    await stage.startWorker();
    const note = join(home, 'note.txt');
    const start = (message: string) => client.start({ agent: 'tester', message });
    const spinning = await start(`spins ${note}`);
    await eventually('it spins', async () => existsSync(note), 30_000);
    const looking = await (await start(`looks ${note}`)).result();
    expect(looking).toMatchObject({ state: 'completed', calls: [{ tool: 'looks', state: 'succeeded', attempts: 1 }] });
    expect((await spinning.status()).calls).toMatchObject([{ tool: 'spins', state: 'running' }]); // by the same worker
    const { calls, state } = await spinning.result();
    expect(state).toBe('completed');
    expect(calls).toMatchObject([{ state: 'failed', attempts: 1, error: { code: 'TIMEOUT', reason: 'timeout' } }]);
    expect(await stage.workers[0]!.stop()).toBe('0');
  });
});

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : (content as { text: string }[]).map(({ text }) => text).join('');
}
