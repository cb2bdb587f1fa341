/** The type of a turn's data comes from its agent: a wrong use does not compile. Nothing of `uses` runs. */
import { z } from 'zod';
import { defineAgent } from '../../../src/agents/define';
import type { Agent } from '../../../src/agents/agent';
import type { EndedTurn, HoldfastClient } from '../../../src/entries/client';
import { agentTool } from '../../../src/agents/agent-tool';

const invoice = z.object({ cents: z.number(), due: z.string().optional(), currency: z.string().default('EUR') });
const reader = defineAgent({ name: 'reader', prompt: 'Read.', tools: [], result: invoice });
const plain = defineAgent({ name: 'plain', prompt: 'Talk.', tools: [] });
const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
const counted = defineAgent<{ n: number }>({ name: 'counted', prompt: 'Count.', tools: [], result: schema });
const listed: readonly Agent[] = [reader, plain, counted];

async function uses(client: HoldfastClient) {
  const ended = await (await client.start(reader, { message: 'Go.' })).result();
  // @ts-expect-error a turn that failed has no data
  void ended.data.cents;
  if (ended.state !== 'completed' && ended.state !== 'refused') {
    const nothing: undefined = ended.data;
    return nothing;
  }
  const cents: number = ended.data.cents;
  const currency: string = ended.data.currency;
  // @ts-expect-error cents is a number
  const text: string = ended.data.cents;
  // @ts-expect-error the result has no such field
  void ended.data.total;
  // @ts-expect-error due may be missing
  void ended.data.due.length;

  // @ts-expect-error the agent's object names the agent
  await client.start(reader, { agent: 'other', message: 'Go.' });
  // @ts-expect-error a message is needed
  await client.start(reader, {});

  const untyped = await (await client.start({ agent: 'reader', message: 'Go.' })).result();
  // @ts-expect-error by its name alone nobody knows what an agent gives
  if (untyped.state === 'completed') void untyped.data.cents;
  const later = await client.turn('t').of(reader).named('act').result();
  if (later.state === 'completed') later.data.cents satisfies number;

  const none = await (await client.start(plain, { message: 'Go.' })).result();
  // @ts-expect-error the agent has no result
  if (none.state === 'completed') void none.data.cents;
  const byName = await (await client.start(counted, { message: 'Go.' })).result();
  if (byName.state === 'completed') byName.data.n satisfies number;
  // @ts-expect-error the type that was named has no such field
  if (byName.state === 'completed') void byName.data.cents;
  const view: EndedTurn<z.output<typeof invoice>> = ended;
  agentTool(reader, { description: 'Reads.' });
  return [cents, currency, text, view];
}

it('an agent with a result is an agent like the others', () => {
  expect(listed.map(({ name }) => name)).toEqual(['reader', 'plain', 'counted']);
  expect(uses).toBeInstanceOf(Function);
  expect(() => defineAgent({ ...reader, limits: {} } as never)).not.toThrow();
});

// @ts-expect-error a result is a schema
const wrong = () => defineAgent({ name: 'wrong', prompt: 'x', tools: [], result: 'text' });
it('a result that is no schema is refused when it is defined, too', () => {
  expect(wrong).toThrow('result must be a zod object or a JSON Schema');
});
