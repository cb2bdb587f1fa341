/** `holdfast audit sweep`: keeps a bundle of each turn with effects that has ended and lacks one. */
import type { Command } from 'commander';
import { bundleKeyPlaces, loadConfig } from '../config';
import { openBundleArchive } from './support/bundle-archive';
import { EXIT, Exit } from './support/exit';
import type { Output } from './support/output';
import { untilStopped } from './support/until-stopped';
import { withClient } from './support/with-client';

export function auditSweep(audit: Command, output: () => Output): void {
  audit
    .command('sweep')
    .description('Keeps a bundle of each turn with effects that has ended and lacks one. Workers do so by themselves.')
    .option('--follow', 'goes on until Ctrl-C')
    .action(async ({ follow = false }: { follow?: boolean }) => {
      const config = loadConfig();
      const archive = await openBundleArchive(config);
      const [{ Sweeper }, { openStoreOf }, { createLog }, { bundleSigner }] = await Promise.all([
        import('../audit/archive/sweeper.js'),
        import('../store/open-store.js'),
        import('../telemetry/log.js'),
        import('../attestation/bundle-signer.js'),
      ]);
      const signer = await bundleSigner(bundleKeyPlaces(config));
      const store = await openStoreOf(config);
      await withClient(async ({ temporal }) => {
        const parts = { temporal, store, taskQueue: config.taskQueue, archive, signer: async () => signer };
        const sweeper = new Sweeper({ ...parts, log: createLog(follow ? config.logLevel : 'silent') });
        if (follow) {
          const stopping = new AbortController();
          void untilStopped().then(() => stopping.abort());
          output().note(`Bundles are kept in ${archive.folder}; Ctrl-C ends this.`);
          return sweeper.follow(stopping.signal);
        }
        const swept = await sweeper.sweep().finally(() => sweeper.release());
        const other = swept.mine ? [] : ['Another process sweeps: nothing was done.'];
        const lines = swept.kept.map((name) => archive.pathOf(name));
        const failed = swept.failed.map(({ turn_id, reason }) => `${turn_id}: no bundle: ${reason}`);
        const none = swept.mine && lines.length + failed.length === 0 ? ['No turn with effects was without a bundle.'] : [];
        output().answer({ ...swept, folder: archive.folder }, [...other, ...lines, ...failed, ...none]);
        if (failed.length > 0) throw new Exit(EXIT.failed);
      });
    });
}
