import type { Dependencies } from '../../../src/activities/ports';
import { closeIntentOf } from '../../../src/activities/effects/duplicate-act';
import { StoreError } from '../../../src/store/store';
import { capturedLog } from '../../support/captured-log';
import { pays } from '../../support/tools';

const tool = pays('pay', [], { intentKey: ({ invoice }: { invoice: string }) => invoice });
const call = { id: '1.1', tool: 'pay', version: '1.0.0', digest: 'd'.repeat(64), input: null };
const closed = { turn: { turn_id: 't', agent: 'a', store_id: 's' }, call, key: 'hf_1', dispatch: 1, effect: 'applied' } as never;

/** The intents that were closed, and the log lines. */
async function closing(parts: { getCall: () => Promise<unknown>; close?: () => Promise<void> }) {
  const intents: unknown[] = [];
  const log = capturedLog();
  const close = parts.close ?? (async () => undefined);
  const deps = {
    registry: { find: () => tool },
    store: { getCall: parts.getCall },
    intents: { close: async (intent: unknown) => (await close(), void intents.push(intent)) },
    log: log.log,
  } as unknown as Dependencies;
  await closeIntentOf(deps, closed);
  return { closed: intents.length, logged: log.said('an intent was not closed') };
}

const getCall = async () => ({ input: { invoice: 'A7', cents: 1 } });
const broken = (error: Error) => async () => {
  throw error;
};

it('the intent of an ended call is closed', async () => {
  expect(await closing({ getCall })).toEqual({ closed: 1, logged: [] });
});

it.each([
  ['the store cannot read the call', { getCall: broken(new StoreError('damaged', 'object is damaged')) }],
  ['the intent cannot be written', { getCall, close: broken(new Error('no space')) }],
])('where %s, the outcome of the call stands, and a line says that the intent was not closed', async (_, parts) => {
  expect(await closing(parts)).toMatchObject({ closed: 0, logged: [{ turn_id: 't', call: '1.1', effect: 'applied' }] });
});
