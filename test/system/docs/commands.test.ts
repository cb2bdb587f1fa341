/**
 * The commands on the pages run as they are written, against one `holdfast dev`, in bash: only what a reader fills in is filled in.
 * Pages with tests of their own: README (e2e/pack), templates (e2e/create), tutorial, audit, backend, http, evals (cli/eval), MCP
 * (packs/mcp), deputies and passkeys (engine/deputies, engine/passkeys). Those about containers, Kubernetes and other people's
 * servers only parse (unit/docs/blocks).
 */
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findTemporalCli } from '../../../src/devserver/find-cli';
import { workflowBundlePath } from '../../../src/worker/workflow-bundle';
import { eventually } from '../../engine/support/engine';
import { pdf } from '../../support/files/samples';
import { ROOT } from '../../support/named-tests';
import { blocksOf } from '../../support/pages';
import { collect, MAIN, type Running } from '../cli/support/cli';
import { startDev, type Dev } from '../cli/support/dev';

/** What the pages name: their agents, tools and schedule. */
const APP = `import { agentTool, defineAgent, defineApp, defineTool } from 'holdfast';
import { z } from 'zod';

const tool = (name, toolClass, input, run) =>
  defineTool({ name, version: '1.0.0', class: toolClass, description: 'A tool of the pages.', input: z.object(input), run });
const pay = tool('pay_invoice', 'destructive', { invoice: z.string().default('INV-7') }, async ({ invoice }) => ({ paid: invoice }));
const ratios = tool('ratio_card', 'read', { ticker: z.string() }, async ({ ticker }) => ({ ticker, ratios: {} }));
const calculate = tool('calculate', 'compute', { expression: z.string() }, async ({ expression }) => ({ expression, value: 4 }));
const payables = defineAgent({ name: 'payables', prompt: 'Pay what you are asked to pay.', tools: [pay, ratios, calculate] });
const assistant = defineAgent({
  name: 'assistant', prompt: 'Help with the books.',
  tools: [agentTool(payables, { description: 'Pays invoices. Give it number and amount of each.' })],
});
export default defineApp({
  agents: [payables, assistant],
  schedules: [{ name: 'morning', cron: '0 7 * * 1-5', timezone: 'Europe/Berlin', agent: 'payables', message: 'Pay what is due.' }],
});
`;

interface Waiting {
  turn_id: string;
  calls: { digest: string }[];
}

describe('commands on the pages', () => {
  let folder: string;
  let dev: Dev;
  let env: NodeJS.ProcessEnv;

  /** @throws Error with the output if a command fails */
  async function bash(script: string): Promise<string> {
    return endOf(begin(script), script);
  }

  function begin(script: string): Running {
    return collect(
      spawn('bash', ['-e', '-o', 'pipefail', '-c', script], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] }),
    );
  }

  async function endOf({ ended }: Running, script: string): Promise<string> {
    const { code, stdout, stderr } = await ended;
    if (code !== 0) throw new Error(`It ended with ${code}:\n${script}\n${stdout}${stderr}`);
    return stdout;
  }

  /** Runs one command until it has printed this, and ends it with Ctrl-C. */
  async function untilPrinted(text: string, command: string): Promise<void> {
    const running = begin(command.replace(/(^|\s)(?=holdfast )/, '$1exec '));
    const { output, ended } = running;
    const printed = eventually(text, async () => [output.stdout, output.stderr].some((all) => all.includes(text)));
    await Promise.race([printed, ended]);
    running.kill('SIGINT');
    await endOf(running, command);
  }

  /** The block of a page that has this text. */
  function block(page: string, has: string): string {
    const found = blocksOf(page).filter(({ language, text }) => language === 'sh' && text.includes(has));
    if (found.length !== 1) throw new Error(`${page} has ${found.length} blocks with ${has}`);
    return found[0]!.text;
  }

  async function waiting(turn: string): Promise<{ turn: string; digest: string }> {
    const { calls, turn_id } = await eventually('it waits', async () => {
      const all = JSON.parse(await bash('holdfast pending --json')) as Waiting[];
      return all.find(({ turn_id }) => turn_id === turn || turn_id.startsWith(`${turn}~`));
    });
    return { turn: turn_id, digest: calls[0]!.digest };
  }

  /** A turn whose call waits. */
  async function asked(id: string): Promise<{ turn: string; digest: string }> {
    await bash(`holdfast run --agent payables --id ${id} 'pay_invoice {}'`);
    return waiting(id);
  }

  /** The bundle of a turn that has paid. */
  async function bundle(id: string, file: string): Promise<void> {
    const { digest } = await asked(id);
    await bash(
      `holdfast approve ${id} --call ${digest} --by ana && holdfast watch ${id} && holdfast audit export ${id} -o ${file}`,
    );
  }

  beforeAll(async () => {
    mkdirSync(join(ROOT, '.holdfast'), { recursive: true });
    folder = mkdtempSync(join(ROOT, '.holdfast/commands-')); // below the packages, which the app imports by name
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(folder, 'app.ts'), APP);
    writeFileSync(join(folder, 'invoice.pdf'), pdf());
    mkdirSync(join(folder, 'bin'));
    const { path: temporal } = await findTemporalCli();
    dev = await startDev(['--app', './app.ts'], {}, { cwd: folder });
    const shims = {
      holdfast: `exec "${process.execPath}" "${MAIN}" "$@"`,
      npx: '[ "$1" = holdfast ] && shift && exec holdfast "$@"',
      temporal: `exec "${temporal}" --address ${dev.facts.address} "$@"`,
    };
    for (const [name, text] of Object.entries(shims))
      writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    env = { ...dev.env, PATH: `${join(folder, 'bin')}:${process.env.PATH}`, TOKEN: dev.facts.http_token };
    await bundle('inv-7', 'turn.jsonl');
  });
  afterAll(async () => {
    await dev?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('docs/schedules.md: every command about a schedule', async () => {
    const printed = await bash(block('docs/schedules.md', 'holdfast schedule backfill'));
    expect(printed).toMatch(/morning[^]*Europe\/Berlin[^]*nightly/);
    expect(await bash('holdfast schedule list')).not.toContain('nightly');
  });

  it('docs/sub-agents.md: the payment of an agent below is approved by the turn above', async () => {
    const [run, pending, approve] = block('docs/sub-agents.md', 'books-1').trimEnd().split('\n');
    await bash(run!);
    const { digest } = await waiting('books-1');
    expect(await bash(pending!)).toContain('books-1~1.1');
    await bash(approve!.replace('DIGEST', digest));
    expect(await bash('holdfast watch books-1')).toContain('completed');
  });

  it('docs/direct-calls.md: a call without a model', async () => {
    expect(JSON.parse(await bash(block('docs/direct-calls.md', 'ratio_card')))).toMatchObject({
      success: true,
      data: { ticker: 'AAPL' },
    });
  });

  it('docs/approvals.md: a call is approved by key, by token, and with a decision for the Web UI', async () => {
    await bash('holdfast keys create --out ana.pem && holdfast keys create --out bob.pem');
    const turns = [await asked('by-key'), await asked('by-token'), await asked('by-hand')];
    const lines = block('docs/approvals.md', 'HOLDFAST_GATEWAY_URL=…').trimEnd().split('\n');
    expect(lines).toHaveLength(3);
    const access = `HOLDFAST_GATEWAY_URL=${dev.facts.http_url} HOLDFAST_TOKEN=${dev.facts.http_token}`;
    const filledIn = lines.map((line, index) =>
      line
        .replace('TURN', turns[index]!.turn)
        .replace('DIGEST', turns[index]!.digest)
        .replace(/^HOLDFAST_GATEWAY_URL=… HOLDFAST_TOKEN=…/, access),
    );
    const printed = await bash(filledIn.join('\n'));
    expect(printed).toContain(turns[2]!.digest);
    expect(await bash('holdfast watch by-key && holdfast watch by-token')).toMatch(/completed[^]*completed/);

    const steers = block('docs/approvals.md', 'holdfast sign TURN --steer').replaceAll('TURN', 'by-hand');
    expect(await bash(steers)).toContain('Only what is due this week.');
  });

  it('docs/operations.md: freeze, unfreeze, revoke', async () => {
    await bash(block('docs/operations.md', 'holdfast unfreeze'));
  });

  it('docs/trail.md, docs/replay.md, docs/redaction.md: what was done is listed, replayed and handed out', async () => {
    expect(await bash(block('docs/trail.md', 'holdfast trail --by ana'))).toContain('pay_invoice');

    await bash('temporal workflow show --workflow-id turn/inv-7 --output json > history.json');
    const replays = block('docs/replay.md', '--code FILE').replace('FILE', workflowBundlePath());
    expect(await bash(replays)).toContain('inv-7');

    cpSync(join(folder, 'turn.jsonl'), join(folder, 'memo.jsonl'));
    const all = readFileSync(join(folder, 'memo.jsonl'), 'utf8').trimEnd().split('\n');
    const part = all
      .map((line) => JSON.parse(line) as { kind: string; body: { ref?: string } })
      .find(({ kind }) => kind === 'part')!;
    const lines = block('docs/redaction.md', '--messages')
      .replaceAll(/\b[23]\.1\b/g, '1.1')
      .replace('5f0c…', part.body.ref!)
      .trimEnd();
    for (const line of lines.split('\n')) await bash(`${line} && rm memo-redacted.jsonl`);
  });

  it('docs/retention.md: bundles are made, kept and given up, and the store is collected', async () => {
    const bundles = join(folder, 'bundles');
    mkdirSync(bundles);
    env.HOLDFAST_BUNDLES = bundles;
    const [follow, once] = block('docs/retention.md', 'audit sweep --follow')
      .replaceAll('/srv/bundles', bundles)
      .trimEnd()
      .split('\n');
    await bash(once!);
    await untilPrinted('Ctrl-C ends this', follow!);
    await bash(block('docs/retention.md', 'audit retain --older-than 400d --dry-run'));
    expect(await bash(block('docs/retention.md', 'holdfast store collect   '))).toMatch(/part/);
    await bash(block('docs/retention.md', 'temporal operator namespace update'));
    delete env.HOLDFAST_BUNDLES;
  });

  it('docs/files.md, docs/streams.md: files, events and progress over HTTP', async () => {
    const at = (text: string) => text.replaceAll(/http:\/\/(?:127\.0\.0\.1|localhost):8480/g, dev.facts.http_url);
    const [upload, start] = block('docs/files.md', '--data-binary').split(/^# .*$/m);
    await bash(at(upload!));
    const { file } = JSON.parse(readFileSync(join(folder, 'file.json'), 'utf8')) as { file: string };
    expect(JSON.parse(await bash(at(start!).replace('5f0c…', file)))).toMatchObject({ turn_id: expect.any(String) });

    const events = at(block('docs/streams.md', '/events')).replace('$TURN', 'inv-7');
    expect(await bash(events)).toContain('turn_completed');
    expect(await bash(at(block('docs/streams.md', 'calculate/sse')))).toContain('"value":4');
  });

  it('docs/encryption.md, docs/kubernetes.md: a key ring, keys and tokens, and a bundle for an auditor', async () => {
    const ring = join(folder, 'codec-keys.json');
    await bash(block('docs/encryption.md', 'keys rotate').replaceAll('/etc/holdfast/codec-keys.json', ring));
    expect(JSON.parse(readFileSync(ring, 'utf8'))).toMatchObject({ v: 'holdfast.keys/1' });

    const { generateX25519Identity, identityToRecipient } = await import('age-encryption');
    const identity = await generateX25519Identity();
    writeFileSync(join(folder, 'key.txt'), `${identity}\n`, { mode: 0o600 });
    const [make, verify] = block('docs/encryption.md', '--recipient').trimEnd().split('\n');
    await bash(make!.replace('age1…', await identityToRecipient(identity)));
    await bash('holdfast keys export > keys.json');
    expect(await bash(verify!)).toMatch(/intact/);

    rmSync(ring);
    await bash(block('docs/kubernetes.md', 'keys create --out gateway.pem'));
  });

  it('docs/witness.md: a witness starts, with a token', async () => {
    const [token, serve] = block('docs/witness.md', '--new-token')
      .replaceAll('/var/lib/witness', join(folder, 'witness'))
      .trimEnd()
      .split('\n');
    expect(await bash(token!)).toMatch(/\S{20}/);
    await untilPrinted('for the trust file of auditors', serve!.replace('8490', '0'));
  });
});
