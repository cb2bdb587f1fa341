import type { NotifyInput } from '../../../src/shared/io/activities';

export const SECRET = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
export const WHERE = { uiUrl: 'https://temporal.bank.example', namespace: 'prod' };
export const nothingDone = () => ({ done: new Set<string>(), reached: () => undefined });

export function aQuestion(more: Partial<NotifyInput> = {}): NotifyInput {
  return {
    turn: {
      turn_id: 'inv-7',
      workflow_id: 'turn/inv-7',
      first_execution_run_id: 'run-1',
      agent: 'payables',
      requester: 'rita',
      session_id: null,
      trace_id: 'trace_20260101_000000000000',
    },
    kind: 'approval',
    call_id: '1.1',
    tool: 'pay',
    digest: 'd'.repeat(64),
    card_ref: 'c'.repeat(64),
    expires_at: '2026-01-02T00:00:00.000Z',
    at: '2026-01-01T00:00:00.000Z',
    ...more,
  };
}
