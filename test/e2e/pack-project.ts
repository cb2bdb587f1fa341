/** An empty TypeScript project outside of the repository, with the packed package and contract.md's example in it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, writeFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment } from '../cli/support/cli';

const ROOT = join(__dirname, '../..');
const manifest = readFileSync(join(ROOT, 'package.json'), 'utf8');
const { dependencies, devDependencies } = JSON.parse(manifest) as Record<string, Record<string, string>>;

const APP = `// app.ts: \`npx holdfast dev --app ./app.ts\`
import { defineAgent, defineApp, defineTool } from 'holdfast';
import { z } from 'zod';
import { bank } from './bank.js';

const pay = defineTool({
  name: 'pay_invoice', version: '1.0.0', class: 'destructive',
  description: 'Pays one supplier invoice.',
  input: z.object({ invoice: z.string(), cents: z.number().int().positive() }),
  preview: (input) => \`Pay \${input.cents} cents for \${input.invoice}\`,
  run: (input, ctx) => bank.pay(input, { idempotencyKey: ctx.idempotencyKey, signal: ctx.signal }),
});
export default defineApp({ agents: [defineAgent({ name: 'payables', prompt: 'Pay due invoices.', tools: [pay] })] });
`;

const SERVICE = `// service.ts
import { HoldfastClient } from 'holdfast';
const holdfast = await HoldfastClient.connect();
const turn = await holdfast.start({ agent: 'payables', message: 'Pay INV-7', id: 'inv-7' });
const [call] = await turn.waitForPending();
await turn.approve(call.digest, { by: 'ana' });   // or click: turn.uiUrl
console.log((await turn.result()).text);
`;

const BANK = `import { appendFile } from 'node:fs/promises';

interface Options {
  idempotencyKey: string;
  signal: AbortSignal;
}

export const bank = {
  async pay(invoice: { invoice: string; cents: number }, { idempotencyKey, signal }: Options) {
    signal.throwIfAborted();
    await appendFile('payments.jsonl', JSON.stringify({ ...invoice, idempotencyKey }) + '\\n');
    return { paid: true };
  },
};
`;

export interface Project {
  folder: string;
  env: NodeJS.ProcessEnv;
}

/** `npm pack` of the repository as it is built. @returns the tarball's path */
export function pack(into: string): string {
  mkdirSync(into, { recursive: true });
  npm(['pack', '--ignore-scripts', '--pack-destination', into], ROOT);
  return join(
    into,
    readdirSync(into).find((name) => name.endsWith('.tgz'))!,
  );
}

/**
 * Top-level await needs an ES module; CommonJS wraps it in a function, nothing else differs.
 * @param like a project that is done with: its installed packages go over to this one
 */
export function createProject(tarball: string, type: 'module' | 'commonjs', like?: Project): Project {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `holdfast-project-${type}-`)));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write('package.json', JSON.stringify({ name: 'payables', version: '1.0.0', private: true, type }, null, 2));
  if (like) renameSync(join(like.folder, 'node_modules'), join(folder, 'node_modules'));
  else install(folder, tarball);
  write('app.ts', APP);
  write('bank.ts', BANK);
  const [imports, ...body] = SERVICE.split(/(?<='holdfast';\n)/);
  write('service.ts', type === 'module' ? SERVICE : `${imports}async function main() {\n${body.join('')}}\nvoid main();\n`);
  return { folder, env: environment({ HOLDFAST_HOME: undefined }) };
}

function install(folder: string, tarball: string): void {
  const beside = [`zod@${dependencies!.zod}`, `typescript@${devDependencies!.typescript}`];
  npm(['install', '--prefer-offline', '--no-audit', '--no-fund', tarball, ...beside], folder);
}

function npm(args: string[], cwd: string): void {
  execFileSync('npm', [...args, '--loglevel', 'error'], { cwd, stdio: ['ignore', 'ignore', 'inherit'], env: environment() });
}
