import { defineApp } from '../../src/agents/define';
import { Registry } from '../../src/tools/catalogue/registry';
import { createWorker, type WorkerParts } from '../../src/worker';
import { silent } from '../support/silent';

/** These are refused before any other check; where they are not, a server that has all search attributes takes its place. */
const operatorService = { listSearchAttributes: () => Promise.resolve({ customAttributes: {} }) };
const app = defineApp({ agents: [] });
const parts = {
  app,
  connection: { operatorService },
  namespace: 'default',
  taskQueue: 'none',
  log: silent,
} as unknown as WorkerParts;

describe('createWorker, called by a user’s own program', () => {
  it('makes no worker that accepts any name just because nothing is set', async () => {
    await expect(createWorker(parts)).rejects.toThrow(/needs approvals or address.*attested.*any/);
    await expect(createWorker({ ...parts, address: '10.0.0.5:7233' })).rejects.toThrow(
      'HOLDFAST_APPROVALS is not set, and Temporal at 10.0.0.5',
    );
  });

  it.each([
    { address: '127.0.0.1:7233' },
    { approvals: 'any' as const },
    { approvals: 'attested' as const, address: '10.0.0.5:7233' },
  ])('goes on to the server if it is set: %j', async (said) => {
    await expect(createWorker({ ...parts, ...said })).rejects.toThrow('lacks search attributes');
  });

  it('refuses a registry that is less strict than the worker', async () => {
    const registry = new Registry(app);
    await expect(createWorker({ ...parts, approvals: 'attested', registry })).rejects.toThrow('The registry takes any decision');
  });
});
