import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { EncryptionCodec } from '../../../src/encryption/payload-codec';
import { ENCRYPTED_ENCODING } from '../../../src/shared/wire/payload';
import { ringOf, ringService } from '../../support/encryption/ring';
import { append } from '../../../src/store/core/transcript';
import { person, type Person } from '../../support/gateway';
import { BrowserAtDesk, openDesk, type Desk } from '../../support/sign-in';

const UI = 'https://ui.bank.example';
const CANARY = 'canary-4711';
const people = {
  ana: person('ana', 'approver'),
  rita: person('acme/rita', 'starter'),
  olga: person('acme/olga', 'auditor'),
  eve: person('globex/eve', 'approver'),
};
/** Whose the workflows are. */
const requesters: Record<string, string> = { 'turn/acme': 'acme/rita', 'turn/globex': 'globex/zoe' };

/** Workflows that Temporal was asked about. */
const described: string[] = [];

let desk: Desk;
let codec: EncryptionCodec;
beforeAll(async () => {
  const { keys } = await ringService(ringOf('one'));
  codec = new EncryptionCodec(keys, 'default');
  const describe = (id: string) => async () => {
    described.push(id);
    return { searchAttributes: { HoldfastRequester: [requesters[id]] } };
  };
  const client = async () => ({ temporal: { workflow: { getHandle: (id: string) => ({ describe: describe(id) }) } } }) as never;
  desk = await openDesk({
    people: Object.values(people),
    client,
    codec: { codecKeys: keys, namespace: 'default', uiUrl: () => `${UI}/` },
  });
});
afterAll(() => desk.close());

const base64 = ({ metadata, data }: Payload) => ({
  metadata: Object.fromEntries(Object.entries(metadata!).map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')])),
  data: Buffer.from(data!).toString('base64'),
});
const sealed = async (workflowId: string | null) => {
  const context = workflowId === null ? undefined : { type: 'workflow' as const, namespace: 'default', workflowId };
  return base64((await codec.encode([defaultPayloadConverter.toPayload(CANARY)!], context))[0]!);
};
const plain = base64(defaultPayloadConverter.toPayload(CANARY)!);
const post = async (headers: Record<string, string>, payloads: unknown[], path = '/codec/decode') =>
  desk.app.inject({ method: 'POST', url: path, headers: { 'x-namespace': 'default', ...headers }, payload: { payloads } });

it('decodes what approvers, auditors and admins may see; everything else comes back unchanged', async () => {
  const payloads = [await sealed('turn/acme'), await sealed('turn/globex'), await sealed(null), plain];
  const readable = async (headers: Record<string, string>) => {
    const { statusCode, body } = await post(headers, payloads);
    expect(statusCode).toBe(200);
    const answer = (JSON.parse(body) as { payloads: unknown[] }).payloads;
    return answer.map((one, index) => {
      expect([JSON.stringify(plain), JSON.stringify(payloads[index])]).toContain(JSON.stringify(one));
      return JSON.stringify(one) === JSON.stringify(plain);
    });
  };
  expect(await readable(people.ana.headers)).toEqual([true, true, true, true]);
  expect(await readable(people.olga.headers)).toEqual([true, false, false, true]);
  expect(await readable(people.eve.headers)).toEqual([false, true, false, true]);
  expect(await readable(people.rita.headers)).toEqual([false, false, false, true]);
  expect(await readable({ ...people.ana.headers, 'x-namespace': 'other' })).toEqual([false, false, false, true]);
  expect(await readable({ ...people.ana.headers, 'x-namespace': '' })).toEqual([true, true, true, true]); // Temporal's CLI
  expect((await post({}, payloads)).statusCode).toBe(401);
  expect((await post(people.ana.headers, [{ ...payloads[0]!, data: 'AAAA' }])).body).toContain('"data":"AAAA"');
});

it('asks Temporal once about each workflow, however many payloads it has', async () => {
  requesters['turn/long'] = 'acme/rita';
  const one = await sealed('turn/long');
  const { body } = await post(
    people.olga.headers,
    Array.from({ length: 500 }, () => one),
  );
  expect((JSON.parse(body) as { payloads: unknown[] }).payloads).toEqual(Array.from({ length: 500 }, () => plain));
  expect(described.filter((id) => id === 'turn/long')).toHaveLength(1);
});

describe('a turn that Temporal has forgotten, and whose id somebody else uses again', () => {
  const before = (turn_id: string, requester: string) => {
    const subject = { turn_id, workflow_id: `turn/${turn_id}`, agent: 'payables', requester };
    const call = { call_id: '1.1', revision: 1, tool: 'pay', version: '1.0.0', class: 'destructive' };
    const bodies = [{ digest: 'd'.repeat(64), subject: { ...subject, ...call } }];
    return append(desk.store, requester, { parent: null, kind: 'dispatch', at: '2026-01-31T10:00:00.000Z', bodies });
  };
  const opens = async (who: Person, workflowId: string) => {
    const { payloads } = (await post(who.headers, [await sealed(workflowId)])).json() as { payloads: unknown[] };
    return JSON.stringify(payloads[0]) === JSON.stringify(plain);
  };

  it('is decoded for neither of them, and for those who see both', async () => {
    requesters['turn/used-again'] = 'globex/eve';
    await before('used-again', 'acme/rita');
    expect(await opens(people.eve, 'turn/used-again')).toBe(false);
    expect(await opens(people.olga, 'turn/used-again')).toBe(false);
    expect(await opens(people.ana, 'turn/used-again')).toBe(true);
  });

  it('is not theirs by entries of their own, whatever time these say', async () => {
    requesters['turn/older'] = 'globex/eve';
    await before('older', 'globex/eve');
    await before('older', 'acme/rita');
    expect(await opens(people.eve, 'turn/older')).toBe(false);
  });

  it('is looked up in the store once, however many payloads it has', async () => {
    requesters['turn/both'] = 'acme/rita';
    await before('both', 'acme/rita');
    const query = jest.spyOn(desk.store.trail, 'query');
    const one = await sealed('turn/both');
    const { payloads } = (await post(people.olga.headers, Array(500).fill(one))).json() as { payloads: unknown[] };
    expect(payloads).toEqual(Array(500).fill(plain));
    expect(query).toHaveBeenCalledTimes(1);
    query.mockRestore();
  });
});

it('gives at most 64 MB at once: what is beyond stays encrypted', async () => {
  const zeros = '0'.repeat(10_000_000);
  const large = base64((await codec.encode([defaultPayloadConverter.toPayload(zeros)!]))[0]!);
  expect(large.data.length).toBeLessThan(50_000);
  const { payloads } = (await post(people.ana.headers, Array(40).fill(large))).json() as { payloads: { data: string }[] };
  const isOpen = payloads.map(({ data }) => data.length > zeros.length);
  expect(isOpen).toEqual(Array.from({ length: 40 }, (_, index) => index < 4));
  expect(payloads.at(-1)).toEqual(large);
});

it('counts metadata too, and encrypts none that is large', async () => {
  const zeros = Buffer.alloc(10_000_000);
  const names = Array.from({ length: 50 }, (_, index) => `${index}`);
  const long = Object.fromEntries(names.map((name) => [name.padEnd(100_000, '\u0000'), Buffer.from('x')]));
  for (const metadata of [{ zeros }, long]) {
    const large = base64((await codec.encode([{ metadata, data: Buffer.from('x') }]))[0]!);
    expect(JSON.stringify(large).length).toBeLessThan(100_000);
    const { body } = await post(people.ana.headers, Array(6).fill(large));
    expect(body.length).toBeLessThan(66_000_000);
    const { payloads } = JSON.parse(body) as { payloads: unknown[] };
    expect(JSON.stringify(payloads[0]).length).toBeGreaterThan(10_000_000);
    expect(payloads.at(-1)).toEqual(large);
  }
  const more = base64({ metadata: { zeros: zeros.subarray(0, 100_000) }, data: Buffer.from('x') });
  const refused = await post(people.rita.headers, [plain, more], '/codec/encode');
  expect({ status: refused.statusCode, reason: refused.json().error.reason }).toEqual({ status: 400, reason: 'bad_request' });
});

it('encodes for the namespace, and leaves what is encrypted', async () => {
  const already = await sealed('turn/acme');
  const { payloads } = (await post(people.ana.headers, [plain, already], '/codec/encode')).json();
  expect(payloads[1]).toEqual(already);
  expect(Buffer.from(payloads[0].metadata.encoding, 'base64').toString()).toBe(ENCRYPTED_ENCODING);
  const back = (await post(people.ana.headers, payloads)).json();
  expect(back.payloads).toEqual([plain, plain]);
});

it('pages of the Web UI may ask, also with the cookie of a sign-in; pages of other sites may not', async () => {
  const browser = new BrowserAtDesk(desk.app);
  await browser.signIn(people.ana);
  const ask = async (origin: string, site: string) =>
    browser.send(
      'POST',
      '/codec/decode',
      { payloads: [await sealed('turn/acme')] },
      { origin, 'sec-fetch-site': site, 'x-holdfast-csrf': '' },
    );
  const answer = await ask(UI, 'same-site');
  expect(answer.json()).toEqual({ payloads: [plain] });
  expect(answer.headers).toMatchObject({
    'access-control-allow-origin': UI,
    'access-control-allow-credentials': 'true',
    'cache-control': 'no-store',
  });
  for (const origin of ['https://evil.example', 'https://ui.bank.example.evil.example', 'http://ui.bank.example', 'null']) {
    const refused = await ask(origin, 'cross-site');
    expect({ origin, status: refused.statusCode, cors: refused.headers['access-control-allow-origin'] }).toEqual({
      origin,
      status: 403,
    });
  }
  const nobody = await post({ origin: UI }, []);
  expect({ status: nobody.statusCode, cors: nobody.headers['access-control-allow-origin'] }).toEqual({ status: 401, cors: UI });
  // The Web UI's pages may ask nothing else.
  expect((await browser.send('POST', '/v1/sign-out', {}, { origin: UI })).statusCode).toBe(403);
  const preflight = await desk.app.inject({
    method: 'OPTIONS',
    url: '/codec/decode',
    headers: {
      origin: UI,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type,x-namespace',
    },
  });
  expect(preflight.statusCode).toBe(204);
  expect(preflight.headers['access-control-allow-headers']).toContain('x-namespace');
});
