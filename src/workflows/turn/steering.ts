/**
 * Messages that people send to a turn while it runs. They wait for the next step, in the order in which they came, and
 * go on in another run. Whoever's message a step has taken has a hand in all that is proposed from then on.
 */
import { workflowInfo, patched } from '@temporalio/workflow';
import type { TurnContext } from '../../shared/io/activities';
import { samePerson } from '../../shared/approval/approval';
import { sha256Hex } from '../../shared/json/sha256';
import { steerDigest, type Steer, type SteerFields } from '../../shared/approval/decision';
import { checkSteer } from '../activities';
import { now } from '../sandbox/time';
import { isBounded, MANY_EVENTS } from '../sandbox/is-bounded';
import { NO_ROOM } from '../approvals/room-for-decisions';
import type { SteeringState, TurnData } from './state';
import { fitsSteering, ignoreSignal } from './state-limits';
import type { InFlight } from './in-flight';

type SteerOrigin = Pick<Steer, 'channel' | 'identity'>;

/** They travel with the step that takes them. */
const MOST_WAITING = 20;
/** Their names travel with every call. */
const MOST_PEOPLE = 20;

export class Steering {
  private checking = 0;
  /** Of the last one that came: the next is looked at when it has been. */
  private last: Promise<unknown> = Promise.resolve();
  private ended = false;

  constructor(
    private readonly turn: TurnContext,
    private readonly data: TurnData,
    private readonly inFlight: InFlight,
    /** A message was accepted. */
    private readonly onAccepted: () => void = () => undefined,
  ) {}

  /** Takes a message. Answers why it was ignored, or null when it waits for the next step. */
  say(fields: SteerFields, from: SteerOrigin): string | Promise<string | null> {
    return this.refusalReason() ?? this.later(fields, from);
  }

  /** Why no message whatsoever is taken now, or null. Each costs an activity, so that junk must not fill a run. */
  refusalReason(): string | null {
    if (this.ended) return 'the turn has ended';
    if (this.checking + this.steeringState.waiting.length >= MOST_WAITING)
      return `${MOST_WAITING} messages wait for the next step already; send it again after that`;
    const { continueAsNewSuggested: full, historyLength } = workflowInfo();
    if ((full && this.checking > 0) || historyLength >= MANY_EVENTS) return 'the run is full; send it again in a moment';
    return null;
  }

  /** Once all that has come so far is either accepted or not: true when something waits. */
  async waits(): Promise<boolean> {
    await this.last;
    return this.steeringState.waiting.length > 0;
  }

  /** True while nothing is being looked at: then the turn may go on in another run. */
  get still(): boolean {
    return this.checking === 0;
  }

  /** What waits, for the step that begins now. */
  pickUp(): Steer[] {
    const { waiting, by, signed } = this.steeringState;
    if (waiting.length === 0) return [];
    this.data.steered = { waiting: [], by: withSenders(by, waiting, this.turn.requester), signed };
    return waiting;
  }

  /** Nothing is taken any more; what no step has taken is told so. */
  end(): void {
    this.ended = true;
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
    const said = this.inFlight.during(async () => {
      try {
        await before;
        return await this.accept(fields, from);
      } finally {
        this.checking -= 1;
      }
    });
    this.last = said.catch(() => undefined); // whoever has sent it is told
    return said;
  }

  private async accept({ text, by, attestation }: SteerFields, from: SteerOrigin): Promise<string | null> {
    const checked = await checkSteer({ turn: this.turn, digest: steerDigest(text), attestation, at: now() });
    if (!checked.ok) return checked.reason;
    if (this.ended) return 'the turn has ended';
    const { principal } = checked;
    if (principal !== null && by !== '' && !samePerson(by, principal)) return `it is signed for ${principal}, and says ${by}`;
    const { channel, identity } = from;
    const signature = attestation === null ? {} : { attestation };
    const steer: Steer = { text, by: principal ?? by, at: now(), channel, identity, ...signature };
    const waiting = [...this.steeringState.waiting, steer];
    if (withSenders(this.steeringState.by, waiting, this.turn.requester).length > MOST_PEOPLE)
      return `${MOST_PEOPLE} people have steered this turn already`;
    const signed = attestation === null ? [] : [sha256Hex(attestation)];
    if (signed.some((one) => this.steeringState.signed.includes(one))) return 'it was sent before; sign it anew to say it again';
    const steered = { ...this.steeringState, waiting, signed: [...this.steeringState.signed, ...signed] };
    if (!fitsSteering(steered) && isBounded()) return `${NO_ROOM}; send it again, shorter, or after the next step`;
    this.data.steered = steered;
    this.onAccepted();
    return null;
  }
}

/** Each person once; the requester is known anyway. */
function withSenders(people: string[], messages: Steer[], requester: string): string[] {
  return messages.reduce(
    (known, { by }) => ([requester, ...known].some((one) => samePerson(one, by)) ? known : [...known, by]),
    people,
  );
}

// Whoever has said something that the model reads has a hand in all that it proposes from then on.

/** Names of those who have said something travel with every call. */
const MOST_HEARD = 40;

export function addMakers(data: TurnData, { requester }: Pick<TurnContext, 'requester'>, people: readonly string[]): void {
  const { waiting = [], by = [], signed = [] } = data.steered ?? {};
  const added = people.reduce((known, one) => {
    const isKnown = one === '' || [requester, ...known].some((other) => samePerson(other, one));
    return isKnown || known.length >= MOST_HEARD ? known : [...known, one];
  }, by);
  if (added.length > by.length) data.steered = { waiting, by: added, signed };
}

/** As {@link addMakers}, of what stands beside a decision. Histories from before that counted go on as they were. */
export function addMaker(data: TurnData, turn: Pick<TurnContext, 'requester'>, by: string): void {
  if (patched('words-beside-decisions')) addMakers(data, turn, [by]);
}
