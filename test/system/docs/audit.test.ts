/** The walk-through of docs/audit.md, run as written: each command, and its output. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const docs = join(__dirname, '../../../docs');
const cli = join(__dirname, '../../../dist/cli/main.js');
const page = readFileSync(join(docs, 'audit.md'), 'utf8');
const TRIED = [...page.matchAll(/```sh\nholdfast (audit [^\n]*)\n```\n\n```text\n([^`]*(?:`[^`]+`[^`]*)*?)```\n/g)].map(
  ([, command = '', printed = '']) => [command, printed] as const,
);

function run(command: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(process.execPath, [cli, ...command.split(' ')], { cwd: join(docs, 'incidents') }, (_, stdout) => resolve(stdout));
  });
}

test('the walk-through has three commands', () => expect(TRIED).toHaveLength(3));

test.each(TRIED)('holdfast %s', async (command, printed) => {
  expect(await run(command)).toBe(printed);
});
