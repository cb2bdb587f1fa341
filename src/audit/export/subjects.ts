/** Which turns belong to what is exported. */
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { sessionTurnId, sessionWorkflowId, workflowId } from '../../shared/ids';
import { visibilityText } from '../../shared/visibility-text';
import { TURN_WORKFLOW } from '../../workflows/contract';
import type { BundleBody } from '../format/lines';
import { Planner, type PlannedTurn, type Sources } from './plan';

export type Subject = BundleBody['subject'];

/** There is no such turn, call or session, or nothing is left of it. */
export class SubjectNotFound extends Error {
  override readonly name = 'SubjectNotFound';
}

/** @throws SubjectNotFound */
export async function planOf(sources: Sources, subject: Subject): Promise<PlannedTurn[]> {
  const planner = new Planner(sources);
  const turns = subject.kind === 'session' ? await sessionOf(sources, planner, subject.id) : await planner.turn(subject.id);
  if (turns.length === 0) throw new SubjectNotFound(`There is nothing to export of ${subject.kind} ${subject.id}.`);
  return turns;
}

async function sessionOf({ temporal }: Sources, planner: Planner, id: string): Promise<PlannedTurn[]> {
  const last = await lastTurn(temporal, id);
  const turns: PlannedTurn[] = [];
  for (let number = 1; number <= last; number++) {
    const turnId = sessionTurnId(id, number);
    const found = await planner.turn(turnId);
    turns.push(...(found.length > 0 ? found : [planner.unknown(turnId)]));
  }
  return turns;
}

/** The number of the newest turn that Temporal knows, 0: none. What is listed may lag behind. */
async function lastTurn(temporal: Client, id: string): Promise<number> {
  let last = 0;
  const query = `WorkflowType = '${TURN_WORKFLOW}' AND HoldfastSession = ${visibilityText(id)}`;
  for await (const { workflowId: listed } of temporal.workflow.list({ query })) {
    const number = Number(listed.slice(workflowId(`${id}.`).length));
    if (Number.isSafeInteger(number) && listed === workflowId(`${id}.${number}`)) last = Math.max(last, number);
  }
  while (await isThere(temporal, workflowId(sessionTurnId(id, last + 1)))) last += 1;
  return last;
}

async function isThere(temporal: Client, workflow: string): Promise<boolean> {
  try {
    await temporal.workflow.getHandle(workflow).describe();
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

/** For the chain of an agent's bundles: a workflow's id, which names a subject in one word. */
export function subjectName({ kind, id }: Subject): string {
  if (kind === 'session') return sessionWorkflowId(id);
  return workflowId(id);
}
