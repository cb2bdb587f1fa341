import type { ToolTest } from '../../../dist/testing';
import type { Tool } from '../../../dist/tools/define/tool';
import * as tools from './fixtures/tools';
import { broken, claimsOf, effects, examine, MODULE, tillFolder } from './support';

jest.setTimeout(180_000); // processes of their own
tillFolder();

describe('testTool', () => {
  it('says what it could not check', async () => {
    const report = await examine(tools.honest);
    expect(report.unchecked).toEqual([{ claim: 'what becomes of a killed run', why: expect.stringContaining('module') }]);
  });

  it('does not repeat a tool that does not claim to be repeatable', async () => {
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
  ])('finds a tool that %s', async (_how, tool, claims) => {
    expect(await broken(tool)).toEqual(claims);
  });

  it('finds a tool whose effects are not counted', async () => {
    expect(await broken(tools.once, { effects: () => 0 })).toEqual(['one run is counted by `effects`']);
  });

  it('tells how long a cancelled run goes on', async () => {
    const { run_ms, cancelled_after_ms } = await examine(tools.honest);
    expect(run_ms).toBeGreaterThanOrEqual(80);
    expect(cancelled_after_ms).not.toBeNull();
    expect((await examine(tools.deaf, { cancelMs: 1 })).cancelled_after_ms).toBeNull();
  });

  it('finds no fault in a tool that reads', async () => {
    expect((await examine(tools.looks)).claims.every(({ held }) => held)).toBe(true);
  });

  it.each<[string, Partial<ToolTest>, string]>([
    ['an input that the tool refuses', { input: { cents: -1 } }, 'does not fit honest: The input of honest has 1 fault: /cents'],
    ['a count that is not a number', { effects: () => NaN }, 'it must be a whole number'],
    ['a module that is not there', { module: { path: '/nowhere.ts' } }, 'cannot be loaded'],
    ['a module without the tool', { module: { path: MODULE, export: 'nothing' } }, 'has no export nothing made by defineTool'],
    ['a module with another tool', { module: { path: MODULE, export: 'lying' } }, 'is not honest@1.0.0'],
  ])('refuses to test with %s', async (_what, more, message) => {
    await expect(examine(tools.honest, more)).rejects.toThrow(message);
  });
});
