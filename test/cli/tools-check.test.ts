import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment, run } from './support/cli';

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
