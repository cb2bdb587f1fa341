/** Questions and decisions for tests of approval questions and their rules. */
import { PLAIN_POLICY, type ApprovalPolicy } from '../../../../src/shared/approval/approval';
import { readDecision, type DecisionFields, type DecisionKind } from '../../../../src/shared/approval/decision';
import type { Json } from '../../../../src/shared/json/json';
import type {
  ApprovalQuestion,
  DoubtQuestion,
  Pending,
  PersonQuestion,
  Question,
} from '../../../../src/workflows/approvals/question';

export const DIGEST = 'd'.repeat(64);
export const EXPIRES = '2026-01-01T01:00:00.000Z';

const shared = { call_id: '1.1', digest: DIGEST, tool: 'pay', card: '', run_id: 'run-1', makers: [], remarks: [] };

type More<Q> = Omit<Partial<Q>, 'policy'> & { policy?: Partial<ApprovalPolicy> };

export function approval({ policy, ...more }: More<ApprovalQuestion> = {}): ApprovalQuestion {
  const own = { kind: 'approval' as const, card_ref: 'card', expires_at: EXPIRES, approvals: [] };
  return { ...shared, ...own, makers: [], remarks: [], policy: { ...PLAIN_POLICY, ...policy }, ...more };
}

export function doubt({ policy, ...more }: More<DoubtQuestion> = {}): DoubtQuestion {
  return { ...shared, kind: 'doubt', settlements: [], makers: [], remarks: [], policy: { ...PLAIN_POLICY, ...policy }, ...more };
}

export function personQuestion({ policy, ...more }: More<PersonQuestion> = {}): PersonQuestion {
  const own = { kind: 'question' as const, tool: 'ask_person', card_ref: 'card', expires_at: EXPIRES, asked_at: EXPIRES };
  return { ...shared, ...own, makers: [], remarks: [], policy: { ...PLAIN_POLICY, ...policy }, ...more };
}

export function pendingOn<Q extends Question>(question: Q, more: Partial<Pending<Q>> = {}): Pending {
  return { question, answer: null, seed: null, taken: false, ...more } as unknown as Pending;
}

/** What somebody sends, read as the workflow reads it. */
export function fieldsOf(kind: DecisionKind, body: Record<string, Json>): DecisionFields {
  const read = readDecision(kind, { call: DIGEST, by: 'ana', ...body });
  if (!read.ok) throw new Error(read.reason);
  return read.fields;
}
