/** Targets of tools, as the operator configured them: they are on the card, and in the call's digest. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { financeTools, snapshotData } from '../../../packs/finance/src';
import { workspaceTools } from '../../../packs/workspace/src';
import { approvalCard } from '../../../src/cards/card';
import { callDigest } from '../../../src/shared/json/digests';
import type { JsonObject } from '../../../src/shared/json/json';
import { targetHash, targetOf } from '../../../src/tools/admit/policy';
import type { Tool } from '../../../src/tools/define/tool';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-roots-')));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const root = (name: string) => {
  mkdirSync(join(folder, name), { recursive: true });
  return join(folder, name);
};

const mailer = (host: string) => ({ from: 'agent@bank.example', host, send: () => Promise.reject(new Error('unused')) });
const memoBy = (host: string) =>
  financeTools({ ...snapshotData(), mailer: mailer(host) }).find(({ name }) => name === 'send_credit_memo')!;

function shown(tool: Tool, input: JsonObject): { card: string; digest: string } {
  const found = targetOf(tool, input);
  if (!found.ok) throw new Error(JSON.stringify(found.error));
  const { target } = found;
  const ref = 'c'.repeat(64);
  const turn = { turn_id: 't', workflow_id: 'turn/t', first_execution_run_id: 'r', agent: 'a', requester: 'rita', store_id: ref };
  const call = { id: '1.1', revision: 1, tool: tool.name, version: tool.version, class: tool.class, input_hash: ref };
  const refs = { preview_ref: null, policy_ref: ref, definition_ref: ref, target_hash: targetHash(target) };
  const digest = callDigest(turn, { ...call, ...refs });
  const facts = {
    tool: tool.name,
    version: tool.version,
    callId: '1.1',
    digest,
    requester: 'rita',
    agent: 'a',
    reason: 'always asks',
  };
  return { digest, card: approvalCard({ ...facts, input, preview: null, target, expiresAt: '2026-11-26T00:00:00.000Z' }) };
}

it('the mail server and the sender of a memo', () => {
  const input = { recipient: 'x@bank.example', subject: 's', body_md: 'b' };
  const one = shown(memoBy('mail.bank.example'), input);
  expect(one.card).toContain('smtp_host: mail.bank.example');
  expect(one.card).toContain('from: agent@bank.example');
  expect(shown(memoBy('mail.bank.example'), input).digest).toBe(one.digest);
  expect(shown(memoBy('mail.other.example'), input).digest).not.toBe(one.digest);
});

it.each(workspaceTools({ root: root('one') }).map(({ name }) => name))('the root that %s works in', (name) => {
  const of = (where: string) =>
    shown(
      workspaceTools({ root: root(where) }).find((tool) => tool.name === name)!,
      {},
    );
  const one = of('one');
  expect(one.card).toContain(`root: ${join(folder, 'one')}`);
  expect(of('one').digest).toBe(one.digest);
  expect(of('two').digest).not.toBe(one.digest);
});
