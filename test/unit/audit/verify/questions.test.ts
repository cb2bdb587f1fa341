/** The run in which people were asked, and whether an approval answers that question (rule T9). */
import { Questions, type Run } from '../../../../src/audit/verify/questions';
import { DecisionMessages } from '../../../../src/audit/verify/decision-messages';
import { attributesOf } from '../../../../src/audit/verify/values';
import type { JsonObject } from '../../../../src/shared/json/json';
import { event, HandRun, payloads, type Fields } from '../../../support/audit/hand-events';

const DIGEST = 'abcdef'.repeat(11).slice(0, 64);

describe('an event of a run after a reset', () => {
  const isOwn = (questions: Questions, type: string, attributes: JsonObject = {}, seconds = 1) => {
    const one = event(type, attributes, { seconds });
    return questions.isOwn(one, attributesOf(one));
  };
  function reset(...before: [type: string, attributes?: JsonObject, seconds?: number][]) {
    const questions = new Questions(new DecisionMessages());
    questions.begin({ run_id: 'r', began: 'start' });
    for (const one of before) expect(isOwn(questions, ...one)).toBe(true);
    questions.begin({ run_id: 's', began: 'reset' });
    return questions;
  }
  const STARTED = 'WORKFLOW_EXECUTION_STARTED';

  it('is a copy as long as all events before it are copies', () => {
    const questions = reset([STARTED], ['TIMER_FIRED'], ['TIMER_STARTED'], ['TIMER_FIRED']);
    // The first event is changed when it is copied.
    expect(isOwn(questions, STARTED, {}, 9)).toBe(false);
    expect(isOwn(questions, 'TIMER_FIRED')).toBe(false);
    expect(isOwn(questions, 'TIMER_FIRED')).toBe(true);
    expect(isOwn(questions, 'TIMER_FIRED')).toBe(true);
  });

  it('is a copy only if it has the same type, time and payload', () => {
    const started: [string] = [STARTED];
    const at = (seconds: number) => ['TIMER_FIRED', {}, seconds] as [string, JsonObject, number];
    const questions = reset(started, at(1));
    isOwn(questions, STARTED);
    expect(isOwn(questions, ...at(2))).toBe(true);
    const told = (input: JsonObject, type = 'ACTIVITY_TASK_SCHEDULED', field = 'input') => {
      const before = reset(started, [type, { [field]: payloads({ a: 1 }) }]);
      isOwn(before, STARTED);
      return isOwn(before, type, { [field]: input });
    };
    expect([told(payloads({ a: 1 })), told(payloads({ a: 2 })), told({ payloads: [{ redacted: true }] })]).toEqual([
      false,
      true,
      true,
    ]);
    expect(told(payloads({ a: 2 }), 'ACTIVITY_TASK_COMPLETED', 'result')).toBe(true);
    // The payloads of other events may be long, and are not compared.
    expect(told(payloads({ a: 2 }), 'WORKFLOW_EXECUTION_SIGNALED')).toBe(false);
    const nothing = reset(started, ['ACTIVITY_TASK_SCHEDULED', {}]);
    isOwn(nothing, STARTED);
    expect(isOwn(nothing, 'ACTIVITY_TASK_SCHEDULED', { input: { payloads: [{ data: '' }] } })).toBe(false);
  });

  it('may be a copy from any run before; a run that was not reset has no copies', () => {
    const questions = reset([STARTED], ['TIMER_FIRED']);
    isOwn(questions, STARTED);
    expect(isOwn(questions, 'TIMER_STARTED')).toBe(true);
    questions.begin({ run_id: 'u', began: 'reset' });
    isOwn(questions, STARTED);
    expect(isOwn(questions, 'TIMER_STARTED')).toBe(false);
    questions.begin({ run_id: 'v', began: 'continued' });
    expect(isOwn(questions, STARTED)).toBe(true);
  });
});

it('runs are known by their ids and by the run that each continues', () => {
  const questions = new Questions(new DecisionMessages());
  questions.begin({ run_id: 'r', began: 'start' });
  questions.begin({ run_id: 's', began: 'continued' });
  questions.run.before = 'r';
  questions.begin({ run_id: 'u', began: 'continued' });
  questions.run.before = 's';
  expect(questions.run.id).toBe('u');
  expect(questions.of('s')).toMatchObject({ id: 's', before: 'r' });
  expect([questions.of('x'), questions.of(undefined)]).toEqual([undefined, undefined]);
  expect([...questions.lineage(questions.run)]).toEqual(['u', 's', 'r']);
  expect([...questions.lineage(questions.of('r')!)]).toEqual(['r']);
  questions.of('r')!.before = 'u';
  expect([...questions.lineage(questions.run)]).toEqual(['u', 's', 'r']);
  questions.of('r')!.before = 'nowhere';
  expect([...questions.lineage(questions.run)]).toEqual(['u', 's', 'r', 'nowhere']);
});

describe('an approval', () => {
  /** Ana approved at place 5 of the run r; people were asked at place 3. */
  function scene({ asked = 3, run = 'r', own = true }: { asked?: number; run?: string; own?: boolean } = {}) {
    const sayings = new DecisionMessages();
    const questions = new Questions(sayings);
    questions.begin({ run_id: 'q', began: 'start' });
    if (run === 'q') questions.ask(DIGEST, asked);
    questions.begin({ run_id: 'r', began: 'continued' });
    if (run === 'r') questions.ask(DIGEST, asked);
    const told = new HandRun((one) => sayings.read(one, { place: 5, run, own, tasks: 0 }));
    told.signal('approve', { call: DIGEST, by: 'ana' });
    const approved = (more: Fields = {}, until = 9, on: Run = questions.run) => {
      const approval = { decision: 'approve', digest: DIGEST, by: 'ana', run_id: 'r', ...more } as JsonObject;
      const value = { call: { digest: DIGEST }, approvals: [approval] };
      return [questions.isApprovedIn(on, value, until), questions.areAnswers(on, value, until)];
    };
    return { questions, approved };
  }
  const [YES, NO, OTHER_RUN] = [
    [true, true],
    [false, false],
    [false, true],
  ];

  it('answers a question of its run', () => {
    expect(scene().approved()).toEqual(YES);
    expect(scene({ asked: 5 }).approved()).toEqual(NO);
    expect(scene({ asked: 4 }).approved()).toEqual(YES);
    expect(scene().approved({}, 5)).toEqual(NO);
    expect(scene().approved({}, 6)).toEqual(YES);
    expect(scene({ own: false }).approved()).toEqual(NO);
    expect(scene().approved({ by: 'rob' })).toEqual(NO);
  });

  it('of another run answers no question of this one', () => expect(scene().approved({ run_id: 'q' })).toEqual(OTHER_RUN));

  it('may answer a question of the run that this one continues', () => {
    const earlier = scene({ run: 'q' });
    expect(earlier.approved()).toEqual(NO);
    earlier.questions.run.before = 'q';
    expect(earlier.approved()).toEqual(YES);
  });

  it('may answer a question from before the run began; the first question counts', () => {
    const taken = scene({ asked: 7 });
    taken.questions.continueQuestion(DIGEST);
    expect(taken.approved()).toEqual(NO);
    const other = scene({ run: 'q' });
    other.questions.of('r')!.before = 'q';
    other.questions.continueQuestion(DIGEST);
    expect(other.questions.run.questionPlaces.get(DIGEST)).toBe(0);
  });

  it('may be missing, or stand alone', () => {
    const { questions } = scene();
    const call = { digest: DIGEST };
    const judged = (value: JsonObject) => [
      questions.isApprovedIn(questions.run, value, 9),
      questions.areAnswers(questions.run, value, 9),
    ];
    const approval = { decision: 'approve', digest: DIGEST, by: 'rob', run_id: 'r' };
    expect([judged({ call }), judged({ call, approval: null }), judged({ call, approvals: [] })]).toEqual([YES, YES, YES]);
    expect([judged({ call, approval }), judged({ call, approvals: [], approval })]).toEqual([NO, YES]);
    expect(judged({ call: { digest: 'f'.repeat(64) }, approval: { ...approval, by: 'ana' } })).toEqual(NO);
  });
});
