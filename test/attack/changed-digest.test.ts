/** The record of a call, with one field changed: the worker runs nothing but what was approved. */
import * as fc from 'fast-check';
import type { CallArguments, RunCallInput, TurnContext } from '../../src/shared/activity-io';
import { callDigest, hashJson } from '../../src/shared/digests';
import { approvalOf, runInput, waitingArguments, withForger } from '../support/forge';
import { CHANNELS, scene } from '../support/scene';
import { pays } from '../support/tools';

/** All that the digest covers, and where it stands in what the activity is given. */
const COVERED = [
  'turn.turn_id',
  'turn.requester',
  'call.id',
  'call.revision',
  'call.tool',
  'call.version',
  'call.class',
  'call.input_hash',
  'call.input',
  'call.preview_ref',
  'call.policy_ref',
  'call.digest',
] as const;
type Covered = (typeof COVERED)[number];

const hex = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 });
const text = fc.oneof(fc.string({ maxLength: 40 }), fc.constantFrom('', '__proto__', 'pay ', 'PAY', 'other_pay', '1.0.1', '2.1'));

/** Another value of the same type. */
const OTHER: Record<Covered, fc.Arbitrary<unknown>> = {
  'turn.turn_id': text,
  'turn.requester': text,
  'call.id': fc.oneof(text, fc.constantFrom('1.2', '2.1', '1.10')),
  'call.revision': fc.oneof(fc.integer(), fc.double({ noNaN: true, min: -1e9, max: 1e9 })),
  'call.tool': text,
  'call.version': text,
  'call.class': fc.constantFrom('read', 'write', 'compute', 'agent'),
  'call.input_hash': hex,
  'call.input': fc.oneof(
    fc.record({ invoice: fc.string(), cents: fc.integer({ min: 1 }) }),
    fc.record({
      invoice: fc.constant('INV-7'),
      cents: fc.constant(700),
      more: fc.oneof(fc.string(), fc.boolean(), fc.integer()),
    }),
  ),
  'call.preview_ref': fc.oneof(hex, fc.constant(null)),
  'call.policy_ref': hex,
  'call.digest': hex,
};

const change = fc.constantFrom(...COVERED).chain((field) => OTHER[field].map((value) => ({ field, value })));

function valueOf(input: RunCallInput, field: Covered): unknown {
  const [part, name] = field.split('.') as ['turn' | 'call', string];
  return (input[part] as unknown as Record<string, unknown>)[name];
}

function changed(input: RunCallInput, field: Covered, value: unknown): RunCallInput {
  const [part, name] = field.split('.') as ['turn' | 'call', string];
  return { ...input, [part]: { ...input[part], [name]: value } };
}

function digestOf({ id, ...call }: CallArguments, { turn_id, requester }: TurnContext): string {
  return callDigest({ ...call, call_id: id, turn_id, requester });
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
      expect(digestOf(genuine.call, genuine.turn)).toBe(digest);
      await withForger(client, taskQueue, async (forge) => {
        const refused = async (input: RunCallInput) => {
          const output = await forge('runCall', input);
          expect(output).toMatchObject({ state: 'failed', head: null });
          expect(['not_applied', null]).toContain(output.effect);
          expect([...effects, ...others]).toEqual([]);
          return output.error!;
        };
        const property = fc.asyncProperty(change, async ({ field, value }) => {
          fc.pre(JSON.stringify(value) !== JSON.stringify(valueOf(genuine, field)));
          const other = changed(genuine, field, value);
          // The same with a digest that fits, as somebody would make it who knows how: then the approval is another's.
          const input_hash = field === 'call.input' ? hashJson(value as never) : other.call.input_hash;
          const fitting = { ...other, call: { ...other.call, input_hash } };
          fitting.call.digest = digestOf(fitting.call, fitting.turn);
          const [{ reason }] = await Promise.all([refused(other), fitting.call.digest !== digest && refused(fitting)]);
          expect(['digest_mismatch', 'tool_changed']).toContain(reason);
        });
        const examples = COVERED.map((field) => [{ field, value: fc.sample(OTHER[field], { numRuns: 1, seed: 7 })[0] }]);
        await fc.assert(property, { numRuns: 60 + examples.length, examples: examples as never });

        expect(await forge('runCall', genuine)).toMatchObject({ state: 'succeeded', effect: 'applied' });
        expect(effects).toEqual([genuine.call.input]);
        expect(others).toEqual([]);
      });
    });
  }, 240_000);

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
  }, 120_000);

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
        // Single use: the same again finds the record of what was done.
        expect(await forge('runCall', genuine)).toMatchObject({ effect: 'applied' });
        expect(effects).toHaveLength(1);
      });
    });
  }, 120_000);
});
