import { execFileSync } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineAgent, defineApp } from '../../../src/agents/define';
import { createWorker } from '../../../src/worker';
import { withEngine } from '../../engine/support/engine';
import { say, ScriptedModel } from '../../support/scripted-model';
import { reads } from '../../support/tools';

const agent = (more: object = {}) => defineAgent({ name: 'tester', prompt: 'Test.', tools: [reads('bash', () => 1)], ...more });
const prices = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 };

describe('tools of the vendor’s', () => {
  it.each(['bash_20250124', 'text_editor_20250728', 'memory_20250818', 'computer_20251124', 'computer_toolset_20260801'])(
    'that would run here (%s) are refused, with what to do instead',
    (type) => {
      expect(() => agent({ serverTools: [{ type, name: 'x' }] })).toThrow(/serverTools\[0\] .*runs here.*defineTool/);
    },
  );

  it.each<[object, RegExp]>([
    [{ name: 'x', input_schema: {} }, /schema of its own.*defineTool/],
    [{ type: 'web_search_20250305', name: 'bash' }, /named like one of the agent's tools/],
  ])('%j is refused', (definition, words) => {
    expect(() => agent({ serverTools: [definition] })).toThrow(words);
  });

  it('that run at the vendor’s are taken', () => {
    const serverTools = [
      'web_search_20250305',
      'web_fetch_20260318',
      'code_execution_20260521',
      'tool_search_tool_regex_20251119',
    ];
    expect(agent({ serverTools: serverTools.map((type) => ({ type, name: type })) }).serverTools).toHaveLength(4);
  });
});

describe('prices of an app', () => {
  it.each<[object, RegExp]>([
    [{ m: { prices: { input: 1 } } }, /models\["m"\]\.prices must be \{input, output, cacheRead, cacheWrite\}/],
    [{ m: { prices: { ...prices, output: -1 } } }, /each 0 or more/],
    [{ m: { price: prices } }, /price is no field/],
  ])('%j are refused', (models, words) => {
    expect(() => defineApp({ agents: [agent()], models: models as never })).toThrow(words);
  });

  it('come from its file, and so do its hooks', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'holdfast-app-')), 'app.mjs');
    const lib = JSON.stringify(join(process.cwd(), 'dist/index.js'));
    const app = `defineApp({ agents: [defineAgent({ name: 'a', prompt: 'A.', tools: [] })], models: { m: { prices: ${JSON.stringify(prices)} } }, hooks: { before: [{ name: 'first', run: () => undefined }] } })`;
    await writeFile(file, `import { createRequire } from 'node:module';\nconst { defineAgent, defineApp } = createRequire(import.meta.url)(${lib});\nexport default ${app};\n`); // oxfmt-ignore
    const load = `require(${JSON.stringify(join(process.cwd(), 'dist/agents/load-app.js'))}).loadApp(${JSON.stringify(file)})`;
    const print = `.then(({ models, hooks }) => console.log(JSON.stringify([models, hooks.before.map((hook) => hook.name)])))`;
    const printed = execFileSync(process.execPath, ['-e', load + print], { encoding: 'utf8' }); // Jest cannot load it
    expect(JSON.parse(printed)).toEqual([{ m: { prices } }, ['first']]);
  });
});

describe('a limit of cost', () => {
  const app = (limits: object, models = {}) => defineApp({ agents: [agent({ limits })], models });
  const run = (of: ReturnType<typeof app>) =>
    withEngine({ app: of, script: [say('ok')] }, async ({ start }) => {
      expect(await (await start()).result()).toMatchObject({ state: 'completed' });
    });

  it('without a price of the model does not start, and says what to do', async () => {
    const model = new ScriptedModel([]);
    const parts = { app: app({ costUsd: 3 }), model, defaultModel: 'scripted', address: '127.0.0.1:7233' };
    const words = /Agent tester has limits\.costUsd 3, and no price .*"scripted".*models/;
    await expect(createWorker(parts as never)).rejects.toThrow(words);
  });

  it('starts with a price that the app sets, and that price counts', () =>
    withEngine({ app: app({ costUsd: 3 }, { scripted: { prices } }), script: [say('ok')] }, async ({ start }) => {
      expect((await (await start()).result()).usage.cost_usd).toBeCloseTo((100 * 1 + 10 * 2) / 1e6, 9);
    }));

  it('that is the default, or none, needs no price', async () => {
    await run(app({}));
    await run(app({ costUsd: Infinity }));
  });
});
