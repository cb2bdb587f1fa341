/** Tells the parent turn that something changed in a sub-agent's turn (a question, an answer, the end), and answers its query. */
import { CancellationScope, getExternalWorkflowHandle, workflowInfo, defineQuery, setHandler } from '@temporalio/workflow';
import type { TurnContext } from '../../shared/io/activities';
import { travelling, type SubTurnFacts, type SurfacedQuestion } from '../../shared/turn/sub-turn';
import { optional } from '../../shared/json/optional';
import { viewOf } from '../call/call-log';
import { condition } from '../sandbox/condition';
import { SUB_TURN_QUERY, SUB_TURN_SIGNAL } from '../contract';
import type { ApprovalQuestions } from '../approvals/approval-questions';
import { saidOf, type ShownQuestion } from '../approvals/question';
import { spentBy, type TurnData } from '../turn/state';
import { surfacedQuestions } from './sub-turns';
import { cardNow } from '../turn/publish-turn-state';

export class ParentReporter {
  private lastNews: string;

  constructor(
    private readonly turn: TurnContext,
    private readonly data: TurnData,
    private readonly questions: ApprovalQuestions,
  ) {
    setHandler(defineQuery<SubTurnFacts>(SUB_TURN_QUERY), () => this.facts(), {
      description: 'What the turn above this one is told of it.',
    });
    this.lastNews = this.news();
    if (turn.parent) void CancellationScope.nonCancellable(() => this.tell(turn.parent!.workflow_id));
  }

  /** Resolves when the parent turn has been told of the latest change. */
  async waitForReport(): Promise<void> {
    if (this.turn.parent) await CancellationScope.nonCancellable(() => condition(() => this.lastNews === this.news()));
  }

  private async tell(above: string): Promise<never> {
    for (;;) {
      await condition(() => this.lastNews !== this.news());
      const news = this.news();
      // If the parent turn is gone, the signal fails. This turn finds out with its next step.
      await getExternalWorkflowHandle(above)
        .signal(SUB_TURN_SIGNAL, { turn_id: this.turn.turn_id })
        .catch(() => undefined);
      this.lastNews = news;
    }
  }

  /** Changes whenever the parent has to look again. */
  private news(): string {
    const own = this.questions.open().map((question) => `${question.digest} ${saidOf(question).length}`);
    const below = surfacedQuestions(this.data).map(({ call }) => `${call.digest} ${call.approval.decisions.length}`);
    const sleeps = this.data.state === 'sleeping' ? ['sleeps'] : [];
    const awaits = this.data.state === 'awaiting_completion' ? ['awaits'] : [];
    return [...own, ...below, ...sleeps, ...awaits, this.data.ended_at ?? ''].join();
  }

  private facts(): SubTurnFacts {
    const { turn, data } = this;
    const { workflow_id, first_execution_run_id, call_id, digest } = turn.parent ?? {};
    return {
      parent: turn.parent ? ({ workflow_id, first_execution_run_id, call_id, digest } as SubTurnFacts['parent']) : null,
      first_execution_run_id: workflowInfo().firstExecutionRunId,
      agent: turn.agent,
      state: data.state,
      ended: data.ended_at !== null,
      head: data.head,
      text: data.text,
      ...optional({ result: data.result }),
      reason: data.reason,
      spent: spentBy(data),
      ...(data.steered?.by.length ? { said_by: data.steered.by } : {}),
      waiting: travelling([...this.questions.open().map((question) => this.surface(question)), ...surfacedQuestions(data)]),
    };
  }

  private surface(question: ShownQuestion): SurfacedQuestion {
    const { turn_id, workflow_id, first_execution_run_id, store_id, agent } = this.turn;
    const call = viewOf(this.data, question.call_id);
    const { kind, run_id } = question;
    const storeFields = store_id === undefined ? {} : { store_id };
    const where = { turn_id, workflow_id, first_execution_run_id, ...storeFields, run_id, agent };
    return { kind, ...where, head: this.data.head, call, card: cardNow(question) };
  }
}
