/** Builds the subject of a block: the turn and the call that it is about. Each block of the trail names its own subject. */
import type { CallArguments, TurnContext } from '../shared/io/activities';

export interface TurnSubject {
  turn_id: string;
  workflow_id: string;
  agent: string;
  requester: string;
}

export interface CallSubject extends TurnSubject {
  /** `<step>.<index>`. */
  call_id: string;
  revision: number;
  tool: string;
  version: string;
  class: string;
}

/** The fields of a call that its subject needs. */
export type NamedForSubject = Pick<CallArguments, 'id' | 'tool' | 'version' | 'class' | 'revision'>;

export function turnSubject({ turn_id, workflow_id, agent, requester }: TurnContext): TurnSubject {
  return { turn_id, workflow_id, agent, requester };
}

export function callSubject(turn: TurnContext, call: NamedForSubject): CallSubject {
  const { id, tool, version, revision } = call;
  return { ...turnSubject(turn), call_id: id, revision, tool, version, class: call.class };
}
