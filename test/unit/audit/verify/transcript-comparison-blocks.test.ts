/** What blocks of a transcript and effect records record twice, and what must be there at the end (rules D1 to D7, T7). */
import { hashOf } from '../../../../src/audit/verify/values';
import type { JsonObject } from '../../../../src/shared/json/json';
import type { BlockKind } from '../../../../src/shared/turn/transcript';
import { GONE, HASH, type Fields } from '../../../support/audit/hand-events';
import type { Setting } from '../../../support/audit/hand-comparison';
import { Scene, says } from '../../../support/audit/transcript-scene';

describe('an own block', () => {
  const block =
    (kind: BlockKind, body: object, { own = true } = {}) =>
    (scene: Scene) => {
      if (own) scene.start();
      scene.faults();
      scene.block(kind, [scene.part({ subject: {}, ...body })], { ref: 'b' });
    };

  it('has its parts in the lines of its turn (D7)', () => {
    const elsewhere = (own: boolean, parts = ['of another turn']) => {
      const scene = new Scene();
      if (own) scene.start();
      scene.block('message', [scene.part({ subject: {} }), ...parts]);
      return scene.faults();
    };
    const fault = ['D7: A block of the turn has a part that stands in the lines of another turn'];
    expect([elsewhere(true), elsewhere(true, []), elsewhere(false)]).toEqual([fault, [], []]);
  });

  it('of the start names turn, requester and agent (D1)', () => {
    const start = (scene: Scene) => scene.start({ attestation: 'a', session_id: 's' });
    const facts = [
      'turn_id',
      'workflow_id',
      'first_execution_run_id',
      'agent',
      'requester',
      'session_id',
      'attestation',
      'other',
    ];
    expect(says('turn', '', facts, start)).toBe(
      'turn_id workflow_id first_execution_run_id agent requester session_id attestation',
    );
    expect(new Scene().others('turn', '', { agent: 'clerk' }, start)).toBe('');
  });

  it('of an admission has the usage of its step (D2)', () => {
    const body = { stop_reason: 'end', text: 'x', usage: { input_tokens: 7 } };
    const facts = ['stop_reason', 'input_tokens', 'other'];
    expect(says('step', 'b', facts, block('admission', body))).toBe('stop_reason input_tokens');
    expect(says('step', 'b', facts, block('end', body))).toBe('');
    expect(says('step', 'b', facts, block('admission', body, { own: false }))).toBe('');
  });

  it('of the end has the state of the turn (D6)', () => {
    expect(says('block', 'b', ['state', 'reason'], block('end', { state: 's', reason: 'r' }))).toBe('state reason');
    expect(says('block', 'b', ['state', 'reason'], block('effect', { state: 's', reason: 'r' }))).toBe('');
    expect(
      says(
        'block',
        'b',
        ['state'],
        (scene) => void [scene.start(), scene.block('end', [scene.part({ state: 's' })], { ref: 'b' })],
      ),
    ).toBe('state');
  });

  it('of a decision names the call that people were shown (D3)', () => {
    expect(says('card', 'c', ['digest'], block('decision', { digest: 'd', card_ref: 'c' }))).toBe('digest');
    expect(says('card', 'c', ['digest'], block('effect', { digest: 'd', card_ref: 'c' }))).toBe('');
  });

  it('names its call (D4)', () => {
    const subject = { call_id: '1.1', tool: 'pay', version: '1' };
    expect(says('call', 'd', ['call_id', 'tool', 'version'], block('decision', { digest: 'd', subject }))).toBe(
      'call_id tool version',
    );
  });

  it('of a dispatch names what it dispatches (D4, D6)', () => {
    const body = { digest: 'd', call_id: '1.1', tool: 'pay', idempotency_key: 'k', dispatch: 2 };
    expect(says('block', 'b', ['digest', 'tool', 'key', 'dispatch'], block('dispatch', body))).toBe('digest tool key dispatch');
    expect(says('block', 'b', ['digest', 'tool', 'key', 'dispatch'], block('effect', body))).toBe('');
    expect(says('call', 'd', ['call_id'], block('dispatch', body))).toBe('call_id');
  });

  it('of an outcome has the outcome of the call (D4, D6)', () => {
    const body = {
      digest: 'd',
      call_id: '1.1',
      effect: 'applied',
      recorded: 'in_doubt',
      outcome: 'not_applied',
      result_ref: 'r',
      by: 'ana',
      note: 'n',
      identity: 'i',
    };
    const effect = (kind: BlockKind, said: string, more: object = {}) =>
      new Scene().others('effect', 'b', { effect: said }, block(kind, { ...body, ...more }));
    expect([
      effect('effect', 'applied'),
      effect('settlement', 'in_doubt'),
      effect('settlement', 'not_applied', { recorded: undefined }),
    ]).toEqual(['', '', '']);
    expect([effect('effect', 'x'), effect('settlement', 'x'), effect('dispatch', 'x')]).toEqual(['effect', 'effect', '']);
    for (const kind of ['effect', 'settlement'] as const) {
      expect(says('effect', 'b', ['result_ref', 'digest'], block(kind, body))).toBe('result_ref digest');
      expect(says('call', 'd', ['call_id'], block(kind, body))).toBe('call_id');
      expect(says('result', 'r', ['effect'], block(kind, body))).toBe('effect');
      expect(says('effect', 'b', ['note', 'identity'], block(kind, body), { by: 'ana' })).toBe('note identity');
      expect(says('effect', 'b', ['note', 'identity'], block(kind, body))).toBe('');
    }
  });

  it('of a decision has a decision that activities were given (D5), and counts as stored (T7)', () => {
    const body = { decision: 'approve', digest: 'd', by: 'ana' };
    const decided = (body: object, tell: (scene: Scene) => void = () => undefined, setting: Setting = {}) => {
      const scene = new Scene(setting);
      tell(scene);
      block('decision', body)(scene);
      return { faults: scene.faults(), written: [...scene.all.hashesInTranscript] };
    };
    const other = ['D5: The transcript has a decision that says something else than the history'];
    const given = (scene: Scene) => scene.all.noteDecisions([body]);
    expect(decided(body, given)).toEqual({ faults: [], written: [hashOf(body)] });
    expect([decided(body).faults, decided({ ...body, by: 'rob' }, given).faults]).toEqual([other, other]);
    expect([
      decided(body, (scene) => (scene.all.unknown = true)).faults,
      decided(body, undefined, { run_id: 'later' }).faults,
    ]).toEqual([[], []]);
  });
});

describe('an effect record', () => {
  const record = {
    digest: 'd',
    dispatch: 1,
    tool: 'pay',
    head: 'h',
    result_head: 'e',
    idempotency_key: 'k',
    state: 'refused',
    call_id: '1.1',
    turn_id: 't',
    workflow_id: 'turn/t',
  };
  const effect =
    (more: Fields = {}) =>
    (scene: Scene) =>
      scene.of.effect({ ...record, ...more } as JsonObject);

  it('agrees with its blocks (D4, D6)', () => {
    expect(says('block', 'h', ['tool', 'key', 'dispatch'], effect(), { digest: 'd' })).toBe('tool key dispatch');
    expect(says('block', 'h', ['tool', 'key', 'dispatch'], effect())).toBe('dispatch');
    expect(says('block', 'h', ['digest'], effect())).toBe('digest');
    expect(says('effect', 'e', ['digest'], effect())).toBe('digest');
    expect(says('turn', '', ['turn_id', 'workflow_id'], effect())).toBe('turn_id');
  });

  it('names its blocks, if it acted (D7)', () => {
    const acted = (more: Fields, tell: (scene: Scene) => void = () => undefined, setting: Setting = {}) => {
      const scene = new Scene(setting);
      scene.start();
      tell(scene);
      scene.faults();
      effect({ state: 'applied', ...more })(scene);
      return scene.faults().filter((fault) => fault.startsWith('D7'));
    };
    const [outcome, dispatch] = [
      'D7: The effect record says what became of a call, and names no block of the transcript that says so',
      'D7: The effect record names no block of the transcript in which its call was dispatched',
    ];
    const written = (kind: BlockKind, ref: string) => (scene: Scene) =>
      void scene.block(kind, [scene.part({ subject: {}, digest: 'd', effect: 'applied', idempotency_key: 'k' })], { ref });
    const both = (scene: Scene) => [written('dispatch', 'h'), written('effect', 'e')].forEach((tell) => tell(scene));
    expect([acted({}), acted({ state: 'in_doubt' })]).toEqual([
      [outcome, dispatch],
      [outcome, dispatch],
    ]);
    expect([acted({}, written('effect', 'e')), acted({}, written('dispatch', 'h')), acted({}, both)]).toEqual([
      [dispatch],
      [outcome],
      [],
    ]);
    expect(acted({}, written('settlement', 'e'))).toEqual([dispatch]);
    // A block of another kind says nothing of it.
    expect(acted({}, (scene) => void [written('dispatch', 'h')(scene), written('dispatch', 'e')(scene)])).toEqual([outcome]);
    for (const state of ['claimed', 'not_applied', 'refused']) expect(acted({ state })).toEqual([]);
    expect([acted({}, (scene) => void scene.part(GONE)), acted({}, undefined, { run_id: 'later' })]).toEqual([[], []]);
  });
});

describe('the end of a turn', () => {
  const end = (
    tell: (scene: Scene) => void,
    { parts = [] as string[], blocks = [] as string[], ...setting }: Setting & { parts?: string[]; blocks?: string[] } = {},
  ) => {
    const scene = new Scene(setting);
    tell(scene);
    scene.of.end({ parts: new Set(parts), blocks: new Set(blocks) });
    return scene.faults();
  };
  const missing = (ref: string) => [`D7: The history names something that is not in the bundle (${ref})`];

  it('requires that each step wrote a block of this transcript (D7)', () => {
    const stepped = (ref: string) => (scene: Scene) => {
      scene.run.activity('takeStep', {}, { head: ref, next: 'calls', calls: [] });
      scene.block('admission', [], { ref: 'b' });
    };
    expect(end(stepped('b'))).toEqual(['D7: A step has written a block that is not of the transcript of its turn']);
    expect([end(stepped('c')), end((scene) => void [scene.start(), stepped('b')(scene)])]).toEqual([[], []]);
  });

  it('requires all heads and parts that were named (D7)', () => {
    const head = (scene: Scene) => scene.of.effect({ head: HASH.head, result_head: HASH.other });
    expect(end(head)).toEqual(missing(HASH.head));
    expect(end(head, { blocks: [HASH.head] })).toEqual(missing(HASH.other));
    expect(end(head, { blocks: [HASH.head, HASH.other] })).toEqual([]);
    const shown = (scene: Scene) => void scene.all.namedRefs.add('p'.repeat(70));
    const own = (scene: Scene) => void [shown(scene), scene.part({}, 'p'.repeat(70))];
    expect([end(shown), end(own, { parts: ['p'.repeat(70)] })]).toEqual([missing('p'.repeat(64)), []]);
    // Its line stands in another turn.
    expect(end(shown, { parts: ['p'.repeat(70)] })).toEqual([
      `D7: The history names something that stands in the lines of another turn (${'p'.repeat(64)})`,
    ]);
  });

  it('requires all messages, answers and decisions of the history (T7)', () => {
    const owed = (scene: Scene) => void scene.all.hashesInHistory.add('x');
    const lost = [
      'T7: The history has a message, an answer or a decision that was written down, and the transcript does not have it',
    ];
    expect([end(owed), end((scene) => void [owed(scene), scene.all.hashesInTranscript.add('x')])]).toEqual([lost, []]);
    expect([end((scene) => void [owed(scene), scene.part(GONE)]), end(owed, { run_id: 'later' })]).toEqual([[], []]);
    // That something else was left out does not matter.
    expect(end((scene) => void [owed(scene), (scene.all.unknown = true)])).toEqual(lost);
  });
});
