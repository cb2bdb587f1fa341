/** The trail and the budgets over HTTP: what each principal sees of them. */
import { gatewayApp } from '../../../src/gateway/app';
import { positionOf } from '../../../src/store/core/trail-pages';
import { checkTrailQuery, type TrailEntry, type TrailPage, type TrailQuery } from '../../../src/store/core/trail';
import { gatewayParts, person, type Person } from '../../support/gateway';

const ana = person('acme/ana', 'approver');
const eve = person('globex/eve', 'auditor');
const ned = person('acme2/ned', 'admin');
const olga = person('olga', 'auditor');
const people = [ana, eve, ned, olga];

const entry = (n: number, requester: string): TrailEntry => ({
  ...{ v: 'holdfast.trail/1', at: new Date(1_769_850_000_000 + n * 1000).toISOString(), kind: 'decision', state: 'approved' },
  ...{ turn_id: `t${n}`, workflow_id: `turn/t${n}`, agent: 'payables', requester, call_id: '1.1', revision: 1, tool: 'pay' },
  ...{ version: '1.0.0', class: 'destructive', digest: 'd'.repeat(64), by: 'acme/ana', block: 'b'.repeat(64) },
});

/** A trail in memory that pages as a store does. */
function trailOf(entries: TrailEntry[]) {
  const query = async (asked: TrailQuery): Promise<TrailPage> => {
    const { limit, cursor, fits } = checkTrailQuery(asked);
    const after = entries.filter((one) => (cursor === null || positionOf(one) > cursor) && fits(one));
    const page = after.slice(0, limit);
    const next_cursor = after.length > limit ? positionOf(page.at(-1)!) : null;
    return {
      entries: page.map((one) => ({ ...one, verified: true })),
      damaged: [{ file: '/srv/secret', reason: 'cut' }],
      next_cursor,
    };
  };
  return { derivedKey: () => Buffer.alloc(32), trail: { query } } as never;
}

async function asked(entries: TrailEntry[], ask: (get: (who: Person, query: string) => Promise<any>) => Promise<void>) {
  const app = gatewayApp(gatewayParts({ people, store: trailOf(entries) }));
  const get = async (who: Person, query: string) => {
    const { statusCode: status, body } = await app.inject({ url: `/v1/trail${query}`, headers: who.headers });
    return { ...JSON.parse(body), status };
  };
  await ask(get);
  await app.close();
}

describe('the trail', () => {
  const mixed = Array.from({ length: 60 }, (_, n) => entry(n, ['acme/rita', 'globex/eve', 'acme2/ned'][n % 3]!));

  it('shows each tenant its own entries, page by page, and all of them', async () => {
    await asked(mixed, async (get) => {
      for (const [who, tenant] of [
        [ana, 'acme/'],
        [eve, 'globex/'],
        [ned, 'acme2/'],
      ] as const)
        for (const limit of [1, 3, 7, 20, 100]) {
          const seen: TrailEntry[] = [];
          for (let cursor = ''; ;) {
            const page = await get(who, `?limit=${limit}${cursor}`);
            expect(page).toMatchObject({ status: 200, damaged: 0 });
            expect(page.entries.length).toBeLessThanOrEqual(limit);
            seen.push(...page.entries);
            if (page.next_cursor === null) break;
            cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
          }
          expect(seen.map(({ turn_id }) => turn_id)).toEqual(
            mixed.filter(({ requester }) => requester.startsWith(tenant)).map(({ turn_id }) => turn_id),
          );
        }
      const all = await get(olga, '?limit=1000');
      expect(all.entries).toHaveLength(60);
      expect(all.damaged).toBe(1);
      expect(JSON.stringify(all)).not.toContain('/srv/secret');
    });
  });

  it('does not show a tenant where entries of others are, nor when they were made', async () => {
    // Acme's next entry is behind so many of others that one answer ends among them.
    const far = [entry(0, 'acme/rita'), ...Array.from({ length: 90 }, (_, n) => entry(n + 1, 'globex/eve'))];
    await asked([...far, entry(91, 'acme/rita')], async (get) => {
      for (const query of ['?limit=1', '?limit=2']) {
        const { next_cursor } = await get(ana, query);
        const bytes = Buffer.from(next_cursor, 'base64url').toString('latin1');
        for (const text of [next_cursor, decodeURIComponent(next_cursor), bytes]) expect(text).not.toMatch(/2026-|\.json/);
      }
      const { next_cursor: place } = await get(ana, '?limit=2');
      expect((await get(ana, `?limit=50&cursor=${place}`)).entries).toMatchObject([{ turn_id: 't91' }]);
    });
  });

  it('takes a cursor of the same principal and filter only, unchanged', async () => {
    await asked(mixed, async (get) => {
      const { next_cursor } = await get(ana, '?limit=1');
      const place = positionOf(mixed[3]!);
      const changed = `${next_cursor.slice(0, -4)}${next_cursor.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`;
      expect((await get(ana, `?limit=1&cursor=${next_cursor}`)).status).toBe(200);
      expect((await get(ana, `?limit=7&cursor=${next_cursor}`)).status).toBe(200);
      for (const [who, query] of [
        [eve, `cursor=${next_cursor}`],
        [ana, `state=approved&cursor=${next_cursor}`],
        [ana, `cursor=${changed}`],
        [ana, `cursor=${encodeURIComponent(place)}`],
        [ana, 'cursor='],
      ] as const)
        expect(await get(who, `?limit=1&${query}`)).toMatchObject({ status: 400, error: { reason: 'bad_cursor' } });
    });
  });

  it('filters, and says what is wrong with a filter', async () => {
    await asked(mixed, async (get) => {
      expect((await get(olga, '?turn=t7')).entries).toMatchObject([{ turn_id: 't7' }]);
      expect((await get(ana, '?turn=t7')).entries).toEqual([]); // of another tenant
      expect((await get(olga, '?from=yesterday')).error).toMatchObject({
        reason: 'bad_query',
        message: expect.stringContaining('from'),
      });
      for (const query of ['?state=nothing', '?limit=0', '?limit=1001', '?who=x', '?tool='])
        expect((await get(olga, query)).status).toBe(400);
    });
  });
});

describe('the budgets', () => {
  const view = { cap: '10', window_ms: 1000, used: '3', left: '7', reserved: 0, in_doubt: 0, over: 0 };
  const names = [
    { agent: 'payables', budget: 'daily', per: 'agent', of: '' },
    { agent: 'payables', budget: 'pace', per: 'principal', of: 'acme/rita' },
    { agent: 'payables', budget: 'pace', per: 'principal', of: 'acme2/ned' },
    { agent: 'payables', budget: 'pace', per: 'principal', of: 'globex/eve' },
    { agent: 'payables', budget: 'reach', per: 'session', of: 's1' },
  ];

  it('that count what all tenants do are shown to those without a tenant only', async () => {
    const client = async () =>
      ({
        budgets: async function* ({ isWanted }: { isWanted(name: object): boolean }) {
          for (const name of names) if (isWanted(name)) yield { ...name, workflow_id: 'budget/x', view, unreachable: null };
        },
      }) as never;
    const app = gatewayApp(gatewayParts({ people, client }));
    const seen = async ({ headers }: Person) =>
      (await app.inject({ url: '/v1/budgets', headers })).json().budgets.map(({ of, per }: any) => `${per} ${of}`);
    expect(await seen(ana)).toEqual(['principal acme/rita']);
    expect(await seen(ned)).toEqual(['principal acme2/ned']);
    expect(await seen(eve)).toEqual(['principal globex/eve']);
    expect(await seen(olga)).toHaveLength(5);
    await app.close();
  });
});
