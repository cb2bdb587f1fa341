import { modelWaitText, readModelWait } from '../../../src/shared/turn/turn-states';

it('says in words what a turn waits for, and how many are before it', () => {
  expect(modelWaitText({ model: 'opus', why: 'requests', before: 12 })).toBe(
    'waits for a free request of model opus, 12 before it',
  );
  expect(modelWaitText({ model: 'opus', why: 'vendor', before: 0 })).toBe(
    'waits for the vendor of model opus, which has asked for a pause',
  );
});

it('reads what a worker reported, and nothing else', () => {
  const wait = { model: 'opus', why: 'tokens', before: 0 };
  expect(readModelWait({ ...wait, more: 1 })).toEqual(wait);
  for (const other of [null, undefined, 'x', [], { ...wait, why: 'other' }, { ...wait, before: 1.5 }, { ...wait, model: 1 }])
    expect(readModelWait(other)).toBeNull();
});
