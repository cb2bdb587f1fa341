/** The lines of a bundle in order: if several rules are broken the first one is reported, and turns of sub-agents are present (T6). */
import { ContentChecks, type CheckedLine } from '../../../../src/audit/verify/content-checks';
import { BUNDLE_VERSION, VERSION_2 } from '../../../../src/audit/format/lines';
import { hashJson } from '../../../../src/shared/json/digests';
import type { Json, JsonObject } from '../../../../src/shared/json/json';
import { at, event, payloads, TURN_CONTEXT, type Fields } from '../../../support/audit/hand-events';
import { ARGUMENT, START } from '../../../support/audit/hand-lines';
import { block, bundle, end, part, run, started, turn, turnEnd, type Line } from '../../../support/audit/meant-lines';

/** The first fault of these lines: its line, rule and reason. */
function faultOf(...lines: Line[]): string | null {
  const refs = { parts: new Set<string>(), objects: new Set<string>(), blocks: new Set<string>() };
  const meaning = new ContentChecks([], refs);
  for (const [n, [kind, body]] of lines.entries()) {
    const { ref } = body as { ref: string };
    if (kind === 'block') refs.blocks.add(ref);
    if (kind === 'part') refs.parts.add(ref);
    if (kind === 'object') refs.objects.add(ref);
    meaning.take({ n, kind, body } as CheckedLine);
  }
  const { fault } = meaning;
  return fault && `${fault.line} ${fault.rule}: ${fault.message}`;
}

describe('the fault of a bundle', () => {
  it('is null if its lines agree', () => {
    expect(faultOf(bundle(), turn(), run, started(), turnEnd(), end(false))).toBeNull();
  });

  it('is that of the first line that breaks a rule', () => {
    expect(faultOf(bundle(), turn(), run, started({}, 7), started({}, 7), turnEnd())).toMatch(/^3 H1: Event "7"/);
  });

  it('is, of several at one line, that of the rule that the page names first', () => {
    const two = started({ firstExecutionRunId: 'other' }, 7);
    expect(faultOf(bundle(), turn(), run, two)).toMatch(/^3 H1: /);
    // Of one rule, the fault that was found first.
    const other = started({ firstExecutionRunId: 'other', continuedExecutionRunId: 'q' });
    expect(faultOf(bundle(), turn(), run, other)).toMatch(/^3 H2: The run does not begin with the start/);
    const record = { v: 'other', turn_id: 'u', claimed_at: at(0), updated_at: at(0), state: 'applied', digest: 'd', run_id: 'r' };
    expect(faultOf(bundle(), turn(), run, started(), ['effect', { record }])).toMatch(
      /^4 T2: The effect record is of another turn/,
    );
    // H stands before B, and that before T and D.
    expect(
      faultOf(
        bundle(),
        turn(),
        run,
        started(),
        part('p', { ...START, turn_id: 'u', agent: { name: 'x' } }),
        block('b', 'start', ['p']),
      ),
    ).toMatch(/^5 B3: /);
  });

  it('is that of the first line, even if a later line breaks an earlier rule', () => {
    const lines = [bundle({ agent: 'other' }), turn(), run, started(), turnEnd(), turn({ turn_id: 'u' }), run, started({}, 7)];
    expect(faultOf(...lines)).toMatch(/^4 D1: /);
  });

  it('is found in each kind of line', () => {
    const session: Line = ['session', { run_id: 's', event: event('TIMER_FIRED', {}) }];
    expect(faultOf(bundle(), turn(), run, started(), session)).toMatch(/^4 H8: /);
    const input = {
      input_ref: 'p',
      id: '1.1',
      digest: 'd',
      tool: 'pay',
      version: '1',
      class: 'write',
      input_hash: hashJson(7),
      input: 7,
    };
    const scheduled: Line = [
      'event',
      {
        event: event(
          'ACTIVITY_TASK_SCHEDULED',
          { activityType: { name: 'runCall' }, input: payloads({ turn: TURN_CONTEXT, call: input }) },
          { id: 2 },
        ),
      },
    ];
    expect(faultOf(bundle(), turn(), run, started(), scheduled)).toMatch(/^4 H3: /);
    expect(faultOf(bundle(), turn(), run, started(), turnEnd({ head: 'x' }))).toMatch(/^4 T1: /);
    expect(faultOf(bundle({ subject: { kind: 'turn', id: 'u' } }), turn(), run, started(), turnEnd())).toMatch(
      /^4 D1: The bundle is of another turn/,
    );
    expect(
      faultOf(
        bundle({ subject: { kind: 'turn', id: 'u' } }),
        turn({ turn_id: 'u', workflow_id: 'turn/u' }),
        turnEnd(),
        turn(),
        run,
        started(),
        turnEnd(),
      ),
    ).toBeNull();
  });
});

describe('the owner that a bundle names', () => {
  const told = (more: Fields, ...lines: Line[]) =>
    faultOf(bundle(more), turn(), run, started({ input: payloads({ ...ARGUMENT, session_id: 's' }) }), ...lines, turnEnd());

  it('is that of its first turn', () => {
    expect(told({})).toBeNull();
    expect(told({ agent: 'other' })).toMatch(/^4 D1: The first line says that agent of the turn is "other"/);
    expect(told({ tenant: 'x' })).toMatch(/^4 D1: The first line says that tenant of the turn is "x"/);
    expect(told({ subject: { kind: 'session', id: 's' } })).toBeNull();
    expect(told({ subject: { kind: 'session', id: 'other' } })).toMatch(
      /^4 D1: The first line says that session_id of the turn is "other"/,
    );
    expect(told({ subject: { kind: 'call', id: 'other' } })).toMatch(/^4 D1: The bundle is of another turn than it says/);
  });

  it('is not checked if nothing is known of that turn', () => {
    expect(faultOf(bundle({ agent: 'other' }), turn(), turnEnd())).toBeNull();
    const nobody = started({ input: payloads({ turn_id: 't', agent: 'clerk', message: 'Pay.' }) });
    expect(faultOf(bundle({ agent: 'other' }), turn(), run, nobody, turnEnd())).toBeNull();
  });
});

describe('a turn of a sub-agent (T6)', () => {
  const below = { turn_id: 'b', workflow_id: 'turn/b', first_execution_run_id: 'br', head: null as string | null };
  const listed = (sub: Fields, more: Line[] = [], complete = true) => {
    const own = [
      part('p', START),
      block('start', 'start', ['p']),
      part('q', { role: 'user', sub_turns: [sub as JsonObject] }),
      block('m', 'message', ['q'], 'start'),
    ];
    // For turns without a history nothing else is checked.
    return faultOf(bundle(), turn(), ...own, turnEnd(), ...more, end(complete));
  };
  const line = turn({
    turn_id: 'b',
    workflow_id: 'turn/b',
    first_execution_run_id: 'br',
    parent: { turn_id: 't', call_id: '1.1' },
  });
  const of: Line[] = [line, turnEnd({ turn_id: 'b' })];
  const leftOut = '7 T6: The turn "b" of a sub-agent was left out';

  it('is in the bundle', () => {
    expect(listed(below, of)).toBeNull();
    expect(listed(below)).toBe(leftOut);
    expect(listed({ ...below, workflow_id: 'turn/c' }, of)).toBe(leftOut.replace('7', '9'));
    expect(listed({ ...below, first_execution_run_id: 'cr' }, of)).toBe(leftOut.replace('7', '9'));
    expect(listed(below, [], false)).toBeNull();
  });

  it('reaches the block from which its answer was taken', () => {
    expect(listed({ ...below, head: 'start' }, of)).toBeNull();
    const short = '9 T6: The turn "b" of a sub-agent has not come to the block that its answer was taken from';
    expect(listed({ ...below, head: 'x' }, of)).toBe(short);
  });
});

describe('the definition of an agent', () => {
  const REF = 'd'.repeat(64);
  const definition = {
    v: 'holdfast.agent/1',
    name: 'clerk',
    prompt: 'Be good.',
    approvals: { pay: { channel: 'attested' } },
    tools: [],
  };
  const begins = (value: Json, more: Fields = {}) => {
    const body = { ...START, definition_ref: REF, ...more } as JsonObject;
    return faultOf(
      bundle(),
      ['object', { ref: REF, value }],
      turn(),
      run,
      started(),
      part('p', body),
      block('b', 'start', ['p']),
    );
  };
  const tool = { name: 'pay', version: '1.0.0', class: 'write' };
  const definitions = (value: Json): Line[] => [['object', { ref: REF, value }]];

  it('is used for its turns', () => {
    expect(begins(definition)).toMatch(/^6 H7: Decisions on calls of this agent are signed/);
    expect(begins({ ...definition, v: 'holdfast.agent/2' })).toBeNull();
    expect(begins('text')).toBeNull();
    expect(begins({ ...definition, approvals: {} })).toBeNull();
  });

  it('is checked before other faults of the line, but only with keys', () => {
    const late = [
      ...definitions(definition),
      turn(),
      run,
      started(),
      part('p', { ...START, definition_ref: REF }),
      block('b', 'start', ['p'], null, 9),
    ];
    expect(faultOf(bundle(), ...late)).toMatch(/^6 H7: /);
    expect(begins(definition, { attestation: 'any' })).toBeNull();
  });

  describe('is compared with the calls of its tools:', () => {
    const step = (call: Fields, of: Fields, input: JsonObject = {}) => {
      const result = payloads({ head: 'a', next: 'calls', calls: [{ tool: 'pay', version: '1.0.0', input_ref: 'c', ...call }] });
      const told: Line[] = [
        [
          'event',
          { event: event('ACTIVITY_TASK_SCHEDULED', { activityType: { name: 'takeStep' }, input: payloads({}) }, { id: 2 }) },
        ],
        ['event', { event: event('ACTIVITY_TASK_COMPLETED', { scheduledEventId: '2', result }, { id: 3 }) }],
      ];
      const value = { ...definition, approvals: {}, tools: [{ ...tool, ...of } as JsonObject] };
      const silent = started({ input: payloads({ turn_id: 't', requester: 'rita', agent: 'clerk' }) });
      const asked = { asked: '{}', call_id: '1.1', tool: 'pay', version: '1.0.0', input };
      const own = [part('p', { ...START, definition_ref: REF }), block('b', 'start', ['p'])];
      const answer = [
        part('c', asked),
        part('q', { subject: {}, direct: true, definition_ref: REF }),
        block('a', 'admission', ['q', 'c'], 'b'),
      ];
      return faultOf(bundle(), ...definitions(value), turn(), run, silent, ...told, ...own, ...answer);
    };

    it('their sub-agents', () => {
      expect(step({ sub_agent: 'h' }, { sub_agent: 'h' })).toBeNull();
      expect(step({ sub_agent: 'i' }, { sub_agent: 'h' })).toMatch(/D2: A call is said to be answered by another agent/);
      expect(step({ sub_agent: 'i' }, {})).toBeNull();
    });

    it('whether they may be repeated', () => {
      expect(step({ idempotent: true }, { idempotent: true })).toBeNull();
      expect(step({ idempotent: true }, { idempotent: false })).toMatch(/D2: A call says otherwise than the definition/);
      expect(step({ idempotent: true }, {})).toBeNull();
    });

    it('their defaults', () => {
      const input_schema = { properties: { currency: { default: 'eur' } } };
      expect(step({}, { input_schema }, { currency: 'eur' })).toBeNull();
      expect(step({}, { input_schema }, { currency: 'usd' })).toMatch(/D2: A call was admitted with another input/);
      expect(step({}, {}, { currency: 'usd' })).toMatch(/D2: A call was admitted with another input/);
    });

    it('their policy', () => {
      const result = payloads({ head: 'a', next: 'end', policy: { limits: { steps: 6 } } });
      const value = { ...definition, approvals: {}, limits: { steps: 5 } };
      const own = [
        part('p', { ...START, definition_ref: REF }),
        block('b', 'start', ['p']),
        part('q', { subject: {}, definition_ref: REF }),
        block('a', 'admission', ['q'], 'b'),
      ];
      const told: Line[] = [
        [
          'event',
          { event: event('ACTIVITY_TASK_SCHEDULED', { activityType: { name: 'takeStep' }, input: payloads({}) }, { id: 2 }) },
        ],
        ['event', { event: event('ACTIVITY_TASK_COMPLETED', { scheduledEventId: '2', result }, { id: 3 }) }],
      ];
      const silent = started({ input: payloads({ turn_id: 't', requester: 'rita', agent: 'clerk' }) });
      expect(faultOf(bundle(), ...definitions(value), turn(), run, silent, ...told, ...own)).toMatch(
        /D1: A step says another limits of its turn/,
      );
    });
  });

  it('is compared with name, prompt and tools of the start', () => {
    const plain = { ...definition, approvals: undefined } as unknown as JsonObject;
    const other = (what: string) => `6 D1: The turn began with another ${what} than its agent's definition has`;
    const agent = (more: Fields) => ({ agent: { name: 'clerk', ...more } as JsonObject });
    expect(begins({ ...plain, name: 'other' })).toBe(other('name'));
    expect(begins(plain, agent({ prompt_hash: hashJson('Be good.') }))).toBeNull();
    expect(begins(plain, agent({ prompt_hash: hashJson('Be bad.') }))).toBe(other('prompt'));
    expect(begins({ ...plain, tools: [tool] }, agent({ tools: ['pay@1.0.0'] }))).toBeNull();
    expect(begins({ ...plain, tools: [tool] }, agent({ tools: [] }))).toBe(other('list of tools'));
    expect(begins({ ...plain, tools: [{ ...tool, internal_only: true }] }, agent({ tools: [] }))).toBeNull();
  });
});

it('what a session says is required only from version 3 on', () => {
  const inSession = { ...ARGUMENT, session_workflow_id: 'session/s' };
  const closed: Line = ['event', { event: event('WORKFLOW_EXECUTION_COMPLETED', {}, { id: 2 }) }];
  const ended = (v: string) =>
    faultOf(bundle({ v }), turn(), run, started({ input: payloads(inSession) }), closed, turnEnd({ complete: true, why: null }));
  expect(ended(BUNDLE_VERSION)).toMatch(/^5 T8: /);
  expect(ended(VERSION_2)).toBeNull();
});
