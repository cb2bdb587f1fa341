/** The maker of a bundle checks its lines as a verifier would. */
import { Contradictions } from '../../../../src/audit/verify/contradictions';
import type { CheckedLine } from '../../../../src/audit/verify/content-checks';
import { event, payloads } from '../../../support/audit/hand-events';
import { START } from '../../../support/audit/hand-lines';
import { block, bundle, end, part, run, started, turn, turnEnd, type Line } from '../../../support/audit/meant-lines';

it('the maker of a bundle checks its lines in the same way, and looks up the same objects and blocks', () => {
  const contradictions = (...lines: Line[]) => {
    const asked = new Contradictions();
    for (const [n, [kind, body]] of lines.entries()) asked.take({ n, kind, body } as CheckedLine);
    return asked.first;
  };
  const own = (policy_ref: string) => [
    part('p', { ...START, card_ref: 'c', policy_ref }),
    block('start', 'start', ['p']),
    block('e', 'end', [], 'start'),
  ];
  const closed: Line = ['event', { event: event('WORKFLOW_EXECUTION_COMPLETED', {}, { id: 2 }) }];
  const scene = (there: Line[], policy_ref = 'o') =>
    contradictions(
      bundle(),
      ['object', { ref: 'o', value: {} }],
      turn(),
      run,
      started(),
      closed,
      ...there,
      ...own(policy_ref),
      turnEnd({ complete: true, why: null }),
    );
  expect(contradictions(bundle(), turn(), run, started())).toBeNull();
  expect(contradictions(bundle(), turn(), run, started({}, 7))).toEqual({ line: 3, rule: 'H1' });
  expect(scene([part('c', {})])).toBeNull();
  expect(scene([])).toEqual({ line: 9, rule: 'T4' });
  expect(scene([part('c', {})], 'c')).toEqual({ line: 10, rule: 'T4' });
  const below = { turn_id: 'b', workflow_id: 'turn/b', first_execution_run_id: 'br' };
  const answers = (head: string) => {
    const parts = [
      part('p', START),
      block('start', 'start', ['p']),
      part('q', { role: 'user', sub_turns: [{ ...below, head }] }),
    ];
    const last = [block('m', 'message', ['q'], 'start'), turnEnd(), turn({ ...below }), turnEnd({ turn_id: 'b' }), end()];
    return contradictions(bundle(), turn(), ...parts, ...last);
  };
  const lost = { line: 9, rule: 'T6' };
  expect([answers('start'), answers('other'), answers('p')]).toEqual([null, lost, lost]);
  const names = payloads({ ok: true, digest: 'd', preview_ref: 'q' });
  const asked: Line[] = [
    [
      'event',
      { event: event('ACTIVITY_TASK_SCHEDULED', { activityType: { name: 'admitCall' }, input: payloads({}) }, { id: 2 }) },
    ],
    ['event', { event: event('ACTIVITY_TASK_COMPLETED', { scheduledEventId: '2', result: names }, { id: 3 }) }],
  ];
  const running = (...own: Line[]) => contradictions(bundle(), turn(), run, started(), ...asked, ...own, turnEnd());
  expect([running(part('q', {})), running()]).toEqual([null, { line: 6, rule: 'D7' }]);
});
