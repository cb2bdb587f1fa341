/** A conversation that comes near its context window: results are left out first, then it is summarized; nothing is removed. */
import { randomBytes } from 'node:crypto';
import type { ModelMessage, ModelProvider, ModelRequest, ModelResponse } from '../../../src/model/provider';
import { addUsage, cachedShare, NO_USAGE } from '../../../src/shared/turn/turn-view';
import { isJsonObject, type JsonObject } from '../../../src/shared/json/json';
import { walk } from '../../../src/store/core/transcript';
import { estimateTokens } from '../../../src/tools/define/model-text';
import { withEngine } from '../support/engine';
import { afterTurns, callFaults, chainFaults, replayedSession, talk } from '../support/sessions';
import { reads } from '../../support/tools';

const WINDOW = 6000;
const TURNS = 16;
const SUMMARY = 'They look keys up, one after the other.';
const found = (key: string) => `all about ${key}, `.repeat(105);
const look = reads('look', ({ key }) => found(key));

/** Looks a key up for each message. Counts tokens as a vendor does, and has a prompt cache: what a request begins with as one before. */
class CountingModel implements ModelProvider {
  readonly name = 'counting';
  readonly requests: ModelRequest[] = [];
  private readonly cached: string[][] = [];

  async request(request: ModelRequest): Promise<ModelResponse> {
    this.requests.push(structuredClone(request));
    const content = this.answer(request.messages);
    const uses = content.filter(({ type }) => type === 'tool_use');
    return {
      id: `msg_${this.requests.length}`,
      requestId: null,
      model: 'counting',
      stopReason: uses.length > 0 ? 'tool_use' : 'end_turn',
      content,
      rawToolInputs: content.flatMap(({ type, input }, block) =>
        type === 'tool_use' ? [{ block, json: JSON.stringify(input) }] : [],
      ),
      usage: { ...this.counted(request.messages), output_tokens: tokens(content) },
    };
  }

  private answer(messages: ModelMessage[]): JsonObject[] {
    const last = messages.at(-1)!.content;
    const text = String(last.find(({ type }) => type === 'text')?.text ?? '');
    if (text.startsWith('Summarize this conversation')) return [{ type: 'text', text: SUMMARY }];
    if (last.some(({ type }) => type === 'tool_result')) return [{ type: 'text', text: 'Looked up. '.repeat(45) }];
    return [{ type: 'tool_use', id: `use_${this.requests.length}`, name: 'look', input: { key: text } }];
  }

  private counted(messages: ModelMessage[]) {
    const now = messages.map((message) => JSON.stringify(message));
    const common = Math.max(0, ...this.cached.map((before) => alike(before, now)));
    this.cached.push(now);
    const size = (part: string[]) => part.reduce((sum, one) => sum + tokens(one), 0);
    return {
      cache_read_tokens: size(now.slice(0, common)),
      cache_creation_tokens: 0,
      input_tokens: size(now.slice(common)),
    };
  }
}

/** How many of them two requests begin with alike. */
function alike(before: string[], now: string[]): number {
  const differs = before.findIndex((one, at) => one !== now[at]);
  return differs < 0 ? before.length : differs;
}

function tokens(value: unknown): number {
  return estimateTokens(typeof value === 'string' ? value : JSON.stringify(value), 'json');
}

describe('a session whose context window is nearly full', () => {
  it('leaves results out first and is summarized then; chain, calls and prompt cache hold, and the original can be read', () => {
    const model = new CountingModel();
    const agent = { contextWindow: WINDOW, compactAt: 0.7 };
    return withEngine({ tools: [look], model, agent }, async (engine) => {
      const session = await engine.client.openSession({ agent: 'tester', id: `c-${randomBytes(4).toString('hex')}` });
      for (let turn = 1; turn <= TURNS; turn++)
        expect(await talk(session, `key ${turn}`)).toMatchObject({ state: 'completed', step: 2 });

      const view = await afterTurns(session, TURNS);
      const blocks = await walk(engine.store, view.head); // each is held to its hash
      expect(await chainFaults(engine.store, view.head)).toEqual([]);
      const summaries = blocks.filter(({ block }) => block.kind === 'summary').map(({ bodies: [body] }) => body as JsonObject);
      const how = summaries.map(({ text }) => (text === null ? 'cleared' : 'summarized'));
      console.log(`compacted: ${how.join(', ')}`);
      expect(how[0]).toBe('cleared');
      expect(how).toContain('summarized');
      expect(summaries.find(({ text }) => text !== null)).toMatchObject({ text: SUMMARY });

      // What the model was sent: always whole, never more than its window.
      for (const { messages } of model.requests) {
        expect(callFaults(messages)).toEqual([]);
        expect(tokens(messages)).toBeLessThan(WINDOW);
      }
      const sent = model.requests.map(({ messages }) => JSON.stringify(messages));
      const note = /This result was left out to make room. It is kept in block ([0-9a-f]{64})/;
      const named = sent.flatMap((text) => note.exec(text)?.[1] ?? []);
      expect(named.length).toBeGreaterThan(0);
      expect(sent.at(-1)).toContain(SUMMARY);
      expect(sent.at(-1)).not.toContain('"key 1"');

      // All content is still there, under the blocks that the notes name.
      const kept = JSON.stringify(blocks.filter(({ block }) => block.kind === 'message').map(({ bodies }) => bodies));
      for (let turn = 1; turn <= TURNS; turn++) expect(kept).toContain(found(`key ${turn}`));
      for (const hash of named) {
        const block = blocks.find((one) => one.hash === hash);
        expect(JSON.stringify(block?.bodies)).toContain('all about key');
      }

      const usage = { ...NO_USAGE };
      for (const { block, bodies } of blocks) {
        const used = block.kind === 'admission' && isJsonObject(bodies[0]) ? bodies[0].usage : null;
        if (isJsonObject(used ?? null)) addUsage(usage, used as never);
      }
      console.log(`cached share: ${view.cached_share!.toFixed(2)}; of the steps alone ${cachedShare(usage)!.toFixed(2)}`);
      expect(view.cached_share!).toBeGreaterThan(0.5);
      await replayedSession(engine.client, session);
    });
  });
});
