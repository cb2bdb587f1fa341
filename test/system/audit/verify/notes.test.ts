/** Notes beside signed decisions: the signature does not cover those of older builds, and the verifier says so. */
import { verifyBundle } from '../../../../src/audit/verify';
import { describeVerification } from '../../../../src/audit/verify/sentence';
import { sample, TRUST } from '../../../support/bundle-keys';
import { pythonVerifier } from '../../support/python-verifier';
import { forged, type OpenLine } from '../../../support/audit/forge';
import { noted } from '../../../support/audit/forgeries';
import { judgedByPython } from '../support/python';

const python = pythonVerifier();

/** A note beside the last approval of an older build, which signs no notes: in the message, and in the record. */
function besideOld(lines: OpenLine[]): void {
  const text = JSON.stringify(lines);
  const { attestation } = JSON.parse(/"approvals":(\[\{.*?\}\])/.exec(text)![1]!).at(-1);
  const withNote = JSON.stringify(lines, (_, value: any) => {
    const isSaid = value?.call !== undefined && [value.attestation].flat().includes(attestation);
    if (isSaid || (value?.attestation === attestation && 'note' in value)) return { ...value, note: 'As agreed.' };
    return Array.isArray(value?.decisions) && value.decisions.length === 2 ? shown(value) : value;
  });
  lines.splice(0, lines.length, ...(JSON.parse(withNote) as OpenLine[]));
}

function shown(approval: any) {
  const [first, last] = approval.decisions;
  return { ...approval, note: 'As agreed.', decisions: [first, { ...last, note: 'As agreed.' }] };
}

test.each<[string, (lines: OpenLine[]) => void, number]>([
  ['a signed note', (lines) => noted(lines, 'As agreed.', 'As agreed.'), 0],
  ['a note of an older build', besideOld, 1],
])('%s holds, and the verifier says whether it is signed', async (_, edit, unsigned) => {
  const bytes = Buffer.from(forged(await sample('quorum'), edit).text);
  const found = await verifyBundle([bytes], TRUST);
  expect(found).toMatchObject({ verdict: 'intact', unsigned_notes: unsigned, why: '' });
  expect(describeVerification(found).join(' ').includes('note not signed')).toBe(unsigned > 0);
  if (python === null) return;
  expect(await judgedByPython(python, [{ name: 'noted', bytes }])).toMatchObject([
    { verdict: 'intact', unsigned_notes: unsigned },
  ]);
});
