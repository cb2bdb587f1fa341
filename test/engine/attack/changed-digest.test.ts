/** The record of a call, with one field changed: the worker runs nothing but what was approved. */
import * as fc from 'fast-check';
import type { CallArguments, RunCallInput, RunCallOutput, TurnContext } from '../../../src/shared/io/activities';
import { callDigest, hashJson } from '../../../src/shared/json/digests';
import { approvalOf, runInput, waitingArguments, withForger } from '../support/forge';
import { CHANNELS, scene } from '../support/scene';
import { runs } from '../../support/runs';
import { pays } from '../../support/tools';

const hex = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 });
const text = fc.oneof(fc.string({ maxLength: 40 }), fc.constantFrom('', '__proto__', 'pay ', 'PAY', 'other_pay', '1.0.1', '2.1'));

/** Another value of the same type: with it the call does not run. */
interface Covered {
  other: fc.Arbitrary<unknown>;
}
/** Why another value is harmless, and an example: with it exactly what was approved runs. */
interface Harmless {
  why: string;
  value: unknown;
}
/** Which other check covers it. */
interface Held {
  by: string;
}
type Treatment = Covered | Harmless | Held;

/** All fields of a run's input. A field that is added to one of these types must be listed here, or this file does not compile. */
const TURN: Record<keyof TurnContext, Treatment> = {
  turn_id: { other: text },
  workflow_id: { other: text },
  first_execution_run_id: { other: text },
  agent: { other: fc.oneof(text, fc.constant('other')) },
  requester: { other: text },
  store_id: { other: fc.oneof(hex, text, fc.constant(undefined)) },
  session_id: { why: 'whose results it can read is asked of the store', value: 'other-session' },
  trace_id: { why: 'for logs', value: 'trace_20990101_000000000000' },
  parent: { by: 'the rules that bind it stand in policy_ref' },
};
const CALL: Record<keyof CallArguments, Treatment> = {
  id: { other: fc.oneof(text, fc.constantFrom('1.2', '2.1', '1.10')) },
  revision: { other: fc.oneof(fc.integer(), fc.double({ noNaN: true, min: -1e9, max: 1e9 })) },
  tool: { other: text },
  version: { other: text },
  class: { other: fc.constantFrom('read', 'write', 'compute', 'agent') },
  input_hash: { other: hex },
  input: {
    other: fc.oneof(
      fc.record({ invoice: fc.string(), cents: fc.integer({ min: 1 }) }),
      fc.record({
        invoice: fc.constant('INV-7'),
        cents: fc.constant(700),
        more: fc.oneof(fc.string(), fc.boolean(), fc.integer()),
      }),
    ),
  },
  preview_ref: { other: fc.oneof(hex, fc.constant(null)) },
  policy_ref: { other: hex },
  definition_ref: { other: hex },
  target_hash: { other: fc.oneof(hex, fc.constant(null)) },
  digest: { other: hex },
  input_ref: { why: 'the input is read by the digest', value: 'e'.repeat(64) },
  dispatch: { by: 'the effect record' },
  earlier: { why: 'for the transcript', value: [] },
  makers: { why: 'the makers are read from what preview_ref names', value: ['zoe'] },
};
const RUN: Record<keyof RunCallInput, Treatment> = {
  turn: { by: 'TURN' },
  call: { by: 'CALL' },
  approvals: { by: 'the approvals are counted again' },
  verdict: { by: 'the rules are asked again' },
  untrusted: { by: 'the rules are asked again' },
  head: { by: 'what the transcript goes on from is compared in the bundle' },
  at: { why: 'for the transcript', value: '2099-01-01T00:00:00.000Z' },
  validation_ms: { why: 'for the envelope', value: 7 },
  options: { why: 'how it is reported', value: { enable_streaming: false } },
  waited: { why: 'only a call of `wait_until` has it, which has no effect', value: { woke_by: 'time', since: '', until: '' } },
};

type Place = ['turn' | 'call' | 'run', string];
const TABLES = { turn: TURN, call: CALL, run: RUN } as const;
const PLACES = Object.entries(TABLES).flatMap(([part, table]) => Object.keys(table).map((name) => [part, name] as Place));
const treatment = ([part, name]: Place) => (TABLES[part] as Record<string, Treatment>)[name]!;
const COVERED = PLACES.filter((place) => 'other' in treatment(place));
const HARMLESS = PLACES.filter((place) => 'why' in treatment(place));
const otherOf = (place: Place) => (treatment(place) as Covered).other;
const change = fc.constantFrom(...COVERED).chain((place) => otherOf(place).map((value) => ({ place, value })));

function partOf(input: RunCallInput, part: Place[0]): Record<string, unknown> {
  return (part === 'run' ? input : input[part]) as unknown as Record<string, unknown>;
}

function changed(input: RunCallInput, [part, name]: Place, value: unknown): RunCallInput {
  const other = { ...partOf(input, part), [name]: value };
  return (part === 'run' ? other : { ...input, [part]: other }) as unknown as RunCallInput;
}

/** The worker refuses a turn that is bound to another store: it does nothing, and records nothing. */
function otherStore(error: Error): RunCallOutput {
  expect(error.message).toContain('is bound to store');
  return { state: 'failed', head: null, effect: null, error: { reason: 'other_store' } } as RunCallOutput;
}

function digestOf({ call, turn }: RunCallInput): string | null {
  try {
    return callDigest(turn, call);
  } catch {
    return null; // it has none
  }
}

describe.each(CHANNELS)('an approval, where decisions are %s,', (channel) => {
  it('runs no call that differs in any one field', async () => {
    const effects: unknown[] = [];
    const others: unknown[] = [];
    const preview = (input: any) => `Pay ${input.cents} for ${input.invoice}`;
    const tools = [pays('pay', effects, { preview }), pays('other_pay', others, { preview })];
    await scene(channel, { tools }, async ({ client, taskQueue, turn, waiting, digest, by }) => {
      const approvals = [approvalOf(waiting, 'zoe', await by('zoe'))];
      const genuine = await runInput(turn, await waitingArguments(client, turn, digest), approvals);
      expect(digestOf(genuine)).toBe(digest);
      await withForger(client, taskQueue, async (forge) => {
        const refused = async (input: RunCallInput) => {
          const output = await forge('runCall', input).catch(otherStore);
          expect(output).toMatchObject({ state: 'failed', head: null });
          expect(['not_applied', null]).toContain(output.effect);
          expect([...effects, ...others]).toEqual([]);
          return output.error!;
        };
        const property = fc.asyncProperty(change, async ({ place, value }) => {
          const [part, name] = place;
          fc.pre(JSON.stringify(value) !== JSON.stringify(partOf(genuine, part)[name]));
          const other = changed(genuine, place, value);
          // The same with a digest that fits, as a skilled attacker would make it: then the approval is for another digest.
          const input_hash = name === 'input' ? hashJson(value as never) : other.call.input_hash;
          const fitting = { ...other, call: { ...other.call, input_hash } };
          fitting.call.digest = digestOf(fitting) ?? digest;
          const [{ reason }] = await Promise.all([refused(other), fitting.call.digest !== digest && refused(fitting)]);
          expect(['digest_mismatch', 'tool_changed', 'other_store']).toContain(reason);
        });
        const examples = COVERED.map((place) => [{ place, value: fc.sample(otherOf(place), { numRuns: 1, seed: 7 })[0] }]);
        await fc.assert(property, { numRuns: runs(10, 60) + examples.length, examples: examples as never });

        const harmless = HARMLESS.reduce((input, place) => changed(input, place, (treatment(place) as Harmless).value), genuine);
        expect(await forge('runCall', harmless)).toMatchObject({ state: 'succeeded', effect: 'applied' });
        expect(effects).toEqual([genuine.call.input]);
        expect(others).toEqual([]);
      });
    });
  });

  it('runs no call that cannot be hashed', async () => {
    await scene(channel, {}, async ({ client, taskQueue, turn, waiting, digest, by, goesOn }) => {
      const genuine = await runInput(turn, await waitingArguments(client, turn, digest), [
        approvalOf(waiting, 'zoe', await by('zoe')),
      ]);
      await withForger(client, taskQueue, async (forge) => {
        for (const more of [
          { revision: 2 ** 53 },
          { input: { invoice: '\ud800', cents: 700 } },
          { input: { invoice: 'INV-7', cents: 1e300 } },
        ]) {
          const output = await forge('runCall', { ...genuine, call: { ...genuine.call, ...more } });
          expect(output).toMatchObject({ state: 'failed', effect: 'not_applied', error: { reason: 'digest_mismatch' } });
        }
      });
      await goesOn();
    });
  });

  it('runs nothing in another run or after its expiry, and its own call once', async () => {
    await scene(channel, {}, async ({ client, taskQueue, turn, waiting, digest, by, effects }) => {
      const approval = approvalOf(waiting, 'zoe', await by('zoe'));
      const genuine = await runInput(turn, await waitingArguments(client, turn, digest), [approval]);
      const late = { ...approval, at: new Date(Date.parse(approval.expires_at) + 1).toISOString() };
      const undated = { ...approval, at: 'never' };
      const elsewhere = { ...approval, run_id: '00000000-0000-4000-8000-000000000000' };
      await withForger(client, taskQueue, async (forge) => {
        for (const other of [late, undated]) {
          expect((await forge('runCall', { ...genuine, approvals: [other] })).error).toMatchObject({
            reason: 'approval_expired',
          });
        }
        expect(await forge('runCall', { ...genuine, approvals: [elsewhere] })).toMatchObject({ held: [{ kind: 'reset' }] });
        expect(effects).toEqual([]);
        expect(await forge('runCall', genuine)).toMatchObject({ state: 'succeeded' });
        // An approval is used once: the same request again finds the effect record.
        expect(await forge('runCall', genuine)).toMatchObject({ effect: 'applied' });
        expect(effects).toHaveLength(1);
      });
    });
  });
});
