/** Servers that others have written, in turns, and killed in the middle of a call. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporal } from '@temporalio/proto';
import type { TurnHandle } from '../../../../src/client/turns/turn-handle';
import type { ServerEntry } from '../../../../src/mcp';
import { eventually } from '../../../engine/support/engine';
import { hostPid } from '../../../support/host-pid';
import { freePort } from '../../../support/free-port';
import { pythonMcpServers } from '../../support/mcp-python';
import { ask, results, say, ScriptedModel } from '../../../support/scripted-model';
import { withMcp, type McpEngine, type McpSetup } from '../../../engine/support/packs/mcp/mcp-engine';

const STARTED = temporal.api.enums.v1.PendingActivityState.PENDING_ACTIVITY_STATE_STARTED;
const python = pythonMcpServers();
const describePython = python ? describe : describe.skip;

let folder: string;
beforeEach(() => (folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-real-')))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const script = (name: string, file = 'dist/index.js') =>
  join(__dirname, '../../../../node_modules/@modelcontextprotocol', name, file);
const noted = () => (existsSync(join(folder, 'pids')) ? readFileSync(join(folder, 'pids'), 'utf8').trim().split('\n') : []);
/** To the server that was started last. */
const signalLast = (signal: NodeJS.Signals) => {
  const [pid, namespace] = noted().at(-1)!.split(' ');
  process.kill(hostPid(Number(pid), namespace!), signal);
};

/** The program notes its process id, so that the test can kill just that one. */
function program(command: string, args: string[], env: Record<string, string> = {}): ServerEntry {
  return {
    command: 'sh',
    args: ['-c', 'echo $$ $(readlink /proc/self/ns/pid) >> "$0"; exec "$@"', join(folder, 'pids'), command, ...args],
    env,
  };
}
const node = (name: string, args: string[] = [], env: Record<string, string> = {}) =>
  program(process.execPath, [script(name), ...args], env);
const answers = (engine: McpEngine, request = 1) => results(engine.model.requests[request]!);

/** Waits until a worker runs the turn's call, and then for the server to have the request. */
async function underWay({ client }: McpEngine, { workflowId }: TurnHandle, ms: number): Promise<void> {
  await eventually('the call is under way', async () => {
    const { raw } = await client.temporal.workflow.getHandle(workflowId).describe();
    return raw.pendingActivities?.some(({ activityType, state }) => activityType?.name === 'runCall' && state === STARTED);
  });
  await sleep(ms);
}

/** The turn's first call runs, and hangs in the server. */
async function hanging(engine: McpEngine): Promise<TurnHandle> {
  const turn = await engine.start();
  await underWay(engine, turn, 1500);
  return turn;
}

/** A destructive call, approved, whose server dies before it can answer. */
async function killedDestructive(
  setup: McpSetup,
  hangs: (engine: McpEngine, turn: TurnHandle) => Promise<unknown>,
  kill: () => void = () => void signalLast('SIGKILL'),
): Promise<void> {
  await withMcp(setup, async (engine) => {
    const turn = await engine.start();
    const [call] = await turn.waitForPending();
    await turn.approve(call.digest, { by: 'ana' });
    await hangs(engine, turn);
    kill();
    const doubted = await eventually('it is in doubt', async () =>
      (await turn.pending()).find(({ state }) => state === 'in_doubt'),
    );
    expect(doubted.error).toMatchObject({ code: 'NETWORK_ERROR' });
    await turn.settle(doubted.digest, 'not_applied', { by: 'ana' });
    expect((await turn.result()).state).toBe('completed');
  });
}

const running = (what: string) => eventually(`${what} runs`, async () => existsSync(join(folder, what)));

describe('server-filesystem', () => {
  it('reads without a question, writes once a person has approved it, and keeps to its folder', () =>
    withMcp(
      {
        servers: { files: node('server-filesystem', [folder]) },
        accept: { files: { read_text_file: 'read' } },
        script: [
          ask(['files__write_file', { path: join(folder, 'a.txt'), content: 'hello' }]),
          ask(['files__read_text_file', { path: join(folder, 'a.txt') }], ['files__read_text_file', { path: '/etc/passwd' }]),
          say('done'),
        ],
      },
      async (engine) => {
        const turn = await engine.start();
        const [call] = await turn.waitForPending();
        expect(existsSync(join(folder, 'a.txt'))).toBe(false);
        await turn.approve(call.digest, { by: 'ana' });
        expect((await turn.result()).state).toBe('completed');
        expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('hello');
        const [inside, outside] = answers(engine, 2);
        expect(JSON.stringify(inside!.body.data)).toContain('hello');
        expect(outside).toMatchObject({ isError: true, body: { error: { reason: 'tool_failed' } } });
      },
    ));

  it('killed during a read: the read is made again over a new connection', async () => {
    const path = join(folder, 'pipe');
    execFileSync('mkfifo', [path]); // reading it takes for ever
    await withMcp(
      {
        servers: { files: node('server-filesystem', [folder]) },
        accept: { files: { read_text_file: 'read' } },
        script: [ask(['files__read_text_file', { path }]), say('done')],
      },
      async (engine) => {
        const turn = await hanging(engine);
        rmSync(path);
        writeFileSync(path, 'now a file');
        signalLast('SIGKILL');
        expect((await turn.result()).state).toBe('completed');
        expect(JSON.stringify(answers(engine)[0]!.body.data)).toContain('now a file');
        const [call] = (await turn.status()).calls;
        expect(call!.attempts).toBeGreaterThan(1);
      },
    );
  });
});

describe('server-memory', () => {
  const entities = [{ name: 'Ana', entityType: 'person', observations: ['pays'] }];

  it('remembers facts once a person has approved the call', () =>
    withMcp(
      {
        servers: { memory: node('server-memory', [], { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') }) },
        accept: { memory: { read_graph: 'read', create_entities: 'write' } },
        agent: { permissions: { ask: ['memory__create_entities'] } },
        script: [ask(['memory__create_entities', { entities }]), ask(['memory__read_graph', {}]), say('done')],
      },
      async (engine) => {
        const turn = await engine.start();
        const [call] = await turn.waitForPending();
        await turn.approve(call.digest, { by: 'ana' });
        await turn.result();
        expect(answers(engine, 2)[0]!.body.data.structured.entities).toMatchObject([{ name: 'Ana', entityType: 'person' }]);
      },
    ));

  it('killed while it remembers: the call is in doubt', async () => {
    const path = join(folder, 'memory.jsonl');
    execFileSync('mkfifo', [path]);
    await killedDestructive(
      {
        servers: { memory: node('server-memory', [], { MEMORY_FILE_PATH: path }) },
        script: [ask(['memory__create_entities', { entities }]), say('done')],
      },
      (engine, turn) => underWay(engine, turn, 4000),
    );
  });
});

describe.each(['stdio', 'http', 'sse'] as const)('server-everything over %s', (way) => {
  /** One for all tests, until one of them kills it. */
  let server: ChildProcess | undefined;
  let port = 0;
  afterAll(() => server?.kill('SIGKILL'));

  async function serve(): Promise<void> {
    const args = [script('server-everything'), way === 'http' ? 'streamableHttp' : 'sse'];
    server = spawn(process.execPath, args, {
      env: { ...process.env, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    await eventually('the server listens', async () =>
      fetch(`http://127.0.0.1:${port}/`).then(
        () => true,
        () => false,
      ),
    );
  }

  async function everything(): Promise<ServerEntry> {
    if (way === 'stdio') return node('server-everything', ['stdio']);
    port ||= await freePort();
    if (server === undefined) await serve();
    return { type: way, url: `http://127.0.0.1:${port}/${way === 'http' ? 'mcp' : 'sse'}` };
  }

  function kill(): void {
    if (way === 'stdio') return signalLast('SIGKILL');
    server!.kill('SIGKILL');
    server = undefined;
  }

  const long = (duration: number) => ask(['everything__trigger-long-running-operation', { duration, steps: 2 }]);

  it('gives sums, pictures, links and structured content', async () => {
    const entry = await everything();
    await withMcp(
      {
        servers: { everything: entry },
        accept: {
          everything: {
            'get-sum': 'read',
            'get-tiny-image': 'read',
            'get-resource-links': 'read',
            'get-structured-content': 'read',
          },
        },
        script: [
          ask(
            ['everything__get-sum', { a: 2, b: 3 }],
            ['everything__get-tiny-image', {}],
            ['everything__get-resource-links', { count: 2 }],
            ['everything__get-structured-content', { location: 'Chicago' }],
          ),
          say('done'),
        ],
      },
      async (engine) => {
        expect((await (await engine.start()).result()).state).toBe('completed');
        const [sum, image, links, structured] = answers(engine).map(({ body }) => body.data);
        expect(sum.text).toContain('5');
        expect(JSON.stringify(image)).toContain('image/png');
        expect(JSON.stringify(links)).toContain('resource_link');
        expect(structured.structured).toMatchObject({ conditions: expect.any(String) });
      },
    );
  });

  it('killed during a read: it is made again once the server is back', async () => {
    const entry = await everything();
    await withMcp(
      {
        servers: { everything: entry },
        accept: { everything: { 'trigger-long-running-operation': 'read' } },
        script: [long(4), say('done')],
      },
      async (engine) => {
        const turn = await hanging(engine);
        kill();
        if (way !== 'stdio') await serve();
        expect((await turn.result()).state).toBe('completed');
        expect(answers(engine)[0]).toMatchObject({
          isError: false,
          body: { data: { text: expect.stringContaining('completed') } },
        });
        expect((await turn.status()).calls[0]!.attempts).toBeGreaterThan(1);
      },
    );
  });

  it('killed during a call that nobody has accepted as harmless: it is in doubt', async () => {
    const entry = await everything();
    await killedDestructive(
      { servers: { everything: entry }, script: [long(30), say('done')] },
      (engine, turn) => underWay(engine, turn, 4000),
      kill,
    );
  });
});

describePython('mcp-server-git of PyPI (needs HOLDFAST_REQUIRE_MCP_SERVERS=1 once)', () => {
  const git = (...args: string[]) => execFileSync('git', ['-C', join(folder, 'repo'), ...args], { encoding: 'utf8' });
  const entry = () =>
    program(join(python!, 'mcp-server-git'), ['--repository', join(folder, 'repo')], {
      GIT_AUTHOR_NAME: 'a',
      GIT_AUTHOR_EMAIL: 'a@b',
      GIT_COMMITTER_NAME: 'a',
      GIT_COMMITTER_EMAIL: 'a@b',
    });

  beforeEach(() => {
    mkdirSync(join(folder, 'repo'));
    git('init', '-q');
    git('config', 'user.email', 'a@b');
    git('config', 'user.name', 'a');
    writeFileSync(join(folder, 'repo', 'a.txt'), 'a');
    git('add', '.');
  });

  /** Says that it runs, and does not end. */
  function hangs(name: string): string {
    const path = join(folder, `${name}.sh`);
    writeFileSync(path, `#!/bin/sh\ntouch ${join(folder, name)}\nexec sleep 60\n`);
    chmodSync(path, 0o755);
    return path;
  }

  it('commits once a person has approved the call', () =>
    withMcp(
      {
        servers: { git: entry() },
        script: [ask(['git__git_commit', { repo_path: join(folder, 'repo'), message: 'first' }]), say('done')],
      },
      async ({ start }) => {
        const turn = await start();
        const [call] = await turn.waitForPending();
        await turn.approve(call.digest, { by: 'ana' });
        await turn.result();
        expect(git('log', '--format=%s').trim()).toBe('first');
      },
    ));

  it('killed during a diff: it is made again over a new connection', async () => {
    git('commit', '-q', '-m', 'first');
    writeFileSync(join(folder, 'repo', 'a.txt'), 'b');
    // The first time it hangs, from then on it answers.
    const differ = join(folder, 'differ.sh');
    const mark = join(folder, 'differ');
    writeFileSync(differ, `#!/bin/sh\nif [ ! -e ${mark} ]; then touch ${mark}; exec sleep 60; fi\necho a difference\n`);
    chmodSync(differ, 0o755);
    git('config', 'diff.external', differ);
    await withMcp(
      {
        servers: { git: entry() },
        accept: { git: { git_diff_unstaged: 'read' } },
        script: [ask(['git__git_diff_unstaged', { repo_path: join(folder, 'repo') }]), say('done')],
      },
      async (engine) => {
        const turn = await engine.start();
        await running('differ');
        signalLast('SIGKILL');
        expect((await turn.result()).state).toBe('completed');
        expect(JSON.stringify(answers(engine)[0]!.body.data)).toContain('a difference');
        expect((await turn.status()).calls[0]!.attempts).toBeGreaterThan(1);
      },
    );
  });

  it('killed during a commit: the call is in doubt', async () => {
    git('config', 'core.hooksPath', folder);
    writeFileSync(join(folder, 'pre-commit'), readFileSync(hangs('hook'), 'utf8'));
    chmodSync(join(folder, 'pre-commit'), 0o755);
    await killedDestructive(
      {
        servers: { git: entry() },
        script: [ask(['git__git_commit', { repo_path: join(folder, 'repo'), message: 'first' }]), say('done')],
      },
      () => running('hook'),
    );
  });
});

describePython('mcp-server-time of PyPI (needs HOLDFAST_REQUIRE_MCP_SERVERS=1 once)', () => {
  it('killed while it is asked for the time: it is asked again', () => {
    const script = [ask(['time__get_current_time', { timezone: 'Europe/Berlin' }]), say('done')];
    // From the first model request on the server answers nothing.
    const model = new ScriptedModel(script, async (index) => void (index === 0 && signalLast('SIGSTOP')));
    return withMcp(
      {
        servers: { time: program(join(python!, 'mcp-server-time'), ['--local-timezone=UTC']) },
        accept: { time: { get_current_time: 'read' } },
        model,
      },
      async (engine) => {
        const turn = await hanging(engine);
        signalLast('SIGKILL');
        expect((await turn.result()).state).toBe('completed');
        expect(JSON.stringify(answers(engine)[0]!.body.data)).toContain('Europe/Berlin');
        expect((await turn.status()).calls[0]!.attempts).toBeGreaterThan(1);
      },
    );
  });
});
