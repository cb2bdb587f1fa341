/** Which entry of a list of approval rules applied, and who might approve after a time, changed under the stolen key. With those of forgeries.ts. */
import type { OpenLine } from './forge';
import { answer, block, bodies, first, result, view, type Plan } from './open-lines';

const HOUR = 3_600_000;
/** The sample whose rules are a list: its large payment falls under entry 1, its small one is allowed by entry 2. */
const of = 'by_input';

const isLarge = (body: any): boolean => body?.input?.cents > 600 && body.tool_use_id;
const partOf = (is: (body: any) => boolean): Plan['at'] => first(({ kind, body }) => kind === 'part' && is(body.part?.body));
const definition = (lines: OpenLine[]): any =>
  lines.find(({ kind, body }) => kind === 'object' && body.value.approval_lists)!.body.value;
const rules = (lines: OpenLine[]): any => lines.find(({ kind, body }) => kind === 'object' && body.value.permissions)!.body.value;
const dispatchOf = (lines: OpenLine[], index: number): any => bodies(lines, (body) => body.approval?.entry?.index === index)[0];
const SECOND = { index: 2, when: null, result: 'matched' };

/** Puts the policy of another entry in every place of the large payment. */
function underSecond(lines: OpenLine[]): void {
  const small = { ...definition(lines).approval_lists.pay.entries[1].approval, entry: SECOND };
  const change = (value: any): any => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(change);
    if (value.entry?.index === 1) return value.roles ? small : { ...value, entry: SECOND };
    if (value.approval_entry?.index === 1) return { ...value, approval_entry: SECOND };
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, change(field)]));
  };
  lines.splice(0, lines.length, ...lines.map(change));
  delete result(lines, 'admitCall').escalations;
  for (const { approval } of view(lines).calls) approval.quorum = 1;
}

export const ENTRY_PLANS: Plan[] = [
  {
    name: 'a large payment was asked about under the entry that allows small ones, in every place',
    of,
    edit: underSecond,
    at: partOf(isLarge),
    rule: 'B12',
    says: /Another entry of the approval rules applies/,
  },
  {
    name: 'the transcript has another entry for a payment than admission answered',
    of,
    edit: (lines) => (bodies(lines, isLarge)[0].approval_entry = { index: 1, when: 'input.cents > 600', result: 'failed' }),
    at: partOf(isLarge),
    rule: 'D2',
    says: /another entry of the approval rules for the call than admission has answered/,
  },
  {
    name: 'the transcript names no entry',
    of,
    edit: (lines) => delete bodies(lines, isLarge)[0].approval_entry,
    at: partOf(isLarge),
    rule: 'B12',
    says: /Another entry of the approval rules applies/,
  },
  {
    name: "the agent's definition allows what its rules ask about",
    of,
    edit: (lines) => (definition(lines).approval_lists.pay.entries[0].allow = true),
    at: answer('admitCall', 1),
    rule: 'D4',
    says: /a digest that is not its own/,
  },
  {
    name: "the agent's definition has no list, and its rules have one",
    of,
    edit: (lines) => delete definition(lines).approval_lists,
    at: answer('admitCall', 1),
    rule: 'D4',
    says: /a digest that is not its own/,
  },
  {
    name: "the agent's definition has a list, and its rules have none",
    of,
    edit: (lines) => delete rules(lines).approvals.tools,
    at: answer('admitCall', 1),
    rule: 'D4',
    says: /a digest that is not its own/,
  },
  {
    name: 'an entry requires fewer people by the definition than the call was admitted under',
    of,
    edit: (lines) => (definition(lines).approval_lists.pay.entries[0].approval.quorum = 1),
    at: answer('takeStep'),
    rule: 'D4',
    says: /another approval policy than that entry/,
  },
  {
    name: 'a large payment was dispatched under the entry for small ones',
    of,
    edit: (lines) => {
      const body = dispatchOf(lines, 1);
      body.approval = { ...dispatchOf(lines, 2).approval };
    },
    at: block('dispatch'),
    rule: 'B10',
    says: /Another entry of the approval rules applies/,
  },
  {
    name: 'a payment was dispatched under an entry with the policy of another',
    of,
    edit: (lines) => (dispatchOf(lines, 1).approval.quorum = 1),
    at: block('dispatch'),
    rule: 'B10',
    says: /another approval policy than that entry/,
  },
  {
    name: 'a small payment was dispatched as if no entry fitted it',
    of,
    edit: (lines) => (dispatchOf(lines, 2).approval.entry = { index: null, when: null, result: 'none' }),
    at: block('dispatch', 1),
    rule: 'B10',
    says: /Another entry of the approval rules applies/,
  },
  {
    name: 'further people might approve an hour before the policy lets them',
    of,
    edit: (lines) => {
      const [escalation] = result(lines, 'admitCall').escalations;
      escalation.at = new Date(Date.parse(escalation.at) - HOUR).toISOString();
    },
    at: answer('admitCall'),
    rule: 'D4',
    says: /sooner, or others/,
  },
  {
    name: 'other people might approve after the time',
    of,
    edit: (lines) => (result(lines, 'admitCall').escalations[0].roles = ['clerk']),
    at: answer('admitCall'),
    rule: 'D4',
    says: /sooner, or others/,
  },
  {
    name: 'somebody approved before the time at which people with that role may',
    of,
    edit: (lines) => {
      const [escalation] = result(lines, 'admitCall').escalations;
      escalation.at = new Date(Date.parse(escalation.at) + HOUR).toISOString();
    },
    at: block('dispatch'),
    rule: 'B9',
    says: /none of the roles/,
  },
];
