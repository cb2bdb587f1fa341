/**
 * Rule B12 in both verifiers: what packages/verify/python/verify_rules.py says of patterns, conditions and files, beside the code that workers ask. It may say
 * that it does not know whether a rule matches, but it never contradicts that code.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import {
  compileRules,
  decide,
  type ApprovalLists,
  type AgentPermissions,
  type CallFacts,
  type RuleEntry,
  type TargetKind,
} from '../../../../src/rules';
import { compileCondition } from '../../../../src/rules/conditions/compile';
import type { Condition } from '../../../../src/rules/conditions/condition';
import { PLAIN_POLICY } from '../../../../src/shared/approval/policy';
import type { JsonObject } from '../../../../src/shared/json/json';
import type { ToolClass } from '../../../../src/shared/turn/tool-class';
import { pythonVerifier } from '../../support/python-verifier';
import { random } from '../../support/random';

const python = pythonVerifier();
const both = python === null ? test.skip : test;
const suffix = python === null ? ' (needs HOLDFAST_REQUIRE_PYTHON_VERIFIER=1, or its venv in the cache)' : '';
const SEED = Number(process.env.HOLDFAST_TEST_SEED ?? 17);
const HASH = 'a'.repeat(64);

interface Case {
  rules: Partial<AgentPermissions>;
  input?: JsonObject;
  class?: ToolClass;
  kind?: TargetKind | null;
  targets?: string[] | null;
  files?: Record<string, string | null>;
  /** What the entry of the tool's approval rules says that applies. */
  entry?: 'allow' | 'ask' | 'refuse' | null;
}

const schema: JsonObject = {
  type: 'object',
  properties: {
    cents: { type: 'integer' },
    rate: { type: 'number' },
    amount: { type: 'string', pattern: '^[0-9]{1,78}$' },
    rows: { type: 'array', items: { type: 'object', properties: { n: { type: 'integer' } } } },
  },
};
const turn = { untrusted: true, requester: 'rita', agent: 'clerk', step: 3 };

/** A list whose one entry says this. */
function listThat(says: 'allow' | 'ask' | 'refuse'): ApprovalLists {
  const condition = says === 'refuse' ? compiledCondition('input.nowhere') : null;
  const of = { when: condition?.text ?? null, condition, allow: says === 'allow', policy: PLAIN_POLICY };
  const common = { tool: 'pay', otherwise: PLAIN_POLICY, failed: PLAIN_POLICY };
  return new Map([['pay', { ...common, entries: [of], noCommonRole: 'no role may' }]]);
}

function compiledCondition(text: string): Condition {
  const compiled = compileCondition(text);
  if (!compiled.ok) throw new Error(compiled.fault);
  return compiled.condition;
}

function ours({ rules, input = {}, class: kindOfTool = 'write', kind = null, targets = null, files, entry = null }: Case) {
  const tool = { name: 'pay', version: '1.0.0', class: kindOfTool, egress: true, target: kind, schema };
  const known = files ? { files: { hashOf: (path: string) => files[path], looked: files } } : {};
  const facts: CallFacts = { tool, input, targets, ...known, turn };
  const compiled = compileRules({ mode: 'default', allow: [], ask: [], deny: [], ...rules });
  const said = decide(entry === null ? compiled : { ...compiled, approvals: listThat(entry) }, facts);
  return { rules: said.considered.map(({ effect, rule, matched }): Fits => [effect, rule, matched]), verdict: said.verdict };
}

type Fits = [effect: string, rule: string, matches: boolean | null];

function theirs(cases: readonly Case[]): { rules: Fits[]; verdicts: string[] }[] {
  const lines = cases.map((one) => {
    const { rules, input = {}, class: kindOfTool = 'write', kind = null, targets = null, files = null, entry = null } = one;
    const tool = { name: 'pay', version: '1.0.0', class: kindOfTool, group: '', egress: true };
    const lists = (['allow', 'ask', 'deny'] as const).map((effect) => rules[effect] ?? []);
    const call = { tool, input, schema, kind, targets, files, turn };
    return JSON.stringify({ lists, modes: [rules.mode ?? 'default'], call, entry });
  });
  const program = join(__dirname, '../support/judge_rules.py');
  const answers = execFileSync(python!, [program], { input: `${lines.join('\n')}\n`, maxBuffer: 50_000_000 }).toString();
  return answers.trimEnd().split('\n').map((line) => JSON.parse(line)); // oxfmt-ignore
}

const input: JsonObject = {
  cents: 700,
  rate: 1.5,
  amount: '250000000000000000000',
  to: 'ana@bank.example',
  rows: [{ n: 1 }, { n: 2, x: 'y' }],
  tags: ['a', 'b'],
  nothing: null,
};
const when = (text: string): Case => ({ rules: { deny: [{ rule: 'pay', when: text }] }, input });
const pattern = (kind: TargetKind, effect: 'allow' | 'deny', rule: string, ...targets: string[]): Case => ({
  rules: { [effect]: [`pay(${rule})`] },
  kind,
  targets,
});
const command = (rule: RuleEntry, target: string, files?: Record<string, string | null>): Case => ({
  rules: { allow: [rule] },
  kind: 'command',
  targets: [target],
  ...(files ? { files } : {}),
});

const KNOWN: [string, Case, boolean][] = [
  ['more than', when('input.cents > 699'), true],
  ['not more than', when('input.cents > 700'), false],
  ['beyond 64 bits', when('input.amount > big("249999999999999999999")'), true],
  ['a sum beyond 64 bits, an error', when('input.amount + 1 > 0'), true],
  ['a field that is missing, an error', when('input.missing == 1'), true],
  ['has', when('has(input.missing) && input.missing == 1'), false],
  ['one part settles it', when('input.missing == 1 || input.cents == 700'), true],
  ['a loop', when('input.rows.exists(row, has(row.x) && row.n == 2)'), true],
  ['a loop over all', when('input.rows.all(row, row.n < 2)'), false],
  ['the turn', when('tool.egress && turn.untrusted && turn.requester == "rita"'), true],
  ['a pattern in a condition', when('input.to.matches("@bank\\\\.example$")'), true],
  ['text within', when('input.to.startsWith("bob") || "c" in input.tags'), false],
  ['a choice', when('(input.rate > 1.0 ? "x" : "y") == "x"'), true],
  ['no condition at all', when('input.cents >'), false],
  ['a path', pattern('path', 'allow', '/src/**/*.ts', '/src/a/b.ts', '/src/c.ts'), true],
  ['a hidden one', pattern('path', 'allow', '/src/**', '/src/.git/config'), false],
  ['a hidden one, forbidden', pattern('path', 'deny', '/src/**', '/SRC/.git/config'), true],
  ['one that leaves the root', pattern('path', 'deny', '/src/**', '/../etc/passwd'), true],
  ['a text', pattern('text', 'allow', '*@bank.example', 'ana@bank.example'), true],
  ['in another case', pattern('text', 'allow', '*@bank.example', 'ana@BANK.example'), false],
  ['in another case, forbidden', pattern('text', 'deny', '*@bank.example', 'ana@BANK.example'), true],
  ['a command', pattern('command', 'allow', 'git log *', 'git log -3'), true],
  ['with syntax', pattern('command', 'allow', 'git log *', 'git log; rm x'), false],
  ['behind another, forbidden', pattern('command', 'deny', 'rm *', 'ls && sudo -u root "r"m -rf x'), true],
  ['one that runs files', command('pay(npm test)', 'npm test', {}), false],
  ['recorded before anybody looked at files', command('pay(npm test)', 'npm test'), true],
  ['with its files', command({ rule: 'pay(sh x.sh)', files: { '/x.sh': HASH } }, 'sh x.sh', { '/x.sh': HASH }), true],
  ['with another file', command({ rule: 'pay(sh x.sh)', files: { '/x.sh': HASH } }, 'sh x.sh', { '/x.sh': null }), false],
  ['whatever lies there', command({ rule: 'pay(npm *)', files: 'any' }, 'npm test', {}), true],
];

const NONE = 'no condition at all';

both(`both match patterns, conditions and files as the page says${suffix}`, () => {
  const cases = KNOWN.map(([, one]) => one);
  const matching = (all: { rules: Fits[] }[]) =>
    KNOWN.map(([name], at) => [name, all[at]!.rules.map(([, , matches]) => matches)]);
  const wanted = KNOWN.map(([name, , matches]) => [name, [matches]]);
  const isRule = ([name]: unknown[]) => name !== NONE; // to one reader it is no rule, to the other one that it cannot read
  expect(matching(cases.map(ours)).filter(isRule)).toEqual(wanted.filter(isRule));
  expect(matching(theirs(cases)).filter(isRule)).toEqual(wanted.filter(isRule));
});

both(`neither contradicts the code that workers ask, with random rules and inputs${suffix}`, () => {
  const next = random(SEED);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!;
  const some = (list: readonly string[], most: number, between: string) => Array.from({ length: 1 + Math.floor(next() * most) }, () => pick(list)).join(between); // oxfmt-ignore
  const paths = () => `/${some(PATHS, 4, '/')}`;
  const commands = () => some(COMMANDS, 6, pick([' ', ' ', '']));
  const texts = () => some(TEXTS, 5, '');
  const of = { path: paths, text: texts, command: commands };
  const like = (kind: TargetKind, target: string) =>
    kind === 'path' ? target.split('/').map((one, at) => (at === 0 ? one : pick([one, one, ...GLOBS]))).join('/') : `${target.slice(0, 1 + Math.floor(next() * 6)).toWellFormed()}${pick(['*', ''])}`; // oxfmt-ignore
  const entry = (effect: string, kind: TargetKind, target: string): RuleEntry => {
    const rule = `${pick(['pay', 'pay', 'pa*', '*'])}${pick(['', `(${like(kind, target)})`, `(${of[kind]()})`])}`;
    const condition = pick([undefined, some(CONDITIONS, 2, pick([' && ', ' || ', ' == ']))]);
    const files = effect === 'allow' ? pick([undefined, undefined, 'any' as const, { '/x.sh': HASH }]) : undefined;
    return { rule, ...(condition === undefined ? {} : { when: condition }), ...(files === undefined ? {} : { files }) };
  };
  const cases = Array.from({ length: 1200 }, (): Case => {
    const kind = pick(['path', 'text', 'command'] as const);
    const target = of[kind]();
    const list = (effect: string) => Array.from({ length: Math.floor(next() * 3) }, () => entry(effect, kind, target));
    return {
      rules: { mode: pick(['default', 'auto', 'plan', 'locked']), allow: list('allow'), ask: list('ask'), deny: list('deny') },
      input: pick([input, {}, { ...input, cents: -1, amount: 'x', rows: [] }]),
      class: pick(['write', 'write', 'destructive', 'read']),
      kind: pick([kind, kind, kind, null]),
      targets: pick([[target], [target], [target, of[kind]()], [], null]),
      entry: pick([null, null, 'allow', 'ask', 'refuse']),
      ...pick<Pick<Case, 'files'>>([{}, { files: { '/x.sh': HASH } }, { files: { '/x.sh': null } }, { files: {} }]),
    };
  });
  const [mine, told] = [cases.map(ours), theirs(cases)];
  const otherwise = mine.flatMap(({ rules, verdict }, at) => {
    const { rules: others, verdicts } = told[at]!;
    const matching = (all: Fits[], least: boolean) => all.filter(([, , matches]) => matches ?? !least).map(([effect, rule]) => `${effect} ${rule}`); // oxfmt-ignore
    const matched = matching(rules, true);
    const least = matching(others, true).filter((one) => !matched.includes(one));
    const most = matched.filter((one) => !matching(others, false).includes(one));
    const same = least.length === 0 && most.length === 0 && verdicts.includes(verdict);
    return same ? [] : [{ ...cases[at], mine: rules, others, verdict, verdicts }];
  });
  expect(otherwise.slice(0, 3)).toEqual([]);
  const sure = told.filter(({ rules }) => rules.length > 0 && rules.every(([, , matches]) => matches !== null));
  expect(sure.length).toBeGreaterThan(cases.length / 2);
});

const GLOBS = ['*', '**', '*.ts', '?', '[a-c]*', '{a,b}', '.*', 'a*b', '*.{js,ts}', '[abc]'];
const PATHS = ['a', 'b', 'src', 'x.ts', 'b.js', '.git', '..', '.', 'A', 'a b', '%2e%2e', 'a%2fb', 'a\u200bb', 'a\\b', 'a.', '~', 'é', '😀', '*']; // oxfmt-ignore
const COMMANDS = ['git', 'status', 'rm', '-rf', 'sudo', 'npm', 'test', 'sh', 'x.sh', './x.sh', '/usr/bin/', 'env', 'A=1', 'PATH=x', '&&', ';', '"', '\\', '..', 'cd', 'src', 'sed', '-n', '5p', 's/a/b/e', 'find', '-exec', 'xargs', '-a', 'timeout', '5', 'tar', 'xf', '--to-command', 'python3', '-c', 'node', 'awk', '-f', 'git', '-c', '--version', 'nice', '\n', 'Ａ']; // oxfmt-ignore
const TEXTS = ['a', 'B', '@', 'bank', '.example', '*', 'Ａ', '\u200b', ' ', 'é', 'É', 'ß', '\u0007', 'x', '😀', 'ſ'];
const CONDITIONS = ['input.cents > 5', 'input.rate < 2.0', 'input.amount > big("100000000000000000000")', 'input.rows.exists(x, x.n == 2)', 'input.rows.all(x, has(x.x))', 'has(input.nothing)', 'input.tags[0] == "a"', 'size(input.tags) > 1', 'turn.untrusted', 'turn.step == 3', 'tool.class == "write"', '!tool.egress', 'input.to.matches("^[a-z]+@")', 'input.to.contains("bank")', 'int("12") + 1 == 13', 'input.none', 'true', '1.5', 'input.cents / 0 == 1', '-input.cents == -700', 'input.rows.map(x, x.n) == [1, 2]', 'string(input.cents) == "700"', 'type(1) == int', 'timestamp("2026-01-01T00:00:00Z") < timestamp(0)', 'nope', 'tool.nope', 'input.cents >']; // oxfmt-ignore
