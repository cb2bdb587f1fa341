import type { CallArguments, CallOutcome, TurnContext } from '../shared/activity-io';
import type { Json, JsonObject } from '../shared/json';

/** Whose a turn is: in the blocks that the trail is made of (src/store/trail.ts), so that each says it by itself. */
export function turnSubject({ turn_id, workflow_id, agent, requester }: TurnContext): JsonObject {
  return { turn_id, workflow_id, agent, requester };
}

/** Which call a block is about. */
export function callSubject(
  turn: TurnContext,
  call: Pick<CallArguments, 'id' | 'tool' | 'version' | 'class' | 'revision'>,
): JsonObject {
  const { id, tool, version, revision } = call;
  return { ...turnSubject(turn), call_id: id, revision, tool, version, class: call.class };
}

/** Bodies of the decision blocks of a call, in order: what was said on its earlier revisions first. */
export function decisionBodies(
  turn: TurnContext,
  call: Pick<CallArguments, 'id' | 'tool' | 'version' | 'class' | 'revision' | 'earlier'>,
  decisions: NonNullable<CallOutcome['approvals']>,
): Json[] {
  const before = (call.earlier ?? []).map(({ revision, ...said }) => ({
    ...said,
    subject: callSubject(turn, { ...call, revision }),
  }));
  const now = decisions.map((said) => ({ ...said, subject: callSubject(turn, call) }));
  return [...before, ...now];
}
