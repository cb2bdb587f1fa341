/** `holdfast eval capture` of a turn that the server and the store have. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ofKey } from '../../../src/attestation/bundle-signer';
import { SigningKey } from '../../../src/attestation/signing-key';
import { exportBundle } from '../../../src/audit/export/bundle';
import { readCases } from '../../../src/evals/case';
import { FileStore } from '../../../src/store/files/file-store';
import { environment, run } from '../../support/command-line';
import { ask, say } from '../../support/scripted-model';
import { reads } from '../../support/tools';
import { testAddress, withEngine } from '../support/engine';

const home = mkdtempSync(join(tmpdir(), 'holdfast-eval-capture-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const holdfast = (...args: string[]) => run(args, environment({ HOLDFAST_HOME: home, TEMPORAL_ADDRESS: testAddress() }));

it('makes a case of a turn by its id', async () => {
  const store = await FileStore.open(join(home, 'store'));
  const into = join(home, 'evals');
  const script = [ask(['look', { key: 'INV-7' }]), say('Done.')];
  await withEngine({ store, tools: [reads('look', () => ({ cents: 700 }))], script }, async ({ start, client }) => {
    const turn = await start('Look INV-7 up.');
    await turn.result();
    const captured = await holdfast('eval', 'capture', turn.id, '--into', into, '--name', 'look');
    expect(captured).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('Look INV-7 up.') });
    expect(readFileSync(join(into, 'look/case.yaml'), 'utf8')).toContain(`turn ${turn.id}.`);
    // It moved no chain of bundles: the first that is kept names none before it.
    let last = '';
    const signer = ofKey(SigningKey.generate());
    for await (const line of exportBundle({ temporal: client.temporal, store, subject: { kind: 'turn', id: turn.id }, signer }))
      last = line;
    expect(JSON.parse(last)).toMatchObject({ kind: 'end', body: { previous: null } });
    expect(readCases(into)).toMatchObject([
      { name: 'look', message: 'Look INV-7 up.', model: 'recorded', expect: { calls: [{ tool: 'look', state: 'succeeded' }] } },
    ]);

    expect(await holdfast('eval', 'capture', turn.id, '--into', into, '--name', 'look')).toMatchObject({
      ...{ code: 2, stderr: expect.stringContaining('There is already a case') },
    });
    for (const [args, reason] of [
      [[turn.id, '--into', into, '--forbid', 'look'], 'is no call such as 2.1'],
      [[turn.id, '--into', into, '--name', '..'], 'is no name of a case'],
      [['nobody', '--into', into], 'There is no turn "nobody"'],
    ] as const)
      expect(await holdfast('eval', 'capture', ...args)).toMatchObject({ stderr: expect.stringContaining(reason) });
  });
});
