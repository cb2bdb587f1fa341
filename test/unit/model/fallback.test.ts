/** The chain of an agent's models: who takes the step, and what is recorded of those who did not. */
import { Circuits } from '../../../src/model/circuits';
import { askChain, mostRequests, type ChainLink } from '../../../src/model/fallback';
import { ModelFailure, type ModelResponse } from '../../../src/model/provider';

const REQUEST = { system: '', messages: [], tools: [], serverTools: [], maxTokens: 10, options: {} };
const ANSWER: ModelResponse = {
  id: 'msg_1',
  requestId: null,
  model: 'm',
  stopReason: 'end_turn',
  content: [],
  rawToolInputs: [],
  usage: { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_creation_tokens: 0 },
};

beforeEach(() => jest.useFakeTimers({ advanceTimers: true }));
afterEach(() => jest.useRealTimers());

test('the first model that answers takes the step', async () => {
  const [opus, gpt] = [model('opus', ANSWER), model('gpt', ANSWER)];
  const { link, passed } = await ask([opus, gpt]);
  expect([link.name, passed, gpt.asked]).toEqual(['opus', [], 0]);
});

test('after its tries, an overloaded model passes the step on, and the record says so', async () => {
  const [opus, gpt] = [model('opus', failure('model.overloaded', 529)), model('gpt', ANSWER)];
  const answer = ask([opus, gpt]);
  await jest.advanceTimersByTimeAsync(5000);
  expect(await answer).toMatchObject({
    link: { name: 'gpt' },
    passed: [{ model: 'opus', reason: 'model.overloaded', attempts: 3 }],
  });
});

test('a wrong key passes the step on at once', async () => {
  const [opus, gpt] = [model('opus', failure('model.auth', 401, false)), model('gpt', ANSWER)];
  expect((await ask([opus, gpt])).passed).toEqual([{ model: 'opus', reason: 'model.auth', attempts: 1 }]);
});

test('a long wait that the vendor asks for passes the step on at once', async () => {
  const [opus, gpt] = [model('opus', failure('model.rate_limited', 429, true, 60_000)), model('gpt', ANSWER)];
  expect((await ask([opus, gpt])).passed).toEqual([{ model: 'opus', reason: 'model.rate_limited', attempts: 1 }]);
});

test('the failure of the last model is that of the step, after one try: Temporal repeats it', async () => {
  const gpt = model('gpt', failure('model.overloaded', 529));
  await expect(ask([gpt])).rejects.toMatchObject({ facts: { type: 'model.overloaded' } });
  expect(gpt.asked).toBe(1);
});

test('a conversation that is too long is not put to the next model: compaction shortens it', async () => {
  const [opus, gpt] = [model('opus', failure('model.too_large', 413, false)), model('gpt', ANSWER)];
  await expect(ask([opus, gpt])).rejects.toMatchObject({ facts: { type: 'model.too_large' } });
  expect(gpt.asked).toBe(0);
});

test('a model that is down is not asked until its pause is over; after a success it is asked as before', async () => {
  let now = 0;
  const circuits = new Circuits(() => now);
  const [opus, gpt] = [model('opus', failure('model.auth', 401, false)), model('gpt', ANSWER)];
  await ask([opus, gpt], circuits);
  await ask([opus, gpt], circuits);
  expect((await ask([opus, gpt], circuits)).passed).toEqual([{ model: 'opus', reason: 'down', attempts: 0 }]);
  expect(opus.asked).toBe(2);
  now += 30_000;
  opus.answer = ANSWER;
  expect((await ask([opus, gpt], circuits)).link.name).toBe('opus');
  expect((await ask([opus, gpt], circuits)).passed).toEqual([]);
});

test('steps that fail at the same time are one outage: its pause is 30 s, and only a failure after that doubles it', () => {
  let now = 0;
  const circuits = new Circuits(() => now);
  const overloaded = failure('model.overloaded', 529, true);
  for (let steps = 0; steps < 20; steps += 1) circuits.recordFailure('opus', overloaded);
  expect(circuits.mayAsk('opus')).toBe(false);
  now += 30_000;
  expect(circuits.mayAsk('opus')).toBe(true);
  for (let steps = 0; steps < 20; steps += 1) circuits.recordFailure('opus', overloaded);
  now += 59_999;
  expect(circuits.mayAsk('opus')).toBe(false);
  now += 1;
  expect(circuits.mayAsk('opus')).toBe(true);
});

test('a pause that the vendor asks for while it is down lengthens its pause', () => {
  let now = 0;
  const circuits = new Circuits(() => now);
  for (const wait of [undefined, undefined, 90_000, 20_000])
    circuits.recordFailure('opus', failure('model.overloaded', 529, true, wait));
  now += 89_999;
  expect(circuits.mayAsk('opus')).toBe(false);
  now += 1;
  expect(circuits.mayAsk('opus')).toBe(true);
});

test('if all are down, the last one is asked', async () => {
  const circuits = new Circuits(() => 0);
  const [opus, gpt] = [model('opus', failure('model.auth', 401, false)), model('gpt', failure('model.auth', 401, false))];
  for (let count = 0; count < 2; count += 1) await expect(ask([opus, gpt], circuits)).rejects.toThrow();
  gpt.answer = ANSWER;
  expect(await ask([opus, gpt], circuits)).toMatchObject({ link: { name: 'gpt' }, passed: [{ model: 'opus', reason: 'down' }] });
});

test('a model that took its whole time is not asked again, and is down at once', async () => {
  const circuits = new Circuits(() => 0);
  const [opus, gpt] = [model('opus', failure('model.timeout', 408)), model('gpt', ANSWER)];
  expect((await ask([opus, gpt], circuits)).passed).toEqual([{ model: 'opus', reason: 'model.timeout', attempts: 1 }]);
  expect((await ask([opus, gpt], circuits)).passed).toEqual([{ model: 'opus', reason: 'down', attempts: 0 }]);
});

test('if none answers, the failure of the last one names those before it', async () => {
  const [opus, gpt] = [model('opus', failure('model.auth', 401, false)), model('gpt', failure('model.overloaded', 529))];
  await expect(ask([opus, gpt])).rejects.toThrow(
    'model.overloaded. Before it, these models did not take the step: opus (model.auth).',
  );
});

test('each request has its own text, and there are never more of them than mostRequests says', async () => {
  const all = ['opus', 'sonnet', 'gpt'].map((name) => model(name, failure('model.overloaded', 529)));
  let begun = 0;
  const requestOf = ({ model: id }: ChainLink) => ({ ...REQUEST, model: id });
  const beginAnswer = () => {
    begun += 1;
    return () => undefined;
  };
  const answer = askChain(all, { requestOf, beginAnswer, signal: new AbortController().signal }, new Circuits());
  const fails = expect(answer).rejects.toThrow('model.overloaded');
  await jest.advanceTimersByTimeAsync(10_000);
  await fails;
  expect([begun, mostRequests(3)]).toEqual([7, 7]);
});

test('an abort ends the waiting between two tries', async () => {
  const controller = new AbortController();
  const [opus, gpt] = [model('opus', failure('model.overloaded', 529)), model('gpt', ANSWER)];
  const answer = ask([opus, gpt], new Circuits(), controller.signal);
  controller.abort(new Error('cancelled'));
  await expect(answer).rejects.toThrow('cancelled');
  expect(gpt.asked).toBe(0);
});

type FakeModel = ChainLink & { answer: ModelResponse | ModelFailure; asked: number };

function model(name: string, answer: ModelResponse | ModelFailure): FakeModel {
  const fake: FakeModel = {
    name,
    model: `${name}-1`,
    settings: {},
    answer,
    asked: 0,
    provider: {
      name,
      request: async () => {
        fake.asked += 1;
        if (fake.answer instanceof ModelFailure) throw fake.answer;
        return fake.answer;
      },
    },
  };
  return fake;
}

function failure(type: string, status: number, retryable = true, retryAfterMs?: number): ModelFailure {
  return new ModelFailure(type, { type, status, retryable, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });
}

function ask(chain: ChainLink[], circuits = new Circuits(), signal = new AbortController().signal) {
  const requestOf = ({ model: id }: ChainLink) => ({ ...REQUEST, model: id });
  return askChain(chain, { requestOf, signal, beginAnswer: () => () => undefined }, circuits);
}
