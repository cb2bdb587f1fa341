/** An effect of a sub-agent's turn is kept in the bundle of the topmost turn, whichever of the two ends last. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentTool } from '../../../../src/agents/agent-tool';
import { defineAgent } from '../../../../src/agents/define';
import { ofKey } from '../../../../src/attestation/bundle-signer';
import { trustedEntry } from '../../../../src/attestation/gateway-key';
import { SigningKey } from '../../../../src/attestation/signing-key';
import { readWhole } from '../../../../src/audit/format/whole';
import { BundleArchive } from '../../../../src/audit/archive/bundle-archive';
import { Sweeper } from '../../../../src/audit/archive/sweeper';
import { verifyBundle } from '../../../../src/audit/verify';
import { eventually } from '../../support/engine';
import { ask, say } from '../../../support/scripted-model';
import { silent } from '../../../support/silent';
import { children, withAgents } from '../../support/sub-agents';
import { pays } from '../../../support/tools';

test('there is one bundle, of the turn above, and it contains the turn of the sub-agent that paid', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-kept-below-'));
  const own = SigningKey.generate();
  const archive = new BundleArchive(folder);
  const clerk = defineAgent({ name: 'clerk', prompt: 'You pay.', tools: [pays('pay', [])] });
  const lead = defineAgent({ name: 'lead', prompt: 'You lead.', tools: [agentTool(clerk, { description: 'Asks the clerk.' })] });
  const scripts = {
    'Lead.': [ask(['clerk', { task: 'Pay it.' }]), say('It is paid.')],
    'Pay it.': [ask(['pay', { invoice: 'INV-1', cents: 700 }]), say('Paid.')],
  };
  await withAgents([lead, clerk], scripts, async ({ start, client, store, taskQueue }) => {
    const sweeper = new Sweeper({
      temporal: client.temporal,
      store,
      taskQueue,
      archive,
      signer: async () => ofKey(own),
      log: silent,
    });
    const turn = await start();
    const [below] = await children(client, turn);
    const [call] = await below!.waitForPending();
    await below!.approve(call.digest, { by: 'ana' });
    await turn.result();

    const names = await eventually('its bundle is kept', async () => {
      const swept = await sweeper.sweep();
      return swept.kept.length > 0 && swept.kept;
    });
    expect(names).toEqual([expect.stringContaining(`/${turn.id}@`)]);
    const turns: string[] = [];
    const { first, end } = await readWhole(archive.read(names[0]!), (line) => {
      if (line.kind === 'turn') turns.push(line.body.turn_id);
    });
    expect([first.subject.id, end.complete]).toEqual([turn.id, true]);
    expect(turns.sort()).toEqual([turn.id, below!.id]);
    const verified = await verifyBundle(archive.read(names[0]!), [trustedEntry(own, { bundle: true })]);
    expect(verified).toMatchObject({ verdict: 'intact', complete: true, why: '' });
    expect((await sweeper.sweep()).kept).toEqual([]);
    await sweeper.release();
  });
  rmSync(folder, { recursive: true, force: true });
});
