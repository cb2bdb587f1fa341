import * as fc from 'fast-check';
import { actOf, approvalCard, CARD_SECTION, charactersInUrl, inDoubtCard, wholeCard, type Card } from '../../../src/cards/card';
import { PLAIN_POLICY } from '../../../src/shared/approval/approval';
import type { JsonObject } from '../../../src/shared/json/json';
import { fenceText, inlineCode, visible } from '../../../src/shared/text/visible';
import { runs } from '../../support/runs';

const DIGEST = 'a'.repeat(64);
const factsOf = (input: JsonObject, preview: string | null = null) => ({
  tool: 'send_credit_memo',
  version: '1.0.0',
  callId: '5.1',
  digest: DIGEST,
  requester: 'ana',
  agent: 'credit-analyst',
  reason: 'class destructive always asks',
  input,
  preview,
  expiresAt: '2026-11-22T00:00:00.000Z',
});
const card = (input: JsonObject, preview: string | null = null) => approvalCard(factsOf(input, preview));
const LINK = `https://bank.example/desk/#/turns/t/calls/${DIGEST}`;

/** The lines of a card outside of fences: Markdown interprets these. */
function outsideFences(markdown: string): string[] {
  let fence: string | null = null;
  return markdown.split('\n').filter((line) => {
    const run = /^`{3,}/.exec(line)?.[0];
    if (fence === null && run) {
      fence = run;
      return false;
    }
    if (fence !== null && line === fence) {
      fence = null;
      return false;
    }
    return fence === null;
  });
}

const HEADINGS = [
  '## Waiting for approval: ',
  '### What will happen',
  '### It goes beyond a budget',
  '### In whose words',
  '### Text of outsiders',
  '### Input',
  '### Who decides',
  '### Decide',
];

/** The JSON to paste, parsed. */
function jsonIn(markdown: string): Record<string, string>[] {
  return [...markdown.matchAll(/```json\n([^]*?)\n```/g)].map((match) => JSON.parse(match[1]!) as Record<string, string>);
}

describe('the approval card', () => {
  it('shows the whole input, the preview, who asked, when it expires, and the JSON to paste', () => {
    const body = 'First line\nSecond line with **stars**';
    const text = card({ recipient: 'x@bank.example', body_md: body }, 'Send to x@bank.example');
    expect(text).toContain('"x@bank.example"');
    expect(text).toContain(body);
    expect(text).toContain('Send to x@bank.example');
    expect(text).toContain('`ana`');
    expect(text).toContain('2026-11-22T00:00:00.000Z');
    expect(jsonIn(text)).toContainEqual({ call: DIGEST, by: 'your-name' });
    expect(text).not.toContain('TRUNCATED');
  });

  it('says TRUNCATED when it does not show everything, how much is missing, and where all of it is', () => {
    const facts = factsOf({ body_md: 'x'.repeat(CARD_SECTION + 1) });
    const text = approvalCard(facts, { most: CARD_SECTION });
    expect(text).toContain(`**TRUNCATED**: the first ${CARD_SECTION} of ${CARD_SECTION + 1} characters; 1 are missing.`);
    expect(text).toContain('`holdfast pending --watch` prints it');
    expect(text.length).toBeLessThan(CARD_SECTION + 3000);
    expect(approvalCard(facts, { most: CARD_SECTION, link: LINK })).toContain(`All of it: <${LINK}>`);
  });

  it('is whole exactly if it fits as the Web UI passes it on, and never longer than that unless each text is short', () => {
    const text = fc.string({ unit: fc.constantFrom('x', '甲', '\n', ' '), maxLength: 60_000, size: 'max' });
    fc.assert(
      fc.property(text, text, fc.integer({ min: 0, max: 300_000 }), (body, preview, most) => {
        const facts = factsOf({ body }, preview);
        const all = approvalCard(facts);
        const shown = approvalCard(facts, { most });
        const fits = charactersInUrl(all) <= most;
        const long = [body, preview].some(({ length }) => length > CARD_SECTION);
        expect(shown === all).toBe(fits || !long);
        expect(shown.includes('**TRUNCATED**')).toBe(!fits && long);
      }),
      { numRuns: runs(20, 100) },
    );
  });

  it('begins with what will happen; then in whose words, outsiders, the input, who decides, and how', () => {
    const text = approvalCard({
      ...factsOf({ cents: 5 }, 'Pays 0.05 EUR.'),
      target: { account: 'DE02' },
      words: [
        { from: 'requester', by: 'ana', text: 'Pay it.', cut: false },
        { from: 'agent', by: 'planner', text: 'Pay INV-7.', cut: true, missing: 12 },
        { from: 'steering', by: 'bob', text: 'Only half.', cut: false },
      ],
      untrusted: true,
      held: [{ kind: 'budget', text: 'It is beyond the budget.' }],
    });
    const headings = outsideFences(text).filter((line) => line.startsWith('### '));
    expect(headings).toEqual([
      '### What will happen',
      '### Acts on',
      '### It goes beyond a budget',
      '### In whose words',
      '### Text of outsiders',
      '### Input',
      '### Who decides',
      '### Decide',
    ]);
    const lines = outsideFences(text);
    expect(lines).toEqual(
      expect.arrayContaining([
        '`ana` began the turn with:',
        'Agent `planner` gave this turn the task:',
        'The other 12 characters are in the transcript of the turn.',
        '`bob` said to the running turn:',
        expect.stringMatching(/^\*\*Read before\.\*\*/),
      ]),
    );
    expect(text.indexOf('Pay it.')).toBeLessThan(text.indexOf('Only half.'));
  });

  it('says that nothing of outsiders was read, and that no model has chosen a direct call', () => {
    const text = approvalCard({ ...factsOf({}), words: [], untrusted: false });
    expect(text).toContain('None: the conversation had read no text of outsiders');
    expect(text).toContain('`ana` asked for exactly this call');
    expect(text).toContain('The tool has no preview.');
  });

  it('gives what the call would do to the people who settle it, and no heading that somebody wrote', () => {
    const facts = { ...factsOf({ note: 'a\n### Decide\n```\n### Who decides' }, 'Pays 5 EUR.'), words: [], untrusted: false };
    const act = actOf(approvalCard(facts));
    expect(outsideFences(act).filter((line) => line.startsWith('### '))).toEqual([
      '### What will happen',
      '### In whose words',
      '### Text of outsiders',
      '### Input',
    ]);
    expect(act).toContain('Pays 5 EUR.');
    expect(act).toContain('### Who decides'); // in a fence
    expect(act).not.toContain('your-name');
    expect(actOf('## In doubt: `pay`')).toBe('');
  });

  it('can be written anew from the card object, also of a call in doubt; not if facts are missing', () => {
    const object: Card = {
      ...{ kind: 'approval', agent: 'credit-analyst', call_id: '5.1', revision: 1, tool: 'send_credit_memo', version: '1.0.0' },
      ...{ class: 'destructive', digest: DIGEST, will_happen: 'Sends it.', acts_on: null, input: { to: 'x' }, held: [] },
      ...{ requester: 'ana', makers: [], words: [], reason: 'class destructive always asks', changes: [], untrusted: false },
      ...{ asked_at: null, policy: PLAIN_POLICY, remarks: [], expires_at: '2026-11-22T00:00:00.000Z', error: null },
      markdown: 'cut',
    };
    const facts = { ...factsOf({ to: 'x' }, 'Sends it.'), words: [], untrusted: false };
    expect(wholeCard(object)).toBe(approvalCard(facts));
    const error = { code: 'INTERNAL', kind: 'internal', reason: 'outcome_unknown', message: 'The worker was lost.' } as never;
    const doubt = wholeCard({ ...object, kind: 'in_doubt', error, evidence: 'No such payment.' })!;
    for (const what of ['The worker was lost.', 'No such payment.', 'Sends it.', '### In whose words', '### Who settles'])
      expect(doubt).toContain(what);
    expect(wholeCard({ ...object, incomplete: 'The store cannot tell.' })).toBeNull();
  });

  it('fences a text with 200,000 runs of backticks', () => {
    const fence = '`'.repeat(4);
    expect(fenceText('` '.repeat(200_000) + '```').startsWith(`${fence}text\n\` `)).toBe(true);
    expect(fenceText('none').startsWith('```text\n')).toBe(true);
  });

  it('makes invisible and reordering characters visible', () => {
    const text = card({ recipient: 'a\u202Eb\u200Bc\u00ADd\u{E0041}e\u0000f\u2066g' });
    expect(text).toContain('⟨U+202E⟩');
    expect(text).toContain('⟨U+200B⟩');
    expect(text).toContain('⟨U+00AD⟩');
    expect(text).toContain('⟨U+E0041⟩');
    expect(text).toContain('⟨U+2066⟩');
    expect(text).not.toMatch(/[\u0000-\u0008\u200B-\u200F\u202A-\u202E\u2066-\u2069]/);
  });

  it('keeps every text of the model, of a tool or of the requester in its fence: no link, image, heading or forged signal', () => {
    const attack = fc.oneof(
      fc.string(),
      fc.string({
        unit: fc.constantFrom('`', '~', '\n', '[', ']', '(', ')', '!', '#', '<', '>', '|', '\r', '\u2028', ' ', 'a', ':', '/'),
      }),
      fc.constantFrom(
        '```\n# Approved',
        '![x](http://evil.example/p.png)',
        '[click](javascript:1)',
        '~~~\n## x\n~~~',
        '````\n```\n',
        '<img src=x>',
      ),
    );
    fc.assert(
      fc.property(attack, attack, attack, (value, preview, who) => {
        const text = approvalCard({
          tool: 'pay',
          version: '1.0.0',
          callId: '1.1',
          digest: DIGEST,
          requester: who,
          makers: [who, value],
          agent: 'a',
          reason: value,
          words: [{ from: 'requester', by: who, text: value, cut: true }],
          untrusted: true,
          changes: [{ by: who, why: value }],
          held: [{ kind: 'budget', text: value }],
          input: { field: value, long: `${value}\n${value}`, list: [value] },
          preview,
          expiresAt: 'never',
        });
        for (const line of outsideFences(text)) {
          const plain = line.replace(/`[^`]*`/g, ''); // inline code is inert
          expect(plain).not.toMatch(/!\[|\]\(|<[a-z]|https?:/i);
          if (/^#{1,6} /.test(plain)) expect(HEADINGS).toContain(plain);
        }
      }),
      { numRuns: runs(100, 500) },
    );
  });

  it('for a call in doubt says what to look for and how to settle it', () => {
    const text = inDoubtCard({ tool: 'pay', callId: '1.1', digest: DIGEST, error: 'worker lost', idempotencyKey: 'hf_1' });
    expect(text).toContain('hf_1');
    expect(jsonIn(text).map((json) => json.outcome)).toEqual(['applied', 'not_applied']);
    expect(jsonIn(text).every((json) => json.call === DIGEST)).toBe(true);
  });

  it('says who may settle a call in doubt, if its approval had such a policy', () => {
    const facts = { tool: 'pay', callId: '1.1', digest: DIGEST, error: 'worker lost', idempotencyKey: 'hf_1' };
    const policy = { ...PLAIN_POLICY, channel: 'attested' as const, quorum: 2, four_eyes: true, roles: ['treasurer'] };
    expect(outsideFences(inDoubtCard({ ...facts, policy }))).toEqual(
      expect.arrayContaining([
        '- 2 people must settle it, and say the same',
        '- nobody who asked for it, changed it or steered the turn may settle it',
        expect.stringContaining('- only signed decisions count'),
        '- roles that may settle: `treasurer`',
      ]),
    );
    expect(inDoubtCard({ ...facts, policy: { ...policy, channel: 'any' } })).toContain('say the same (advisory');
    expect(inDoubtCard(facts)).not.toMatch(/must settle|only signed/);
  });
});

describe('visible text', () => {
  it('keeps ordinary text of any script as it is', () => {
    for (const text of ['plain', 'línea', '信用备忘录', 'кредит', '12 €', 'a\tb\nc']) expect(visible(text)).toBe(text);
  });

  it('is fenced by more backticks than it contains', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('`', 'a', '\n') }), (text) => {
        const block = fenceText(text);
        const fence = /^`+/.exec(block)![0];
        const inside = block.slice(block.indexOf('\n') + 1, block.lastIndexOf('\n'));
        expect(inside).not.toContain(fence);
      }),
    );
  });

  it('is one line without backticks as inline code', () => {
    fc.assert(fc.property(fc.string(), (text) => expect(inlineCode(text)).toMatch(/^`[^`\n]+`$/)));
  });
});
