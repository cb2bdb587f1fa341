/** Facts of decisions that a bundle has in two places, changed in one of them: the second verifier. Ours: test/unit/audit/verify/decision-facts.test.ts. */
import { verifyBundle } from '../../../../src/audit/verify';
import { DECISION_FORGERIES, decisionForgery } from '../../../support/audit/decision-forgeries';
import { TRUST } from '../../../support/bundle-keys';
import { pythonVerifier } from '../../support/python-verifier';
import { judgedByPython } from '../support/python';

const python = pythonVerifier();

const both = python === null ? test.skip : test;
const suffix = python === null ? ' (needs HOLDFAST_REQUIRE_PYTHON_VERIFIER=1, or its venv in the cache)' : '';
both(`the second verifier finds each changed fact at the same line, by the same rule${suffix}`, async () => {
  const cases = await Promise.all(
    DECISION_FORGERIES.map(async (forgery) => ({ name: forgery.name, bytes: await decisionForgery(forgery) })),
  );
  const place = ({ verdict, line, rule }: { verdict: string; line: number | null; rule: string | null }, index: number) =>
    `${cases[index]!.name}: ${verdict} at ${line} by ${rule}`;
  const ours = await Promise.all(cases.map(({ bytes }) => verifyBundle([bytes], TRUST)));
  const theirs = await judgedByPython(python!, cases);
  expect(theirs.map(place)).toEqual(ours.map(place));
});
