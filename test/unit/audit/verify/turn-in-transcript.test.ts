/** What a transcript records twice about answers, the calls in them, and the agent of the turn (rules D1 and D2). */
import { TurnInTranscript } from '../../../../src/audit/verify/turn-in-transcript';
import type { Json, JsonObject } from '../../../../src/shared/json/json';
import { at, GONE, type Fields } from '../../../support/audit/hand-events';
import { HandComparison, type Setting } from '../../../support/audit/hand-comparison';

class Scene extends HandComparison<TurnInTranscript> {
  constructor(setting: Setting = {}) {
    const definitions = setting.definitions ?? new Map<string, JsonObject>();
    super((all, history, blocks) => new TurnInTranscript(all, history, blocks, definitions), { ...setting, definitions });
  }
}

const left = (scene: Scene) => {
  scene.all.unknown = true;
  return scene;
};

describe('the beginning of a turn (D1)', () => {
  const begins = (beginnings: Json[], parent: string | null, scene = new Scene()) => {
    for (const one of beginnings) scene.all.beginnings.add(one);
    scene.block('start', [scene.part({ turn_id: 't', first_execution_run_id: 'r' })], { parent });
    return scene.faults();
  };
  const other = ['D1: The turn begins after another block of the transcript than its argument says'];

  it('follows the block that its argument names', () => {
    expect([begins(['a', 'b'], 'b'), begins([null], null), begins([], 'c')]).toEqual([[], [], []]);
    expect([begins(['a', 'b'], 'c'), begins(['a'], null)]).toEqual([other, other]);
    expect(begins(['a'], 'c', left(new Scene()))).toEqual([]);
  });

  it('names agent, requester, session, message and rules of the turn', () => {
    const told = (body: Fields, begin = (scene: Scene) => scene) => {
      const scene = begin(new Scene());
      scene.start({ agent: { name: 'clerk' }, requester: 'x/rita', session_id: 's', policy_ref: 'p', ...body });
      const known = ['HoldfastAgent', 'HoldfastRequester', 'HoldfastSession', 'message_hash', 'tenant', 'policy_ref'] as const;
      return known.filter((fact) => scene.all.facts.knows('turn', '', fact)).join(' ');
    };
    expect(told({})).toBe('HoldfastAgent HoldfastRequester HoldfastSession message_hash tenant policy_ref');
    expect(told({ requester: 7 })).toBe('HoldfastAgent HoldfastRequester HoldfastSession message_hash policy_ref');
    expect(told({ policy_ref: null })).not.toContain('policy_ref');
    expect(told({}, (scene) => scene.begin('s', {}, 'reset'))).not.toContain('policy_ref');
    const scene = new Scene();
    scene.start({ requester: 'x/rita' });
    scene.all.addFacts('turn', '', { tenant: 'y' }, 'the history');
    expect(scene.faults()).toEqual(['D1: The history says that tenant of the turn is "y", and the transcript says otherwise']);
  });

  it('has the agent of its definition', () => {
    const tools = [{ name: 'pay', version: '1', internal: false }, { name: 'read', version: '2', internal: true }, { name: 'see', version: '3' }]; // oxfmt-ignore
    const definition = { name: 'clerk', prompt_hash: 'h', tools };
    const began = (agent: unknown, definition_ref = 'd') => {
      const scene = new Scene({ definitions: new Map([['d', definition as JsonObject]]) });
      scene.start({ agent: agent as JsonObject, definition_ref });
      return scene.faults();
    };
    const another = (what: string) => [`D1: The turn began with another ${what} than its agent's definition has`];
    const agent = { name: 'clerk', prompt_hash: 'h', tools: ['pay@1', 'see@3'] };
    expect([began(agent), began({}), began('none')]).toEqual([[], [], []]);
    expect(began({ ...agent, name: 'other' })).toEqual(another('name'));
    expect(began({ ...agent, prompt_hash: 'i' })).toEqual(another('prompt'));
    for (const shown of [['pay@1'], ['see@3', 'pay@1'], ['pay@1', 'see@3', 'read@2']])
      expect(began({ ...agent, tools: shown })).toEqual(another('list of tools'));
    expect(began({ ...agent, name: 'other' }, 'e')).toEqual([]);
  });
});

describe('the text of an answer (D2)', () => {
  const text = (said: unknown) => ({ type: 'text', text: said });
  const answered = (told: string, ...contents: unknown[]) => {
    const scene = new Scene();
    scene.start();
    scene.write('message', { role: 'assistant' }, ...contents);
    scene.all.addFacts('step', 'admission', { text: told }, 'the history');
    scene.block('admission', [scene.part({ subject: {} })], { ref: 'admission' });
    return scene.faults().map((fault) => fault.slice(0, 12));
  };
  const OTHER = ['D2: The tran'];

  it('consists of its text blocks, in order', () => {
    expect([answered('a', text('a')), answered('a\nb', text('a'), { type: 'thinking' }, text('b')), answered('')]).toEqual([
      [],
      [],
      [],
    ]);
    expect([answered('b', text('a')), answered('b\na', text('a'), text('b')), answered('a')]).toEqual([OTHER, OTHER, OTHER]);
  });

  it('is unknown if one of them is', () => {
    for (const gone of [
      GONE,
      text(7),
      text('[a block of type image could not be kept]'),
      text('[a block of type a\nb could not be kept]'),
      'text',
    ])
      expect(answered('x', text('a'), gone)).toEqual([]);
    for (const kept of ['[a block of type x could not be kept].', 'x [a block of type x could not be kept]'])
      expect(answered('x', text(kept))).toEqual(OTHER);
  });

  it('that is long is cut', () => {
    const limit = 32_000;
    const long = 'a'.repeat(limit);
    const cut = (length: number, kept = long) => `${kept}\n… (cut; ${length} characters in the transcript)`;
    expect(answered(long, text(long))).toEqual([]);
    expect(answered(cut(limit + 1), text(`${long}b`))).toEqual([]);
    expect(answered(cut(limit + 2), text(long), text('b'))).toEqual([]);
    expect(answered(`${long.slice(2)}\nb`, text(long.slice(2)), text('b'))).toEqual([]);
    expect(answered(cut(limit + 1, `${long.slice(1)}\ufffd`), text(`${long.slice(1)}😀`))).toEqual([]);
    expect(answered(`${long}b`, text(`${long}b`))).toEqual(OTHER);
  });
});

const ASKED = {
  call_id: '1.1',
  tool_use_id: 'u',
  tool: 'pay',
  version: '1',
  verdict: 'ask',
  asked: '{"cents":7}',
  input: { cents: 7 },
};
const USE = { type: 'tool_use', id: 'u', name: 'pay', input: { cents: 7 } };

describe('the calls that an answer asks for (D2)', () => {
  const admitted = (
    uses: unknown[],
    calls: unknown[],
    {
      role = 'assistant' as unknown,
      kind = 'message' as 'message' | 'decision',
      header = { subject: {} } as unknown,
      parent = undefined as string | undefined,
    } = {},
  ) => {
    const scene = new Scene();
    scene.start();
    scene.block(kind, [scene.part(role === GONE ? GONE : { role }), ...uses.map((use) => scene.part(use))]);
    const parts = [scene.part(header), ...calls.map((call) => scene.part(call))];
    scene.block('admission', parts, parent === undefined ? {} : { parent });
    return scene.faults();
  };
  const others = 'D2: Other calls were admitted than the answer asks for';
  const another = 'D2: Another call was admitted than the answer asks for';
  const input = 'D2: The answer asks for a call with another input than the one that was admitted';

  it('are those that were admitted, in order', () => {
    const second = [
      { ...USE, id: 'v' },
      { ...ASKED, tool_use_id: 'v' },
    ];
    expect(admitted([USE], [ASKED])).toEqual([]);
    expect(admitted([USE, { type: 'text', text: 'a' }, second[0]], [ASKED, second[1]])).toEqual([]);
    expect(admitted([USE, second[0]], [second[1], ASKED])).toEqual([another, another]);
    expect(admitted([USE, second[0]], [ASKED])).toEqual([others]);
    expect(admitted([USE], [ASKED, second[1]])).toEqual([others]);
    expect(admitted([], [ASKED])).toEqual([others]);
  });

  it('have the same id, tool and input', () => {
    expect(admitted([{ ...USE, id: 'v' }], [ASKED])).toEqual([another]);
    expect(admitted([{ ...USE, name: 'send' }], [ASKED])).toEqual([another]);
    expect(admitted([{ ...USE, input: { cents: 8 } }], [ASKED])).toEqual([input]);
    const bare = { type: 'tool_use', input: { cents: 7 } };
    const { tool: _, tool_use_id: __, ...nameless } = ASKED;
    expect(admitted([bare], [nameless])).toEqual([]);
  });

  it('may be rejected; then the name is cut', () => {
    const rejected = { ...ASKED, verdict: 'rejected' };
    const long = 'x'.repeat(300);
    expect(admitted([{ ...USE, name: long }], [{ ...rejected, tool: long.slice(0, 100) }])).toEqual([]);
    expect(admitted([{ ...USE, name: long }], [{ ...ASKED, tool: long.slice(0, 100) }])).toEqual([another]);
    expect(admitted([{ ...USE, name: long }], [{ ...rejected, tool: long.slice(0, 99) }])).toEqual([another]);
    const wide = '😀'.repeat(60);
    expect(admitted([{ ...USE, name: wide }], [{ ...rejected, tool: '😀'.repeat(50) }])).toEqual([]);
    const half = `${'x'.repeat(99)}😀`;
    expect(admitted([{ ...USE, name: half }], [{ ...rejected, tool: `${'x'.repeat(99)}\ufffd` }])).toEqual([]);
    expect(admitted([{ ...USE, name: 7 }], [{ ...rejected, tool: 'x' }])).toEqual([another]);
    expect(admitted([{ ...USE, name: '\u0001'.repeat(60) }], [{ ...rejected, tool: '\u0001'.repeat(60) }])).toEqual([]);
  });

  it('may have an input in which a character was replaced', () => {
    const lost = { ...ASKED, asked: '{"a":"\ufffd"}' };
    expect(admitted([{ ...USE, input: { a: 'b' } }], [lost])).toEqual([]);
    expect(admitted([{ ...USE, input: {} }], [{ ...ASKED, asked: 'none', input: {} }])).toEqual([]);
    expect(admitted([{ ...USE, input: {} }], [{ ...ASKED, asked: '[1]', input: {} }])).toEqual([]);
    expect(admitted([{ ...USE, input: {} }], [{ ...ASKED, verdict: 'rejected' }])).toEqual([input]);
  });

  it('are unknown if the answer, or a call, was left out', () => {
    expect(admitted([GONE], [])).toEqual([]);
    expect(admitted([USE], [GONE])).toEqual([]);
    expect(admitted([], [ASKED], { role: GONE })).toEqual([]);
    expect(admitted([], [ASKED], { parent: 'nowhere' })).toEqual([]);
    expect(admitted([USE], [{ ...ASKED, call_id: 7 }])).toEqual([]);
    expect(admitted([USE], [{ ...ASKED, asked: 7 }])).toEqual([]);
  });

  it('are not compared if there is no answer', () => {
    expect(admitted([USE], [ASKED], { role: 'user' })).toEqual([others]);
    expect(admitted([USE], [ASKED], { role: 'user', header: { subject: {}, direct: true } })).toEqual([]);
    expect(admitted([], [], { role: 'user' })).toEqual([]);
    // Before an admission of a direct call stands no message.
    expect(admitted([], [ASKED], { kind: 'decision', header: { subject: {}, direct: true } })).toEqual([]);
    expect(admitted([], [ASKED], { kind: 'decision' })).toEqual([others]);
    expect(admitted([], [ASKED], { kind: 'decision', header: { direct: true } })).toEqual([]);
    const scene = new Scene();
    scene.block('message', [scene.part({ role: 'assistant' })]);
    scene.block('admission', [scene.part({ subject: {} }), scene.part(ASKED)]);
    expect(scene.faults()).toEqual([]);
  });
});

describe('the input of a call (D2)', () => {
  const taken = (more: Fields, tools?: JsonObject[]) => {
    const definitions = new Map<string, JsonObject>(tools ? [['c', {}], ['d', { tools }]] : []); // oxfmt-ignore
    const scene = new Scene({ definitions });
    scene.part({ ...ASKED, ...more });
    return scene.faults();
  };
  const other = ['D2: A call was admitted with another input than the one that was asked for'];
  const tool = { name: 'pay', version: '1', defaults: ['eur', 5] };

  it('is the requested one, with defaults of the tool', () => {
    expect(taken({})).toEqual([]);
    expect(taken({ input: { cents: 8 } })).toEqual(other);
    expect(taken({ input: { cents: 7, currency: 'usd' } })).toEqual([]); // nobody knows the tool
    expect(taken({ input: { cents: 7, currency: 'usd' } }, [tool])).toEqual(other);
    expect(taken({ input: { cents: 7, currency: 'eur' } }, [tool])).toEqual([]);
    for (const more of [{ name: 'send' }, { version: '2' }])
      expect(taken({ input: { cents: 7, currency: 'usd' } }, [{ ...tool, ...more }])).toEqual([]);
    expect(taken({ input: { cents: 7, more: 9 } }, [tool, { ...tool, defaults: [9] }])).toEqual([]);
    expect(taken({ input: { cents: 7, more: 9 } }, [{ ...tool, defaults: undefined } as unknown as JsonObject])).toEqual(other);
  });

  it('is compared as it was before the first hook changed it', () => {
    const changes = [{ before: { cents: 7 } }, { before: { cents: 8 } }];
    expect(taken({ input: { cents: 9 }, changes })).toEqual([]);
    expect(taken({ input: { cents: 7 }, changes: [{ before: { cents: 8 } }] })).toEqual(other);
    expect(taken({ input: { cents: 9 }, changes: [] })).toEqual(other);
    expect(taken({ input: { cents: 9 }, changes: ['none'] })).toEqual([]);
  });

  it('is not compared if the call was rejected, or if the input is not an object or was not kept', () => {
    expect(taken({ input: { cents: 8 }, verdict: 'rejected' })).toEqual([]);
    expect(taken({ input: 'text' })).toEqual([]);
    expect(taken({ input: { a: 'b' }, asked: '{"a":"\ufffd"}' })).toEqual([]);
    expect(taken({ input: { cents: 8 }, asked: 7 })).toEqual([]);
    expect(taken({ input: { cents: 8 }, call_id: 7 })).toEqual([]);
    expect(taken({ input: { cents: 7 }, asked: 'none' }, [tool])).toEqual(other);
    const scene = new Scene();
    scene.part(GONE);
    scene.part('text');
    expect(scene.faults()).toEqual([]);
  });
});

it('the time of an admission, or of an end, is a fact of its block', () => {
  const knows = (kind: 'admission' | 'end' | 'message') => {
    const scene = new Scene();
    scene.start();
    const ref = scene.block(kind, []);
    scene.all.addFacts('block', ref, { at: at(9) }, 'the history');
    return scene.faults().length;
  };
  expect([knows('admission'), knows('end'), knows('message')]).toEqual([1, 1, 0]);
});
