import type { DevServer } from '../../../src/devserver/dev-server';

export default async function globalTeardown(): Promise<void> {
  await (globalThis as { holdfastTestServer?: DevServer }).holdfastTestServer?.stop();
}
