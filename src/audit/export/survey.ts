/**
 * Surveys a turn before its export: the runs and heads that its history names, its references, and how it ended. A survey is no
 * larger than a list of names, so a turn of any size can be surveyed. The lines are read again when they are written.
 */
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { idempotencyKey } from '../../shared/json/digests';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { TURN_WORKFLOW } from '../../workflows/contract';
import type { RunBody } from '../format/lines';
import { readHistory } from '../../temporal/history/read-history';
import { object, text } from '../../record/fields';
import { readFact, type EventFact } from '../../record/history';
import { eventJson, valuesOf } from './event-json';
import { ownText } from './own-text';
import { collect, noReferences, type References } from './references';
import type { StartedIn } from './session-events';
import { isHash } from '../../shared/json/sha256';

export interface SurveyedRun extends RunBody {
  /** The last event at the time of the survey; later events are not in this bundle. */
  last_event: string;
}

export interface Survey extends References {
  workflow_id: string;
  first_execution_run_id: string;
  /** Empty: no agent was found that has the tool of a direct call. */
  agent: string;
  requester: string;
  /** For a sub-agent's turn: the workflow and the call that it answers. */
  parent: { workflow_id: string; first_execution_run_id: string; call_id: string } | null;
  /** For a turn that a session started. */
  session: StartedIn | null;
  runs: SurveyedRun[];
  /** By run, in the order of events, each once. */
  heads: string[][];
  /** The head that was named last. */
  head: string | null;
  /** Idempotency keys of the destructive calls that were scheduled. */
  keys: Set<string>;
  /** Calls by the workflow id of the sub-agent's turn that answers them, in the order of their starts. */
  children: Map<string, string>;
  /** Why the turn is incomplete, one sentence each. */
  faults: string[];
}

/** Activities whose result has the head of another turn. */
const OF_OTHERS = new Set(['lookAtSubTurn', 'lookAtTurn', 'checkFork']);

/** @returns null: Temporal does not know the workflow */
export async function survey(temporal: Client, workflowId: string): Promise<Survey | null> {
  const reading = new Reading(workflowId);
  try {
    for await (const { runId, event } of readHistory(temporal, workflowId, { follow: false }))
      reading.take(runId, eventJson(event));
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    if (reading.survey.runs.length === 0) return null;
    reading.survey.faults.push('Temporal no longer has all of its runs.');
  }
  return reading.end();
}

class Reading {
  readonly survey: Survey;
  /** Types of the activities of this run that have not ended, by the id of the event that scheduled them. */
  private types = new Map<string, string>();
  private readonly heads = new Set<string>();
  private endFault: string | null = null;

  constructor(workflowId: string) {
    this.survey = {
      workflow_id: workflowId,
      first_execution_run_id: '',
      agent: '',
      requester: '',
      parent: null,
      session: null,
      runs: [],
      heads: [],
      head: null,
      keys: new Set(),
      children: new Map(),
      faults: [],
      ...noReferences(),
    };
  }

  take(runId: string, event: JsonObject): void {
    const fact = readFact(event);
    if (this.survey.runs.at(-1)?.run_id !== runId) this.begin(runId, fact);
    this.survey.runs.at(-1)!.last_event = String(event.eventId);
    this.endFault = endOf(fact);
    if (fact?.kind === 'activity_scheduled') this.schedule(fact);
    if (fact?.kind === 'activity_completed') this.complete(fact);
    if (fact?.kind === 'child_initiated' && fact.workflow_type === TURN_WORKFLOW)
      this.survey.children.set(fact.workflow_id, calledBy(fact));
  }

  end(): Survey {
    if (this.endFault !== null) this.survey.faults.push(this.endFault);
    return this.survey;
  }

  private begin(runId: string, fact: Fact | null): void {
    const start = fact?.kind === 'run_started' ? fact : null;
    const { survey } = this;
    if (survey.runs.length === 0) this.identify(runId, start);
    const original = start?.original_run ?? runId;
    const began = original !== runId ? 'reset' : start?.continued_run ? 'continued' : 'start';
    if (survey.runs.length === 0 && began !== 'start') survey.faults.push('Temporal no longer has its first run.');
    survey.runs.push({ run_id: runId, began, last_event: '0' });
    survey.heads.push([]);
    this.types = new Map();
  }

  private identify(runId: string, start: FactOf<'run_started'> | null): void {
    const [input] = valuesOf(start?.input ?? []);
    this.survey.first_execution_run_id = start?.first_run || runId;
    if (!isJsonObject(input)) return;
    const { agent, requester, parent, session_workflow_id: session } = input;
    this.survey.requester = text(requester);
    this.survey.agent = text(agent);
    if (typeof session === 'string' && start?.parent?.workflow_id === session)
      this.survey.session = { workflow_id: ownText(session), run_id: ownText(start.parent.run_id) };
    if (!isJsonObject(parent)) return;
    const { workflow_id, first_execution_run_id, call_id } = parent;
    this.survey.parent = {
      workflow_id: text(workflow_id),
      first_execution_run_id: text(first_execution_run_id),
      call_id: text(call_id),
    };
  }

  private schedule({ event_id, type, input }: FactOf<'activity_scheduled'>): void {
    this.types.set(event_id, type);
    const values = valuesOf(input);
    collect(values, this.survey);
    const [first] = values;
    if (type === 'runCall' && isJsonObject(first)) this.addEffectKey(first);
  }

  private addEffectKey({ turn, call }: JsonObject): void {
    if (!isJsonObject(turn) || !isJsonObject(call)) return;
    const { id, digest, class: toolClass } = call;
    if (toolClass !== 'destructive') return;
    const { workflow_id, first_execution_run_id } = this.survey;
    const run = { workflow_id: text(turn.workflow_id), first_execution_run_id: text(turn.first_execution_run_id) };
    if (run.workflow_id !== workflow_id || run.first_execution_run_id !== first_execution_run_id) {
      this.survey.faults.push('Its history names a call of another turn, whose effect was left out.');
      return;
    }
    this.survey.keys.add(idempotencyKey({ ...run, call_id: text(id), digest: text(digest) }));
  }

  private complete({ scheduled, result }: FactOf<'activity_completed'>): void {
    const type = this.types.get(scheduled) ?? '';
    this.types.delete(scheduled);
    const values = valuesOf(result);
    collect(values, this.survey);
    if (OF_OTHERS.has(type)) return;
    const [first] = values;
    for (const head of headsIn(first)) {
      this.survey.head = ownText(head);
      if (!this.heads.has(this.survey.head)) this.survey.heads.at(-1)!.push(this.survey.head);
      this.heads.add(this.survey.head);
    }
    if (type === 'admitDirect' && isJsonObject(first)) this.survey.agent = text(first.agent);
  }
}

type Fact = EventFact<Json>;
type FactOf<K extends Fact['kind']> = Extract<Fact, { kind: K }>;

/** The call that a sub-agent's turn answers. */
function calledBy({ input: [input = null] }: FactOf<'child_initiated'>): string {
  return text(object(object(valuesOf([input])[0]).parent).call_id);
}

/** The transcript heads that an activity's result names. */
function headsIn(result: Json | undefined): string[] {
  if (!isJsonObject(result)) return [];
  const { head, outcome, settled, refused } = result;
  const below = [outcome, settled, refused].map((one) => (isJsonObject(one) ? one.head : null));
  return [head, ...below].filter(isHash);
}

/** Why a turn with this last event is incomplete; null: it is complete. */
function endOf(fact: Fact | null): string | null {
  switch (fact?.kind === 'run_ended' ? fact.how : 'continued') {
    case 'completed':
    case 'failed':
    case 'cancelled':
      return null;
    case 'terminated':
      return 'It was terminated from outside, through Temporal.';
    case 'timed_out':
      return 'It was ended by its time limit from outside, through Temporal.';
    case 'continued':
      return 'It was running still when this was exported.';
  }
}
