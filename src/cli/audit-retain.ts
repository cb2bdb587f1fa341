/** `holdfast audit retain`: deletes kept bundles of a certain age, and leaves a signed tombstone for each. */
import type { Command } from 'commander';
import { bundleKeyPlaces, loadConfig } from '../config';
import { oneLine } from './support/describe';
import { EXIT, Exit, UsageError } from './support/exit';
import { openBundleArchive } from './support/bundle-archive';
import type { Output } from './support/output';

const DAY_MS = 86_400_000;

export function auditRetain(audit: Command, output: () => Output): void {
  audit
    .command('retain')
    .description('Deletes kept bundles whose time is over. A signed tombstone stays for each (docs/retention.md).')
    .requiredOption('--older-than <days>', 'made longer ago than this, such as 400d', days)
    .option('--why <text>', 'the rule that asks for it; stands in the tombstones')
    .option('--dry-run', 'deletes nothing, and says what would be')
    .action(async ({ olderThan, why, dryRun = false }: { olderThan: number; why?: string; dryRun?: boolean }) => {
      const config = loadConfig();
      const archive = await openBundleArchive(config);
      const [{ retain }, { bundleSigner }] = await Promise.all([
        import('../audit/archive/retain.js'),
        import('../attestation/bundle-signer.js'),
      ]);
      const signer = await bundleSigner(bundleKeyPlaces(config));
      const before = new Date(Date.now() - olderThan * DAY_MS).toISOString();
      const all = [];
      for await (const one of retain(archive, { before, why: why ?? `older than ${olderThan} days`, dryRun, signer }))
        all.push(one);
      const words = { deleted: dryRun ? 'would go' : 'deleted', damaged: 'damaged, stays' };
      const lines = all.map(
        ({ file, did, what }) => `${words[did].padEnd(9)} ${file}${did === 'deleted' ? '' : `  ${oneLine(what, 200)}`}`,
      );
      output().answer(
        { before, dry_run: dryRun, bundles: all },
        lines.length > 0 ? lines : [`No kept bundle was made before ${before}.`],
      );
      if (all.some(({ did }) => did === 'damaged')) throw new Exit(EXIT.failed);
    });
}

function days(text: string): number {
  const [, number] = /^(\d{1,5})d?$/.exec(text) ?? [];
  if (number === undefined)
    throw new UsageError(`--older-than is ${JSON.stringify(text.slice(0, 40))}; it must be a number of days, such as 400d.`);
  return Number(number);
}
