/** `holdfast store …`: the store of blocks, parts, effects and the trail. */
import type { Command } from 'commander';
import { loadConfig } from '../config';
import type { Collection, Count } from '../store/collect/collect';
import { openBundleArchive } from './support/bundle-archive';
import { UsageError } from './support/exit';
import type { Output } from './support/output';
import { Progress } from './support/progress';
import { withClient } from './support/with-client';
import { compareCommand } from './store-compare';

const DAY_MS = 86_400_000;

export function storeCommands(store: Command, output: () => Output): void {
  compareCommand(store, output);
  store
    .command('collect')
    .description(
      'Says what no kept turn, session or bundle refers to in the store; with --delete, deletes it (docs/retention.md).',
    )
    .option('--older-than <days>', 'stored longer ago than this; at least 1d', days, 7)
    .option('--delete', 'deletes it; without this option nothing is changed')
    .action(async ({ olderThan, delete: deletes = false }: { olderThan: number; delete?: boolean }) => {
      const config = loadConfig();
      const archive = config.bundles === null ? null : await openBundleArchive(config);
      const [{ collect }, { openBacking }, { storeRoots }] = await Promise.all([
        import('../store/collect/collect.js'),
        import('../store/open-store.js'),
        import('../audit/archive/store-roots.js'),
      ]);
      const backing = await openBacking(config);
      const progress = new Progress(process.stderr);
      try {
        await withClient(async ({ temporal }) => {
          const collected = await collect(backing, {
            roots: () => storeRoots(temporal, archive),
            olderThan: olderThan * DAY_MS,
            dryRun: !deletes,
            onProgress: (text) => progress.show(text),
          });
          progress.end();
          output().answer({ ...collected }, linesOf(collected));
        });
      } finally {
        progress.end();
        await backing.close();
      }
    });
}

function linesOf({ before, dry_run: dryRun, all, referred_to: kept, removed }: Collection): string[] {
  const words = dryRun ? 'would go' : 'deleted';
  const line = (what: string, count: Count) => `${words} ${what.padEnd(8)} ${countText(count)}`;
  return [
    `all      ${countText(all)}, of which ${kept} are referred to`,
    line('objects', removed.objects),
    line('files', removed.files),
    line('parts', removed.parts),
    `What was stored after ${before} stays.${dryRun ? ' Nothing was changed; --delete deletes.' : ''}`,
  ];
}

function countText({ number, bytes }: Count): string {
  return `${number} (${(bytes / 1e6).toFixed(1)} MB)`;
}

function days(text: string): number {
  const [, number] = /^([1-9]\d{0,4})d?$/.exec(text) ?? [];
  if (number === undefined)
    throw new UsageError(`--older-than is ${JSON.stringify(text.slice(0, 40))}; it must be a number of days from 1, such as 7d.`);
  return Number(number);
}
