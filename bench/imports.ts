/** Measures the import of each entry in a fresh process, in CPU time and modules, beside the packages that it is built on. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { median } from './support/quantile';

export interface Import {
  entry: string;
  bare: string;
  cpuMs: number;
  bareCpuMs: number;
  modules: number;
  bareModules: number;
}

const DIST = join(__dirname, '../dist');
const BARE_CLIENT = ['@temporalio/client'];
const BARE_TOOLS = ['ajv', 'zod'];
const BARE_WORKER = [...BARE_CLIENT, '@temporalio/worker', ...BARE_TOOLS];
const BARE_GATEWAY = [...BARE_CLIENT, ...BARE_TOOLS, 'fastify', '@fastify/cors', '@fastify/rate-limit', '@fastify/swagger'];
/** Each entry, with the packages that a program without holdfast would import in its place. */
const ENTRIES: Record<string, { file: string; bare: string[] }> = {
  'holdfast/client': { file: 'entries/client.js', bare: BARE_CLIENT },
  'holdfast/worker': { file: 'entries/worker.js', bare: BARE_WORKER },
  'holdfast/gateway': { file: 'entries/gateway.js', bare: BARE_GATEWAY },
  'holdfast/models': { file: 'entries/models.js', bare: [] },
  'holdfast/app': { file: 'entries/app.js', bare: BARE_TOOLS },
  'holdfast/tools': { file: 'entries/tools.js', bare: BARE_TOOLS },
  'holdfast/testing': { file: 'testing/index.js', bare: BARE_TOOLS },
  'holdfast/http': { file: 'http-client/index.js', bare: ['openapi-fetch'] },
  holdfast: { file: 'index.js', bare: BARE_WORKER },
};

/** Runs in a process of its own, where nothing is loaded yet. */
const SCRIPT = `
  const before = process.cpuUsage();
  for (const name of process.argv.slice(1)) require(name);
  const { user, system } = process.cpuUsage(before);
  console.log(JSON.stringify({ cpuMs: (user + system) / 1000, modules: Object.keys(require.cache).length }));`;

interface Loaded {
  cpuMs: number;
  modules: number;
}

function load(names: string[]): Loaded {
  const options = { cwd: join(__dirname, '..'), encoding: 'utf8' } as const;
  return JSON.parse(execFileSync(process.execPath, ['-e', SCRIPT, '--', ...names], options)) as Loaded;
}

/** Medians; each round measures both sides of each entry. */
export function imports(rounds: number, say: (line: string) => void): Import[] {
  return Object.entries(ENTRIES).map(([entry, { file, bare }]) => {
    const ours: Loaded[] = [];
    const theirs: Loaded[] = [];
    for (let round = 0; round < rounds; round++) {
      ours.push(load([join(DIST, file)]));
      theirs.push(load(bare));
    }
    say(`  ${entry}: ${rounds} rounds`);
    const cpu = (side: Loaded[]) => median(side.map(({ cpuMs }) => cpuMs));
    const sizes = { modules: ours[0]!.modules, bareModules: theirs[0]!.modules };
    return { entry, bare: bare.join(', '), cpuMs: cpu(ours), bareCpuMs: cpu(theirs), ...sizes };
  });
}
