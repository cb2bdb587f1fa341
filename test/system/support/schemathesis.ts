/** Schemathesis of PyPI. */
import { join } from 'node:path';
import { pythonPackages } from './python-packages';

const VERSION = '4.32.5';

/** Its program; null: it is not here, and HOLDFAST_REQUIRE_SCHEMATHESIS does not demand it. */
export function schemathesis(): string | null {
  const bin = pythonPackages({
    name: `schemathesis-${VERSION}`,
    packages: [`schemathesis==${VERSION}`],
    variable: 'HOLDFAST_REQUIRE_SCHEMATHESIS',
  });
  return bin && join(bin, 'schemathesis');
}
