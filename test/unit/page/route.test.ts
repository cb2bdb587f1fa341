import fc from 'fast-check';
import { readRoute, writeRoute, type Route } from '../../../packages/page/src/lib/route';
import { publicLink } from '../../../src/shared/wire/links';

const id = fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' }).filter((text) => text.isWellFormed());
const routes: fc.Arbitrary<Route> = fc.oneof(
  fc.constantFrom<Route>({ page: 'inbox' }, { page: 'turns' }, { page: 'sessions' }, { page: 'agents' }, { page: 'budgets' }),
  fc.constantFrom<Route>({ page: 'trail' }, { page: 'schedules' }, { page: 'me' }, { page: 'audit', turn: null }),
  id.map((turn): Route => ({ page: 'turn', turn })),
  id.map((session): Route => ({ page: 'session', session })),
  id.map((agent): Route => ({ page: 'agent', agent })),
  id.map((schedule): Route => ({ page: 'schedule', schedule })),
  id.map((turn): Route => ({ page: 'audit', turn })),
  fc.record({ page: fc.constant('call' as const), turn: id, digest: fc.stringMatching(/^[0-9a-f]{64}$/) }),
);

it('reads every address that it writes', () =>
  fc.assert(fc.property(routes, (route) => expect(readRoute(writeRoute(route))).toEqual(route))));

it('reads the links of notifications', () => {
  const digest = 'a'.repeat(64);
  const link = publicLink('https://desk.example/holdfast', { turn_id: 'call/pay 7', digest });
  expect(readRoute(new URL(link).hash)).toEqual({ page: 'call', turn: 'call/pay 7', digest });
  expect(readRoute(new URL(publicLink('https://desk.example', { turn_id: 'inv-7' })).hash)).toEqual({
    page: 'turn',
    turn: 'inv-7',
  });
});

it('knows no page for anything else, and never throws', () => {
  const junk = ['#/nowhere', '#/turns/', '#/turns/a/calls/xyz', '#/turns/%E0%A4%A', '#/turns/a/calls', '#//', '#/me/too'];
  for (const hash of junk) expect(readRoute(hash)).toEqual({ page: 'unknown', hash });
  fc.assert(fc.property(fc.string(), (hash) => void readRoute(hash)));
});
