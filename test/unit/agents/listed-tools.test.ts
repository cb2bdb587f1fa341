import { defineAgent, defineApp } from '../../../src/agents/define';
import { callableTools, listedTools } from '../../../src/agents/listed-tools';
import { catalogueOf } from '../../../src/gateway/tool-catalogue';
import { offersOf } from '../../../src/protocols/mcp/offers';
import { pays, reads } from '../../support/tools';

const here = reads('here', () => 1);
const onlyLive = reads('only_live', () => 1, { environments: ['live'] });
const retired = reads('retired', () => 1, { deprecated: true, sunsetDate: '2026-01-31', replacement: 'here' });
const pay = pays('pay', []);
const tools = [here, onlyLive, retired, pay];
const agent = (name: string, permissions: object) => defineAgent({ name, prompt: 'p', tools, permissions });

const app = defineApp({
  agents: [
    agent('payer', {}),
    agent('clerk', { deny: ['pay'] }),
    agent('planner', { mode: 'plan' }),
    agent('locked', { mode: 'locked', allow: ['here'] }),
  ],
});

function callable(environment: string | undefined, day: string): Record<string, string[]> {
  const found = callableTools(app, listedTools(app), { environment, now: new Date(day) });
  return Object.fromEntries(
    found.filter(({ tool }) => tool.name !== 'read_result').map(({ tool, agents }) => [tool.name, agents]),
  );
}

test('a tool is listed where its environment is, until its sunset, under the agents whose rules let it run', () => {
  const others = ['payer', 'clerk', 'planner'];
  expect(callable(undefined, '2026-01-30')).toEqual({ here: [...others, 'locked'], retired: others, pay: ['payer'] });
  expect(callable('live', '2026-01-31')).toEqual({ here: [...others, 'locked'], only_live: others, pay: ['payer'] });
});

test('a rule that depends on the call leaves the tool in the list', () => {
  const some = defineApp({ agents: [agent('clerk', { deny: [{ rule: 'pay', when: 'input.cents > 100' }] })] });
  expect(callableTools(some, listedTools(some), {}).map(({ tool }) => tool.name)).toContain('pay');
});

test('a rule about the requester alone leaves a tool in the list of those requesters whom it lets call', () => {
  const rules = {
    deny: [
      { rule: 'pay', when: 'turn.requester == "bob" && tool.class == "destructive"' },
      { rule: 'here', when: 'turn.requester != "ana" && turn.step > 1' },
    ],
  };
  const some = defineApp({
    agents: [
      agent('clerk', rules),
      agent('locked', { mode: 'locked', allow: [{ rule: 'here', when: 'turn.requester == "ana"' }] }),
    ],
  });
  const catalogue = catalogueOf(some, 'test');
  const listOf = (principal: string) =>
    Object.fromEntries(catalogue.callable(principal).map(({ name, agents }) => [name, agents]));
  expect(listOf('ana')).toMatchObject({ pay: ['clerk'], here: ['clerk', 'locked'] });
  expect(listOf('bob')).toMatchObject({ here: ['clerk'] });
  expect(listOf('bob')).not.toHaveProperty('pay');
  expect(catalogue.callable('bob')).toBe(catalogue.callable('bob'));
  expect(callableTools(some, listedTools(some), {}).map(({ tool }) => tool.name)).toEqual(
    expect.arrayContaining(['pay', 'here']),
  );
});

test('HTTP lists the tools, MCP offers them, and a tool that is not listed is still known', () => {
  const catalogue = catalogueOf(app, 'test');
  expect(catalogue.callable('ana').map(({ name }) => name)).toEqual(['here', 'pay', 'read_result'].sort(byPlace));
  expect([...offersOf(catalogue.callable('ana'), 'clerk').keys()].filter((name) => !/^(holdfast|ask)_/.test(name))).toEqual([
    'here',
  ]);
  expect(catalogue.all().map(({ name }) => name)).toContain('retired');
});

const ORDER = ['here', 'pay', 'read_result'];
const byPlace = (a: string, b: string) => ORDER.indexOf(a) - ORDER.indexOf(b);
