/** Finds the turns that belong to an exported turn, call or session. */
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { workflowExists } from '../../temporal/executions';
import { sessionSeries, sessionTurnId, sessionWorkflowId, workflowId } from '../../shared/ids';
import { visibilityText } from '../../shared/text/visible';
import { TURN_WORKFLOW } from '../../workflows/contract';
import type { BundleBody } from '../format/lines';
import { Planner, type PlannedTurn, type Sources } from './plan';

export type Subject = BundleBody['subject'];

/** There is no such turn, call or session, or nothing is left of it. */
export class SubjectNotFound extends Error {
  override readonly name = 'SubjectNotFound';
}

/** The session exists, but has no turn. */
export class SubjectEmpty extends Error {
  override readonly name = 'SubjectEmpty';
}

/** @throws SubjectNotFound, SubjectEmpty */
export async function planOf(sources: Sources, subject: Subject): Promise<PlannedTurn[]> {
  const planner = new Planner(sources);
  const turns = subject.kind === 'session' ? await sessionOf(sources, planner, subject.id) : await planner.turn(subject.id);
  if (turns.length > 0) return turns;
  const nothing = `There is nothing to export of ${subject.kind} ${subject.id}.`;
  if (subject.kind === 'session' && (await workflowExists(sources.temporal, sessionWorkflowId(subject.id))))
    throw new SubjectEmpty(nothing);
  throw new SubjectNotFound(nothing);
}

async function sessionOf({ temporal }: Sources, planner: Planner, id: string): Promise<PlannedTurn[]> {
  const turns: PlannedTurn[] = [];
  for (const [series, last] of await lastTurns(temporal, id)) {
    for (let number = 1; number <= last; number++) {
      const turnId = sessionTurnId(id, number, series);
      const plans = await planner.turn(turnId);
      turns.push(...(plans.length > 0 ? plans : [planner.unknown(turnId)]));
    }
  }
  return turns;
}

/** The number of the newest turn that Temporal knows, for each series of the session, oldest first. The list may lag behind. */
async function lastTurns(temporal: Client, id: string): Promise<Map<string, number>> {
  const lives: { series: string; number: number; at: number }[] = [];
  const query = `WorkflowType = '${TURN_WORKFLOW}' AND HoldfastSession = ${visibilityText(id)}`;
  for await (const { workflowId: listedId, startTime } of temporal.workflow.list({ query })) {
    const [, digits, series = ''] =
      /^([1-9][0-9]{0,14})(?:-([0-9a-f]{8}))?$/.exec(listedId.slice(workflowId(`${id}.`).length)) ?? [];
    const number = Number(digits);
    if (digits && listedId === workflowId(sessionTurnId(id, number, series)))
      lives.push({ series, number, at: startTime.getTime() });
  }
  const last = new Map([['', 0]]);
  for (const { series, number } of lives.sort((a, b) => a.at - b.at)) last.set(series, Math.max(last.get(series) ?? 0, number));
  const now = await seriesOfNow(temporal, id);
  if (now !== null && !last.has(now)) last.set(now, 0);
  for (const series of last.keys()) {
    const next = () => (last.get(series) ?? 0) + 1;
    while (await workflowExists(temporal, workflowId(sessionTurnId(id, next(), series)))) last.set(series, next());
  }
  return last;
}

/** The series of the session that has the id at present; null: there is none. */
async function seriesOfNow(temporal: Client, id: string): Promise<string | null> {
  try {
    const { raw } = await temporal.workflow.getHandle(sessionWorkflowId(id)).describe();
    return sessionSeries(raw.workflowExecutionInfo?.firstRunId ?? '');
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

/** The name of a subject in the chain of an agent's bundles: the id of its workflow. */
export function subjectName({ kind, id }: Subject): string {
  if (kind === 'session') return sessionWorkflowId(id);
  return workflowId(id);
}
