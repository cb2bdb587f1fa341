/** A Python that can run packages/verify/python/verify_bundle.py. */
import { join } from 'node:path';
import { pythonPackages } from './python-packages';

const PACKAGES = ['cryptography==48.0.0', 'rfc3161-client==1.0.9'];

/** Its program; null: it is not here, and HOLDFAST_REQUIRE_PYTHON_VERIFIER does not demand it. */
export function pythonVerifier(): string | null {
  const name = PACKAGES.join('-').replaceAll('==', '-');
  const bin = pythonPackages({ name, packages: PACKAGES, variable: 'HOLDFAST_REQUIRE_PYTHON_VERIFIER' });
  return bin && join(bin, 'python3');
}
