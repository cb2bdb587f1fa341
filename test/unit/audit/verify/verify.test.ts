/** The output of a verification of whole bundles: several, redacted ones, odd bytes. The command: test/system/audit/verify/command.test.ts. */
import { readdirSync } from 'node:fs';
import { Readable } from 'node:stream';
import { redact } from '../../../../src/audit/redact/redact';
import { chainFaults, type Link } from '../../../../src/audit/verify/chain';
import { verifyBundle } from '../../../../src/audit/verify';
import { describeVerification } from '../../../../src/audit/verify/sentence';
import { REDACTOR_KEY, sample, SAMPLES, TRUST } from '../../../support/bundle-keys';
import { forged, type OpenLine } from '../../../support/audit/forge';

const SAMPLE_NAMES = readdirSync(SAMPLES)
  .filter((name) => name.endsWith('.jsonl'))
  .map((name) => name.replace('.jsonl', ''));

const bytes = async (name: string) => Buffer.from(await sample(name));

test.each(SAMPLE_NAMES)('%s: nothing in it contradicts anything', async (name) => {
  const { verdict, line, rule, why, redactions, unchecked_decisions } = await verifyBundle([await bytes(name)], TRUST);
  expect({ verdict, line, rule, why, redactions, unchecked_decisions }).toEqual({
    verdict: 'intact',
    line: null,
    rule: null,
    why: '',
    redactions: 0,
    unchecked_decisions: 0,
  });
});

test('an intact bundle: who signed it, up to which point, and how much was left out', async () => {
  const [line] = describeVerification(await verifyBundle([await bytes('denied')], TRUST));
  expect(line).toMatch(
    /^intact since signing by [0-9a-f]{16}; completeness not proven beyond the turns in it \(.*\); 0 redactions\.$/,
  );
});

test('an intact bundle names its subject and its chain', async () => {
  const found = await verifyBundle([await bytes('spoken')], TRUST);
  const lines = (await sample('spoken')).trimEnd().split('\n');
  const [first, last] = [lines[0]!, lines.at(-1)!].map((line) => (JSON.parse(line) as { body: object }).body as any);
  const { subject, agent, tenant, chained } = first;
  expect(found).toMatchObject({ subject, agent, tenant, chained, root: last.root, previous: last.previous, signed_by: last.kid });
  expect(await verifyBundle([await bytes('spoken')], [])).toMatchObject({ verdict: 'signer_unknown', signed_by: null });
});

test('a file that was cut short is broken at its end, and the answer says what it has', async () => {
  const lines = (await sample('spoken')).trimEnd().split('\n').slice(0, 2);
  const found = await verifyBundle([Buffer.from(`${lines.join('\n')}\n`)], TRUST);
  expect(found).toMatchObject({ verdict: 'broken', complete: null, line: 2, rule: 'S7', signed_by: null, made_of: null });
  expect(found).toMatchObject({ subject: { kind: expect.any(String) as string }, root: null, previous: null });
  const nothing = await verifyBundle([], TRUST);
  expect(nothing).toMatchObject({ line: 0, subject: null, agent: null, tenant: undefined, chained: true, root: null });
});

test('a file that cannot be read is not a broken bundle', async () => {
  const unreadable = () => Readable.from((function* () { throw new Error('the disk is gone'); })()); // oxfmt-ignore
  await expect(verifyBundle(unreadable(), TRUST)).rejects.toThrow('the disk is gone');
});

test.each(['running', 'terminated'])('%s: incomplete, and it says so', async (name) => {
  const found = await verifyBundle([await bytes(name)], TRUST);
  expect(found).toMatchObject({ verdict: 'intact', complete: false });
  expect(describeVerification(found)[0]).toContain('incomplete');
});

test('the answer does not depend on the sizes of the chunks', async () => {
  const bundle = await bytes('approval');
  const inPieces = Array.from({ length: Math.ceil(bundle.length / 37) }, (_, i) => bundle.subarray(i * 37, i * 37 + 37));
  expect(await verifyBundle(inPieces, TRUST)).toEqual(await verifyBundle([bundle], TRUST));
});

test.each([
  ['nothing', '', 0, 'S7'],
  ['a newline', '\n', 0, 'S1'],
  ['no JSON', 'hello\n', 0, 'S1'],
  ['another kind of file', '{"a":1}\n', 0, 'S1'],
  ['no UTF-8', Buffer.from([0xff, 0x0a]), 0, 'S1'],
  ['a number that no double holds', '{"body":{},"kind":"bundle","n":9007199254740993,"prev":null}\n', 0, 'S1'],
  ['half a character', '{"body":{"a":"\\ud800"},"kind":"bundle","n":0,"prev":null}\n', 0, 'S1'],
  ['a key twice', '{"body":{},"kind":"bundle","n":0,"n":0,"prev":null}\n', 0, 'S1'],
  ['nested too deep', `{"body":${'['.repeat(300)}${']'.repeat(300)},"kind":"bundle","n":0,"prev":null}\n`, 0, 'S1'],
  ['nested far too deep', `${'['.repeat(200_000)}\n`, 0, 'S1'],
  ['a first line without its fields', '{"body":{},"kind":"bundle","n":0,"prev":null}\n', 0, 'S3'],
  ['a kind that there is not', '{"body":{},"kind":"__proto__","n":0,"prev":null}\n', 0, 'S3'],
])('%s is broken, and nothing is thrown', async (_name, text, line, rule) => {
  expect(await verifyBundle([Buffer.from(text as string)], TRUST)).toMatchObject({ verdict: 'broken', line, rule });
});

describe('lines that do not follow each other are broken at that place (S2)', () => {
  /** What is found for each seventh line after an edit of it. */
  async function foundAfter(edit: (lines: string[], n: number) => string[]): Promise<{ n: number; found: object }[]> {
    const lines = (await sample('approval')).trimEnd().split('\n');
    const places = [...lines.keys()].filter((n) => n % 7 === 1);
    const results = places.map(async (n) => {
      const { line, rule, why } = await verifyBundle([Buffer.from(`${edit(lines, n).join('\n')}\n`)], TRUST);
      return { n, found: { line, rule, why } };
    });
    return Promise.all(results);
  }
  const NUMBER = expect.stringMatching(/^The line says that it is number \d+: lines are missing, doubled or in another order$/);

  test('a line that names a wrong line before it', async () => {
    const why = 'The line does not follow the one before: one of the two was changed';
    const otherPrev = (line: string) => line.replace(/(?<="prev":")[0-9a-f]/, (digit) => (digit === '0' ? '1' : '0'));
    const results = await foundAfter((lines, n) => lines.with(n, otherPrev(lines[n]!)));
    expect(results.length).toBeGreaterThan(5);
    for (const { n, found } of results) expect(found).toEqual({ line: n, rule: 'S2', why });
  });

  test('a missing line', async () => {
    for (const { n, found } of await foundAfter((lines, place) => lines.toSpliced(place, 1)))
      expect(found).toEqual({ line: n, rule: 'S2', why: NUMBER });
  });

  test('a repeated line', async () => {
    for (const { n, found } of await foundAfter((lines, place) => lines.toSpliced(place, 0, lines[place]!)))
      expect(found).toEqual({ line: n + 1, rule: 'S2', why: NUMBER });
  });
});

test('a turn with values of a wrong type is broken, and nothing is thrown', async () => {
  const odd = [null, 7, [[null]], { payloads: 7 }, { payloads: [{ $: 7 }] }];
  const text = await sample('approval');
  for (const value of odd) {
    for (const field of ['input', 'result', 'activityType', 'activityId', 'scheduledEventId', 'acceptedRequest']) {
      const { text: changed } = forged(text, (lines) => {
        for (const { body } of lines)
          for (const attributes of Object.values((body.event ?? {}) as object))
            if (typeof attributes === 'object' && attributes !== null && field in attributes) attributes[field] = value;
      });
      expect(await verifyBundle([Buffer.from(changed)], TRUST)).toMatchObject({ verdict: 'broken' });
    }
  }
});

const SIGNER = {
  kid: REDACTOR_KEY.kid,
  public: REDACTOR_KEY.public,
  sign: (bytes: Uint8Array) => Promise.resolve(REDACTOR_KEY.sign(bytes)),
};

/** A payload and a part left out, by a redactor who says so. */
async function redacted(): Promise<string> {
  return forged(
    await sample('approval'),
    (lines) => {
      const original = structuredClone(lines.at(-1)!.body) as Record<string, string>;
      const started = lines.find(({ body }) => body.event?.eventType === 'EVENT_TYPE_WORKFLOW_EXECUTION_STARTED')!;
      const { input } = started.body.event.workflowExecutionStartedEventAttributes;
      input.payloads = [{ redacted: true }];
      const message = lines.find(({ body }) => body.part?.body?.text === 'Pay INV-7.')!;
      message.body.part = null;
      const { root, kid, signature } = original;
      lines.at(-1)!.body.redaction = { of: { root, kid, signature }, parts: 1, payloads: 1, reason: 'a customer is named' };
    },
    REDACTOR_KEY,
  ).text;
}

test('left-out parts and payloads are counted, and the rest still holds', async () => {
  const found = await verifyBundle([Buffer.from(await redacted())], TRUST);
  expect(found).toMatchObject({ verdict: 'intact', why: '', signed_by: REDACTOR_KEY.kid, redactions: 2 });
  expect(describeVerification(found).join(' ')).toContain('2 redactions');
});

async function redactedBy(bundle: Buffer, some: object): Promise<Buffer> {
  const request = { messages: false, calls: [], parts: [], ...some, reason: 'a test', signer: { ...SIGNER } };
  let text = '';
  for await (const line of redact(() => Readable.from([bundle]), request)) text += line;
  return Buffer.from(text);
}

/** The bundle that a redaction names as the one that its signer signed before. */
describe('the bundle from which a redaction was made', () => {
  const of = async (name: string) => {
    const { root, signed_by } = await verifyBundle([await bytes(name)], TRUST);
    return { root, signed_by };
  };
  const altered = (bundle: Buffer, change: (of: any) => void) =>
    Buffer.from(forged(bundle.toString(), (lines) => change(lines.at(-1)!.body.redaction.of), REDACTOR_KEY).text);

  test('is named with the key that signed it, also after a second redaction', async () => {
    const original = await of('spoken');
    const once = await redactedBy(await bytes('spoken'), { messages: true });
    expect(await verifyBundle([once], TRUST)).toMatchObject({ verdict: 'intact', made_of: original });
    const [part] = /"ref":"[0-9a-f]{64}"/.exec(/.*"part":\{.*/.exec(once.toString())![0])!;
    const twice = await redactedBy(once, { parts: [part.slice(7, -1)] });
    const found = await verifyBundle([twice], TRUST);
    expect(found).toMatchObject({ verdict: 'intact', made_of: original });
    expect(describeVerification(found).join(' ')).toContain(`root ${original.root}, which ${original.signed_by} had signed`);
    const stranger = TRUST.filter(({ kid }) => kid !== original.signed_by);
    expect(await verifyBundle([once], stranger)).toMatchObject({ made_of: { root: original.root, signed_by: null } });
  });

  test('has a valid signature, or the redaction is broken', async () => {
    const once = await redactedBy(await bytes('spoken'), { messages: true });
    const changes: [name: string, change: (of: any) => void][] = [
      ['root', (it) => void (it.root = 'e'.repeat(64))],
      ['signature', (it) => void (it.signature = it.signature.replace(/^./, (first: string) => (first === 'A' ? 'B' : 'A')))],
      ['key', (it) => void (it.public = REDACTOR_KEY.public)],
      ['kid', (it) => void (it.kid = REDACTOR_KEY.kid)],
    ];
    for (const [name, change] of changes)
      expect([name, await verifyBundle([altered(once, change)], TRUST)]).toMatchObject([name, { verdict: 'broken', rule: 'S6' }]);
  });

  test('of an older version is named if its signature holds; if not, it is unknown', async () => {
    const original = await of('approval');
    const once = await redactedBy(await bytes('approval'), { messages: true });
    expect(await verifyBundle([once], TRUST)).toMatchObject({ verdict: 'intact', made_of: original });
    const other = altered(once, (it) => void (it.root = 'e'.repeat(64)));
    expect(await verifyBundle([other], TRUST)).toMatchObject({ verdict: 'intact', made_of: { signed_by: null } });
    expect((await verifyBundle([await bytes('approval')], TRUST)).made_of).toBeNull();
  });
});

test.each(['approval', 'reset', 'session', 'spoken'])(
  '%s: after a redaction of any kind the rest of the bundle is intact',
  async (name) => {
    const bundle = await bytes(name);
    const parts = (await sample(name))
      .split('\n')
      .flatMap((line) => (/"kind":"part"/.test(line) ? [/"ref":"([0-9a-f]{64})"\}/.exec(line)![1]!] : []));
    const wanted = [{ messages: true }, { parts }, ...(bundle.includes('"call_id":"1.1"') ? [{ calls: ['1.1'] }] : [])];
    for (const some of wanted) {
      const found = await verifyBundle([await redactedBy(bundle, some)], TRUST);
      expect(found).toMatchObject({ verdict: 'intact', why: '', signed_by: REDACTOR_KEY.kid });
      expect(found.redactions).toBeGreaterThan(0);
    }
  },
);

describe('a bundle that its maker found contradictory', () => {
  const RESULT = 43;
  /** As it is made now; the turn's result says that nothing happened. */
  const made = async (contradiction: unknown, more: (lines: OpenLine[]) => void = () => undefined) =>
    forged(await sample('approval'), (lines) => {
      Object.assign(lines[0]!.body, { v: 'holdfast.bundle/2', tenant: null, chained: true });
      if (contradiction !== undefined) lines.at(-1)!.body.contradiction = contradiction;
      lines[RESULT]!.body.event.workflowExecutionCompletedEventAttributes.result.payloads[0].$.calls[0].effect = 'not_applied';
      more(lines);
    }).text;
  const found = { line: RESULT, rule: 'D6' };
  const judge = async (text: string | Promise<string>) => verifyBundle([Buffer.from(await text)], TRUST);

  test('says so first, with line and rule, also with an unknown signer', async () => {
    const answer = await judge(made(found));
    expect(answer).toMatchObject({ verdict: 'contradictory', ...found, complete: true });
    expect(describeVerification(answer)[0]).toMatch(
      /^contradictory at line 43 \(D6\): .*; signed as contradictory by [0-9a-f]{16}; /,
    );
    const stranger = await verifyBundle([Buffer.from(await made(found))], []);
    expect(describeVerification(stranger)[0]).toContain('nobody that you trust has signed it');
  });

  test('is broken if it contradicts itself earlier, or does not say it', async () => {
    const earlier = (lines: OpenLine[]) => void (lines[10]!.body.event.eventId = '9');
    expect(await judge(made(found, earlier))).toMatchObject({ verdict: 'broken', line: 10, rule: 'H1' });
    expect(await judge(made(null))).toMatchObject({ verdict: 'broken', ...found });
    expect(await judge(made(undefined))).toMatchObject({ verdict: 'broken', rule: 'S3' });
    expect(await judge(made({ line: 1e6, rule: 'D6' }))).toMatchObject({ verdict: 'broken', rule: 'S6' });
  });

  test('still says so if the contradiction was left out', async () => {
    const bundle = Buffer.from(await made(found));
    const less = await redactedBy(bundle, { messages: true, calls: ['1.1'] });
    const why = 'Its sources disagreed when it was made, says its signer';
    expect(await judge(less.toString())).toMatchObject({ verdict: 'contradictory', ...found, why });
  });

  test('gives the reason if the contradiction still shows, and not if another one does', async () => {
    const answer = await judge(made(found));
    expect(answer.why).toContain('effect');
    const other = await judge(made({ line: RESULT - 1, rule: 'D6' }));
    expect(other).toMatchObject({
      verdict: 'contradictory',
      line: RESULT - 1,
      why: expect.stringContaining('says its signer') as string,
    });
  });
});

test('left-out parts that no redaction names are found', async () => {
  const { text } = forged(await redacted(), (lines) => void (lines.at(-1)!.body.redaction = null));
  expect(await verifyBundle([Buffer.from(text)], TRUST)).toMatchObject({ verdict: 'broken', rule: 'S6' });
});

describe('several bundles', () => {
  const link = (name: string, previous: string | null, agent = 'a'): Link => ({
    name,
    agent,
    root: name,
    previous: previous === null ? null : { root: previous, subject: previous },
  });

  test('each follows the one before, for each agent separately', () => {
    expect(chainFaults([link('1', null), link('x', null, 'b'), link('2', '1'), link('3', '2')], null)).toEqual([]);
    expect(chainFaults([link('2', '1'), link('3', '2')], '1')).toEqual([]);
  });

  test('a bundle that was left out is found', () => {
    expect(chainFaults([link('1', null), link('3', '2')], null)).toEqual([expect.stringContaining('was left out')]);
    expect(chainFaults([link('2', '1')], '0')).toEqual([expect.stringContaining('root 0 was expected')]);
    expect(chainFaults([link('1', null)], '0')).toEqual([expect.stringContaining('names none before it')]);
  });
});
