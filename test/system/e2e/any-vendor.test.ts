/**
 * The credit analyst's whole turn over each vendor's protocol, by the code that ships: the vendor's own SDK, HTTP, and the events of
 * the stream. The worker of all these turns is killed with -9 while it reads an answer, once before the memo and once after it was
 * sent. A person approves three of the memos in Temporal's Web UI; the others get the same signal without a browser.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { verifyBundle } from '../../../src/audit/verify';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import { startDevServer, type DevServer } from '../../../src/devserver/dev-server';
import { findTemporalCli } from '../../../src/devserver/find-cli';
import { readBlock } from '../../../src/record/read-block';
import { playAnalyst } from '../../../src/model/rehearsal/analyst';
import { readConversation } from '../../../src/model/rehearsal/conversation';
import type { JsonObject } from '../../../src/shared/json/json';
import { workflowUrl } from '../../../src/shared/wire/links';
import { walk } from '../../../src/store/core/transcript';
import { FileStore } from '../../../src/store/files/file-store';
import type { Store } from '../../../src/store/store';
import type { WireAnswer, WireServer } from '../../../src/testing/model-conformance';
import { eventually } from '../../engine/support/engine';
import { keepForReplay } from '../../engine/support/replays';
import { chainFaults } from '../../engine/support/sessions';
import { bundleOf } from '../../support/bundle-of';
import { BUNDLE_KEY, TRUST } from '../../support/bundle-keys';
import { BEDROCK, BEDROCK_MESSAGES } from '../../support/model/wires/bedrock';
import { CHAT } from '../../support/model/wires/chat';
import { GEMINI } from '../../support/model/wires/gemini';
import { MESSAGES, VERTEX_MESSAGES } from '../../support/model/wires/messages';
import { RESPONSES } from '../../support/model/wires/responses';
import { startWireServer, type Wire } from '../../support/model/wires/server';
import { judgedByPython } from '../audit/support/python';
import { describeInBrowser } from '../support/browser';
import { hearing, openStage, recorded, type Stage } from '../support/fault-stage';
import { holdfast } from '../support/process';
import { pythonVerifier } from '../support/python-verifier';
import { TurnPage } from '../support/web-ui';

/** By the name in fixtures/any-vendor.app.ts: what the vendor speaks, and what of its thoughts goes back to it. */
const VENDORS: Record<string, { wire: Wire; thought?: string }> = {
  anthropic: { wire: MESSAGES, thought: 'signed-thought' },
  bedrock: { wire: BEDROCK_MESSAGES, thought: 'signed-thought' },
  vertex: { wire: VERTEX_MESSAGES, thought: 'signed-thought' },
  responses: { wire: RESPONSES, thought: 'encrypted-thought' },
  chat: { wire: CHAT },
  local: { wire: CHAT },
  'sdk-responses': { wire: RESPONSES, thought: 'encrypted-thought' },
  'sdk-chat': { wire: CHAT },
  'sdk-compatible': { wire: CHAT },
  'sdk-google': { wire: GEMINI, thought: 'signed-thought' },
  'sdk-bedrock': { wire: BEDROCK, thought: 'signed-thought' },
};
const NAMES = Object.keys(VENDORS);
/** Approved in the Web UI: a vendor for each origin of the protocol's code (Anthropic's SDK, OpenAI's, the AI SDK). */
const IN_WEB_UI = ['anthropic', 'responses', 'sdk-google'];
/** Of the worker: each of the three had its part. */
const KILLS = 2;

/** The analyst behind one vendor's server: two of its answers stop in the middle, until somebody asks again. */
class Analyst {
  readonly stopped: ('before the memo' | 'after the memo')[] = [];

  readonly answer = (heard: JsonObject): WireAnswer => {
    const conversation = readConversation(heard);
    const { text, calls } = playAnalyst(conversation);
    const before = conversation.calls.length;
    const at = conversation.calls.some(({ name }) => name === 'send_credit_memo') ? 'after the memo' : 'before the memo';
    const stops = before > 0 && !this.stopped.includes(at);
    if (stops) this.stopped.push(at);
    return {
      thinking: 'What is still missing?',
      text,
      calls: calls.map(({ name, input }, index) => ({ id: `call_${before + index}`, name, json: JSON.stringify(input) })),
      ...(stops ? { fault: { kind: 'silence' } } : {}),
    };
  };
}

describeInBrowser('the credit analyst over any vendor', (browser) => {
  const [analysts, servers, turns] = [new Map<string, Analyst>(), new Map<string, WireServer>(), new Map<string, TurnHandle>()];
  let temporal: DevServer;
  let stage: Stage;
  let store: Store;
  const bundles = new Map<string, Buffer>();

  beforeAll(async () => {
    for (const [name, { wire }] of Object.entries(VENDORS)) {
      const analyst = new Analyst();
      analysts.set(name, analyst);
      servers.set(name, await startWireServer(wire, analyst.answer));
    }
    const { path } = await findTemporalCli();
    temporal = await startDevServer({ cli: path, port: 0, uiPort: 0 });
    stage = await openStage(temporal.address, { app: join(__dirname, 'fixtures/any-vendor.app.ts') });
    await hearing(stage, async () => {
      const startWorker = () =>
        stage.startWorker(undefined, {
          VENDORS: JSON.stringify(Object.fromEntries([...servers].map(([name, { baseUrl }]) => [name, baseUrl]))),
        });
      const killInAnswer = async (at: Analyst['stopped'][number]) => {
        for (const name of NAMES)
          await eventually(`an answer of ${name} stops ${at}`, async () => analysts.get(name)!.stopped.includes(at));
        expect(await stage.workers.at(-1)!.kill()).toBe('SIGKILL');
        await startWorker();
      };
      await startWorker();
      for (const name of NAMES) {
        const message = `Prepare a credit memo on AAPL against its peers and send it to ${mailbox(name)}.`;
        turns.set(name, await stage.client.start({ agent: `analyst-${name}`, message, id: name }));
      }
      await killInAnswer('before the memo');
      const pages = await browser().newContext({ viewport: { width: 1280, height: 900 } });
      for (const name of NAMES) await approve(pages, name);
      await pages.close();
      await killInAnswer('after the memo');
      for (const name of NAMES) await turns.get(name)!.result();
    });
    store = await FileStore.open(join(stage.home, 'store'));
    for (const name of NAMES) bundles.set(name, Buffer.from(await bundleOf(stage.client.temporal, store, name, BUNDLE_KEY)));
  }, 300_000);

  afterAll(async () => {
    await stage?.close();
    await temporal?.stop();
    await Promise.all([...servers.values()].map((server) => server.close()));
  });

  async function approve(pages: BrowserContext, name: string): Promise<void> {
    const { workflowId, ...turn } = turns.get(name)!;
    const [call] = await turns.get(name)!.waitForPending();
    expect({ ...turn, sent: stage.post.mails.includes(mailbox(name)) }).toMatchObject({ sent: false });
    const decision = { call: call!.digest, by: 'ana' };
    if (!IN_WEB_UI.includes(name)) return stage.client.temporal.workflow.getHandle(workflowId).signal('approve', decision);
    const page = await TurnPage.open(pages, workflowUrl(temporal.uiUrl, 'default', workflowId)!, name);
    await page.openDetails();
    const card = await page.card();
    expect(JSON.parse(await card.field('recipient'))).toBe(mailbox(name));
    await page.sendSignal('approve', JSON.stringify(decision));
    return page.close();
  }

  it.each(NAMES)('%s: one mail, each step once, and its thoughts went back to it', async (name) => {
    const turn = turns.get(name)!;
    await keepForReplay(stage.client.temporal, turn);
    const view = await turn.result();
    expect(view).toMatchObject({ state: 'completed', text: expect.stringContaining(`was sent to ${mailbox(name)}`) });
    expect(view.calls.map(({ state }) => state)).toEqual(view.calls.map(() => 'succeeded'));
    expect(view.calls.at(-1)).toMatchObject({
      tool: 'send_credit_memo',
      effect: 'applied',
      attempts: 1,
      approval: { decision: 'approve', by: ['ana'], decisions: [{ channel: 'signal' }] },
    });
    expect(stage.post.mails.filter((mail) => mail === mailbox(name))).toHaveLength(1);

    const blocks = (await walk(store, view.head)).map(readBlock);
    const answers = blocks.flatMap((block) => (block?.kind === 'message' && block.role === 'assistant' ? [block] : []));
    expect(answers).toHaveLength(view.step);
    expect(answers.every(({ origin }) => origin?.model === name)).toBe(true);
    expect(await chainFaults(store, view.head)).toEqual([]);
    const { requests } = servers.get(name)!;
    expect(requests).toHaveLength(view.step + KILLS);
    const { thought = '' } = VENDORS[name]!;
    expect(JSON.stringify(requests.at(-1))).toContain(thought);
    expect((await recorded({ ...stage, turn })).pids.size).toBe(KILLS + 1);
  });

  it('each bundle is intact, for both verifiers', async () => {
    for (const [name, bytes] of bundles)
      expect({ name, ...(await verifyBundle([bytes], TRUST)) }).toMatchObject({
        name,
        verdict: 'intact',
        complete: true,
        why: '',
      });
    const python = pythonVerifier();
    if (python === null) return;
    const answers = await judgedByPython(python, [...bundles].map(([name, bytes]) => ({ name, bytes }))); // oxfmt-ignore
    expect(answers.map(({ verdict, complete }) => ({ verdict, complete }))).toEqual(
      NAMES.map(() => ({ verdict: 'intact', complete: true })),
    );
  });

  it('each replays the same', async () => {
    const files = NAMES.map((name) => join(stage.home, `${name}.jsonl`));
    for (const [index, name] of NAMES.entries()) await writeFile(files[index]!, bundles.get(name)!);
    const replay = holdfast(stage.home, ['audit', 'replay', ...files, '--json']);
    expect({ code: await replay.ended, output: replay.output() }).toMatchObject({ code: 0 });
    const lines = replay.stdout().trim().split('\n').map((line) => JSON.parse(line)); // oxfmt-ignore
    expect(lines.at(-1).summary).toMatchObject({ same: NAMES.length, differs: 0, cannot: 0, compared: true });
  });
});

function mailbox(name: string): string {
  return `${name}@bank.example`;
}
