/** Measures the cost of admission per call, beside ajv alone with the same schema and input, and the registration of 200 tools. */
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { z } from 'zod';
import { defineAgent, defineApp } from '../src/agents/define';
import { admit } from '../src/tools/admit/admit';
import { defineTool } from '../src/tools/define/define';
import { Registry } from '../src/tools/catalogue/registry';
import { writtenInput } from '../src/tools/schema/schema';
import { AJV_OPTIONS } from '../src/tools/schema/ajv';
import { median } from './support/quantile';
import type { Tool } from '../src/tools/define/tool';

export interface Admission {
  tools: number;
  /** Time from the definitions to a registry that can admit calls. */
  registrationMs: number;
  /** The same as CPU time, which a busy machine does not stretch. */
  registrationCpuMs: number;
  /** Median of one call, µs: parse, schema, check, permission, digests. */
  admitUs: number;
  /** Median of `JSON.parse` and ajv's own `validate`, µs. */
  ajvUs: number;
}

const TOOLS = 200;
const ROUNDS = 200;

export async function admission(say: (line: string) => void): Promise<Admission> {
  const began = performance.now();
  const cpuBefore = process.cpuUsage();
  const tools = Array.from({ length: TOOLS }, (_, index) => realistic(index));
  const agent = new Registry(defineApp({ agents: [defineAgent({ name: 'bench', prompt: 'Bench.', tools })] })).agent('bench')!;
  const registrationMs = performance.now() - began;
  const cpu = process.cpuUsage(cpuBefore);
  const registrationCpuMs = (cpu.user + cpu.system) / 1000;
  say(`  ${TOOLS} tools registered`);

  const validators = tools.map((tool) => ajvAlone(tool));
  const inputs = tools.map((_, index) => JSON.stringify(input(index)));
  const admitted: number[] = [];
  const alone: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    // Both in each round, so that a disturbance of the machine affects both.
    alone.push(await perCall(inputs, (json, index) => must(validators[index]!(JSON.parse(json)))));
    admitted.push(
      await perCall(inputs, async (json, index) =>
        must((await admit(agent, { name: tools[index]!.name, json, cut: false })).verdict !== 'rejected'),
      ),
    );
  }
  return { tools: TOOLS, registrationMs, registrationCpuMs, admitUs: median(admitted), ajvUs: median(alone) };
}

async function perCall(inputs: string[], work: (json: string, index: number) => unknown): Promise<number> {
  const began = performance.now();
  for (const [index, json] of inputs.entries()) await work(json, index);
  return ((performance.now() - began) * 1000) / inputs.length;
}

function must(fits: boolean): void {
  if (!fits) throw new Error('An input of the benchmark was refused.');
}

function ajvAlone(tool: Tool): (data: unknown) => boolean {
  const { $schema: _, ...schema } = writtenInput(tool.input as never);
  const validate = addFormats(new Ajv2020({ ...AJV_OPTIONS, useDefaults: true })).compile(schema);
  return (data) => validate(data);
}

/** Like the tools that people write: a few fields, choices, a list of small objects; every fourth has effects. */
function realistic(index: number): Tool {
  const effects = index % 4 === 3;
  return defineTool({
    name: `${effects ? 'book' : 'search'}_${index}_orders`,
    version: '1.0.0',
    class: effects ? 'destructive' : 'read',
    description: {
      does: 'Looks for orders of one customer in one system, newest first.',
      returns: 'orders with id, date, amount in cents and state.',
      useWhen: 'You need the orders of a customer.',
      dontUseFor: 'Invoices.',
      example: '{"customer": "C-1001"}',
    },
    input: z.object({
      customer: z.string().regex(/^C-\d{1,8}$/).describe('Customer number'), // oxfmt-ignore
      state: z.enum(['open', 'paid', 'cancelled']).default('open').describe('State of the orders'),
      from: z.iso.date().optional().describe('First day'),
      limit: z.number().int().min(1).max(100).default(10).describe('Orders to list'),
      note: z.string().max(500).optional().describe('Why they are needed'),
      items: z
        .array(
          z.object({ sku: z.string().max(40).describe('Article'), count: z.number().int().min(1).max(999).describe('Pieces') }),
        )
        .max(50)
        .describe('Only orders with these articles'),
    }),
    run: () => null,
  });
}

function input(index: number): object {
  const items = Array.from({ length: 5 }, (_, item) => ({ sku: `SKU-${index}-${item}`, count: item + 1 }));
  return { customer: `C-${1000 + index}`, from: '2026-01-31', note: 'The customer asks for the state of these orders.', items };
}
