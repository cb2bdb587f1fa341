/** The witness's log file: what is on disk before an answer, which files are refused, and what its server answers. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareHeads } from '../../../src/witness/client';
import { LogBroken, LogMismatch, WitnessLog } from '../../../src/witness/log';
import { isConsistent } from '../../../src/witness/merkle';
import { witnessFault, type TrailerHashes } from '../../../src/witness/receipt';
import { serveWitness, witnessApp } from '../../../src/witness/server';
import { readHead } from '../../../src/witness/tree-head';
import { sha256Hex } from '../../../src/shared/json/sha256';
import { STRANGER_KEY } from '../../support/bundle-keys';
import { WITNESS_KEY } from '../../support/audit/receipts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-witness-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let logs = 0;
const newPath = () => join(folder, `${logs++}.jsonl`);
const about = (n: number): TrailerHashes => ({
  root: sha256Hex(`root ${n}`),
  end: sha256Hex(`end ${n}`),
  previous: n === 0 ? null : sha256Hex(`root ${n - 1}`),
});
const open = (path: string, now?: () => number) => WitnessLog.open(path, WITNESS_KEY, now);

/** A log with `count` entries, one after another, and closed. */
async function filled(path: string, count: number): Promise<string[]> {
  const log = await open(path);
  for (let n = 0; n < count; n++) await log.add(about(n));
  await log.close();
  return readFileSync(path, 'utf8').trimEnd().split('\n');
}

describe('an entry', () => {
  test('has a receipt that holds, and is on disk with its head', async () => {
    const path = newPath();
    const log = await open(path);
    const receipts = await Promise.all([0, 1, 2, 3, 4].map((n) => log.add(about(n))));
    for (const [n, receipt] of receipts.entries()) expect(witnessFault(receipt, about(n))).toBeNull();
    expect(witnessFault(receipts[0]!, about(1))).not.toBeNull();
    const last = readFileSync(path, 'utf8').trimEnd().split('\n').at(-1)!;
    expect(JSON.parse(last)).toEqual({ head: log.head });
    await log.close();
    const again = await open(path);
    expect(again.head).toEqual(log.head);
    expect(witnessFault(again.find(about(3).end)!, about(3))).toBeNull();
    expect(again.find(about(9).end)).toBeNull();
    await again.close();
  });

  test('is there once, with its first time', async () => {
    let now = Date.parse('2027-01-01T00:00:00Z');
    const log = await open(newPath(), () => now);
    const first = await log.add(about(0));
    now += 3_600_000;
    await log.add(about(1));
    const second = await log.add(about(0));
    expect(second).toMatchObject({ at: first.at, index: 0, head: { size: 2, at: '2027-01-01T01:00:00.000Z' } });
    expect(witnessFault(second, about(0))).toBeNull();
    await log.close();
  });

  test('has no earlier time than the one before, if the clock was set back', async () => {
    let now = Date.parse('2027-01-01T00:00:00Z');
    const log = await open(newPath(), () => now);
    const { at } = await log.add(about(0));
    now -= 3_600_000;
    expect((await log.add(about(1))).at).toBe(at);
    expect(log.freshHead().at).toBe(at);
    await log.close();
  });
});

describe('a log file that was changed is refused', () => {
  const changes: [name: string, change: (lines: string[]) => string[]][] = [
    ['an entry changed', (lines) => lines.with(1, lines[1]!.replace(about(0).root, sha256Hex('other')))],
    ['an entry with another time', (lines) => lines.with(1, lines[1]!.replace(/"at":"\d{4}/, '"at":"2020'))],
    ['an entry left out', (lines) => lines.toSpliced(3, 1)],
    ['an entry doubled', (lines) => lines.toSpliced(1, 0, lines[1]!)],
    ['an entry put in', (lines) => lines.toSpliced(1, 0, lines[1]!.replace(about(0).end, sha256Hex('other')))],
    ['entries swapped', (lines) => lines.with(1, lines[3]!).with(3, lines[1]!)],
    ['a head left out, and its entry', (lines) => lines.toSpliced(1, 2)],
    ['a head moved', (lines) => [...lines, lines[2]!]],
    ['a head changed', (lines) => lines.with(-1, lines.at(-1)!.replace('"size":4', '"size":5'))],
    ['a line that cannot be read', (lines) => lines.with(1, 'x')],
    ['a line in another spelling', (lines) => lines.with(1, lines[1]!.replace('{', '{ '))],
  ];
  test.each(changes)('%s', async (_name, change) => {
    const path = newPath();
    const lines = await filled(path, 4);
    writeFileSync(path, `${change(lines).join('\n')}\n`);
    await expect(open(path)).rejects.toThrow(LogMismatch);
  });

  test('the log of another key', async () => {
    const path = newPath();
    await filled(path, 1);
    await expect(WitnessLog.open(path, STRANGER_KEY)).rejects.toThrow('and this witness has');
  });
});

test('a log of many entries, in groups, is read again whole', async () => {
  const path = newPath();
  const log = await open(path);
  for (let group = 0; group < 5; group++)
    await Promise.all(Array.from({ length: 100 }, (_, index) => log.add(about(group * 100 + index))));
  const { head } = log;
  await log.close();
  const again = await open(path);
  expect(again.head).toEqual(head);
  expect(again.find(about(499).end)).toMatchObject({ index: 499 });
  await again.close();
});

describe('after a crash', () => {
  test('entries without a head, which nobody was told of, are cut off: any time could stand in them', async () => {
    const path = newPath();
    const lines = await filled(path, 2);
    const backdated = lines[1]!.replace(about(0).end, sha256Hex('other')).replace(/"at":"\d{4}/, '"at":"2020');
    for (const tail of [`${backdated}\n`, backdated.slice(0, 50), `${backdated}\n{"head":{"at"`]) {
      writeFileSync(path, `${lines.join('\n')}\n${tail}`);
      const log = await open(path);
      expect(log.head.size).toBe(2);
      await log.add(about(2));
      await log.close();
      const again = await open(path);
      expect(again.head.size).toBe(3);
      await again.close();
    }
  });

  test('nothing is acknowledged any more once somebody else has written into the file', async () => {
    const path = newPath();
    const log = await open(path);
    await log.add(about(0));
    writeFileSync(path, 'x\n', { flag: 'a' });
    await expect(log.add(about(1))).rejects.toThrow(LogBroken);
    await expect(log.add(about(2))).rejects.toThrow(LogBroken);
    expect(log.head.size).toBe(1);
    await log.close();
  });
});

describe('its server', () => {
  const TOKEN = 'hft_a-token-of-the-witness';
  const post = (app: ReturnType<typeof witnessApp>, payload: unknown, token: string | null = TOKEN) =>
    app.inject({
      method: 'POST',
      url: '/v1/witness',
      headers: { 'content-type': 'application/json', ...(token === null ? {} : { authorization: `Bearer ${token}` }) },
      payload: JSON.stringify(payload),
    });
  const serve = async (path = newPath()) => {
    const log = await open(path);
    return { log, app: witnessApp({ log, tokens: [sha256Hex(TOKEN)] }) };
  };

  test('gives receipts, proofs and heads', async () => {
    const { log, app } = await serve();
    for (const n of [0, 1, 2]) {
      const answer = await post(app, about(n));
      expect(answer.statusCode).toBe(200);
      expect(witnessFault(answer.json(), about(n))).toBeNull();
    }
    const get = (url: string) => app.inject({ url: `/v1/witness/${url}` });
    expect(witnessFault((await get(`inclusion?end=${about(1).end}`)).json(), about(1))).toBeNull();
    const { proof } = (await get('consistency?from=1&to=3')).json<{ proof: string[] }>();
    const roots = log.consistency(1, 3);
    expect(isConsistent({ size: 1, root: roots.from }, { size: 3, root: roots.to }, proof)).toBe(true);
    expect(readHead((await get('head')).json())).toMatchObject({ size: 3, kid: WITNESS_KEY.kid });
    const bad = [
      'inclusion?end=x',
      'inclusion',
      'consistency?from=2&to=1',
      'consistency?from=0&to=4',
      'consistency?from=-1&to=2',
    ];
    for (const url of bad) expect([url, (await get(url)).statusCode]).toEqual([url, 400]);
    expect((await get(`inclusion?end=${about(8).end}`)).statusCode).toBe(404);
    await app.close();
    await log.close();
  });

  test('takes down nothing without a token, or in another form', async () => {
    const { log, app } = await serve();
    for (const token of [null, 'hft_another-token-of-it', 'short'])
      expect((await post(app, about(0), token)).statusCode).toBe(401);
    const { root, end } = about(0);
    for (const body of [
      {},
      [],
      'x',
      { root, end },
      { root, end, previous: 'x' },
      { ...about(0), more: 1 },
      { root, end: 1, previous: null },
    ])
      expect((await post(app, body)).statusCode).toBe(400);
    const broken = { method: 'POST', url: '/v1/witness', headers: { 'content-type': 'application/json' } } as const;
    expect((await app.inject({ ...broken, payload: '{"a":1,"a":2}' })).statusCode).toBe(400);
    expect((await app.inject({ ...broken, payload: 'x'.repeat(5000) })).statusCode).toBe(413);
    expect(log.head.size).toBe(0);
    await app.close();
    await log.close();
  });

  test('a log that was cut back, or continued in another way, is found by a client with an earlier head', async () => {
    const path = newPath();
    const lines = await filled(path, 5);
    const whole = `${lines.join('\n')}\n`;
    const known = (JSON.parse(lines.at(-1)!) as { head: never }).head;
    const check = async (text: string, more: TrailerHashes[] = []) => {
      writeFileSync(path, text);
      const log = await open(path);
      for (const one of more) await log.add(one);
      const server = await serveWitness({ log, tokens: [] }, { host: '127.0.0.1', port: 0 });
      const { fault } = await compareHeads(server, known);
      await server.close();
      return fault;
    };
    expect(await check(whole)).toBeNull();
    expect(await check(whole, [about(5), about(6)])).toBeNull();
    const back = `${lines.slice(0, 7).join('\n')}\n`;
    expect(await check(back)).toContain('it was cut back');
    expect(await check(back, [11, 12, 13].map(about))).toContain('it was changed, or there are two');
    expect(await check(back, [11, 12].map(about))).toContain('it was changed, or there are two');
  });
});
