/**
 * Somebody with the stolen key for bundles changes one fact in one place, where nobody compared it before, and makes all hashes right
 * again. And a model makes something up, which must not make an honest bundle contradictory.
 */
import { verifyBundle } from '../../../src/audit/verify';
import { forged, type OpenLine } from '../../support/audit/forge';
import { judgedByPython } from '../audit/support/python';
import { bundleOf } from '../../support/bundle-of';
import { BUNDLE_KEY, sample, TRUST } from '../../support/bundle-keys';
import { eventually, withEngine } from '../../engine/support/engine';
import { pythonVerifier } from '../support/python-verifier';
import { ask, say } from '../../support/scripted-model';
import { pays } from '../../support/tools';

const python = pythonVerifier();
const invoice = { invoice: 'INV-7', cents: 700 };

const attributes = ({ body }: OpenLine): any => Object.entries(body.event ?? {}).find(([key]) => key.endsWith('Attributes'))?.[1];
const result = (lines: OpenLine[]): any =>
  attributes(lines.find(({ body }) => body.event?.workflowExecutionCompletedEventAttributes)!).result.payloads[0].$;
const outcome = (lines: OpenLine[], state: string): any =>
  lines
    .flatMap((line) => attributes(line)?.input?.payloads?.[0]?.$?.outcomes ?? [])
    .find((one: { state: string }) => one.state === state);
const bodies = (lines: OpenLine[], has: (body: any) => unknown): any[] =>
  lines.filter(({ kind, body }) => kind === 'part' && has(body.part?.body ?? {})).map(({ body }) => body.part.body);

/** What the model reads of a call. */
const toldOf = (lines: OpenLine[], has: string): any =>
  bodies(lines, ({ type, content }) => type === 'tool_result' && content[0].text.includes(has))[0];
const REFUSED = JSON.stringify({ success: false, error: { code: 'EXECUTION_ERROR', reason: 'x', message: 'It was not paid.' } });

/** In both of its places. */
const said = (approval: any, note: string) => Object.assign(approval, { note, decisions: [{ ...approval.decisions[0], note }] });

async function expectFound(text: string, edit: (lines: OpenLine[]) => void): Promise<void> {
  const bytes = Buffer.from(forged(text, edit).text);
  const found = await verifyBundle([bytes], TRUST);
  expect(found.verdict).toBe('broken');
  if (python === null) return;
  const [theirs] = await judgedByPython(python, [{ name: 'changed', bytes }]);
  expect(theirs).toMatchObject({ verdict: 'broken', line: found.line });
}

/** A turn with a call that was approved, with a long result, and one that was denied. */
async function bundle(): Promise<string> {
  const run = () => ({ paid: 'x'.repeat(400) });
  const tool = pays('pay', [], { target: { account: 'DE-1' }, run });
  const script = [ask(['pay', invoice]), ask(['pay', { ...invoice, cents: 3 }]), say('done')];
  let text = '';
  await withEngine({ tools: [tool], script }, async ({ start, client, store }) => {
    const turn = await start('Pay both.', { requester: 'rita' });
    const [one] = await turn.waitForPending();
    await turn.approve(one.digest, { by: 'ana', note: 'This one is due.' });
    const two = await eventually('the second', async () => (await turn.status()).pending.find((digest) => digest !== one.digest));
    await turn.deny(two, { by: 'bob' });
    await turn.result();
    text = await bundleOf(client.temporal, store, turn.id, BUNDLE_KEY);
  });
  expect(await verifyBundle([Buffer.from(text)], TRUST)).toMatchObject({ verdict: 'intact' });
  return text;
}

describe('a person with the stolen key cannot change in one place alone', () => {
  let text: string;
  beforeAll(async () => {
    text = await bundle();
  });

  it.each<[string, (lines: OpenLine[]) => void]>([
    ['that a call was denied, in the turn’s result', (lines) => (result(lines).calls[1].state = 'expired')],
    ['that a call was denied, in what the next step is told', (lines) => (outcome(lines, 'denied').state = 'expired')],
    [
      'the outcome of a call, by a text that looks shortened',
      (lines) => (result(lines).calls[0].result_summary = 'Nothing was paid…'),
    ],
    ['the note, by a text that looks shortened', (lines) => said(result(lines).calls[0].approval, 'I never saw this…')],
    [
      'the target of a call that people were shown',
      (lines) => {
        for (const body of bodies(lines, ({ call_id, preview, target }) => call_id === '2.1' && preview !== undefined && target))
          body.target = { account: 'DE-2' };
      },
    ],
    [
      'what the model was told about a call that ran',
      (lines) => (toldOf(lines, 'success":true').content[0].text = JSON.stringify({ success: true, data: { paid: false } })),
    ],
    [
      'whether the model was told that a payment failed',
      (lines) => Object.assign(toldOf(lines, 'success":true'), { content: [{ type: 'text', text: REFUSED }], is_error: true }),
    ],
    [
      'the reason that the model was told for a call that did not run',
      (lines) => {
        const [said] = toldOf(lines, 'success":false').content;
        said.text = said.text.replace('CONFIRMATION_REQUIRED', 'NETWORK_ERROR');
      },
    ],
    ['that the model was told of an error', (lines) => delete toldOf(lines, 'success":false').is_error],
    ['of which call the model was told', (lines) => (toldOf(lines, 'success":true').tool_use_id = 'use_9')],
    [
      'the target with which a call was admitted',
      (lines) => {
        for (const body of bodies(lines, ({ asked, target }) => asked !== undefined && target)) body.target = { account: 'DE-2' };
      },
    ],
  ])('%s', (_what, edit) => expectFound(text, edit));

  it('what a direct call answered', async () => {
    const direct = await sample('call');
    await expectFound(direct, (lines) => (result(lines).envelope.data.paid = false));
    await expectFound(direct, (lines) => Object.assign(result(lines).envelope, { success: false, status: 'error' }));
  });

  it('who settled a call in doubt', async () => {
    const settled = await sample('in_doubt');
    for (const [field, other] of [
      ['by', 'mallory'],
      ['note', 'I have not looked.'],
    ] as const)
      await expectFound(settled, (lines) => {
        for (const body of bodies(lines, ({ outcome, idempotency_key }) => outcome && idempotency_key)) body[field] = other;
      });
  });
});

test('a model that asks for a tool by a long name in another script does not make an honest bundle contradictory', async () => {
  const script = [ask(['支'.repeat(100) as never, {} as never]), say('done')];
  await withEngine({ tools: [pays('pay', [])], script }, async ({ start, client, store }) => {
    const turn = await start('Do it.', { requester: 'rita' });
    await turn.result();
    const text = await bundleOf(client.temporal, store, turn.id, BUNDLE_KEY);
    expect(await verifyBundle([Buffer.from(text)], TRUST)).toMatchObject({ verdict: 'intact' });
  });
});
