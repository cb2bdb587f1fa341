/** Rules asked again: about the tool as the definition has it that the call names, whatever is registered anywhere now. */
import { RecordedRules } from '../../../../src/audit/verify/recorded-rules';
import type { ScheduledCall } from '../../../../src/audit/verify/history';
import { hashJson } from '../../../../src/shared/digests';
import type { JsonObject } from '../../../../src/shared/json';

const NAMED = 'a'.repeat(64);
const OTHER = 'b'.repeat(64);
const RULES = 'c'.repeat(64);
const input = { cents: 700 };

const definition = (version: string, egress: boolean): JsonObject => ({
  v: 'holdfast.agent/1',
  name: 'clerk',
  classifier: null,
  mcp_servers: [],
  tools: [{ name: 'pay', version, class: 'write', input_schema: { type: 'object' }, group: null, egress, rule_target: null }],
});

function asked(objects: Record<string, JsonObject>, call: JsonObject, egress: boolean): string | null {
  const rules = new RecordedRules();
  const permissions = { allow: [], ask: [], deny: [] };
  rules.take({ ref: RULES, value: { v: 'holdfast.policy/1', mode: 'default', permissions } });
  for (const [ref, value] of Object.entries(objects)) rules.take({ ref, value });
  const run = { agent: 'clerk', requester: 'rita', untrusted: false, verdict: 'allow', approvals: [], at: 0 };
  const of = { id: '1.1', tool: 'pay', class: 'write', input_hash: hashJson(input), policy_ref: RULES, ...call };
  const turn = { untrusted: false, requester: 'rita', agent: 'clerk', step: 1 };
  const facts = { targets: null, egress, group: null, target: null, turn };
  return rules.fault({ ...run, call: of } as unknown as ScheduledCall, { input, facts });
}

const both = { [NAMED]: definition('1.0.0', true), [OTHER]: definition('1.0.0', false) };

test('the definition that the call names counts, and no other that has its tool too', () => {
  const call = { version: '1.0.0', definition_ref: NAMED };
  expect(asked(both, call, true)).toBeNull();
  expect(asked(both, call, false)).toMatch(/not the tool of the agent's definition/);
});

test('of an older call, which names none, one of them is enough', () => {
  expect(asked(both, { version: '1.0.0' }, false)).toBeNull();
});

test('a version that the named definition does not have is a fault, also where another definition has it', () => {
  const objects = { [NAMED]: definition('2.0.0', true), [OTHER]: definition('1.0.0', true) };
  expect(asked(objects, { version: '1.0.0', definition_ref: NAMED }, true)).toMatch(/does not have/);
  expect(asked(objects, { version: '1.0.0', definition_ref: 'd'.repeat(64) }, true)).toBeNull();
});
