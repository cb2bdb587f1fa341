import { intentHash, intentWorkflowId, type ClaimAnswer, type IntentOwner } from '../../../src/shared/intent';
import { jsonBytes } from '../../../src/shared/json/json';
import { eventually, withEngine } from '../support/engine';
import { shortRunServer } from '../support/fill-run';
import { keepForReplay } from '../support/replays';

describe('the entity of an intent', () => {
  const server = shortRunServer();

  it('holds no more than it can carry into another run, even with the longest texts of the most owners', async () => {
    await withEngine({ address: server.address, tools: [] }, async ({ client, taskQueue }) => {
      const handle = await client.temporal.workflow.start('intent', {
        taskQueue,
        workflowId: intentWorkflowId(taskQueue, intentHash('pay', { invoice: 'long' })),
        args: [{ owners: [], until: 0 }],
      });
      /** 1,500 bytes of JSON: what a text may have. Each character is three of them. */
      const wide = (n: number) => `${'甲'.repeat(498)}${n}`;
      const of = (text: string, accepted: string[]) => ({
        owner: { key: text, digest: text, turn_id: text, call_id: text, requester: text },
        window_ms: 31 * 24 * 3_600_000,
        accepted,
      });
      const claimed = (claim: object) => handle.executeUpdate<ClaimAnswer, [unknown]>('claim', { args: [claim] });
      for (const long of ['甲'.repeat(500), '\u0001'.repeat(250), 'x'.repeat(501)])
        for (const claim of [of(long, []), of('a', [long])]) await expect(claimed(claim)).rejects.toThrow();
      await expect(claimed(of('a', Array<string>(101).fill('b')))).rejects.toThrow();
      await expect(handle.executeUpdate('close', { args: [{ key: '甲'.repeat(500), effect: 'applied' }] })).rejects.toThrow();

      const { runId } = await handle.describe();
      for (let n = 0; n < 25; n++) expect((await claimed(of(wide(n), n === 0 ? [] : [wide(n - 1)]))).granted).toBe(true);
      const again = of(wide(24), []);
      for (let sent = 0; sent < 18; sent += 9) await Promise.all(Array.from({ length: 9 }, () => claimed(again)));
      await eventually('another run', async () => (await handle.describe()).runId !== runId);
      const kept = await handle.query<IntentOwner[]>('owners');
      expect(kept.map(({ key }) => key)).toEqual(Array.from({ length: 20 }, (_, n) => wide(n + 5)));
      expect(jsonBytes(kept)).toBeLessThan(512 * 1024);
      expect(jsonBytes(kept)).toBeGreaterThan(140_000);
      expect(await claimed(of('late', []))).toMatchObject({ granted: false, owners: { length: 20 } });
      await keepForReplay(client.temporal, { workflowId: handle.workflowId, runId }); // a later one may have only begun
      await handle.terminate();
    });
  });
});
