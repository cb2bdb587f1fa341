/** `holdfast audit redact`: writes a bundle without some of its content, signed anew. */
import { createReadStream } from 'node:fs';
import type { Command } from 'commander';
import type { RedactionResult } from '../audit/redact/redact';
import { bundleKeyPlaces, loadConfig } from '../config';
import { several } from './support/decide-options';
import { oneLine } from './support/describe';
import type { Output } from './support/output';
import { mustNotReplace } from './support/write-file';
import { writeWhole } from './support/write-whole';

interface RedactOptions {
  output: string;
  reason: string;
  messages?: boolean;
  call?: string[];
  part?: string[];
}

export function auditRedact(audit: Command, output: () => Output): void {
  audit
    .command('redact')
    .description(
      'Writes a copy of a bundle without some of its content, and signs the copy. The rest can still be verified (docs/redaction.md).',
    )
    .argument('<file>', 'the bundle')
    .requiredOption('-o, --output <file>', 'where the redacted one goes; - for standard output')
    .requiredOption('--reason <text>', 'why; stands in the bundle')
    .option('--messages', 'leaves out what the user, the model and the tools said')
    .option('--call <call>', 'leaves out what is known of this call, 2.1 or TURN:2.1; may be given again', several)
    .option('--part <ref>', 'leaves out this part; may be given again', several)
    .action(async (file: string, { messages = false, call: calls = [], part: parts = [], reason, ...to }: RedactOptions) => {
      if (to.output !== '-') await mustNotReplace(to.output, [file]);
      const { redact } = await import('../audit/redact/redact.js');
      const { bundleSigner } = await import('../attestation/bundle-signer.js');
      const signer = await bundleSigner(bundleKeyPlaces(loadConfig()));
      const bundle = redact(() => createReadStream(file), { messages, calls, parts, reason, signer });
      let result!: RedactionResult;
      const captureResult = async function* () {
        result = yield* bundle;
      };
      await writeWhole(captureResult(), to.output);
      const { root, redaction, repeated_in } = result;
      const lines = [
        `${to.output}: ${redaction.parts} parts and ${redaction.payloads} payloads are left out, signed by ${signer.kid}`,
        ...(repeated_in.length === 0
          ? []
          : [`Parts that are kept repeat some of it: ${repeated_in.map((ref) => oneLine(ref, 64)).join(', ')}; see --part`]),
      ];
      if (to.output === '-') lines.forEach((line) => output().note(line));
      else output().answer({ file: to.output, root, redaction, repeated_in, kid: signer.kid }, lines);
    });
}
