/** What parts of a transcript record twice (rules D2, D3, D6 and D8). */
import { hashOf } from '../../../../src/audit/verify/values';
import type { JsonObject } from '../../../../src/shared/json/json';
import { GONE, type Fields } from '../../../support/audit/hand-events';
import { Scene } from '../../../support/audit/transcript-scene';

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

  it('agrees with the step', () => {
    expect(told({})).toBe('');
    for (const fact of Object.keys(facts)) expect(told({ [fact]: 'other' })).toBe(fact);
    expect(told({ tool: 'other' }, GONE)).toBe('');
    expect(told({ tool: 'other' }, 'text')).toBe('');
    expect(told({ call_id: undefined, tool: 'other' })).toBe('');
  });

  it('has as much of the model’s own id as is kept', () => {
    expect(told({ tool_use_id: 'x'.repeat(200) }, { ...body, tool_use_id: 'x'.repeat(300) })).toBe('');
    expect(told({ tool_use_id: '' }, { ...body, tool_use_id: 7 })).toBe('');
  });

  it('has the agent and the requester of the turn in its facts for the rules', () => {
    const of = { ...body, facts: { turn: { agent: 'clerk', requester: 'rita', untrusted: true } } };
    const asked = (turn: Fields, more: Fields = {}) => {
      const scene = new Scene();
      scene.all.addFacts('turn', '', turn, 'the history');
      return scene.others('asked', 'p', { ...facts, ...more }, () => scene.part(of, 'p'));
    };
    expect([
      asked({ agent: 'clerk', requester: 'rita' }, { untrusted: true }),
      asked({ agent: 'x' }),
      asked({ requester: 'x' }),
      asked({}, { untrusted: false }),
    ]).toEqual(['', 'agent', 'requester', 'untrusted']);
  });

  it('has the target of the call', () => {
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

it('the part of a card has the call and its makers (D3)', () => {
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

it('people are asked with a part that is a card (D3)', () => {
  const shown = (part: unknown, facts: Fields = { digest: 'd' }) => {
    const scene = new Scene();
    scene.all.addFacts('card', 'p', facts as JsonObject, 'the history');
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

  it('agrees with the activity', () => {
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

  it('names the turn that answered', () => {
    const of = (fact: string) => {
      const scene = new Scene();
      scene.all.addFacts('turn', '', { [fact]: 'other' }, 'the history');
      return scene.others('result', 'p', { state: 'succeeded' }, () => scene.part(body, 'p'));
    };
    expect(['turn_id', 'session_id', 'trace_id', 'agent'].map(of)).toEqual(['turn_id', 'session_id', 'trace_id', '']);
  });

  it('that is long is not compared with its answer, which has addresses of the data', () => {
    const large = (bytes: number) => {
      const long = { ...envelope, data: '' };
      long.data = 'a'.repeat(bytes - Buffer.byteLength(JSON.stringify(long)));
      return told({ answer: 'x' }, { ...body, envelope: long });
    };
    expect([large(128 * 1024), large(128 * 1024 + 1)]).toEqual(['answer', '']);
    expect(told({ answer: 'x' }, { ...body, envelope: undefined })).toContain('answer');
  });

  it('agrees with what the model is told (D8)', () => {
    const agrees = (text: string, lines: (scene: Scene) => void) => {
      const scene = new Scene();
      scene.all.toolResults.outcome({ tool_use_id: 'u', state: 'succeeded', result_ref: 'p', error: null });
      scene.all.addFacts('result', 'p', { state: 'succeeded' }, 'the history');
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
      scene.all.addFacts('result', 'p', { state: 'in_doubt' }, 'the history');
      scene.part(body, 'p');
      return scene.faults();
    };
    const none = ['D6: A part that is named as the result of a call is no result'];
    expect([told({ envelope: {} }), told({ envelope: 'x' }), told({ role: 'user' }), told('x')]).toEqual([[], none, none, none]);
    expect(told(GONE)).toEqual([]);
    const other = new Scene();
    other.part({ role: 'user' }, 'p');
    expect(other.faults()).toEqual([]);
  });
});
