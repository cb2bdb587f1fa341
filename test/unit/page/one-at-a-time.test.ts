/** Reads that a page asks for while one is under way. */
import { oneAtATime } from '../../../packages/page/src/lib/one-at-a-time';

/** Lets all that is ready run. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('one at a time', () => {
  const ends: (() => void)[] = [];
  const run = oneAtATime(() => new Promise((resolve) => ends.push(resolve)));

  it('shares a run among those who ask in the same moment', async () => {
    run();
    run();
    await settle();
    expect(ends).toHaveLength(1);
  });

  it('leaves a run alone, and adds one after it, however often it is asked meanwhile', async () => {
    for (let count = 0; count < 3; count += 1) run();
    await settle();
    expect(ends).toHaveLength(1);
    ends[0]!();
    await settle();
    expect(ends).toHaveLength(2);
    ends[1]!();
    await settle();
    expect(ends).toHaveLength(2);
  });

  it('runs again once it is asked after the last one', async () => {
    run();
    await settle();
    expect(ends).toHaveLength(3);
  });
});
