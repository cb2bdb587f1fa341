/** An unknown field is a fault, and the error suggests the right name: a misspelt rule would have no effect. */
import { z } from 'zod';
import { defineAgent, defineApp } from '../../../src/agents/define';
import { serverOf } from '../../../src/mcp/servers-file';
import { nearest, unknownFields } from '../../../src/shared/json/json';
import { defineTool } from '../../../src/tools/define/define';

const tool = { name: 'pay', version: '1.0.0', class: 'destructive', description: 'Pays.', input: z.object({}), run: () => null };
const agent = { name: 'clerk', prompt: 'Be brief.', tools: [] };
const hook = { name: 'look', run: () => undefined };

describe('a misspelt field is a fault', () => {
  it.each([
    ['idempotant', 'idempotent'],
    ['intentkey', 'intentKey'],
    ['timeout', 'timeoutMs'],
    ['timeoutMS', 'timeoutMs'],
    ['cacheTTL', 'cacheTtlMs'],
    ['permision', null],
  ])('of a tool: %s, meant for %s', (name, meant) => {
    const text = meant === null ? 'is no field; the fields are' : `did you mean ${meant}?`;
    expect(() => defineTool({ ...tool, [name]: 1 } as never)).toThrow(text);
  });

  it.each([
    ['description', { does: 'Pays.', useWen: 'Always.' }, 'description.useWen is no field; did you mean useWhen?'],
    ['limits', { concurency: 2 }, 'limits.concurency is no field; did you mean concurrency?'],
    ['limits', { rate: { calls: 2, perMs: 3, perms: 4 } }, 'limits.rate.perms is no field; did you mean perMs?'],
    ['ruleTarget', { kind: 'text', of: () => 'x', protect: [] }, 'ruleTarget.protect is no field; did you mean protects?'],
    ['estimatedTokens', { input: 1, output: { min: 1, typical: 1, max: 1, maxx: 1 } }, 'estimatedTokens.output.maxx is no field; did you mean max?'], // oxfmt-ignore
    ['errors', [{ code: 'TIMEOUT', reason: 'slow', when: 'x', wehn: 'y' }], 'errors[0].wehn is no field; did you mean when?'],
  ])('of a part of a tool: %s %j', (name, value, text) => {
    expect(() => defineTool({ ...tool, [name]: value } as never)).toThrow(text);
  });

  it.each([
    ['permission', {}, 'did you mean permissions?'],
    ['approval', {}, 'did you mean approvals?'],
    ['budget', [], 'did you mean budgets?'],
    ['mcpServer', [], 'did you mean mcpServers?'],
    ['limits', { step: 3 }, 'limits.step is no field; did you mean steps?'],
    ['permissions', { denny: ['pay'] }, 'permissions.denny is no field; did you mean deny?'],
    ['permissions', { deny: [{ rule: 'pay', wen: 'true' }] }, 'deny: "pay": wen is no field; did you mean when?'],
    ['permissions', { allow: [{ rule: 'pay(x)', file: 'any' }] }, 'allow: "pay(x)": file is no field; did you mean files?'],
    ['approvals', { quorom: 2 }, 'approvals.quorom is no field; did you mean quorum?'],
    ['hooks', { befor: [hook] }, 'hooks.befor is no field; did you mean before?'],
    ['hooks', { before: [{ ...hook, tool: ['pay'] }] }, 'hooks.before look.tool is no field; did you mean tools?'],
    ['classifier', { name: 'c', decide: () => null, limit: 3 }, 'classifier.limit is no field'],
    ['catalogue', { mode: 'find', visble: 3 }, 'catalogue.visble is no field; did you mean visible?'],
  ])('of an agent: %s %j', (name, value, text) => {
    expect(() => defineAgent({ ...agent, [name]: value } as never)).toThrow(text);
  });

  it('of an app, and of an MCP server', () => {
    expect(() => defineApp({ agents: [defineAgent(agent)], hook: {} } as never)).toThrow('did you mean hooks?');
    expect(() => serverOf('bank', { command: 'x', environment: {} }, {})).toThrow('environment is no field');
    expect(() => serverOf('bank', { url: 'https://a.example', header: {} }, {})).toThrow('did you mean headers?');
    const oauth = { issuer: 'https://a.example', client_secrt: 'x' };
    expect(() => serverOf('bank', { url: 'https://a.example', oauth }, {})).toThrow('client_secrt is no field; did you mean client_secret?'); // oxfmt-ignore
  });
});

it('suggests no name if none is near', () => {
  expect(nearest('colour', ['name', 'prompt'])).toBeNull();
  expect(unknownFields({ colour: 1 }, ['name', 'prompt'], 'x')).toEqual(['x.colour is no field; the fields are name, prompt']);
  expect(unknownFields({ name: 1 }, ['name'])).toEqual([]);
});
