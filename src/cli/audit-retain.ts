/** `holdfast audit retain`, and the holds that it respects. */
import type { Command } from 'commander';
import { bundleKeyPlaces, loadConfig } from '../config';
import { oneLine } from './support/describe';
import { EXIT, Exit, UsageError } from './support/exit';
import { keptOf } from './support/kept';
import type { Output } from './support/output';
import { turnToHold } from './support/turns-in-trail';

const DAY_MS = 86_400_000;

export function auditRetain(audit: Command, output: () => Output): void {
  audit
    .command('retain')
    .description(
      'Deletes kept bundles whose time is over. A signed tombstone stays for each; what is held stays (docs/retention.md).',
    )
    .requiredOption('--older-than <days>', 'made longer ago than this, such as 400d', days)
    .option('--why <text>', 'the rule that asks for it; stands in the tombstones')
    .option('--dry-run', 'deletes nothing, and says what would be')
    .action(async ({ olderThan, why, dryRun = false }: { olderThan: number; why?: string; dryRun?: boolean }) => {
      const config = loadConfig();
      const kept = await keptOf(config);
      const [{ retain }, { bundleSigner }] = await Promise.all([
        import('../audit/kept/retain.js'),
        import('../attestation/bundle-signer.js'),
      ]);
      const signer = await bundleSigner(bundleKeyPlaces(config));
      const before = new Date(Date.now() - olderThan * DAY_MS).toISOString();
      const all = [];
      for await (const one of retain(kept, { before, why: why ?? `older than ${olderThan} days`, dryRun, signer })) all.push(one);
      const words = { deleted: dryRun ? 'would go' : 'deleted', held: 'held', damaged: 'damaged, stays' };
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

export function auditHolds(audit: Command, output: () => Output): void {
  const change = (name: 'hold' | 'release', description: string) =>
    audit
      .command(name)
      .description(description)
      .argument(
        '<turn>',
        'a turn or a direct call: its id, or the idempotency key that it was started under; or a session: then all of its turns',
      )
      .requiredOption('--reason <text>', 'why, for the record')
      .action(async (named: string, { reason }: { reason: string }) => {
        const config = loadConfig();
        const kept = await keptOf(config);
        const { Holds } = await import('../audit/kept/holds.js');
        const holds = new Holds(kept.folder);
        const trail = async () => (await (await import('../store/open-store.js')).openStore(config.store)).trail;
        const { id, known } = await turnToHold(named, { kept, held: await holds.all(), trail });
        const done = await holds[name](id, reason);
        output().answer({ action: name, ...done }, [`${id}: ${name === 'hold' ? 'held' : 'released'}`]);
        if (!known)
          output().note(
            `Neither a kept bundle nor the trail has ${id} yet, as an id or a key: what comes under this id is held, and nothing that is started under such a key.`,
          );
      });
  change('hold', 'A legal hold: no bundle of this turn is deleted until it is released.');
  change('release', 'Ends a legal hold.');
  audit
    .command('holds')
    .description('What is held, by whom, and why.')
    .action(async () => {
      const { Holds } = await import('../audit/kept/holds.js');
      const all = [...(await new Holds((await keptOf(loadConfig())).folder).all()).values()];
      const lines = all.map(
        ({ turn_id, by, at, reason }) => `${turn_id}  since ${at} by ${oneLine(by, 60)}: ${oneLine(reason, 200)}`,
      );
      output().answer(all, lines.length > 0 ? lines : ['Nothing is held.']);
    });
}

function days(text: string): number {
  const [, number] = /^(\d{1,5})d?$/.exec(text) ?? [];
  if (number === undefined)
    throw new UsageError(`--older-than is ${JSON.stringify(text.slice(0, 40))}; it must be a number of days, such as 400d.`);
  return Number(number);
}
