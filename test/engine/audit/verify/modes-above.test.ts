/** A sub-agent's turn under the mode of the turn above: its bundle has the rules, and they are asked again under that mode. */
import { agentTool } from '../../../../src/agents/agent-tool';
import { defineAgent } from '../../../../src/agents/define';
import { verifyBundle } from '../../../../src/audit/verify';
import { BUNDLE_KEY, TRUST } from '../../../support/bundle-keys';
import { bundleOf } from '../../../support/bundle-of';
import { ask, say } from '../../../support/scripted-model';
import { withAgents } from '../../support/sub-agents';
import { reads } from '../../../support/tools';
import { forged, type OpenLine } from '../../../support/audit/forge';

const scripts = {
  'Lead.': [ask(['clerk', { task: 'Look it up.' }]), say('It is a.')],
  'Look it up.': [ask(['lookup', { key: 'a' }]), say('a')],
};
const lookup = reads('lookup', async () => ({ value: 'a' }));
const policies = (lines: OpenLine[]) => lines.filter(({ kind, body }) => kind === 'object' && /policy/.test(body.value.v));

test('the bundle contains the inner rules; a bundle that is marked complete without them is broken', async () => {
  const clerk = defineAgent({ name: 'clerk', prompt: 'You look.', tools: [lookup], permissions: { allow: ['lookup'] } });
  const tools = [agentTool(clerk, { description: 'Asks the clerk.' })];
  const lead = defineAgent({ name: 'lead', prompt: 'You lead.', tools, permissions: { mode: 'locked', allow: ['clerk'] } });
  await withAgents([lead, clerk], scripts, async ({ start, client, store }) => {
    const turn = await start();
    expect((await turn.result()).state).toBe('completed');
    const text = await bundleOf(client.temporal, store, turn.id, BUNDLE_KEY);
    expect(await verifyBundle([Buffer.from(text)], TRUST)).toMatchObject({ verdict: 'intact', complete: true, why: '' });

    const whole = forged(text, () => undefined);
    const within = policies(whole).find(({ body }) => body.value.v === 'holdfast.policy_within/1')!.body.value;
    expect(within).toMatchObject({ within: ['locked'] });
    const inner = (line: OpenLine) => line.kind === 'object' && line.body.ref === within.policy_ref;
    const less = forged(text, (lines) => void lines.splice(lines.findIndex(inner), 1));
    expect(await verifyBundle([Buffer.from(less.text)], TRUST)).toMatchObject({ verdict: 'broken', rule: 'T4' });
  });
});
