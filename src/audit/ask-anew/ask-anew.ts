/**
 * Asks a recorded turn anew, with another model or another prompt. No tool runs: each call is answered from the record, and where
 * the new turn leaves the record it ends. Nothing is stored.
 */
import { isJsonObject, type JsonObject } from '../../shared/json/json';
import { text } from '../../record/fields';
import { optional } from '../../shared/json/optional';
import type { ModelMessage, ModelResponse } from '../../model/provider';
import type { CaseFile, TurnCase } from '../case-file/types';
import { RecordedAnswers, type RecordedAnswer } from './recorded-answers';
import { withRecordedFiles } from './recorded-files';
import { recordedQuestion, type RecordedQuestion } from './recorded-question';
import {
  CannotAskError,
  type AnewCall,
  type AnewEnd,
  type AnewLimits,
  type AskedAnew,
  type AskedModel,
  type TurnSide,
} from './types';

export interface Anew {
  /** Whose turn: the first of this agent. Default: the first turn of the bundle. */
  agent?: string;
  /** Instead of the whole recorded prompt. */
  prompt?: string;
  limits?: AnewLimits;
}

/** @throws CannotAskError */
export function turnToAsk({ turns }: CaseFile, agent?: string): TurnCase {
  const turn = turns.find((one) => agent === undefined || one.agent === agent);
  if (turn) return turn;
  const names = [...new Set(turns.map((one) => one.agent))].join(', ') || 'none';
  throw new CannotAskError(
    agent === undefined
      ? 'The bundle has no turn.'
      : `The bundle has no turn of agent ${JSON.stringify(agent)}; it has: ${names}.`,
  );
}

/** @throws CannotAskError; the failure of the model */
export async function askAnew(file: CaseFile, model: AskedModel, anew: Anew): Promise<AskedAnew> {
  const turn = turnToAsk(file, anew.agent);
  const question = recordedQuestion(file, turn);
  return new NewTurn(turn, question, model, anew).run();
}

class NewTurn {
  private readonly answers: RecordedAnswers;
  private readonly messages: ModelMessage[];
  private readonly calls: AnewCall[] = [];
  private readonly now: TurnSide;

  constructor(
    private readonly turn: TurnCase,
    private readonly question: RecordedQuestion,
    private readonly model: AskedModel,
    private readonly anew: Anew,
  ) {
    this.answers = new RecordedAnswers(turn);
    this.messages = [...question.messages];
    this.now = { model: model.name, steps: 0, costUsd: 0, inputTokens: 0, outputTokens: 0, answer: null };
  }

  async run(): Promise<AskedAnew> {
    const end = await this.steps();
    const { turn, anew, question, calls, now } = this;
    const answerIds = calls.map(({ answeredBy }) => answeredBy?.callId);
    const notMade = this.answers.notGiven();
    const recordedAnswer = this.answers.turnResult ?? turn.answer;
    // Calls of one step run together, so that their order means nothing.
    const sameOrder = inOrder(answerIds);
    return {
      turnId: turn.turnId,
      agent: turn.agent,
      otherPrompt: anew.prompt !== undefined && anew.prompt !== question.prompt,
      was: {
        model: turn.model ?? question.model,
        steps: turn.steps.filter(({ takenBack }) => !takenBack).length,
        costUsd: turn.usage.unpricedTokens > 0 ? null : turn.usage.costUsd,
        inputTokens: turn.usage.inputTokens,
        outputTokens: turn.usage.outputTokens,
        answer: recordedAnswer,
        state: turn.state,
      },
      now: { ...now, end },
      calls,
      notMade,
      sameOrder,
      differs: end.how !== 'answered' || notMade.length > 0 || !sameOrder,
      sameAnswer: recordedAnswer === now.answer,
      notes: question.notes,
    };
  }

  private async steps(): Promise<AnewEnd> {
    const { question, anew, model } = this;
    const { maxUsd } = anew.limits ?? {};
    for (let step = 1; ; step++) {
      if (step > question.mostSteps) return { how: 'limit', reason: `the agent's limit of ${question.mostSteps} steps` };
      if (maxUsd !== undefined && (this.now.costUsd ?? 0) >= maxUsd)
        return { how: 'limit', reason: `the limit of $${maxUsd} ($${(this.now.costUsd ?? 0).toFixed(4)} used)` };
      const { prompt, maxTokens, options, thinking, vendor, resultTool } = question;
      const request = {
        system: anew.prompt ?? prompt,
        messages: withRecordedFiles(this.messages, this.turn.files),
        maxTokens,
        options,
        ...optional({ thinking, resultTool }),
      };
      const { response, costUsd } = await model.ask({ ...request, tools: question.toolsAt(step) }, vendor);
      this.count(response, costUsd);
      this.now.answer = joinTexts(response.content);
      if (STOP_REASONS.has(response.stopReason))
        return { how: 'stopped', reason: `the model stopped with ${response.stopReason} in step ${step}` };
      const uses = usesIn(response);
      if (uses.length === 0) return { how: 'answered' };
      const exit = this.answer(step, uses, response);
      if (exit !== null) return exit;
    }
  }

  private count({ usage }: ModelResponse, costUsd: number | null): void {
    const { now } = this;
    now.steps += 1;
    now.costUsd = costUsd === null || now.costUsd === null ? null : now.costUsd + costUsd;
    now.inputTokens += usage.input_tokens;
    now.outputTokens += usage.output_tokens;
  }

  /** Adds the answers of a step's calls to the conversation. @returns how the turn ends with this step; null: it goes on */
  private answer(step: number, uses: readonly Use[], response: ModelResponse): AnewEnd | null {
    const found = this.answers.answer(uses);
    const calls = uses.map((use, index) => callOf(`${step}.${index + 1}`, use, found[index]!));
    this.calls.push(...calls);
    const stray = calls.find(({ reason }) => reason !== null);
    if (stray) return { how: 'left_record', call: stray.callId, reason: stray.reason! };
    const last = found.find((one) => one.recorded !== null && one.result === null);
    if (last) {
      this.now.answer = last.recorded!.input;
      return { how: 'answered' };
    }
    const results = found.map((one, index): JsonObject => ({
      ...('result' in one ? one.result : {}),
      tool_use_id: uses[index]!.id,
    }));
    const { content, raw } = response;
    this.messages.push({ role: 'assistant', content, origin: { provider: this.model.provider, ...optional({ raw }) } });
    this.messages.push({ role: 'user', content: [...results, ...this.question.saidAfter(step)] });
    return null;
  }
}

/** Ends without an answer: the last call may not be whole. */
const STOP_REASONS: ReadonlySet<string> = new Set(['max_tokens', 'model_context_window_exceeded', 'refusal', 'pause_turn']);

interface Use {
  id: string;
  tool: string;
  json: string;
}

function usesIn({ content, rawToolInputs }: ModelResponse): Use[] {
  const raw = new Map(rawToolInputs.map(({ block, json }) => [block, json]));
  return content.flatMap((block, position) => {
    if (block.type !== 'tool_use') return [];
    const json = raw.get(position) ?? JSON.stringify(isJsonObject(block.input ?? null) ? block.input : {});
    return [{ id: text(block.id), tool: text(block.name), json }];
  });
}

function callOf(callId: string, { tool, json }: Use, answer: RecordedAnswer): AnewCall {
  if (answer.recorded !== null) return { callId, tool, input: json, answeredBy: answer.recorded, reason: null, nearest: null };
  return { callId, tool, input: json, answeredBy: null, reason: answer.reason, nearest: answer.nearest };
}

function joinTexts(content: readonly JsonObject[]): string | null {
  return content.flatMap(({ type, text: words }) => (type === 'text' ? [text(words)] : [])).join('\n') || null;
}

/** Whether the steps of these calls never go back. */
function inOrder(ids: readonly (string | undefined)[]): boolean {
  const steps = ids.flatMap((id) => (id === undefined ? [] : [Number.parseInt(id, 10)]));
  return steps.every((step, index) => index === 0 || step >= steps[index - 1]!);
}
