/** Rules S3 to S7 of a bundle's lines, one by one: what may follow what, what a line must name, and what the trailer must say. */
import { createHash } from 'node:crypto';
import { readLines } from '../../../../src/audit/format/reader';
import { Structure } from '../../../../src/audit/verify/structure';
import { canonical } from '../../../../src/shared/json/canonical';
import type { Json } from '../../../../src/shared/json/json';
import { BUNDLE_KEY, REDACTOR_KEY, STRANGER_KEY } from '../../../support/bundle-keys';

type Line = [kind: string, body: any];

const hashOf = (value: unknown): string =>
  createHash('sha256')
    .update(typeof value === 'string' ? value : canonical(value as Json))
    .digest('hex');

const bundle = (more: object = {}): Line => {
  const made = { made_at: '2026-11-25T10:00:00.000Z', made_by: { holdfast: '1', node: '20' } };
  const about = { subject: { kind: 'turn', id: 't' }, namespace: 'n', agent: 'a', tenant: null, chained: true };
  return ['bundle', { v: 'holdfast.bundle/3', ...about, ...made, ...more }];
};
const object = (value: Json = { rules: [] }): Line => ['object', { ref: hashOf(value), value }];
const turn = (id = 't'): Line => ['turn', { turn_id: id, workflow_id: `turn/${id}`, first_execution_run_id: 'r', parent: null }];
const run: Line = ['run', { run_id: 'r', began: 'start' }];
const event = (more: object = {}): Line => ['event', { event: { eventId: '1', ...more } }];
const session: Line = ['session', { run_id: 's', event: { eventId: '5' } }];
const content = { v: 'holdfast.part/1', salt: 's', body: 'text' };
const part: Line = ['part', { ref: hashOf(content), part: content }];
const lost: Line = ['part', { ref: hashOf(content), part: null }];
const block = (more: object = {}): Line => {
  const value = { v: 'holdfast.block/1', parent: null, kind: 'start', at: 'now', parts: [], ...more };
  return ['block', { ref: hashOf(value), block: value }];
};
const effect: Line = ['effect', { record: {} }];
const turnEnd = (more: object = {}): Line => ['turn_end', { turn_id: 't', head: null, complete: true, why: null, ...more }];
const cut = { complete: false, why: 'It still runs.' };
/** Correct, except for the given fields. */
const end =
  (more: object = {}, key = BUNDLE_KEY) =>
  (n: number, prev: string): Line => {
    const said = { root: prev, lines: n + 1, complete: true, previous: null, redaction: null, contradiction: null, ...more };
    return ['end', signed(said, key)];
  };

function signed(said: object, key = BUNDLE_KEY): object {
  const body = { kid: key.kid, public: key.public, ...said };
  return { ...body, signature: key.sign(Buffer.from(canonical(body))).toString('base64url') };
}

/** The fault of the lines: rule, line and reason; null if there is none. */
async function faultOf(...lines: (Line | ReturnType<typeof end>)[]): Promise<string | null> {
  let prev: string | null = null;
  const text: string[] = [];
  for (const [n, line] of lines.entries()) {
    const [kind, body] = typeof line === 'function' ? line(n, prev!) : line;
    text.push(canonical({ n, kind, prev, body }));
    prev = hashOf(text.at(-1)!);
  }
  const structure = new Structure();
  try {
    for await (const line of readLines([Buffer.from(`${text.join('\n')}\n`)])) structure.take(line);
    const done = structure.finish(lines.length);
    expect([done.bundle.namespace, done.end.lines]).toEqual(['n', lines.length]);
    return null;
  } catch (error) {
    const { rule, line, message } = error as { rule?: string; line?: number; message: string };
    if (rule === undefined) throw error;
    return `${rule} ${line}: ${message}`;
  }
}

/** The shortest way to a line of each kind. */
const BEFORE: Record<string, Line[]> = {
  bundle: [bundle()],
  object: [bundle(), object()],
  turn: [bundle(), turn()],
  run: [bundle(), turn(), run],
  event: [bundle(), turn(), run, event()],
  session: [bundle(), turn(), run, event(), session],
  part: [bundle(), turn(), part],
  block: [bundle(), turn(), block()],
  effect: [bundle(), turn(), effect],
  turn_end: [bundle(), turn(), turnEnd()],
};
const NEXT: Record<string, Line | ReturnType<typeof end>> = {
  ...{
    bundle: bundle(),
    object: object({ more: 1 }),
    turn: turn('u'),
    run,
    event: event(),
    session,
    part,
    block: block(),
    effect,
  },
  ...{ turn_end: turnEnd(), end: end() },
};
/** As docs/bundle-format.md has it, S3. */
const MAY_FOLLOW: Record<string, string[]> = {
  bundle: ['object', 'turn', 'end'],
  object: ['object', 'turn', 'end'],
  turn: ['run', 'part', 'block', 'effect', 'turn_end'],
  run: ['run', 'event', 'part', 'block', 'effect', 'turn_end'],
  event: ['run', 'event', 'session', 'part', 'block', 'effect', 'turn_end'],
  session: ['session', 'part', 'block', 'effect', 'turn_end'],
  part: ['part', 'block', 'effect', 'turn_end'],
  block: ['part', 'block', 'effect', 'turn_end'],
  effect: ['part', 'effect', 'turn_end'],
  turn_end: ['turn', 'end'],
};
const FOLLOWS = Object.keys(BEFORE).flatMap((before) => Object.keys(NEXT).map((next) => [next, before] as const));

it.each(FOLLOWS)('a line of kind %s after one of kind %s', async (next, before) => {
  const lines = [...BEFORE[before]!, NEXT[next]!];
  const fault = await faultOf(...lines);
  const refused = `S3 ${lines.length - 1}: A line of kind ${next} cannot stand after one of kind ${before}`;
  if (MAY_FOLLOW[before]!.includes(next)) expect(fault).not.toBe(refused);
  else expect(fault).toBe(refused);
});

it('the first line is a bundle line, and no line follows the trailer', async () => {
  expect(await faultOf(turn())).toBe('S3 0: A line of kind turn cannot stand after one of kind nothing');
  const whole = [bundle(), turn(), turnEnd(), end()];
  expect(await faultOf(...whole)).toBeNull();
  for (const more of [object({ more: 1 }), turn('u'), end()])
    expect(await faultOf(...whole, more)).toMatch(/^S7 4: A line of kind \w+ cannot stand after one of kind end$/);
});

it('a block cannot stand after an effect record, with a part between them or without', async () => {
  const refused = /^S3 \d: A line of kind block cannot stand after one of kind (effect|part)$/;
  expect(await faultOf(bundle(), turn(), effect, block())).toMatch(refused);
  expect(await faultOf(bundle(), turn(), effect, part, block())).toMatch(refused);
  // In the next turn it may.
  const next = [turn('u'), block(), turnEnd({ turn_id: 'u', head: block()[1].ref })];
  expect(await faultOf(bundle(), turn(), effect, turnEnd(), ...next, end())).toBeNull();
});

it.each([
  ['without a trailer', [bundle(), turn(), turnEnd()]],
  ['of one line', [bundle()]],
])('a file %s was cut short', async (_how, lines) => {
  const why = 'The line is missing: the file was cut short, and has no trailer';
  expect(await faultOf(...lines)).toBe(`S7 ${lines.length}: ${why}`);
});

it('an empty file is one that was cut short', () => {
  expect(() => new Structure().finish(0)).toThrow('the file was cut short');
});

it('a line has the fields of its kind, by the version of the first', async () => {
  const more = (line: Line): Line => [line[0], { ...line[1], more: 1 }];
  const why = (n: number, kind: string) => `S3 ${n}: The line does not have the fields of a line of kind ${kind}`;
  expect(await faultOf(more(bundle()))).toBe(why(0, 'bundle'));
  expect(await faultOf(bundle(), more(turn()))).toBe(why(1, 'turn'));
  expect(await faultOf(bundle({ v: 'holdfast.bundle/2' }), turn(), run, event(), session)).toBe(why(4, 'session'));
});

it('a turn has one place in the bundle', async () => {
  expect(await faultOf(bundle(), turn(), turnEnd(), turn())).toBe('S3 3: A turn stands twice in the bundle');
});

describe('a line that a hash names', () => {
  const forged = ([kind, body]: Line): Line => [kind, { ...body, ref: 'f'.repeat(64) }];
  it.each([
    ['object', [bundle(), forged(object())]],
    ['part', [bundle(), turn(), forged(part)]],
    ['block', [bundle(), turn(), forged(block())]],
  ])('of kind %s has that hash', async (kind, lines) => {
    const why = `The ${kind} does not have the hash that names it: its content was changed`;
    expect(await faultOf(...(lines as Line[]))).toBe(`S4 ${lines.length - 1}: ${why}`);
  });

  it('is not checked if it was left out', async () => {
    const complete = { complete: false };
    expect(await faultOf(bundle(), turn(), forged(lost), turnEnd(cut), end(complete))).toBeNull();
  });
});

describe('a block', () => {
  const ref = 'a'.repeat(64);
  it('has only parts that stand before it', async () => {
    const whole = block({ parts: [part[1].ref] });
    expect(await faultOf(bundle(), turn(), part, whole, turnEnd({ head: whole[1].ref }), end())).toBeNull();
    const why = 'S4 3: A part of the block did not come before it';
    expect(await faultOf(bundle(), turn(), part, block({ parts: [part[1].ref, ref] }))).toBe(why);
  });

  it('follows a block that stands before it; in an incomplete turn one block may be missing, but no second', async () => {
    const first = block();
    const next = block({ parent: first[1].ref });
    const head = { head: next[1].ref };
    expect(await faultOf(bundle(), turn(), first, next, turnEnd(head), end())).toBeNull();
    const late = block({ parent: ref });
    expect(await faultOf(bundle(), turn(), late, turnEnd({ head: late[1].ref, ...cut }), end({ complete: false }))).toBeNull();
    const complete = 'S5 3: The turn is said to be complete, and a block before its first is missing';
    expect(await faultOf(bundle(), turn(), late, turnEnd({ head: late[1].ref }))).toBe(complete);
    const second = block({ parent: ref, kind: 'other' });
    expect(await faultOf(bundle(), turn(), late, second)).toBe('S4 3: The block follows one that is not in the bundle');
  });
});

describe('the end of a turn', () => {
  it.each([
    ['is that of the turn that is open', { turn_id: 'u' }, 'S3 2: The line ends turn "u", and "t" is open'],
    ['names a block that is there', { head: 'a'.repeat(64) }, "S5 2: The turn's last block is not in the bundle"],
    ['says why, where it is incomplete', { complete: false }, 'S5 2: The turn must say why it is not complete, and only then'],
    ['says so only then', { why: 'No reason.' }, 'S5 2: The turn must say why it is not complete, and only then'],
  ])('%s', async (_what, more, fault) => expect(await faultOf(bundle(), turn(), turnEnd(more))).toBe(fault));
});

describe('the trailer', () => {
  const trailer = (more: object, key?: typeof BUNDLE_KEY) => faultOf(bundle(), turn(), turnEnd(), end(more, key));
  const completeness = 'S6 3: The trailer says of completeness what the turns do not say';

  it.each([
    ['names the line before', { root: 'a'.repeat(64) }, 'The root is not the hash of the line before'],
    ['counts the lines', { lines: 3 }, 'The trailer counts 3 lines, and there are 4'],
    ['says that it is complete where all turns are', { complete: false }, completeness.slice(6)],
    ['names no contradiction behind itself', { contradiction: { line: 4, rule: 'T1' } }, 'It names a contradiction at a line that there is not'],
  ])('%s', async (_what, more, why) => expect(await trailer(more)).toBe(`S6 3: ${why}`)); // oxfmt-ignore

  it('may name a contradiction up to itself, and an earlier bundle', async () => {
    expect(await trailer({ contradiction: { line: 3, rule: 'T1' } })).toBeNull();
    expect(await trailer({ previous: { root: 'a'.repeat(64), subject: 't' } })).toBeNull();
  });

  it('says that the bundle is complete only if there is a turn, and each turn is complete', async () => {
    expect(await faultOf(bundle(), end())).toBe(completeness.replace('3', '1'));
    expect(await faultOf(bundle(), end({ complete: false }))).toBeNull();
    const two = [bundle(), turn(), turnEnd(cut), turn('u'), turnEnd({ turn_id: 'u' })];
    expect(await faultOf(...two, end())).toBe(completeness.replace('3', '5'));
    expect(await faultOf(...two, end({ complete: false }))).toBeNull();
  });

  it('of a bundle outside of a chain names no earlier bundle', async () => {
    const previous = { root: 'a'.repeat(64), subject: 't' };
    const lines = [bundle({ chained: false }), turn(), turnEnd()];
    expect(await faultOf(...lines, end())).toBeNull();
    expect(await faultOf(...lines, end({ previous }))).toBe('S6 3: It is no link of a chain, and names a bundle before it');
  });

  it('carries the key that signed it, with the id of this key', async () => {
    expect(await trailer({}, STRANGER_KEY)).toBeNull(); // whether it is trusted is another question
    const noKey = 'S6 3: The trailer does not carry an Ed25519 key with its id';
    expect(await trailer({ kid: STRANGER_KEY.kid })).toBe(noKey);
    expect(await trailer({ public: 'AAAA' })).toBe(noKey);
    const unsigned = 'S6 3: The signature is not right: the trailer was changed, or another key has made it';
    const other = { kid: STRANGER_KEY.kid, public: STRANGER_KEY.public };
    expect(await trailer(other)).toBe(unsigned);
    const changed = (n: number, prev: string): Line => {
      const [kind, body] = end()(n, prev);
      return [kind, { ...body, signature: `${body.signature}=` }];
    };
    expect(await faultOf(bundle(), turn(), turnEnd(), changed)).toBe(unsigned);
  });
});

describe('parts and payloads that were left out', () => {
  const gone = { redacted: true };
  /** The trailer of the bundle before the redaction, which is signed too. */
  const redacted =
    (parts: number, payloads: number, complete = true, edit = (of: any) => of) =>
    (n: number, prev: string): Line => {
      const said = { lines: n + 1, complete, previous: null, contradiction: null };
      const of: any = signed({ root: 'b'.repeat(64), redaction: null, ...said });
      const { root, kid, signature, public: key } = of;
      const before = edit({ root, kid, signature, public: key, redaction: null });
      return end({ complete, redaction: { of: before, parts, payloads, reason: 'private' } })(n, prev);
    };
  const lines = [
    bundle(),
    turn(),
    run,
    event({
      input: [gone, { redacted: true, more: 1 }],
      result: { deep: { deeper: [gone, null] } },
      other: { redacted: 'true' },
    }),
    lost,
  ];

  it('are counted by the trailer: parts, and payloads in events', async () => {
    expect(await faultOf(...lines, turnEnd(), redacted(1, 2))).toBeNull();
    const counts = (parts: number, payloads: number) =>
      `S6 6: The trailer says that ${parts} parts and ${payloads} payloads were left out; they are 1 and 2`;
    for (const [parts, payloads] of [
      [0, 2],
      [2, 2],
      [1, 1],
      [1, 3],
    ] as const)
      // oxfmt-ignore
      expect(await faultOf(...lines, turnEnd(), redacted(parts, payloads))).toBe(counts(parts, payloads));
  });

  it('are counted one by one, wherever they are', async () => {
    const three = event({ input: { payloads: [gone, { data: 'a' }, gone] }, list: [[gone]] });
    expect(await faultOf(bundle(), turn(), run, three, turnEnd(), redacted(0, 3))).toBeNull();
  });

  it('need a redactor who says so', async () => {
    const why = 'Something was left out, and nobody says so';
    expect(await faultOf(bundle(), turn(), lost, turnEnd(), end())).toBe(`S6 4: ${why}`);
    expect(await faultOf(bundle(), turn(), run, event({ input: gone }), turnEnd(), end())).toBe(`S6 5: ${why}`);
    expect(await faultOf(bundle(), turn(), run, event({ input: gone }), session, turnEnd(), end())).toBe(`S6 6: ${why}`);
    const said = [bundle(), turn(), run, event(), ['session', { run_id: 's', event: { input: gone } }] as Line, turnEnd()];
    expect(await faultOf(...said, end())).toBe(`S6 6: ${why}`);
  });

  it('may include, in an incomplete turn, parts that the store has lost', async () => {
    const incomplete = [...lines, turnEnd(cut)];
    expect(await faultOf(...incomplete, redacted(0, 2, false))).toBeNull();
    expect(await faultOf(...incomplete, redacted(2, 2, false))).toMatch(/^S6 6: The trailer says that 2 parts/);
    expect(await faultOf(bundle(), turn(), lost, turnEnd(cut), end({ complete: false }))).toBeNull();
  });

  it('were left out of a signed bundle', async () => {
    const why = 'S6 6: The bundle that it is said to be a redaction of was never signed so: its signature is not right';
    const edits: ((of: any) => object)[] = [
      (of) => ({ ...of, root: 'c'.repeat(64) }),
      (of) => ({ ...of, kid: STRANGER_KEY.kid }),
      (of) => ({ ...of, public: STRANGER_KEY.public, kid: STRANGER_KEY.kid }),
    ];
    for (const edit of edits) expect(await faultOf(...lines, turnEnd(), redacted(1, 2, true, edit))).toBe(why);
  });

  it('were left out of a signed redaction, and of a signed one before that', async () => {
    const twice = (edit: (first: any) => object) => (n: number, prev: string) => {
      const said = { lines: n + 1, complete: true, previous: null, contradiction: null };
      const of = (body: any) => {
        const { root, kid, signature, public: key, redaction } = body;
        return { root, kid, signature, public: key, redaction };
      };
      const first = edit(of(signed({ root: 'b'.repeat(64), redaction: null, ...said })));
      const once = { of: first, parts: 1, payloads: 0, reason: 'private' };
      const second = of(signed({ root: 'c'.repeat(64), redaction: once, ...said }, REDACTOR_KEY));
      return end({ redaction: { of: second, parts: 1, payloads: 2, reason: 'private too' } })(n, prev);
    };
    expect(
      await faultOf(
        ...lines,
        turnEnd(),
        twice((first) => first),
      ),
    ).toBeNull();
    expect(
      await faultOf(
        ...lines,
        turnEnd(),
        twice((first) => ({ ...first, root: 'd'.repeat(64) })),
      ),
    ).toMatch(/never signed so/);
    expect(
      await faultOf(
        ...lines,
        turnEnd(),
        twice((first) => ({ ...first, public: 'AAAA' })),
      ),
    ).toMatch(/never signed so/);
  });
});
