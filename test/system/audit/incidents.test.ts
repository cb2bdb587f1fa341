/** The rehearsed incidents of docs/incidents: the record holds, what their answers say stands in the lines that they name, and the fixes fix them. */
import { createReadStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseTrustedKeys } from '../../../src/attestation/trusted-keys';
import { readCaseFile } from '../../../src/audit/case-file';
import { verifyBundle } from '../../../src/audit/verify';
import { readProposal, whatIf, type ProposalText } from '../../../src/audit/what-if';

const folder = join(__dirname, '../../../docs/incidents');
const trust = parseTrustedKeys(readFileSync(join(folder, 'trust.json'), 'utf8'), 'trust.json');
const open = (name: string) => createReadStream(join(folder, `${name}.jsonl`));

const WRONG = [
  'credit-committee@bank-example.example',
  'disclosure-desk@filings-portal.example',
  'credit-committee@bank.example.net',
];
const NAMES = ['memo-1', 'memo-2', 'memo-3'];

/** The line with this number, and what its base64 decodes to. */
function lineOf(name: string, n: number): string {
  const line = readFileSync(join(folder, `${name}.jsonl`), 'utf8').split('\n')[n]!;
  const decoded = [...line.matchAll(/"data":"([A-Za-z0-9+/=]*)"/g)].map(([, data = '']) =>
    Buffer.from(data, 'base64').toString(),
  );
  return [line, ...decoded].join('\n');
}

test.each(NAMES)('%s is intact, and whole', async (name) => {
  expect(await verifyBundle(open(name), trust)).toMatchObject({ verdict: 'intact', complete: true, redactions: 0, why: '' });
});

test.each([
  ['memo-1', 5, ['rita', 'credit-committee@bank.example']],
  ['memo-1', 87, ['"verdict":"ask"', 'credit-committee@bank.example']],
  ['memo-1', 38, ['"by":"victor"', WRONG[0]!, 'Address as in my address book.']],
  ['memo-1', 89, ['"decision":"edit"', '"by":"victor"', '09:24:41.040']],
  ['memo-1', 93, ['had a hand in it: `victor`', 'changed recipient', WRONG[0]!]],
  ['memo-1', 91, ['"decision":"approve"', '"by":"victor"', '09:24:41.562']],
  ['memo-1', 94, ['"four_eyes":false', '"quorum":1']],
  ['memo-2', 5, ['to where it belongs']],
  ['memo-2', 72, ['"untrusted":true', WRONG[1]!]],
  ['memo-2', 74, ['"by":"ines"', '09:25:00.768', 'Figures checked.']],
  ['memo-2', 76, [WRONG[1]!, 'One e-mail is sent']],
  ['memo-3', 5, [WRONG[2]!]],
  ['memo-3', 63, ['"verdict":"allow"', "the agent's rule allow send_credit_memo(*@bank.example*)"]],
  ['memo-3', 81, ['"card"']],
])('%s: line %i says what the answers say', (name, n, words) => {
  const line = lineOf(name, n);
  for (const word of words) expect(line).toContain(word);
  expect(readFileSync(join(folder, 'answers.md'), 'utf8')).toContain(`n ${n}`);
});

test('each turn sent the memo to the wrong person, and only the third asked nobody', async () => {
  for (const [index, name] of NAMES.entries()) {
    const lines = readFileSync(join(folder, `${name}.jsonl`), 'utf8');
    expect(lines).toContain(`"accepted":["${WRONG[index]}"]`);
    expect(lines.includes('"decision":"approve"')).toBe(name !== 'memo-3');
  }
  expect(readFileSync(join(folder, 'memo-2.jsonl'), 'utf8')).toContain('Notice to analysts');
});

const fixed = (file: string): ProposalText =>
  file.startsWith('rules') ? { rules: join(folder, file) } : { approvals: join(folder, file) };

test.each([
  ['memo-1', 'rules-fixed.json', 'refused'],
  ['memo-2', 'rules-fixed.json', 'refused'],
  ['memo-3', 'rules-fixed.json', 'refused'],
  ['memo-1', 'approvals-fixed.json', 'asked'],
  ['memo-2', 'approvals-fixed.json', null],
  ['memo-3', 'approvals-fixed.json', null],
])('%s under %s: %s', async (name, file, outcome) => {
  const { turns, differences } = whatIf(await readCaseFile(open(name)), readProposal(fixed(file)));
  expect(differences).toBe(outcome === null ? 0 : 1);
  const other = turns.flatMap(({ calls }) => calls).filter(({ differs }) => differs);
  expect(other.map(({ tool, would }) => [tool, would.outcome])).toEqual(outcome === null ? [] : [['send_credit_memo', outcome]]);
});
