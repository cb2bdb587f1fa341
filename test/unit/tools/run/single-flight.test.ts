import { SingleFlight } from '../../../../src/tools/run/cache';

/** Work that ends when the test says so. */
function held<T>() {
  let end!: (value: T) => void;
  let fail!: (error: Error) => void;
  const promise = new Promise<T>((resolve, reject) => ((end = resolve), (fail = reject)));
  return { promise, end, fail };
}

describe('identical work that is asked for at once', () => {
  it('runs once, and all get its outcome', async () => {
    const flights = new SingleFlight<string>();
    const work = held<string>();
    let runs = 0;
    const all = [1, 2, 3].map(() => flights.run('k', () => (runs++, work.promise)));
    work.end('done');
    expect(await Promise.all(all)).toEqual([
      { value: 'done', isShared: false },
      { value: 'done', isShared: true },
      { value: 'done', isShared: true },
    ]);
    expect(runs).toBe(1);
  });

  it('runs again for a request after its end, and at once for another key', async () => {
    const flights = new SingleFlight<number>();
    let runs = 0;
    const run = (key: string) => flights.run(key, async () => ++runs);
    expect((await Promise.all([run('a'), run('b')])).map(({ isShared }) => isShared)).toEqual([false, false]);
    expect(await run('a')).toEqual({ value: 3, isShared: false });
  });

  it('continues if one of those who wait for it is cancelled', async () => {
    const flights = new SingleFlight<string>();
    const work = held<string>();
    const cancel = new AbortController();
    const leader = flights.run('k', () => work.promise);
    const follower = flights.run('k', () => Promise.reject(new Error('never')), cancel.signal);
    cancel.abort(new Error('cancelled'));
    await expect(follower).rejects.toThrow('cancelled');
    work.end('done');
    expect(await leader).toEqual({ value: 'done', isShared: false });
  });

  it('is taken over if the first caller is cancelled, once for all the others', async () => {
    const flights = new SingleFlight<string>();
    const first = held<string>();
    const leader = flights.run('k', () => first.promise);
    let runs = 0;
    const others = [1, 2].map(() => flights.run('k', async () => `run ${++runs}`));
    first.fail(new Error('cancelled'));
    await expect(leader).rejects.toThrow('cancelled');
    expect((await Promise.all(others)).map(({ value }) => value)).toEqual(['run 1', 'run 1']);
  });
});
