/** Requests of the real client, over HTTP, to a server that checks the API's rules; and what the record keeps. */
import { randomBytes } from 'node:crypto';
import { AnthropicProvider } from '../../../src/model/anthropic/provider';
import { startRehearsal, type Rehearsal } from '../../../src/model/rehearsal';
import type { ScriptedResponse } from '../../../src/model/rehearsal/script';
import type { JsonObject } from '../../../src/shared/json/json';
import { walk } from '../../../src/store/core/transcript';
import { withEngine, type Engine, type Setup } from '../support/engine';
import { chainFaults, talk } from '../support/sessions';
import { reads } from '../../support/tools';

const look = reads('look', ({ key }) => key);
const text = (words: string): JsonObject => ({ type: 'text', text: words });

async function onWire(script: ScriptedResponse[], setup: Setup, body: (engine: Engine, rehearsal: Rehearsal) => Promise<void>) {
  const rehearsal = await startRehearsal({ script });
  try {
    const model = new AnthropicProvider({ apiKey: 'k', baseUrl: rehearsal.baseUrl });
    await withEngine({ ...setup, model }, (engine) => body(engine, rehearsal));
  } finally {
    await rehearsal.close();
  }
}

test('content that the API would refuse is never sent again, in this turn or a later one; the record keeps it as it came', () => {
  const long = 'n'.repeat(300);
  const odd: JsonObject[] = [
    { type: 'thinking', thinking: 'Hm', signature: '' },
    text(' \n '),
    { type: 'tool_use', id: 'toolu_1', name: 'no such.tool', input: { a: 1 } },
    { type: 'tool_use', id: 'toolu_2', name: long, input: {} },
  ];
  const cut: JsonObject[] = [text('I look.'), { type: 'tool_use', id: 'toolu_3', name: 'look', raw: '{"key": "a' }];
  const script = [
    { content: odd },
    { content: cut, stop_reason: 'max_tokens' },
    { content: [text('one')] },
    { content: [text('two')] },
  ];
  return onWire(script, { tools: [look] }, async ({ client, store }, rehearsal) => {
    const session = await client.openSession({ agent: 'tester', id: `s-${randomBytes(5).toString('hex')}` });
    expect(await talk(session, 'First.')).toMatchObject({ state: 'completed', text: 'one' });
    const second = await talk(session, 'Second.');
    expect(second).toMatchObject({ state: 'completed', text: 'two' });

    // The server answers 400 to what breaks a rule of the API, and the script would then not have been played to its end.
    expect(rehearsal.requests).toHaveLength(4);
    for (const { messages } of rehearsal.requests.slice(1)) {
      const said = JSON.stringify(messages);
      expect(said).not.toMatch(/"thinking"| \\n |no such\.tool"/);
      expect(said).not.toContain(long);
      expect(said).toContain('"name":"no_such_tool"');
    }

    expect(await chainFaults(store, second.head)).toEqual([]);
    const blocks = await walk(store, second.head);
    const answers = blocks.filter(({ bodies: [first] }) => (first as JsonObject).role === 'assistant');
    expect(answers[0]!.bodies.slice(1)).toEqual(odd);
    expect(answers[1]!.bodies.slice(1)).toMatchObject([text('I look.'), { id: 'toolu_3', name: 'look' }]);
    expect(JSON.stringify(blocks.filter(({ block }) => block.kind === 'admission'))).toContain(JSON.stringify('{"key": "a'));
  });
});

test('a strict tool is marked so in each request and in the record; another tool has no such field', () => {
  const strict = reads('exact', () => 1, { strict: true });
  const script = [
    { content: [{ type: 'tool_use', id: 'toolu_1', name: 'exact', input: { key: 'a' } }] },
    { content: [text('ok')] },
  ];
  return onWire(script, { tools: [look, strict] }, async ({ start, store }, rehearsal) => {
    const view = await (await start()).result();
    expect(view).toMatchObject({ state: 'completed', text: 'ok' });
    expect(rehearsal.requests).toHaveLength(2);
    for (const { tools } of rehearsal.requests) {
      const told = new Map((tools as JsonObject[]).map((tool) => [tool.name, tool]));
      expect(told.get('exact')).toMatchObject({ strict: true });
      expect(told.get('look')).not.toHaveProperty('strict');
    }
    const { definition_ref: ref } = (await walk(store, view.head))[0]!.bodies[0] as JsonObject;
    const definition = JSON.parse((await store.getBytes(ref as string)).toString('utf8')) as { tools: JsonObject[] };
    expect(definition.tools.filter((tool) => tool.strict === true).map(({ name }) => name)).toEqual(['exact']);
  });
});
