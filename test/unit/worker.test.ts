import { defineApp } from '../../src/agents/define';
import { Registry } from '../../src/tools/catalogue/registry';
import { createWorker, type WorkerParts } from '../../src/worker';
import { silent } from '../support/silent';

/** Refused before any of the rest is looked at; a server that has all search attributes stands in for it where it is. */
const operatorService = { listSearchAttributes: () => Promise.resolve({ customAttributes: {} }) };
const app = defineApp({ agents: [] });
const parts = {
  app,
  connection: { operatorService },
  namespace: 'default',
  taskQueue: 'none',
  log: silent,
} as unknown as WorkerParts;

describe('createWorker, called by a program of somebody’s own', () => {
  it('makes no worker that believes any name because nobody has said otherwise', async () => {
    await expect(createWorker(parts)).rejects.toThrow(/needs approvals or address.*attested.*any/);
    await expect(createWorker({ ...parts, address: '10.0.0.5:7233' })).rejects.toThrow(
      'HOLDFAST_APPROVALS is not set, and Temporal at 10.0.0.5',
    );
  });

  it.each([
    { address: '127.0.0.1:7233' },
    { approvals: 'any' as const },
    { approvals: 'attested' as const, address: '10.0.0.5:7233' },
  ])('goes on to the server where it is said: %j', async (said) => {
    await expect(createWorker({ ...parts, ...said })).rejects.toThrow('lacks search attributes');
  });

  it('takes no registry that is laxer than the worker', async () => {
    const registry = new Registry(app);
    await expect(createWorker({ ...parts, approvals: 'attested', registry })).rejects.toThrow('The registry takes any decision');
  });
});
