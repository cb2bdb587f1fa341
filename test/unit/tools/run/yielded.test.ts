/** A generator tool yields its result, besides progress. */
import { z } from 'zod';
import { defineTool } from '../../../../src/tools/define/define';
import { invoke } from '../../../../src/tools/run/run';
import { toolContext } from '../../../support/tool-context';
import type { ToolYield } from '../../../../src/tools/define/tool';

async function resultOf(run: () => AsyncGenerator<ToolYield, unknown> | Generator<ToolYield, unknown>) {
  const said: string[] = [];
  const tool = defineTool({ name: 'read', version: '1.0.0', class: 'read', description: 'Reads.', input: z.object({}), run });
  const context = { ...toolContext(), progress: (message: string) => void said.push(message) };
  return { result: await invoke(tool, {}, context), said };
}

describe('a generator tool', () => {
  it('returns its yielded values as content, with its facts about the whole', async () => {
    const { result, said } = await resultOf(async function* () {
      yield { type: 'start', message: 'Opening…' };
      yield { type: 'content', data: 'line 1\n' };
      yield { type: 'content', data: 'line 2\n' };
      yield { type: 'done', lines: 2 };
    });
    expect(result).toEqual({ content: 'line 1\nline 2\n', lines: 2 });
    expect(said).toEqual(['Opening…']);
  });

  it.each<[string, () => AsyncGenerator<ToolYield, unknown> | Generator<ToolYield, unknown>, unknown]>([
    ['one piece', async function* () { yield { type: 'content', data: { a: 1 } }; }, { a: 1 }],
    ['several pieces', async function* () { yield { type: 'content', data: 1 }; yield { type: 'content', data: 2 }; }, [1, 2]],
    ['pieces and a value', async function* () { yield { type: 'content', data: 'x' }; return { n: 1 }; }, { content: 'x', n: 1 }],
    ['a value', async function* () { yield { message: 'half', fraction: 0.5 }; return 7; }, 7],
    ['facts alone', async function* () { yield { type: 'done', rows: 3 }; }, { rows: 3 }],
    ['a generator that waits for nothing', function* () { yield { type: 'content', data: 'x' }; }, 'x'],
    ['a piece without data', async function* () { yield { type: 'content', text: 'x' } as never; }, { text: 'x' }],
    ['nothing', async function* () { yield { message: 'half' }; }, undefined],
  ])('%s', async (_name, run, expected) => expect((await resultOf(run)).result).toEqual(expected)); // oxfmt-ignore
});
