/** Which providers take a step, by the names of an agent's models. */
import { Models, namesOf } from '../../../src/model/models';
import type { ModelProvider } from '../../../src/model/provider';

const OWN = provider('anthropic');
const GPT = { ...provider('openai'), model: 'gpt-5.2' };
const MODELS = { gpt: { provider: GPT }, 'claude-opus-5': { options: { temperature: 0 } } };

test('a name of the app is its provider, with the id that the provider is for', () => {
  expect(chain('gpt')).toMatchObject([{ name: 'gpt', provider: { name: 'openai' }, model: 'gpt-5.2' }]);
});

test('any other name is an id of the own provider, with the settings of the app', () => {
  expect(chain('claude-opus-5')).toMatchObject([
    { name: 'claude-opus-5', provider: { name: 'anthropic' }, model: 'claude-opus-5', settings: { options: { temperature: 0 } } },
  ]);
  expect(chain('toString')).toMatchObject([{ model: 'toString', settings: {} }]);
});

test('a list keeps its order, and an agent without a name has the default model', () => {
  expect(chain(['gpt', 'claude-opus-5']).map(({ name }) => name)).toEqual(['gpt', 'claude-opus-5']);
  expect(chain(undefined).map(({ name }) => name)).toEqual(['claude-sonnet-5']);
});

test('without an own provider only names of the app have an answer', () => {
  const models = new Models(null);
  expect(models.chainOf({ agent: { model: 'gpt' }, models: MODELS })).toHaveLength(1);
  expect(() => models.chainOf({ agent: { model: 'claude-opus-5' }, models: MODELS })).toThrow(
    'No provider serves the model "claude-opus-5".',
  );
  expect(namesOf(undefined, undefined)).toEqual([]);
});

function chain(model: string | string[] | undefined) {
  return new Models({ provider: OWN, defaultModel: 'claude-sonnet-5' }).chainOf({ agent: { model }, models: MODELS });
}

function provider(name: string): ModelProvider {
  return { name, request: () => Promise.reject(new Error('asked')) };
}
