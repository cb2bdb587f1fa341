/** Another app for a running worker: a running call ends in the old app, and a new call runs in the new one. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineAgent, defineApp, type App } from '../../../../src/agents/define';
import { defineTool } from '../../../../src/tools/define/define';
import { endThreads } from '../../../../src/tools/isolation/pool';
import { ToolThreads } from '../../../../src/tools/isolation/tool-threads';
import { Registry } from '../../../../src/tools/catalogue/registry';
import { runTool, type RunResult } from '../../../../src/tools/run/run';
import { eventually, withEngine } from '../../../engine/support/engine';
import { ask, results, say } from '../../../support/scripted-model';
import { toolContext } from '../../../support/tool-context';

const never = new AbortController().signal;
const SOURCE = join(__dirname, '../../../../src');
const settings = { name: 'answers', version: '1.0.0', class: 'read', isolate: true } as const;

/** What the file's own says: its word, once the file `goes` is there. */
const answers = defineTool({
  ...settings,
  description: 'Answers.',
  input: { type: 'object', properties: { goes: { type: 'string' } } },
  run: () => 'on the worker’s thread',
});
const app = (): App => defineApp({ agents: [defineAgent({ name: 'test', prompt: 'p', tools: [answers] })] });

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-replace-'));
  file = join(folder, 'app.ts');
  write('first');
});
afterEach(() => rmSync(folder, { recursive: true }));
afterAll(() => endThreads());

function write(word: string): void {
  writeFileSync(
    file,
    `import { existsSync, writeFileSync } from 'node:fs';
    import { defineAgent, defineApp } from ${JSON.stringify(join(SOURCE, 'agents', 'define'))};
    import { defineTool } from ${JSON.stringify(join(SOURCE, 'tools', 'define', 'define'))};
    const run = async ({ goes }: any) => {
      if (goes) writeFileSync(goes + '.waits', '');
      while (goes && !existsSync(goes)) await new Promise((resolve) => setTimeout(resolve, 20));
      return ${JSON.stringify(word)};
    };
    const input = { type: 'object', properties: { goes: { type: 'string' } } };
    const answers = defineTool({ ...${JSON.stringify(settings)}, description: 'Answers.', input, run } as never);
    export default defineApp({ agents: [defineAgent({ name: 'test', prompt: 'p', tools: [answers] })] });
    `,
  );
}

const ready = (threads: ToolThreads, owner = 'ana') => threads.ready('test', answers, owner, never);

async function said(threads: ToolThreads, input: object = {}, owner = 'ana'): Promise<RunResult> {
  const thread = await ready(threads, owner);
  return runTool(answers, input as never, toolContext(), { timeoutMs: 20_000, run: (...given) => thread.run(...given) });
}

it('a running call ends in the old app; a call that waits for a thread or begins later runs in the new app', async () => {
  const threads = new ToolThreads(file, { threads: 1 });
  const goes = join(folder, 'goes');
  const thread = await ready(threads);
  const running = runTool(answers, { goes }, toolContext(), { timeoutMs: 20_000, run: (...given) => thread.run(...given) });
  const waits = said(threads, {}, 'ben');
  write('second');
  threads.renew();
  expect(await said(threads, {}, 'cleo')).toMatchObject({ data: 'second' });
  writeFileSync(goes, '');
  expect(await running).toMatchObject({ data: 'first' });
  expect(await waits).toMatchObject({ data: 'second' });
});

it('a call whose thread has not loaded the file when the app is replaced gets a thread with the new file', async () => {
  const threads = new ToolThreads(file, { threads: 1 });
  const loads = said(threads);
  await sleep(20); // a thread takes longer to begin
  write('second');
  threads.renew();
  expect(await loads).toMatchObject({ data: 'second' });
});

it('a file that has changed without a replacement of the app does not run, nor does one that has changed again since', async () => {
  const threads = new ToolThreads(file, { threads: 2 });
  write('second');
  const refused = { nothingHappened: true, detail: { reason: 'app_not_loaded', message: expect.stringContaining('changed') } };
  await expect(ready(threads)).rejects.toMatchObject(refused);
  threads.renew();
  write('third');
  await expect(ready(threads)).rejects.toMatchObject(refused);
  threads.renew();
  expect(await said(threads)).toMatchObject({ data: 'third' });
});

it('a worker serves the new app from the next call on, and lets the running one end', async () => {
  const registry = new Registry(app());
  const goes = join(folder, 'goes');
  const script = [ask(['answers', { goes }]), ask(['answers', {}]), say('Done.')];
  await withEngine({ registry, app: app(), script, settings: { appModule: file } }, async ({ start, model }) => {
    const turn = await start('Ask.', { agent: 'test', requester: 'rita' });
    await eventually('the call runs', async () => existsSync(`${goes}.waits`), 60_000);
    write('second');
    registry.replace(app());
    writeFileSync(goes, '');
    await turn.result();
    expect(model.requests.slice(1).map((request) => results(request).at(-1)!.body.data)).toEqual(['first', 'second']);
  });
});

it('a worker without a module to load from refuses an app with an isolated tool, and goes on with the old app', async () => {
  const registry = new Registry(defineApp({ agents: [defineAgent({ name: 'test', prompt: 'p', tools: [] })] }));
  await withEngine({ registry, app: defineApp({ agents: [] }) }, async () => {
    expect(() => registry.replace(app())).toThrow('pass appModule');
    expect([...registry.agent('test')!.tools.keys()]).toEqual(['read_result']);
  });
});
