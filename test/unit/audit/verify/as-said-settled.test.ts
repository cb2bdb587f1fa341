/** Settlements compared with the signals and updates that gave them (rules H9 and H10). */
import { GONE, type Fields } from '../../../support/audit/hand-events';
import { DIGEST, OTHER, SAID, Scene, token } from '../../../support/audit/decision-checks-scene';

/** How a signed settlement is corrected by another. */
interface SignedWay {
  /** Tasks of the workflow since. */
  count?: number;
  calls?: string[];
  by?: string;
  /** Whether a worker checked the first one again. */
  again?: boolean;
  begin?: (scene: Scene) => void;
  looked?: Fields;
}

describe('a settlement', () => {
  const settle = (scene: Scene, more: Fields = {}, options: { seconds?: number; identity?: string } = {}): Scene => {
    scene.run.signal('settle', { ...SAID, outcome: 'applied', ...more }, options);
    return scene;
  };
  const settled = (scene: Scene, more: Fields = {}) => {
    scene.run.scheduled('settleEffect', {
      call: { digest: DIGEST },
      by: 'ana',
      outcome: 'applied',
      note: null,
      identity: 'web',
      ...more,
    });
    return scene.faults();
  };
  const otherWords = (who = 'ana') => `H9: What "${who}" said of the call stands in other words than the signal or update has`;

  it('has the words of its signal or update (H9)', () => {
    expect(settled(settle(new Scene()))).toEqual([]);
    for (const more of [{ note: 'n' }, { identity: 'x' }, { outcome: 'not_applied' }, { call: { digest: OTHER } }])
      expect(settled(settle(new Scene()), more)).toContain(otherWords());
    expect(settled(settle(new Scene()), { settlements: [{ by: 'rob', outcome: 'applied' }] })).toEqual([otherWords('rob')]);
    expect(settled(new Scene('later'))).toEqual([]);
  });

  it('that is signed was found valid by a worker (H9)', () => {
    const attestation = token({ decision: 'settle', outcome: 'applied' });
    const scene = () => settle(new Scene(), { by: undefined, attestation });
    const notGood = 'H9: No worker has found the signed settlement of "ana" good, and it counted';
    expect(settled(scene(), { attestation })).toEqual([notGood]);
    const good = (more: Fields = {}) => {
      const one = scene().check(attestation, { decision: 'settle', outcome: 'applied', ...more });
      one.faults();
      return settled(one, { attestation });
    };
    expect([good(), good({ decision: 'approve' }), good({ outcome: 'not_applied' })]).toEqual([[], [notGood], [notGood]]);
    const gone = scene();
    gone.run.activity('notify', {}, GONE);
    expect(settled(gone, { attestation })).toEqual([]);
  });

  describe('that its author has corrected before the workflow came to it (H10)', () => {
    const corrected = 'H10: "ana" has said something else of the call since, and it was settled so';
    const tasks = (scene: Scene, count: number) => {
      for (let n = 0; n < count; n++) scene.run.tell('WORKFLOW_TASK_COMPLETED');
      return scene;
    };
    const correct = (more: Fields = {}, count = 2) =>
      tasks(settle(settle(tasks(new Scene(), 3)), { outcome: 'not_applied', ...more }), count);

    it('does not count', () => {
      expect(settled(correct())).toEqual([corrected]);
      expect(settled(correct({ by: ' ANA ' }))).toEqual([corrected]);
      expect(settled(correct({ by: 'rob' }))).toEqual([]);
      expect(settled(correct({ outcome: 'applied' }))).toEqual([]);
      expect(settled(settle(correct(), {}))).toEqual([]);
      const approved = settle(new Scene()).approve({ outcome: 'not_applied' });
      expect(settled(tasks(approved, 2))).toEqual([]);
      expect(settled(tasks(settle(new Scene()).approve(), 2))).toEqual([]);
    });

    it('still counts if the correction may have come too late, or could not be read', () => {
      expect(settled(correct({}, 1))).toEqual([]);
      expect(settled(correct({ strange: 1 }))).toEqual([]);
      expect(settled(correct({ attestation: token() }))).toEqual([]);
      expect(settled(correct({ note: 'n'.repeat(400) }))).toEqual([corrected]);
      expect(settled(correct({ note: 'n'.repeat(401) }))).toEqual([]);
      const gone = correct();
      gone.run.activity('notify', {}, GONE);
      expect(settled(gone)).toEqual([]);
    });

    it('by an update does not count once the update was taken', () => {
      const updated = (answer: unknown, count: number) => {
        const scene = settle(tasks(new Scene(), 3));
        scene.run.update('decide', { ...SAID, decision: 'settle', outcome: 'not_applied' }, answer);
        return settled(tasks(scene, count));
      };
      expect([updated({ accepted: true }, 1), updated({ accepted: true }, 0)]).toEqual([[corrected], []]);
      expect([updated({ accepted: false }, 2), updated(undefined, 2)]).toEqual([[], []]);
    });

    it('in this run, or in the run that it continues, does not count', () => {
      const run = (before: Fields) => {
        const scene = correct().begin('s', 'continued', before);
        return settled(scene);
      };
      expect(run({ continuedExecutionRunId: 'r' })).toEqual([corrected]);
      expect(run({})).toEqual([]);
    });

    it('by a signed settlement does not count once a worker found that settlement valid', () => {
      const [first, second] = (['applied', 'not_applied'] as const).map((outcome) => token({ decision: 'settle', outcome }));
      const signed = ({ count = 2, calls, by = 'ana', again = false, begin = (_: Scene) => {}, looked = {} }: SignedWay = {}) => {
        const scene = tasks(new Scene(), 3);
        const third = token({ decision: 'settle', outcome: 'not_applied', principal: by });
        const other = by === 'ana' ? second! : third;
        settle(scene, { by: undefined, attestation: first! }).check(first!, { decision: 'settle', outcome: 'applied' });
        const named = calls ? { call: undefined, calls, attestation: calls.map(() => other) } : { attestation: other };
        settle(scene, { by: undefined, outcome: 'not_applied', ...named });
        scene.check(other, { decision: 'settle', outcome: 'not_applied', ...looked }, { principal: by });
        if (again) scene.check(first!, { decision: 'settle', outcome: 'applied' });
        tasks(scene, count);
        begin(scene);
        scene.faults();
        return settled(scene, { attestation: first! });
      };
      expect(signed()).toEqual([corrected]);
      expect(signed({ count: 1 })).toEqual([]);
      expect(signed({ calls: [DIGEST, OTHER] })).toEqual([]);
      expect(signed({ by: 'rob' })).toEqual([]);
      for (const looked of [{ decision: 'approve' }, { digest: OTHER }]) expect(signed({ looked })).toEqual([]);
      // A settlement that was checked again counts from the time at which it was first found valid.
      expect(signed({ again: true })).toEqual([corrected]);
      expect(signed({ begin: (scene) => void scene.begin('s', 'continued', { continuedExecutionRunId: 'r' }) })).toEqual([
        corrected,
      ]);
    });
  });
});
