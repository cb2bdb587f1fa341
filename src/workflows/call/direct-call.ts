/**
 * Workflow of a direct call: one tool call that no model asked for. The same code as for a call of a turn admits it, asks about
 * it, dispatches it, records it and settles it; only the loop over steps is missing.
 */
import { continueAsNew, defineQuery, setHandler, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { CallInput, CallOutcome, TurnContext, TurnInput } from '../../shared/io/activities';
import type { Envelope } from '../../shared/wire/errors';
import type { DirectCallView } from '../../shared/turn/turn-view';
import { keyword } from '../../shared/search-attributes';
import { admitDirect } from '../activities';
import { STATUS_QUERY } from '../contract';
import { answerCards } from '../approvals/card-pages';
import { handleDecisions } from '../approvals/decisions';
import { dispatch } from './dispatch';
import { dispatchContext } from './dispatch-context';
import type { Dispatch } from './dispatch-types';
import { conclude, endingOf, type Ending } from '../turn/ending';
import { resumable, resume, restoreState, runUntilFull, type StartNextRun } from '../turn/continue-as-new';
import { now } from '../sandbox/time';
import { bindToStore, newTurn } from '../turn/state';
import { showState, turnView } from '../turn/publish-turn-state';
import { ParentReporter } from '../sub-agents/report-to-parent';

export async function call(input: CallInput): Promise<DirectCallView> {
  const asTurn: TurnInput = { ...input, agent: input.agent ?? '', message: '', session_id: null, parent_head: null };
  const data = restoreState(input.resume) ?? newTurn(asTurn, now());
  const { workflowId: workflow_id, firstExecutionRunId: first_execution_run_id } = workflowInfo();
  const { turn_id, requester, trace_id } = input;
  const storeFields = data.store_id === undefined ? {} : { store_id: data.store_id };
  const { agent } = asTurn;
  const turn: TurnContext = {
    turn_id,
    workflow_id,
    first_execution_run_id,
    agent,
    requester,
    session_id: null,
    trace_id,
    ...storeFields,
  };
  const context: Dispatch = { ...dispatchContext(turn, data, { resumes: input.resume !== undefined }), options: input.options };
  const { questions } = context;
  let envelope: Envelope | null = null;
  const view = () => ({ ...turnView({ ...asTurn, agent: turn.agent }, data, context), envelope });
  setHandler(defineQuery<DirectCallView>(STATUS_QUERY), view, { description: 'The state of this call.' });
  answerCards(data, questions);
  handleDecisions(context, null);
  new ParentReporter(turn, data, questions);

  const another: StartNextRun = (apart) =>
    continueAsNew<CallWorkflow>({ ...input, input_json: '', agent: turn.agent, resume: resumable(data, apart) });
  const ending = await runUntilFull(context, () => runOne(input, context), another).catch((error: unknown) =>
    endingOf(error, data),
  );
  return conclude(context, ending, view, { take: (result) => (envelope = result.envelope ?? null) });
}

async function runOne(
  { agent, tool, input_json, attestation, resume: carriedState }: CallInput,
  context: Dispatch,
): Promise<Ending> {
  const { turn, data, questions, inFlight } = context;
  if (carriedState !== undefined) {
    await resume(context, carriedState);
    return endOf(data.outcomes[0]!);
  }
  const signature = attestation === undefined ? {} : { attestation };
  const result = await inFlight.during(() => admitDirect({ turn, at: now(), tool, input_json, ...signature }));
  bindToStore(turn, data, result.store_id);
  data.step = 1;
  data.head = result.head;
  data.policy = result.policy;
  if (agent === null && result.agent !== '') {
    turn.agent = result.agent;
    upsertSearchAttributes([keyword('agent', result.agent)]);
  }
  showState(data, questions);
  await dispatch(context, [result.call]);
  return endOf(data.outcomes[0]!);
}

/** The workflow ends as its only call ended. */
function endOf({ state, tool, error }: CallOutcome): Ending {
  if (state === 'succeeded') return { state: 'completed', reason: null, hasEndBlock: false };
  const byRule = state === 'rejected' && error?.code === 'PERMISSION_DENIED';
  const isRefusal = state === 'denied' || state === 'expired' || byRule;
  const reason = error ? `${error.code} ${error.reason}: ${error.message}` : `${tool} ended ${state}`;
  return { state: isRefusal ? 'refused' : 'failed', reason, hasEndBlock: false };
}

type CallWorkflow = typeof call;
