/** A bundle whose start has a false signature: each command that judges the bundle reports this, to people and to machines. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { auditReport } from '../../../src/cli/audit-report';
import { auditVerify } from '../../../src/cli/audit-verify';
import type { Output } from '../../../src/cli/support/output';
import { forged } from '../../support/audit/forge';

const BUNDLES = join(__dirname, '../../bundles');
const TRUST = join(BUNDLES, 'trust.json');
const SAID = '1 signature on the start of a turn does not hold: who started it is not proved.';

let folder: string;
let bundle: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-false-start-'));
  bundle = join(folder, 'bundle.jsonl');
  const { text } = forged(readFileSync(join(BUNDLES, 'approval.jsonl'), 'utf8'), (lines) => {
    const started = lines.flatMap(({ body }) => body.event?.workflowExecutionStartedEventAttributes ?? []);
    started[0].input.payloads[0].$.attestation = 'trust me';
    const starts = lines.filter(({ kind, body }) => kind === 'part' && body.part.body?.first_execution_run_id);
    starts[0]!.body.part.body.attestation = 'trust me';
  });
  writeFileSync(bundle, text);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function told(command: typeof auditVerify, ...args: string[]): Promise<{ value: unknown; lines: string[] }> {
  const heard: { value: unknown; lines: string[] }[] = [];
  const audit = new Command('audit');
  command(audit, () => ({ answer: (value: unknown, lines: string[]) => void heard.push({ value, lines }) }) as unknown as Output);
  await audit.parseAsync(args, { from: 'user' });
  return heard[0]!;
}

it('audit verify says that the signature does not hold', async () => {
  const { value, lines } = await told(auditVerify, 'verify', bundle, '--trust', TRUST);
  expect(lines).toContain(`  ${SAID}`);
  expect(value).toMatchObject({ verdict: 'intact', bad_starts: 1 });
  expect((await told(auditVerify, 'verify', join(BUNDLES, 'approval.jsonl'), '--trust', TRUST)).value).toMatchObject({
    bad_starts: 0,
  });
});

it('audit report says so beside its verdict, and on its page', async () => {
  const page = join(folder, 'page.md');
  const { value, lines } = await told(auditReport, 'report', bundle, '--trust', TRUST, '--markdown', '-o', page);
  expect(lines).toContain(`  ${SAID}`);
  expect(value).toMatchObject({ bundles: [{ verdict: 'intact', bad_starts: 1 }] });
  expect(readFileSync(page, 'utf8')).toContain(SAID);
});
