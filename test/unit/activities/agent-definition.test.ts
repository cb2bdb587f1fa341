import { tmpdir } from 'node:os';
import { agentDefinition } from '../../../src/activities/step/agent-definition';
import { shippedApp } from '../../../packs/showcase/src';
import { hashJson } from '../../../src/shared/json/digests';
import { Registry } from '../../../src/tools/catalogue/registry';

const ENGINE = { defaultModel: 'scripted', holdfast: '1.0.0', buildId: null, workflowBundle: null };

describe('the definition of an agent', () => {
  const app = shippedApp({
    smtp: { host: '127.0.0.1', port: 25, from: 'a@bank.example' },
    showcase: { workspace: tmpdir(), evm: null },
  });
  const registry = new Registry(app);

  it.each(app.agents.map(({ name }) => name))('can be hashed: %s', (name) => {
    const definition = agentDefinition(registry.agent(name)!, ENGINE);
    expect(hashJson(definition)).toMatch(/^[0-9a-f]{64}$/);
  });

  it('has numbers that no double holds exactly as text', () => {
    const { tools } = agentDefinition(registry.agent('credit-analyst')!, ENGINE);
    expect(JSON.stringify(tools)).toContain('"maximum":"1e+300"');
  });
});
