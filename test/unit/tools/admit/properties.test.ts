import * as fc from 'fast-check';
import { classify } from '../../../../src/tools/admit/classifier';
import { type AgentPermissions, type RuleEntry, MODES } from '../../../../src/tools/admit/policy';
import { silent } from '../../../support/silent';
import { TOOLS, TRUSTED, verdict } from './support';

const rule: fc.Arbitrary<RuleEntry> = fc.oneof(
  fc.constantFrom('*', 'look', 'edit_file', 'send', 'bash', 'post', 's*', '*e*', 'edit_*', 'delegate'),
  fc.constantFrom('edit_file(/src/**)', 'edit_file(/src/a)', 'send(*@b.example)', 'bash(git*)', 'edit_*(/**)', 's*(*)'),
  fc.record({
    rule: fc.constantFrom('*', 'post', 'send', 'look'),
    when: fc.constantFrom('turn.untrusted', 'input.n > 3', 'true', 'tool.egress'),
  }),
);
const rules = fc.array(rule, { maxLength: 4 });
const permissions = fc.record({ mode: fc.constantFrom(...MODES), allow: rules, ask: rules, deny: rules });
const call = fc.record({
  name: fc.constantFrom(...TOOLS.map((tool) => tool.name)),
  input: fc.record(
    {
      path: fc.constantFrom('/src/a', '/x', '../y'),
      to: fc.constantFrom('a@b.example', 'x'),
      command: fc.constantFrom('git x', 'git x; y', 'z'),
      n: fc.nat(6),
    },
    { requiredKeys: [] },
  ),
  untrusted: fc.boolean(),
});

const of = (given: AgentPermissions, { name, input, untrusted }: { name: string; input: object; untrusted: boolean }) =>
  verdict(given, name, input as never, { untrusted });
const STRICTNESS = { allow: 0, classify: 1, ask: 1, deny: 2 };

describe('for any rules', () => {
  it('a deny rule that matches always wins', () => {
    fc.assert(
      fc.property(permissions, call, (given, asked) => {
        const said = of(given, asked);
        const denied = said.considered.some((trace) => trace.matched && trace.effect === 'deny');
        if (denied) expect(said.verdict).toBe('deny');
        expect(of({ ...given, deny: [...given.deny, asked.name] }, asked).verdict).toBe('deny');
      }),
    );
  });

  it('one more deny rule never makes a verdict weaker', () => {
    fc.assert(
      fc.property(permissions, rule, call, (given, more, asked) => {
        const before = STRICTNESS[of(given, asked).verdict];
        expect(STRICTNESS[of({ ...given, deny: [...given.deny, more] }, asked).verdict]).toBeGreaterThanOrEqual(before);
      }),
    );
  });

  it('a destructive call runs without asking only by an allow rule that names it exactly', () => {
    fc.assert(
      fc.property(permissions, call, (given, asked) => {
        const { class: toolClass } = TOOLS.find((tool) => tool.name === asked.name)!;
        const said = of(given, asked);
        if (toolClass !== 'destructive') return;
        expect(said.verdict).not.toBe('classify');
        if (said.verdict !== 'allow') return;
        const decider = said.considered.find((trace) => trace.matched && trace.effect === 'allow' && trace.rule === said.rule)!;
        expect(decider.rule.split(/[( ]/)[0]).toBe(asked.name);
      }),
    );
  });

  it('mode plan lets no effect through', () => {
    fc.assert(
      fc.property(permissions, call, (given, asked) => {
        const { class: toolClass } = TOOLS.find((tool) => tool.name === asked.name)!;
        if (['write', 'destructive', 'agent'].includes(toolClass))
          expect(of({ ...given, mode: 'plan' }, asked).verdict).toBe('deny');
      }),
    );
  });

  it('mode locked runs nothing without an allow rule', () => {
    fc.assert(
      fc.property(permissions, call, (given, asked) => {
        const said = of({ ...given, mode: 'locked' }, asked);
        if (said.verdict === 'allow')
          expect(said.considered.some((trace) => trace.matched && trace.effect === 'allow')).toBe(true);
      }),
    );
  });

  it('the classifier is never asked about a call that rules ask about or deny, nor about a destructive call', () => {
    fc.assert(
      fc.property(permissions, call, (given, asked) => {
        const said = of(given, asked);
        if (said.verdict !== 'classify') return;
        expect(said.considered.every((trace) => !trace.matched)).toBe(true);
        expect(given.mode).toBe('auto');
      }),
    );
  });
});

describe('the classifier', () => {
  const asked = { tool: 'post', version: '1.0.0', class: 'write' as const, input: {}, turn: TRUSTED };
  const none = { in_a_row: 0, in_all: 0 };
  const saying = (answer: unknown) => ({ name: 'c', decide: () => answer as never });

  it.each<[string, unknown, string]>([
    ['an approval', { verdict: 'approve', reason: 'fine' }, 'approve'],
    ['a denial', { verdict: 'deny', reason: 'no' }, 'deny'],
    ['nothing', undefined, 'ask'],
    ['a word of its own', { verdict: 'sure', reason: '' }, 'ask'],
    ['a text', 'approve', 'ask'],
  ])('answers with %s', async (_what, answer, expected) => {
    expect((await classify(saying(answer), none, asked, silent)).verdict).toBe(expected);
  });

  it('that throws means ask, and says so', async () => {
    const broken = {
      name: 'c',
      decide: () => {
        throw new Error('down');
      },
    };
    expect(await classify(broken, none, asked, silent)).toEqual({ verdict: 'ask', reason: 'classifier c failed: down' });
  });

  it('that does not answer in time means ask', async () => {
    jest.useFakeTimers();
    const slow = classify({ name: 'c', decide: () => new Promise(() => undefined) }, none, asked, silent);
    await jest.advanceTimersByTimeAsync(10_000);
    jest.useRealTimers();
    expect(await slow).toMatchObject({ verdict: 'ask', reason: expect.stringContaining('did not answer within 10000 ms') });
  });

  it('is not asked after three denials in a row, after ten in all, about a destructive call, or where there is none', async () => {
    const decide = jest.fn(() => ({ verdict: 'approve' as const, reason: '' }));
    const given = { name: 'c', decide };
    for (const [denials, about] of [
      [{ in_a_row: 3, in_all: 3 }, asked],
      [{ in_a_row: 0, in_all: 10 }, asked],
      [none, { ...asked, class: 'destructive' as const }],
    ] as const)
      expect((await classify(given, denials, about, silent)).verdict).toBe('ask');
    expect((await classify(undefined, none, asked, silent)).verdict).toBe('ask');
    expect(decide).not.toHaveBeenCalled();
    expect((await classify(given, { in_a_row: 2, in_all: 9 }, asked, silent)).verdict).toBe('approve');
  });
});
