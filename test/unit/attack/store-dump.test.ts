/** Somebody who has read an encrypted store, and reaches the gateway: the store's own secret opens nothing there. */
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { issueToken } from '../../../src/completions/token';
import type { Keys } from '../../../src/encryption/key-source';
import { gatewayApp } from '../../../src/gateway/app';
import { Tickets } from '../../../src/gateway/auth/principals';
import { derivedKey, presignedPath } from '../../../src/store/core/identity';
import { openStore } from '../../../src/store/open-store';
import type { Store } from '../../../src/store/store';
import { ringOf, ringService } from '../../support/encryption/ring';
import { gatewayParts } from '../../support/gateway';
import { removeStoreDirs, storeDir } from '../../support/store/store-dir';

afterAll(removeStoreDirs);

const ring = ringOf('one');
const call = { turn_id: 't', workflow_id: 'turn/t', scope: 'run', call_id: '1.1', tool: 'transfer', idempotency_key: 'hf_1' };
const later = { ...call, expires_ms: 60_000 };
const STREAM = '/v1/pending/events';

/** What the attacker makes of the file `salt.key`. */
const fromDump = (dir: string, purpose: string) => derivedKey(readFileSync(join(dir, 'salt.key')), purpose);
const presigned = async (store: Store, key: Buffer) => {
  const sha256 = await store.putBytes(Buffer.from('secret'));
  const file = { filename: 'a.pdf', content_type: 'application/pdf', size: 6, sha256 };
  return presignedPath(key, await store.putPart('run', { turn_id: 't', file }), Date.now()).path;
};
const gatewayOf = (store: Store) => gatewayApp(gatewayParts({ store }));

it('forges no ticket, no address of a file and no token of a call', async () => {
  const dir = storeDir();
  const { keys } = await ringService(ring);
  const store = await openStore(`file:${dir}`, keys);
  const app = gatewayOf(store);
  const auditor = { name: 'x', tenant: null, roles: ['auditor'] };
  const { ticket } = new Tickets(() => fromDump(dir, 'tickets')).give(auditor, STREAM, Date.now());
  expect((await app.inject(`${STREAM}?stream_ticket=${ticket}`)).statusCode).toBe(401);
  expect((await app.inject(await presigned(store, fromDump(dir, 'presign')))).statusCode).toBe(403);
  expect((await app.inject(await presigned(store, store.derivedKey('presign')))).body).toBe('secret');
  const token = createHmac('sha256', fromDump(dir, 'completion-token')).update(call.idempotency_key).digest('base64url');
  expect((await issueToken(store, later)).token).not.toBe(token);
  const answer = await app.inject({ method: 'POST', url: `/v1/completions/${token}`, payload: { result: 'paid' } });
  expect(answer.statusCode).toBe(404);
  await app.close();
});

describe('the secrets of an encrypted store', () => {
  const opened = (dir: string, keys: Keys | null) => openStore(`file:${dir}`, keys);
  const secret = (store: Store) => store.derivedKey('tickets').toString('hex');

  it('are the same in every process with the ring and after a rotation, and others with another ring or without one', async () => {
    const dir = storeDir();
    const { keys, set } = await ringService(ring);
    const [store, other, plain] = [await opened(dir, keys), await opened(dir, keys), await opened(dir, null)];
    const first = secret(store);
    expect(secret(other)).toBe(first);
    expect(store.derivedKey('presign').toString('hex')).not.toBe(first);
    expect(secret(await opened(dir, (await ringService(ringOf('one'))).keys))).not.toBe(first);
    expect(secret(plain)).toBe(fromDump(dir, 'tickets').toString('hex'));
    expect(secret(plain)).not.toBe(first);
    expect(store.derivedKey('tickets', 'store')).toEqual(plain.derivedKey('tickets'));
    const { ring: secretOfRing, v } = ring;
    await set({ v, ring: secretOfRing, current: 'two', keys: { ...ring.keys, two: Buffer.alloc(32, 2).toString('base64') } });
    expect(secret(store)).toBe(first);
  });

  it('are those of the plain store while the ring does not write, and a gateway that runs has the others from then on', async () => {
    const dir = storeDir();
    const { keys, set } = await ringService({ ...ring, current: null });
    const store = await opened(dir, keys);
    const app = gatewayOf(store);
    const before = await presigned(store, fromDump(dir, 'presign'));
    const { token } = await issueToken(store, later);
    expect((await app.inject(before)).body).toBe('secret');
    await set(ring);
    expect((await app.inject(before)).statusCode).toBe(403);
    expect((await app.inject(await presigned(store, store.derivedKey('presign')))).body).toBe('secret');
    // A call keeps the token that an earlier attempt has handed on.
    expect((await issueToken(store, later)).token).toBe(token);
    expect((await issueToken(store, { ...later, idempotency_key: 'hf_2' })).token).not.toBe(
      createHmac('sha256', fromDump(dir, 'completion-token')).update('hf_2').digest('base64url'),
    );
    await app.close();
  });
});
