/** Tools whose zod schema transforms the input: their functions get the typed values (decision 0037). */
import { z } from 'zod';
import { defineAgent, defineApp } from '../../../../src/agents/define';
import { contextFor } from '../../../../src/testing/context';
import { admit, checkInput } from '../../../../src/tools/admit/admit';
import { binaryFile } from '../../../../src/tools/results/result-files';
import { defineTool } from '../../../../src/tools/define/define';
import { intentOf, targetOf, factsOf } from '../../../../src/tools/admit/policy';
import { Registry } from '../../../../src/tools/catalogue/registry';
import { runTool } from '../../../../src/tools/run/run';
import { storedResult } from '../../../../src/tools/results/result-text';
import { compiledInput } from '../../../../src/tools/schema/schema';
import type { Tool } from '../../../../src/tools/define/tool';

const amount = z.string().regex(/^\d+$/).transform(Number);
const day = z.codec(z.iso.date(), z.date(), {
  decode: (text) => new Date(text),
  encode: (date) => date.toISOString().slice(0, 10),
});
const input = z.strictObject({
  to: z.string().trim().toLowerCase(),
  cents: amount,
  on: day.optional(),
  tags: z.array(z.string()).prefault(['x']),
});
type Taken = { to: string; cents: number; on?: Date | undefined; tags: string[] };

const base = { name: 'pay', version: '1.0.0', class: 'destructive' as const, description: 'Pays.', run: () => null };
const facts = ({ to, cents, on }: Taken) => ({ to, cents: cents + 1, year: on?.getUTCFullYear() ?? null });
const pay = defineTool({
  ...base,
  input,
  check: ({ cents }) => (cents > 1000 ? { reason: 'too_much', message: `${cents} is too much` } : undefined),
  preview: facts,
  reconcile: ({ cents }) => ({ outcome: 'applied', evidence: cents.toFixed(2) }),
  intentKey: facts,
  target: facts,
  ruleTarget: { kind: 'text', of: ({ cents }) => cents.toFixed(0) },
  summarize: (_data, { cents }) => cents.toFixed(1),
  run: async (given) => facts(given),
});
const sent = { to: ' Ana ', cents: '12', on: '2026-01-02' };
const effective = { ...sent, tags: ['x'] };
const asked = (name: string, given: object) => ({ name, json: JSON.stringify(given), cut: false });
const prepared = (...tools: Tool[]) =>
  new Registry(defineApp({ agents: [defineAgent({ name: 'a', prompt: 'p', tools })] })).agent('a')!;
const ran = (tool: Tool, given: object) => runTool(tool, given as never, contextFor(tool.name, 'k'), { timeoutMs: 5000 });

describe('a zod schema', () => {
  it('gives its output to all functions of the tool; its input is recorded', async () => {
    const admission = await admit(prepared(pay), asked('pay', sent));
    expect(admission).toMatchObject({ error: null, input: effective, target: { to: 'ana', cents: 13, year: 2026 } });
    expect(await ran(pay, effective)).toEqual({ ok: true, data: { to: 'ana', cents: 13, year: 2026 } });
    for (const part of ['preview', 'reconcile'] as const)
      expect(await ran({ ...pay, class: 'read', run: pay[part]! }, effective)).toMatchObject({ ok: true });
    expect(intentOf(pay, effective)).toEqual(intentOf({ ...pay, input: {}, intentKey: () => ({ to: 'ana', cents: 13, year: 2026 }) }, {})); // oxfmt-ignore
    expect(targetOf(pay, effective)).toEqual({ ok: true, target: { to: 'ana', cents: 13, year: 2026 } });
    expect(factsOf({ tool: pay, input: effective, turn: {} as never }).targets).toEqual(['12']);
    const envelope = { success: true, data: 1, metadata: {} } as never;
    expect(storedResult(pay, effective, envelope, { turn_id: 't', session_id: null, call_id: 'c' }).summary).toBe('12.0');
  });

  it('refuses an input, and so does check for its output, before anybody is asked', async () => {
    expect((await admit(prepared(pay), asked('pay', { ...sent, cents: 'twelve' }))).error).toMatchObject({
      code: 'INVALID_PARAMS',
    });
    expect((await admit(prepared(pay), asked('pay', { ...sent, cents: '1001' }))).error).toMatchObject({
      code: 'INVALID_PARAMS',
      reason: 'too_much',
    });
    const refined = {
      ...base,
      input: z.object({
        a: z
          .string()
          .transform(Number)
          .refine((n) => n > 3, 'must be above 3'),
      }),
    };
    expect((await admit(prepared(defineTool(refined)), asked('pay', { a: '2' }))).error).toMatchObject({
      code: 'INVALID_PARAMS',
      reason: 'check_failed',
      details: [{ path: '/a', message: 'must be above 3' }],
    });
    const all = { ...base, input: z.object({ a: z.number() }).superRefine((_, context) => context.addIssue('never')) };
    expect((await admit(prepared(defineTool(all)), asked('pay', { a: 2 }))).error).toMatchObject({ reason: 'check_failed' });
  });

  it.each<[string, z.ZodType, unknown, unknown]>([
    ['coerce', z.coerce.number(), 3, 3],
    ['preprocess', z.preprocess((value) => Number(value) * 2, z.number()), 3, 6],
    ['default, of its output', z.string().transform(Number).default(5), undefined, 5],
    ['prefault, of its input', z.string().transform(Number).prefault('5'), undefined, 5],
    ['catch', z.string().max(2).catch('x'), 'ab', 'ab'],
    ['pipe', z.string().pipe(z.transform((text: string) => text.length)), 'four', 4],
    ['stringbool', z.stringbool(), 'yes', true],
    ['default in a union', z.union([z.object({ b: z.string().default('q') }), z.null()]), {}, { b: 'q' }],
    ['no transform', z.number(), 3, 3],
  ])('%s', async (_kind, schema, given, got) => {
    const tool = defineTool({ ...base, class: 'read', input: z.object({ a: schema }), run: ({ a }) => ({ a }) });
    const admission = await admit(prepared(tool), asked('pay', { a: given }));
    expect(admission.error).toBe(null);
    expect(await ran(tool, admission.input)).toEqual({ ok: true, data: { a: got } });
  });

  it('gives each function its own copy', async () => {
    const shared = z.object({ list: z.array(z.unknown()) });
    const tool = defineTool({
      ...base,
      input: shared,
      target: ({ list }) => ({ n: list.push(1) }),
      run: ({ list }) => list.push(1),
    });
    const { input: kept } = await admit(prepared(tool), asked('pay', { list: [{}] }));
    expect([kept, await ran(tool, kept), kept]).toEqual([{ list: [{}] }, { ok: true, data: 2 }, { list: [{}] }]);
  });

  it('that refuses at the time of the run what it admitted runs nothing', async () => {
    let open = true;
    let runs = 0;
    const tool = defineTool({ ...base, input: z.object({ a: z.string().refine(() => open) }), run: () => (runs += 1) });
    expect(checkInput({ tool, ...compiledInput(tool.input) }, { a: 'x' }).ok).toBe(true);
    open = false;
    expect(await ran(tool, { a: 'x' })).toMatchObject({ ok: false, error: { code: 'INVALID_PARAMS' }, nothingHappened: true });
    expect(runs).toBe(0);
  });

  it('that is asynchronous is a fault: of the definition if that can be seen, else of the call', async () => {
    const waits = z.string().refine(async () => Promise.resolve(true));
    expect(() => defineTool({ ...base, input: z.object({ list: z.array(waits) }) })).toThrow(/input.*asynchronous.*\/list/);
    const turns = z.string().transform(async (text) => Promise.resolve(text));
    expect(() => defineTool({ ...base, input: z.object({ a: turns.optional() }) })).toThrow(/asynchronous/);
    const hidden = z.string().refine((() => Promise.resolve(true)) as never);
    const tool = defineTool({ ...base, input: z.object({ a: hidden }) });
    expect((await admit(prepared(tool), asked('pay', { a: 'x' }))).error).toMatchObject({
      code: 'EXECUTION_ERROR',
      reason: 'check_crashed',
      message: expect.stringContaining('must not wait'),
    });
  });
});

/** Checked by the compiler: each of these lines is an error, or the compiler reports that it expected one. */
export function types() {
  defineTool({ ...base, input, run: ({ cents }) => cents.toFixed(2) });
  // @ts-expect-error what run gets is a number, no text
  defineTool({ ...base, input, run: ({ cents }) => cents.padStart(2) });
  // @ts-expect-error a Date has no such field
  defineTool({ ...base, input, intentKey: ({ on }) => on!.length });

  const output = z.object({ n: z.number(), file: z.object({ filename: z.string(), content_type: z.string(), size: z.number(), sha256: z.string(), ref: z.string(), content_base64: z.string() }).optional() }); // oxfmt-ignore
  defineTool({ ...base, input, output, run: () => ({ n: 1 }) });
  defineTool({ ...base, input, output, run: async () => Promise.resolve({ n: 1, file: binaryFile({ filename: 'a', contentType: 'text/plain', bytes: Buffer.from('') }) }) }); // oxfmt-ignore
  // @ts-expect-error output says that n is a number
  defineTool({ ...base, input, output, run: () => ({ n: 'one' }) });
  // @ts-expect-error output says that there is an n
  defineTool({ ...base, input, output, run: async () => Promise.resolve({}) });
  // @ts-expect-error the same of an input in JSON Schema
  defineTool({ ...base, input: { type: 'object' }, output, run: () => ({ n: 'one' }) });
  defineTool({ ...base, input, output: { type: 'object' }, run: () => 'whatever' });
  defineTool({ ...base, input, run: () => 'whatever' });
  defineTool<{ a: string }>({ ...base, input: { type: 'object' }, run: ({ a }) => a.length });
}
