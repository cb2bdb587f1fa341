/** A sub-agent's turn has ended: its answer, or why there is none, becomes the result of the call. */
import type { CloseSubTurnInput, RunCallOutput } from '../../shared/activity-io';
import type { Envelope, EnvelopeMetadata } from '../../shared/wire/envelope';
import { callError, type CallError } from '../../shared/wire/errors';
import { workflowId } from '../../shared/ids';
import type { SubTurnReport } from '../../shared/turn/sub-turn';
import { withAfterHooks } from '../call/after-hooks';
import { effectiveInput } from '../call/call-input';
import type { Dependencies } from '../ports';
import { failure, keep, metadataAt, recordedTool, success } from '../call/run-once';

/** What it had said before it was stopped, characters. */
const SAID = 2000;

export async function closeSubTurn(deps: Dependencies, request: CloseSubTurnInput): Promise<RunCallOutput> {
  const { turn, call, at, report, sub_turn_id } = request;
  const tool = deps.registry.find(turn.agent, call.tool, call.version) ?? recordedTool(call);
  const input = await effectiveInput(deps.store, turn, call);
  const asked = await deps.turns.ask(workflowId(sub_turn_id));
  const text = asked?.facts?.text ?? '';
  const { time_ms } = report.spent;
  const took = { execution_time_ms: time_ms, performance: { validation_ms: 0, network_ms: 0, processing_ms: time_ms } };
  const metadata: EnvelopeMetadata = { ...metadataAt(tool, turn, at), ...took };
  const error = errorOf(report, sub_turn_id, text);
  const envelope: Envelope =
    error === null ? success({ answer: text, agent: report.agent, turn_id: sub_turn_id }, metadata) : failure(error, metadata);
  const kept = await keep(deps, turn, call, tool, input, await withAfterHooks(deps, request, tool, input, envelope));
  const state = error === null ? 'succeeded' : 'failed';
  return { ...kept, state, effect: null, error, attempts: 1, took_ms: time_ms, head: null };
}

/** Null: it has answered. */
function errorOf({ state, reason, agent }: SubTurnReport, turnId: string, text: string): CallError | null {
  if (state === 'completed') return null;
  const said = text === '' ? '' : ` It had said: ${text.slice(0, SAID).toWellFormed()}`;
  const why = reason === null || reason === '' ? '' : ` ${reason.slice(0, SAID).toWellFormed()}`;
  switch (state) {
    case 'refused':
      return callError(
        'CONFIRMATION_REQUIRED',
        'sub_agent_refused',
        `Agent ${agent} (turn ${turnId}) could do nothing of what it had to: people or rules refused it.${said}`,
        { hint: 'Do not ask it for the same again. Tell the user what was refused.' },
      );
    case 'limit':
      return callError(
        'QUOTA_EXCEEDED',
        'sub_agent_limit',
        `Agent ${agent} (turn ${turnId}) was stopped at a limit.${why}${said}`,
        {
          hint: 'Ask it for less at once, or go on without it.',
        },
      );
    case 'cancelled':
      return callError('EXECUTION_ERROR', 'sub_agent_cancelled', `The turn of agent ${agent} (${turnId}) was cancelled.${why}`);
    default:
      return callError('EXECUTION_ERROR', 'sub_agent_failed', `Agent ${agent} (turn ${turnId}) failed.${why}${said}`);
  }
}
