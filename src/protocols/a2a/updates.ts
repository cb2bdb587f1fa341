/** The stream of an A2A task: the task as it stands, the text of its answer as it comes, and each change of its status. */
import type { TurnHandle } from '../../client/turns/turn-handle';
import { followTurn, type TurnProgress, type FollowOptions } from '../turns/follow-turn';
import { StepText } from '../turns/step-text';
import { sdk, type Artifact, type StreamResponse } from './sdk';
import { answer, artifactsOf, contextOf, standingOf, statusOf } from './task';

/** @throws TurnNotFound, NoWorker */
export async function* taskUpdates(turn: TurnHandle, options: FollowOptions): AsyncGenerator<StreamResponse> {
  const updates = new Updates(turn.id);
  for await (const progress of followTurn(turn, options)) yield* updates.of(progress);
}

class Updates {
  private readonly text = new StepText();
  private isWorking = false;

  constructor(private readonly turnId: string) {}

  of(progress: TurnProgress): StreamResponse[] {
    if ('rest' in progress) {
      this.isWorking = false;
      const standing = standingOf(progress.rest);
      // The whole answer, once: pieces may have been lost, and a reader that came late has none.
      const whole = progress.rest.hasEnded ? artifactsOf(standing) : [];
      return [...whole.map((one) => this.artifact(one, { append: false, last: true })), this.status(statusOf(standing))];
    }
    const { event } = progress.event;
    switch (event.type) {
      case 'text_delta': {
        const isFirst = this.text.open !== event.step;
        const piece = this.text.piece(event);
        return piece === null ? [] : [this.artifact(answer(piece), { append: !isFirst, last: false })];
      }
      case 'step_completed':
        this.text.complete(event.step, event.text);
        return [];
      case 'step_started':
      case 'approval_decided':
      case 'question_answered':
        return this.working();
      default:
        return [];
    }
  }

  private working(): StreamResponse[] {
    if (this.isWorking) return [];
    this.isWorking = true;
    const state = sdk.types().TaskState.TASK_STATE_WORKING;
    return [this.status({ state, message: undefined, timestamp: new Date().toISOString() })];
  }

  private status(status: ReturnType<typeof statusOf>): StreamResponse {
    const { turnId: taskId } = this;
    return { payload: { $case: 'statusUpdate', value: { taskId, contextId: contextOf(taskId), status, metadata: undefined } } };
  }

  private artifact(artifact: Artifact, { append, last }: { append: boolean; last: boolean }): StreamResponse {
    const { turnId: taskId } = this;
    const value = { taskId, contextId: contextOf(taskId), artifact, append, lastChunk: last, metadata: undefined };
    return { payload: { $case: 'artifactUpdate', value } };
  }
}
