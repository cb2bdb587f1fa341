/** What the history of its session records of a turn, compared with the turn's own (rules H8 and T8). Each case changes one thing. */
import { Attestations } from '../../../../src/audit/verify/attestations';
import { History } from '../../../../src/audit/verify/history';
import { SessionChecks } from '../../../../src/audit/verify/session';
import { hashJson } from '../../../../src/shared/json/digests';
import type { Json, JsonObject } from '../../../../src/shared/json/json';
import { carrying, event, GONE, HandRun, payload, payloads, Reports, TURN, type Fields } from '../../../support/audit/hand-events'; // oxfmt-ignore

const ARGUMENT = { turn_id: 't', session_workflow_id: 'session/s', requester: 'rita', message: 'Pay.' };
const STARTED = {
  workflowType: { name: 'turn' },
  taskQueue: { name: 'q' },
  memo: { fields: { holdfast_of_session: payload({ session_run: 'sr' }), note: payload('n') } },
  searchAttributes: { indexedFields: { HoldfastAgent: payload('clerk') } },
};
const BY = { parentWorkflowExecution: { workflowId: 'session/s', runId: 'sr' }, parentInitiatedEventId: '12' };

interface Given {
  /** `GONE`: it was left out. */
  argument?: unknown;
  started?: Fields;
  run_id?: string;
  /** What else the history of the turn has. */
  tell?: (run: HandRun) => void;
}

/** A session and its turn, which began at 100 s. */
class Scene {
  readonly history: History;
  private readonly session: SessionChecks;
  private readonly reports = new Reports();
  private id = 10;

  constructor({ argument = ARGUMENT, started = BY, run_id = 'r', tell }: Given = {}) {
    this.history = new History(TURN, 'n', new Attestations([]));
    this.session = new SessionChecks(TURN, this.history);
    const run = new HandRun((one) => this.history.event(one, () => undefined));
    this.history.beginRun({ run_id, began: 'start' });
    run.begin({ input: carrying(argument), ...STARTED, ...started }, 100);
    tell?.(run);
  }

  /** @returns the faults of the event */
  tell(type: string, attributes: Fields, { id = (this.id += 1), seconds = 100, run = 'sr' } = {}): string[] {
    this.id = id;
    return this.take(event(type, attributes as JsonObject, { id, seconds }), run);
  }

  take(one: JsonObject, run_id = 'sr'): string[] {
    this.session.event({ run_id, event: one }, this.reports.report);
    return this.reports.taken().map((fault) => fault.replace(/^H8: /, ''));
  }

  /** The message that the turn answers. */
  sent(more: Fields = {}, name = 'send', type = 'ACCEPTED'): string[] {
    const said = { message: 'Pay.', requester: 'rita', ...more };
    const acceptedRequest = { input: { name, args: payloads(said) }, meta: { updateId: 'u' } } as JsonObject;
    const request = type === 'ACCEPTED' ? { acceptedRequest } : { request: acceptedRequest };
    return this.tell(`WORKFLOW_EXECUTION_UPDATE_${type}`, { ...request, protocolInstanceId: 'u' });
  }

  answered(more: Fields = {}, answer: unknown = { turn_id: 't' }): string[] {
    const about = { acceptedEventId: '11', meta: { updateId: 'u' }, outcome: { success: carrying(answer) } };
    return this.tell('WORKFLOW_EXECUTION_UPDATE_COMPLETED', { ...about, ...more });
  }

  begun(more: Fields = {}, { id = 12, seconds = 100, run = 'sr' } = {}): string[] {
    const about = { workflowId: 'turn/t', input: payloads(ARGUMENT), ...STARTED };
    return this.tell('START_CHILD_WORKFLOW_EXECUTION_INITIATED', { ...about, ...more }, { id, seconds, run });
  }

  child(more: Fields = {}, seconds = 100): string[] {
    const workflowExecution = { workflowId: 'turn/t', runId: 'r' };
    const about = { workflowExecution, workflowType: { name: 'turn' }, initiatedEventId: '12', ...more };
    return this.tell('CHILD_WORKFLOW_EXECUTION_STARTED', about, { seconds });
  }

  looks(value: unknown = { turn_id: 't' }, more: Fields = {}): string[] {
    const about = { activityType: { name: 'lookAtTurn' }, activityId: '7', taskQueue: { name: 'q' }, input: carrying(value) };
    return this.tell('ACTIVITY_TASK_SCHEDULED', { ...about, ...more }, { id: 20 });
  }

  found(result: unknown, seconds = 200, scheduledEventId = '20'): string[] {
    return this.tell('ACTIVITY_TASK_COMPLETED', { scheduledEventId, result: carrying(result) }, { id: 21, seconds });
  }

  end(): string[] {
    this.session.end(this.reports.report);
    return this.reports.taken();
  }
}

it('all that the session records of the turn agrees with it', () => {
  const scene = new Scene();
  expect([scene.sent(), scene.begun(), scene.child(), scene.answered(), scene.looks(), scene.end()].flat()).toEqual([]);
});

describe('the events of a session', () => {
  const OUT_OF_ORDER = 'The events of the session are not in the order of its history';
  const fired = (scene: Scene, id: number, more: object = {}) =>
    scene.tell('TIMER_FIRED', {}, { id, ...more }).filter((fault) => !fault.includes('says nothing of the turn'));

  it('are in its order, run after run', () => {
    const scene = new Scene();
    expect([fired(scene, 11), fired(scene, 13), fired(scene, 2, { run: 'next' })]).toEqual([[], [], []]);
    expect(fired(scene, 2, { run: 'next' })).toEqual([OUT_OF_ORDER]);
    expect(fired(scene, 14)).toEqual([OUT_OF_ORDER]);
  });

  it.each(['0', '01', '1234567890123456', 'x', 7])('are numbered: %j is no number', (eventId) => {
    const one = { ...event('TIMER_FIRED', {}, { seconds: 100 }), eventId };
    expect(new Scene().take(one)).toContain(OUT_OF_ORDER);
  });

  it('may have any number that every reader can hold exactly', () => {
    const one = { ...event('TIMER_FIRED', {}, { seconds: 100 }), eventId: '123456789012345' };
    expect(new Scene().take(one)).not.toContain(OUT_OF_ORDER);
  });

  it('have times in that order', () => {
    const early = 'The event lies before an event of the session that came before it: the times were changed';
    const scene = new Scene();
    expect(fired(scene, 11, { seconds: 200 })).toEqual([]);
    expect(fired(scene, 12, { seconds: 140 })).toEqual([]);
    expect(fired(scene, 13, { seconds: 139.999 })).toEqual([early]);
    expect(fired(scene, 14, { seconds: 500, run: 'next' })).toEqual([]);
    expect(fired(scene, 15, { seconds: 439, run: 'next' })).toEqual([early]);
    const timeless = { ...event('TIMER_FIRED', {}, { id: 16 }), eventTime: 'never' };
    expect(scene.take(timeless, 'next')).toContain(early);
  });

  it('belong to a turn of a session', () => {
    const none = 'The turn is of no session, and events of one stand in it';
    expect(new Scene({ argument: { turn_id: 't' } }).answered({ acceptedEventId: '1' })).toContain(none);
    expect(new Scene({ argument: GONE }).begun()).toEqual([]);
  });

  it('are about the turn', () => {
    expect(new Scene().tell('TIMER_FIRED', {})).toEqual(['The event of the session says nothing of the turn']);
  });
});

describe('the message that the session was sent', () => {
  it('is the one with which the turn was started', () => {
    for (const name of ['message', 'requester', 'attestation', 'callback_ref'])
      expect(new Scene().sent({ [name]: 'other' })).toEqual([
        `The session was sent another ${name} than the turn was started with`,
      ]);
    expect(new Scene({ argument: { ...ARGUMENT, attestation: 'a' } }).sent({ attestation: 'a' })).toEqual([]);
    expect(new Scene({ argument: { ...ARGUMENT, attestation: 'a' } }).sent()).toHaveLength(1);
    expect(new Scene({ argument: GONE }).sent({ message: 'other' })).toEqual([]);
  });

  it('is sent as a message', () => expect(new Scene().sent({}, 'close')).toEqual(['What the session was sent is no message']));

  it('may have been admitted before it was accepted, and been left out', () => {
    const scene = new Scene();
    expect(scene.sent({}, 'send', 'ADMITTED')).toEqual([]);
    expect(new Scene().sent({ message: 'other' }, 'send', 'ADMITTED')).toHaveLength(1);
    expect(scene.tell('WORKFLOW_EXECUTION_UPDATE_ACCEPTED', { protocolInstanceId: 'u' })).toEqual([]);
    const input = { name: 'send', args: { payloads: [{ redacted: true }] } };
    expect(scene.tell('WORKFLOW_EXECUTION_UPDATE_ACCEPTED', { acceptedRequest: { input } })).toEqual([]);
  });
});

describe('the answer to that message', () => {
  const another = 'The session has answered another message than this';
  const answered = (more: Fields, answer?: unknown, sent = true) => {
    const scene = new Scene();
    if (sent) scene.sent();
    return answer === undefined ? scene.answered(more) : scene.answered(more, answer);
  };

  it('answers this message, not another', () => {
    expect(answered({})).toEqual([]);
    expect(answered({ acceptedEventId: '9' })).toEqual([another]);
    expect(answered({ meta: { updateId: 'other' } })).toEqual([another]);
    expect(answered({ meta: undefined, protocolInstanceId: 'u' })).toEqual([]);
    expect(answered({ meta: undefined, protocolInstanceId: 'other' })).toEqual([another]);
    expect(answered({ acceptedEventId: '9' }, undefined, false)).toEqual([]);
  });

  it('names the turn, which did not exist before', () => {
    expect(answered({}, { turn_id: 'u' })).toEqual(['The event of the session is about turn "u"']);
    expect(answered({}, 'none')).toEqual(['The event of the session is about turn null']);
    const again = 'The session has had the message before, for a turn that was there already';
    expect(answered({}, { turn_id: 't', again: true })).toEqual([again]);
    expect(answered({}, { turn_id: 't', again: 'true' })).toEqual([]);
    expect(answered({}, GONE)).toEqual([]);
  });
});

describe('the start of the turn by its session', () => {
  const notThis = 'The turn was not started by this event of the session';
  const other = (what: string) => `The session has started the turn with another ${what} than the turn has`;

  it('is the event that Temporal names as the start', () => {
    expect(new Scene().begun()).toEqual([]);
    expect(new Scene().begun({ workflowId: 'turn/u' })).toEqual([notThis]);
    expect(new Scene().begun({}, { id: 13 })).toEqual([notThis]);
    expect(new Scene().begun({}, { run: 'other' })).toEqual([notThis]);
    expect(new Scene({ started: {} }).begun({}, { id: 13, run: 'other' })).toEqual([]);
    expect(new Scene({ started: {} }).begun({ workflowId: 'turn/u' })).toEqual([notThis]);
    const elsewhere = { ...BY, parentWorkflowExecution: { workflowId: 'session/u', runId: 'sr' } };
    expect(new Scene({ started: elsewhere }).begun()).toEqual(['The turn was started by another workflow than its session']);
  });

  it('comes before the turn', () => {
    const late = 'The session has started the turn after it began: a time was changed';
    expect(new Scene().begun({}, { seconds: 160 })).toEqual([]);
    expect(new Scene().begun({}, { seconds: 160.001 })).toEqual([late]);
    expect(new Scene({ run_id: 'later' }).begun({}, { seconds: 160.001 })).not.toContain(late);
  });

  it('has the argument of the turn', () => {
    expect(new Scene().begun({ input: payloads({ ...ARGUMENT, more: 1 }) })).toEqual([other('argument')]);
    expect(new Scene({ argument: GONE }).begun({ input: payloads({}) })).toEqual([]);
    expect(new Scene().begun({ input: carrying(GONE) })).toEqual([]);
  });

  it('has the type, queue, memo and search attributes of the turn', () => {
    const memo = (fields: Fields) => ({ memo: { fields: { ...STARTED.memo.fields, ...fields } } });
    expect(new Scene().begun({ workflowType: { name: 'session' } })).toEqual([other('type')]);
    expect(new Scene().begun({ workflowType: {} })).toEqual([other('type')]);
    expect(new Scene().begun({ taskQueue: { name: 'other' } })).toEqual([other('task queue')]);
    expect(new Scene().begun(memo({ note: payload('m') }))).toEqual([other('note')]);
    expect(new Scene().begun(memo({ more: payload('m') }))).toEqual([other('more')]);
    expect(new Scene().begun(memo({ note: { redacted: true } }))).toEqual([]);
    // The server may add to it.
    expect(new Scene().begun({ memo: {} })).toEqual([]);
    expect(new Scene().begun({ memo: { fields: {} }, searchAttributes: null })).toEqual([]);
    expect(new Scene().begun({ searchAttributes: { indexedFields: { HoldfastAgent: payload('other') } } })).toEqual([
      other('HoldfastAgent'),
    ]);
    const left = { ...BY, memo: { fields: { holdfast_of_session: { redacted: true }, note: { redacted: true } } } };
    expect(new Scene({ started: left }).begun()).toEqual([]);
    expect(new Scene({ started: {} }).begun({ taskQueue: { name: 'other' }, memo: { fields: { note: payload('m') } } })).toEqual(
      [],
    );
  });
});

describe('the confirmation that the session got of the start', () => {
  it('names the workflow and the run of the turn', () => {
    const run = 'The session has started another run than the one that the turn began with';
    const workflow = 'The session has started another workflow than the turn';
    expect(new Scene().child()).toEqual([]);
    expect(new Scene().child({ workflowExecution: { workflowId: 'turn/t', runId: 's' } })).toEqual([run]);
    expect(new Scene().child({ workflowExecution: { workflowId: 'turn/u', runId: 'r' } })).toEqual([workflow]);
    expect(new Scene().child({ workflowType: { name: 'session' } })).toEqual([workflow]);
    expect(new Scene({ started: {} }).child({ workflowType: { name: 'session' } })).toEqual([]);
    expect(new Scene({ started: {} }).child({ workflowExecution: { workflowId: 'turn/u', runId: 'r' } })).toEqual([workflow]);
  });

  it('answers the request of the session', () => {
    const scene = new Scene();
    scene.begun();
    expect(scene.child({ initiatedEventId: '11' })).toEqual(['The session has started something else than it asked for']);
    expect(new Scene().child({ initiatedEventId: '11' })).toEqual([]);
  });

  it('comes after the turn began', () => {
    const early = 'The turn began after the session was told so: a time was changed';
    expect(new Scene().child({}, 40)).toEqual([]);
    expect(new Scene().child({}, 39.999)).toEqual([early]);
    expect(new Scene({ run_id: 'later' }).child({}, 39.999)).not.toContain(early);
  });
});

describe('the request of the session for the end of the turn', () => {
  it('is one activity, on the workers of the turn', () => {
    const other = 'The session has asked for something else than how the turn ended';
    expect(new Scene().looks()).toEqual([]);
    expect(new Scene().looks(undefined, { activityType: { name: 'runCall' } })).toEqual([other]);
    for (const activityId of ['0', 'x', '12345678901234567'])
      expect(new Scene().looks(undefined, { activityId })).toEqual([other]);
    const workers = 'The session has asked other workers than those of the turn';
    expect(new Scene().looks(undefined, { taskQueue: { name: 'other' } })).toEqual([workers]);
    expect(new Scene({ started: {} }).looks(undefined, { taskQueue: { name: 'other' } })).toEqual([]);
  });

  it('is about this turn', () => {
    expect(new Scene().looks({ turn_id: 'u' })).toEqual(['The event of the session is about turn "u"']);
    expect(new Scene().looks(GONE)).toEqual([]);
  });

  it('names the message of the turn, and the run of the session that had it', () => {
    const of = { session_run: 'sr', message_hash: hashJson('Pay.') };
    const looks = (more: Fields, given: Given = {}) => new Scene(given).looks({ turn_id: 't', of: { ...of, ...more } as Json });
    const message = 'The session has asked about the turn of another message';
    expect(looks({})).toEqual([]);
    expect(looks({ message_hash: 'other' })).toEqual([message]);
    expect(looks({ message_hash: undefined })).toEqual([message]);
    expect(looks({ message_hash: 'other' }, { argument: GONE })).toEqual([]);
    const { message: _, ...silent } = ARGUMENT;
    expect(looks({ message_hash: 'other' }, { argument: silent })).toEqual([]);
    const run = 'The session has asked about a turn of another run of it';
    expect(looks({ session_run: 'other' })).toEqual([run]);
    expect(looks({ session_run: undefined })).toEqual([run]);
    expect(looks({ session_run: 'other' }, { started: {} })).toEqual([]);
    const memo = (fields: Fields) => ({ started: { ...BY, memo: { fields } as JsonObject } });
    expect(looks({ session_run: 'other' }, memo({}))).toEqual([]);
    expect(looks({ session_run: 'other' }, memo({ holdfast_of_session: { redacted: true } }))).toEqual([]);
    expect(looks({ session_run: undefined }, memo({ holdfast_of_session: payload({}) }))).toEqual([]);
  });
});

describe('the end of the turn, as the session was told it', () => {
  const ends = (run: HandRun) => {
    run.activity('endTurn', {}, { head: 'h' }, 150);
    run.tell('WORKFLOW_EXECUTION_COMPLETED', {}, 200);
  };
  const found = (result: unknown, { seconds = 200, ...given }: Given & { seconds?: number } = {}) => {
    const scene = new Scene({ tell: ends, ...given });
    scene.looks();
    return scene.found(result, seconds);
  };
  const another = 'The session has found another end of the turn than the turn has';

  it('answers a request of the session', () => {
    const scene = new Scene({ tell: ends });
    scene.looks();
    expect(scene.found({ head: 'h' }, 200, '19')).toEqual(['The session asked nothing that this answers']);
    expect(new Scene({ tell: ends }).found({ head: 'h' })).toHaveLength(1);
  });

  it('names the last head of the turn', () => {
    expect(found({ head: 'h' })).toEqual([]);
    expect(found({ head: 'other' })).toEqual([another]);
    expect(found({ head: null })).toEqual([another]);
    expect(found({})).toEqual([]);
    expect(found(GONE)).toEqual([]);
  });

  it('may have no head if the turn still runs, or has lost its beginning', () => {
    const runs = { tell: (run: HandRun) => run.activity('endTurn', {}, { head: 'h' }, 150) };
    expect(found({ head: null }, runs)).toEqual([]);
    expect(found({ head: 'other' }, runs)).toEqual([another]);
    expect(found({ head: null, state: 'lost' }, runs)).toEqual([]);
    expect(found({ head: null }, { run_id: 'later' })).toEqual([]);
    const gone = (run: HandRun) => run.activity('endTurn', {}, GONE, 150);
    expect(found({ head: 'other' }, { tell: gone })).toEqual([]);
  });

  it('does not say lost if the turn has ended', () => {
    expect(found({ state: 'lost' })).toEqual(['The session has not found the turn, and the turn has ended']);
    expect(found({ state: 'lost' }, { run_id: 'later' })).toEqual([]);
  });

  it('comes after the turn ended', () => {
    const early = 'The session has found the end of the turn before the turn ended: a time was changed';
    expect(found({ head: 'h' }, { seconds: 140 })).toEqual([]);
    expect(found({ head: 'h' }, { seconds: 139.999 })).toEqual([early]);
    const runs = { tell: (run: HandRun) => run.activity('endTurn', {}, { head: 'h' }, 200) };
    expect(found({ head: 'h' }, { ...runs, seconds: 139.999 })).toEqual([]);
    expect(found({ head: 'h' }, { run_id: 'later', seconds: 139.999 })).toEqual([]);
  });

  it('may be that of an earlier run if the turn was reset', () => {
    const scene = new Scene({ tell: ends });
    scene.history.beginRun({ run_id: 'again', began: 'reset' });
    scene.looks();
    expect(scene.found({ head: 'other' }, 110)).toEqual([]);
  });
});

describe('the session’s lines of a turn (T8)', () => {
  const missing = ['T8: The turn is of a session, and what the session says of its message or its start is missing'];
  const all = ['sent', 'begun', 'answered'] as const;

  it('include the message, the start and the answer', () => {
    for (const without of all) {
      const scene = new Scene();
      for (const one of all) if (one !== without) scene[one]();
      expect([without, scene.end()]).toEqual([without, missing]);
    }
  });

  it('are not required of turns without a session, or if it is unknown whether there is one', () => {
    for (const given of [{ argument: { turn_id: 't' } }, { argument: GONE }, { run_id: 'later' }]) {
      expect(new Scene(given).end()).toEqual([]);
    }
  });
});
