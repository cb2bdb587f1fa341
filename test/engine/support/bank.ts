/** A bank that settles transfers later, and the tool that orders them: for tests of calls that end later. */
import { z } from 'zod';
import { complete } from '../../../src/completions/complete';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import { defineTool } from '../../../src/tools/define/define';
import type { Later, LaterOptions, PollAnswer, Tool } from '../../../src/tools/define/tool';
import { eventually, type Engine } from './engine';

const DAY = 86_400_000;
export const transfer = { to: 'Acme', cents: 700 };
export const settledOn = { settled_on: '2026-12-03' };
export const allowed = { permissions: { allow: ['transfer'] } };

export class Bank {
  /** One for each order that reached it. */
  readonly orders: Later[] = [];
  /** Their idempotency keys. */
  readonly keys: string[] = [];
  polled = 0;

  constructor(
    private readonly options: LaterOptions = { expiresMs: 3 * DAY },
    private readonly answer: (polled: number) => PollAnswer = () => 'pending',
  ) {}

  get tool(): Tool {
    return this.toolOf('destructive');
  }

  toolOf(toolClass: 'destructive' | 'write'): Tool {
    return defineTool({
      name: 'transfer',
      version: '1.0.0',
      class: toolClass,
      description: 'Transfers money, which settles days later.',
      input: z.object({ to: z.string(), cents: z.number().int() }),
      output: z.object({ settled_on: z.iso.date() }),
      run: async (_input, ctx) => {
        const later = await ctx.later(this.options);
        this.orders.push(later);
        this.keys.push(ctx.idempotencyKey);
        return later;
      },
      poll: () => this.answer((this.polled += 1)),
    });
  }

  get token(): string {
    return this.orders[0]!.token;
  }
}

export const isPending = (turn: TurnHandle) =>
  eventually('its call is pending', async () => {
    const view = await turn.status();
    return view.state === 'awaiting_completion' && view;
  });

export const completed = ({ store, client }: Engine, token: string, outcome: Parameters<typeof complete>[2]) =>
  complete({ store, client: async () => client }, token, outcome);
