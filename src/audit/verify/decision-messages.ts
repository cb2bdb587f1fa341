/** Reads people's decisions word for word from the signals and updates of a turn's history (for rules H9, H10, B13 and T9). */
import { claimsOfDecision } from '../../attestation/deputy-decision';
import { readDecision, type DecisionKind } from '../../shared/approval/decision';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { list, object, text } from '../../record/fields';
import { attributesOf, eventType, firstPayload, hashOf, UNKNOWN, type JsonOrUnknown } from './values';
import { optional } from '../../shared/json/optional';

/** Minimum length of a digest prefix that names a call. */
const SHORTEST_NAME = 12;
/** Characters of a sender's identity that are kept. */
export const LONGEST_IDENTITY = 200;
const KINDS = new Set(['approve', 'deny', 'settle', 'answer']);
/** Updates that decide: the body of `decide` names the decision. */
const UPDATES = new Set(['decide', 'answer']);

/** What one signal or update says of one call. */
export interface DecisionMessage {
  /** Its place among all events of the turn. */
  place: number;
  run: string;
  /** The event is no copy of another run's; a run after a reset begins with such copies. */
  own: boolean;
  /** Number of workflow tasks completed before it. */
  tasks: number;
  kind: string;
  /** The beginning of a digest. */
  call: string;
  /** Number of calls that were decided together. */
  calls: number;
  /** The person's name in the decision; if it is signed, the principal. */
  by: string;
  /** Whom a deputy decides for, likewise; null: nobody else. */
  on_behalf_of: Json;
  /** The name that the sender gave, signed or not; empty: none. */
  name: string;
  note: Json;
  /** Hash of an edited input, or of an answer; null: there is none. */
  input: string | null;
  outcome: Json;
  attestation: string | null;
  channel: 'signal' | 'update';
  identity: string;
  /** Until when the sender waits; UNKNOWN: it was left out. */
  until: JsonOrUnknown | undefined;
  /** The answer to an update; null: it is unknown. */
  isAccepted: boolean | null;
  /** It has the form of a decision, so the workflow reads it. */
  right: boolean;
  /** Hash of the whole decision, as it is passed on. */
  whole: string | null;
}

/** What is known before the payload is read. */
type From = Pick<DecisionMessage, 'place' | 'run' | 'own' | 'tasks' | 'kind' | 'channel' | 'until'> & {
  identity: Json | undefined;
  /** Number of payloads; the workflow does not read a signal of several. */
  payloads: number;
};

/** A person's decision according to a record. Undefined: the record does not say. */
export interface Words {
  kind: string;
  digest: Json | undefined;
  by: Json | undefined;
  /** Absent: the person decides for nobody else. */
  on_behalf_of?: Json | undefined;
  note: Json | undefined;
  attestation: Json | undefined;
  /** Hash, as of a message. Null: no edit. Undefined: any edit. */
  input?: Json | undefined;
  outcome?: Json | undefined;
  channel?: Json | undefined;
  identity?: Json | undefined;
  /** Undefined: not compared. */
  until?: Json | undefined;
}

export class DecisionMessages {
  private readonly all = new Map<string, DecisionMessage[]>();
  /** Updates by run and event. */
  private readonly updates = new Map<string, DecisionMessage[]>();
  /** A decision was left out: its content is unknown. */
  unknown = false;

  read(event: JsonObject, at: Pick<DecisionMessage, 'place' | 'run' | 'own' | 'tasks'>): void {
    const attributes = attributesOf(event);
    const type = eventType(event);
    if (type === 'WORKFLOW_EXECUTION_SIGNALED') {
      const { signalName, input, identity } = attributes;
      if (KINDS.has(text(signalName)))
        this.note(firstPayload(input), {
          ...at,
          kind: text(signalName),
          channel: 'signal',
          identity,
          until: undefined,
          payloads: list(object(input).payloads).length,
        });
    }
    if (type === 'WORKFLOW_EXECUTION_UPDATE_ACCEPTED' || type === 'WORKFLOW_EXECUTION_UPDATE_ADMITTED') {
      const { input, meta } = object(attributes.acceptedRequest ?? attributes.request);
      const { name, args } = object(input);
      if (!UPDATES.has(text(name))) return;
      const value = firstPayload(args);
      const kind = name === 'answer' ? name : value === UNKNOWN ? '' : text(object(value).decision);
      const from: From = { ...at, kind, channel: 'update', identity: object(meta).identity, until: untilOf(args), payloads: 1 };
      this.updates.set(`${at.run} ${text(event.eventId)}`, this.note(value, from));
    }
    if (type === 'WORKFLOW_EXECUTION_UPDATE_COMPLETED') {
      const answer = firstPayload(object(attributes.outcome).success);
      const { accepted } = answer === UNKNOWN ? {} : object(answer);
      const messages = this.updates.get(`${at.run} ${text(attributes.acceptedEventId)}`) ?? [];
      for (const message of messages) message.isAccepted = typeof accepted === 'boolean' ? accepted : null;
    }
  }

  /** All decisions in these words, without updates that were answered as not accepted. */
  of(words: Words): DecisionMessage[] {
    return this.about(words.digest).filter((message) => message.isAccepted !== false && says(message, words));
  }

  /** All decisions about the call. */
  about(digest: Json | undefined): DecisionMessage[] {
    const messages = this.all.get(text(digest).slice(0, SHORTEST_NAME)) ?? [];
    return messages.filter(({ call }) => text(digest).startsWith(call));
  }

  /** Whether a person sent exactly this decision, for one or several calls. */
  wasSent(body: Json | undefined): boolean {
    const whole = hashOf(body);
    return [...this.all.values()].flat().some((message) => message.whole === whole);
  }

  private note(value: JsonOrUnknown, from: From): DecisionMessage[] {
    this.unknown ||= value === UNKNOWN;
    if (value === UNKNOWN || !isJsonObject(value)) return [];
    const { call, calls, by, on_behalf_of, note = null, attestation, outcome = null } = value;
    const answers = from.kind === 'answer';
    const input = answers ? value.value : value.input;
    const names = [...texts(call), ...texts(calls)];
    const attestations = texts(attestation);
    if (attestations.length > 0 && attestations.length !== names.length) return [];
    const forwardedDecision = {
      decision: from.kind,
      ...(answers ? { call: names[0] ?? null } : { calls: names }),
      ...optional({
        by,
        on_behalf_of,
        note: note ?? undefined,
        [answers ? 'value' : 'input']: input,
        outcome: outcome ?? undefined,
      }),
      ...(attestations.length === 0 ? {} : { attestation: attestations }),
    };
    const whole = hashOf(forwardedDecision);
    const { decision: _, ...fields } = value;
    const body = from.channel === 'update' ? fields : value;
    const right = from.payloads === 1 && KINDS.has(from.kind) && readDecision(from.kind as DecisionKind, body).ok;
    const identity = text(from.identity).slice(0, LONGEST_IDENTITY).toWellFormed();
    const messages = names.map((one, index): DecisionMessage => {
      const token = attestations[index] ?? null;
      const person = token === null ? text(by) : (principalOf(token) ?? '');
      const words = {
        by: person,
        on_behalf_of: token === null ? (on_behalf_of ?? null) : (claimsOfDecision(token)?.on_behalf_of ?? null),
        name: text(by),
        note,
        input: input === undefined ? null : hashOf(input),
        outcome,
        attestation: token,
      };
      return { ...from, identity, call: one, calls: names.length, ...words, right, isAccepted: null, whole };
    });
    for (const message of messages.filter(({ call }) => call.length >= SHORTEST_NAME)) {
      const key = message.call.slice(0, SHORTEST_NAME);
      const before = this.all.get(key);
      if (before) before.push(message);
      else this.all.set(key, [message]);
    }
    return messages;
  }
}

/** An approval with an edited input is an edit, not an approval. Older builds did not record the identity of an update's sender. */
function says(message: DecisionMessage, words: Words): boolean {
  const { kind, by, on_behalf_of = null, note = null, attestation = null, input, outcome = null } = words;
  const { channel, identity, until } = words;
  return (
    message.kind === kind &&
    message.by === by &&
    message.on_behalf_of === on_behalf_of &&
    hashOf(message.note) === hashOf(note) &&
    message.attestation === attestation &&
    (input === undefined ? message.input !== null : message.input === input) &&
    (kind !== 'settle' || message.outcome === outcome) &&
    (channel === undefined || message.channel === channel) &&
    (identity === undefined || identity === '' || message.identity === identity) &&
    (until === undefined || message.until === UNKNOWN || hashOf(message.until ?? null) === hashOf(until))
  );
}

/** The words that the person of this decision must have sent. */
export function wordsOf(decided: JsonObject): Words {
  const { decision, digest, by, on_behalf_of, note, attestation, channel, identity, until, value } = decided;
  const edits = decision === 'edit';
  const words = {
    kind: edits ? 'approve' : text(decision),
    digest,
    by,
    on_behalf_of,
    note,
    attestation,
    channel,
    identity,
    until,
  };
  if (edits) return words;
  return { ...words, input: decision === 'answer' ? (hashOf(value) ?? '') : null };
}

/** The principal of a signed decision; null: the token is no decision. */
export function principalOf(token: string): string | null {
  return claimsOfDecision(token)?.principal ?? null;
}

/** `until` in an update's second argument. */
function untilOf(args: Json | undefined): JsonOrUnknown | undefined {
  const second = list(object(args).payloads)[1];
  if (second === undefined) return undefined;
  const waits = firstPayload({ payloads: [second] });
  return waits === UNKNOWN ? UNKNOWN : object(waits).until;
}

function texts(value: Json | undefined): string[] {
  return (typeof value === 'string' ? [value] : list(value)).filter((one) => typeof one === 'string');
}
