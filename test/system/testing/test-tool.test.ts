import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BrokenClaims, testTool, type ToolReport, type ToolTest } from '../../../dist/testing';
import type { Tool } from '../../../dist/tools/define/tool';
import * as tools from './fixtures/tools';

const MODULE = join(__dirname, 'fixtures/tools.ts');

jest.setTimeout(180_000); // a process of its own for every kill

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-till-'));
  process.env.TILL_FOLDER = folder;
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** The till's own count. */
const effects = async () => (await readdir(folder)).filter((name) => name.startsWith('paid-')).length;

const examine = (tool: Tool, more: Partial<ToolTest> = {}) => testTool(tool, { input: {}, effects, settleMs: 20, ...more });

/** The claims that were found broken. */
async function broken(tool: Tool, more: Partial<ToolTest> = {}): Promise<string[]> {
  const error = await examine(tool, more).then(
    () => null,
    (failure: unknown) => failure,
  );
  if (error === null) return [];
  if (!(error instanceof BrokenClaims)) throw error;
  const claims = error.report.claims.filter(({ held }) => !held).map(({ claim }) => claim);
  for (const claim of claims) expect(error.message).toContain(claim);
  return [...new Set(claims)];
}

const claimsOf = ({ claims }: ToolReport) => [...new Set(claims.map(({ claim }) => claim))];

describe('testTool', () => {
  it('finds nothing wrong with a tool that keeps what it claims, also killed at moments all over its run', async () => {
    const report = await examine(tools.honest, { module: { path: MODULE }, kills: 6 });
    expect(report).toMatchObject({ tool: 'honest@1.0.0', unchecked: [] });
    expect(claimsOf(report)).toEqual([
      '`preview` changes nothing',
      '`preview` stays the same while nothing changes',
      '`reconcile` changes nothing',
      '`reconcile` does not say "applied" of a key that was never run',
      'it runs, and its result is what `output` says',
      'one run is counted by `effects`',
      '`reconcile` does not say "not_applied" of a run that succeeded',
      '`reconcile` changes nothing after a run',
      'runs with one key in turn all succeed and act once',
      'runs with one key at once act once',
      'it runs in a process of its own',
      '`reconcile` agrees with the other side after a kill',
      'killed and run again with its key, it succeeds and has acted once',
    ]);
    const killed = report.claims.filter(({ claim }) => claim.startsWith('killed'));
    expect(killed).toHaveLength(6);
    const seen = killed.map((claim) => claim.seen).join('\n'); // killed before its effect and after it: else the test would see nothing
    expect(seen).toContain('had made one effect');
    expect(seen).toContain('had made 0 effects');
  });

  it('says what it could not check', async () => {
    const report = await examine(tools.honest);
    expect(report.unchecked).toEqual([{ claim: 'what becomes of a killed run', why: expect.stringContaining('module') }]);
  });

  it('does not repeat a tool that does not claim that it may be', async () => {
    expect(claimsOf(await examine(tools.once)).join()).not.toContain('one key');
    expect(await effects()).toBe(2); // one run, and one that was cancelled too late
  });

  it.each<[string, Tool, string[]]>([
    [
      'acts at every repetition',
      tools.lying,
      ['runs with one key in turn all succeed and act once', 'runs with one key at once act once'],
    ],
    ['looks before it acts, and is raced', tools.racing, ['runs with one key at once act once']],
    ['denies what it did', tools.blind, ['`reconcile` does not say "not_applied" of a run that succeeded']],
    ['says that it did what it did not', tools.boastful, ['`reconcile` does not say "applied" of a key that was never run']],
    ['returns something else than it declares', tools.shapeless, ['it runs, and its result is what `output` says']],
    [
      'acts when it should only look',
      tools.busy,
      [
        '`preview` changes nothing',
        '`preview` stays the same while nothing changes',
        '`reconcile` changes nothing',
        '`reconcile` changes nothing after a run',
      ],
    ],
    ['changes something although it reads', tools.takes, ['it changes nothing, being of class read']],
  ])('finds out one that %s', async (_how, tool, claims) => {
    expect(await broken(tool)).toEqual(claims);
  });

  it('finds out one that notes what it did after it did it, by killing it between the two', async () => {
    const module = { path: MODULE, export: 'forgetful' };
    expect(await broken(tools.forgetful, { module, kills: 6 })).toEqual([
      'killed and run again with its key, it succeeds and has acted once',
    ]);
  });

  it('finds out one that nothing is counted of', async () => {
    expect(await broken(tools.once, { effects: () => 0 })).toEqual(['one run is counted by `effects`']);
  });

  it('tells how long a cancelled run goes on', async () => {
    const { run_ms, cancelled_after_ms } = await examine(tools.honest);
    expect(run_ms).toBeGreaterThanOrEqual(80);
    expect(cancelled_after_ms).not.toBeNull();
    expect((await examine(tools.deaf, { cancelMs: 1 })).cancelled_after_ms).toBeNull();
  });

  it('has nothing against a tool that reads', async () => {
    expect((await examine(tools.looks)).claims.every(({ held }) => held)).toBe(true);
  });

  it.each<[string, Partial<ToolTest>, string]>([
    ['an input that the tool refuses', { input: { cents: -1 } }, 'does not fit honest: The input of honest has 1 fault: /cents'],
    ['a count that is none', { effects: () => NaN }, 'it must be a whole number'],
    ['a module that is not there', { module: { path: '/nowhere.ts' } }, 'cannot be loaded'],
    ['a module without the tool', { module: { path: MODULE, export: 'nothing' } }, 'has no export nothing made by defineTool'],
    ['a module with another tool', { module: { path: MODULE, export: 'lying' } }, 'is not honest@1.0.0'],
  ])('refuses to test with %s', async (_what, more, message) => {
    await expect(examine(tools.honest, more)).rejects.toThrow(message);
  });
});
