/** Messages that wait to be read: how many are checked at once, and in which order. All other behaviour is tried in whole turns. */
import type { CheckSteerInput, CheckSteerOutput } from '../../../src/shared/io/activities';
import { steerDigest, type SteerFields } from '../../../src/shared/approval/decision';
import type { TurnData } from '../../../src/workflows/turn/state';
import { Steering } from '../../../src/workflows/turn/steering';
import { InFlight } from '../../../src/workflows/sandbox/signals';

const run = { continueAsNewSuggested: false, historyLength: 100 };
jest.mock('@temporalio/workflow', () => ({ workflowInfo: () => run }));
const checks: { digest: string; answer: (answer: CheckSteerOutput) => void }[] = [];
jest.mock('../../../src/workflows/activities', () => ({
  checkSteer: ({ digest }: CheckSteerInput) => new Promise((answer) => checks.push({ digest, answer })),
}));

const from = { channel: 'signal' as const, identity: '' };
const said = (text: string): SteerFields => ({ text, by: 'bob', attestation: null });
const settled = () => new Promise(setImmediate);

/** Answers the check that is under way. */
async function answer(ok: boolean): Promise<string> {
  const { digest, answer: give } = checks.shift()!;
  give(ok ? { ok, principal: null } : { ok, reason: 'junk' });
  await settled();
  return digest;
}

function steering() {
  const inFlight = new InFlight();
  const data = {} as TurnData;
  return { inFlight, data, steering: new Steering({ requester: 'rita' } as never, data, inFlight) };
}

it('checks one message after the other, in the order in which they came, and at most twenty', async () => {
  const { inFlight, data, steering: on } = steering();
  const all = Array.from({ length: 3000 }, (_, n) => on.say(said(`${n}`), from));
  expect(all.filter((one) => typeof one === 'string')).toHaveLength(2980);
  expect(inFlight.none).toBe(false);
  await settled();
  for (let n = 0; n < 20; n++) {
    expect(checks).toHaveLength(1);
    expect(await answer(n % 2 === 0)).toBe(steerDigest(`${n}`));
  }
  expect(inFlight.none).toBe(true);
  const looked = all.slice(0, 20).map((one) => Promise.resolve(one));
  expect(await Promise.all(looked)).toEqual(Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? null : 'junk')));
  expect(on.pickUp().map(({ text }) => text)).toEqual(['0', '2', '4', '6', '8', '10', '12', '14', '16', '18']);
  expect(on.pickUp()).toEqual([]);
  expect(data.steered).toEqual({ waiting: [], by: ['bob'], signed: [] });
});

it('checks one at a time in a full run, and none in a very long one', async () => {
  const { steering: on } = steering();
  run.continueAsNewSuggested = true;
  void on.say(said('a'), from);
  expect(on.say(said('b'), from)).toContain('send it again in a moment');
  await settled();
  await answer(true);
  expect(on.say(said('b'), from)).toBeInstanceOf(Promise);
  await settled();
  await answer(true);
  run.historyLength = 20_000;
  expect(on.say(said('c'), from)).toContain('send it again in a moment');
  Object.assign(run, { continueAsNewSuggested: false, historyLength: 100 });
});

it('waits at the end for the message that is being checked, and for no later one', async () => {
  const { steering: on, data } = steering();
  const first = on.say(said('a'), from);
  await settled();
  let waits: boolean | null = null;
  void on.waits().then((does) => (waits = does));
  const later = on.say(said('b'), from);
  await settled();
  expect(waits).toBe(null);
  await answer(false);
  expect(waits).toBe(false);
  data.ignored = { count: 0, last: [] };
  on.end();
  await answer(true);
  expect([await first, await later]).toEqual(['junk', 'the turn has ended']);
  expect(on.say(said('c'), from)).toBe('the turn has ended');
});

it('continues after a message that could not be checked', async () => {
  const { steering: on } = steering();
  const first = on.say(said('a'), from);
  const second = on.say(said('b'), from);
  await settled();
  checks.shift()!.answer(Promise.reject(new Error('no worker')) as never);
  await expect(first).rejects.toThrow('no worker');
  await settled();
  await answer(true);
  expect(await second).toBe(null);
});
