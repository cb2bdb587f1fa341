/** `holdfast audit witness`: adds the receipts that bundles lack, or asks the witness whether its log is still the one of a receipt. */
import type { Command } from 'commander';
import { loadConfig } from '../config';
import { errorMessage } from '../shared/text/error-message';
import { EXIT, Exit, UsageError } from './support/exit';
import type { Output } from './support/output';

interface Answer {
  file: string;
  added: string[];
  faults: string[];
}

export function auditWitness(audit: Command, output: () => Output): void {
  audit
    .command('witness')
    .description(
      'Adds the receipts that a bundle lacks, of HOLDFAST_WITNESS_URL and HOLDFAST_TIMESTAMP_URL. Exit 1: one of them gave none.',
    )
    .argument('<file...>')
    .option('--check', 'adds nothing: asks the witness whether the tree heads in the bundles are of its log today')
    .action(async (files: string[], { check = false }: { check?: boolean }) => {
      const { receipts: services } = loadConfig();
      if (services.witness === null && (check || services.timestamp === null))
        throw new UsageError('Set HOLDFAST_WITNESS_URL with HOLDFAST_WITNESS_TOKEN, or HOLDFAST_TIMESTAMP_URL.');
      const { completeReceipts, readTrailer } = await import('../audit/archive/receipts.js');
      const { compareHeads } = await import('../witness/client.js');
      const answers: Answer[] = [];
      for (const file of files) {
        try {
          if (!check) {
            const { added, faults } = await completeReceipts(file, services);
            answers.push({ file, added: added.map(({ by }) => by), faults });
            continue;
          }
          const faults: string[] = [];
          for (const receipt of (await readTrailer(file)).receipts)
            if (receipt.by === 'witness') {
              const { fault } = await compareHeads(services.witness!, receipt.head);
              if (fault !== null) faults.push(fault);
            }
          answers.push({ file, added: [], faults });
        } catch (error) {
          answers.push({ file, added: [], faults: [errorMessage(error)] });
        }
      }
      output().answer(
        { files: answers },
        answers.flatMap((answer) => describe(answer, check)),
      );
      if (answers.some(({ faults }) => faults.length > 0)) throw new Exit(EXIT.failed);
    });
}

function describe({ file, added, faults }: Answer, check: boolean): string[] {
  if (faults.length > 0) return faults.map((fault) => `${file}: ${fault}`);
  if (check) return [`${file}: its tree heads are of the witness's log`];
  return [added.length === 0 ? `${file}: has its receipts` : `${file}: added ${added.join(' and ')}`];
}
