/** Who goes next if there are more tasks than threads. */
import { FairScheduler } from '../../../../src/tools/isolation/fair-scheduler';

/** Lets everything that can go on now go on. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Says who got a place, in order. */
function entering(turns: FairScheduler) {
  const began: string[] = [];
  const enter = (owner: string, name: string, signal?: AbortSignal) =>
    turns.enter(owner, signal).then(
      () => began.push(name),
      () => began.push(`not ${name}`),
    );
  return { began, enter };
}

it('leaves one place to others, for any number of requests of one owner', async () => {
  const turns = new FairScheduler(3);
  const { began, enter } = entering(turns);
  for (const name of ['a1', 'a2', 'a3']) void enter('ana', name);
  void enter('ben', 'b1');
  await settled();
  expect(began).toEqual(['a1', 'a2', 'b1']);
});

it('lets owners take turns: an owner with many requests waits behind his own', async () => {
  const turns = new FairScheduler(2);
  const { began, enter } = entering(turns);
  for (const name of ['a1', 'a2', 'a3']) void enter('ana', name);
  for (const name of ['b1', 'b2']) void enter('ben', name);
  await settled();
  expect(began).toEqual(['a1', 'b1']);
  for (const owner of ['ana', 'ben', 'ana']) {
    turns.leave(owner);
    await settled();
  }
  expect(began).toEqual(['a1', 'b1', 'a2', 'b2', 'a3']);
});

it('leaves one place to other tenants, and one of a tenant’s places to its other principals', async () => {
  const turns = new FairScheduler(4);
  const { began, enter } = entering(turns);
  for (const name of ['a1', 'a2', 'a3']) void enter('acme/ana', name);
  for (const name of ['b1', 'b2']) void enter('acme/ben', name);
  void enter('globex/eve', 'e1');
  await settled();
  expect(began).toEqual(['a1', 'a2', 'b1', 'e1']);
  turns.leave('globex/eve');
  await settled();
  expect(began).toHaveLength(4);
  turns.leave('acme/ben');
  await settled();
  expect(began.at(-1)).toBe('b2');
});

it('lets tenants take turns, and in each its principals', async () => {
  const turns = new FairScheduler(2);
  const { began, enter } = entering(turns);
  for (const name of ['a1', 'a2', 'a3']) void enter('acme/ana', name);
  void enter('acme/ben', 'b1');
  for (const name of ['e1', 'e2', 'e3']) void enter('globex/eve', name);
  await settled();
  for (const owner of ['acme/ana', 'globex/eve', 'acme/ana', 'globex/eve', 'acme/ben']) {
    turns.leave(owner);
    await settled();
  }
  expect(began).toEqual(['a1', 'e1', 'a2', 'e2', 'b1', 'e3', 'a3']);
});

it('gives the only place there is to one owner', async () => {
  const turns = new FairScheduler(1);
  const { began, enter } = entering(turns);
  void enter('ana', 'a1');
  void enter('ana', 'a2');
  await settled();
  turns.leave('ana');
  await settled();
  expect(began).toEqual(['a1', 'a2']);
});

it('forgets an owner who has given up waiting, and nobody waits behind him', async () => {
  const turns = new FairScheduler(1);
  const { began, enter } = entering(turns);
  const gives = new AbortController();
  void enter('ana', 'a1');
  void enter('ben', 'b1', gives.signal);
  void enter('cleo', 'c1');
  gives.abort();
  await settled();
  expect(began).toEqual(['a1', 'not b1']);
  turns.leave('ana');
  await settled();
  expect(began).toEqual(['a1', 'not b1', 'c1']);
  await enter('ben', 'late', gives.signal);
  expect(began.at(-1)).toBe('not late');
});
