/** What keeps a worker from serving an app with its models, and what it only warns of. */
import { z } from 'zod';
import { defineAgent, defineApp, type App } from '../../../src/agents/define';
import type { AgentDefinition } from '../../../src/agents/agent';
import { openai } from '../../../src/model/factories';
import { Models } from '../../../src/model/models';
import type { ModelProvider } from '../../../src/model/provider';
import { defineTool } from '../../../src/tools/define/define';
import { Registry } from '../../../src/tools/catalogue/registry';
import { checkModels, warnOfMisfits, warnOfPrices } from '../../../src/worker/models-at-start';
import { withoutProviders } from '../../../src/worker/own-model';

const OWN = new Models({ provider: provider('anthropic'), defaultModel: 'claude-sonnet-5' });
const NONE = new Models(null);
const gpt = openai({ model: 'gpt-5.2', apiKey: 'key' });

test('an agent without a model needs one of the worker', () => {
  const app = defineApp({ agents: [agent({})] });
  expect(() => checkModels(app, OWN)).not.toThrow();
  expect(() => checkModels(app, NONE)).toThrow('Agent payables names no model, and this worker has none of its own');
});

test('a model that nobody serves is named', () => {
  const app = defineApp({ agents: [agent({ model: ['gpt', 'opus'] })], models: { gpt, opus: {} } });
  expect(() => checkModels(app, OWN)).not.toThrow();
  expect(() => checkModels(app, NONE)).toThrow('Agent payables has the model "opus", and nobody serves it');
});

test('with a cost limit each model of the chain needs a price, and the one without is named', () => {
  const limited = agent({ model: ['opus', 'gpt'], limits: { costUsd: 1 } });
  const opus = { ...provider('anthropic'), model: 'claude-opus-5' };
  expect(() => checkModels(defineApp({ agents: [limited], models: { opus, gpt } }), NONE)).toThrow(
    'Agent payables has limits.costUsd 1, and no price is known of its model "gpt", so that the limit would not bind: set defineApp({ models: { "gpt": { prices:',
  );
  const priced = { provider: gpt, prices: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 } };
  expect(() => checkModels(defineApp({ agents: [limited], models: { opus, gpt: priced } }), NONE)).not.toThrow();
});

test('a provider that can never answer keeps the worker from starting', () => {
  const broken = {
    ...provider('openai'),
    checkSetup: () => {
      throw new Error('OPENAI_API_KEY is not set.');
    },
  };
  expect(() => checkModels(defineApp({ agents: [agent({ model: 'gpt' })], models: { gpt: broken } }), NONE)).toThrow(
    'Agent payables cannot use its model "gpt". OPENAI_API_KEY is not set.',
  );
});

test('a schema that a vendor cannot enforce is named, with the tool and the place', () => {
  const strict = { strict: true, version: '1.0.0', class: 'read', description: 'Reads.', run: () => null } as const;
  const fits = defineTool({ ...strict, name: 'fits', input: z.strictObject({ key: z.string() }) });
  const optional = defineTool({ ...strict, name: 'has_optional', input: z.strictObject({ key: z.string().optional() }) });
  const app = defineApp({ agents: [agent({ model: 'gpt', tools: [fits, optional] })], models: { gpt } });
  const warnings: unknown[] = [];
  const log = { debug: note, info: note, warn: note, error: note };
  function note(fields: unknown) {
    warnings.push(fields);
  }
  warnOfMisfits(new Registry(app).all(), NONE, log as never);
  expect(warnings).toEqual([
    { agent: 'payables', model: 'gpt', misfits: ['the tool has_optional goes without strict: input.key is optional'] },
  ]);
});

test('models without a price are named when a worker starts, once each, with what to do', () => {
  const warned = (app: App, models: Models) => {
    const lines: unknown[][] = [];
    const note = (...line: unknown[]) => void lines.push(line);
    warnOfPrices(app, models, { debug: note, info: note, warn: note, error: note });
    return lines;
  };
  const opus = { ...provider('anthropic'), model: 'claude-opus-5' };
  const agents = [agent({ model: ['opus', 'gpt'] }), { ...agent({ model: 'gpt' }), name: 'other' }];
  const models = { opus, gpt };
  expect(warned(defineApp({ agents, models }), NONE)).toEqual([
    [
      { models: ['gpt'], todo: expect.stringContaining('prices') },
      expect.stringContaining('the cost of their steps is unknown, and limits in dollars do not bind'),
    ],
  ]);
  const prices = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  expect(warned(defineApp({ agents, models: { opus, gpt: { provider: gpt, prices } } }), NONE)).toEqual([]);
  expect(warned(defineApp({ agents: [agent({})] }), OWN)).toEqual([]);
});

test('the rehearsal takes the place of every provider of an app, and costs nothing', () => {
  const app = defineApp({ agents: [agent({ model: 'gpt', limits: { costUsd: 1 } })], models: { gpt } });
  const rehearsed = withoutProviders(app, provider('rehearsal'));
  expect(() => checkModels(rehearsed, NONE)).not.toThrow();
  expect(rehearsed.models?.gpt?.provider).toMatchObject({ name: 'rehearsal', model: 'rehearsal-1' });
});

function agent(more: Partial<AgentDefinition>) {
  return defineAgent({ name: 'payables', prompt: 'You pay invoices.', tools: [], ...more });
}

function provider(name: string): ModelProvider {
  return { name, request: () => Promise.reject(new Error('asked')) };
}
