/** Errors that the client throws, each with its own name. */
import type { MissingAnswer } from '../temporal/send-update';
import type { TurnView } from '../shared/turn/turn-view';

export { ServerUnreachable } from '../shared/wire/errors';

/** The decision changed nothing; `message` says why. */
export class DecisionNotAccepted extends Error {
  override readonly name = 'DecisionNotAccepted';
}

/** There is no turn of this id. */
export class TurnNotFound extends Error {
  override readonly name = 'TurnNotFound';
  constructor(readonly turnId: string) {
    super(`There is no turn ${JSON.stringify(turnId)} in this namespace. \`holdfast list\` shows the turns that there are.`);
  }
}

/** There is no schedule of this name on the client's task queue. */
export class ScheduleNotFound extends Error {
  override readonly name = 'ScheduleNotFound';
  constructor(readonly schedule: string) {
    super(
      `There is no schedule ${JSON.stringify(schedule.slice(0, 100))} here. \`holdfast schedule list\` shows those that there are.`,
    );
  }
}

/** More than one turn was started under this key, by different principals. */
export class AmbiguousKey extends Error {
  override readonly name = 'AmbiguousKey';
  constructor(key: string, turns: readonly { id: string; requester: string }[]) {
    const ids = turns.map(({ id, requester }) => `${id} (of ${requester})`).join(', ');
    super(`Several principals have used the key ${JSON.stringify(key)}: ${ids}. Name one of these ids.`);
  }
}

/** The idempotency key was used before, for another request. */
export class IdempotencyConflict extends Error {
  override readonly name = 'IdempotencyConflict';
  constructor(readonly turnId: string) {
    const what = turnId.startsWith('call/') ? 'agent, tool, input or options' : 'agent, message or session';
    super(`The id ${JSON.stringify(turnId)} has been used for another ${what}. Use a new id, or send the same request again.`);
  }
}

/** A request that is invalid whatever the server's state: `message` names the field, its value and what is allowed. */
export class InvalidRequest extends TypeError {
  override readonly name = 'InvalidRequest';
}

/** The turn ended while a caller waited for a pending call; `view` is its final view. */
export class TurnEnded extends Error {
  override readonly name = 'TurnEnded';
  constructor(readonly view: TurnView) {
    super(`The turn ${view.turn_id} has ended (${view.state}) and no call waits.${view.reason ? ` ${view.reason}` : ''}`);
  }
}

/** No worker answered in time. `message` states the fate of the request. */
export class NoWorker extends Error {
  override readonly name = 'NoWorker';
  /** True: a worker polled recently; it is slow, or has just ended. False: the server knows of no worker. */
  readonly behind: boolean;
  /** True: the request was taken and has no answer yet, or its fate is unknown. False: it was not taken, and never will be. */
  readonly mayCount: boolean;

  /**
   * @param polledMsAgo when a worker last asked for work; null: none did for longer than a live worker would wait
   * @param fate fate of the request; absent: nothing was sent
   */
  constructor(what: string, polledMsAgo: number | null = null, fate?: MissingAnswer) {
    const mayCount = fate !== undefined && fate.taken !== 'no';
    const todo =
      polledMsAgo === null
        ? 'Start one (`holdfast worker` or `holdfast dev`)'
        : `A worker polled ${Math.round(polledMsAgo / 1000)} s ago: it is overloaded, or has just ended. Wait a moment`;
    const then = mayCount ? 'and check the state before you send it again' : 'and try again';
    super(`No worker answered in time to ${what}${became(fate)}. ${todo}, ${then}.`);
    this.behind = polledMsAgo !== null;
    this.mayCount = mayCount;
  }
}

function became(fate: MissingAnswer | undefined): string {
  if (fate === undefined) return '; nothing was lost or changed';
  if (fate.taken === 'no') return '; the request was not taken, and is not taken later';
  if (fate.taken === 'no answer yet') return '; the request was taken, has no answer yet, and may still count';
  return `; it is not known whether the request was taken, and it may still count (${fate.why.replace(/\.$/, '')})`;
}

/** What a worker said of a turn is no answer: the workflow may be made up. */
export class UnreadableAnswer extends Error {
  override readonly name = 'UnreadableAnswer';
  constructor() {
    super('Its worker gave an answer that cannot be read.');
  }
}

/** There is no session of this id. */
export class SessionNotFound extends Error {
  override readonly name = 'SessionNotFound';
  constructor(readonly sessionId: string) {
    super(
      `There is no session ${JSON.stringify(sessionId)} in this namespace. \`holdfast sessions\` shows those that there are.`,
    );
  }
}

/** The session has no turn yet, so there is nothing to export of it. */
export class SessionEmpty extends Error {
  override readonly name = 'SessionEmpty';
  constructor(readonly sessionId: string) {
    super(`The session ${JSON.stringify(sessionId)} has no turn yet, so there is nothing to export. Send it a message first.`);
  }
}

/** A session cannot be forked at this block. */
export class ForkRefused extends Error {
  override readonly name = 'ForkRefused';
  constructor(
    reason: string,
    /** The nearest earlier block at which it can be; null: there is none. */
    readonly near: string | null,
  ) {
    super(`${reason}${near === null ? '' : ` The nearest place before it is block ${near}.`}`);
  }
}
