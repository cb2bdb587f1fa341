import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shippedApp, type ShowcaseSettings } from '../../../packs/showcase/src';
import { PACKS } from '../../../src/model/rehearsal/showcase/packs';
import { startMailCatcher, type MailCatcher } from '../../../src/devserver/mail-catcher';
import type { RehearsalOptions } from '../../../src/model/rehearsal';
import { openStage, swaps, type Stage as Chain } from '../packs/onchain/support';
import { play, type Fake } from '../../support/model/loop';
import { closeAll, stage } from '../../support/model/model';
import { runs, sampled } from '../../support/runs';
import { realTools, type Made } from './support/real-tools';

const EVERY_TOOL = Object.values(PACKS).flat().sort();

let chain: Chain;
let evm: NonNullable<ShowcaseSettings['evm']>;
let catcher: MailCatcher;
let root: string;
let outbox: string;
beforeAll(async () => {
  outbox = mkdtempSync(join(tmpdir(), 'holdfast-outbox-'));
  [chain, catcher] = await Promise.all([openStage(), startMailCatcher({ dir: outbox })]);
  const [AAA, BBB] = chain.demo.tokens;
  evm = {
    ...chain.settings,
    tokens: [
      { symbol: 'AAA', address: AAA },
      { symbol: 'BBB', address: BBB },
    ],
  };
});
afterAll(async () => {
  await catcher?.close();
  await chain?.close();
  rmSync(outbox, { recursive: true, force: true });
});
beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'holdfast-workspace-'))));
afterEach(async () => {
  await closeAll();
  rmSync(root, { recursive: true, force: true });
});

interface Show {
  settings?: Partial<ShowcaseSettings>;
  message?: string;
  /** Why a person denies a call; default: every call is approved. */
  deny?: Partial<Record<string, string>>;
  /** Instead of the real tool. */
  instead?: Record<string, Fake>;
  options?: RehearsalOptions;
}

/** Plays the showcase over its real tools, as a person would decide on them. */
async function show({ settings = {}, message = 'Show what you can do.', deny = {}, instead = {}, options = {} }: Show = {}) {
  const smtp = { host: '127.0.0.1', port: catcher.port, from: 'agent@bank.example' };
  const app = shippedApp({ smtp, showcase: { workspace: root, evm, ...settings } });
  const agent = app.agents.find(({ name }) => name === 'showcase')!;
  const { tools, table, made, files } = realTools(agent, (name) => deny[name] ?? null);
  const before = { mails: readdirSync(outbox).length, swaps: (await swaps(chain)).length };
  const played = await play(await stage(options), message, tools, { ...table, ...instead });
  return {
    ...played,
    made,
    files,
    mails: readdirSync(outbox).length - before.mails,
    swaps: (await swaps(chain)).length - before.swaps,
  };
}

type Kind = NonNullable<RehearsalOptions['faults']>[number]['kind'];

const OTHER_FAULTS: Kind[] = ['cut-json', 'unknown-tool', 'bad-input', 'confirmed', 'thinking'];

const names = (made: Made[]) => [...new Set(made.map(({ name }) => name))].sort();
const note = () => readFileSync(join(root, 'notes/aapl.md'), 'utf8');

describe('the showcase', () => {
  it('calls every tool of the four packs, and every call succeeds; the deadline of a swap counts from its quote', async () => {
    const { made, files, mails, swaps: swapped, text, steps, messages } = await show();
    expect(names(made)).toEqual(EVERY_TOOL);
    expect(made.filter(({ succeeded }) => !succeeded)).toEqual([]);
    expect(made.filter(({ verdict }) => verdict === 'ask').map(({ name }) => name)).toEqual([
      'swap_token',
      'bash',
      'send_credit_memo',
    ]);
    expect(steps.at(-1)!.map(({ name }) => name)).toEqual(['swap_token', 'bash', 'send_credit_memo']);
    expect({ mails, swapped }).toEqual({ mails: 1, swapped: 1 });
    expect(files).toHaveLength(1);
    expect(Buffer.from(files[0]!.bytes).subarray(0, 5).toString()).toBe('%PDF-');
    expect(note()).toMatch(/^# Credit memo: AAPL[^]*Status: read back, as written, \d+ lines\n$/);
    for (const pack of ['finance (15 calls', 'workspace (6 calls', 'onchain (2 calls', 'reference (3 calls']) {
      expect(text).toContain(`${pack}, all succeeded)`);
    }
    expect(text).toContain('No call failed, and none was declined.');
    expect(text).toContain('rehearsal, not a model');

    const answers = messages.flatMap((message) => message.content as { content?: string }[]);
    const quoted = answers.map(({ content }) => content ?? '').find((content) => content.includes('simulated_min_out'))!;
    const { as_of, simulated_min_out } = JSON.parse(quoted).data;
    const swap = steps.flat().find(({ name }) => name === 'swap_token')!;
    expect(swap.input).toMatchObject({
      deadline_ts: Math.floor(Date.parse(as_of) / 1000) + 1800,
      simulated_min_out,
      from_token: chain.demo.tokens[0],
      to_token: chain.demo.tokens[1],
      session_key_id: 'demo',
    });
  });

  it('reads the note of an earlier turn, and replaces the version that it has read', async () => {
    mkdirSync(join(root, 'notes'));
    writeFileSync(join(root, 'notes/aapl.md'), 'An older note.\n');
    const { steps, made } = await show();
    const [look, write] = ['read_file', 'write_file'].map((name) => steps.flat().find((call) => call.name === name)!);
    expect(look!.input).toEqual({ path: '/notes/aapl.md', limit: 1 });
    expect(write!.input.expected_sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(made.filter(({ succeeded }) => !succeeded)).toEqual([]);
    expect(note()).toContain('Status: read back, as written');
  });

  it('learns which calls people denied, reports them, and asks for none of them again', async () => {
    const deny = { swap_token: 'not today', bash: 'count them yourself', send_credit_memo: 'the figures look old' };
    const { made, mails, swaps: swapped, text } = await show({ deny });
    expect({ mails, swapped }).toEqual({ mails: 0, swapped: 0 });
    expect(made.filter(({ verdict }) => verdict === 'ask')).toHaveLength(3);
    for (const words of ['Nothing was swapped.', 'No command ran.', 'No memo on AAPL was sent.']) expect(text).toContain(words);
    for (const [tool, why] of Object.entries(deny)) expect(text).toContain(`- ${tool} was declined. denied by ana: ${why}.`);
  });

  it.each([
    ['outcome_unknown', 'swap_token was dispatched and nothing more is known', 'is in doubt, and I do not repeat it'],
    ['expired', 'nobody decided within 24 h', 'was not decided on in time'],
  ])('reports a swap that ended as %s, and does not swap again', async (reason, message, words) => {
    const error = { code: 'EXECUTION_ERROR', kind: 'FATAL_ERROR', reason, message, hint: '', retryable: false };
    let times = 0;
    const swap_token = () => (times++, { success: false, status: 'error', error });
    const { text } = await show({ instead: { swap_token } });
    expect(times).toBe(1);
    expect(text).toContain(`- swap_token ${words}`);
  });

  it('without a chain it says so, and does all the rest', async () => {
    const { made, text, mails } = await show({ settings: { evm: null } });
    expect(names(made)).toEqual(EVERY_TOOL.filter((name) => name !== 'swap_token'));
    expect(made.filter(({ succeeded }) => !succeeded).map(({ name }) => name)).toEqual(['simulate_swap']);
    expect(text).toMatch(/What did not come to be:\n- simulate_swap failed\. .*HOLDFAST_EVM_URL/);
    expect(text).toContain('Nothing was swapped: a quote or a session key was missing.');
    expect(mails).toBe(1);
  });

  it('takes company and recipient from the user’s message, and sends nothing when told so', async () => {
    const { steps, made } = await show({ message: 'Show it on GOOGL, for risk@bank.example' });
    expect(steps.flat().find(({ name }) => name === 'send_credit_memo')!.input.recipient).toBe('risk@bank.example');
    expect(made.filter(({ succeeded }) => !succeeded)).toEqual([]);
    expect(existsSync(join(root, 'notes/googl.md'))).toBe(true);
    const quiet = await show({ message: "Show it on NVDA, but don't send anything" });
    expect(names(quiet.made)).not.toContain('send_credit_memo');
    expect(quiet.text).toContain('As you asked, no memo on NVDA was sent.');
  });

  it('goes on where a company has filed nothing, and sends no memo on it', async () => {
    const { made, text, mails } = await show({ message: 'Show it on ZZZZ' });
    expect(names(made)).not.toContain('send_credit_memo');
    expect(names(made)).toEqual(expect.arrayContaining(['swap_token', 'bash', 'generate_report']));
    expect(text).toContain('No memo on ZZZZ was sent.');
    expect(mails).toBe(0);
  });

  it.each<Kind>(['malformed-json', ...runs<Kind[]>([], sampled(OTHER_FAULTS, 3))])(
    'after the fault %s in each of its first answers, all is done, and each effect once',
    async (kind) => {
      const { made, mails, swaps: swapped, text } = await show({ options: { faults: [{ kind, times: 3 }] } });
      expect(names(made.filter(({ succeeded }) => succeeded))).toEqual(EVERY_TOOL);
      expect({ mails, swapped }).toEqual({ mails: 1, swapped: 1 });
      expect(text).toContain('The memo on AAPL was sent to');
    },
  );
});
