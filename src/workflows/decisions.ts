/** Signals and the update through which people decide. Whatever arrives, nothing here can fail or stall the turn. */
import { ApplicationFailure, defineSignal, defineUpdate, setHandler } from '@temporalio/workflow';
import { readDecision, type DecisionKind } from '../shared/decision';
import { isJsonObject, type Json } from '../shared/json';
import { DECIDE_UPDATE, SIGNALS, type DecideAnswer } from './contract';
import type { Desk } from './desk';
import { decodePayload, rawPayloads } from './raw-payloads';
import { onUnknownSignal, takeSender } from './signal-senders';
import { ignoreSignal, type TurnData } from './state';
import { now } from './now';

const DESCRIPTIONS: Record<DecisionKind, string> = {
  approve: 'Approve one waiting call. Paste {"call": "<digest from the card>", "by": "<your name>", "note": "<optional>"}.',
  deny: 'Deny one waiting call. Paste {"call": "<digest from the card>", "by": "<your name>", "note": "<the model reads it>"}.',
  settle:
    'Say what became of a call in doubt. Paste {"call": "<digest>", "by": "<your name>", "outcome": "applied" or "not_applied", "note": "<optional>"}.',
};

export function handleDecisions(data: TurnData, desk: Desk): void {
  for (const kind of Object.keys(SIGNALS) as DecisionKind[]) {
    const signal = defineSignal<[unknown]>(SIGNALS[kind], { typeInfo: { inputTypes: rawPayloads } });
    setHandler(
      signal,
      (...args: unknown[]) => {
        const identity = takeSender(kind);
        const reason = fromSignal(kind, args, identity, desk);
        if (reason !== null) ignoreSignal(data, { at: now(), signal: kind, identity, reason });
      },
      { description: DESCRIPTIONS[kind] },
    );
  }

  onUnknownSignal(({ name, identity }) => {
    ignoreSignal(data, { at: now(), signal: name, identity, reason: `there is no signal ${JSON.stringify(name)}` });
  });

  setHandler(defineUpdate<DecideAnswer, [Json]>(DECIDE_UPDATE), (body) => fromUpdate(body, desk), {
    description: 'A decision with an answer: {"decision": "approve" | "deny" | "settle", "call": "…", "by": "…", …}.',
    validator: (body) => {
      if (!isJsonObject(body) || !isKind(body.decision)) {
        throw ApplicationFailure.nonRetryable('"decision" must be "approve", "deny" or "settle"', 'holdfast.bad_decision');
      }
    },
  });
}

function fromSignal(kind: DecisionKind, args: unknown[], identity: string, desk: Desk): string | null {
  if (args.length > 1) return `it carries ${args.length} payloads; one is allowed`;
  const decoded = decodePayload(args[0]);
  if (!decoded.ok) return decoded.reason;
  const read = readDecision(kind, decoded.value);
  return read.ok ? desk.decide(kind, read.fields, { channel: 'signal', identity }) : read.reason;
}

function fromUpdate(body: Json, desk: Desk): DecideAnswer {
  const { decision, ...rest } = body as { decision: DecisionKind };
  const read = readDecision(decision, rest as Json);
  const reason = read.ok ? desk.decide(decision, read.fields, { channel: 'update', identity: '' }) : read.reason;
  return { accepted: reason === null, reason };
}

function isKind(value: unknown): value is DecisionKind {
  return typeof value === 'string' && Object.hasOwn(SIGNALS, value);
}
