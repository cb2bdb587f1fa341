/**
 * Compares the messages that people sent to a running turn: in the signal or update, in the argument of a step, and in the
 * transcript (rules H9, B13, D5 and T7).
 */
import { CLOCKS_MS } from '../../attestation/trusted-keys';
import { steerDigest } from '../../shared/approval/decision';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { list, object, text } from '../../record/fields';
import type { BlockBody, PartBody } from '../format/lines';
import type { Blocks } from './blocks';
import { quote } from './fault';
import type { History } from './history';
import { LONGEST_IDENTITY, principalOf } from './decision-messages';
import type { SourceComparison } from './source-comparison';
import { attempt, attributesOf, eventType, firstPayload, hashOf, timeOf, UNKNOWN, type JsonOrUnknown } from './values';

/** What one signal or update says. */
interface Message {
  text: Json;
  /** The principal, if it is signed. */
  by: Json;
  attestation: Json;
  channel: 'signal' | 'update';
  identity: string;
  /** ms since 1970, the server's clock. */
  at: number;
  /** The answer to an update refused it. */
  isRefused: boolean;
}

export class Steers {
  /** By the hash of the text. */
  private readonly messages = new Map<string | null, Message[]>();
  /** Updates of this run, by event. */
  private updates = new Map<string, Message>();
  /** Steps and checks of this run, by event. */
  private activities = new Map<string, { type: string; value: JsonObject }>();
  /** Messages that workers found valid, each as a key of `fact`. */
  private readonly good = new Set<string>();
  /** A message was left out: its content is unknown. */
  private unknown = false;
  /** First parts of messages, and texts, by their refs. */
  private readonly heads = new Map<string, JsonObject>();
  private readonly texts = new Map<string, string>();

  constructor(
    private readonly all: SourceComparison,
    private readonly history: History,
    private readonly blocks: Blocks,
  ) {}

  beginRun(): void {
    this.updates = new Map();
    this.activities = new Map();
  }

  event(event: JsonObject): void {
    const type = eventType(event);
    const attributes = attributesOf(event);
    const at = timeOf(event.eventTime);
    if (type === 'WORKFLOW_EXECUTION_SIGNALED' && attributes.signalName === 'steer') {
      const { input, identity } = attributes;
      this.readMessage(firstPayload(input), { channel: 'signal', identity, at });
    }
    if (type === 'WORKFLOW_EXECUTION_UPDATE_ACCEPTED' || type === 'WORKFLOW_EXECUTION_UPDATE_ADMITTED') {
      const { input, meta } = object(attributes.acceptedRequest ?? attributes.request);
      const { name, args } = object(input);
      const { identity } = object(meta);
      const message = name === 'steer' ? this.readMessage(firstPayload(args), { channel: 'update', identity, at }) : null;
      if (message) this.updates.set(text(event.eventId), message);
    }
    if (type === 'WORKFLOW_EXECUTION_UPDATE_COMPLETED') {
      const answer = firstPayload(object(attributes.outcome).success);
      const message = this.updates.get(text(attributes.acceptedEventId));
      if (message && answer !== UNKNOWN) message.isRefused = object(answer).accepted === false;
    }
    if (type === 'ACTIVITY_TASK_SCHEDULED') this.activity(event, at, attributes);
    if (type === 'ACTIVITY_TASK_COMPLETED') this.noteResult(attributes);
  }

  part({ ref, part }: PartBody): void {
    const body = part?.body;
    if (!isJsonObject(body)) return;
    if (isJsonObject(body.steer)) this.heads.set(ref, body.steer);
    if (body.type === 'text' && typeof body.text === 'string') this.texts.set(ref, body.text);
  }

  /** D5; or B13, if it is unknown what steps were given. */
  block({ ref, block }: BlockBody): void {
    const [head = '', textRef = ''] = block.parts;
    const steer = this.heads.get(head);
    const words = this.texts.get(textRef);
    if (block.kind !== 'message' || steer === undefined || words === undefined || !this.blocks.own.has(ref)) return;
    const one = { ...steer, text: words };
    this.all.hashesInTranscript.add(hashOf(one));
    if (this.all.whole && !this.all.hasDecision(one))
      this.all.report('D5', `The transcript has a message of ${quote(steer.by)} that no step was given`);
    if (this.history.whole && this.all.unknown && !this.unknown && !this.wasSaid(one))
      this.all.report('B13', `The transcript has a message of ${quote(steer.by)} that no signal or update has`);
  }

  private readMessage(
    value: JsonOrUnknown,
    from: Pick<Message, 'channel' | 'at'> & { identity: Json | undefined },
  ): Message | null {
    this.unknown ||= value === UNKNOWN;
    if (value === UNKNOWN || !isJsonObject(value)) return null;
    const { text: words = null, attestation = null } = value;
    const by = typeof attestation === 'string' ? principalOf(attestation) : (value.by ?? null);
    const identity = text(from.identity).slice(0, LONGEST_IDENTITY).toWellFormed();
    const message: Message = { ...from, identity, text: words, by, attestation, isRefused: false };
    const alike = this.messages.get(hashOf(words));
    if (alike) alike.push(message);
    else this.messages.set(hashOf(words), [message]);
    return message;
  }

  private wasSaid({ text: words = null, by, attestation = null, channel, identity, at }: JsonObject): boolean {
    return (this.messages.get(hashOf(words)) ?? []).some(
      (one) =>
        !one.isRefused &&
        one.by === by &&
        one.attestation === attestation &&
        one.channel === channel &&
        (identity === undefined || identity === '' || one.identity === identity) &&
        !(one.at > timeOf(at) + CLOCKS_MS),
    );
  }

  private activity({ eventId }: JsonObject, now: number, { activityType, input }: JsonObject): void {
    const type = text(object(activityType).name);
    const payload = firstPayload(input);
    if (!(type === 'takeStep' || type === 'checkSteer') || payload === UNKNOWN) return;
    const { steers, digest, attestation } = object(payload);
    this.activities.set(text(eventId), {
      type,
      value: { steers: steers ?? null, digest: digest ?? null, attestation: attestation ?? null },
    });
    const all = type === 'takeStep' ? list(steers).map(object) : [];
    this.all.noteDecisions(all);
    for (const one of all) this.checkGivenSteer(one, now);
  }

  /** H9 */
  private checkGivenSteer(steer: JsonObject, now: number): void {
    const { by, at, attestation = null } = steer;
    if (timeOf(at) > now + CLOCKS_MS) this.all.report('H9', `A step was given a message of ${quote(by)} before it was said`);
    if (!this.history.whole || this.unknown) return;
    if (!this.wasSaid(steer))
      this.all.report('H9', `A step was given a message of ${quote(by)} in other words than the signal or update has`);
    const digest = attempt(() => steerDigest(text(steer.text)));
    if (!this.all.unknown && !this.good.has(fact(digest, attestation, attestation === null ? null : by)))
      this.all.report('H9', `No worker has found the message of ${quote(by)} good, and a step was given it`);
  }

  private noteResult({ scheduledEventId, result }: JsonObject): void {
    const { type, value } = this.activities.get(text(scheduledEventId)) ?? { type: '', value: {} };
    this.activities.delete(text(scheduledEventId));
    const payload = firstPayload(result);
    if (payload === UNKNOWN) return;
    const { ok, principal = null } = object(payload);
    if (type === 'takeStep') for (const one of list(value.steers)) this.all.hashesInHistory.add(hashOf(one));
    if (type === 'checkSteer' && ok === true) this.good.add(fact(value.digest, value.attestation, principal));
  }
}

function fact(...facts: (Json | undefined)[]): string {
  return JSON.stringify(facts.map((one) => one ?? null));
}
