/** What `defineApp({ models })` and `defineAgent({ model })` accept. */
import { defineAgent, defineApp } from '../../../src/agents/define';
import { anthropic, openai } from '../../../src/model/factories';

const opus = anthropic({ model: 'claude-opus-5' });
const gpt = openai({ model: 'gpt-5.2' });

test('a provider alone stands for its settings, and an app may be defined from another', () => {
  const app = defineApp({
    agents: [agent(['opus', 'gpt'])],
    models: { opus, gpt: { provider: gpt, limits: { concurrent: 2 } } },
  });
  expect(app.models).toEqual({ opus: { provider: opus }, gpt: { provider: gpt, limits: { concurrent: 2 } } });
  expect(defineApp({ ...app }).models).toEqual(app.models);
});

test('an app without providers takes any name: its worker’s own provider answers', () => {
  const prices = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 };
  expect(() => defineApp({ agents: [agent('claude-opus-5')], models: { local: { prices } } })).not.toThrow();
});

test('a name that an app with providers does not have is refused, with those that it has', () => {
  expect(() => defineApp({ agents: [agent(['opus', 'gtp'])], models: { opus, gpt } })).toThrow(
    `agent payables: the app has no model "gtp"; it has opus, gpt. Name one of them, or add it to models (as {}: the worker's own provider answers)`,
  );
  expect(() => defineApp({ agents: [agent('claude-opus-5')], models: { gpt, 'claude-opus-5': {} } })).not.toThrow();
});

test.each([
  [[], 'model must be a name, or a list of 1 to 5 different names'],
  [['a', 'a'], 'model must be a name'],
  [['a', 'b', 'c', 'd', 'e', 'f'], 'model must be a name'],
  [[7], 'model must be a name'],
  [7, 'model must be a name'],
])('the model %j is refused', (model, fault) => {
  expect(() => agent(model as string[])).toThrow(fault);
});

test.each([
  [{ gpt: { provider: 'openai' } }, 'models["gpt"].provider must be a model of holdfast/models'],
  [{ gpt: { provider: gpt, limit: {} } }, 'limit'],
  [{ gpt: { limits: { requestsPerMinute: 0 } } }, 'models["gpt"].limits.requestsPerMinute is 0; it must be an integer from 1'],
  [{ gpt: { limits: { perMinute: 1 } } }, 'perMinute'],
  [{ gpt: { options: [] } }, 'models["gpt"].options must be an object'],
  [{ gpt: { prices: { input: 1 } } }, 'models["gpt"].prices must be {input, output, cacheRead, cacheWrite}'],
  [{ 'my model': gpt }, 'models["my model"]: the name must match'],
])('the settings %j are refused', (models, fault) => {
  expect(() => defineApp({ agents: [agent('gpt')], models: models as never })).toThrow(fault);
});

function agent(model: string | string[]) {
  return defineAgent({ name: 'payables', prompt: 'You pay invoices.', tools: [], model });
}
