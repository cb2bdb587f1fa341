/** Whether people had to approve, as verdicts of admission say it (rule D5). */
import { Verdicts } from '../../../../src/audit/verify/verdicts';

const of = (...said: [verdict: string, edited?: boolean][]) => {
  const verdicts = new Verdicts();
  verdicts.add('1.2', 'allow', false); // another call says nothing
  for (const [verdict, edited = false] of said) verdicts.add('1.1', verdict, edited);
  const may = (state: string, asked: boolean) =>
    [true, false].filter((required) => verdicts.require({ id: '1.1', state }, required, asked));
  return (state = 'succeeded', asked = false) => may(state, asked).join();
};

it('is so where the last verdict is to ask, or people were asked', () => {
  expect(of(['ask'])()).toBe('true');
  expect([of(['allow'])(), of(['classify'])(), of(['rejected'])()]).toEqual(['false', 'false', 'false']);
  expect([of(['allow'], ['ask'])(), of(['ask'], ['allow'])()]).toEqual(['true', 'false']);
  expect([of(['allow'])('succeeded', true), of(['ask'])('succeeded', true)]).toEqual(['true', 'true']);
});

it('may be by any verdict, where a person has wanted another input or the call was not looked at any more', () => {
  expect([of(['ask'], ['allow', true])(), of(['allow'], ['allow', true])()]).toEqual(['true,false', 'false']);
  expect(of(['allow'], ['ask', true], ['allow'])()).toBe('true,false');
  for (const state of ['cancelled', 'proposed', 'superseded']) {
    expect(of(['ask'], ['allow'])(state)).toBe('true,false');
    expect(of(['ask'])(state)).toBe('true');
  }
});

it('is not known of a call that no step has, and is not asked where the result does not say it', () => {
  expect(of()()).toBe('true,false');
  const verdicts = new Verdicts();
  verdicts.add('1.1', 'ask', false);
  expect(verdicts.require({ id: '1.1', state: 'succeeded' }, undefined, false)).toBe(true);
});
