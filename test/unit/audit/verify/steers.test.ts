/** Messages that people sent to a running turn: as sent, as given to a step, and as stored (rules H9, B13, D5 and T7). */
import { attestDecision } from '../../../../src/attestation/bundle-signer';
import { Steers } from '../../../../src/audit/verify/steers';
import { SourceComparison } from '../../../../src/audit/verify/source-comparison';
import { hashOf } from '../../../../src/audit/verify/values';
import type { Json, JsonObject } from '../../../../src/shared/json/json';
import { steerDigest } from '../../../../src/shared/approval/decision';
import { GATEWAY_KEY } from '../../../support/bundle-keys';
import { at, GONE, HandRun, payloads, Reports, type Fields } from '../../../support/audit/hand-events';
import { HandTurn } from '../../../support/audit/hand-turn';

const WORDS = 'Wait for the audit.';
const DIGEST = steerDigest(WORDS);
const SAID = { text: WORDS, by: 'ana' };
const STEER = { text: WORDS, by: 'ana', at: at(5), channel: 'signal', identity: 'web' };
const token = (principal = 'ana') => {
  const aud = { namespace: 'n', workflow_id: 'turn/t', first_execution_run_id: 'r' };
  const claims = { aud, digest: DIGEST, decision: 'steer' as const, principal, roles: [], head: null };
  return attestDecision(GATEWAY_KEY, claims, null, Date.parse(at(0)));
};

class Scene {
  readonly turn: HandTurn;
  readonly all: SourceComparison;
  readonly run: HandRun;
  readonly steers: Steers;
  private readonly reports = new Reports();

  constructor(run_id = 'r') {
    this.turn = new HandTurn({ run_id });
    this.all = new SourceComparison(this.turn.history);
    this.all.report = this.reports.report;
    this.steers = new Steers(this.all, this.turn.history, this.turn.blocks);
    this.run = new HandRun((event) => this.steers.event(event));
    this.begin();
  }

  begin(): this {
    this.steers.beginRun();
    this.run.begin();
    return this;
  }

  say(more: Fields = {}, options = {}): this {
    this.run.signal('steer', { ...SAID, ...more }, options);
    return this;
  }

  /** A worker found it valid. */
  check(more: Fields = {}, result: Fields = {}): this {
    this.run.activity('checkSteer', { digest: DIGEST, ...more }, { ok: true, ...result });
    return this;
  }

  give(more: Fields = {}, seconds = 5): string[] {
    this.run.scheduled('takeStep', { steers: [{ ...STEER, ...more }] }, { seconds });
    return this.reports.taken();
  }

  part(body: unknown): string {
    const ref = this.turn.part(body);
    this.steers.part({ ref, part: body === GONE ? null : { v: 'holdfast.part/1', salt: 's', body: body as Json } });
    return ref;
  }

  write(head: unknown, said: unknown, kind: 'message' | 'decision' = 'message'): string[] {
    const parts = [this.part(head), this.part(said)];
    const ref = this.turn.block(kind, parts);
    this.steers.block({ ref, block: { v: 'holdfast.block/1', parent: null, kind, at: at(5), parts } });
    return this.reports.taken();
  }
}

const BEFORE = 'H9: A step was given a message of "ana" before it was said';
const OTHERWISE = 'H9: A step was given a message of "ana" in other words than the signal or update has';
const NOT_GOOD = 'H9: No worker has found the message of "ana" good, and a step was given it';

describe('a message that a step was given (H9)', () => {
  const given = (more: Fields, said: Fields = {}, options = {}) => new Scene().say(said, options).check().give(more);

  it('has the words of its signal or update', () => {
    expect(given({})).toEqual([]);
    for (const more of [{ by: 'rob' }, { channel: 'update' }, { identity: 'x' }])
      expect(given(more)).toEqual([OTHERWISE.replace('ana', more.by ?? 'ana')]);
    expect(given({ text: 'Go.' })).toContain(OTHERWISE);
    expect(given({}, { text: 'Go.' })).toEqual([OTHERWISE]);
    expect(given({ text: undefined })).toContain(OTHERWISE);
    for (const identity of ['', undefined]) expect(given({ identity })).toEqual([]);
    expect(given({ by: null }, { by: undefined })).not.toContain(OTHERWISE);
  });

  it('may be one of several with the same text', () => {
    const scene = new Scene().say({ by: 'rob' }).say().check();
    expect([scene.give(), scene.give({ by: 'rob' })]).toEqual([[], []]);
  });

  it('was sent before its time, and its time is before the step', () => {
    expect(given({}, {}, { seconds: 65 })).toEqual([]);
    expect(given({}, {}, { seconds: 65.001 })).toEqual([OTHERWISE]);
    const scene = () => new Scene().say().check();
    expect(scene().give({ at: at(65) })).toEqual([]);
    expect(scene().give({ at: at(65.001) })).toEqual([BEFORE]);
  });

  it('has as much of its sender’s identity as is kept', () => {
    const long = (identity: string, kept: string) => new Scene().say({}, { identity }).check().give({ identity: kept });
    expect(long('a'.repeat(300), 'a'.repeat(200))).toEqual([]);
    expect(long(`${'a'.repeat(199)}😀`, `${'a'.repeat(199)}\ufffd`)).toEqual([]);
  });

  it('was found valid by a worker', () => {
    expect(new Scene().say().give()).toEqual([NOT_GOOD]);
    expect(
      new Scene()
        .say()
        .check({ digest: steerDigest('Go.') })
        .give(),
    ).toEqual([NOT_GOOD]);
    expect(new Scene().say().check({}, { ok: false }).give()).toEqual([NOT_GOOD]);
    const other = new Scene().say();
    other.run.activity('checkDecision', { digest: DIGEST }, { ok: true });
    expect(other.give()).toEqual([NOT_GOOD]);
    // A message that was found valid in an earlier run stays valid.
    expect(new Scene().say().check().begin().give()).toEqual([]);
    const late = new Scene().say();
    const id = late.run.scheduled('checkSteer', { digest: DIGEST });
    late.begin();
    late.run.completed(id, { ok: true });
    expect(late.give()).toEqual([NOT_GOOD]);
  });

  it('is not checked if a signal was left out, or if the history has lost its beginning', () => {
    const gone = new Scene();
    gone.run.signal('steer', GONE);
    expect(gone.give()).toEqual([]);
    expect(new Scene('later').give()).toEqual([]);
    const activity = new Scene().say();
    activity.all.unknown = true;
    expect(activity.give()).toEqual([]);
    const step = new Scene();
    step.run.scheduled('takeStep', GONE);
    step.run.scheduled('endTurn', { steers: [STEER] });
    expect(step.give({ text: 'Go.' })).toHaveLength(2);
  });

  it('that is signed belongs to its signer', () => {
    const attestation = token();
    const signed = (more: Fields, result: Fields = { principal: 'ana' }) => {
      const scene = new Scene().say({ by: 'eve', attestation }).check({ attestation }, result);
      return scene.give({ attestation, ...more });
    };
    expect(signed({})).toEqual([]);
    expect(signed({ by: 'eve' })).toContain(OTHERWISE.replace('ana', 'eve'));
    expect(signed({ attestation: token('rob') })).toContain(OTHERWISE);
    expect(signed({}, { principal: 'rob' })).toEqual([NOT_GOOD]);
    expect(signed({}, {})).toEqual([NOT_GOOD]);
    expect(new Scene().say({ attestation }).check().give({ attestation })).toEqual([NOT_GOOD]);
    // A bare one is of nobody whom a worker could find.
    expect(new Scene().say().check({}, { principal: 'ana' }).give()).toEqual([NOT_GOOD]);
  });
});

describe('the source of a message to a turn', () => {
  const update = (name: string, value: unknown, answer?: unknown) => {
    const scene = new Scene();
    scene.run.update(name, value, answer);
    return scene.check().give({ channel: 'update', identity: 'api' });
  };

  it('is a signal or an update named steer', () => {
    expect(update('steer', SAID)).toEqual([]);
    expect(update('decide', SAID)).toEqual([OTHERWISE]);
    const signal = new Scene();
    signal.run.signal('approve', SAID);
    expect(signal.check().give()).toEqual([OTHERWISE]);
    const to = new Scene();
    to.run.tell('SIGNAL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED', { signalName: 'steer', input: payloads(SAID), identity: 'web' });
    expect(to.check().give()).toEqual([OTHERWISE]);
  });

  it('may be an update that was admitted or accepted', () => {
    const told = (type: string, attributes: Fields) => {
      const scene = new Scene();
      scene.run.tell(type, attributes);
      return scene.check().give({ channel: 'update', identity: '' });
    };
    const request = { input: { name: 'steer', args: payloads(SAID) } };
    expect(told('WORKFLOW_EXECUTION_UPDATE_ADMITTED', { request })).toEqual([]);
    expect(told('WORKFLOW_EXECUTION_UPDATE_REJECTED', { request })).toEqual([OTHERWISE]);
    expect(told('WORKFLOW_EXECUTION_UPDATE_ACCEPTED', { acceptedRequest: request })).toEqual([]);
  });

  it('is not an update that was answered as not accepted', () => {
    expect(update('steer', SAID, { accepted: true })).toEqual([]);
    expect(update('steer', SAID, { accepted: false })).toEqual([OTHERWISE]);
    expect(update('steer', SAID, GONE)).toEqual([]);
    expect(update('steer', SAID, {})).toEqual([]);
    const other = new Scene();
    other.run.update('steer', SAID);
    const refused = { outcome: { success: payloads({ accepted: false }) } };
    other.run.tell('WORKFLOW_EXECUTION_UPDATE_COMPLETED', { acceptedEventId: '9', ...refused });
    other.run.tell('WORKFLOW_EXECUTION_UPDATE_REJECTED', { acceptedEventId: '2', ...refused });
    other.begin().run.tell('WORKFLOW_EXECUTION_UPDATE_COMPLETED', { acceptedEventId: '2', ...refused });
    expect(other.check().give({ channel: 'update', identity: 'api' })).toEqual([]);
  });

  it('has an object as its payload', () => {
    for (const value of [null, 'text', [SAID]]) {
      const scene = new Scene();
      scene.run.signal('steer', value);
      expect(scene.check().give()).toEqual([OTHERWISE]);
    }
  });
});

describe('a message of the transcript', () => {
  const { text: _, ...head } = STEER;
  const message = { role: 'user', steer: head };
  const said = { type: 'text', text: WORDS };
  const NOT_GIVEN = 'D5: The transcript has a message of "ana" that no step was given';
  const NOT_SAID = 'B13: The transcript has a message of "ana" that no signal or update has';
  const scene = (run_id?: string) => {
    const one = new Scene(run_id).say().check();
    one.turn.start();
    return one;
  };
  const left = (one: Scene) => {
    one.all.unknown = true;
    return one;
  };

  it('was given to a step (D5)', () => {
    const one = scene();
    expect(one.give()).toEqual([]);
    expect(one.write(message, said)).toEqual([]);
    expect([...one.all.hashesInTranscript]).toEqual([hashOf(STEER)]);
    expect(one.write(message, { ...said, text: 'Go.' })).toEqual([NOT_GIVEN]);
    expect(scene().write(message, said)).toEqual([NOT_GIVEN]);
    expect(scene('later').write(message, said)).toEqual([]);
  });

  it('was sent, if it is unknown what steps were given (B13)', () => {
    expect(left(scene()).write(message, said)).toEqual([]);
    expect(left(scene()).write(message, { ...said, text: 'Go.' })).toEqual([NOT_SAID]);
    expect(left(scene('later')).write(message, { ...said, text: 'Go.' })).toEqual([]);
    const gone = left(scene());
    gone.run.signal('steer', GONE);
    expect(gone.write(message, { ...said, text: 'Go.' })).toEqual([]);
  });

  it('is checked only in an own block with a text', () => {
    expect(scene().write({ role: 'user' }, said)).toEqual([]);
    expect(scene().write({ role: 'user', steer: 'none' }, said)).toEqual([]);
    expect(scene().write(GONE, said)).toEqual([]);
    expect(scene().write(message, GONE)).toEqual([]);
    expect(scene().write(message, { type: 'image', text: WORDS })).toEqual([]);
    expect(scene().write(message, { type: 'text', text: 7 })).toEqual([]);
    expect(scene().write('text', said)).toEqual([]);
    expect(scene().write(message, said, 'decision')).toEqual([]);
    expect(new Scene().say().write(message, said)).toEqual([]);
  });

  it('must exist for each message that a step with a result was given (T7)', () => {
    const one = scene();
    one.run.activity('takeStep', { steers: [STEER, 7] }, {});
    expect([...one.all.hashesInHistory]).toEqual([hashOf(STEER), hashOf(7)]);
    const none = scene();
    none.run.scheduled('takeStep', { steers: [STEER] });
    none.run.activity('takeStep', { steers: [STEER] }, GONE);
    none.run.activity('checkSteer', { steers: [STEER] }, {});
    none.run.activity('takeStep', {}, {});
    const id = none.run.scheduled('takeStep', { steers: [STEER] });
    none.begin().run.completed(id, {});
    expect(none.all.hashesInHistory.size).toBe(0);
    expect((none.all as unknown as JsonObject).unknown).toBe(false);
  });
});
