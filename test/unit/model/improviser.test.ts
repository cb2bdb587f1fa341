import { z } from 'zod';
import { guessInput } from '../../../src/model/rehearsal/guess';
import { compile, inputSchema } from '../../../src/tools/schema/schema';
import { failed, ok, play } from '../../support/model/loop';
import type { ModelMessage } from '../../../src/model/provider';
import { closeAll, PAY, stage } from '../../support/model/model';
import { large } from './support/finance';

afterEach(closeAll);

test("the library's example: one call of pay_invoice with the invoice of the message, then its outcome", async () => {
  const played = await play(await stage(), 'Pay INV-7', [PAY], {
    pay_invoice: ({ invoice }) => ok({ paid: invoice, receipt: 'R-99' }),
  });
  expect(played.steps).toEqual([[{ name: 'pay_invoice', input: { invoice: 'INV-7', cents: 7 } }]]);
  expect(played.text).toContain('R-99');
  expect(played.text).toContain('rehearsal, not a model');
});

test('a refused call is reported with kind and message, and not tried again', async () => {
  const pay_invoice = () => failed('CONFIRMATION_REQUIRED', 'FATAL_ERROR', 'denied', 'ana declined: too dear');
  const played = await play(await stage(), 'Pay INV-7', [PAY], { pay_invoice });
  expect(played.steps).toHaveLength(1);
  expect(played.text).toContain('FATAL_ERROR: ana declined: too dear');
});

test('a message without tools gets a short text', async () => {
  const { text, steps } = await play(await stage(), 'Hello there', [], {});
  expect(steps).toEqual([]);
  expect(text).toContain('"Hello there"');
});

test('a large result is read before it is quoted', async () => {
  const table = large({ pay_invoice: () => ok({ receipt: `R-${'x'.repeat(200)}-end` }) }, 50);
  const read = {
    name: 'read_result',
    description: '',
    input_schema: { type: 'object', properties: { ref: { type: 'string' } }, required: ['ref'] },
  };
  const { text, steps } = await play(await stage(), 'Pay INV-7', [PAY, read], table);
  expect(text).toContain('x-end');
  expect(steps[0]!.map((call) => call.name)).toEqual(['pay_invoice']);
});

test('a tool whose input cannot be taken from the message is left alone', async () => {
  const bash = {
    name: 'bash',
    description: '',
    input_schema: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
  };
  const pay = { pay_invoice: () => ok({}) };
  expect((await play(await stage(), 'Pay INV-7', [bash, PAY], pay)).steps).toEqual([
    [{ name: 'pay_invoice', input: expect.anything() }],
  ]);
  const quoted = await play(await stage(), 'Run `ls -l`', [bash], { bash: () => ok('files') });
  expect(quoted.steps).toEqual([[{ name: 'bash', input: { command: 'ls -l' } }]]);
});

const MESSAGE = 'Send 250 to ana@x.example by 2026-05-06 for ORDER-12 at https://a.example/b, see notes/plan.md about "blue";';

test.each<[string, z.ZodType, unknown]>([
  ['an e-mail address', z.object({ to: z.email() }), { to: 'ana@x.example' }],
  ['a date', z.object({ on: z.iso.date() }), { on: '2026-05-06' }],
  ['a URL', z.object({ at: z.url() }), { at: 'https://a.example/b' }],
  ['a path', z.object({ path: z.string() }), { path: 'notes/plan.md' }],
  ['an identifier by pattern', z.object({ id: z.string().regex(/^[A-Z]+-\d+$/) }), { id: 'ORDER-12' }],
  ['a pattern that no word fits', z.object({ a: z.string().regex(/^0x[a-f0-9]{40}$/) }), { a: `0x${'0'.repeat(40)}` }],
  ['a number of the message', z.object({ n: z.number().max(300).min(100) }), { n: 250 }],
  ['the smallest where none fits', z.object({ n: z.int().min(1000).multipleOf(7) }), { n: 1001 }],
  ["an enum's first value", z.object({ e: z.enum(['red', 'green']) }), { e: 'red' }],
  ['a boolean, never a yes', z.object({ confirmed: z.boolean() }), { confirmed: false }],
  ['a list of numbers', z.object({ l: z.array(z.number()).min(1) }), { l: [250, 12] }],
  ['nested objects', z.object({ o: z.object({ n: z.literal('x') }), p: z.string().optional() }), { o: { n: 'x' } }],
  ['a union', z.object({ u: z.union([z.int().min(5).max(20), z.null()]) }), { u: 12 }],
  ['any text', z.object({ what: z.string() }), { what: 'blue' }],
])('%s gets a value, always the same, that fits its schema', (_, schema, expected) => {
  const json = inputSchema(schema);
  const input = guessInput(json, MESSAGE)!;
  expect(input).toEqual(expected);
  expect(compile(json)(input)).toMatchObject({ valid: true });
});

test('a schema that nothing fits gives no input instead of a wrong one', () => {
  expect(
    guessInput({ type: 'object', properties: { a: { type: 'string', pattern: '^$.' } }, required: ['a'] }, MESSAGE),
  ).toBeUndefined();
  expect(guessInput({ type: 'object', properties: {}, required: ['gone'] }, MESSAGE)).toBeUndefined();
});

test('an agent that wants a result gets data that fits, made of the message, after the calls', async () => {
  const give = {
    name: 'give_result',
    description: '',
    input_schema: inputSchema(z.object({ invoice: z.string(), cents: z.number().int().positive() })),
  };
  const server = await stage();
  const message: ModelMessage = { role: 'user', content: [{ type: 'text', text: 'Pay INV-7' }] };
  const first = await server.ask({ messages: [message], tools: [PAY, give] });
  const [call] = first.content.filter(({ type }) => type === 'tool_use');
  expect(call).toMatchObject({ name: 'pay_invoice' });
  const paid = { type: 'tool_result', tool_use_id: call!.id!, content: JSON.stringify(ok({ receipt: 'R-9' })) };
  const messages: ModelMessage[] = [message, { role: 'assistant', content: first.content }, { role: 'user', content: [paid] }];
  const second = await server.ask({ messages, tools: [PAY, give] });
  const calls = second.content.filter(({ type }) => type === 'tool_use');
  expect(calls).toMatchObject([{ name: 'give_result', input: { invoice: 'INV-7', cents: 7 } }]);
});
