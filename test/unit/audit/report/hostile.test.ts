/** A bundle is hostile input, signed or not: its content is shown, and never interpreted. */
import { parse } from 'parse5';
import { readCaseFile } from '../../../../src/audit/case-file';
import { LineWriter } from '../../../../src/audit/format/writer';
import { html, markdown, report } from '../../../../src/audit/report';
import { runs } from '../../../support/runs';
import { handLines, PLAIN_WORDS, type Words } from '../../../support/hand-bundle';

const ATTACKS = [
  '</title><script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'); DROP TABLE turns; --",
  '</pre></details></main><style>*{display:none}</style>',
  '<svg onload=alert(1)><a href="javascript:alert(1)">x</a></svg>',
  '--><!-- ]]> <![CDATA[ <base href=//evil.example>',
  '[link](javascript:alert(1)) ![x](https://evil.example/x.png)\n# heading\n| cell |',
  '\u202Etxt.exe\u2066 a\u200Bb \u0000 \uFEFF \u2028',
];

describe('the report of a hostile bundle', () => {
  it.each(ATTACKS)('has no element, attribute or address that %j would bring', async (attack) => {
    const page = html(await reportOf(wordsOf(attack)));
    const harmless = tally(parse(html(await reportOf(PLAIN_WORDS)), { sourceCodeLocationInfo: false }));
    const found = tally(parse(page));
    expect(found.attributes).toEqual(harmless.attributes);
    expect(Object.keys(found.elements)).toEqual(expect.arrayContaining(Object.keys(harmless.elements)));
    expect(Object.keys(found.elements).filter((name) => !(name in harmless.elements))).toEqual([]);
    expect([found.elements.script, found.elements.style]).toEqual([1, 1]);
    expect(found.addresses.every((to) => /^#s\d+$|^#report$/.test(to))).toBe(true);
    // Nothing in it reverses the reading order, or is hidden.
    expect(page).not.toMatch(/[\u0000-\u0008\u202A-\u202E\u2066-\u2069\u200B\uFEFF\u2028]/);
  });

  it.each(ATTACKS)('has no markup in Markdown that %j would bring', async (attack) => {
    const text = markdown(await reportOf(wordsOf(attack)));
    const outside = text.replace(/^(`{3,})text\n[\s\S]*?\n\1$/gm, '').replace(/`[^`\n]*`/g, '');
    expect(outside).not.toMatch(/(?<!\\)<[a-z/!]/i);
    expect(outside).not.toMatch(/(?<!\\)\]\(/);
    expect(outside).not.toContain('https://evil');
    expect(text).not.toMatch(/[\u0000-\u0008\u202A-\u202E\u2066-\u2069\u200B\uFEFF\u2028]/);
  });

  it('shows the beginning of a long text, says how much there is, and stays small', async () => {
    const page = html(await reportOf(wordsOf('x'.repeat(runs(250_000, 1_000_000)))));
    expect(page).toContain('characters; the bundle has the rest');
    expect(page.length).toBeLessThan(2_000_000);
  });

  it('is finished for any value in any place of the bundle', async () => {
    let twisted = 0;
    for (const lines of everyTwist(handLines())) {
      const doc = report({ file: await readCaseFile(bytes(lines)), verification: null });
      expect(html(doc).length).toBeGreaterThan(1000);
      expect(markdown(doc).length).toBeGreaterThan(100);
      twisted += 1;
    }
    expect(twisted).toBeGreaterThan(100);
  });
});

function wordsOf(attack: string): Words {
  return Object.fromEntries(Object.keys(PLAIN_WORDS).map((key) => [key, attack])) as unknown as Words;
}

async function reportOf(words: Words) {
  return report({ file: await readCaseFile(bytes(handLines(words))), verification: null });
}

async function* bytes(lines: string[]): AsyncGenerator<Uint8Array> {
  yield Buffer.from(lines.join(''), 'utf8');
}

interface Element {
  nodeName: string;
  attrs?: { name: string; value: string }[];
  childNodes?: Element[];
}

/** Elements by name, attributes by element and name, and where links lead. */
function tally(root: unknown) {
  const elements: Record<string, number> = {};
  const attributes = new Set<string>();
  const addresses: string[] = [];
  const visit = (node: Element): void => {
    if (!node.nodeName.startsWith('#')) elements[node.nodeName] = (elements[node.nodeName] ?? 0) + 1;
    for (const { name, value } of node.attrs ?? []) {
      attributes.add(`${node.nodeName} ${name}`);
      if (['href', 'src', 'action', 'xlink:href'].includes(name)) addresses.push(value);
    }
    node.childNodes?.forEach(visit);
  };
  visit(root as Element);
  return { elements, attributes: [...attributes].filter((name) => name !== 'details open').sort(), addresses };
}

/** All of them take half a minute. */
const STRIDE = 5;

/** The bundle again and again, each time with one value, anywhere, in another's place. */
function* everyTwist(lines: string[]): Generator<string[]> {
  const all = lines.map((line) => opened(JSON.parse(line)) as { kind: 'event'; body: unknown });
  let count = 0;
  for (const [index, line] of all.entries())
    for (const path of paths(line.body)) {
      const odd = ODD[count++ % ODD.length];
      if (count % STRIDE !== 0) continue;
      const changed = all.map((each, at) => (at === index ? { ...each, body: replaced(line.body, path, odd) } : each));
      const writer = new LineWriter();
      yield changed.map(({ kind, body }) => writer.line(kind, closed(body) as never));
    }
}

const ODD = [null, 7, true, 'odd', [], {}, [null], { odd: {} }, -1, '<', [[]], { payloads: 3 }];

function* paths(value: unknown, to: string[] = []): Generator<string[]> {
  if (to.length > 0) yield to;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, each] of Object.entries(value)) yield* paths(each, [...to, key]);
}

function replaced(value: unknown, [key, ...rest]: string[], by: unknown): unknown {
  if (key === undefined) return by;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>;
  copy[key] = replaced(copy[key], rest, by);
  return copy;
}

/** Payloads as what they carry, so that it is twisted too. */
function opened(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(opened);
  const { metadata, data } = value as { metadata?: unknown; data?: unknown };
  if (metadata !== undefined && typeof data === 'string')
    return { $carries: JSON.parse(Buffer.from(data, 'base64').toString('utf8')) as unknown };
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, opened(each)]));
}

function closed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(closed);
  if ('$carries' in value) {
    const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64');
    return { metadata: { encoding: base64('json/plain') }, data: base64(JSON.stringify(value.$carries)) };
  }
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, closed(each)]));
}
