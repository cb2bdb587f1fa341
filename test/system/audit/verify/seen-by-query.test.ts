/** What a query saw before the task has the time of the task before (decision 0103): both verifiers take exactly that. */
import { verifyBundle } from '../../../../src/audit/verify';
import { callDigest, hashJson, idempotencyKey, type CallFields, type CallTurn } from '../../../../src/shared/json/digests';
import type { Json } from '../../../../src/shared/json/json';
import type { TurnHandle } from '../../../../src/client/turns/turn-handle';
import { eventually, withEngine, type Engine } from '../../../engine/support/engine';
import type { OpenLine } from '../../../support/audit/forge';
import { argument, attributes, ofType, result } from '../../../support/audit/open-lines';
import { seenByQuery } from '../../../support/audit/seen-by-query';
import { BUNDLE_KEY, sample, TRUST } from '../../../support/bundle-keys';
import { bundleOf } from '../../../support/bundle-of';
import { ask, say } from '../../../support/scripted-model';
import { pays } from '../../../support/tools';
import { pythonVerifier } from '../../support/python-verifier';
import { judgedByPython, type Answer } from '../support/python';

const python = pythonVerifier();
const pay = ask(['pay', { invoice: 'INV-7', cents: 700 }]);

async function judged(bytes: Buffer): Promise<object> {
  const told = ({ verdict, rule, line }: Answer) => ({ verdict, rule, line });
  const ours = told(await verifyBundle([bytes], TRUST));
  if (python !== null) expect((await judgedByPython(python, [{ name: '', bytes }])).map(told)).toEqual([ours]);
  return ours;
}

const intact = { verdict: 'intact', rule: null, line: null };

describe.each(['approve', 'deny', 'settle'])('a signal: %s', (kind) => {
  let bundle: string;
  beforeAll(() =>
    withEngine({ tools: [lostPay(kind)], script: [pay, say('Done.')] }, async (engine) => {
      const turn = await engine.start();
      await decide(engine, turn, kind);
      bundle = await bundleOf(engine.client.temporal, engine.store, turn.id, BUNDLE_KEY);
    }),
  );
  const isSeen = (line: OpenLine) => ofType('WORKFLOW_EXECUTION_SIGNALED')(line) && attributes(line).signalName === kind;

  it('with the time of the task before', async () => expect(await judged(seenByQuery(bundle, isSeen))).toEqual(intact));

  it('with another time before it', async () => {
    const rule = kind === 'deny' ? 'B6' : 'H6';
    expect(await judged(seenByQuery(bundle, isSeen, { later: 1 }))).toMatchObject({ verdict: 'broken', rule });
  });
});

describe('a timer, by which the time to decide expires', () => {
  /** The question waits for an hour longer than in the sample, under other rules, and so under another digest. */
  const edit = (lines: OpenLine[]) => {
    const { turn, call } = argument(lines, 'admitCall');
    const { digest, preview_ref } = result(lines, 'admitCall');
    const replaced = (from: OpenLine[], names: [string, string][]) =>
      JSON.parse(names.reduce((text, [was, is]) => text.replaceAll(was, is), JSON.stringify(from))) as OpenLine[];
    const longer = replaced(lines, [
      ['"approval_expiry_ms":1500', '"approval_expiry_ms":3601500'],
      ['T09:00:14.592Z', 'T10:00:14.592Z'],
    ]);
    const rules = longer.find(({ body }) => body.value?.v === 'holdfast.policy/1')!.body.value as Json;
    const other = callDigest(turn as CallTurn, { ...call, preview_ref, policy_ref: hashJson(rules) } as CallFields);
    const keyOf = (digest: string) => idempotencyKey({ ...turn, call_id: call.id, digest });
    const right = replaced(longer, [
      [digest, other],
      [keyOf(digest as string), keyOf(other)],
    ]);
    lines.splice(0, lines.length, ...right);
  };
  const isSeen = ofType('TIMER_FIRED');

  it('with the time of the task before', async () =>
    expect(await judged(seenByQuery(await sample('expired'), isSeen, { edit }))).toEqual(intact));

  it('with another time before it', async () =>
    expect(await judged(seenByQuery(await sample('expired'), isSeen, { edit, later: 1 }))).toMatchObject({
      verdict: 'broken',
      rule: 'B6',
    }));
});

function lostPay(kind: string) {
  const run = () => {
    throw new Error('the answer was lost');
  };
  return pays('pay', [], kind === 'settle' ? { run } : {});
}

async function decide({ client }: Engine, turn: TurnHandle, kind: string): Promise<void> {
  const [{ digest }] = await turn.waitForPending();
  if (kind === 'settle') {
    await turn.approve(digest, { by: 'ana' });
    await eventually('in doubt', async () => (await turn.status()).state === 'in_doubt');
  }
  const outcome = kind === 'settle' ? { outcome: 'applied' } : {};
  await client.temporal.workflow.getHandle(turn.workflowId).signal(kind, { call: digest, by: 'bob', ...outcome });
  await turn.result();
}
