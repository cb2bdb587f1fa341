import { byUrgency, choices, isFiltering, matches, NO_FILTER, type Filterable } from '../../../packages/page/src/lib/filter';

const item = (more: Partial<Filterable['card']>, of: Partial<Filterable> = {}): Filterable => ({
  turn_id: 't1',
  agent: 'payables',
  requester: 'acme/rita',
  ...of,
  card: {
    kind: 'approval',
    tool: 'pay',
    agent: 'payables',
    digest: 'a'.repeat(64),
    will_happen: 'Pay 5 EUR to Acme GmbH.',
    input: { payee: 'Acme GmbH', invoice: 'INV-7' },
    expires_at: '2026-01-31T12:00:00Z',
    asked_at: '2026-01-31T10:00:00Z',
    ...more,
  },
});

it('finds every word wherever it stands', () => {
  for (const text of ['acme', 'ACME gmbh', 'inv-7', 'rita pay', 't1', 'aaaaaa'])
    expect(matches({ ...NO_FILTER, text }, item({}))).toBe(true);
  expect(matches({ ...NO_FILTER, text: 'acme bolt' }, item({}))).toBe(false);
});

it('keeps only the agent, tool and kind that were chosen', () => {
  expect(matches({ ...NO_FILTER, tool: 'pay' }, item({}))).toBe(true);
  expect(matches({ ...NO_FILTER, tool: 'send' }, item({}))).toBe(false);
  expect(matches({ ...NO_FILTER, kind: 'in_doubt' }, item({}))).toBe(false);
  expect(matches({ ...NO_FILTER, agent: 'other' }, item({}))).toBe(false);
  expect([isFiltering(NO_FILTER), isFiltering({ ...NO_FILTER, text: ' ' }), isFiltering({ ...NO_FILTER, tool: 'x' })]).toEqual([
    false,
    false,
    true,
  ]);
});

it('puts first what expires first, then what has waited longest', () => {
  const soon = item({ expires_at: '2026-01-31T11:00:00Z' });
  const old = item({ expires_at: null, asked_at: '2026-01-30T10:00:00Z' });
  const young = item({ expires_at: null });
  expect([young, old, item({}), soon].sort(byUrgency)).toEqual([soon, item({}), old, young]);
});

it('offers the values that occur, with their counts', () => {
  expect(choices([item({ tool: 'b' }), item({ tool: 'a' }), item({ tool: 'b' })], 'tool')).toEqual([
    { value: 'a', count: 1 },
    { value: 'b', count: 2 },
  ]);
});
