import { approvalsChannel } from '../../../src/config/http';
import { isLoopback } from '../../../src/temporal/address';

describe('a worker without HOLDFAST_APPROVALS', () => {
  const on = (address: string) => approvalsChannel({ temporal: { address } });

  it.each([
    '127.0.0.1:7233',
    '127.8.9.1:1',
    'localhost:7233',
    'LOCALHOST:7233',
    '[::1]:7233',
    '::1:7233',
    'unix:/run/temporal.sock',
  ])('takes a server on loopback: %s', (address) => expect(on(address)).toBe('any'));

  it.each([
    ...['temporal:7233', '10.0.0.5:7233', '0.0.0.0:7233', '[::]:7233', 'localhost.bank.example:7233', '127.0.0.1.nip.io:7233'],
    ...['[2001:db8::1]:7233', '127.1:7233', 'my-localhost:7233', '[::ffff:10.0.0.1]:7233', 'ns.acct.tmprl.cloud:7233'],
  ])('refuses any other, and says what to set: %s', (address) => {
    expect(isLoopback(address)).toBe(false);
    expect(() => on(address)).toThrow(
      /HOLDFAST_APPROVALS is not set, and Temporal at .* HOLDFAST_APPROVALS=attested.* HOLDFAST_APPROVALS=any/,
    );
  });

  it('accepts any server once HOLDFAST_APPROVALS is set', () => {
    const temporal = { address: 'temporal:7233' };
    expect(approvalsChannel({ approvals: 'any', temporal })).toBe('any');
    expect(approvalsChannel({ approvals: 'attested', temporal })).toBe('attested');
  });
});
