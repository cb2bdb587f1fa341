/** The inbox over HTTP: the list of rows, its pages, and the stream of changes, with a real worker. */
import type { AddressInfo } from 'node:net';
import { ana, boss, eve, gatewayScene, invoice, olga, rita, ron, type Scene } from '../support/gateway-scene';
import { eventually } from '../support/engine';
import type { Person } from '../../support/gateway';
import { ask, say } from '../../support/scripted-model';

const start = { agent: 'tester', message: 'Pay it.' };
const pay: Parameters<typeof ask>[0] = ['pay', invoice];

interface Told {
  event: string;
  id: string | null;
  data: any;
}

/** Reads a stream over a socket, as a browser does. */
async function open(app: Scene['app'], who: Person | null, path = '/v1/pending/events', headers: Record<string, string> = {}) {
  if (app.server.address() === null) await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const closing = new AbortController();
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { ...who?.headers, ...headers },
    signal: closing.signal,
  });
  const told: Told[] = [];
  const reading = (async () => {
    let text = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const fields = new Map(text.slice(0, end).split('\n').map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)])); // oxfmt-ignore
        text = text.slice(end + 2);
        if (fields.has('event'))
          told.push({ event: fields.get('event')!, id: fields.get('id') ?? null, data: JSON.parse(fields.get('data')!) });
      }
    }
  })().catch(() => undefined);
  return {
    status: response.status,
    told,
    /** The first such event of the turn, or the first whose row is as given. */
    until: (event: string, turn: string, fits: (row: any) => boolean = () => true) =>
      eventually(`${event} of ${turn}`, async () =>
        told.find((one) => one.event === event && one.data.turn_id === turn && fits(one.data)),
      ),
    close: async () => {
      closing.abort();
      await reading;
    },
    ended: reading,
  };
}

it('a waiting call is told to whoever may see it, and its end at once when somebody decides', () =>
  gatewayScene({ script: [ask(pay), say('done')] }, async ({ send, app, client }) => {
    const [mine, foreign] = [await open(app, ana), await open(app, eve)];
    expect(mine.told.length === 0 || mine.told[0]!.data.snapshot).toBe(true);
    const { turn_id } = (await send(rita, 'POST', '/v1/turns', start)).body;
    await mine.until('waiting_added', turn_id);
    const { data } = await eventually('its row, as a worker has told it', async () =>
      mine.told.findLast((one) => one.data.turn_id === turn_id && one.data.unreachable === null),
    );
    expect(data).toMatchObject({ requester: 'acme/rita', tools: ['pay'] });
    const [{ digest, card }] = data.calls;
    expect(card).toMatchObject({ tool: 'pay', input: invoice, words: [{ by: 'acme/rita', text: 'Pay it.' }] });
    expect(card).not.toHaveProperty('markdown');
    const row = (await send(ana, 'GET', '/v1/pending?compact=true')).body.turns.find((one: any) => one.turn_id === turn_id);
    expect(row).toEqual(data);

    await send(ana, 'POST', `/v1/turns/${turn_id}/decisions`, { decision: 'approve', call: digest });
    await mine.until('waiting_removed', turn_id);
    await client.turn(turn_id).result();
    expect(JSON.stringify(foreign.told)).not.toContain(turn_id);
    await Promise.all([mine.close(), foreign.close()]);
  }));

it('who has decided so far is in the row, also if the decision did not come through this gateway', () =>
  gatewayScene(
    { script: [ask(pay), say('done')], settings: {}, agent: { approvals: { quorum: 2 } } },
    async ({ send, app, client }) => {
      const { turn_id } = (await send(rita, 'POST', '/v1/turns', start)).body;
      const turn = client.turn(turn_id);
      const [{ digest }] = await turn.waitForPending();
      const stream = await open(app, ana);
      await stream.until('waiting_added', turn_id);
      await turn.approve(digest, { by: 'bob' });
      const changed = await stream.until('waiting_changed', turn_id, ({ calls }) => calls[0]?.approval.by.length === 1);
      expect(changed.data.calls[0].approval).toMatchObject({
        quorum: 2,
        by: ['bob'],
        decisions: [{ by: 'bob', decision: 'approve' }],
      });

      // A reader who comes back learns only what changed since.
      await stream.close();
      const again = await open(app, ana, '/v1/pending/events', { 'last-event-id': changed.id! });
      await turn.deny(digest, { by: 'carl' });
      await again.until('waiting_removed', turn_id);
      expect(again.told.filter(({ data }) => data.snapshot)).toEqual([]);
      await again.close();
      await turn.result();
    },
  ));

it('a ticket opens the stream, and roles and tenants hold for it as for the list', () =>
  gatewayScene({ script: [ask(pay), say('done')] }, async ({ send, app, client }) => {
    const { turn_id } = (await send(rita, 'POST', '/v1/turns', start)).body;
    const turn = client.turn(turn_id);
    await turn.waitForPending();
    const address = '/v1/pending/events';
    const { ticket } = (await send(ana, 'POST', '/v1/tickets', { address })).body;
    const stream = await open(app, null, `${address}?stream_ticket=${ticket}`);
    await stream.until('waiting_added', turn_id);
    await stream.close();
    const status = async (who: Person | null, url = address) =>
      (await app.inject({ url, headers: { ...who?.headers } })).statusCode;
    expect(await status(null)).toBe(401);
    const starters = (await send(rita, 'POST', '/v1/tickets', { address })).body.ticket;
    expect(await status(null, `${address}?stream_ticket=${starters}`)).toBe(403);
    for (const who of [rita, ron]) expect(await status(who)).toBe(403);
    for (const who of [boss, olga]) {
      const seen = await open(app, who);
      await seen.until('waiting_added', turn_id);
      await seen.close();
    }
    await turn.cancel();
    await turn.result();
  }));

it('the list comes in pages, newest first, and a made-up cursor shows nothing more', () =>
  gatewayScene({ script: [ask(pay), ask(pay), ask(pay)] }, async ({ send, client }) => {
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) {
      ids.push((await send(rita, 'POST', '/v1/turns', start)).body.turn_id);
      await client.turn(ids.at(-1)!).waitForPending();
    }
    const page = async (query: string, who = ana) => (await send(who, 'GET', `/v1/pending?${query}`)).body;
    await eventually('all are listed', async () => {
      const { turns } = await page('');
      return ids.every((id) => turns.some((turn: any) => turn.turn_id === id && turn.unreachable === null));
    });
    const seen: string[] = [];
    for (let cursor = ''; ;) {
      const { turns, next_cursor } = await page(`compact=true&limit=1${cursor}`);
      seen.push(...turns.map((turn: any) => turn.turn_id));
      if (next_cursor === null) break;
      cursor = `&cursor=${next_cursor}`;
    }
    expect(seen.filter((id) => ids.includes(id))).toEqual([...ids].reverse());
    const foreign = Buffer.from(JSON.stringify({ started_at: '9999', turn_id: '' })).toString('base64url');
    expect(
      (await page(`cursor=${foreign}`, eve)).turns
        .map((turn: any) => turn.requester)
        .filter((name: string) => name.startsWith('acme/')),
    ).toEqual([]);
    expect((await send(ana, 'GET', '/v1/pending?cursor=x')).body.error.reason).toBe('bad_cursor');
    for (const id of ids) {
      await client.turn(id).cancel();
      await client.turn(id).result();
    }
  }));

it('a stream ends when the gateway closes, and a principal has as many as others', () =>
  gatewayScene(
    {},
    async ({ app }) => {
      const streams = await Promise.all([open(app, ana), open(app, ana)]);
      const { statusCode } = await app.inject({ url: '/v1/pending/events', headers: ana.headers });
      expect(statusCode).toBe(429);
      await streams[0]!.close();
      const third = await eventually('there is room again', async () => {
        const stream = await open(app, ana);
        return stream.status === 200 && stream;
      });
      await Promise.all([streams[1]!.close(), third.close()]);
    },
    { streams: { perPrincipal: 2 } },
  ));
