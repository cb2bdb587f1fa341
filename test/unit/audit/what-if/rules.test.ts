import { whatIf, type Proposal } from '../../../../src/audit/what-if';
import { tool, TOOLS } from '../../tools/admit/support';
import { answered, caseFile, decision, type Made } from './support';

/** `tool: was → would`, of each call. */
async function compared(made: Made, proposal: Proposal): Promise<string[]> {
  const { turns } = whatIf(await caseFile(made), proposal);
  return turns[0]!.calls.map(
    ({ tool: name, was, would, differs }) => `${name}: ${was.outcome} ${differs ? '→' : '='} ${would.outcome}`,
  );
}

const edit = (path: string) => ({ tool: 'edit_file', input: { path } });
const send = (to: string) => ({ tool: 'send', input: { to } });

describe('other rules over a recorded turn', () => {
  it('say which calls would have been allowed, asked about, refused', async () => {
    const calls = [
      edit('/src/a.ts'),
      edit('/etc/passwd'),
      send('ops@bank.example'),
      send('mallory@evil.example'),
      { tool: 'look' },
    ];
    const permissions = {
      allow: ['send(*@bank.example)', 'edit_file(/src/**)'],
      deny: ['edit_file(/etc/**)', 'send(*@evil.example)'],
    };
    expect(await compared({ calls }, { permissions })).toEqual([
      'edit_file: allowed = allowed',
      'edit_file: allowed → refused',
      'send: asked → allowed',
      'send: asked → refused',
      'look: allowed = allowed',
    ]);
    expect(await compared({ calls, permissions }, { permissions: {} })).toEqual([
      'edit_file: allowed = allowed',
      'edit_file: refused → allowed',
      'send: allowed → asked',
      'send: refused → asked',
      'look: allowed = allowed',
    ]);
    expect(await compared({ calls, permissions }, { permissions })).toEqual([
      'edit_file: allowed = allowed',
      'edit_file: refused = refused',
      'send: allowed = allowed',
      'send: refused = refused',
      'look: allowed = allowed',
    ]);
  });

  it('use the facts of the turn: what it had read, its step, whether the tool carries data out', async () => {
    const calls = [
      { tool: 'post', input: { a: 1 } },
      { tool: 'post', untrusted: true, step: 2 },
      { tool: 'look', step: 2 },
    ];
    const when = 'turn.untrusted && tool.egress && turn.step > 1';
    expect(await compared({ calls }, { permissions: { deny: [{ rule: '*', when }] } })).toEqual([
      'post: allowed = allowed',
      'post: allowed → refused',
      'look: allowed = allowed',
    ]);
  });

  it('compare amounts as the schema means them', async () => {
    const input = { type: 'object', properties: { wei: { type: 'string', pattern: '^\\d+$' } }, additionalProperties: false };
    const tools = [tool('swap', { class: 'destructive', input })];
    const calls = ['999', '1000000000000000000000000'].map((wei) => ({ tool: 'swap', input: { wei } }));
    const deny = [{ rule: 'swap', when: 'input.wei > big("1000000000000000000000")' }];
    expect(await compared({ calls, tools }, { permissions: { deny } })).toEqual(['swap: asked = asked', 'swap: asked → refused']);
  });

  it('do not change calls that they did not decide: an input that does not fit, an unknown tool', async () => {
    const input = { type: 'object', properties: { n: { type: 'integer' } }, additionalProperties: false };
    const calls = [{ tool: 'count', input: { n: 'x' } }, { tool: 'nothing' }];
    const permissions = { allow: ['*'] };
    expect(await compared({ calls, tools: [tool('count', { input })] }, { permissions })).toEqual([
      'count: refused = refused',
      'nothing: refused = refused',
    ]);
  });

  it.each<[string, Partial<Made>]>([
    ['a bundle of an older build', { part: ({ facts: _, ...body }) => body }],
    ['a bundle without the admission', { part: (body) => (body.facts === undefined ? body : undefined) }],
    ['a bundle without definitions', { objects: false }],
  ])('are not judged for %s', async (_what, more) => {
    const answer = whatIf(await caseFile({ calls: [{ tool: 'look' }], ...more }), { permissions: { deny: ['look'] } });
    const outcomes = answer.turns.flatMap(({ calls }) => calls.map(({ would }) => would.outcome));
    expect(outcomes.every((outcome) => outcome === 'cannot_tell')).toBe(true);
    expect(answer.differences).toBe(0);
    expect(answer.unknown).toBe(1);
  });

  it('are not judged if the tool touched more than was recorded', async () => {
    const many = tool('sweep', {
      class: 'write',
      ruleTarget: { kind: 'path', of: () => Array.from({ length: 300 }, (_, n) => `/${n}`) },
    });
    expect(await compared({ calls: [{ tool: 'sweep' }], tools: [many] }, { permissions: { deny: ['sweep(/7)'] } })).toEqual([
      'sweep: allowed = cannot_tell',
    ]);
  });

  it('still ask about calls that were held, or that a person had changed', async () => {
    const file = await caseFile({ calls: [send('ops@bank.example'), send('ops@bank.example')] });
    const [held, edited] = file.turns[0]!.calls;
    answered(held!, { decisions: [decision('bob')], state: 'succeeded' });
    held!.question!.held = [{ kind: 'budget', id: 'daily', text: 'The budget is spent.' }];
    answered(edited!, {
      changes: [{ hook: '', by: 'bob', why: 'changed to' }],
      state: 'succeeded',
      decisions: [decision('ana')],
    });
    const { turns } = whatIf(file, { permissions: { allow: ['send'] } });
    expect(turns[0]!.calls.map(({ would }) => would)).toMatchObject([
      { outcome: 'asked', answer: 'approved' },
      { outcome: 'asked', answer: 'approved' },
    ]);
  });

  it('are not judged if a classifier would have been asked for the first time; without one a person is asked', async () => {
    const classifier = { name: 'c', decide: async () => ({ verdict: 'approve' as const, reason: 'fine' }) };
    const calls = [{ tool: 'post' }];
    const permissions = { mode: 'auto' as const };
    expect(await compared({ calls, agent: { classifier } as never }, { permissions })).toEqual(['post: allowed = cannot_tell']);
    expect(await compared({ calls }, { permissions })).toEqual(['post: allowed → asked']);
  });

  it('are refused if they do not fit the agent of the bundle', async () => {
    const file = await caseFile({ calls: [{ tool: 'look' }] });
    expect(() => whatIf(file, { permissions: { deny: ['pay', 'look(x)'] } })).toThrow(/"pay".*\n.*look declares no ruleTarget/);
    expect(() => whatIf(file, { approvals: { tools: { pay: { quorum: 2 } } } })).toThrow(/"pay"/);
    expect(() => whatIf(file, { agent: 'other', permissions: {} })).toThrow('it has: a.');
  });

  it('say of a later call that the model might not have asked for it', async () => {
    const calls = [{ tool: 'look' }, { tool: 'fetch' }, { tool: 'look', step: 2 }];
    const { turns } = whatIf(await caseFile({ calls, tools: TOOLS }), { permissions: { deny: ['fetch'] } });
    expect(turns[0]!.calls.map(({ afterDifference }) => afterDifference)).toEqual([false, false, true]);
  });
});
