/** A sweeper as a process of its own, so that the key that signs bundles need not be where tools run. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileStore } from '../../../../src/store/files/file-store';
import { eventually, testAddress, withEngine } from '../../../engine/support/engine';
import { holdfast } from '../../support/process';
import { ask, say } from '../../../support/scripted-model';
import { pays } from '../../../support/tools';

/** The folder is made with the first bundle. */
function kept(home: string): string[] {
  const folder = join(home, 'bundles');
  return existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
}

test('audit sweep --follow keeps the turns that end while it runs, sweep after sweep, until Ctrl-C', async () => {
  const home = mkdtempSync(join(tmpdir(), 'holdfast-follow-'));
  const store = await FileStore.open(join(home, 'store'));
  const script = [ask(['pay', { invoice: 'INV-1', cents: 700 }]), say('Paid.')];
  await withEngine({ tools: [pays('pay', [])], script, store }, async (engine) => {
    const env = { TEMPORAL_ADDRESS: testAddress(), HOLDFAST_TASK_QUEUE: engine.taskQueue };
    const sweep = holdfast(home, ['audit', 'sweep', '--follow'], env);
    try {
      await sweep.printed(/Bundles are kept in .*; Ctrl-C ends this/);
      const turn = await engine.start();
      const [call] = await turn.waitForPending();
      await turn.approve(call.digest, { by: 'ana' });
      await turn.result();
      await eventually('its bundle is kept', async () => kept(home).some((name) => name.includes(`${turn.id}@`)));
      process.kill(sweep.pid, 'SIGINT');
      expect(await sweep.ended).toBe(0);
    } finally {
      await sweep.stop();
    }
  });
  rmSync(home, { recursive: true, force: true });
});
