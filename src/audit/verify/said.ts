/** What people said in a turn's history: signals and updates, whatever became of them. */
import { decisionClaims } from '../../attestation/claims';
import { readToken } from '../../attestation/token';
import { list, object, text } from '../case-file/loose';
import { plainName } from '../../shared/approval';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json';
import { attributesOf, eventType, firstPayload, UNKNOWN, type Known } from './values';

/** A prefix of a digest that names a call. */
const SHORTEST_NAME = 12;

interface Saying {
  kind: string;
  /** The beginning of a digest. */
  call: string;
  people: string[];
}

export class Said {
  /** By the beginnings of the digests that they name. */
  private readonly sayings = new Map<string, Saying[]>();
  /** A decision was left out: it may have said anything. */
  private unknown = false;

  hear(event: JsonObject): void {
    const type = eventType(event);
    if (type === 'WORKFLOW_EXECUTION_SIGNALED') {
      const { signalName, input } = attributesOf(event);
      this.note(text(signalName), firstPayload(input));
    }
    if (type === 'WORKFLOW_EXECUTION_UPDATE_ACCEPTED' || type === 'WORKFLOW_EXECUTION_UPDATE_ADMITTED') {
      const { acceptedRequest, request } = attributesOf(event);
      const { name, args } = object(object(acceptedRequest ?? request).input);
      if (name === 'decide') this.note(null, firstPayload(args));
    }
  }

  /** Whether the person has said this of the call so far. */
  has(decision: Json | undefined, digest: Json | undefined, by: Json | undefined): boolean {
    if (this.unknown) return true;
    const kind = decision === 'edit' ? 'approve' : decision;
    const person = plainName(text(by));
    const about = this.sayings.get(text(digest).slice(0, SHORTEST_NAME)) ?? [];
    return about.some((one) => one.kind === kind && text(digest).startsWith(one.call) && one.people.includes(person));
  }

  /** @param kind null: the value says it */
  private note(kind: string | null, value: Known): void {
    if (kind !== null && kind !== 'approve' && kind !== 'deny') return;
    if (value === UNKNOWN) this.unknown = true;
    if (value === UNKNOWN || !isJsonObject(value)) return;
    const { call, calls, by, attestation, decision } = value;
    const signed = texts(attestation).map((token) => principalOf(token));
    const people = [...(typeof by === 'string' ? [by] : []), ...signed].map(plainName);
    for (const named of [...texts(call), ...texts(calls)].filter(({ length }) => length >= SHORTEST_NAME)) {
      const key = named.slice(0, SHORTEST_NAME);
      this.sayings.set(key, [...(this.sayings.get(key) ?? []), { kind: kind ?? text(decision), call: named, people }]);
    }
  }
}

function texts(value: Json | undefined): string[] {
  return (typeof value === 'string' ? [value] : list(value)).filter((one) => typeof one === 'string');
}

/** Whom a signed decision says it is of; empty: it is none. Whether it holds is looked at where it counts. */
function principalOf(token: string): string {
  const read = readToken(token);
  return (read && decisionClaims(read.claims)?.principal) ?? '';
}
