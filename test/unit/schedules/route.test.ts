/** Schedules over HTTP: whose they are, and who is named in the note. */
import { ScheduleNotFound } from '../../../src/client/errors';
import { gatewayApp } from '../../../src/gateway/app';
import { exampleSchedule } from '../../../src/shapes/schedule';
import { FileStore } from '../../../src/store/files/file-store';
import { gatewayParts, person, type Person } from '../../support/gateway';
import { removeStoreDirs, storeDir } from '../../support/store/store-dir';

const olga = person('olga', 'admin');
const ana = person('ana', 'approver');
const rita = person('rita', 'starter');
const ned = person('acme/ned', 'admin');
const people = [olga, ana, rita, ned];
afterAll(removeStoreDirs);

async function withSchedules(
  body: (ask: (who: Person, path: string, post?: object, key?: string) => Promise<any>, done: string[]) => Promise<void>,
) {
  const done: string[] = [];
  const found = (name: string) => (name === 'morning' ? exampleSchedule : Promise.reject(new ScheduleNotFound(name)));
  const act = (what: string) => async (name: string, note?: string) => {
    await found(name);
    done.push(note === undefined ? `${what} ${name}` : `${what} ${name}: ${note}`);
  };
  const schedules = {
    list: async () => [exampleSchedule],
    show: async (name: string) => found(name),
    ...{ pause: act('pause'), resume: act('resume'), trigger: act('trigger') },
  };
  const app = gatewayApp(
    gatewayParts({ people, client: async () => ({ schedules }) as never, store: await FileStore.open(storeDir()) }),
  );
  await body(async (who, path, payload, key) => {
    const method = payload === undefined ? 'GET' : 'POST';
    const url = `/v1/schedules${path}`;
    const headers = { ...who.headers, ...(key === undefined ? {} : { 'idempotency-key': key }) };
    const answer = await app.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) });
    return { ...answer.json(), status: answer.statusCode };
  }, done);
  await app.close();
}

describe('the schedules', () => {
  it('are the operator’s: a tenant sees none, and changes none', () =>
    withSchedules(async (ask, done) => {
      expect(await ask(ana, '')).toMatchObject({ status: 200, schedules: [{ name: 'morning' }] });
      expect(await ask(ned, '')).toMatchObject({ status: 200, schedules: [] });
      const missing = { status: 404, error: { reason: 'unknown_schedule' } };
      const [theirs, none] = [await ask(ned, '/morning'), await ask(olga, '/nothing')];
      expect([theirs, none]).toMatchObject([missing, missing]);
      for (const act of ['pause', 'resume', 'trigger']) expect(await ask(ned, `/morning/${act}`, {})).toMatchObject(missing);
      expect(done).toEqual([]);
    }));

  it('are paused, resumed and run by administrators, whose name is in the note', () =>
    withSchedules(async (ask, done) => {
      for (const who of [ana, rita]) expect(await ask(who, '/morning/pause', {})).toMatchObject({ status: 403 });
      expect(await ask(olga, '/morning/pause', { note: ' The bank is closed. ' })).toMatchObject({ status: 200, accepted: true });
      await ask(olga, '/morning/resume', {});
      await ask(olga, '/morning/trigger', {});
      expect(await ask(olga, '/morning/pause', { note: 'x'.repeat(401) })).toMatchObject({ status: 400 });
      expect(done).toEqual([
        'pause morning: The bank is closed. (paused by olga)',
        'resume morning: resumed by olga',
        'trigger morning',
      ]);
    }));

  it('run once for each Idempotency-Key, however often a request is sent again', () =>
    withSchedules(async (ask, done) => {
      for (const key of ['a', 'a', 'b'])
        expect(await ask(olga, '/morning/trigger', {}, key)).toMatchObject({ status: 200, accepted: true });
      expect(done).toEqual(['trigger morning', 'trigger morning']);
    }));
});
