/** A bundle written by hand, for tests of what reads bundles: one turn, one call that a person changed and approved. */
import { LineWriter } from '../../src/audit/format/writer';
import type { Bodies, LineKind } from '../../src/audit/format/lines';
import { hashJson } from '../../src/shared/json/digests';
import type { Json, JsonObject } from '../../src/shared/json/json';
import type { Block, BlockKind, Part } from '../../src/shared/turn/transcript';

/** Everything in the bundle that somebody outside has written. */
export interface Words {
  requester: string;
  approver: string;
  message: string;
  tool: string;
  note: string;
  card: string;
  answer: string;
  result: string;
}

export const PLAIN_WORDS: Words = {
  requester: 'rita',
  approver: 'ana',
  message: 'Send the memo on AAPL.',
  tool: 'send_memo',
  note: 'the committee moved',
  card: '## Waiting for approval',
  answer: 'It is sent.',
  result: '250 OK',
};

const TURN = 'turn-1';
const RUN = '0190a0a0-0000-7000-8000-000000000001';
const DIGESTS = ['a'.repeat(64), 'b'.repeat(64)] as const;

export async function* handBundle(words: Words = PLAIN_WORDS): AsyncGenerator<Uint8Array> {
  yield Buffer.from(handLines(words).join(''), 'utf8');
}

export function handLines(words: Words = PLAIN_WORDS): string[] {
  const writer = new LineWriter();
  const lines: string[] = [];
  const put = <K extends LineKind>(kind: K, body: Bodies[K]) => void lines.push(writer.line(kind, body));
  const history = new HandHistory((event) => put('event', { event }));
  const { requester, approver, message, tool, note, card, answer, result } = words;
  const turn = { turn_id: TURN, workflow_id: `turn/${TURN}`, first_execution_run_id: RUN, agent: 'clerk', requester };
  const asked = { to: 'committee@bank.example', body: 'The memo.' };
  const edited = { ...asked, to: 'someone@else.example' };

  const bodies: Part[] = [];
  const part = (body: Json): string => {
    bodies.push({ v: 'holdfast.part/1', salt: bodies.length.toString(16).padStart(32, '0'), body });
    return hashJson(bodies.at(-1) as unknown as Json);
  };
  const blocks: { block: Block; parts: Part[] }[] = [];
  let head: string | null = null;
  const block = (kind: BlockKind, at: number, ...parts: Json[]) => {
    const made: Block = { v: 'holdfast.block/1', parent: head, kind, at: atMs(at), parts: parts.map(part) };
    blocks.push({ block: made, parts: bodies.splice(0) });
    head = hashJson(made as unknown as Json);
    return made;
  };
  block('start', 0, { ...turn, agent: { name: 'clerk' }, policy_ref: 'c'.repeat(64) });
  block('message', 0, { role: 'user' }, { type: 'text', text: message });
  block('message', 0, { role: 'assistant' }, { type: 'tool_use', id: 'use_1', name: tool, input: asked });
  const admission: Block = block(
    'admission',
    0,
    {
      message_id: 'msg_1',
      request_id: 'req_1',
      model: 'model-1',
      stop_reason: 'tool_use',
      usage: { input_tokens: 90, output_tokens: 9 },
    },
    {
      call_id: '1.1',
      tool_use_id: 'use_1',
      tool,
      version: '1.0.0',
      class: 'destructive',
      verdict: 'ask',
      reason: 'always asks',
      error: null,
      input: asked,
      asked: JSON.stringify(asked),
    },
  );
  const admitted = head!;
  const subject = { call_id: '1.1', revision: 2, tool, version: '1.0.0', class: 'destructive' };
  const loose = [
    part({ call_id: '1.1', card }),
    part({ envelope: { success: true, data: { answer: result } }, summary: result }),
  ];
  const extra = bodies.splice(0);
  const approval = {
    decision: 'approve',
    digest: DIGESTS[1],
    by: approver,
    note: null,
    at: atMs(65_000),
    channel: 'signal',
    identity: 'web',
    card_ref: loose[0]!,
  };
  block('decision', 65_000, { ...approval, subject });
  block('dispatch', 65_000, {
    call_id: '1.1',
    digest: DIGESTS[1],
    dispatch: 1,
    idempotency_key: `hf_${'d'.repeat(40)}`,
    subject,
  });
  block('effect', 65_000, { call_id: '1.1', digest: DIGESTS[1], effect: 'applied', result_ref: loose[1]!, subject });
  const applied = head!;
  block(
    'message',
    66_000,
    { role: 'user' },
    { type: 'tool_result', tool_use_id: 'use_1', content: [{ type: 'text', text: result }] },
  );
  block('message', 66_000, { role: 'assistant' }, { type: 'text', text: answer });
  block('admission', 66_000, { message_id: 'msg_2', model: 'model-1', stop_reason: 'end_turn' });
  block('end', 66_000, { state: 'completed', reason: null });

  put('bundle', {
    v: 'holdfast.bundle/1',
    subject: { kind: 'turn', id: TURN },
    namespace: 'default',
    agent: 'clerk',
    made_at: atMs(99_000),
    made_by: { holdfast: '0.1.0', node: 'v20' },
  });
  put('turn', { turn_id: TURN, workflow_id: `turn/${TURN}`, first_execution_run_id: RUN, parent: null });
  put('run', { run_id: RUN, began: 'start' });
  history.event(0, 'workflowExecutionStarted', { workflowType: { name: 'turn' }, input: payloads({ ...turn, message }) });
  const call = {
    id: '1.1',
    tool,
    version: '1.0.0',
    class: 'destructive',
    verdict: 'ask',
    reason: 'always asks',
    error: null,
    input: asked,
    input_ref: admission.parts[1]!,
    tool_use_id: 'use_1',
  };
  history.activity(
    'takeStep',
    0,
    900,
    { turn, step: 1, outcomes: [] },
    {
      head: admitted,
      text: '',
      calls: [call],
      stop_reason: 'tool_use',
      usage: { input_tokens: 90, output_tokens: 9, cost_usd: 0.002 },
    },
  );
  const question = { turn, call: { ...call, revision: 1 }, expires_at: atMs(3_600_000), reason: 'always asks' };
  history.activity('admitCall', 1000, 1050, question, {
    ok: true,
    digest: DIGESTS[0],
    card,
    card_ref: loose[0]!,
    preview_ref: null,
  });
  history.event(60_000, 'workflowExecutionSignaled', {
    signalName: 'approve',
    identity: 'web',
    input: payloads({ call: DIGESTS[0], by: approver, note, input: edited }),
  });
  const edit = { by: approver, note, identity: 'web', input: edited };
  history.activity(
    'admitCall',
    60_010,
    60_050,
    { ...question, call: { ...call, revision: 2 }, edit },
    {
      ok: true,
      digest: DIGESTS[1],
      card,
      card_ref: loose[0]!,
      preview_ref: null,
      decided: {
        verdict: 'ask',
        reason: `${approver} changed the input`,
        input: edited,
        changes: [{ hook: '', by: approver, why: note }],
      },
    },
  );
  history.event(65_000, 'workflowExecutionSignaled', {
    signalName: 'approve',
    identity: 'web',
    input: payloads({ call: DIGESTS[1], by: approver }),
  });
  history.activity(
    'runCall',
    65_010,
    65_900,
    { turn, call: { ...call, revision: 2, digest: DIGESTS[1], input: edited }, approvals: [approval] },
    { state: 'succeeded', effect: 'applied', head: applied, result_ref: loose[1]!, summary: result, error: null },
    { attempt: 2, lastFailure: { message: 'connection lost' } },
  );
  history.activity(
    'takeStep',
    66_000,
    66_500,
    { turn, step: 2, outcomes: [] },
    { head, text: answer, calls: [], stop_reason: 'end_turn', usage: { input_tokens: 120, output_tokens: 12, cost_usd: 0.003 } },
  );
  history.event(66_600, 'workflowExecutionCompleted', {
    result: payloads({
      state: 'completed',
      text: answer,
      agent: 'clerk',
      requester,
      usage: { input_tokens: 210, output_tokens: 21, cost_usd: 0.005 },
      calls: [],
      reason: null,
    }),
  });
  for (const { block: made, parts } of blocks) {
    for (const each of parts) put('part', { ref: hashJson(each as unknown as Json), part: each });
    put('block', { ref: hashJson(made as unknown as Json), block: made });
  }
  for (const each of extra) put('part', { ref: hashJson(each as unknown as Json), part: each });
  put('turn_end', { turn_id: TURN, head, complete: true, why: null });
  put('end', {
    root: writer.last!,
    lines: writer.lines + 1,
    complete: true,
    previous: null,
    redaction: null,
    kid: '0'.repeat(16),
    public: '',
    signature: '',
  });
  return lines;
}

function atMs(after: number): string {
  return new Date(Date.UTC(2026, 10, 21, 3, 0, 0) + after).toISOString();
}

function payloads(value: Json): JsonObject {
  const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64');
  return { payloads: [{ metadata: { encoding: base64('json/plain') }, data: base64(JSON.stringify(value)) }] };
}

class HandHistory {
  private id = 0;

  constructor(private readonly put: (event: JsonObject) => void) {}

  event(after: number, type: string, attributes: JsonObject): string {
    this.id += 1;
    const eventType = `EVENT_TYPE_${type.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
    this.put({ eventId: String(this.id), eventTime: atMs(after), eventType, [`${type}EventAttributes`]: attributes });
    return String(this.id);
  }

  activity(type: string, from: number, to: number, input: Json, output: Json, started: JsonObject = {}): void {
    const scheduledEventId = this.event(from, 'activityTaskScheduled', {
      activityId: type,
      activityType: { name: type },
      input: payloads(input),
    });
    this.event(from + 10, 'activityTaskStarted', { scheduledEventId, identity: '7@worker', attempt: 1, ...started });
    this.event(to, 'activityTaskCompleted', { scheduledEventId, result: payloads(output) });
  }
}
