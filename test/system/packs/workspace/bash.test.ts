import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { eventually } from '../../../engine/support/engine';
import { toolContext } from '../../../support/tool-context';
import { Place } from './support';

let place: Place;
beforeEach(() => (place = new Place()));
afterEach(() => place.remove());

/** Running processes of this name, without zombies. Their numbers in a namespace differ. */
const running = (name: string) =>
  readdirSync('/proc').filter((pid) => {
    try {
      if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(`${name}\0`)) return false;
      return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    } catch {
      return false;
    }
  });

/** A signal that cannot be ignored has been sent: the kernel still needs its moment. */
const die = (name: string) => eventually(`the end of ${name}`, async () => running(name).length === 0, 10_000);
const runs = (name: string) => eventually(name, async () => running(name).length > 0, 10_000);

describe('bash', () => {
  it('runs in the workspace and returns exit code and output; a failure is a result too', async () => {
    expect(await place.ok('bash', { command: 'pwd -P; echo out; echo err >&2; exit 3' })).toMatchObject({
      exit_code: 3,
      signal: null,
      timed_out: false,
      truncated: false,
      ref: null,
      output: expect.stringContaining(place.root),
    });
    place.put('src/x', '');
    expect(await place.ok('bash', { command: 'ls', cwd: '/src' })).toMatchObject({ exit_code: 0, output: 'x\n' });
    expect(await place.ok('bash', { command: '-x' })).toMatchObject({ exit_code: 127 });
    expect(await place.ok('bash', { command: 'kill -TERM $$' })).toMatchObject({ exit_code: null, signal: 'SIGTERM' });
  });

  it('keeps the order of both outputs', async () => {
    const { output } = await place.ok('bash', { command: 'for i in 1 2 3 4 5; do echo out $i; echo err $i >&2; done' });
    expect(output).toBe([1, 2, 3, 4, 5].map((n) => `out ${n}\nerr ${n}\n`).join(''));
  });

  it('gives the command none of the worker’s environment, an empty home, and no input', async () => {
    process.env.HOLDFAST_TEST_KEY = 'worker-secret';
    try {
      place.setUp({ env: { EXTRA: 'given' } });
      const { output } = await place.ok('bash', { command: 'env; echo "[$(ls -A ~)]"; cat; echo ~ > home; echo end' });
      const names = output.split('\n').flatMap((line: string) => /^(\w+)=/.exec(line)?.[1] ?? []);
      const git = ['GIT_CONFIG_COUNT', 'GIT_CONFIG_KEY_0', 'GIT_CONFIG_VALUE_0'];
      expect(names.sort()).toEqual(
        ['EXTRA', ...git, 'HOME', 'LANG', 'OLDPWD', 'PATH', 'PWD', 'SHLVL', 'TERM', '_'].filter((name) => names.includes(name)),
      );
      expect(output).toContain('EXTRA=given');
      expect(output).not.toContain('worker-secret');
      expect(output).toMatch(/\[\]\nend\n$/);
      expect(existsSync(place.get('home').trim())).toBe(false);
    } finally {
      delete process.env.HOLDFAST_TEST_KEY;
    }
  });

  it('ends the whole group at the time limit, also a process that ignores the request', async () => {
    const [child, parent] = [`${place.base}-child`, `${place.base}-parent`];
    const command = `trap '' TERM; (exec -a ${child} sleep 300) & exec -a ${parent} sleep 300`;
    const ending = place.ok('bash', { command, timeout_s: 5 });
    await Promise.all([runs(child), runs(parent)]);
    expect(await ending).toMatchObject({ timed_out: true, exit_code: null, signal: 'SIGKILL' });
    await Promise.all([die(child), die(parent)]);
  });

  it('asks the group to end before it kills it, so that a program can clean up', async () => {
    const end = await place.ok('bash', { command: `trap 'echo cleaned; exit 7' TERM; sleep 300 & wait`, timeout_s: 5 });
    expect(end).toMatchObject({ timed_out: true, exit_code: 7, output: 'cleaned\n' });
  });

  it('leaves nothing in the background when the command ends', async () => {
    const end = await place.ok('bash', { command: `(exec -a ${place.base}-child sleep 300) & echo done` });
    expect(end).toMatchObject({ exit_code: 0, output: 'done\n', timed_out: false });
    await die(`${place.base}-child`);
  });

  it('does not wait for a process that has left the group and kept the output open, and ends it too', async () => {
    const child = `${place.base}-child`;
    const end = await place.ok('bash', { command: `setsid bash -c 'exec -a ${child} sleep 300' & sleep 0.2; echo done` });
    expect(end.output).toBe('done\n');
    await die(child);
  });

  it('ends when it kills all processes that it can, also its own parent', async () => {
    // Where there is no namespace, -1 would be every process of the user who runs this test.
    const all = `[ "$(readlink /proc/self/ns/pid)" != "${readlinkSync('/proc/self/ns/pid')}" ] && kill -9 -1`;
    for (const command of [all, 'kill -9 $PPID; exec sleep 300'])
      expect(await place.ok('bash', { command, timeout_s: 20 })).toMatchObject({ exit_code: null, signal: 'SIGKILL' });
  });

  it('cannot speak for its parent: it has no sockets but those of its output', async () => {
    const command = 'for fd in 0 1 2 3 4 5 6 7 8 9 10 11 12; do echo $fd $(readlink /proc/$$/fd/$fd) >> found; done';
    await place.ok('bash', { command });
    expect(place.get('found').match(/^\d+ socket:/gm)).toEqual(['1 socket:', '2 socket:']);
  });

  it('ends the group when the call is cancelled', async () => {
    const stop = new AbortController();
    const running = place.call('bash', { command: `exec -a ${place.base}-shell sleep 300` }, { signal: stop.signal });
    await runs(`${place.base}-shell`);
    stop.abort(new Error('cancelled'));
    await expect(running).rejects.toThrow('cancelled');
    await die(`${place.base}-shell`);
  });

  it('keeps beginning and end of long output, and all of it in the store', async () => {
    const ctx = toolContext();
    const end = await place.ok('bash', { command: 'echo first; seq 1 40000; echo last' }, ctx);
    expect(end.truncated).toBe(true);
    expect(end.output.length).toBeLessThan(50_100);
    expect(end.output.startsWith('first\n1\n')).toBe(true);
    expect(end.output.endsWith('40000\nlast\n')).toBe(true);
    expect(end.output).toContain('characters left out');
    const kept = (await ctx.store.readResult(end.ref)) as { output: string };
    expect(kept.output.length).toBe(end.output_bytes);
    expect(kept.output).toContain('\n20000\n');
  });

  it('drains output without end, and keeps its bounds', async () => {
    const ctx = toolContext();
    const end = await place.ok('bash', { command: 'head -c 30000000 /dev/zero | tr "\\0" a; echo; echo last' }, ctx);
    expect(end).toMatchObject({ exit_code: 0, output_bytes: 30_000_006, truncated: true });
    expect(end.output.endsWith('a\nlast\n')).toBe(true);
    const { output } = (await ctx.store.readResult(end.ref)) as { output: string };
    expect(output.length).toBeLessThan(11_000_000);
    expect(output).toContain('bytes were not kept');
  });

  it('makes output readable: no colours, no control characters, well-formed', async () => {
    const { output } = await place.ok('bash', { command: String.raw`printf '\033[31mred\033[0m\007 \xff\xfe \000end\r\n'` });
    expect(output).toBe('red \uFFFD\uFFFD end\n');
  });

  it('refuses a dangerous or invalid command before anybody is asked', async () => {
    for (const command of [
      'rm -rf /',
      'sudo rm -rf /*',
      'rm -fr ~',
      'mkfs.ext4 /dev/sda1',
      'dd if=/dev/zero of=/dev/sda',
      ':(){ :|:& };:',
      'shutdown -h now',
      'echo x > /dev/sda',
      'chmod -R 777 /',
    ]) {
      expect([command, await place.call('bash', { command })]).toEqual([
        command,
        expect.objectContaining({ ok: false, reason: 'dangerous_command' }),
      ]);
    }
    expect(await place.call('bash', { command: 'true\0false' })).toMatchObject({ reason: 'bad_command' });
  });

  it('shows the person who is asked the command, the folder and what to look at', async () => {
    const preview = place.tool('bash').preview!;
    const shown = await preview(
      { command: 'sudo git push --force origin main', cwd: '/', timeout_s: 60 } as never,
      toolContext(),
    );
    expect(shown).toContain('sudo git push --force origin main');
    expect(shown).toContain('Runs in / of the workspace, for 60 s at most');
    for (const rule of ['other_user', 'network', 'rewrites_history']) expect(shown).toContain(`(${rule})`);
    expect(await preview({ command: 'npm test', cwd: '/', timeout_s: 60 } as never, toolContext())).not.toContain('Look closely');
  });

  it('is certain that nothing happened when the folder or bash is not there', async () => {
    const run = (env: Record<string, string>, cwd: string) => {
      place.setUp({ env });
      return place.tool('bash').run({ command: 'true', cwd, timeout_s: 5 } as never, toolContext());
    };
    await expect(run({}, '/none')).rejects.toMatchObject({ nothingHappened: true, detail: { reason: 'file_not_found' } });
    await expect(run({ PATH: '/nonexistent' }, '/')).rejects.toMatchObject({
      nothingHappened: true,
      detail: { reason: 'not_started' },
    });
  });
});
