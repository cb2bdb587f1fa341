/**
 * Takes messages that people send to a running turn. They wait for the next step in order of arrival, also in the next run. The
 * sender of a message that a step has taken counts as a maker of everything proposed from then on.
 */
import { workflowInfo, patched } from '@temporalio/workflow';
import type { TurnContext } from '../../shared/io/activities';
import { samePerson } from '../../shared/approval/approval';
import { sha256Hex } from '../../shared/json/sha256';
import { steerDigest, type Steer, type SteerFields } from '../../shared/approval/decision';
import { checkSteer } from '../activities';
import { now } from '../sandbox/time';
import { isBounded, MANY_EVENTS } from './state-limits';
import { NO_ROOM } from '../approvals/room-for-decisions';
import type { SteeringState, TurnData } from './state';
import { fitsSteering, ignoreSignal } from './state-limits';
import type { InFlight } from '../sandbox/signals';

type SteerOrigin = Pick<Steer, 'channel' | 'identity'>;

/** They are in the arguments of the step that takes them. */
const MOST_WAITING = 20;
/** Their names are in the arguments of every call. */
const MOST_PEOPLE = 20;

export class Steering {
  private checking = 0;
  /** The check of the latest message: the next one is checked after it. */
  private last: Promise<unknown> = Promise.resolve();
  private isOver = false;

  constructor(
    private readonly turn: TurnContext,
    private readonly data: TurnData,
    private readonly inFlight: InFlight,
    /** Called when a message was accepted. */
    private readonly onAccepted: () => void = () => undefined,
  ) {}

  /** Takes a message. Returns why it is ignored, or null if it waits for the next step. */
  say(fields: SteerFields, from: SteerOrigin): string | Promise<string | null> {
    return this.refusalReason() ?? this.later(fields, from);
  }

  /** Why no message is accepted now, or null. Each costs an activity, so junk must not fill a run. */
  refusalReason(): string | null {
    if (this.isOver) return 'the turn has ended';
    if (this.checking + this.steeringState.waiting.length >= MOST_WAITING)
      return `${MOST_WAITING} messages wait for the next step already; send it again after that`;
    const { continueAsNewSuggested: full, historyLength } = workflowInfo();
    if ((full && this.checking > 0) || historyLength >= MANY_EVENTS) return 'the run is full; send it again in a moment';
    return null;
  }

  /** Resolves when every message so far is either accepted or refused: true if one waits. */
  async waits(): Promise<boolean> {
    await this.last;
    return this.steeringState.waiting.length > 0;
  }

  /** True if no message is being checked: then the turn may continue in another run. */
  get still(): boolean {
    return this.checking === 0;
  }

  /** Takes the waiting messages for the step that begins now. */
  pickUp(): Steer[] {
    const { waiting, by, signed } = this.steeringState;
    if (waiting.length === 0) return [];
    this.data.steered = { waiting: [], by: withSenders(by, waiting, this.turn.requester), signed };
    return waiting;
  }

  /** The step has not taken them: it was interrupted or cancelled, or has failed. */
  putBack(steers: Steer[]): void {
    const { waiting } = this.steeringState;
    this.data.steered = { ...this.steeringState, waiting: [...steers, ...waiting] };
  }

  /** Takes no more messages. A message that no step has taken is recorded as ignored. */
  end(): void {
    this.isOver = true;
    for (const { identity } of this.steeringState.waiting)
      ignoreSignal(this.data, { at: now(), signal: 'steer', identity, reason: 'the turn ended before a step could take it' });
    if (this.data.steered) this.data.steered.waiting = [];
  }

  private get steeringState(): SteeringState {
    return this.data.steered ?? { waiting: [], by: [], signed: [] };
  }

  private later(fields: SteerFields, from: SteerOrigin): Promise<string | null> {
    const before = this.last;
    this.checking += 1;
    const result = this.inFlight.during(async () => {
      try {
        await before;
        return await this.accept(fields, from);
      } finally {
        this.checking -= 1;
      }
    });
    this.last = result.catch(() => undefined); // the sender gets the error
    return result;
  }

  private async accept({ text, by, attestation }: SteerFields, from: SteerOrigin): Promise<string | null> {
    const result = await checkSteer({ turn: this.turn, digest: steerDigest(text), attestation, at: now() });
    if (!result.ok) return result.reason;
    if (this.isOver) return 'the turn has ended';
    const { principal } = result;
    if (principal !== null && by !== '' && !samePerson(by, principal)) return `it is signed for ${principal}, and says ${by}`;
    const { channel, identity } = from;
    const signature = attestation === null ? {} : { attestation };
    const steer: Steer = { text, by: principal ?? by, at: now(), channel, identity, ...signature };
    const waiting = [...this.steeringState.waiting, steer];
    if (withSenders(this.steeringState.by, waiting, this.turn.requester).length > MOST_PEOPLE)
      return `${MOST_PEOPLE} people have steered this turn already`;
    const hashes = attestation === null ? [] : [sha256Hex(attestation)];
    if (hashes.some((one) => this.steeringState.signed.includes(one))) return 'it was sent before; sign it anew to say it again';
    const nextState = { ...this.steeringState, waiting, signed: [...this.steeringState.signed, ...hashes] };
    if (!fitsSteering(nextState) && isBounded()) return `${NO_ROOM}; send it again, shorter, or after the next step`;
    this.data.steered = nextState;
    this.onAccepted();
    return null;
  }
}

/** Each person once, without the requester. */
function withSenders(people: string[], messages: Steer[], requester: string): string[] {
  return messages.reduce(
    (names, { by }) => ([requester, ...names].some((one) => samePerson(one, by)) ? names : [...names, by]),
    people,
  );
}

// A person whose words the model reads is a maker of everything that it proposes from then on.

/** Their names are in the arguments of every call. */
const MOST_HEARD = 40;

export function addMakers(data: TurnData, { requester }: Pick<TurnContext, 'requester'>, people: readonly string[]): void {
  const { waiting = [], by = [], signed = [] } = data.steered ?? {};
  const names = people.reduce((names, one) => {
    const isKnown = one === '' || [requester, ...names].some((other) => samePerson(other, one));
    return isKnown || names.length >= MOST_HEARD ? names : [...names, one];
  }, by);
  if (names.length > by.length) data.steered = { waiting, by: names, signed };
}

/** As {@link addMakers}, for the note beside a decision. Older histories do not count it. */
export function addMaker(data: TurnData, turn: Pick<TurnContext, 'requester'>, by: string): void {
  if (patched('words-beside-decisions')) addMakers(data, turn, [by]);
}
