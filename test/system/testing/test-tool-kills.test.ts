/** `testTool` over a process of its own, which it kills. */
import * as tools from './fixtures/tools';
import { broken, claimsOf, examine, MODULE, tillFolder } from './support';

jest.setTimeout(180_000); // a process of its own for every kill
tillFolder();

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

  it('finds a tool that notes its effect only after it, by killing the tool between the two', async () => {
    const module = { path: MODULE, export: 'forgetful' };
    expect(await broken(tools.forgetful, { module, kills: 6 })).toEqual([
      'killed and run again with its key, it succeeds and has acted once',
    ]);
  });
});
