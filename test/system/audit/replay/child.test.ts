/** The process that replays: what it cannot reach, and what a history cannot make it do. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { filterEnv, withoutNetwork } from '../../../../src/audit/replay/isolation';
import type { ChildReady } from '../../../../src/audit/replay/protocol';
import { replayAll } from '../../../../src/audit/replay/replay';
import { historiesOf } from '../../../../src/audit/replay/from-file';
import { BUNDLES, bundle, CODE, history, replayedChanged, allOf } from '../../../support/audit/replay/samples';

describe('the environment of a replay', () => {
  it('is a list of harmless variables: no key, no address, no option of Node', () => {
    const env = {
      PATH: '/bin',
      ANTHROPIC_API_KEY: 'k',
      HOLDFAST_TOKENS: 't',
      NODE_OPTIONS: '--require x',
      TZ: 'UTC',
      HOME: '/h',
    };
    expect(filterEnv(env)).toEqual({ PATH: '/bin', TZ: 'UTC' });
  });

  it('has no network where the system can take it away, and says whether it has one', async () => {
    let about: ChildReady | null = null;
    for await (const { outcome } of replayAll(historiesOf(bundle('plain')), { code: CODE, onReady: (it) => (about = it) }))
      expect(outcome).toBe('same');
    expect(about).toEqual({ ready: true, network: withoutNetwork().length === 0, records: true });
  });

  it('cannot open a connection from there', () => {
    const [command, ...args] = withoutNetwork();
    if (command === undefined) return; // nothing to take it away with: the output of a replay says so
    const code = "require('net').connect(9, '192.0.2.1').on('error', (e) => { console.log(e.code); process.exit(); })";
    const { stdout } = spawnSync(command, [...args, process.execPath, '-e', code], { encoding: 'utf8' });
    expect(stdout.trim()).toBe('ENETUNREACH');
  });
});

describe('a replay', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'holdfast-replay-'))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('executes nothing: an app with a tripwire at every tool stays untouched, with any settings', async () => {
    const tripwire = join(folder, 'executed');
    const app = join(folder, 'app.js');
    await writeFile(app, `require('node:fs').writeFileSync(${JSON.stringify(tripwire)}, 'loaded');`);
    const before = { ...process.env };
    Object.assign(process.env, { HOLDFAST_APP: app, NODE_OPTIONS: `--require=${app}`, HOLDFAST_HOME: folder });
    try {
      let calls = 0;
      for await (const { outcome } of replayAll(allOf(BUNDLES), { code: CODE, processes: 2 }))
        calls += outcome === 'same' ? 1 : 0;
      expect(calls).toBeGreaterThanOrEqual(BUNDLES.length);
    } finally {
      process.env = before;
    }
    expect(existsSync(tripwire)).toBe(false);
    expect(await readdir(folder)).toEqual(['app.js']);
  });

  it('cannot require a module from workflow code: the sandbox has none', async () => {
    const tripwire = join(folder, 'executed');
    const [replayed] = await replayedChanged(
      [history('plain')],
      [
        [
          /(async function nextStep\(input, turn, data, steers\) \{)/,
          `$1 require('node:fs').writeFileSync(${JSON.stringify(tripwire)}, '');`,
        ],
      ],
    );
    expect(replayed!.differences[0]!.sentence).toMatch(/^event 5: the code would fail here: /);
    expect(existsSync(tripwire)).toBe(false);
  });

  it('ends a process whose code does not end, and says so', async () => {
    const hung = join(folder, 'replay-bundle.js');
    const code = (await readFile(CODE, 'utf8')).replace(
      /(async function nextStep\(input, turn, data, steers\) \{)/,
      '$1 for (;;);',
    );
    await writeFile(hung, code);
    const all = [];
    for await (const one of replayAll(historiesOf(history('plain')), { code: hung, patienceMs: 2000 })) all.push(one);
    expect(all).toMatchObject([{ outcome: 'cannot', why: 'It took longer than 2 s.' }]);
  });

  it('goes on after a file that is no history, and says why each one cannot be replayed', async () => {
    const good = JSON.parse(await readFile(history('plain'), 'utf8')) as { events: [] };
    const about = (workflow_id: string) => ({ workflow_id, run_id: null });
    const all = [];
    const histories = [
      { ...about('empty'), events: [] },
      {
        ...about('nonsense'),
        events: [{ eventId: '1', eventType: 'EVENT_TYPE_TIMER_STARTED', timerStartedEventAttributes: {} }],
      },
      { ...about('bytes'), history: Buffer.from('no history').toString('base64') },
      { ...about('redacted'), cannot: 'A payload was left out.' },
      { ...about('cut'), events: good.events.slice(0, 7) },
      { ...about('good'), events: good.events },
    ];
    for await (const one of replayAll(histories, { code: CODE })) all.push(one);
    expect(all.map(({ workflow_id, outcome }) => `${workflow_id} ${outcome}`)).toEqual([
      'empty cannot',
      'nonsense cannot',
      'bytes cannot',
      'redacted cannot',
      'cut differs', // its workflow id is another than the one that was recorded
      'good differs',
    ]);
    for (const { outcome, why } of all) expect(outcome !== 'cannot' || (why ?? '').length > 10).toBe(true);
  });
});
