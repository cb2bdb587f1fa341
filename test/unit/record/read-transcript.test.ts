/** The transcript of a turn as people read it: senders, texts, calls with their results, and its pages. */
import {
  admissionBlock,
  endBlock,
  messageBlock,
  resultsBlock,
  startBlock,
  steerBlock,
  type BlockContent,
} from '../../../src/record/write-block';
import type { StartBody } from '../../../src/record/blocks';
import { transcriptPart, turnBlocks, type TranscriptBlock } from '../../../src/record/read-transcript';
import type { TranscriptEntry } from '../../../src/shapes/transcript';

const AT = '2026-11-28T07:00:00.000Z';
const turn = {
  turn_id: 't',
  workflow_id: 'turn/t',
  first_execution_run_id: 'r',
  requester: 'ana',
  session_id: null,
  trace_id: 'x',
};
const start = (more: Partial<StartBody> = {}) =>
  startBlock({
    ...turn,
    agent: { name: 'payables', prompt_hash: 'p', tools: [] },
    policy_ref: null,
    definition_ref: null,
    ...more,
  } as StartBody);
const text = (words: string) => ({ type: 'text', text: words });
const admission = admissionBlock({ model: 'm', definition_ref: 'd', subject: {} } as never, [
  { call_id: '1.1', tool_use_id: 'toolu_1', tool: 'pay', version: '1.0.0', class: 'destructive', verdict: 'ask' } as never,
]);
const use = { type: 'tool_use', id: 'toolu_1', name: 'pay', input: { invoice: 'INV-7', cents: 700 } };
const result = (content: unknown, more = {}) => ({ type: 'tool_result', tool_use_id: 'toolu_1', content, ...more }) as never;

/** Blocks in a store of this test; their hash is their number. */
function stored(blocks: BlockContent[], parent: string | null = null): { blocks: TranscriptBlock[]; head: string } {
  const all = blocks.map(({ kind, bodies }, index): TranscriptBlock => {
    const block = { v: 'holdfast.block/1', kind, parent: index === 0 ? parent : String(index - 1), at: AT, parts: [] };
    return { hash: String(index), block: block as never, bodies };
  });
  return { blocks: all, head: String(all.length - 1) };
}
const entriesOf = (...blocks: BlockContent[]) => transcriptPart(stored(blocks).blocks, 0, 100).entries;
const messages = (entries: TranscriptEntry[]) => entries.filter((entry) => entry.kind === 'message');
const source = ({ blocks }: { blocks: TranscriptBlock[] }) => ({
  getBlock: async (hash: string) => blocks[Number(hash)] ?? Promise.reject(new Error('not there')),
});

describe('a transcript', () => {
  it('names who said what, and brings calls and results together', () => {
    const entries = entriesOf(
      start(),
      messageBlock('user', [text('Pay INV-7.')]),
      messageBlock('assistant', [{ type: 'thinking', thinking: '…' }, text('I pay it.'), use]),
      admission,
      resultsBlock([result([text('paid'), text('in full')])], []),
      steerBlock({ by: 'bob', text: 'Only half.', at: AT, channel: 'update', identity: 'cli' } as never),
      endBlock({ state: 'completed', reason: null } as never),
    );
    expect(entries.map(({ kind }) => kind)).toEqual(['start', 'message', 'message', 'admission', 'message', 'message', 'end']);
    expect(messages(entries)).toMatchObject([
      { from: 'requester', by: 'ana', text: 'Pay INV-7.' },
      {
        ...{ from: 'model', by: 'payables', text: 'I pay it.', other: ['thinking'] },
        calls: [{ call: '1.1', tool: 'pay', input: { invoice: 'INV-7', cents: 700 } }],
      },
      { from: 'tools', by: null, results: [{ call: '1.1', text: 'paid\nin full', is_error: false }] },
      { from: 'steering', by: 'bob', text: 'Only half.' },
    ]);
    expect(entries[3]).toMatchObject({ kind: 'admission', model: 'm', calls: [{ call: '1.1', tool: 'pay', verdict: 'ask' }] });
  });

  it("of a sub-agent's turn begins with the task of the turn above", () => {
    const parent = {
      turn_id: 'above',
      workflow_id: 'w',
      first_execution_run_id: 'r',
      call_id: '1.1',
      digest: 'd',
      head: 'h',
      within: [],
    };
    const entries = entriesOf(
      start({ parent: { ...parent, untrusted: false, depth_left: 1 } }),
      messageBlock('user', [text('Do it.')]),
    );
    expect(entries).toMatchObject([{ parent_turn_id: 'above' }, { from: 'parent', by: 'above', text: 'Do it.' }]);
  });

  it('cuts long texts, and says so', () => {
    const [, message] = entriesOf(start(), messageBlock('user', [text('x'.repeat(300_000))]));
    expect(message).toMatchObject({ cut: true });
    expect(JSON.stringify(message).length).toBeLessThan(30_000);
    const many = Array.from({ length: 200 }, () => result('y'.repeat(20_000)));
    expect(JSON.stringify(entriesOf(start(), resultsBlock(many, []))).length).toBeLessThan(150_000);
  });

  it('shows a block that cannot be read as such', () => {
    const entries = entriesOf(start(), { kind: 'decision', bodies: ['redacted'] });
    expect(entries[1]).toEqual({ kind: 'unreadable', block: '1', at: AT });
  });

  it('comes in pages of blocks, and shorter ones where texts are long', () => {
    const { blocks } = stored([
      start(),
      ...Array.from({ length: 40 }, (_, n) => messageBlock('user', [text(`${n} ${'z'.repeat(19_000)}`)])),
    ]);
    const seen: string[] = [];
    for (let from: number | null = 0, pages = 0; from !== null; pages += 1) {
      const part: ReturnType<typeof transcriptPart> = transcriptPart(blocks, from, 30);
      expect(JSON.stringify(part).length).toBeLessThan(600_000);
      seen.push(...part.entries.map(({ block }) => block));
      from = part.next;
      expect(pages).toBeLessThan(10);
    }
    expect(seen).toEqual(blocks.map(({ hash }) => hash));
  });

  it('begins with the start of its turn, and no block of another turn opens it', async () => {
    const both = stored([
      start({ turn_id: 'before' } as never),
      messageBlock('user', [text('Hello.')]),
      start(),
      messageBlock('user', [text('Pay.')]),
    ]);
    expect((await turnBlocks(source(both), turn, both.head))!.map(({ hash }) => hash)).toEqual(['2', '3']);
    expect(await turnBlocks(source(both), turn, '1')).toBeNull();
    expect(await turnBlocks(source(both), { ...turn, turn_id: 'before' }, both.head)).toBeNull();
    expect(await turnBlocks(source(both), { ...turn, requester: 'bob' }, both.head)).toBeNull();
    expect(await turnBlocks(source(both), { ...turn, first_execution_run_id: 'later' }, both.head)).toBeNull();
    await expect(turnBlocks(source(both), turn, '77')).rejects.toThrow('not there');
  });
});
