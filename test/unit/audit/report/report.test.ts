/** The report about the sample bundles; HTML and Markdown have the same content. */
import { createReadStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { parseTrustedKeys } from '../../../../src/attestation/trusted-keys';
import { readCaseFile } from '../../../../src/audit/case-file';
import { reportComparison, html, markdown, report, summarizeVerification } from '../../../../src/audit/report';
import { verifyBundle } from '../../../../src/audit/verify';
import { forged } from '../../../support/audit/forge';
import { handBundle, handLines, PLAIN_WORDS } from '../../../support/hand-bundle';

const BUNDLES = join(__dirname, '../../../bundles');
const pathOf = (name: string) => join(BUNDLES, `${name}.jsonl`);
const TRUST = parseTrustedKeys(readFileSync(join(BUNDLES, 'trust.json'), 'utf8'), 'trust.json');

const read = async (name: string) => ({ file: await readCaseFile(createReadStream(pathOf(name))), verification: null });
const told = async (name: string) => markdown(report(await read(name)));

describe('a report', () => {
  it('begins with what to look at first, the request, the effects, who allowed them, and what is unknown', async () => {
    const text = await told('edited');
    const order = [
      'Can this record be trusted?',
      'In short',
      'Look at this first',
      'asked the agent',
      'What was done',
      'Who allowed it',
      'What is not known',
      'Timeline',
      'Calls',
      'Tokens and cost',
      'Transcript',
      'Particulars',
      'The bundle',
    ];
    const places = order.map((title) => text.indexOf(title));
    expect(places.every((place, index) => place > (places[index - 1] ?? -1))).toBe(true);
    expect(text).toContain('was applied.');
    expect(text).toMatch(/approved by bob \(name as given, not proved\), 20\d\d-/);
  });

  it('summarizes who received a payment, and how much', async () => {
    const short = (await told('edited')).replaceAll('\\', '').split('Timeline')[0];
    expect(short).toMatch(/pay \(call 1\.1, revision 2\).* was applied\. .*Its input: .*cents “350”/);
    expect(short).toMatch(/was applied\. Shown as “Pay 350 cents for INV-7\.”\. Its input: .*invoice “INV-7”/);
    const memo = markdown(report({ file: await readCaseFile(handBundle()), verification: null })).replaceAll('\\', '');
    expect(memo.split('Timeline')[0]).toMatch(
      /send_memo \(call 1\.1, revision 2\).* was applied\. .*Its input: .*to “someone@else\.example”, body “The memo\.”/,
    );
  });

  it('summarizes a long input by its first fields, and says how many more there are', async () => {
    const { text: wide } = forged(readFileSync(pathOf('approval'), 'utf8'), (lines) => {
      const more = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`zz_${index}`, 'x'.repeat(500)]));
      const grown = (text: string) =>
        text.replaceAll('"invoice":"INV-7"', `"invoice":"INV-7",${JSON.stringify(more).slice(1, -1)}`);
      for (const line of lines) line.body = JSON.parse(grown(JSON.stringify(line.body)));
    });
    const file = await readCaseFile(Readable.from([Buffer.from(wide)]));
    const short = markdown(report({ file, verification: null }))
      .replaceAll('\\', '')
      .split('Timeline')[0]!;
    expect(short).toMatch(/Its input: invoice “INV-7”, .*, 10 more fields\./);
    expect(short).not.toContain('x'.repeat(200));
  });

  it('says first that the model had read outsiders’ words, and what is in doubt', async () => {
    const lines = readFileSync(pathOf('approval'), 'utf8').replaceAll('"untrusted":false', '"untrusted":true');
    const file = await readCaseFile(Readable.from([Buffer.from(lines)]));
    const text = markdown(report({ file, verification: null })).replaceAll('\\', '');
    const first = text.slice(text.indexOf('Look at this first'), text.indexOf('What was done'));
    expect(first).toContain('was asked for after the model had read what outsiders wrote');
    const running = (await told('in_doubt')).replaceAll('\\', '');
    expect(running.slice(running.indexOf('Look at this first'), running.indexOf('What was done'))).toContain('doubt');
  });

  describe('says first that the record has outsiders’ words, if no call with effects was asked for after them', () => {
    const first = async (name: string, change: (text: string) => string) => {
      const { text: changed } = forged(readFileSync(pathOf(name), 'utf8'), (lines) => {
        for (const line of lines) line.body = JSON.parse(change(JSON.stringify(line.body)));
      });
      const file = await readCaseFile(Readable.from([Buffer.from(changed)]));
      const text = markdown(report({ file, verification: null })).replaceAll('\\', '');
      return text.slice(0, text.indexOf('What was done')).split('Look at this first')[1] ?? 'nothing';
    };
    const same = (text: string) => text;
    const marked = (text: string) => text.replaceAll('"untrusted_output":false', '"untrusted_output":true');
    const ofVendor = (text: string) => text.replaceAll('"name":"lookup","type":"tool_use"', '"name":"web_search","type":"server_tool_use"'); // oxfmt-ignore
    const told = (text: string) => text.replaceAll('"untrusted":false', '"untrusted":true');

    it.each([
      ['a tool that returns them', 'plain', marked, 'it came by lookup.'],
      ['a direct call of one', 'call', marked, 'it came by'],
      ['a tool of the vendor', 'plain', ofVendor, 'it came by web_search.'],
      ['a sub-agent', 'sub_agent', same, 'it came by researcher.'],
      ['what the rules were told', 'plain', told, 'the rules were told so.'],
    ])('%s', async (_, name, change, expected) => {
      expect(await first(name, change)).toContain(`What outsiders wrote is in this record: ${expected}`);
      expect(await first('plain', same)).toBe('nothing');
    });
  });

  it('says first that people approved a call that had been held, and why it had been held', async () => {
    const first = async (name: string) => (await told(name)).replaceAll('\\', '').split('What was done')[0]!;
    const reset = await first('reset');
    expect(reset).toMatch(/pay \(call 1\.1, revision 2\).* was approved by bob although it had been held back \(reset\)\./);
    expect(reset.indexOf('Look at this first')).toBeGreaterThan(reset.indexOf('In short'));
    expect(reset.indexOf('Look at this first')).toBeLessThan(reset.indexOf('asked the agent'));
    expect(await first('approval')).not.toContain('held back');
  });

  it('gives each wait one duration', async () => {
    const text = (await told('approval')).replaceAll('\\', '');
    const waits = [...text.matchAll(/waited[ :|*]*([\d.]+ (?:ms|s|min))|; ([\d.]+ (?:ms|s|min)) of waiting/g)].map(
      ([, a, b]) => a ?? b,
    );
    expect(waits.length).toBeGreaterThanOrEqual(3); // in short, in the timeline, with the call
    expect(new Set(waits).size).toBe(1);
  });

  it('says who changed an input, from what to what, and when', async () => {
    expect(await told('edited')).toMatch(/ana changed the input, 20\d\d-.*cents from “700” to “350”/);
  });

  it.each([
    ['denied', /denied by ana/],
    ['expired', /expired.*nobody decided in time/],
    ['in_doubt', /was in doubt, and bob found out: applied/],
    ['reset', /The workflow was reset, 20\d\d-/],
    ['reset', /ran before the workflow was reset; what it did stays done/],
    ['retries', /took \d attempts/],
    ['quorum', /approved by ana \(signed with key [0-9a-f]{16}, not checked\)/],
    ['terminated', /The workflow was terminated/],
    ['running', /The record of this turn is not complete/],
    ['cancelled', /It ended cancelled/],
    ['limit', /It ended at a limit/],
    ['call', /called a tool directly/],
    ['sub_agent', /of the sub-agent that answers call 1\.1/],
  ])('says of the sample %s: %s', async (name, expected) => {
    expect((await told(name)).replaceAll('\\', '')).toMatch(expected);
  });

  describe('says about a signature only what the verifier found', () => {
    const after = async (text: string, keys: typeof TRUST) => {
      const result = await verifyBundle([Buffer.from(text)], keys);
      const file = await readCaseFile(Readable.from([Buffer.from(text)]), result.signatures);
      const verification = summarizeVerification(result);
      return { tone: verification.tone, text: markdown(report({ file, verification })).replaceAll('\\', '') };
    };
    const quorum = readFileSync(pathOf('quorum'), 'utf8');

    it('if each holds', async () => {
      const { tone, text } = await after(quorum, TRUST);
      expect(tone).toBe('good');
      expect(text).toMatch(/rita \(with a signed start, checked\) asked/);
      expect(text).toMatch(/approved by ana \(signed with key [0-9a-f]{16}, checked\)/);
      expect(text).not.toMatch(/not checked|Who really decided|really started it/);
    });

    it('if the trust file has no key of people or gateways: not checked, at every name, and among the unknowns', async () => {
      const { tone, text } = await after(quorum, TRUST.filter(({ use }) => use === 'bundle')); // oxfmt-ignore
      expect(tone).toBe('warn');
      expect(text).toMatch(/rita \(with a start that bears a signature, not checked\) asked/);
      expect(text.match(/signed with key [0-9a-f]{16}(?!, not checked)/g)).toBeNull();
      expect(text).toMatch(/Who really decided on 1\.1: there are signatures, and they are not checked/);
      expect(text).toMatch(/Whether rita really started it: the signature on its start is not checked/);
    });

    const withStart = (attestation: string | object) =>
      forged(readFileSync(pathOf('approval'), 'utf8'), (lines) => {
        const started = lines.flatMap(({ body }) => body.event?.workflowExecutionStartedEventAttributes ?? []);
        started[0].input.payloads[0].$.attestation = attestation;
        const starts = lines.filter(({ kind, body }) => kind === 'part' && body.part.body?.first_execution_run_id);
        starts[0]!.body.part.body.attestation = attestation;
      }).text;

    it('if its place holds a value that is not a text', async () => {
      const { tone, text } = await after(withStart({ trust: 'me' }), TRUST);
      expect(tone).toBe('warn');
      expect(text).not.toContain('with a signed start');
      expect(text).toMatch(/1 signature on the start of a turn does not hold/);
    });

    it('if any other text is in the place of a signed start', async () => {
      const { tone, text } = await after(withStart('trust me'), TRUST);
      expect(tone).toBe('warn');
      expect(text).toMatch(/rita \(with a start whose signature does not hold\) asked/);
      expect(text).toMatch(/Whether rita really started it: the signature on its start does not hold/);
      expect(text).toMatch(/1 signature on the start of a turn does not hold/);
    });
  });

  it('has the cards as they were shown, in full', async () => {
    const { file, verification } = await read('approval');
    const { card } = file.turns[0]!.calls[0]!.question!;
    expect(card).toContain('Waiting for approval');
    expect(markdown(report({ file, verification }))).toContain(card!.trim());
  });

  it('has the verifier’s sentence, and never says that a bundle is valid', async () => {
    const shown = async (keys: typeof TRUST, chunks: AsyncIterable<Uint8Array>) =>
      summarizeVerification(await verifyBundle(chunks, keys));
    const intact = await shown(TRUST, createReadStream(pathOf('approval')));
    expect(intact).toMatchObject({ tone: 'good', headline: expect.stringMatching(/^Intact since signing by /) });
    const unknown = await shown([], createReadStream(pathOf('approval')));
    expect(unknown).toMatchObject({ tone: 'warn', headline: expect.stringMatching(/^Consistent, signer unknown/) });
    const broken = await shown(TRUST, handBundle());
    expect(broken).toMatchObject({ tone: 'bad', headline: expect.stringMatching(/^Broken at line /) });
    const page = html(report({ ...(await read('approval')), verification: broken }));
    expect(page).toContain('Do not rely on the content below');
    expect(page).not.toMatch(/\bvalid\b/);
  });

  it('contains everything in a truncated file, and says where it ends', async () => {
    const lines = handLines();
    const cut = async function* () {
      yield Buffer.from(lines.slice(0, 12).join('') + '{"n"');
    };
    const text = markdown(report({ file: await readCaseFile(cut()), verification: null }));
    expect(text).toContain('Reading ended at line 12');
    expect(text).toContain(PLAIN_WORDS.message);
  });

  it('has every text of the Markdown in the HTML too', async () => {
    const doc = report(await read('quorum'));
    const page = html(doc);
    const words = markdown(doc)
      .split(/[^\p{L}\p{N}]+/u)
      .filter((word) => word.length > 2);
    expect(words.filter((word) => !page.includes(word))).toEqual([]);
  });

  it('puts two bundles beside each other, with the differences first', async () => {
    const doc = reportComparison(await read('approval'), await read('edited'));
    const text = markdown(doc);
    expect(text.indexOf('What differs')).toBeLessThan(text.indexOf('In short'));
    expect(text).toMatch(/\| agent \| \S+ \| \S+ \| (same|\*\*differs\*\*) \|/);
    expect(text).toMatch(/\| call 1\.1 revision 2 \| there is none \|/);
    const ids = [...html(doc).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('draws each step, each call, each wait and each effect', async () => {
    const page = html(report(await read('parallel')));
    expect(page.match(/class="run"/g)!.length).toBe(3);
    expect(page.match(/class="model"/g)!.length).toBe(2);
    const approval = html(report(await read('approval')));
    expect(approval).toContain('class="wait"');
    expect(approval).toContain('approve by ana');
    expect(approval).toContain('effect: applied');
  });
});
