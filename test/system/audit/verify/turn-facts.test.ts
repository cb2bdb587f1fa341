/** What a bundle says in two places about a turn's steps, answers and end, where both verifiers must not find too much: defaults, hooks, long answers, failures. */
import { verifyBundle } from '../../../../src/audit/verify';
import { ModelFailure } from '../../../../src/model/provider';
import type { BeforeHook } from '../../../../src/tools/admit/hooks';
import { withEngine } from '../../../engine/support/engine';
import { forged, type OpenLine } from '../../../support/audit/forge';
import { bundleOf } from '../../../support/bundle-of';
import { BUNDLE_KEY, TRUST } from '../../../support/bundle-keys';
import { ask, say } from '../../../support/scripted-model';
import { pays, reads } from '../../../support/tools';
import { pythonVerifier } from '../../support/python-verifier';
import { judgedByPython } from '../support/python';

const python = pythonVerifier();

const options = {
  type: 'object',
  default: {},
  properties: { limit: { type: 'integer', default: 5 } },
  additionalProperties: false,
};
const input = {
  type: 'object',
  properties: { key: { type: 'string' }, options },
  required: ['key'],
  additionalProperties: false,
};
const order = reads('order', () => 'ordered', { input: input as never });
const cap: BeforeHook = {
  name: 'cap',
  tools: ['pay'],
  run: ({ input }) => (Number(input.cents) > 500 ? { input: { ...input, cents: 500 }, why: 'at most 500 cents' } : undefined),
};
/** The last character that travels is half of one. */
const LONG = `${'a'.repeat(31_999)}😀${'b'.repeat(9_000)}`;
const asks = ask(['order', { key: 'a' }], ['pay', { invoice: 'INV-7', cents: 700 }], ['nothing', { key: 'b' }]);
const script = [
  { content: [{ type: 'text', text: 'I order it.' }, { type: 'text', text: 'And pay.' }, ...asks.content] },
  say(LONG),
  ask(['order', { key: 'a', options: { limit: 7 } }]),
  new ModelFailure('The model is gone.', { type: 'model.gone', retryable: false, status: null }),
];

const attributes = ({ body }: OpenLine): any =>
  Object.entries(body.event ?? {}).find(([key]) => key.endsWith('Attributes'))?.[1] ?? {};
const ending = (lines: OpenLine[], type: string): any =>
  attributes(lines.find(({ body }) => body.event?.eventType.endsWith(type))!);
const bodies = (lines: OpenLine[], has: (body: any) => unknown): any[] =>
  lines.filter(({ kind, body }) => kind === 'part' && has(body.part?.body ?? {})).map(({ body }) => body.part.body);
const envelopes = (lines: OpenLine[]): any[] =>
  lines.flatMap((line) => attributes(line).result?.payloads?.[0]?.$?.envelope ?? []);

type Name = 'answered' | 'failed' | 'refused';
const made = {} as Record<Name, string>;

beforeAll(async () => {
  const tools = [order, pays('pay', [], { class: 'write' })];
  await withEngine({ tools, script, agent: { hooks: { before: [cap] } } }, async ({ start, call, client, store }) => {
    const bundle = (id: string) => bundleOf(client.temporal, store, id, BUNDLE_KEY);
    const answered = await start('Order it, and pay.');
    expect((await answered.result()).text).toMatch(/cut; 41001 characters/);
    made.answered = await bundle(answered.id);
    const failed = await start('Order it.');
    expect(await failed.result()).toMatchObject({ state: 'failed', step: 1 });
    made.failed = await bundle(failed.id);
    const { turn } = await call('order', { key: 5 });
    expect(await turn.result()).toMatchObject({ state: 'failed', calls: [{ state: 'rejected' }] });
    made.refused = await bundle(turn.id);
  });
});

async function judged(text: string): Promise<{ verdict: string; line: number | null; rule: string | null }> {
  const bytes = Buffer.from(text);
  const { verdict, line, rule } = await verifyBundle([bytes], TRUST);
  if (python !== null) expect(await judgedByPython(python, [{ name: 'one', bytes }])).toMatchObject([{ verdict, line, rule }]);
  return { verdict, line, rule };
}

test.each(['answered', 'failed', 'refused'] as const)('an honest turn is intact: %s', async (name) => {
  expect(await judged(made[name])).toEqual({ verdict: 'intact', line: null, rule: null });
});

test.each<[string, Name, string, (lines: OpenLine[]) => void]>([
  [
    'how long the answer was',
    'answered',
    'D2',
    (lines) => bodies(lines, ({ text }) => text === LONG).forEach((body) => (body.text += 'c')),
  ],
  [
    'a line of the answer',
    'answered',
    'D2',
    (lines) => bodies(lines, ({ text }) => text === 'And pay.').forEach((body) => (body.text = 'And pay nothing.')),
  ],
  [
    'what a hook was given',
    'answered',
    'D2',
    (lines) => bodies(lines, ({ changes }) => changes).forEach(({ changes }) => (changes[0].before.cents = 600)),
  ],
  [
    'the name of a tool that does not exist',
    'answered',
    'D2',
    (lines) => bodies(lines, ({ type, name }) => type === 'tool_use' && name === 'nothing').forEach((use) => (use.name = 'pay')),
  ],
  [
    'why the turn failed',
    'failed',
    'D1',
    (lines) => (ending(lines, 'WORKFLOW_EXECUTION_FAILED').failure.message = 'A person stopped it.'),
  ],
  [
    'why a direct call did not run',
    'refused',
    'D6',
    (lines) => envelopes(lines).forEach(({ error }) => (error.message = 'Nobody knows.')),
  ],
])('%s cannot be changed in one place', async (_what, name, rule, edit) => {
  expect(await judged(forged(made[name], edit).text)).toMatchObject({ verdict: 'broken', rule });
});
