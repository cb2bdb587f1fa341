import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineAgent, defineApp } from '../../../src/agents/define';
import { loadApp } from '../../../src/agents/load-app';
import { mcpListingFaults } from '../../../src/agents/mcp';

const agents = [defineAgent({ name: 'tester', prompt: 'Test.', tools: [] })];
const prompt = { name: 'letter', description: 'Writes a letter.', messages: () => 'Write.' };
const resource = { uri: 'handbook://terms', name: 'terms', mimeType: 'text/plain', read: () => 'Terms.' };
const template = { uriTemplate: 'invoice://{id}', name: 'invoice', mimeType: 'text/plain', read: () => null };

describe('what an app offers MCP clients', () => {
  it('is part of the app, however the app was made', async () => {
    const mcp = { prompts: [prompt], resources: [resource], resourceTemplates: [template], toolLogs: true };
    expect(defineApp({ agents, mcp }).mcp).toEqual(mcp);
    expect(defineApp({ agents })).not.toHaveProperty('mcp');
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-mcp-app-'));
    const made = JSON.stringify(join(__dirname, '../../../src/agents/define'));
    const app = `const { defineAgent } = require(${made});
      module.exports = { agents: [defineAgent({ name: 'a', prompt: 'A.', tools: [] })], mcp: { prompts: [{ name: 'letter', description: 'L.', messages: () => 'Write.' }] } };`;
    writeFileSync(join(folder, 'app.cjs'), app);
    expect((await loadApp(join(folder, 'app.cjs'))).mcp?.prompts).toMatchObject([{ name: 'letter' }]);
    rmSync(folder, { recursive: true });
  });

  it.each([
    [[], 'mcp must be {'],
    [{ prompt: [] }, 'mcp.prompt is no field; did you mean prompts?'],
    [{ toolLogs: 'yes' }, 'mcp.toolLogs must be true or false'],
    [{ prompts: {} }, 'mcp.prompts must be a list'],
    [{ prompts: [prompt, prompt] }, 'mcp.prompts: letter is there twice'],
    [{ prompts: [{ ...prompt, name: 'a letter' }] }, 'mcp.prompts[0].name must match'],
    [{ prompts: [{ ...prompt, description: ' ' }] }, 'mcp.prompts[0].description must be a text'],
    [{ prompts: [{ ...prompt, messages: 'Write.' }] }, 'mcp.prompts[0].messages must be a function'],
    [{ prompts: [{ ...prompt, visibleto: () => false }] }, 'mcp.prompts[0].visibleto is no field; did you mean visibleTo?'],
    [{ prompts: [{ ...prompt, visibleTo: 'ada' }] }, 'mcp.prompts[0].visibleTo must be a function'],
    [{ prompts: [{ ...prompt, arguments: ['id'] }] }, 'mcp.prompts[0].arguments must be {name:'],
    [{ prompts: [{ ...prompt, arguments: { 'an id': {} } }] }, 'arguments.an id: a name must match'],
    [
      { prompts: [{ ...prompt, arguments: { id: { requird: true } } }] },
      'arguments.id.requird is no field; did you mean required?',
    ],
    [{ prompts: [{ ...prompt, arguments: { id: { required: 1 } } }] }, 'arguments.id.required must be true or false'],
    [{ prompts: [{ ...prompt, arguments: { id: { complete: [] } } }] }, 'arguments.id.complete must be a function'],
    [{ resources: [{ ...resource, uri: 'terms' }] }, 'mcp.resources[0].uri must be a URI'],
    [{ resources: [{ ...resource, mimeType: '' }] }, 'mcp.resources[0].mimeType must be'],
    [{ resources: [{ ...resource, read: 'x' }] }, 'mcp.resources[0].read must be a function'],
    [{ resources: [resource, resource] }, 'mcp.resources: handbook://terms is there twice'],
    [{ resourceTemplates: [{ ...template, uriTemplate: 'invoice://{a}{b}' }] }, 'mcp.resourceTemplates[0].uriTemplate needs a /'],
    [{ resourceTemplates: [{ ...template, complete: { ids: () => [] } }] }, 'complete.ids is no field; did you mean id?'],
    [{ resourceTemplates: [{ ...template, complete: { id: [] } }] }, '.complete must be {variable: function}'],
    [{ resources: Array.from({ length: 1001 }, () => resource) }, 'mcp.resources must be a list of at most 1000'],
  ])('is refused with its faults named: %#', (mcp, fault) => {
    expect(mcpListingFaults(mcp).join('\n')).toContain(fault);
    expect(() => defineApp({ agents, mcp: mcp as never })).toThrow(fault);
  });
});
