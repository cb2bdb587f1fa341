import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment, run } from '../../support/command-line';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-check-'));
afterAll(() => rmSync(folder, { recursive: true }));
const APP = join(__dirname, 'fixtures/rules.app.ts');
const env = environment({ HOLDFAST_HOME: join(tmpdir(), 'holdfast-no-such-home'), TEMPORAL_ADDRESS: '127.0.0.1:1' });
const check = (...args: string[]) => run(['tools', 'check', '--app', APP, ...args], env);
const to = (name: string, cents = 5) => JSON.stringify({ to: name, cents });

describe('tools check', () => {
  it('says which rule decides, and why the others do not; it runs nothing, and needs no server', async () => {
    const { code, stdout } = await check('pay', to('ana@bank.example'));
    expect(code).toBe(0);
    expect(stdout).toContain('pay@1.0.0, class destructive, agent payables, mode default');
    expect(stdout).toContain('the input is valid');
    expect(stdout).toContain('ledger (I/O); not run here');
    expect(stdout).toMatch(/· ask {3}pay when input\.cents > 1000 .* its condition is false/);
    expect(stdout).toMatch(/· deny {2}pay\(\*@evil\.example\) .* the pattern does not fit "ana@bank\.example"/);
    expect(stdout).toMatch(/✓ allow pay\(\*@bank\.example\) .* it matches/);
    expect(stdout).toContain('allow: it runs by itself');
  });

  it.each<[string[], number, object]>([
    [['pay', to('ana@bank.example')], 0, { verdict: 'allow', rule: 'pay(*@bank.example)' }],
    [['pay', to('ana@bank.example', 5000)], 0, { verdict: 'ask', rule: expect.stringContaining('when input.cents') }],
    [['--untrusted', 'pay', to('ana@bank.example')], 0, { verdict: 'ask' }],
    [['pay', to('ben@x.example')], 0, { verdict: 'ask', rule: null, reason: 'class destructive always asks' }],
    [['pay', to('m@evil.example')], 3, { verdict: 'deny', reason: expect.stringContaining('they are on the list') }],
    [['--mode', 'plan', 'pay', to('ana@bank.example')], 3, { verdict: 'deny', mode: 'plan', rule: null }],
    [['pay', '{"to":"x"}'], 3, { verdict: 'rejected', fault: { code: 'INVALID_PARAMS' } }],
  ])('%j exits %s, and says so to machines', async (args, code, expected) => {
    const ran = await check(...args, '--json');
    expect(ran.code).toBe(code);
    expect(JSON.parse(ran.stdout)).toMatchObject({ agent: 'payables', tool: 'pay', ...expected });
  });

  it('tries a file of rules, and names its faults', async () => {
    const rules = join(folder, 'rules.yaml');
    writeFileSync(rules, 'deny:\n  - rule: pay\n    when: turn.requester == "mallory"\n');
    expect((await check('--rules', rules, '--requester', 'mallory', 'pay', to('ana@bank.example'))).code).toBe(3);
    expect((await check('--rules', rules, 'pay', to('ana@bank.example'))).code).toBe(0);
    writeFileSync(rules, 'deny:\n  - "pay("\n');
    const ran = await check('--rules', rules, 'pay', to('x'));
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('line 2: deny: "pay("');
  });

  it('warns of an allowed command whose program runs what the agent may write, and names rule, file and tool', async () => {
    const rules = join(folder, 'commands.yaml');
    const home = join(folder, 'home');
    const checked = async (lines: string[], command = 'npm test') => {
      writeFileSync(rules, lines.join('\n'));
      const args = ['tools', 'check', '--json', '--agent', 'showcase', '--rules', rules, 'bash', JSON.stringify({ command })];
      const ran = await run(args, environment({ HOLDFAST_HOME: home, TEMPORAL_ADDRESS: '127.0.0.1:1' }));
      return JSON.parse(ran.stdout) as { verdict: string; warnings: string[]; rules: { because: string }[] };
    };
    const plain = await checked(['allow: ["bash(npm test)"]']);
    expect(plain.verdict).toBe('ask');
    expect(plain.rules[0]!.because).toContain('npm runs what lies in /package.json');
    expect(plain.warnings).toEqual([
      expect.stringMatching(
        /^allow bash\(npm test\): npm .* write_file may write \/package\.json unasked; so the rule does not count/,
      ),
      expect.stringMatching(/edit_file may write \/package\.json unasked/),
    ]);
    const any = await checked(['allow: [{ rule: "bash(npm test)", files: any }]', 'ask: ["edit_file"]']);
    expect(any.verdict).toBe('allow');
    expect(any.warnings).toEqual([
      expect.stringMatching(/write_file may write \/package\.json unasked; the rule then allows what/),
    ]);
    // The rule binds its files, but the tests may still be written; no longer once every tool that writes asks.
    const bound = `allow: [{ rule: "bash(npm test)", files: { /package.json: "${'0'.repeat(64)}" } }]`;
    const half = await checked([bound]);
    expect(half.warnings[0]).toContain('write_file may write /src/index.js unasked');
    expect(half.rules[0]!.because).toBe('there is no file /package.json');
    expect((await checked([bound, 'ask: ["write_file", "edit_file"]'])).warnings).toEqual([]);
    expect(
      (await checked(['allow: ["bash(git status)"]', 'deny: ["write_file(/.husky/**)", "edit_file(/.husky/**)"]'])).warnings,
    ).toEqual([]);
    expect((await checked(['allow: ["bash(git status)"]'])).warnings[0]).toContain('/.husky/pre-commit');
    expect((await checked(['allow: ["bash(wc -l README.md)"]'])).warnings).toEqual([]);
  });

  it('says which entry of the approval rules applies, what an approval needs, and warns of what an entry or a rule allows', async () => {
    const app = join(__dirname, 'fixtures/entries.app.ts');
    const checked = (cents: number, recipient = 'ana', ...more: string[]) =>
      run(['tools', 'check', '--app', app, 'pay', to(recipient, cents), ...more], env);
    const large = (await checked(200_000)).stdout;
    expect(large).toContain('approval rules     entry 1 of the approval rules applies: input.cents > 100000');
    expect(large).toContain('needs  2 people, of the roles treasurer, after 14400000 ms also cfo, names are not proved');
    expect(large).toContain('ask: it asks a person');
    expect(large).toContain('approvals.tools.pay: its last entry allows every call that no entry before it fits');
    expect(large).toContain('allow pay when input.to == "the bank": a call that this rule allows runs without being asked about');
    const small = JSON.parse((await checked(5, 'ana', '--json')).stdout) as object;
    expect(small).toMatchObject({
      verdict: 'allow',
      reason: 'entry 3 of approvals.tools.pay allows it',
      approval: { quorum: 1, entry: { index: 3, when: null, result: 'matched' } },
    });
  });

  it.each<[string[], string]>([
    [['nope', '{}'], 'There is no tool "nope"; there are: pay, read_result.'],
    [['--agent', 'nope', 'pay', '{}'], 'There is no agent "nope"; there are: payables.'],
    [['pay', '{'], 'The input is not valid JSON'],
    [['pay', '[]'], 'The input must be a JSON object'],
    [['--mode', 'fast', 'pay', '{}'], 'Allowed choices are default, auto, plan, locked.'],
    [['--rules', 'no-such-file.yaml', 'pay', '{}'], 'cannot be read'],
  ])('%j is bad usage', async (args, message) => {
    const { code, stderr } = await check(...args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  });
});
