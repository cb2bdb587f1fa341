import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shippedApp } from '../../../packs/showcase/src';
import { PACKS } from '../../../src/model/rehearsal/showcase/packs';
import { admit } from '../../../src/tools/admit/admit';
import { Registry } from '../../../src/tools/catalogue/registry';
import { silent } from '../../support/silent';

const smtp = { host: '127.0.0.1', port: 25, from: 'agent@bank.example' };
const [AAA, BBB] = [`0x${'a1'.repeat(20)}`, `0x${'b2'.repeat(20)}`];

describe('the agent showcase', () => {
  let workspace: string;
  let app: ReturnType<typeof shippedApp>;
  beforeAll(() => {
    workspace = mkdtempSync(join(tmpdir(), 'holdfast-workspace-'));
    app = shippedApp({ smtp, showcase: { workspace, evm: null } });
  });
  afterAll(() => rmSync(workspace, { recursive: true, force: true }));

  async function verdict(name: string, input: object, untrusted = false): Promise<string> {
    const agent = new Registry(app).agent('showcase')!;
    const options = { turn: { untrusted, requester: 'ana', agent: 'showcase', step: 1 }, log: silent };
    const { verdict, reason, error } = await admit(agent, { name, json: JSON.stringify(input), cut: false }, options);
    return error ? `${error.reason}: ${error.message}` : `${verdict}: ${reason}`;
  }
  const swap = (amount_in: string) => ({
    ...{ from_token: AAA, to_token: BBB, amount_in, max_slippage_bps: 50, session_key_id: 'demo', simulated_min_out: '1' },
    deadline_ts: Math.floor(Date.now() / 1000) + 600,
  });
  const memo = { recipient: 'a@bank.example', subject: 'Credit memo', body_md: 'x'.repeat(100) };

  it('is served beside the credit analyst, with the tools of four packs', () => {
    expect(app.agents.map(({ name }) => name)).toEqual(['credit-analyst', 'showcase']);
    expect(app.agents[1]!.tools.map(({ name }) => name).sort()).toEqual(Object.values(PACKS).flat().sort());
    expect(shippedApp({ smtp }).agents.map(({ name }) => name)).toEqual(['credit-analyst']);
  });

  it('writes its notes without asking, and asks before it writes elsewhere', async () => {
    expect(await verdict('write_file', { path: '/notes/aapl.md', content: 'x' })).toMatch(/^allow/);
    expect(await verdict('edit_file', { path: '/notes/a/b.md', old_text: 'x', new_text: 'y' })).toMatch(/^allow/);
    for (const path of ['/README.md', '/notes/.hidden', '/notes/../README.md']) {
      expect(await verdict('write_file', { path, content: 'x' })).not.toMatch(/^allow/);
    }
    expect(await verdict('write_file', { path: '/README.md', content: 'x' })).toMatch(/^ask.*not one of the notes/);
  });

  it('refuses swaps of more than a hundred tokens, and asks for the others', async () => {
    expect(await verdict('swap_token', swap('100000000000000000001'))).toMatch(/^denied_by_rule: .*more than 100 tokens/);
    expect(await verdict('swap_token', swap('100000000000000000000'))).toMatch(/^ask/);
  });

  it('asks before everything that cannot be undone, and says so if outsiders’ words have been read', async () => {
    expect(await verdict('bash', { command: 'wc -l notes/*.md' })).toMatch(/^ask/);
    expect(await verdict('send_credit_memo', memo)).toMatch(/^ask/);
    expect(await verdict('send_credit_memo', memo, true)).toMatch(/^ask.*texts of outsiders were read/);
  });
});
