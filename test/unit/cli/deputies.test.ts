/** Deputies by command, over the store and with keys of one's own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSignedDeputyship } from '../../../src/attestation/deputyship';
import { environment, run } from '../../support/command-line';

let home: string;
beforeEach(() => void (home = mkdtempSync(join(tmpdir(), 'holdfast-deputies-cli-'))));
afterEach(() => rmSync(home, { recursive: true, force: true }));

const holdfast = (args: string[]) =>
  run(args, environment({ HOLDFAST_HOME: home, HOLDFAST_STORE: `file:${join(home, 'store')}` }));
const json = async (args: string[]) => {
  const { code, stdout, stderr } = await holdfast([...args, '--json']);
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
  return JSON.parse(stdout);
};
const DAY = 24 * 3_600_000;
const day = (days: number) => new Date(Date.now() + days * DAY).toISOString().slice(0, 10);

describe('holdfast deputies', () => {
  it('names a deputy with the key of the person, lists it, and ends it', async () => {
    const key = await json(['keys', 'create', '--principal', 'ana', '--role', 'treasurer']);
    const add = ['deputies', 'add', 'bob', '--key', key.private_key];
    const view = await json([...add, '--until', day(7), '--tool', 'pay']);
    expect(view).toMatchObject({
      deputy: 'bob',
      for: 'ana',
      state: 'active',
      proof: 'signed',
      signed_by: key.kid,
      tools: ['pay'],
    });
    expect(view.until).toBe(`${day(7)}T00:00:00.000Z`);
    expect(await json(['deputies', 'list'])).toMatchObject([{ id: view.id }]);
    expect((await holdfast(['deputies', 'list'])).stdout).toContain(`${view.id}  bob for ana  active`);
    await json(['deputies', 'end', view.id]);
    expect(await json(['deputies', 'list'])).toMatchObject([{ id: view.id, state: 'ended' }]);
    expect(await json(['keys', 'revoke', view.id, '--deputy'])).toMatchObject({ kid: view.id });
    expect((await holdfast(['keys', 'list'])).stdout).toContain(`${view.id}  a deputyship  revoked at`);
    const { signed } = await json([...add, '--until', day(7), '--print']);
    expect(readSignedDeputyship(signed)).toMatchObject({ deputyship: { deputy: 'bob', for: 'ana' } });
    expect(await json(['deputies', 'list'])).toHaveLength(1);
  });

  it('says what is missing or wrong', async () => {
    const enroller = await json(['keys', 'create', '--enroller']);
    const gateway = await json(['keys', 'create']);
    const by = (key: { private_key: string }, ...more: string[]) =>
      holdfast(['deputies', 'add', 'bob', '--until', day(7), '--key', key.private_key, ...more]);
    expect((await by(enroller)).stderr).toContain('Say with --for');
    expect((await by(enroller, '--for', 'ana')).stderr).toContain('give each --role');
    expect((await by(enroller, '--for', 'ana', '--role', 'treasurer')).code).toBe(0);
    expect((await by(gateway, '--for', 'ana')).stderr).toContain('its use is gateway');
    expect((await by(enroller, '--for', 'bob', '--role', 'treasurer')).stderr).toContain('Nobody is their own deputy');
    expect((await holdfast(['deputies', 'add', 'bob', '--until', day(7)])).stderr).toContain('Give --key');
    expect(
      (
        await holdfast([
          'deputies',
          'add',
          'bob',
          '--until',
          'friday',
          '--key',
          enroller.private_key,
          '--for',
          'ana',
          '--role',
          'x',
        ])
      ).stderr,
    ).toContain('is no time');
    expect((await holdfast(['deputies', 'end', '0'.repeat(16)])).stderr).toContain('There is no deputy');
    expect((await holdfast(['approve', 'T', '--call', 'a'.repeat(12), '--deputyship', 'x'])).stderr).toContain('goes with --key');
  });
});
