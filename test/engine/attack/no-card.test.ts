/** If cards cannot be read (broken queries, details that are too long, a turn above that does not show them), nobody approves blindly. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { HoldfastClient } from '../../../src/client';
import { cardsByDigest } from '../../../src/client/approvals/cards';
import { CallHandle } from '../../../src/client/turns/direct-call';
import type { NewQuestion } from '../../../src/client/approvals/watch-pending';
import { followCall } from '../../../src/cli/call';
import type { TerminalQuestions } from '../../../src/cli/support/terminal-questions';
import type { Output } from '../../../src/cli/support/output';
import { decideDemoCall } from '../../../src/cli/support/demo-decision';
import { WaitingCallPrompt } from '../../../src/cli/support/waiting-calls';
import { messageOf } from '../../../src/notify/message';
import { dataConverter } from '../../../src/temporal/data-converter';
import { CARDS_QUERY } from '../../../src/workflows/contract';
import { eventually, listedAsWaiting, withEngine, type Engine } from '../support/engine';
import { aQuestion, WHERE } from '../../support/notify/questions';
import { ask, say } from '../../support/scripted-model';
import { pays } from '../../support/tools';

const script = [ask(['pay', { invoice: 'INV-7', cents: 700 }]), say('done')];
const scene = (body: (engine: Engine) => Promise<void>) => withEngine({ tools: [pays('pay', [])], script }, body);

/** The same server, for a client that can read the states of turns, but not their cards, until these are `mended`. */
function withoutCards({ client: { temporal }, taskQueue }: Engine) {
  const state = { mended: false };
  const query = (input: { queryType: string }, next: (input: never) => Promise<unknown>) => {
    if ([CARDS_QUERY, '__temporal_workflow_metadata'].includes(input.queryType) && !state.mended)
      throw new Error('the details are too long');
    return next(input as never);
  };
  const { connection, options } = temporal;
  const seen = new Client({ connection, namespace: options.namespace, dataConverter, interceptors: { workflow: [{ query }] } });
  return { state, client: new HoldfastClient(seen, { taskQueue, uiUrl: 'http://ui.example' }) };
}

function outputTo(lines: string[]): Output {
  const tell = (line: string) => void lines.push(line);
  return { json: false, say: tell, note: tell, answer: () => undefined };
}

describe('where a card cannot be read, nobody is asked', () => {
  it('by `chat`, with a terminal or without: it says why, and asks once the card can be read', () =>
    scene(async (engine) => {
      const turn = await engine.start();
      const [call] = await turn.waitForPending();
      const { state, client } = withoutCards(engine);
      const noted: string[] = [];
      const output = outputTo(noted);
      const asked: string[][] = [];
      const questions = {
        ask: async (question: string, _signal: AbortSignal, above: string[] = []) => {
          asked.push([...above, question]);
          return null;
        },
        above: (print: () => void) => print(),
      } as unknown as TerminalQuestions;
      const stop = new AbortController();
      const following = [questions, null].map((each) =>
        new WaitingCallPrompt(client.turn(turn.id), { output, questions: each, onEnd: () => undefined }).until(stop.signal),
      );
      await eventually(
        'both have said so',
        async () => noted.filter((line) => /card/.test(line)).length >= 2 || asked.length > 0,
      );
      await sleep(2000); // another look
      expect(asked).toEqual([]);
      const blind = noted.join('\n');
      expect(blind).not.toContain('holdfast approve');
      expect(blind).toMatch(/card .*cannot be read.*the details are too long.*http:\/\/ui\.example\//s);
      expect(noted).toHaveLength(2); // one line each
      state.mended = true;
      await eventually('it is asked', async () => asked.length > 0 && noted.some((line) => line.includes('holdfast approve')));
      stop.abort();
      await Promise.all(following);
      expect(asked[0]!.join('\n')).toMatch(/"INV-7".*approve\?/s);
      expect(noted.at(-1)).toContain('"INV-7"');
      await turn.deny(call.digest, { by: 'ana' });
      await turn.result();
    }));

  it('by the list of waiting calls, which says why and goes on with the other turns, or by a watch, which asks once the card can be read', () =>
    scene(async (engine) => {
      const turn = await engine.start();
      const [call] = await turn.waitForPending();
      const { state, client } = withoutCards(engine);
      const listed = await eventually('it is listed, and why without its calls', async () =>
        (await client.pending()).find(({ turn_id, unreachable }) => turn_id === turn.id && unreachable?.includes('card')),
      );
      expect(listed).toMatchObject({
        tools: ['pay'],
        calls: [],
        unreachable: expect.stringMatching(/card of call 1\.1 .*cannot be read.*the details are too long/s),
      });
      expect(await listedAsWaiting(engine.client, turn.id)).toMatchObject({
        calls: [{ digest: call.digest, card: { markdown: expect.stringContaining('"INV-7"') } }],
      });
      const stop = new AbortController();
      const told: NewQuestion[] = [];
      const faults: string[] = [];
      const onFault = (error: unknown) => void faults.push(String(error));
      const watching = (async () => {
        for await (const one of client.watchPending({ signal: stop.signal, everyMs: 50, onFault }))
          if (one.turn.turn_id === turn.id) told.push(one);
      })();
      await eventually('it says so', async () => faults.some((line) => line.includes(turn.id)) || told.length > 0);
      expect(told).toEqual([]);
      expect(faults.filter((line) => line.includes(turn.id)).join()).toMatch(/card of call 1\.1/);
      state.mended = true;
      await eventually('it is a question', async () => told.length > 0);
      stop.abort();
      await watching;
      expect(told).toMatchObject([{ call: { id: '1.1' }, card: { markdown: expect.stringContaining('"INV-7"') } }]);
      await turn.deny(call.digest, { by: 'ana' });
      await turn.result();
    }));

  it('by `holdfast call`, which says why, and how to decide once the card can be read', () =>
    scene(async (engine) => {
      const { turn } = await engine.client.call({ tool: 'pay', input: { invoice: 'INV-7', cents: 700 } });
      const [call] = await turn.waitForPending();
      const { state, client } = withoutCards(engine);
      const noted: string[] = [];
      const stop = new AbortController();
      const seen = new CallHandle(client.turn(turn.id));
      const following = followCall(seen, { stream: false }, outputTo(noted), stop.signal);
      await eventually('it says so', async () => noted.some((line) => /card .*cannot be read/.test(line)));
      expect(noted.join('\n')).not.toContain('holdfast approve');
      state.mended = true;
      await eventually('it says how', async () => noted.some((line) => line.includes(`holdfast approve ${turn.id}`)));
      expect(noted.at(-1)).toContain('"INV-7"');
      await turn.deny(call.digest, { by: 'ana' });
      await following;
    }));

  it.each(['people outside', 'the terminal', 'demo-operator'] as const)('by `npm start`, where %s would decide', (decides) =>
    scene(async (engine) => {
      const turn = await engine.start();
      const [call] = await turn.waitForPending();
      const { state, client } = withoutCards(engine);
      const said: string[] = [];
      const questions = { ask: async (_question: string, _signal: AbortSignal, above: string[]) => (said.push(...above), 'n') };
      const decided = new AbortController().signal;
      const seen = { turn: client.turn(turn.id), digest: call.digest, key: null, decides, output: outputTo(said) };
      const decide = () => decideDemoCall({ ...seen, questions: questions as unknown as TerminalQuestions, signal: decided });
      await decide();
      expect(said.join('\n')).toMatch(/card .*cannot be read.*the details are too long.*this terminal does not ask/s);
      expect(said.join('\n')).not.toContain('holdfast approve');
      expect((await turn.status()).pending).toEqual([call.digest]);
      state.mended = true;
      await decide();
      expect(said.join('\n')).toMatch(decides === 'the terminal' ? /holdfast approve.*"INV-7"/s : /"INV-7".*holdfast approve/s);
      if (decides === 'people outside') await turn.deny(call.digest, { by: 'ana' });
      const { calls } = await turn.result();
      if (decides === 'demo-operator')
        expect(calls[0]!.approval.decisions).toMatchObject([{ decision: 'approve', by: 'demo-operator', attested: false }]);
    }),
  );

  it('by webhook or mail: what is sent then names no command that decides', () => {
    for (const card of [null, ''])
      expect(messageOf(aQuestion(), card, WHERE)).toMatchObject({ card: null, commands: {}, digest: aQuestion().digest });
    expect(Object.keys(messageOf(aQuestion(), '## Card', WHERE).commands)).toEqual(['approve', 'deny']);
  });

  it('because a turn above names a sub-agent’s call, and does not show its card', () => {
    const digest = 'd'.repeat(64);
    const stub = `From agent \`clerk\`.\n\n## Waiting for approval: \`pay\`\n\nIts card is not shown here: read it there. Its digest is ${digest}.\n`;
    expect(cardsByDigest(stub, [digest]).size).toBe(0);
    const quoted = `## Waiting for approval: \`pay\`\n\n${digest}\n\n\`\`\`\nIts card is not shown here: read it there.\n\`\`\`\n`;
    expect(cardsByDigest(quoted, [digest]).get(digest)).toContain('Waiting for approval');
  });
});
