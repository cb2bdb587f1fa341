/** One person under two names that look the same, in a bundle: both verifiers must take them for one. */
import { verifyBundle } from '../../../src/audit/verify';
import { forged, type OpenLine } from '../../support/audit/forge';
import { attributes } from '../../support/audit/open-lines';
import { judgedByPython } from '../audit/support/python';
import { sample, TRUST } from '../../support/bundle-keys';
import { pythonVerifier } from '../support/python-verifier';

const python = pythonVerifier();
const both = python === null ? test.skip : test;
const suffix = python === null ? ' (needs HOLDFAST_REQUIRE_PYTHON_VERIFIER=1, or its venv in the cache)' : '';
/** A combining grapheme joiner, a filler, an ignorable that has no name yet, a blank. */
const UNSEEN = ['\u034f', '\u115f', '\u{e0fff}', '\u2800'];

const decided = (lines: OpenLine[]) =>
  attributes(lines.find((line) => attributes(line).acceptedRequest)!).acceptedRequest.input.args.payloads[0].$;
const approvals = (lines: OpenLine[]) =>
  attributes(lines.find((line) => attributes(line).activityType?.name === 'runCall')!).input.payloads[0].$.approvals;

async function verdicts(edit: (lines: OpenLine[]) => void): Promise<unknown[]> {
  const bytes = Buffer.from(forged(await sample('approval'), edit).text);
  const [theirs] = await judgedByPython(python!, [{ name: 'names', bytes }]);
  return [await verifyBundle([bytes], TRUST), theirs].map((answer) => `${answer!.verdict} ${answer!.rule}`);
}

both(`both verifiers take two spellings of a name for one person, neither for two people nor for nobody${suffix}`, async () => {
  for (const unseen of UNSEEN) {
    const other = `an${unseen}a`;
    // The decision that was sent and the one that was recorded differ in spelling only: that is found as such (H9), not as a decision of nobody.
    expect(await verdicts((lines) => void (decided(lines).by = other))).toEqual(['broken H9', 'broken H9']);
    const twice = (lines: OpenLine[]) => approvals(lines).push({ ...approvals(lines)[0], by: other });
    expect(await verdicts((lines) => void twice(lines))).toEqual(['broken H4', 'broken H4']);
  }
});
