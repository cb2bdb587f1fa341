/** What stands twice in transcript and effect records: parts, blocks, records (rules D1 to D8). */
import { TwiceInTranscript } from '../../../../src/audit/verify/twice-in-transcript';
import { hashOf } from '../../../../src/audit/verify/values';
import type { JsonObject } from '../../../../src/shared/json';
import type { BlockKind } from '../../../../src/shared/transcript';
import { GONE, HASH, type Fields } from '../../../support/audit/hand-events';
import { HandTwice, type Setting } from '../../../support/audit/hand-twice';

class Scene extends HandTwice<TwiceInTranscript> {
  constructor(setting: Setting = {}) {
    super((all, history, blocks) => new TwiceInTranscript(all, history, blocks), setting);
  }

  /** The facts of a subject that the next have said in another way than this, each in one. */
  others(subject: Parameters<Scene['all']['tell']>[0], name: string, facts: Fields, tell: (scene: Scene) => unknown): string {
    this.all.tell(subject, name, facts, 'the history');
    this.faults();
    tell(this);
    return this.faults()
      .map((fault) => /that (\w+) of/.exec(fault)?.[1] ?? fault)
      .join(' ');
  }
}

/** Which of these facts the lines say, each told otherwise before. */
function says(
  subject: Parameters<Scene['all']['tell']>[0],
  name: string,
  facts: string[],
  tell: (scene: Scene) => unknown,
  before: Fields = {},
): string {
  return facts
    .filter((fact) =>
      new Scene()
        .others(subject, name, { ...before, [fact]: 'other' }, tell)
        .split(' ')
        .includes(fact),
    )
    .join(' ');
}

describe('the part of a call that was asked for (D2)', () => {
  const said = {
    call_id: '1.1',
    tool: 'pay',
    version: '1',
    class: 'write',
    verdict: 'ask',
    reason: 'r',
    error: null,
    undecided: {},
    tool_use_id: 'u',
  };
  const body = { ...said, input: { a: 1 } };
  const facts = { ...said, input_hash: hashOf({ a: 1 }) };
  const told = (more: Fields, part: unknown = body) =>
    new Scene().others('asked', 'p', { ...facts, ...more }, (scene) => scene.part(part, 'p'));

  it('says what the step has said', () => {
    expect(told({})).toBe('');
    for (const fact of Object.keys(facts)) expect(told({ [fact]: 'other' })).toBe(fact);
    expect(told({ tool: 'other' }, GONE)).toBe('');
    expect(told({ tool: 'other' }, 'text')).toBe('');
    expect(told({ call_id: undefined, tool: 'other' })).toBe('');
  });

  it('has so much of the model’s own id as is kept', () => {
    expect(told({ tool_use_id: 'x'.repeat(200) }, { ...body, tool_use_id: 'x'.repeat(300) })).toBe('');
    expect(told({ tool_use_id: '' }, { ...body, tool_use_id: 7 })).toBe('');
  });

  it('says of whom the rules were asked', () => {
    const of = { ...body, facts: { turn: { agent: 'clerk', requester: 'rita', untrusted: true } } };
    const asked = (turn: Fields, more: Fields = {}) => {
      const scene = new Scene();
      scene.all.tell('turn', '', turn, 'the history');
      return scene.others('asked', 'p', { ...facts, ...more }, () => scene.part(of, 'p'));
    };
    expect([
      asked({ agent: 'clerk', requester: 'rita' }, { untrusted: true }),
      asked({ agent: 'x' }),
      asked({ requester: 'x' }),
      asked({}, { untrusted: false }),
    ]).toEqual(['', 'agent', 'requester', 'untrusted']);
  });

  it('says what the call acts on', () => {
    const target = { account: 7 };
    const acts = (subject: 'asked' | 'card', hash: unknown, part: JsonObject) =>
      new Scene().others(subject, 'p', { target_hash: hash as string }, (scene) => scene.part(part, 'p'));
    for (const subject of ['asked', 'card'] as const) {
      expect([acts(subject, hashOf(target), { target }), acts(subject, null, {}), acts(subject, null, { target: 'x' })]).toEqual([
        '',
        '',
        '',
      ]);
      expect([acts(subject, 'x', { target }), acts(subject, 'x', {}), acts(subject, null, { target })]).toEqual([
        'target_hash',
        'target_hash',
        'target_hash',
      ]);
    }
    expect(new Scene().others('asked', 'p', {}, (scene) => scene.part({ target }, 'p'))).toBe('');
  });
});

it('the part that people were shown is of the call, and of who has made it (D3)', () => {
  const card = { digest: 'd', card: 'Pay.', call_id: '1.1', makers: ['ana'] };
  const shown = (facts: Fields, body: unknown = card) => new Scene().others('card', 'p', facts, (scene) => scene.part(body, 'p'));
  expect([shown({ digest: 'd', text: 'Pay.', call_id: '1.1', makers: ['ana'] }), shown({ digest: 'd', text: 'x' })]).toEqual([
    '',
    'text',
  ]);
  expect([shown({ digest: 'x' }), shown({ digest: 'd', call_id: '1.2' }), shown({ makers: [] }), shown({ text: 'x' })]).toEqual([
    'digest',
    'call_id',
    'makers',
    '',
  ]);
  expect([shown({ makers: [] }, {}), shown({ makers: ['ana'] }, {})]).toEqual(['', 'makers']);
});

it('what people were asked with is a card (D3)', () => {
  const shown = (part: unknown, facts: Fields = { digest: 'd' }) => {
    const scene = new Scene();
    scene.all.tell('card', 'p', facts as JsonObject, 'the history');
    scene.part(part, 'p');
    return scene.faults().filter((fault) => fault.includes('no card'));
  };
  const none = ['D3: What people are said to have been asked with is no card'];
  expect(shown({ digest: 'd', card: 'Pay?' })).toEqual([]);
  for (const part of [
    { digest: 'd' },
    { card: 'Pay?' },
    { digest: 7, card: 'Pay?' },
    { digest: 'd', card: 7 },
    {},
    'a text',
    [],
    null,
  ])
    expect([shown(part), shown(part, { call_id: '1.1' })]).toEqual([none, []]);
  expect(shown(GONE)).toEqual([]);
});

describe('the part of a result (D6)', () => {
  const envelope = { success: true, data: 7, metadata: { tool_name: 'pay', tool_version: '1', trace_id: 'x' } };
  const body = { envelope, summary: 's', call_id: '1.1', turn_id: 't', session_id: 'u' };
  const facts = {
    state: 'succeeded',
    summary: 's',
    call_id: '1.1',
    success: true,
    tool: 'pay',
    version: '1',
    answer: hashOf(envelope),
  };
  const told = (more: Fields, part: unknown = body) =>
    new Scene().others('result', 'p', { ...facts, ...more }, (scene) => scene.part(part, 'p'));

  it('says what the activity has told', () => {
    expect(told({})).toBe('');
    for (const fact of ['summary', 'call_id', 'success', 'tool', 'version', 'answer'])
      expect(told({ [fact]: 'other' })).toBe(fact);
    expect(told({ state: undefined, summary: 'other', answer: undefined })).toBe('');
    const failed = { ...body, envelope: { success: false, error: { code: 'X' } } };
    const error = (said: unknown, part: unknown) =>
      new Scene().others('result', 'p', { state: 'failed', error: said as JsonObject }, (scene) => scene.part(part, 'p'));
    expect([
      error({ code: 'X' }, failed),
      error({ code: 'Y' }, failed),
      error({ code: 'Y' }, { ...body, envelope: { error: { code: 'X' } } }),
    ]).toEqual(['', 'error', '']);
  });

  it('says of which turn it is', () => {
    const of = (fact: string) => {
      const scene = new Scene();
      scene.all.tell('turn', '', { [fact]: 'other' }, 'the history');
      return scene.others('result', 'p', { state: 'succeeded' }, () => scene.part(body, 'p'));
    };
    expect(['turn_id', 'session_id', 'trace_id', 'agent'].map(of)).toEqual(['turn_id', 'session_id', 'trace_id', '']);
  });

  it('that is long was answered with addresses of its data', () => {
    const large = (bytes: number) => {
      const long = { ...envelope, data: '' };
      long.data = 'a'.repeat(bytes - Buffer.byteLength(JSON.stringify(long)));
      return told({ answer: 'x' }, { ...body, envelope: long });
    };
    expect([large(128 * 1024), large(128 * 1024 + 1)]).toEqual(['answer', '']);
    expect(told({ answer: 'x' }, { ...body, envelope: undefined })).toContain('answer');
  });

  it('is what the model is told of it (D8)', () => {
    const agrees = (text: string, lines: (scene: Scene) => void) => {
      const scene = new Scene();
      scene.all.told.outcome({ tool_use_id: 'u', state: 'succeeded', result_ref: 'p', error: null });
      scene.all.tell('result', 'p', { state: 'succeeded' }, 'the history');
      scene.part({ envelope: { success: true, data: 7 }, inline: true }, 'p');
      scene.part({ role: 'user' }, 'head');
      scene.part({ type: 'tool_result', tool_use_id: 'u', content: [{ type: 'text', text }] }, 'one');
      lines(scene);
      scene.of.end({ parts: new Set(), blocks: new Set() });
      return scene.faults();
    };
    const answered = (scene: Scene) => {
      scene.start();
      scene.block('admission', []);
      scene.block('message', ['head', 'one']);
    };
    const other = ['D8: The transcript tells the model something else of a call than became of it'];
    const [right, wrong] = [JSON.stringify({ success: true, data: 7 }), JSON.stringify({ success: true, data: 8 })];
    expect([agrees(right, answered), agrees(wrong, answered)]).toEqual([[], other]);
    // Before its own first answer a turn closes calls of an earlier one.
    const before = (scene: Scene) => {
      scene.start();
      scene.block('message', ['head', 'one']);
      scene.block('admission', []);
    };
    expect(agrees(wrong, before)).toEqual([]);
    expect(agrees(wrong, (scene) => void [scene.block('admission', []), scene.block('message', ['head', 'one'])])).toEqual([]);
    expect(agrees(wrong, (scene) => void [answered(scene), scene.part(GONE)])).toEqual([]);
    expect(agrees(wrong, (scene) => void [answered(scene), (scene.all.unknown = true)])).toEqual([]);
    const elsewhere = (scene: Scene) => {
      scene.start();
      scene.block('admission', []);
      scene.block('message', ['head', 'one'], { parent: 'elsewhere' });
      scene.block('summary', ['head', 'one']);
    };
    expect(agrees(wrong, elsewhere)).toEqual([]);
  });
});

describe('the part of a result', () => {
  it('has an envelope (D6)', () => {
    const told = (body: unknown) => {
      const scene = new Scene();
      scene.all.tell('result', 'p', { state: 'in_doubt' }, 'the history');
      scene.part(body, 'p');
      return scene.faults();
    };
    const none = ['D6: What is said to be the result of a call is no result'];
    expect([told({ envelope: {} }), told({ envelope: 'x' }), told({ role: 'user' }), told('x')]).toEqual([[], none, none, none]);
    expect(told(GONE)).toEqual([]);
    const other = new Scene();
    other.part({ role: 'user' }, 'p');
    expect(other.faults()).toEqual([]);
  });
});

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

  it('of the start says whose turn it is (D1)', () => {
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

  it('of an admission says what the step has used (D2)', () => {
    const body = { stop_reason: 'end', text: 'x', usage: { input_tokens: 7 } };
    const facts = ['stop_reason', 'input_tokens', 'other'];
    expect(says('step', 'b', facts, block('admission', body))).toBe('stop_reason input_tokens');
    expect(says('step', 'b', facts, block('end', body))).toBe('');
    expect(says('step', 'b', facts, block('admission', body, { own: false }))).toBe('');
  });

  it('of the end says how the turn has ended (D6)', () => {
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

  it('of a decision says which call people were shown (D3)', () => {
    expect(says('card', 'c', ['digest'], block('decision', { digest: 'd', card_ref: 'c' }))).toBe('digest');
    expect(says('card', 'c', ['digest'], block('effect', { digest: 'd', card_ref: 'c' }))).toBe('');
  });

  it('says of which call it is (D4)', () => {
    const subject = { call_id: '1.1', tool: 'pay', version: '1' };
    expect(says('call', 'd', ['call_id', 'tool', 'version'], block('decision', { digest: 'd', subject }))).toBe(
      'call_id tool version',
    );
  });

  it('of a dispatch says what it dispatches (D4, D6)', () => {
    const body = { digest: 'd', call_id: '1.1', tool: 'pay', idempotency_key: 'k', dispatch: 2 };
    expect(says('block', 'b', ['digest', 'tool', 'key', 'dispatch'], block('dispatch', body))).toBe('digest tool key dispatch');
    expect(says('block', 'b', ['digest', 'tool', 'key', 'dispatch'], block('effect', body))).toBe('');
    expect(says('call', 'd', ['call_id'], block('dispatch', body))).toBe('call_id');
  });

  it('of an outcome says what became of the call (D4, D6)', () => {
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

  it('of a decision is what activities were given (D5), and is owed (T7)', () => {
    const body = { decision: 'approve', digest: 'd', by: 'ana' };
    const decided = (body: object, tell: (scene: Scene) => void = () => undefined, setting: Setting = {}) => {
      const scene = new Scene(setting);
      tell(scene);
      block('decision', body)(scene);
      return { faults: scene.faults(), written: [...scene.all.written] };
    };
    const other = ['D5: The transcript has a decision that says something else than the history'];
    const given = (scene: Scene) => scene.all.hear([body]);
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

  it('says what its blocks say (D4, D6)', () => {
    expect(says('block', 'h', ['tool', 'key', 'dispatch'], effect(), { digest: 'd' })).toBe('tool key dispatch');
    expect(says('block', 'h', ['tool', 'key', 'dispatch'], effect())).toBe('dispatch');
    expect(says('block', 'h', ['digest'], effect())).toBe('digest');
    expect(says('effect', 'e', ['digest'], effect())).toBe('digest');
    expect(says('turn', '', ['turn_id', 'workflow_id'], effect())).toBe('turn_id');
  });

  it('names its blocks, where it acted (D7)', () => {
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

  it('has no step that has written a block of another transcript (D7)', () => {
    const stepped = (ref: string) => (scene: Scene) => {
      scene.run.activity('takeStep', {}, { head: ref, next: 'calls', calls: [] });
      scene.block('admission', [], { ref: 'b' });
    };
    expect(end(stepped('b'))).toEqual(['D7: A step has written a block that is not of the transcript of its turn']);
    expect([end(stepped('c')), end((scene) => void [scene.start(), stepped('b')(scene)])]).toEqual([[], []]);
  });

  it('has all heads, and parts, that were named (D7)', () => {
    const head = (scene: Scene) => scene.of.effect({ head: HASH.head, result_head: HASH.other });
    expect(end(head)).toEqual(missing(HASH.head));
    expect(end(head, { blocks: [HASH.head] })).toEqual(missing(HASH.other));
    expect(end(head, { blocks: [HASH.head, HASH.other] })).toEqual([]);
    const shown = (scene: Scene) => void scene.all.shown.add('p'.repeat(70));
    const own = (scene: Scene) => void [shown(scene), scene.part({}, 'p'.repeat(70))];
    expect([end(shown), end(own, { parts: ['p'.repeat(70)] })]).toEqual([missing('p'.repeat(64)), []]);
    // Its line stands in another turn.
    expect(end(shown, { parts: ['p'.repeat(70)] })).toEqual([
      `D7: The history names something that stands in the lines of another turn (${'p'.repeat(64)})`,
    ]);
  });

  it('has all that was written down (T7)', () => {
    const owed = (scene: Scene) => void scene.all.owed.add('x');
    const lost = [
      'T7: The history has a message, an answer or a decision that was written down, and the transcript does not have it',
    ];
    expect([end(owed), end((scene) => void [owed(scene), scene.all.written.add('x')])]).toEqual([lost, []]);
    expect([end((scene) => void [owed(scene), scene.part(GONE)]), end(owed, { run_id: 'later' })]).toEqual([[], []]);
    // That something else was left out does not matter.
    expect(end((scene) => void [owed(scene), (scene.all.unknown = true)])).toEqual(lost);
  });
});
