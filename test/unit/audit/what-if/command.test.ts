import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { auditWhatIf } from '../../../../src/cli/audit-what-if';
import { Exit, UsageError } from '../../../../src/cli/support/exit';
import { bundleText } from './support';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'holdfast-what-if-'));
  const calls = [{ tool: 'send', input: { to: 'ops@bank.example' } }, { tool: 'look' }];
  await writeFile(join(dir, 'bundle.jsonl'), await bundleText({ calls }));
  await writeFile(join(dir, 'old.jsonl'), await bundleText({ calls, part: ({ facts: _, ...body }) => body }));
  await writeFile(join(dir, 'broken.jsonl'), (await bundleText({ calls })).replace('"kind":"turn_end"', '"kind":"turn-end"'));
  await writeFile(join(dir, 'rules.yaml'), 'deny:\n  - rule: send\n    why: nothing leaves the house\n');
  await writeFile(join(dir, 'same.yaml'), 'ask: [send]\n');
  await writeFile(join(dir, 'wrong.yaml'), 'allow: [send(]\n');
  await writeFile(join(dir, 'people.yaml'), 'quorum: 0\n');
});
afterAll(() => rm(dir, { recursive: true, force: true }));

async function run(...args: string[]): Promise<{ code: number; value: any; text: string }> {
  let said: { value: unknown; lines: string[] } = { value: null, lines: [] };
  const program = new Command('audit').exitOverride();
  const output = {
    json: false,
    say: () => undefined,
    note: () => undefined,
    answer: (value: unknown, lines: string[]) => void (said = { value, lines }),
  };
  auditWhatIf(program, () => output);
  const paths = args.map((arg) => (/\.(jsonl|yaml)$/.test(arg) ? join(dir, arg) : arg));
  const code = await program.parseAsync(['what-if', ...paths], { from: 'user' }).then(
    () => 0,
    (error: unknown) => {
      if (error instanceof Exit) return error.code;
      throw error;
    },
  );
  return { code, value: said.value, text: said.lines.join('\n') };
}

describe('audit what-if', () => {
  it('shows the differences, and exits with 1', async () => {
    const { code, text, value } = await run('bundle.jsonl', '--rules', 'rules.yaml');
    expect(code).toBe(1);
    expect(text).toContain('≠ 1.1  send@1.0.0: asked, open → refused');
    expect(text).toContain("now: the agent's rule deny send: nothing leaves the house");
    expect(text).toContain('1 differences for agent a and its sub-agents, 1 calls the same, 0 cannot be told');
    expect(text).not.toContain('look@');
    expect(value).toMatchObject({
      agent: 'a',
      differences: 1,
      turns: [{ turn_id: 't', calls: [{ call_id: '1.1', would: { outcome: 'refused' } }, {}] }],
    });
  });

  it('exits with 0 if nothing differs, and shows the calls with --all', async () => {
    const { code, text } = await run('bundle.jsonl', '--rules', 'same.yaml', '--all');
    expect(code).toBe(0);
    expect(text).toContain('= 1.2  look@1.0.0: allowed → allowed');
  });

  it('exits with 3 if it cannot tell, and if the bundle is truncated', async () => {
    expect(await run('old.jsonl', '--rules', 'rules.yaml')).toMatchObject({ code: 3, value: { unknown: 2 } });
    const broken = await run('broken.jsonl', '--rules', 'same.yaml');
    expect(broken.code).toBe(3);
    expect(broken.text).toContain('cannot be read beyond line');
  });

  it.each<[string, string[], RegExp]>([
    ['nothing to compare with', ['bundle.jsonl'], /give --rules, --approvals or --limits/],
    ['rules with a fault', ['bundle.jsonl', '--rules', 'wrong.yaml'], /line 1: allow: "send\("/],
    ['a policy with a fault', ['bundle.jsonl', '--approvals', 'people.yaml'], /quorum must be an integer/],
    ['limits that are none', ['bundle.jsonl', '--limits', '{"steps": 0}'], /--limits must be JSON/],
    ['working time', ['bundle.jsonl', '--limits', '{"time_ms": 5}'], /time_ms cannot be compared/],
    ['another agent', ['bundle.jsonl', '--rules', 'same.yaml', '--agent', 'z'], /no turn of agent "z"; it has: a/],
    ['no such file', ['none.jsonl', '--rules', 'same.yaml'], /none\.jsonl/],
  ])('explains a bad argument: %s', async (_what, args, message) => {
    const error: unknown = await run(...args).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(UsageError);
    expect((error as Error).message).toMatch(message);
  });
});
