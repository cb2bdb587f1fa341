/** Inputs that keep a processor busy cost one call, and no time of the worker's own thread. */
import { join } from 'node:path';
import { Documents } from '../../../packs/finance/src/edgar/documents';
import { calculateTool } from '../../../packs/finance/src/tools/calculate';
import { resultData } from '../../../src/mcp/result';
import { referenceTools } from '../../../packs/reference/src';
import { defineAgent, defineApp } from '../../../src/agents/define';
import type { JsonObject } from '../../../src/shared/json/json';
import { admit, checkAhead } from '../../../src/tools/admit/admit';
import { fromMcp } from '../../../src/tools/convert/mcp';
import { defineTool } from '../../../src/tools/define/define';
import { isToolError } from '../../../src/tools/define/errors';
import { Registry } from '../../../src/tools/catalogue/registry';
import { runTool } from '../../../src/tools/run/run';
import { call } from '../../support/packs/reference/support';
import { madeUpSwap, startMadeUpNode } from '../packs/onchain/made-up-node';
import { swap } from '../packs/onchain/support';
import { Place } from '../packs/workspace/support';
import { blockedDuring } from '../../support/blocked';
import { toolContext } from '../../support/tool-context';
import { reads } from '../../support/tools';

/** Far less than a heartbeat timeout (10 s), and generous where others load the machine. */
const MOST_BLOCKED_MS = 4000;

let place: Place;
beforeEach(() => (place = new Place()));
afterEach(() => place.remove());

interface Spin {
  /** What it costs its own call; absent: it ends well, and has only been much work. */
  reason?: string;
  /** What is made before the clock runs. */
  prepare?(): void;
  run(): Promise<unknown>;
}

const repeated = (piece: string, length: number) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length);

/** Reads a document as the filings' tools do, without a server. */
function sectionOf(html: string): Promise<unknown> {
  const document = async () => ({ value: html, source: 'made up', asOf: '2026-11-22' });
  const documents = new Documents({ document } as never, { file: () => 'https://example.com/x.htm' } as never);
  return documents.section('1', { form: '10-K', document: 'x.htm', accession: '1' } as never, 'Risk Factors');
}

const report = (format: string, content: string) => call(tool('generate_report'), { title: 'T', content, format });
const tool = (name: string) => referenceTools({ documents: place.root }).find((one) => one.name === name)!;

const SPINS: Record<string, Spin> = {
  'a regular expression of grep': {
    reason: 'pattern_too_slow',
    prepare: () => place.put('long.txt', `${'a'.repeat(2000)}b${'a'.repeat(7000)}\n`.repeat(400)),
    run: () => place.ok('grep', { pattern: '(a?){400}b$' }),
  },
  'a pattern of glob over long names': {
    prepare: () => {
      for (let i = 0; i < 3000; i++) place.put(`${i}${'a'.repeat(220)}`, '');
    },
    run: () => place.ok('glob', { pattern: `${'*a'.repeat(140)}b` }),
  },
  'a passage of edit_file that is one piece repeated': {
    reason: 'edit_too_slow',
    prepare: () => place.put('a.txt', repeated('a', 4_000_000)),
    run: () =>
      place.ok('edit_file', { path: '/a.txt', old_text: `${repeated('a', 20_000)}b${repeated('a', 19_999)}`, new_text: 'x' }),
  },
  'the preview of a file that is written anew': {
    prepare: () => place.put('a.txt', 'a\n'.repeat(8_000_000)),
    run: async () => place.tool('write_file').preview!({ path: '/a.txt', content: 'b\n'.repeat(400_000) }, place.context()),
  },
  'an expression of calculate': {
    run: async () => call(calculateTool(), { expression: `${'('.repeat(99)}1${')'.repeat(99)}` }),
  },
  'Markdown of nothing but emphasis, as PDF': { run: () => report('pdf', repeated('**a ', 200_000)) },
  'Markdown of pictures in pictures, as DOCX': { run: () => report('docx', repeated('![[', 200_000)) },
  'Markdown of more pages than a PDF may have': {
    reason: 'report_too_large',
    run: () => report('pdf', repeated('word\n\n', 200_000)),
  },
  'documents of words that are almost the same': {
    prepare: () => {
      const words = Array.from({ length: 120_000 }, (_, i) => `abcdefghij${i.toString(36)}xyzxyz`);
      for (let i = 0; i < 4; i++) place.put(`${i}.txt`, words.map((word) => `${word}${i}`).join(' '));
    },
    run: () => call(tool('search_documents'), { query: repeated('abcdefghijklmnop ', 190) }),
  },
  'a chain’s node that answers with numbers of 2 million digits': {
    reason: 'chain_unreachable',
    run: async () => {
      const huge = () => ({ result: `0x${repeated('f', 2_000_000)}` });
      const node = await startMadeUpNode({ eth_estimateGas: huge, eth_maxPriorityFeePerGas: huge });
      const journal = join(place.root, 'journal');
      return swap({ ...node.settings, journal }, madeUpSwap()).finally(node.close);
    },
  },
  'a filing of tables without end': {
    reason: 'section_not_found',
    run: () => sectionOf(repeated('<table><tr><td>Item 1A.</td><td>Risk</td><td>12</td></tr></table>', 12_000_000)),
  },
};

describe('the worker’s thread is not blocked', () => {
  it('beside an MCP server’s answer of many short texts and one long structure', async () => {
    const content = Array.from({ length: 600 }, () => ({ type: 'text', text: '1' }));
    const answer = { content, structuredContent: { long: 'x'.repeat(5_000_000) } };
    const { value, longestMs } = await blockedDuring(async () => resultData(answer, (text) => text).content);
    expect(value).toHaveLength(600);
    expect(longestMs).toBeLessThan(MOST_BLOCKED_MS);
  });

  it.each(Object.entries(SPINS))('beside %s', async (_what, { reason, prepare, run }) => {
    prepare?.();
    const { value, longestMs } = await blockedDuring(() => run().then(() => 'done', why));
    expect(value).toBe(reason ?? 'done');
    expect(longestMs).toBeLessThan(MOST_BLOCKED_MS);
  });
});

/** Twice as long for each level: two ways to read what lies below. */
const twice = { properties: { x: { $ref: '#/$defs/node' } } };
const doubling = {
  type: 'object',
  properties: { x: { $ref: '#/$defs/node' } },
  $defs: {
    node: {
      anyOf: [{ allOf: [twice, { required: ['y'] }] }, { allOf: [twice, { required: ['z'] }] }],
    },
  },
};

function nested(depth: number): JsonObject {
  return depth === 0 ? {} : { x: nested(depth - 1) };
}

describe('admission does not block the worker’s thread', () => {
  it('where a schema takes twice as long for each level of an input', async () => {
    const tree = defineTool({
      name: 'tree',
      version: '1.0.0',
      class: 'read',
      description: 'Reads a tree.',
      input: doubling,
      run: () => 1,
    });
    const app = defineApp({ agents: [defineAgent({ name: 'a', prompt: 'p', tools: [tree] })] });
    const agent = new Registry(app).agent('a')!;
    const admitted = (depth: number) => {
      const asked = { name: 'tree', json: JSON.stringify(nested(depth)), cut: false };
      return checkAhead(agent, [asked], 'ana').then(() => admit(agent, asked));
    };
    expect(await admitted(3)).toMatchObject({
      verdict: 'rejected',
      error: { message: expect.stringContaining('must have required') },
    });
    const { value, longestMs } = await blockedDuring(() => admitted(30));
    expect(value).toMatchObject({
      verdict: 'rejected',
      error: { code: 'INVALID_PARAMS', message: expect.stringContaining('too long') },
    });
    expect(longestMs).toBeLessThan(MOST_BLOCKED_MS);
  });

  it('where a server’s tool has a schema that takes half a minute to be compiled', async () => {
    const pattern = (_: unknown, i: number) => [`p${i}`, { type: 'string', pattern: `^[a-z]{1,50}x${i}$` }];
    const inputSchema = { type: 'object', properties: Object.fromEntries(Array.from({ length: 6000 }, pattern)) };
    const { value, longestMs } = await blockedDuring(() => {
      try {
        return JSON.stringify(fromMcp({ name: 'many', description: 'Has many fields.', inputSchema }));
      } catch (error) {
        return (error as Error).message;
      }
    });
    expect(value).toContain('more than 100 patterns');
    expect(longestMs).toBeLessThan(MOST_BLOCKED_MS);
  });

  it('where a server’s schema hides its patterns in a place where nobody counts them', async () => {
    const allOf = Array.from({ length: 3000 }, (_, i) => ({ pattern: `^a${i}$` }));
    const inputSchema = { type: 'object', properties: { x: { $ref: '#/examples/0' } }, examples: [{ allOf }] };
    const { value, longestMs } = await blockedDuring(() => {
      try {
        return JSON.stringify(fromMcp({ name: 'many', description: 'Has many patterns.', inputSchema }));
      } catch (error) {
        return (error as Error).message;
      }
    });
    expect(value).toContain('"#/examples/0" points to what is no schema');
    expect(longestMs).toBeLessThan(MOST_BLOCKED_MS);
  });

  it('where a tool’s result is wrong in millions of ways by its server’s schema', async () => {
    const items = { allOf: Array.from({ length: 990 }, () => ({ type: 'string' })) };
    const output = { type: 'object', properties: { list: { type: 'array', items } } };
    const tool = { ...reads('lookup', () => ({ list: Array<number>(4900).fill(1) })), output } as never;
    const { value, longestMs } = await blockedDuring(() => runTool(tool, {}, toolContext(), { timeoutMs: 30_000 }));
    expect(value).toMatchObject({ ok: false, error: { code: 'EXECUTION_ERROR', reason: 'output_mismatch' } });
    expect(longestMs).toBeLessThan(MOST_BLOCKED_MS);
  });

  it('where a tool’s result takes as long to check against its server’s schema', async () => {
    const tool = { ...reads('lookup', () => nested(30)), output: doubling } as never;
    const { value, longestMs } = await blockedDuring(() => runTool(tool, {}, toolContext(), { timeoutMs: 30_000 }));
    expect(value).toMatchObject({ ok: false, error: { code: 'EXECUTION_ERROR', reason: 'output_mismatch' } });
    expect(longestMs).toBeLessThan(MOST_BLOCKED_MS);
  });
});

/** The tool's own word for what was wrong. */
function why(error: unknown): string {
  if (isToolError(error)) return error.detail.reason;
  const { message } = error as Error;
  return /"reason":"(\w+)"/.exec(message)?.[1] ?? message;
}
