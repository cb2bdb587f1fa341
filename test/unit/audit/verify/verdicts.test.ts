/** Whether people had to approve, by the verdicts of admission (rule D5). */
import { Verdicts } from '../../../../src/audit/verify/verdicts';

const of = (...said: [verdict: string, edited?: boolean][]) => {
  const verdicts = new Verdicts();
  verdicts.add('1.2', 'allow', false); // another call says nothing
  for (const [verdict, edited = false] of said) verdicts.add('1.1', verdict, edited);
  const may = (state: string, asked: boolean) =>
    [true, false].filter((required) => verdicts.require({ id: '1.1', state }, required, asked));
  return (state = 'succeeded', asked = false) => may(state, asked).join();
};

it('people had to approve if the last verdict is ask, or if they were asked', () => {
  expect(of(['ask'])()).toBe('true');
  expect([of(['allow'])(), of(['classify'])(), of(['rejected'])()]).toEqual(['false', 'false', 'false']);
  expect([of(['allow'], ['ask'])(), of(['ask'], ['allow'])()]).toEqual(['true', 'false']);
  expect([of(['allow'])('succeeded', true), of(['ask'])('succeeded', true)]).toEqual(['true', 'true']);
});

it('any verdict fits if a person edited the call, or if the call was not looked at any more', () => {
  expect([of(['ask'], ['allow', true])(), of(['allow'], ['allow', true])()]).toEqual(['true,false', 'false']);
  expect(of(['allow'], ['ask', true], ['allow'])()).toBe('true,false');
  for (const state of ['cancelled', 'proposed', 'superseded']) {
    expect(of(['ask'], ['allow'])(state)).toBe('true,false');
    expect(of(['ask'])(state)).toBe('true');
  }
});

it('nothing is known of a call that no step has; nothing is checked if the result does not say it', () => {
  expect(of()()).toBe('true,false');
  const verdicts = new Verdicts();
  verdicts.add('1.1', 'ask', false);
  expect(verdicts.require({ id: '1.1', state: 'succeeded' }, undefined, false)).toBe(true);
});
