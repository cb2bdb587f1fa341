import { admitAll } from '../../../src/activities/admission/admit-calls';
import { defineAgent, defineApp } from '../../../src/agents/define';
import { Registry } from '../../../src/tools/catalogue/registry';
import { Running } from '../../../src/telemetry/running';
import { watchEventLoop } from '../../../src/worker/event-loop-watch';
import { capturedLog } from '../../support/captured-log';
import { clockAhead } from '../../support/clock-ahead';
import { reads } from '../../support/tools';
import type { Tool } from '../../../src/tools/define/tool';

const work = (tool: string) => ({ activity: 'runCall', tool }) as never;

let goOn: (ms: number) => void;

beforeEach(() => {
  jest.useFakeTimers();
  goOn = clockAhead();
  // As of a process that computes all the time.
  jest.spyOn(process, 'cpuUsage').mockReturnValue({ user: 2_600_000, system: 0 });
});

afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

it('says which tool blocked the worker, and for how long, also when it has ended at once', async () => {
  const { log, said } = capturedLog();
  const running = new Running();
  const end = watchEventLoop(running, log);
  running.begin(work('earlier'))('ended');
  await jest.advanceTimersByTimeAsync(450);
  expect(said('the worker was blocked')).toEqual([]);
  const count = running.begin(work('mines'));
  goOn(1300);
  count('ended');
  await jest.advanceTimersByTimeAsync(450);
  end();
  const [line, ...more] = said('the worker was blocked');
  expect(line).toMatchObject({ tools: ['mines'], blocked_ms: 1300, todo: expect.stringContaining('heartbeat') });
  expect(more).toEqual([]);
});

/** Static admission of one call of each of these tools, as a step has it. */
async function admitted(running: Running, log: ReturnType<typeof capturedLog>['log'], tools: Tool[]): Promise<void> {
  const app = defineApp({ agents: [defineAgent({ name: 'a', prompt: 'p', tools })] });
  const content = tools.map(({ name }, n) => ({ type: 'tool_use', id: `use_${n}`, name, input: {} }));
  const input = { turn: { agent: 'a', requester: 'rita' }, step: 1 };
  const known = { untrusted: false, shownTools: new Set(tools.map(({ name }) => name)), askedIds: new Map() };
  const response = { stopReason: 'tool_use', content, rawToolInputs: [] };
  await admitAll({ log, running } as never, new Registry(app).agent('a')!, input as never, response as never, known);
}

it('names a tool whose check or target blocks the worker while a model’s answer is admitted, and no other tool of it', async () => {
  const { log, said } = capturedLog();
  const running = new Running();
  const end = watchEventLoop(running, log);
  const spins = { check: () => goOn(1300) };
  const turns = { target: () => (goOn(1300), { account: 'DE-1' }) };
  const tools = [reads('quick', () => 1), { ...reads('spins', () => 1), ...spins }, { ...reads('turns', () => 1), ...turns }];
  const count = running.begin({ activity: 'takeStep' });
  await admitted(running, log, tools as Tool[]);
  count('ended');
  await jest.advanceTimersByTimeAsync(450);
  end();
  const named = said('the worker was blocked').flatMap((line) => line.tools as string[]);
  expect([...new Set(named)].sort()).toEqual(['spins', 'turns']);
});
