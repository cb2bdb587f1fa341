/** Conversations on the command line, beside a worker of our own. */
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentTool } from '../../../src/agents/agent-tool';
import { defineAgent } from '../../../src/agents/define';
import { FileStore } from '../../../src/store/files/file-store';
import { eventually, testAddress, withEngine, type Engine } from '../../engine/support/engine';
import { ask, say, type Answer } from '../../support/scripted-model';
import { afterTurns } from '../../engine/support/sessions';
import { withAgents } from '../../engine/support/sub-agents';
import { pays, reads } from '../../support/tools';
import { environment, lines, run } from '../../support/command-line';
import { collect, MAIN, type Running } from './support/cli';

const invoice = { invoice: 'INV-7', cents: 700 };
const HAS_SCRIPT = spawnSync('script', ['--version']).stdout?.toString().includes('util-linux') ?? false;
const onTerminal = HAS_SCRIPT ? it : it.skip;
const newId = () => `chat-${randomBytes(4).toString('hex')}`;

describe('conversations on the command line', () => {
  let home: string;
  beforeAll(async () => void (home = await mkdtemp(join(tmpdir(), 'holdfast-chat-'))));
  afterAll(() => rm(home, { recursive: true, force: true }));

  const env = ({ taskQueue }: Engine) =>
    environment({ TEMPORAL_ADDRESS: testAddress(), HOLDFAST_TASK_QUEUE: taskQueue, HOLDFAST_HOME: home, USER: 'ana' });
  const holdfast = (engine: Engine, ...args: string[]) => run(args, env(engine));
  const json = async (engine: Engine, ...args: string[]) => {
    const { code, stdout, stderr } = await holdfast(engine, ...args, '--json');
    expect({ code, stderr, args }).toMatchObject({ code: 0, stderr: '' });
    return JSON.parse(stdout) as any;
  };
  /** Its standard input is open: it reads what is written there. */
  const chat = (engine: Engine, ...args: string[]): Running =>
    collect(spawn(process.execPath, [MAIN, 'chat', '--agent', 'tester', ...args], { env: env(engine), stdio: 'pipe' }));
  const scene = (script: Answer[], body: (engine: Engine, effects: unknown[]) => Promise<void>) => {
    const effects: unknown[] = [];
    return withEngine({ tools: [pays('pay', effects)], script }, (engine) => body(engine, effects));
  };

  it('chat takes each line of standard input as a message of one session, and answers in order', () =>
    scene([say('one'), say('two')], async (engine) => {
      const id = newId();
      const talking = chat(engine, '--session', id);
      talking.stdin!.end('First.\n\nSecond.\n');
      const { code, stdout } = await talking.ended;
      expect(code).toBe(0);
      expect(stdout.split('\n')[0]).toBe(`session ${id}, agent tester`);
      expect(stdout).not.toMatch(/First|Second|completed/); // the person who typed it knows his text, and that it was answered
      expect(stdout.split('\n').filter((line) => line === 'one' || line === 'two')).toEqual(['one', 'two']);
      expect(await afterTurns(engine.client.session(id), 2)).toMatchObject({ turns: 2 });
    }));

  it('chat --file sends a file with the first message; a line of a script is never a command', async () => {
    const path = join(home, 'invoice.txt');
    await writeFile(path, 'INV-7, 700 cents');
    const store = await FileStore.open(join(home, 'store'));
    await withEngine({ store, script: [say('one'), say('two')] }, async (engine) => {
      const talking = chat(engine, '--session', newId(), '--file', path);
      talking.stdin!.end(`Read it.\n/file ${path}\n`);
      expect(await talking.ended).toMatchObject({ code: 0 });
      const [first, second] = engine.model.requests.map(({ messages }) => messages.at(-1)!.content);
      expect(first).toMatchObject([
        { type: 'text', text: 'Read it.' },
        { type: 'document', title: 'invoice.txt' },
      ]);
      expect(second).toEqual([{ type: 'text', text: `/file ${path}` }]);
    });
  });

  it.each(['exit', ' QUIT '])('chat ends at a line %j, which is no message', (word) =>
    scene([say('one')], async (engine) => {
      const id = newId();
      const talking = chat(engine, '--session', id);
      talking.stdin!.write(`First.\n${word}\nSecond.\n`); // its input stays open
      expect(await talking.ended).toMatchObject({ code: 0 });
      expect(await engine.client.session(id).status()).toMatchObject({ turns: 1 });
    }),
  );

  it('chat without a terminal says how a call is decided, goes on when it is, and exits with the last turn’s code', () =>
    scene([ask(['pay', invoice]), say('not paid')], async (engine, effects) => {
      const id = newId();
      const talking = chat(engine, '--session', id);
      talking.stdin!.end('Pay.\n');
      const prefix = await eventually(
        'it waits',
        async () => /holdfast approve \S+ --call ([0-9a-f]{12})/.exec(talking.output.stderr)?.[1],
      );
      expect(await holdfast(engine, 'deny', `${id}.1`, '--call', prefix, '--by', 'bob')).toMatchObject({ code: 0 });
      const { code, stdout } = await talking.ended;
      expect({ code, effects }).toEqual({ code: 3, effects: [] });
      expect(stdout).toContain('not paid');
    }));

  const NEEDS = HAS_SCRIPT ? '' : ' (needs util-linux’ script)';
  /** On a terminal, where somebody types. */
  const typing = (engine: Engine, ...args: string[]) => {
    const command = [process.execPath, MAIN, 'chat', ...args].join(' ');
    const talking = collect(spawn('script', ['-qec', command, '/dev/null'], { env: env(engine), stdio: 'pipe' }));
    let read = 0;
    return {
      talking,
      type: (keys: string) => void talking.stdin!.write(keys),
      /** Waits for what comes after what was waited for before. */
      reads: async (text: string) => {
        const at = await eventually(`it says ${text}: ${talking.output.stdout}`, () =>
          Promise.resolve(talking.output.stdout.indexOf(text, read) + 1 || undefined),
        );
        read = at + text.length - 1;
      },
    };
  };

  onTerminal(`chat asks on the terminal, and runs what is approved there${NEEDS}`, () =>
    scene([ask(['pay', invoice]), say('paid it')], async (engine, effects) => {
      const { talking, type, reads } = typing(engine, '--agent', 'tester', '--session', newId());
      await reads('> ');
      type('Pay.\r');
      await reads('│ Agent `tester` asks for call 1.1');
      await reads('approve? [y]es');
      expect(effects).toEqual([]);
      type('y\r');
      await reads('paid it');
      await reads('> ');
      type('\x04'); // Ctrl-D
      expect((await talking.ended).code).toBe(0);
      expect(effects).toEqual([invoice]);
      expect(talking.output.stdout.split('paid it')).toHaveLength(2); // once: as it came, or when it was finished
      expect(talking.output.stdout).not.toContain('### Decide'); // that is for the Web UI
    }),
  );

  onTerminal(`a file that cannot be read is told at once, and the others go with the next message${NEEDS}`, async () => {
    const path = join(home, 'note.txt');
    await writeFile(path, 'INV-8, 800 cents');
    const store = await FileStore.open(join(home, 'store'));
    await withEngine({ store, script: [say('it is read')] }, async (engine) => {
      const { talking, type, reads } = typing(engine, '--agent', 'tester');
      await reads('> ');
      type(`/file ${path}\r`);
      await reads('goes with your next message');
      await reads('> ');
      type(`/file ${join(home, 'missing.txt')}\r`);
      await reads('missing.txt cannot be read');
      await reads('files that go with your next message: 1');
      await reads('> ');
      type('Read it.\r');
      await reads('it is read');
      await reads('> ');
      type('\x04');
      expect((await talking.ended).code).toBe(0);
      const { content } = engine.model.requests[0]!.messages.at(-1)!;
      expect(content).toMatchObject([
        { type: 'text', text: 'Read it.' },
        { type: 'document', title: 'note.txt' },
      ]);
    });
  });

  onTerminal(`Ctrl-D at a question leaves it open, and a person who comes back is asked again${NEEDS}`, () =>
    scene([ask(['pay', invoice]), say('not paid')], async (engine, effects) => {
      const id = newId();
      const first = typing(engine, '--agent', 'tester', '--session', id);
      await first.reads('> ');
      first.type('Pay.\r');
      await first.reads('approve? [y]es');
      first.type('\x04');
      const left = await first.talking.ended;
      expect(left).toMatchObject({ code: 0, stdout: expect.stringContaining(`holdfast chat --session ${id}`) });
      expect(left.stdout).not.toContain('Error');
      expect((await engine.client.turn(`${id}.1`).status()).state).toBe('awaiting_approval');

      const again = typing(engine, '--session', id);
      await again.reads(`turn ${id}.1 is under way`);
      await again.reads('approve? [y]es');
      again.type('n, not today\r');
      await again.reads('not paid');
      await again.reads('> ');
      again.type('\x04');
      expect((await again.talking.ended).code).toBe(0);
      const [call] = (await engine.client.turn(`${id}.1`).status()).calls;
      expect([effects, call!.approval.note]).toEqual([[], 'not today']);
    }),
  );

  onTerminal(`text that was typed before a question appears is no answer to it${NEEDS}`, async () => {
    let open!: () => void;
    const opened = new Promise<void>((resolve) => (open = resolve));
    const effects: unknown[] = [];
    const slow = reads('slow', async () => (await opened, { read: true }));
    const script = [ask(['slow', {}]), ask(['pay', invoice]), say('not paid')];
    await withEngine({ tools: [slow, pays('pay', effects)], script }, async (engine) => {
      const { talking, type, reads } = typing(engine, '--agent', 'tester');
      await reads('> ');
      type('Pay.\r');
      await reads('→ 1.1 slow');
      type('y\ry\r');
      for (let frame = 0; frame < 12; frame++) await reads('… slow '); // in more than a second: what was typed has been taken
      open();
      await reads('approve? [y]es');
      type('n\r');
      await reads('denied by');
      await reads('not paid');
      await reads('> ');
      type('\x04');
      expect((await talking.ended).code).toBe(0);
      expect(effects).toEqual([]);
    });
  });

  onTerminal(`chat asks about a call in doubt, and settles it there${NEEDS}`, async () => {
    const lost = pays('pay', [], {
      run: () => {
        throw new Error('the line went dead');
      },
    });
    await withEngine({ tools: [lost], script: [ask(['pay', invoice]), say('it was paid')] }, async (engine) => {
      const { talking, type, reads } = typing(engine, '--agent', 'tester');
      await reads('> ');
      type('Pay.\r');
      await reads('approve? [y]es');
      type('y\r');
      await reads('did it take effect? [a]pplied');
      type('a\r');
      await reads('it was paid');
      await reads('> ');
      type('\x04');
      expect((await talking.ended).code).toBe(0);
    });
  });

  onTerminal(`a sub-agent’s question appears in the chat with the agent that has called it${NEEDS}`, async () => {
    const effects: unknown[] = [];
    const worker = defineAgent({ name: 'payables', prompt: 'Pay.', tools: [pays('pay', effects)] });
    const lead = defineAgent({ name: 'lead', prompt: 'Lead.', tools: [agentTool(worker, { description: 'Pays.' })] });
    const scripts = {
      'Lead.': [ask(['payables', { task: 'Pay it.' }]), say('all done')],
      'Pay it.': [ask(['pay', invoice]), say('paid')],
    };
    await withAgents([lead], scripts, async (engine) => {
      const { talking, type, reads } = typing(engine, '--agent', 'lead');
      await reads('> ');
      type('Lead.\r');
      await reads('■ 1.1 pay of payables:');
      await reads('approve? [y]es');
      type('y\r');
      await reads('all done');
      await reads('> ');
      type('\x04');
      expect((await talking.ended).code).toBe(0);
      expect(effects).toEqual([invoice]);
    });
  });

  it('chat with a closed session is refused, with how to go on from it', () =>
    scene([say('one')], async (engine) => {
      const id = newId();
      await engine.client.session(id, { agent: 'tester', requester: 'ana' }).send('First.');
      const { head } = await afterTurns(engine.client.session(id), 1);
      await engine.client.session(id).close({ by: 'ana' });
      await eventually('it is closed', async () => (await engine.client.session(id).status()).state === 'closed');
      const { code, stderr } = await holdfast(engine, 'chat', '--session', id);
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`holdfast fork --from ${head}`) });
    }));

  it('run --session sends a message to it; sessions shows, renames and closes it; fork goes on from a block', () =>
    scene([say('one'), say('two'), say('other')], async (engine) => {
      const id = newId();
      const say = (text: string) => json(engine, 'run', '--agent', 'tester', '--session', id, '--id', text, text);
      expect(await say('First.')).toMatchObject({ turn_id: `${id}.1`, workflow_id: `turn/${id}.1` });
      expect((await say('Second.')).turn_id).toBe(`${id}.2`);
      expect((await say('First.')).turn_id).toBe(`${id}.1`);
      const { head } = await afterTurns(engine.client.session(id), 2);

      expect(await json(engine, 'sessions', id, '--rename', 'AAPL')).toMatchObject({ title: 'AAPL', turns: 2, head });
      expect((await holdfast(engine, 'sessions', id)).stdout).toContain(`head ${head}`);
      const first = (await json(engine, 'show', `${id}.1`)).head;
      const forked = await json(engine, 'fork', '--from', first, '--title', 'Otherwise');
      expect(forked).toMatchObject({ head: first, agent: 'tester', title: 'Otherwise', forked_from: { turn_id: `${id}.1` } });
      const other = await json(engine, 'run', '--agent', 'tester', '--session', forked.session_id, 'Otherwise?');
      expect(other.turn_id).toBe(`${forked.session_id}.1`);
      await afterTurns(engine.client.session(forked.session_id), 1);
      expect(engine.model.requests.at(-1)!.messages).toHaveLength(3);

      await eventually('both are listed', async () => {
        const listed = (await json(engine, 'sessions', '--agent', 'tester')).map((one: any) => one.session_id);
        return listed.includes(id) && listed.includes(forked.session_id);
      });
      expect(['closing', 'closed']).toContain((await json(engine, 'sessions', id, '--close')).state);
      const late = await holdfast(engine, 'run', '--agent', 'tester', '--session', id, 'More.');
      expect(late).toMatchObject({ code: 1, stderr: expect.stringContaining('is closed') });
      const none = await holdfast(engine, 'sessions', 'there-is-none');
      expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no session "there-is-none"') });
      expect(lines((await holdfast(engine, 'sessions', '--limit', '1', '--json')).stdout)[0]).toHaveLength(1);
    }));
});
