/** Each command finds a turn by the key under which somebody else has started it. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileStore } from '../../../src/store/files/file-store';
import { eventually, testAddress, withEngine } from '../support/engine';
import { ask, say } from '../../support/scripted-model';
import { loses, pays } from '../../support/tools';
import { environment, run } from '../../support/command-line';

let home: string;
beforeAll(() => void (home = mkdtempSync(join(tmpdir(), 'holdfast-by-key-'))));
afterAll(() => rmSync(home, { recursive: true, force: true }));

it('sign, steer, approve, settle and incident take the key of a turn', async () => {
  const store = await FileStore.open(join(home, 'store'));
  const env = environment({ HOLDFAST_HOME: home, TEMPORAL_ADDRESS: testAddress() });
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await run([...args, '--json'], env);
    expect({ code, stderr, args }).toMatchObject({ code: 0, stderr: '' });
    return JSON.parse(stdout) as any;
  };
  const effects: unknown[] = [];
  const script = [ask(['pay', { invoice: 'INV-7', cents: 700 }]), ask(['lose', { to: 'x' }]), say('Done.')];
  await withEngine({ tools: [pays('pay', effects), loses('lose')], script, store }, async ({ start, model }) => {
    const key = 'INV 7/2026';
    const turn = await start('Pay INV-7.', { id: key, requester: 'acme/rita' });
    expect(turn.id).toMatch(/^k_[0-9a-f]{40}$/);
    const [first] = await turn.waitForPending();

    const pem = join(home, 'ana.pem');
    await json('keys', 'create', '--principal', 'ana', '--out', pem);
    const signed = await json('sign', key, 'approve', '--call', first.digest, '--key', pem);
    expect(signed).toMatchObject({ call: first.digest, by: 'ana', attestation: expect.stringContaining('.') });
    expect(await json('steer', key, 'And be quick.', '--by', 'bob')).toMatchObject({ accepted: true, turn_id: turn.id });
    expect(await json('approve', key, '--call', first.digest, '--by', 'ana')).toMatchObject({
      accepted: true,
      call: first.digest,
    });
    const second = await eventually('it asks again', async () => (await turn.pending()).find(({ id }) => id === '2.1'));
    await json('approve', key, '--call', second.digest, '--by', 'ana');
    await eventually('it is in doubt', async () => (await turn.status()).state === 'in_doubt');
    const settled = await json('settle', key, 'not_applied', '--call', second.digest, '--by', 'ana');
    expect(settled).toMatchObject({ accepted: true, outcome: 'not_applied' });
    expect((await turn.result()).calls.map(({ state }) => state)).toEqual(['succeeded', 'failed']);
    expect(effects).toHaveLength(1);
    expect(JSON.stringify(model.requests[1]!.messages)).toContain('And be quick.');

    const folder = join(home, 'incident');
    expect(await json('incident', key, '-o', folder)).toMatchObject({ complete: true, verdict: 'intact', good: true });
    expect(readdirSync(folder)).toContain('bundle.jsonl');
  });
});
