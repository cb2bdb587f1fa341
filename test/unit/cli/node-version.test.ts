import { nodeFault } from '../../../src/cli/support/node-version';

describe('a Node that is too old', () => {
  it.each([
    ['20.3.0', null],
    ['20.20.2', null],
    ['22.0.0', null],
    ['20.2.9', 'holdfast needs Node 20.3 or later; this is 20.2.9.'],
    ['18.19.1', 'holdfast needs Node 20.3 or later; this is 18.19.1.'],
  ])('%s: %s', (running, fault) => expect(nodeFault('>=20.3', running)).toBe(fault));
});
