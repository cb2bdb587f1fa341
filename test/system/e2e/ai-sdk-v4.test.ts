/**
 * Version 4 of the AI SDK's interface, by the vendors' newest packages, under the Node 22 that they need: the conformance suite, and the
 * credit analyst's whole turn by a worker that is killed with -9 in its middle.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { verifyBundle } from '../../../src/audit/verify';
import { playAnalyst } from '../../../src/model/rehearsal/analyst';
import { readConversation } from '../../../src/model/rehearsal/conversation';
import type { JsonObject } from '../../../src/shared/json/json';
import { FileStore } from '../../../src/store/files/file-store';
import type { WireAnswer, WireServer } from '../../../src/testing/model-conformance';
import { eventually, testAddress } from '../../engine/support/engine';
import { chainFaults } from '../../engine/support/sessions';
import { bundleOf } from '../../support/bundle-of';
import { BUNDLE_KEY, TRUST } from '../../support/bundle-keys';
import { BEDROCK } from '../../support/model/wires/bedrock';
import { CHAT } from '../../support/model/wires/chat';
import { GEMINI } from '../../support/model/wires/gemini';
import { RESPONSES } from '../../support/model/wires/responses';
import { startWireServer, type Wire } from '../../support/model/wires/server';
import { hearing, openStage } from '../support/fault-stage';
import { Node22Packages } from '../support/node-22';

const packages = new Node22Packages(join(__dirname, '../../ai-sdk-v4'), 'HOLDFAST_REQUIRE_AI_SDK_V4', '250 MB');
const missing = packages.missing();
const suite = missing === null ? describe : describe.skip;

/** By the name in fixtures/ai-sdk-v4.app.ts: what the vendor speaks, and what of its thoughts goes back to it. */
const VENDORS: Record<string, { wire: Wire; thought?: string }> = {
  openai: { wire: RESPONSES, thought: 'encrypted-thought' },
  compatible: { wire: CHAT },
  google: { wire: GEMINI, thought: 'signed-thought' },
  bedrock: { wire: BEDROCK, thought: 'signed-thought' },
};

suite(`the AI SDK's interface, version 4${missing === null ? '' : ` (skipped: ${missing})`}`, () => {
  beforeAll(() => packages.install(), 600_000);

  it('all its packages conform', async () => {
    const program = join(__dirname, 'fixtures/ai-sdk-v4.ts');
    const { stdout } = await promisify(execFile)(packages.node, ['--import', 'tsx', program, packages.folder]);
    const { node, interfaces, subjects } = JSON.parse(stdout) as Found;
    expect(node).toMatch(/^22\./);
    expect(interfaces).toEqual(Array.from({ length: 7 }, () => 'v4'));
    expect(subjects.filter(({ faults }) => faults.length > 0)).toEqual([]);
    expect(subjects.map(({ name }) => name)).toHaveLength(9);
    expect(subjects.every(({ checks }) => checks > 25)).toBe(true);
  });

  it("the credit analyst's turns over them: one mail each, each step once, though the worker is killed in an answer", async () => {
    const servers = new Map<string, WireServer>();
    const stopped = new Set<string>();
    for (const [name, { wire }] of Object.entries(VENDORS))
      servers.set(name, await startWireServer(wire, (heard) => analystAnswer(name, heard, stopped)));
    const stage = await openStage(testAddress(), { app: join(__dirname, 'fixtures/ai-sdk-v4.app.ts'), node: packages.node });
    const vendors = JSON.stringify(Object.fromEntries([...servers].map(([name, { baseUrl }]) => [name, baseUrl])));
    const startWorker = () => stage.startWorker(testAddress(), { VENDORS: vendors, AI_SDK_V4: packages.folder });
    try {
      await hearing(stage, async () => {
        await startWorker();
        const turns = await Promise.all(
          Object.keys(VENDORS).map(async (name) => {
            const message = `Prepare a credit memo on AAPL against its peers and send it to ${mailbox(name)}.`;
            return { name, turn: await stage.client.start({ agent: `analyst-${name}`, message, id: `v4-${name}` }) };
          }),
        );
        await eventually('an answer of each vendor stops', async () => stopped.size === turns.length);
        expect(await stage.workers[0]!.kill()).toBe('SIGKILL');
        await startWorker();
        for (const { turn } of turns) {
          const [call] = await turn.waitForPending();
          await turn.approve(call!.digest, { by: 'ana' });
        }
        const store = await FileStore.open(join(stage.home, 'store'));
        for (const { name, turn } of turns) {
          const view = await turn.result();
          expect(view).toMatchObject({ state: 'completed', text: expect.stringContaining(`was sent to ${mailbox(name)}`) });
          expect(stage.post.mails.filter((mail) => mail === mailbox(name))).toHaveLength(1);
          expect(await chainFaults(store, view.head)).toEqual([]);
          const { requests } = servers.get(name)!;
          expect({ name, requests: requests.length }).toEqual({ name, requests: view.step + 1 });
          expect(JSON.stringify(requests.at(-1))).toContain(VENDORS[name]!.thought ?? '');
          const bundle = Buffer.from(await bundleOf(stage.client.temporal, store, turn.id, BUNDLE_KEY));
          expect(await verifyBundle([bundle], TRUST)).toMatchObject({ verdict: 'intact', complete: true, why: '' });
        }
      });
    } finally {
      await stage.close();
      await Promise.all([...servers.values()].map((server) => server.close()));
    }
  });
});

interface Found {
  node: string;
  interfaces: string[];
  subjects: { name: string; checks: number; faults: string[] }[];
}

/** As the analyst answers; the second answer of each vendor stops in the middle, until somebody asks again. */
function analystAnswer(name: string, heard: JsonObject, stopped: Set<string>): WireAnswer {
  const conversation = readConversation(heard);
  const { text, calls } = playAnalyst(conversation);
  const before = conversation.calls.length;
  const stops = before > 0 && !stopped.has(name);
  if (stops) stopped.add(name);
  return {
    thinking: 'What is still missing?',
    text,
    calls: calls.map(({ name: tool, input }, index) => ({
      id: `call_${before + index}`,
      name: tool,
      json: JSON.stringify(input),
    })),
    ...(stops ? { fault: { kind: 'silence' } } : {}),
  };
}

function mailbox(name: string): string {
  return `${name}@bank.example`;
}
