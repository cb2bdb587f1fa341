/** The comparison of facts that a turn records twice gets every line of the turn (rules D1 to D7). */
import type { BundleContext } from '../../../../src/audit/verify/blocks';
import { BundleFiles } from '../../../../src/audit/verify/file-checks';
import { RecordedRules } from '../../../../src/audit/verify/recorded-rules';
import { RepeatedFactChecks } from '../../../../src/audit/verify/repeated-facts';
import type { Report } from '../../../../src/audit/verify/history';
import type { JsonObject } from '../../../../src/shared/json/json';
import { carrying, event, type Fields } from '../../../support/audit/hand-events';
import { HandComparison, type Looks, type Setting } from '../../../support/audit/hand-comparison';

class Told implements Looks {
  constructor(
    readonly twice: RepeatedFactChecks,
    readonly report: Report,
  ) {}
  readonly beginRun: Looks['beginRun'] = (run) => this.twice.beginRun(run);
  readonly event: Looks['event'] = (one) => this.twice.event(one, this.report);
  readonly part: Looks['part'] = (one) => this.twice.part(one, this.report);
  readonly block: Looks['block'] = (one) => this.twice.block(one, this.report);
}

class Scene extends HandComparison<Told> {
  constructor(setting: Setting = {}) {
    super((all, history, blocks, turn) => {
      const none = {
        definitions: new Map(),
        children: new Map(),
        blocks: new Set<string>(),
        rules: new RecordedRules(),
        files: new BundleFiles(),
      };
      const around: BundleContext = { ...none, hasSessions: true, madeAt: 0 };
      return new Told(new RepeatedFactChecks(turn, history, blocks, around), all.report);
    }, setting);
  }

  session(type: string, value: Fields): string[] {
    this.of.twice.session(event(type, { input: carrying(value), result: carrying(value) }), this.of.report);
    return this.faults();
  }

  effect(record: Fields): string[] {
    this.of.twice.effect(record as JsonObject, this.of.report);
    return this.faults();
  }

  /** The end of the bundle's lines, or a check of the named parts; `parts` are parts that have a line. */
  ends(how: 'end' | 'checkNamedParts', parts: string[] = []): string[] {
    this.of.twice[how]({ parts: new Set(parts), blocks: new Set(), objects: new Set() }, this.of.report);
    return this.faults();
  }
}

it('the start of a run: it does not know the activities of the run before', () => {
  const step = (tell: (scene: Scene) => unknown) => {
    const scene = new Scene();
    const id = scene.run.scheduled('takeStep', {});
    tell(scene);
    scene.run.completed(id, { next: 'end', calls: [{}] });
    return scene.faults().filter((fault) => fault.startsWith('D2: A step says'));
  };
  expect(step(() => undefined)).toHaveLength(1);
  expect(step((scene) => scene.begin('s', { continuedExecutionRunId: 'r' }, 'continued'))).toEqual([]);
});

it('the lines of its session', () => {
  const scene = new Scene();
  scene.run.ends('COMPLETED', { calls: [], session_id: 's' });
  scene.faults();
  expect(scene.session('ACTIVITY_TASK_SCHEDULED', { session_id: 's' })).toEqual([]);
  const other = 'D1: The session says that session_id of the turn is "other", and the turn\'s result says otherwise';
  expect(scene.session('ACTIVITY_TASK_SCHEDULED', { session_id: 'other' })).toEqual([other]);
});

it('its effect records', () => {
  const scene = new Scene();
  scene.faults();
  expect(scene.effect({ turn_id: 't' })).toEqual([]);
  const other = 'D1: The effect record says that turn_id of the turn is "other", and the turn line says otherwise';
  expect(scene.effect({ turn_id: 'other' })).toEqual([other]);
});

it('its end', () => {
  const ends = (...how: Parameters<Scene['ends']>) => {
    const scene = new Scene();
    scene.run.activity('admitCall', { call: { id: '1.1' } }, { ok: true, digest: 'd', card_ref: 'q' });
    scene.faults();
    return scene.ends(...how);
  };
  const missing = ['D7: The history names something that is not in the bundle (q)'];
  expect([ends('end'), ends('checkNamedParts')]).toEqual([missing, missing]);
  const elsewhere = ['D7: The history names something that stands in the lines of another turn (q)'];
  expect([ends('end', ['q']), ends('checkNamedParts', ['q'])]).toEqual([elsewhere, elsewhere]);
});
