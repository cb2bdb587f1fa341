/** Each ref of a fact that a bundle has in two places, put in the place of others of its kind: both verifiers find each, at the same line. */
import { verifyBundle } from '../../../../src/audit/verify';
import { NOT_TOLD, swaps, type Swap } from '../../../support/audit/swapped-refs';
import { TRUST } from '../../../support/bundle-keys';
import { runs } from '../../../support/runs';
import { pythonVerifier } from '../../support/python-verifier';
import { judgedByPython } from '../support/python';

const python = pythonVerifier();
/** Bundles that are held at a time. */
const AT_ONCE = 100;

async function* batches(): AsyncGenerator<Swap[]> {
  const batch: Swap[] = [];
  for await (const swap of swaps(runs(1, 2), 16)) {
    batch.push(swap);
    if (batch.length === AT_ONCE) yield batch.splice(0);
  }
  yield batch;
}

/** In one pass: what ours has not found, what the second has not found at that line, what was tried. */
async function tried() {
  const [missed, apart, facts]: [Swap[], string[], Set<string>] = [[], [], new Set()];
  for await (const batch of batches()) {
    const ours = await Promise.all(batch.map(({ bytes }) => verifyBundle([bytes], TRUST)));
    for (const [index, swap] of batch.entries()) {
      facts.add(swap.fact);
      if (ours[index]!.verdict === 'intact') missed.push(swap);
    }
    if (python === null) continue;
    for (const [index, other] of (await judgedByPython(python, batch)).entries()) {
      const { verdict, line } = ours[index]!;
      if (other.verdict !== verdict || other.line !== line) apart.push(batch[index]!.name);
    }
  }
  return { missed, apart, facts };
}

test(`a ref in the place of another is found by ${python === null ? 'ours (the second needs HOLDFAST_REQUIRE_PYTHON_VERIFIER=1, or its venv in the cache)' : 'both'}`, async () => {
  const { missed, apart, facts } = await tried();
  expect(missed.filter(({ fact }) => !(fact in NOT_TOLD)).map(({ name }) => name)).toEqual([]);
  expect(apart).toEqual([]);
  // The changes listed as undetectable are indeed not detected.
  expect(new Set(missed.map(({ fact }) => fact))).toEqual(new Set(Object.keys(NOT_TOLD)));
  expect(facts.size).toBeGreaterThanOrEqual(90);
});
