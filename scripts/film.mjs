/**
 * `npm run film`: runs the commands of the film in a real terminal session (a payment is asked for, its worker is killed, it is approved,
 * happens once, and is proved), and draws what they print as docs/images/film.svg, which the README shows.
 */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { drawFilm } from './lib/draw-film.mjs';
import { setUp } from './lib/set-up.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const APP = `import { appendFileSync } from 'node:fs';
import { defineAgent, defineApp, defineTool } from 'holdfast';
import { z } from 'zod';

const pay = defineTool({
  name: 'pay_invoice', version: '1.0.0', class: 'destructive',
  description: 'Pays one supplier invoice.',
  input: z.object({ cents: z.number().int().positive(), invoice: z.string() }),
  preview: ({ invoice, cents }) => \`Pay \${(cents / 100).toFixed(2)} EUR for \${invoice}\`,
  run: ({ invoice, cents }, { idempotencyKey }) => {
    appendFileSync('bank.txt', \`\${invoice} \${cents} cents, key \${idempotencyKey.slice(0, 12)}\\n\`);
    return { paid: invoice };
  },
});
export default defineApp({ agents: [defineAgent({ name: 'payables', prompt: 'Pay due invoices.', tools: [pay] })] });
`;

/** What is shown, and the command; a function makes the command of what was printed before. */
const SCENES = [
  ['An agent wants to pay. The call waits for a person.'],
  [`holdfast run --agent payables --id inv-7 'Pay 120000 cents for "INV-7".'`],
  ['holdfast pending'],
  ['Its worker dies. Another one takes over.'],
  [(printed) => `kill -9 ${/^worker (\d+):/m.exec(printed)[1]}`],
  ['Somebody approves exactly this call.'],
  [(printed) => `holdfast approve inv-7 --call ${/--call ([0-9a-f]{64})/.exec(printed)[1]} --by ana`],
  ['holdfast watch inv-7 | tail -4'],
  ['It was paid once.'],
  ['cat bank.txt'],
  ['And that can be proved, to somebody who trusts nobody here.'],
  ['holdfast incident inv-7'],
];
/** Shell commands begin with one of these; the other scenes are words. */
const isCommand = (text) => /^(?:holdfast|kill|cat) /.test(text);

await setUp(root);
const folder = mkdtempSync(join(tmpdir(), 'holdfast-film-'));
mkdirSync(join(folder, 'bin'));
writeFileSync(join(folder, 'bin/holdfast'), `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'dist/cli/main.js')}' "$@"\n`);
chmodSync(join(folder, 'bin/holdfast'), 0o755);
mkdirSync(join(folder, 'node_modules'));
symlinkSync(root, join(folder, 'node_modules/holdfast'));
symlinkSync(join(root, 'node_modules/zod'), join(folder, 'node_modules/zod'));
writeFileSync(join(folder, 'app.ts'), APP);
writeFileSync(join(folder, 'package.json'), '{}');
const env = {
  PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
  HOME: process.env.HOME,
  HOLDFAST_HOME: join(folder, '.holdfast'),
  HOLDFAST_MODEL: 'rehearsal',
  COLUMNS: '100',
};
const stack = spawn('holdfast', ['dev', '--app', './app.ts', '--port', '0', '--ui-port', '0', '--http-port', '0'], {
  ...{ cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true },
});
try {
  let printed = '';
  await new Promise((resolve, reject) => {
    stack.once('exit', () => reject(new Error('holdfast dev has ended.')));
    for (const stream of [stack.stdout, stack.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        printed += text;
        if (printed.includes('Ctrl-C ends all of it')) resolve();
      });
  });
  const lines = [];
  for (const [scene] of SCENES) {
    const text = typeof scene === 'function' ? scene(printed) : scene;
    lines.push({ kind: isCommand(text) ? 'command' : 'words', text });
    if (!isCommand(text)) continue;
    console.log(`$ ${text}`);
    const output = await run(text);
    printed += output;
    process.stdout.write(output);
    for (const line of output.trimEnd().split('\n')) lines.push({ kind: 'output', text: line });
    await sleep(3000); // until the turn has moved on
  }
  writeFileSync(join(root, 'docs/images/film.svg'), drawFilm(lines.filter(({ text }) => text !== '')));
  console.log('docs/images/film.svg');
} finally {
  process.kill(stack.pid, 'SIGINT');
  await new Promise((resolve) => stack.once('close', resolve));
  rmSync(folder, { recursive: true, force: true });
}

/** @returns what it prints on both streams @throws Error if it fails */
function run(command) {
  return new Promise((resolve, reject) => {
    const child = spawn('sh', ['-c', `${command} 2>&1`], { cwd: folder, env });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
    child.once('close', (code) => (code === 0 ? resolve(output) : reject(new Error(`${command}: exit ${code}\n${output}`))));
  });
}
