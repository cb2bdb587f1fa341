/** A bundle made by hand: a turn that read and paid something, so small that a test can say which value is in which line. */
import { createHash } from 'node:crypto';
import { ofKey, type BundleSigner } from '../../../../src/attestation/bundle-signer';
import { SigningKey } from '../../../../src/attestation/signing-key';
import { LineWriter } from '../../../../src/audit/format/writer';
import { canonical } from '../../../../src/shared/json/canonical';
import type { Json, JsonObject } from '../../../../src/shared/json/json';
import type { BlockKind } from '../../../../src/shared/turn/transcript';
import { sealBlock, sealPart, type SealedPart } from '../../../../src/store/core/seal';

export const AT = '2026-01-05T08:00:00.000Z';
const REQUESTER = 'rita';

export const signer = (): BundleSigner => ofKey(SigningKey.generate());

export const payload = (value: Json): JsonObject => ({
  metadata: { encoding: Buffer.from('json/plain').toString('base64') },
  data: Buffer.from(JSON.stringify(value)).toString('base64'),
});

export interface HandMade {
  bytes: Buffer;
  /** Hash of the part, by a name. */
  refs: Record<string, string>;
}

const salt = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32);

export async function handMade(by: BundleSigner): Promise<HandMade> {
  const part = (body: Json): SealedPart => sealPart(salt(canonical(body)), body);
  const subject = { turn_id: 't1', workflow_id: 'turn/t1', agent: 'payables', requester: REQUESTER };
  const parts = {
    start: part({ ...subject, agent: { name: 'payables', tools: ['lookup@1.0.0', 'pay@1.0.0'] } }),
    user: part({ role: 'user' }),
    asked: part({ type: 'text', text: 'Please settle what we owe to Wilhelmina.' }),
    assistant: part({ role: 'assistant' }),
    thought: part({ type: 'text', text: 'Looking her up first.' }),
    lookup_use: part({ type: 'tool_use', id: 'use_1', name: 'lookup', input: { key: 'wilhelmina-accounts' } }),
    pay_use: part({ type: 'tool_use', id: 'use_2', name: 'pay', input: { iban: 'DE02-1203-0000', cents: 731 } }),
    header: part({ message_id: 'msg_1', model: 'scripted', subject }),
    lookup: part({
      call_id: '1.1',
      tool_use_id: 'use_1',
      tool: 'lookup',
      input: { key: 'wilhelmina-accounts' },
      verdict: 'allow',
    }),
    pay: part({
      call_id: '1.2',
      tool_use_id: 'use_2',
      tool: 'pay',
      input: { iban: 'DE02-1203-0000', cents: 731 },
      verdict: 'ask',
    }),
    lookup_result: part({
      type: 'tool_result',
      tool_use_id: 'use_1',
      content: [{ type: 'text', text: '{"data":{"owed":"seven"}}' }],
    }),
    pay_result: part({ type: 'tool_result', tool_use_id: 'use_2', content: [{ type: 'text', text: '{"data":{"paid":true}}' }] }),
    decision: part({
      decision: 'approve',
      by: 'ana',
      digest: 'd'.repeat(64),
      note: 'as agreed',
      subject: { ...subject, call_id: '1.2' },
    }),
    dispatch: part({ call_id: '1.2', tool: 'pay', digest: 'd'.repeat(64), subject: { ...subject, call_id: '1.2' } }),
    card: part({ call_id: '1.2', card: '## Waiting\n\n`iban`\n\n```text\n"DE02-1203-0000"\n```\n' }),
    end: part({ state: 'completed', reason: null }),
  };
  const writer = new LineWriter();
  let text = writer.line('bundle', {
    v: 'holdfast.bundle/1',
    subject: { kind: 'turn', id: 't1' },
    namespace: 'default',
    agent: 'payables',
    made_at: AT,
    made_by: { holdfast: '0.0.0', node: 'v20' },
  });
  text += writer.line('turn', { turn_id: 't1', workflow_id: 'turn/t1', first_execution_run_id: 'run-1', parent: null });
  text += writer.line('run', { run_id: 'run-1', began: 'start' });
  const events: JsonObject[] = [
    {
      eventId: '1',
      userMetadata: { summary: payload('payables: Please settle what we owe to Wil…') },
      input: { payloads: [payload({ ...subject, message: 'Please settle what we owe to Wilhelmina.' })] },
    },
    {
      eventId: '2',
      activityType: { name: 'takeStep' },
      result: {
        payloads: [
          payload({
            head: 'a'.repeat(64),
            text: 'Looking her up first.',
            calls: [{ id: '1.1', input: { key: 'wilhelmina-accounts' } }],
          }),
        ],
      },
    },
    {
      eventId: '3',
      activityType: { name: 'runCall' },
      activityId: '1.1:lookup:abc',
      input: { payloads: [payload({ turn: subject, call: { id: '1.1', input: { key: 'wilhelmina-accounts' } } })] },
    },
    { eventId: '4', result: { payloads: [payload({ state: 'succeeded', summary: '{"owed":"seven"}' })] } },
    {
      eventId: '5',
      signalName: 'approve',
      input: { payloads: [payload({ call: 'd'.repeat(64), by: 'ana', note: 'as agreed' })] },
    },
    { eventId: '6', failure: { message: 'The bank does not know DE02-1203-0000', stackTrace: 'at pay' }, attempt: 1 },
    {
      eventId: '7',
      activityId: '1.2:pay:abc',
      input: { payloads: [payload({ turn: subject, call: { id: '1.2', input: { iban: 'DE02-1203-0000', cents: 731 } } })] },
    },
    {
      eventId: '8',
      details: { payloads: [{ metadata: { encoding: Buffer.from('binary/encrypted').toString('base64') }, data: 'AAAA' }] },
    },
    { eventId: '9', searchAttributes: { HoldfastState: payload('completed'), HoldfastRequester: payload(REQUESTER) } },
  ];
  for (const event of events) text += writer.line('event', { event });
  let parent: string | null = null;
  const block = (kind: BlockKind, ...of: SealedPart[]) => {
    const sealed = sealBlock({ parent, kind, at: AT }, of);
    for (const { hash, text: whole } of of) text += writer.line('part', { ref: hash, part: JSON.parse(whole) });
    text += writer.line('block', { ref: sealed.hash, block: sealed.block });
    parent = sealed.hash;
  };
  block('start', parts.start);
  block('message', parts.user, parts.asked);
  block('message', parts.assistant, parts.thought, parts.lookup_use, parts.pay_use);
  block('admission', parts.header, parts.lookup, parts.pay);
  block('decision', parts.decision);
  block('dispatch', parts.dispatch);
  block('message', parts.user, parts.lookup_result, parts.pay_result);
  block('end', parts.end);
  text += writer.line('part', { ref: parts.card.hash, part: JSON.parse(parts.card.text) });
  text += writer.line('turn_end', { turn_id: 't1', head: parent, complete: true, why: null });
  const end = {
    root: writer.last!,
    lines: writer.lines + 1,
    complete: true,
    previous: null,
    redaction: null,
    kid: by.kid,
    public: by.public,
  };
  const signature = Buffer.from(await by.sign(Buffer.from(canonical(end)))).toString('base64url');
  text += writer.line('end', { ...end, signature });
  return { bytes: Buffer.from(text), refs: Object.fromEntries(Object.entries(parts).map(([name, { hash }]) => [name, hash])) };
}
