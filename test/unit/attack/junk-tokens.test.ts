/** How often a caller without any token makes the gateway ask the issuer of tokens for its keys. */
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { loadConfig } from '../../../src/config';
import { gatewayApp } from '../../../src/gateway/app';
import { Jwts, KEYS_AGAIN_AFTER_MS } from '../../../src/gateway/auth/jwt';
import { clockAhead } from '../../support/clock-ahead';
import { gatewayParts } from '../../support/gateway';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
function token(kid: string, key: KeyObject = privateKey): string {
  const exp = Math.floor(Date.now() / 1000) + 600;
  const claims = { iss: 'https://id.example', aud: 'holdfast', sub: 'ana', roles: ['approver'], exp };
  const text = `${encode({ alg: 'EdDSA', kid })}.${encode(claims)}`;
  return `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`;
}
const KEYS = JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k1', alg: 'EdDSA', use: 'sig' }] });

const fine = (response: ServerResponse) => void response.end(KEYS);
const DOWN: [string, (response: ServerResponse) => void][] = [
  ['breaks off', (response) => void response.destroy()],
  ['answers 500', (response) => void response.writeHead(500).end()],
  ['answers with something else', (response) => void response.end('<html>')],
  ['answers with no keys', (response) => void response.end('{"keys": 1}')],
];

describe('junk tokens', () => {
  let issuer: Server;
  let asked: number;
  let answer: (response: ServerResponse) => void;
  let gateway: FastifyInstance;
  let goOn: (ms: number) => void;
  beforeEach(async () => {
    asked = 0;
    goOn = clockAhead();
    issuer = createServer((_request, response) => {
      asked += 1;
      answer(response);
    });
    await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve));
    const jwks_url = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}/keys`;
    const settings = JSON.stringify({ issuer: 'https://id.example', audience: 'holdfast', jwks_url });
    const authenticator = new Jwts(loadConfig({ HOLDFAST_JWT: settings }).http.jwt!);
    gateway = gatewayApp(gatewayParts({ authenticator, client: async () => ({ inbox: { pending: async () => [] } }) as never }));
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await gateway.close();
    issuer.closeAllConnections();
    await new Promise((resolve) => issuer.close(resolve));
  });

  const ask = async (text: string, remoteAddress = '192.0.2.7') =>
    (await gateway.inject({ url: '/v1/pending', headers: { authorization: `Bearer ${text}` }, remoteAddress })).statusCode;
  const junk = async (count: number, from = '192.0.2.7') => {
    const statuses: number[] = [];
    for (let n = 0; n < count; n++) statuses.push(await ask(token(`made-up-${n}`), from));
    return statuses;
  };
  const back = () => goOn(KEYS_AGAIN_AFTER_MS + 100);

  it.each(DOWN)(
    'do not make the gateway ask a key server that %s again and again; a good token counts as soon as it is back',
    async (_how, down) => {
      answer = down;
      const began = performance.now();
      const statuses = await junk(70);
      const mayAsk = 1 + Math.floor((performance.now() - began) / KEYS_AGAIN_AFTER_MS);
      expect(asked).toBeLessThanOrEqual(mayAsk);
      expect(new Set(statuses)).toEqual(new Set([503, 429])); // not 401: nobody knows yet that they are wrong
      answer = fine;
      back();
      expect(await ask(token('k1'))).toBe(200); // from the very address that was refused
      expect(KEYS_AGAIN_AFTER_MS).toBeLessThanOrEqual(5000);
    },
  );

  it('at the same time, too, ask a silent key server once', async () => {
    const open: ServerResponse[] = [];
    answer = (response) => void open.push(response);
    const waiting = Promise.all(Array.from({ length: 100 }, (_, n) => ask(token(`made-up-${n}`), `192.0.2.${n}`)));
    while (open.length === 0) await sleep(20);
    await sleep(300);
    expect(asked).toBe(1);
    for (const response of open) fine(response);
    expect(new Set(await waiting)).toEqual(new Set([401]));
  });

  it('with unknown keys make the gateway ask no more often, whether the key server is up or down, and do not keep a good token out', async () => {
    answer = fine;
    expect(await ask(token('k1'))).toBe(200);
    expect(await junk(50)).toEqual(Array(50).fill(401));
    expect(asked).toBe(1);
    jest.useFakeTimers({
      now: Date.now() + 60_000,
      doNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'performance', 'queueMicrotask'],
    });
    try {
      answer = DOWN[0]![1]; // it has gone, and what is known is old enough to be asked for again
      const began = performance.now();
      for (let n = 0; n < 100; n++) {
        expect(await ask(token(`gone-${n}`), `192.0.2.${n}`)).toBe(503);
        expect(await ask(token('k1'))).toBe(200);
      }
      expect(asked).toBeLessThanOrEqual(2 + Math.floor((performance.now() - began) / KEYS_AGAIN_AFTER_MS));
    } finally {
      jest.useRealTimers();
    }
  });

  it('are limited by address, also while the key server is down', async () => {
    answer = DOWN[1]![1];
    const statuses = await junk(62);
    expect([statuses[0], statuses.at(-1)]).toEqual([503, 429]);
    expect(await junk(1, '192.0.2.8')).toEqual([503]);
  });
});
