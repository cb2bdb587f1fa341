/** The Dockerfile and what it may copy, read line by line: no container engine is needed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../support/compose-file';
import { freePort } from '../../support/free-port';
import { holdfast } from '../support/process';

interface Instruction {
  name: string;
  rest: string;
}

/** Instructions in order; continued lines are one, comments are none. */
function instructions(text: string): Instruction[] {
  return text
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name, rest] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
      if (!name) throw new Error(`This line of the Dockerfile is no instruction: ${line}`);
      return { name, rest: rest! };
    });
}

const all = instructions(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'));
const runtime = all.slice(all.map(({ name }) => name).lastIndexOf('FROM'));
const only = (name: string) => {
  const found = runtime.filter((instruction) => instruction.name === name);
  expect(found).toHaveLength(1);
  return found[0]!.rest;
};

describe('Dockerfile', () => {
  it('pins its base image by a full version, the same in every stage', () => {
    const stages = new Set<string>();
    const bases = all.flatMap(({ name, rest }) => {
      if (name !== 'FROM') return [];
      const [from, , stage] = rest.split(/\s+/);
      if (stage) stages.add(stage);
      return stages.has(from!) ? [] : [from!];
    });
    expect(new Set(bases).size).toBe(1);
    expect(bases[0]).toMatch(/^node:20\.\d+\.\d+-bookworm-slim(@sha256:[0-9a-f]{64})?$/);
  });

  it('runs the worker as a user who is not root, as process 1 of its own: no shell, no npm', () => {
    expect(only('USER')).toBe('node');
    expect([...JSON.parse(only('ENTRYPOINT')), ...JSON.parse(only('CMD'))]).toEqual(['node', 'dist/cli/main.js', 'worker']);
    const order = runtime.map(({ name }) => name);
    expect(order.indexOf('USER')).toBeGreaterThan(order.lastIndexOf('RUN'));
  });

  it('asks for health with Node itself: of a worker at its health port, of a gateway at its own', async () => {
    const [, command] = /^(?:--\S+ +)+CMD (\[.*\])$/.exec(only('HEALTHCHECK')) ?? [];
    const [node, flag, script] = JSON.parse(command!) as string[];
    expect([node, flag]).toEqual(['node', '-e']);
    expect(only('ENV')).toContain('HOLDFAST_HEALTH_PORT=8481');

    const health = { status: 200, paths: [] as (string | undefined)[] };
    const server = createServer((request, response) => {
      health.paths.push(request.url);
      response.writeHead(health.status).end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const nobody = await freePort();
    const kinds = [
      { HOLDFAST_HEALTH_PORT: `${port}`, HOLDFAST_HTTP_PORT: `${nobody}` },
      { HOLDFAST_HEALTH_PORT: `0.0.0.0:${port}`, HOLDFAST_HTTP_PORT: `${nobody}` },
      { HOLDFAST_HEALTH_PORT: `${nobody}`, HOLDFAST_HTTP_PORT: `${port}` },
    ];
    const check = async (env: Record<string, string>) => {
      const child = spawn(process.execPath, [flag!, script!], { env, stdio: 'ignore' });
      return (await once(child, 'close'))[0] as number;
    };
    for (const env of kinds) expect([env, await check(env)]).toEqual([env, 0]);
    health.status = 503;
    for (const env of kinds) expect([env, await check(env)]).toEqual([env, 1]);
    expect(new Set(health.paths)).toEqual(new Set(['/healthz']));
    server.closeAllConnections();
    await once(server.close(), 'close');
    expect(await check(kinds[0]!)).toBe(1);
  });

  it('reports a gateway as healthy that runs as its command says', async () => {
    const script = (JSON.parse(/CMD (\[.*\])$/.exec(only('HEALTHCHECK'))![1]!) as string[])[2]!;
    const home = await mkdtemp(join(tmpdir(), 'holdfast-image-'));
    const port = await freePort();
    const gateway = holdfast(home, ['gateway'], { HOLDFAST_HTTP_HOST: '0.0.0.0', HOLDFAST_HTTP_PORT: `${port}` });
    try {
      await gateway.printed(/http:\/\/0\.0\.0\.0:/);
      const env = { HOLDFAST_HEALTH_PORT: `${await freePort()}`, HOLDFAST_HTTP_PORT: `${port}` };
      const [code] = (await once(spawn(process.execPath, ['-e', script], { env, stdio: 'ignore' }), 'close')) as [number];
      expect(code).toBe(0);
    } finally {
      await gateway.stop();
      await rm(home, { recursive: true, force: true });
    }
  });

  it('writes nowhere but in HOLDFAST_HOME, which belongs to its user', () => {
    const [, home] = /HOLDFAST_HOME=(\S+)/.exec(only('ENV')) ?? [];
    const made = runtime.find(({ name, rest }) => name === 'RUN' && rest.includes(`"${home}"`));
    expect(made?.rest).toContain('"--owner=node"');
  });

  it('puts no development dependency and no source into the image that runs', () => {
    const copied = runtime.filter(({ name }) => name === 'COPY').map(({ rest }) => rest);
    expect(copied).toContain('--from=dependencies /app/node_modules ./node_modules');
    expect(copied.join('\n')).not.toMatch(/(^| )(\.|src|scripts|test)( |$)/m);
    expect(all.find(({ rest }) => rest.includes('npm prune'))?.rest).toContain('--omit=dev');
  });

  it('finds all that it copies in the build context, which holds nothing else', () => {
    const context = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(context[0]).toBe('*');
    const allowed = context.slice(1).map((line) => line.replace(/^!/, ''));
    const copied = all
      .filter(({ name, rest }) => name === 'COPY' && !rest.startsWith('--from'))
      .flatMap(({ rest }) => rest.split(/\s+/).slice(0, -1));
    // A file that is copied before its folder is in the context with the folder.
    const outermost = copied.filter((path) => !copied.some((other) => path.startsWith(`${other}/`)));
    expect([...new Set(outermost)].sort()).toEqual([...allowed].sort());
    for (const path of allowed) expect([path, existsSync(join(ROOT, path))]).toEqual([path, true]);
  });
});
