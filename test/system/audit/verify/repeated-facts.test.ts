/** Each fact that a bundle has in two places, changed in one of them: the second verifier. Ours: test/unit/audit/verify/repeated-facts.test.ts. */
import { pythonVerifier } from '../../support/python-verifier';
import { FACTS, withChanged } from '../../../support/audit/repeated-facts';
import { judgedByPython, type Case } from '../support/python';

const python = pythonVerifier();

async function forgeries(): Promise<Case[]> {
  const cases = await Promise.all(FACTS.map(async (fact) => ({ name: fact.name, bytes: await withChanged(fact) })));
  return cases.flatMap(({ name, bytes }) => (bytes === null ? [] : [{ name, bytes }]));
}

const both = python === null ? test.skip : test;
const suffix = python === null ? ' (needs HOLDFAST_REQUIRE_PYTHON_VERIFIER=1, or its venv in the cache)' : '';
both(`the second verifier finds a fact that was changed in one place too${suffix}`, async () => {
  const cases = await forgeries();
  const answers = await judgedByPython(python!, cases);
  expect(cases.filter((_, index) => answers[index]!.verdict !== 'broken').map(({ name }) => name)).toEqual([]);
});
