import { z } from 'zod';
import { defineTool } from '../../src/tools/define/define';
import type { Tool, ToolDefinition } from '../../src/tools/define/tool';

/** A read tool around a function; input: `{key: string}`, open for tests to narrow. */
export function reads(name: string, run: ToolDefinition<any>['run'], more: Partial<ToolDefinition<any>> = {}): Tool {
  return defineTool({
    name,
    version: '1.0.0',
    class: 'read',
    description: `Reads ${name}.`,
    input: z.object({ key: z.string().default('k') }),
    run,
    ...more,
  } as never);
}

/** A destructive tool that counts what it did. */
export function pays(name: string, effects: unknown[], more: Partial<ToolDefinition<any>> = {}): Tool {
  return defineTool({
    name,
    version: '1.0.0',
    class: 'destructive',
    description: 'Pays one invoice.',
    input: z.object({ invoice: z.string(), cents: z.number().int().positive() }),
    run: (input: unknown) => {
      effects.push(input);
      return { paid: true };
    },
    ...more,
  } as never);
}

/** Opens when `count` callers have arrived; remembers the largest number inside at once. */
export class Barrier {
  inside = 0;
  most = 0;
  private arrived = 0;
  private open!: () => void;
  private readonly opened = new Promise<void>((resolve) => (this.open = resolve));

  constructor(private readonly count: number) {}

  async pass(): Promise<void> {
    this.most = Math.max(this.most, ++this.inside);
    if (++this.arrived >= this.count) this.open();
    await this.opened;
    this.inside -= 1;
  }
}

/** A destructive tool whose every call is lost: its outcome is unknown. Input: `{to: string}`. */
export function loses(name: string): Tool {
  return defineTool({
    name,
    version: '1.0.0',
    description: 'Sends money.',
    class: 'destructive',
    input: z.object({ to: z.string() }),
    run: () => Promise.reject(new Error('The line broke.')),
  });
}

/** A read tool whose schema is checked in a thread where the input is long. `LONG_INPUT` is one that it accepts. */
export const slowToCheck = reads('note', () => null, {
  input: { type: 'object', properties: { text: { type: 'string', pattern: '^[a-z]{1,900}$' }, pad: { type: 'string' } } },
});
export const LONG_INPUT = { text: 'a'.repeat(390), pad: 'x'.repeat(20_000) };
