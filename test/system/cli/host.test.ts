/** `--host`: an HTTP server of ours listens at the given address, and at no other. */
import { mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testAddress } from '../../engine/support/engine';
import { listening } from '../support/listening';
import { holdfast } from '../support/process';

const TOLD = '127.0.0.7';
const BY_VARIABLE = '127.0.0.8';
const home = mkdtempSync(join(tmpdir(), 'holdfast-host-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** The status of an answer from there, or why there is none. */
function ask(host: string, port: number): Promise<number | string> {
  return new Promise((resolve) => {
    get({ host, port, path: '/', agent: false }, (response) => resolve(response.resume().statusCode!)).on(
      'error',
      (error: NodeJS.ErrnoException) => resolve(error.code!),
    );
  });
}

const onLinux = process.platform === 'linux' ? describe : describe.skip;

onLinux.each([
  ['gateway', [], /http:\/\/[\d.]+:(\d+);/],
  ['proxy', ['127.0.0.1:9'], /[\d.]+:(\d+) for /],
] as const)('holdfast %s (Linux, whose loopback has many addresses)', (command, more, printed) => {
  it.each([
    ['where --host says, though the variable says otherwise', ['--host', TOLD], { HOLDFAST_HTTP_HOST: BY_VARIABLE }, TOLD],
    ['where HOLDFAST_HTTP_HOST says, without --host', [], { HOLDFAST_HTTP_HOST: BY_VARIABLE }, BY_VARIABLE],
    ['at 127.0.0.1, where nothing says', [], {}, '127.0.0.1'],
    ['at all addresses of the machine, for 0.0.0.0', ['--host', '0.0.0.0'], {}, '0.0.0.0'],
  ])('listens %s, and nowhere else', async (_where, host, env, at) => {
    const running = holdfast(home, [command, ...more, '--http-port', '0', ...host], { TEMPORAL_ADDRESS: testAddress(), ...env });
    try {
      const port = Number((await running.printed(printed))[1]);
      expect(listening([running.pid])).toEqual([{ pid: running.pid, host: at, port }]);
      for (const address of ['127.0.0.1', TOLD, BY_VARIABLE]) {
        const answer = await ask(address, port);
        if (address === at || at === '0.0.0.0') expect(answer).toEqual(expect.any(Number));
        else expect(answer).toBe('ECONNREFUSED');
      }
    } finally {
      await running.stop();
    }
  });
});
