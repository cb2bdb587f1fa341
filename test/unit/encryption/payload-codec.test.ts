import { deflateRawSync } from 'node:zlib';
import { defaultPayloadConverter, type Payload, type SerializationContext } from '@temporalio/common';
import { EncryptionCodec } from '../../../src/encryption/payload-codec';
import { BadSeal, open, seal } from '../../../src/encryption/seal';
import { ENCRYPTED_ENCODING, SEALED_BY } from '../../../src/shared/wire/payload';
import { decodePayload } from '../../../src/shared/wire/payload';
import { ringOf, ringService, without } from '../../support/encryption/ring';

const of = (workflowId: string, namespace = 'default'): SerializationContext => ({ type: 'workflow', namespace, workflowId });
const CANARY = { secret: 'canary-4711' };
const payloadOf = (value: unknown): Payload => defaultPayloadConverter.toPayload(value)!;
const encoding = ({ metadata }: Payload) => Buffer.from(metadata!.encoding!).toString();
const value = (payload: Payload) => defaultPayloadConverter.fromPayload(payload);

async function scene(...ids: string[]) {
  const ring = ringOf(...(ids.length === 0 ? ['one'] : ids));
  const service = await ringService(ring);
  const codec = new EncryptionCodec(service.keys, 'default');
  const sealed = async (content: unknown = CANARY, context = of('turn/a')) =>
    (await codec.encode([payloadOf(content)], context))[0]!;
  const opened = async (payload: Payload, context: SerializationContext | undefined = of('turn/a')) =>
    (await codec.decode([payload], context))[0]!;
  return { ring, service, codec, sealed, opened };
}

it('an encrypted payload names its key and workflow, shows nothing of its content, and opens for that workflow', async () => {
  const { sealed, opened } = await scene('one', 'two');
  const payload = await sealed();
  expect(encoding(payload)).toBe(ENCRYPTED_ENCODING);
  expect(Buffer.from(payload.metadata![SEALED_BY.key]!).toString()).toBe('two');
  expect(Buffer.from(payload.metadata![SEALED_BY.workflow]!).toString()).toBe('turn/a');
  expect(Buffer.concat([...Object.values(payload.metadata!), payload.data!]).includes('canary')).toBe(false);
  expect(value(await opened(payload))).toEqual(CANARY);
  expect((await sealed()).data).not.toEqual(payload.data);
});

it('a change of any byte of it is refused, and a signal that carries it says so', async () => {
  const { sealed, opened } = await scene();
  const payload = await sealed();
  const places = [...Object.keys(payload.metadata!).filter((name) => name !== 'encoding'), null];
  for (const place of places) {
    const bytes = place === null ? payload.data! : payload.metadata![place]!;
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 0x01;
      const other =
        place === null ? { ...payload, data: changed } : { ...payload, metadata: { ...payload.metadata, [place]: changed } };
      const refused = await opened(other);
      expect({ place, at, encoding: encoding(refused) }).toMatchObject({
        encoding: expect.stringMatching(/^holdfast\/refused: /),
      });
      expect(decodePayload(refused)).toMatchObject({ ok: false, reason: expect.stringMatching(/^it is encrypted/) });
    }
  }
});

it('one that was moved is refused: to another workflow, to another namespace, into an activity', async () => {
  const { sealed, opened, codec } = await scene();
  const moved = decodePayload(await opened(await sealed(), of('turn/b')));
  expect(moved).toEqual({ ok: false, reason: 'it is encrypted for another workflow, "turn/a"' });
  expect(decodePayload(await opened(await sealed(), of('turn/a', 'other')))).toMatchObject({ ok: false });
  // Without a workflow it is for the whole namespace, as the Web UI encrypts a signal; activities never get such.
  const [ofNamespace] = await codec.encode([payloadOf(CANARY)]);
  expect(value(await opened(ofNamespace!, of('turn/b')))).toEqual(CANARY);
  const activity = { type: 'activity' as const, namespace: 'default', workflowId: 'turn/a', isLocal: false };
  expect(encoding(await opened(ofNamespace!, activity))).toBe('holdfast/refused: it is encrypted for no workflow');
  expect(value(await opened(await sealed(), activity))).toEqual(CANARY);
});

it('what a schedule starts a workflow with opens in each of its firings, whose ids end with the time, and in no other', async () => {
  const { sealed, opened } = await scene();
  const input = await sealed(CANARY, of('firing/daily'));
  expect(value(await opened(input, of('firing/daily-2026-11-22T07:00:00Z')))).toEqual(CANARY);
  for (const other of ['firing/daily-2', 'firing/daily-2026-11-22T07:00:00Z-2', 'firing/dail-2026-11-22T07:00:00Z'])
    expect(decodePayload(await opened(input, of(other)))).toMatchObject({ ok: false });
});

it('foreign ones are refused, and plain ones stay as they are', async () => {
  const { opened } = await scene();
  const stranger = await scene();
  expect(decodePayload(await opened(await stranger.sealed()))).toMatchObject({
    reason: expect.stringContaining('another key ring'),
  });
  const samples = {
    metadata: { encoding: Buffer.from(ENCRYPTED_ENCODING), 'encryption-key-id': Buffer.from('k') },
    data: Buffer.from('x'),
  };
  expect(decodePayload(await opened(samples))).toMatchObject({ reason: 'it is encrypted, and not by holdfast' });
  const plain = payloadOf({ call: 'abc' });
  expect(await opened(plain)).toBe(plain);
});

it('after a rotation old ones are read; a missing key is an error that names it, until the key is back', async () => {
  const { ring, service, sealed, opened, codec } = await scene('one', 'two');
  const old = await sealed();
  await service.set(without(ring, 'two'));
  await expect(opened(old)).rejects.toThrow('encrypted with the key two, which is not in the key ring of the key service');
  expect(Buffer.from((await sealed()).metadata![SEALED_BY.key]!).toString()).toBe('one');
  await service.set(ring);
  expect(value(await opened(old))).toEqual(CANARY);
  await service.set({ ...ring, current: null });
  const [plain] = await codec.encode([payloadOf(CANARY)], of('turn/a'));
  expect(encoding(plain!)).toBe('json/plain');
  expect(value(await opened(old))).toEqual(CANARY);
});

it('large payloads are compressed first, and what unfolds to too much is refused', async () => {
  const { sealed, opened } = await scene();
  const large = { text: 'holdfast '.repeat(20_000) };
  const payload = await sealed(large);
  expect(payload.data!.length).toBeLessThan(5000);
  expect(value(await opened(payload))).toEqual(large);
  const key = Buffer.alloc(32, 7);
  const bomb = await seal(key, 'use', Buffer.alloc(1_000_000));
  await expect(open(key, 'use', bomb, 999_999)).rejects.toThrow(BadSeal);
  expect((await open(key, 'use', bomb, 1_000_000)).length).toBe(1_000_000);
  expect(bomb.length).toBeLessThan(deflateRawSync(Buffer.alloc(1_000_000)).length + 100);
});
