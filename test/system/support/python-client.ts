/** What builds, checks and runs clients/python. */
import { pythonPackages } from './python-packages';

/** The first three build and check it, the others are what it needs itself. */
const PACKAGES = ['build==1.6.1', 'hatchling==1.33.0', 'mypy==2.4.1', 'httpx==0.28.1', 'httpx-sse==0.4.3'];

/** The folder of their programs; null: they are not here, and HOLDFAST_REQUIRE_PYTHON_CLIENT does not demand them. */
export function pythonClientTools(): string | null {
  const name = `python-client-${PACKAGES.map((one) => one.split('==')[1]).join('-')}`;
  return pythonPackages({ name, packages: PACKAGES, variable: 'HOLDFAST_REQUIRE_PYTHON_CLIENT' });
}
