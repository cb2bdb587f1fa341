/**
 * docker/postgresql/set-up-store.sh and docker/backup.sh over a real PostgreSQL that asks for a password; the commands that
 * `docker compose` would run in containers run here.
 */
import { spawn, spawnSync } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { SupervisedProcess } from '../../../src/devserver/server-process';
import { ROOT } from '../support/compose-file';
import { freePort } from '../../support/free-port';
import { findPostgres } from '../support/native-binaries';
import { describePostgres } from '../store/support/postgres';
import { SQL_USER, startPostgres } from '../support/native-postgres';

const bin = findPostgres();
const PASSWORD = 'not-for-anybody';
const FILES = ['database.sql', 'holdfast.tar', 'store.sql'];

describePostgres('docker/backup.sh', () => {
  let folder: string;
  let server: SupervisedProcess;
  let port: number;
  /** A copy: the script reads docker/secrets beside it. */
  let script: string;
  /** A backup that has been made. */
  let made: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'holdfast-backup-'));
    await chmod(folder, 0o755);
    await mkdir(join(folder, 'postgres'));
    await writeFile(join(folder, 'password'), PASSWORD);
    await writeFile(join(folder, 'secret'), `${PASSWORD}\n`);
    await writeFile(join(folder, 'wrong'), 'another\n');
    port = await freePort();
    server = await startPostgres({ bin: bin!, folder: join(folder, 'postgres'), port, passwordFile: join(folder, 'password') });
    const client = new Client({ host: '127.0.0.1', port, user: SQL_USER, password: PASSWORD, database: 'postgres' });
    await client.connect();
    await client.query("CREATE TABLE turns AS SELECT 'a turn' AS said");
    await client.end();
    expect(await setUpStore(storeUrl('of_the_store'))).toMatchObject({ status: 0, stderr: '' });
    const owner = await inDatabase(storeUrl('of_the_store'));
    await owner.query("CREATE TABLE blocks AS SELECT 'what history refers to' AS said");
    await owner.end();
    await mkdir(join(folder, 'store'));
    await writeFile(join(folder, 'store', 'block'), 'a block');
    script = join(folder, 'checkout/docker/backup.sh');
    await mkdir(join(folder, 'checkout/docker/secrets'), { recursive: true });
    await copyFile(join(ROOT, 'docker/backup.sh'), script);
    await storeIs('postgres://holdfast:of_the_store@postgresql:5432/holdfast');
    await mkdir(join(folder, 'bin'));
    const docker = `#!/bin/sh
[ -z "\${SLOW:-}" ] || sleep 1
store=\${STORE:-${join(folder, 'store')}}
case "$*" in
*'worker freeze'* | *'worker store compare'*) echo "$*" >>"$LOG"; exit 0 ;;
esac
case "$1 $2" in
'compose exec') shift 4; exec env PATH="${bin}:$PATH" PGHOST=127.0.0.1 PGPORT=\${PORT:-${port}} POSTGRES_USER=${SQL_USER} "$@" ;;
'compose run') while [ "$1" != --entrypoint ]; do shift; done
  [ "$2" = tar ] && exec tar "$4" --directory "$store"
  exec "$2" -c "$(printf %s "$5" | sed "s|/var/lib/holdfast|$store|")" ;;
'compose logs' | 'compose down' | 'compose up') echo "$*" >>"$LOG"; exit 0 ;;
esac
exit 9
`;
    await writeFile(join(folder, 'bin', 'docker'), docker, { mode: 0o755 });
  });

  afterAll(async () => {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const storeUrl = (storePassword: string, at = port) => `postgres://holdfast:${storePassword}@127.0.0.1:${at}/holdfast`;
  const inDatabase = async (connectionString: string) => {
    const client = new Client({ connectionString });
    await client.connect();
    return client;
  };
  const setUpStore = async (url: string) => {
    await writeFile(join(folder, 'url'), `${url}\n`);
    const env = {
      PATH: `${bin}:${process.env.PATH}`,
      SQL_HOST: '127.0.0.1',
      SQL_PORT: String(port),
      SQL_USER,
      SQL_PASSWORD_FILE: join(folder, 'secret'),
      STORE_URL_FILE: join(folder, 'url'),
    };
    return spawnSync('sh', [join(ROOT, 'docker/postgresql/set-up-store.sh')], { env, encoding: 'utf8' });
  };
  const environment = (passwordFile: string) => ({
    PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
    POSTGRES_PASSWORD_FILE: passwordFile,
  });
  const storeIs = (url: string) => writeFile(join(folder, 'checkout/docker/secrets/store_url'), `${url}\n`);
  const backup = (to: string, passwordFile: string) =>
    spawnSync('sh', [script, to], {
      env: environment(passwordFile),
      stdio: ['ignore', 'pipe', 'pipe'],
      encoding: 'utf8',
    });

  it('finds the store’s database made, for a user who owns it and sees nothing of Temporal’s', async () => {
    const owner = await inDatabase(storeUrl('of_the_store'));
    expect((await owner.query('SELECT said FROM blocks')).rows).toEqual([{ said: 'what history refers to' }]);
    expect(
      (await owner.query('SELECT rolsuper, rolcreatedb, rolcreaterole FROM pg_roles WHERE rolname = current_user')).rows,
    ).toEqual([{ rolsuper: false, rolcreatedb: false, rolcreaterole: false }]);
    await owner.end();
    const elsewhere = await inDatabase(storeUrl('of_the_store').replace(/holdfast$/, 'postgres'));
    await expect(elsewhere.query('SELECT said FROM turns')).rejects.toThrow(/permission denied/);
    await elsewhere.end();
  });

  it('changes the password of the store’s user to that of the file, and leaves a store elsewhere alone', async () => {
    expect(await setUpStore(storeUrl('another'))).toMatchObject({ status: 0, stderr: '', stdout: '' });
    await (await inDatabase(storeUrl('another'))).end();
    await expect(inDatabase(storeUrl('of_the_store'))).rejects.toThrow(/password/);
    expect(await setUpStore(storeUrl('of_the_store'))).toMatchObject({ status: 0 });
    for (const url of ['file:/var/lib/holdfast/store', 'postgres://holdfast:x@db.example:5432/holdfast'])
      expect(await setUpStore(url)).toMatchObject({ status: 0, stdout: expect.stringContaining('nothing to do') });
    expect(await setUpStore(storeUrl("x'; DROP DATABASE holdfast; --"))).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('only'),
    });
    await (await inDatabase(storeUrl('of_the_store'))).end();
  });

  it('writes databases and volume, from a server that asks for a password', async () => {
    const to = join(folder, 'good');
    const { status, stdout, stderr } = backup(to, join(folder, 'secret'));
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const [name, ...others] = await readdir(to);
    made = join(to, name!);
    expect([others, stdout]).toEqual([[], `made ${made}\n`]);
    expect(name).toMatch(/^\d{4}-\d\d-\d\dT\d{6}Z-\w{6}$/);
    expect((await readdir(made)).sort()).toEqual(FILES);
    const [databases, store] = await Promise.all(['database.sql', 'store.sql'].map((file) => readFile(join(made, file), 'utf8')));
    expect([databases!.includes('a turn'), databases!.includes('what history refers to')]).toEqual([true, false]);
    expect([store!.includes('a turn'), store!.includes('what history refers to')]).toEqual([false, true]);
    expect(spawnSync('tar', ['--list', '--file', join(made, 'holdfast.tar')], { encoding: 'utf8' }).stdout).toContain('./block');
  });

  it('leaves out a store that is not in this PostgreSQL, says so, and backs up the rest', async () => {
    const secret = join(folder, 'secret');
    try {
      for (const url of ['file:/var/lib/holdfast/store', 'postgres://holdfast:x@db.example:5432/holdfast']) {
        await storeIs(url);
        const { status, stdout, stderr } = backup(join(folder, 'elsewhere'), secret);
        expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringContaining('there will be no store.sql') });
        expect((await readdir(stdout.trim().slice('made '.length))).sort()).toEqual(['database.sql', 'holdfast.tar']);
      }
    } finally {
      await storeIs('postgres://holdfast:of_the_store@postgresql:5432/holdfast');
    }
  });

  it('is restored into empty volumes by the commands that docs/deployment.md shows', async () => {
    const page = await readFile(join(ROOT, 'docs/deployment.md'), 'utf8');
    const [, shown] = /^Back again, into empty volumes[^\n]*\n\n```sh\n([^]*?)```$/m.exec(page)!;
    const into = join(folder, 'again');
    await mkdir(join(into, 'postgres'), { recursive: true });
    await mkdir(join(into, 'store'));
    const emptyPort = await freePort();
    const files = { folder: join(into, 'postgres'), passwordFile: join(folder, 'password') };
    const empty = await startPostgres({ bin: bin!, port: emptyPort, ...files });
    try {
      const LOG = join(into, 'log');
      const env = { ...environment(join(folder, 'secret')), PORT: String(emptyPort), STORE: join(into, 'store'), LOG };
      const commands = `set -e\n${shown!.replaceAll('BACKUP', made)}`;
      const { status, stderr } = spawnSync('sh', ['-c', commands], { cwd: into, env, encoding: 'utf8' });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      const order = (await readFile(LOG, 'utf8')).trimEnd().split('\n');
      expect(order).toEqual([
        'compose logs --no-log-prefix worker',
        'compose down',
        'compose up --detach --wait postgresql',
        'compose run --rm -T --no-deps worker freeze --reason restored',
        'compose up --detach temporal-namespace',
        `compose run --rm -T --no-deps --volume ${into}/worker.log:/worker.log:ro worker store compare --log /worker.log`,
      ]);
      const client = new Client({ host: '127.0.0.1', port: emptyPort, user: SQL_USER, password: PASSWORD, database: 'postgres' });
      await client.connect();
      expect((await client.query('SELECT said FROM turns')).rows).toEqual([{ said: 'a turn' }]);
      await client.end();
      const owner = await inDatabase(storeUrl('of_the_store', emptyPort));
      expect((await owner.query('SELECT said FROM blocks')).rows).toEqual([{ said: 'what history refers to' }]);
      await owner.end();
      expect(await readFile(join(into, 'store', 'block'), 'utf8')).toBe('a block');
    } finally {
      await empty.stop();
    }
  });

  it('works while workers write: files appear, change and vanish while they are read', async () => {
    const store = join(folder, 'store');
    const to = join(folder, 'busy');
    const busy = spawn('sh', ['-c', 'while :; do i=$((i+1)); echo x >t$i; mv t$i f$((i%50)); echo line >>log; done'], {
      cwd: store,
      stdio: 'ignore',
    });
    try {
      for (let n = 0; n < 8; n++) expect(backup(to, join(folder, 'secret'))).toMatchObject({ status: 0, stderr: '' });
      const all = await readdir(to);
      expect(all).toHaveLength(8);
      for (const one of all) {
        expect((await readdir(join(to, one))).sort()).toEqual(FILES);
        const { stdout, status } = spawnSync('tar', ['--list', '--file', join(to, one, 'holdfast.tar')], { encoding: 'utf8' });
        expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining('./block') });
      }
    } finally {
      busy.kill('SIGKILL');
    }
  });

  it('leaves nothing behind, and an older backup as it was, if it is interrupted or cannot read the volume', async () => {
    const to = join(folder, 'good');
    const before = (await readdir(to)).sort();
    const secret = join(folder, 'secret');
    const interrupt = 'sh "$0" "$1" & sleep 0.3; kill -TERM $!; wait $!';
    const env = { ...environment(secret), SLOW: '1' };
    const { status } = spawnSync('sh', ['-c', interrupt, script, to], { env, stdio: 'ignore' });
    expect(status).not.toBe(0);
    expect(await readdir(to).then((names) => names.sort())).toEqual(before);
    await rename(join(folder, 'store'), join(folder, 'away'));
    try {
      expect(backup(to, secret).status).not.toBe(0);
      expect(await readdir(to).then((names) => names.sort())).toEqual(before);
    } finally {
      await rename(join(folder, 'away'), join(folder, 'store'));
    }
  });

  it('writes nothing, and fails, where the database cannot be dumped; a backup that is there stays', async () => {
    const to = join(folder, 'bad');
    expect(backup(to, join(folder, 'wrong'))).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('password authentication failed'),
    });
    expect(await readdir(to)).toEqual([]);
    const before = await readFile(join(made, 'database.sql'), 'utf8');
    expect(backup(join(folder, 'good'), join(folder, 'wrong')).status).toBe(1);
    expect(await readFile(join(made, 'database.sql'), 'utf8')).toBe(before);
  });
});
