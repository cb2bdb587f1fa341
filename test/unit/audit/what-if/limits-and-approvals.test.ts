import type { CallCase, CaseFile, TurnCase } from '../../../../src/audit/case-file/types';
import { whatIf, type CallDecision } from '../../../../src/audit/what-if';
import type { Approvals } from '../../../../src/rules';
import { pays } from '../../../support/tools';
import { answered, caseFile, decision } from './support';

describe('other limits over a recorded turn', () => {
  const looks = (steps: number) => Array.from({ length: steps }, (_, index) => ({ tool: 'look', step: index + 1 }));

  async function priced(steps: number): Promise<CaseFile> {
    const file = await caseFile({ calls: looks(steps) });
    for (const step of file.turns[0]!.steps) {
      step.activity = { output: {} } as never; // the result of its activity is there
      step.usage.costUsd = 0.5;
    }
    file.turns[0]!.limits = { steps: 40, tokens: 2_000_000, cost_usd: 20, time_ms: 1000 };
    return file;
  }

  it.each([
    ['steps', { steps: 2 }, 3],
    ['tokens', { tokens: 330 }, 4],
    ['cost', { costUsd: 0.5 }, 2],
  ])('end it: %s', async (_what, limits, step) => {
    const answer = whatIf(await priced(3), { limits });
    const [turn] = answer.turns;
    expect(turn).toMatchObject({ wasStopped: null, wouldStop: { beforeStep: step }, differs: true });
    const reached = turn!.calls.map(({ would }) => would.outcome !== 'not_reached');
    expect(reached).toEqual([1, 2, 3].map((at) => at < step));
    expect(answer.differences).toBe(1 + reached.filter((it) => !it).length);
  });

  it('change nothing where they are not reached', async () => {
    expect(whatIf(await priced(3), { limits: { steps: 4, tokens: 331, costUsd: 1.51 } })).toMatchObject({
      differences: 0,
      unknown: 0,
    });
  });

  it('let a turn go on that the old ones ended', async () => {
    const file = await priced(3);
    file.turns[0]!.limits = { steps: 3 };
    const [turn] = whatIf(file, { limits: { steps: 5 } }).turns;
    expect(turn).toMatchObject({ wasStopped: { beforeStep: 4 }, wouldStop: null, differs: true });
  });

  it('count the usage of sub-agents, whose turns would not have been reached either', async () => {
    const file = await priced(2);
    const child: TurnCase = structuredClone(file.turns[0]!);
    Object.assign(child, { turnId: 'c', agent: 'helper', parent: { turnId: 't', callId: '2.1' } });
    file.turns.push(child);
    const { turns } = whatIf(file, { limits: { steps: 1 } });
    expect(turns[1]!.calls.map(({ would }) => would.outcome)).toEqual(['not_reached', 'not_reached']);
    child.parent!.callId = '1.1';
    expect(whatIf(file, { limits: { steps: 3 } }).turns[0]!.wouldStop).toMatchObject({ beforeStep: 2 });
  });

  it('are not judged if costs were left out', async () => {
    const file = await caseFile({ calls: looks(2) });
    file.turns[0]!.limits = { steps: 40, tokens: 1000, cost_usd: 20, time_ms: 1000 };
    expect(whatIf(file, { limits: { costUsd: 1 } })).toMatchObject({ differences: 0, unknown: 1 });
  });
});

describe('another approver policy over a recorded turn', () => {
  async function would(approvals: Approvals, more: Partial<CallCase>, makers: string[] = []): Promise<CallDecision> {
    const file = await caseFile({ calls: [{ tool: 'send', input: { to: 'ops@bank.example' } }] });
    const [call] = file.turns[0]!.calls;
    answered(call!, { digest: 'd'.repeat(64), state: 'succeeded', ...more });
    call!.question!.makers = makers;
    return whatIf(file, { approvals }).turns[0]!.calls[0]!.would;
  }

  const by = (name: string, roles?: string[]) => decision(name, roles ? { claims: { roles } } : {});

  it.each<[string, Approvals, Partial<CallCase>, string[], object]>([
    ['the same', {}, { decisions: [by('bob')] }, [], { answer: 'approved' }],
    ['two people', { quorum: 2 }, { decisions: [by('bob')] }, [], { answer: 'open', reason: '1 of 2 had approved it: bob' }],
    ['two people, for this tool', { tools: { send: { quorum: 2 } } }, { decisions: [by('bob')] }, [], { answer: 'open' }],
    ['two people, who did', { quorum: 2 }, { decisions: [by('bob'), by('ana')] }, [], { answer: 'approved' }],
    ['two people, who are one', { quorum: 2 }, { decisions: [by('bob'), by(' BOB ')] }, [], { answer: 'open' }],
    [
      'four eyes',
      { fourEyes: true },
      { decisions: [by('rita')] },
      [],
      { answer: 'open', reason: expect.stringContaining('rita asked for call') },
    ],
    ['four eyes, for the person who changed it', { fourEyes: true }, { decisions: [by('bob')] }, ['bob'], { answer: 'open' }],
    ['signed ones only', { channel: 'attested' }, { decisions: [by('bob')] }, [], { answer: 'open' }],
    [
      'signed ones, which it is',
      { channel: 'attested', roles: ['cfo'] },
      { decisions: [by('bob', ['cfo'])] },
      [],
      { answer: 'approved' },
    ],
    [
      'another role',
      { roles: ['cfo'] },
      { decisions: [by('bob', ['clerk'])] },
      [],
      { answer: 'open', reason: expect.stringContaining('cfo') },
    ],
    [
      'a denial stays one',
      { quorum: 2 },
      { decisions: [{ ...by('bob'), decision: 'deny' }], state: 'denied' },
      [],
      { answer: 'denied' },
    ],
  ])('%s', async (_what, approvals, more, makers, expected) => {
    expect(await would(approvals, more, makers)).toMatchObject({ outcome: 'asked', ...expected });
  });

  it('lets a call run that had waited for a second person', async () => {
    const expired = { ...decision(''), decision: 'expired', at: '2026-02-01T00:00:00.000Z' };
    expect(await would({ quorum: 1 }, { decisions: [by('bob'), expired], state: 'expired' })).toMatchObject({
      answer: 'approved',
    });
  });

  it('is not judged if the question was left out', async () => {
    const file = await caseFile({ calls: [{ tool: 'send', input: { to: 'x' } }] });
    expect(whatIf(file, { approvals: { quorum: 2 } })).toMatchObject({ differences: 0, unknown: 1 });
  });
});

describe('a list of approval rules over a recorded turn', () => {
  const amount = (cents: number) => ({ tool: 'pay', input: { invoice: 'i', cents } });
  const made = {
    tools: [pays('pay', [])],
    agent: { approvals: { tools: { pay: [{ when: 'input.cents > 10' }, { allow: true as const }] } } },
  };
  const outcomes = (file: CaseFile, proposal: Parameters<typeof whatIf>[1]) =>
    whatIf(file, proposal).turns[0]!.calls.map(({ was, would, differs }) => [was.outcome, would.outcome, differs]);

  it('asks or allows other calls than before', async () => {
    const file = await caseFile({ ...made, calls: [amount(5), amount(50)] });
    const stricter: Approvals = { tools: { pay: [{ when: 'input.cents > 2' }, { allow: true }] } };
    expect(outcomes(file, { approvals: stricter })).toEqual([
      ['allowed', 'asked', true],
      ['asked', 'cannot_tell', false],
    ]);
    const weaker: Approvals = { tools: { pay: [{ when: 'input.cents > 100' }, { allow: true }] } };
    expect(outcomes(file, { approvals: weaker })).toEqual([
      ['allowed', 'allowed', false],
      ['asked', 'allowed', true],
    ]);
    expect(outcomes(file, { approvals: {} })).toEqual([
      ['allowed', 'asked', true],
      ['asked', 'cannot_tell', false],
    ]);
  });

  it('stays in force under other permission rules', async () => {
    const file = await caseFile({ ...made, calls: [amount(5), amount(50)] });
    expect(outcomes(file, { permissions: { deny: [{ rule: 'pay', when: 'input.cents > 40' }] } })).toEqual([
      ['allowed', 'allowed', false],
      ['asked', 'refused', true],
    ]);
  });

  it('counts the recorded decisions by the entry for the input', async () => {
    const file = await caseFile({ ...made, calls: [amount(50)] });
    const [call] = file.turns[0]!.calls;
    answered(call!, { digest: 'd'.repeat(64), state: 'succeeded', decisions: [decision('bob')] });
    const two: Approvals = { tools: { pay: [{ when: 'input.cents > 10', quorum: 2 }] } };
    const [would] = whatIf(file, { approvals: two }).turns[0]!.calls.map((one) => one.would);
    expect(would).toMatchObject({ outcome: 'asked', answer: 'open' });
  });
});
