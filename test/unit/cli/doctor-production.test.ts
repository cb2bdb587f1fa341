import { chmodSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { examineCloud, searchAttributesTodo } from '../../../src/cli/support/examine-cloud';
import * as production from '../../../src/cli/support/examine-production';
import { findingLine, type Finding } from '../../../src/cli/support/findings';
import type { ServerFacts } from '../../../src/cli/support/server-facts';
import { loadConfig } from '../../../src/config';

const NOW = Date.parse('2026-11-29T02:00:00Z');
const DAY = 24 * 3_600_000;
const server: ServerFacts = { version: '1.29.1', retentionMs: 30 * DAY, blobLimit: 2 * 1024 * 1024, lastPollMs: NOW - 1000 };
const levelOf = ({ ok, warning }: Finding) => (warning ? 'warning' : ok ? 'ok' : 'fault');

let home: string;
beforeEach(() => void (home = mkdtempSync(join(tmpdir(), 'holdfast-doctor-'))));
afterEach(() => rmSync(home, { recursive: true, force: true }));
const config = (more: Record<string, string> = {}) => loadConfig({ HOLDFAST_HOME: home, ...more });

describe('doctor --production', () => {
  it('finds nothing wrong with the settings that the pages ask for', async () => {
    const file = (name: string, content: string) => {
      writeFileSync(join(home, name), content, { mode: 0o600 });
      return join(home, name);
    };
    const settings = config({
      HOLDFAST_APPROVALS: 'attested',
      TEMPORAL_ADDRESS: 'temporal.example:7233',
      TEMPORAL_TLS: 'true',
      HOLDFAST_SIGNING_KEY: file('gateway.pem', 'one'),
      HOLDFAST_BUNDLE_KEY: file('bundle.pem', 'two'),
      HOLDFAST_CODEC_KEYS: file('codec.json', 'three'),
      HOLDFAST_STORE: 'postgres://u:p@db.example/holdfast',
      HOLDFAST_PUBLIC_URL: 'https://approve.example',
      HOLDFAST_METRICS_PORT: '9464',
      HOLDFAST_HEALTH_PORT: '8481',
      HOLDFAST_DEPLOYMENT: 'agents',
      HOLDFAST_BUILD_ID: '1',
      HOLDFAST_MODEL: 'anthropic',
      ANTHROPIC_API_KEY: 'k',
      HOLDFAST_BACKUPS: file('database.sql', 'dump'),
    });
    const now = Date.now();
    const store = { now, ownNow: now, sweptTo: now, failedBundles: 0 };
    const findings = await production.examineProduction(settings, { server: { ...server, lastPollMs: now }, store });
    const wrong = findings.filter((one) => levelOf(one) !== 'ok' && one.what !== 'Node'); // the Node that runs the test
    expect(wrong).toEqual([]);
    expect(findings.length).toBeGreaterThan(15);
  });

  it('says for each thing that is missing what to do', async () => {
    const findings = await production.examineProduction(config({ HOLDFAST_MODEL: 'rehearsal' }), { server: null, store: null });
    const wrong = findings.filter((one) => levelOf(one) !== 'ok' && one.what !== 'Node');
    expect(wrong.map((one) => [one.what, levelOf(one)])).toEqual([
      ['signed decisions', 'fault'],
      ['TLS to Temporal', 'warning'],
      ['signing key', 'warning'],
      ['bundle key', 'warning'],
      ['encryption', 'warning'],
      ['kind of store', 'warning'],
      ['public address', 'warning'],
      ['monitoring', 'warning'],
      ['for tests only', 'fault'],
      ['worker versions', 'warning'],
      ['backups', 'warning'],
    ]);
    for (const one of wrong) expect(findingLine(one)).toContain(' → ');
  });

  it('refuses a key that others may read, one key for two purposes, and trusted keys that others may write', async () => {
    const [key, other, trusted] = [join(home, 'a.pem'), join(home, 'b.pem'), join(home, 'trusted.json')];
    for (const path of [key, other, trusted]) writeFileSync(path, 'same', { mode: 0o600 });
    const settings = config({ HOLDFAST_SIGNING_KEY: key, HOLDFAST_BUNDLE_KEY: other, HOLDFAST_TRUSTED_KEYS: trusted });
    const faults = async () =>
      (await production.examineKeyFiles(settings)).filter((one) => !one.ok).map(({ what, detail }) => `${what}: ${detail}`);
    expect(await faults()).toEqual(['bundle key: it is the signing key too']);
    writeFileSync(other, 'another');
    expect(await faults()).toEqual([]);
    chmodSync(key, 0o640);
    chmodSync(trusted, 0o664);
    expect(await faults()).toEqual([
      `signing key: others may read ${key}`,
      `trusted keys: others may write ${trusted}, and with it approve`,
    ]);
  });

  it.each<[string, string, Record<string, string>]>([
    ['fault', 'off, and temporal.example:7233 may be another machine', { TEMPORAL_ADDRESS: 'temporal.example:7233' }],
    ['warning', 'off; 127.0.0.1:7233 is this machine', { TEMPORAL_ADDRESS: '127.0.0.1:7233' }],
    ['warning', 'off; is temporal:7233 a container on this machine?', { TEMPORAL_ADDRESS: 'temporal:7233' }],
    ['fault', 'off, and [2001:db8::1]:7233 may be another machine', { TEMPORAL_ADDRESS: '[2001:db8::1]:7233' }],
    ['ok', 'on, to temporal.example:7233', { TEMPORAL_ADDRESS: 'temporal.example:7233', TEMPORAL_API_KEY: 'k' }],
  ])('judges TLS: %s, %s', (level, detail, settings) => {
    const finding = production.examineTls(config(settings));
    expect([levelOf(finding), finding.detail]).toEqual([level, detail]);
  });

  it.each<[string, string, number, number | null, number?]>([
    ['fault', '2 bundles could not be made yet', 30 * DAY, NOW, 2],
    ['fault', 'the namespace forgets ended turns after 1 days', DAY, NOW],
    ['fault', 'bundles are 20 days behind, and turns are kept for 30', 30 * DAY, NOW - 20 * DAY],
    ['warning', '30 days; no worker has made bundles here yet', 30 * DAY, null],
    ['ok', '30 days; bundles are made until 2026-11-29T02:00:00.000Z', 30 * DAY, NOW],
  ])('compares retention with the bundles that are made: %s, %s', (level, detail, retentionMs, sweptTo, failedBundles = 0) => {
    const [finding] = production.examineRetention(
      { bundles: home },
      { ...server, retentionMs },
      { now: NOW, ownNow: NOW, sweptTo, failedBundles },
      NOW,
    );
    expect([levelOf(finding!), finding!.detail]).toEqual([level, detail]);
  });

  it('compares clocks', () => {
    const levels = (storeAhead: number, pollAhead: number) =>
      production
        .examineClocks(
          { ...server, lastPollMs: NOW + pollAhead },
          { now: NOW + storeAhead, ownNow: NOW, sweptTo: null, failedBundles: 0 },
          NOW,
        )
        .map(levelOf);
    expect(levels(0, 0)).toEqual(['ok', 'ok']);
    expect(levels(-3000, -60_000)).toEqual(['fault', 'ok']);
    expect(levels(1500, 3000)).toEqual(['ok', 'fault']);
  });

  it('judges the versions of Node and of the server', () => {
    const levels = (version: string, node: string) => production.examineVersions({ ...server, version }, node).map(levelOf);
    expect(levels('1.29.1', 'v22.1.0')).toEqual(['ok', 'ok']);
    expect(levels('1.24.0', 'v23.0.0')).toEqual(['warning', 'fault']);
    expect(levels('2.0.0', 'v20.19.0')).toEqual(['ok', 'ok']);
    expect(levels('', 'v20.19.0')).toEqual(['ok', 'warning']);
  });

  it('looks how old the newest backup is, and whether it is empty', async () => {
    const level = async (place: string) => levelOf(await production.examineBackups(place, Date.now()));
    expect(await level(home)).toBe('fault');
    const file = join(home, 'database.sql');
    writeFileSync(file, 'dump');
    expect(await level(home)).toBe('ok');
    const old = new Date(Date.now() - 2 * DAY);
    utimesSync(file, old, old);
    expect([await level(home), await level(file)]).toEqual(['fault', 'fault']);
    writeFileSync(file, '');
    expect(await level(home)).toBe('fault');
    expect(await level(join(home, 'nowhere'))).toBe('fault');
    const backups = join(home, 'backups'); // as docker/backup.sh makes them
    mkdirSync(join(backups, '.2026-11-30T021500Z-new'), { recursive: true });
    expect(await level(backups)).toBe('fault');
    const last = join(backups, '2026-11-29T021500Z-last');
    mkdirSync(last);
    expect(await level(backups)).toBe('ok');
    utimesSync(last, old, old);
    expect(await level(backups)).toBe('fault');
  });
});

describe('doctor --cloud', () => {
  const cloud = {
    TEMPORAL_ADDRESS: 'agents.a1b2c.tmprl.cloud:7233',
    TEMPORAL_NAMESPACE: 'agents.a1b2c',
    TEMPORAL_API_KEY: 'k',
    HOLDFAST_CODEC_KEYS: '/run/secrets/codec',
  };
  const wrong = (settings: Record<string, string>, facts: ServerFacts | null = server) =>
    examineCloud(config(settings), facts)
      .filter((one) => levelOf(one) !== 'ok')
      .map((one) => [one.what, levelOf(one)]);

  it('finds nothing wrong with an address, a namespace, an API key and encryption as they should be', () => {
    expect(wrong(cloud)).toEqual([]);
  });

  it('names what is missing or beyond a limit', () => {
    expect(wrong({ TEMPORAL_ADDRESS: 'temporal.example:7233' })).toEqual([
      ['address', 'warning'],
      ['namespace name', 'fault'],
      ['credentials', 'fault'],
      ['encryption', 'warning'],
    ]);
    const { TEMPORAL_API_KEY: _, ...withoutKey } = cloud;
    expect(wrong({ ...withoutKey, TEMPORAL_TLS: 'true' })).toEqual([['credentials', 'fault']]);
    expect(wrong(cloud, { ...server, retentionMs: 400 * DAY, blobLimit: 1_000_000 })).toEqual([
      ['payload limit', 'warning'],
      ['longest retention', 'warning'],
    ]);
  });

  it('names the command that makes missing search attributes there', () => {
    expect(searchAttributesTodo('agents.a1b2c', ['HoldfastAgent'])).toBe(
      'tcld namespace search-attributes add --namespace agents.a1b2c --search-attribute "HoldfastAgent=Keyword"',
    );
  });
});
