import { grow } from '../../../bench/history';
import { testAddress } from '../../engine/support/engine';

jest.setTimeout(180_000);

describe('the history of a long turn', () => {
  it('stays small, and each step adds as much as the steps before it: a hundred steps, 200,000 tokens', async () => {
    const { steps, totalBytes, bytesAtStep10, bytesAtStep100, failure } = await grow('ours', testAddress());
    expect(failure).toBeNull();
    expect(steps).toBe(100);
    expect(totalBytes).toBeLessThan(2_000_000);
    expect(bytesAtStep100).toBeLessThan(1.1 * bytesAtStep10);
  });
});
