/**
 * `holdfast audit what-if --model, --prompt`: asks a recorded turn anew. The model is asked, and paid; no tool runs, and nothing is
 * stored.
 */
import { createReadStream, readFileSync } from 'node:fs';
import { askAnew, askedAnewView, CannotAskError, recordedQuestion, turnToAsk } from '../audit/ask-anew';
import type { AnewCall, AnewEnd, AskedAnew, RecordedRef, TurnSide } from '../audit/ask-anew/types';
import { readCaseFile } from '../audit/case-file';
import { loadConfig } from '../config';
import { isModelFailure } from '../model/provider';
import { errorMessage } from '../shared/text/error-message';
import { optional } from '../shared/json/optional';
import { appOf } from './support/app';
import { openAskedModel } from './support/asked-model';
import { oneLine } from './support/describe';
import { Exit, UsageError } from './support/exit';
import type { Output } from './support/output';

export interface AnewOptions {
  model?: string;
  prompt?: string;
  app?: string;
  maxUsd?: number;
  agent?: string;
}

/** As in `what-if`: 1 if something differs, 3 if it cannot be told. */
const DIFFERS = 1;
const CANNOT_TELL = 3;

export async function auditAskAnew(file: string, options: AnewOptions, output: Output): Promise<void> {
  const { agent, maxUsd } = options;
  const prompt = options.prompt === undefined ? undefined : readPrompt(options.prompt);
  const read = await readCaseFile(createReadStream(file)).catch((error: unknown) => {
    throw new UsageError(errorMessage(error));
  });
  if (read.fault)
    output.note(`The bundle cannot be read beyond line ${read.fault.n}: ${read.fault.reason}. What follows was not looked at.`);
  const config = loadConfig();
  const app = options.app === undefined ? null : await appOf(config, options.app);
  try {
    const turn = turnToAsk(read, agent);
    const question = recordedQuestion(read, turn);
    const model = await openAskedModel(config, app, options.model ?? question.model);
    try {
      const { inputTokens: input, outputTokens: out, costUsd, unpricedTokens } = turn.usage;
      const estimate = model.estimate({ input, output: out });
      if (estimate === null && maxUsd !== undefined)
        throw new UsageError(
          `No price of the model ${model.name} is known, so that --max-usd would not bind: set its prices in the app (docs/models.md), or leave the limit out.`,
        );
      output.note(
        `The recorded turn cost ${dollars(unpricedTokens > 0 ? null : costUsd)}. With ${model.name}, its tokens would cost about ${dollars(estimate)}, without a cache.`,
      );
      const answer = await askAnew(read, model, {
        ...optional({ agent, prompt }),
        limits: optional({ maxUsd }),
      });
      output.answer(askedAnewView(answer), lines(answer));
      if (answer.differs) throw new Exit(DIFFERS);
    } finally {
      await model.close();
    }
  } catch (error) {
    if (error instanceof CannotAskError) {
      output.note(`This turn cannot be asked again. ${error.message}`);
      throw new Exit(CANNOT_TELL);
    }
    if (isModelFailure(error)) throw new UsageError(error.message);
    throw error;
  }
}

function readPrompt(path: string): string {
  try {
    const prompt = readFileSync(path, 'utf8');
    if (prompt.trim() !== '') return prompt;
  } catch (error) {
    throw new UsageError(`${path} holds no prompt: ${errorMessage(error)}`);
  }
  throw new UsageError(`${path} holds no prompt: it is empty.`);
}

function lines(answer: AskedAnew): string[] {
  const { turnId, agent, otherPrompt, was, now, calls, notMade, notes } = answer;
  return [
    `${oneLine(turnId)}  agent ${oneLine(agent)}${otherPrompt ? ', with another prompt' : ''}`,
    ...calls.flatMap(callLines),
    ...notMade.map((call) => `  − ${recordedText(call)}: not made any more`),
    ...(answer.sameOrder ? [] : ['  ≠ the calls were made in another order']),
    ...endLines(now.end),
    ...answerLines(answer),
    `  was: ${sideText(was)}`,
    `  now: ${sideText(now)}`,
    ...notes.map((note) => `  ! ${note}`),
    `${answer.differs ? 'It decided otherwise' : 'It made the same calls'}. No tool was run: answers came from the record, and nothing was stored. Check the bundle itself with \`holdfast audit verify\`.`,
  ];
}

function callLines({ callId, tool, input, answeredBy, reason, nearest }: AnewCall): string[] {
  const call = `${callId}  ${oneLine(tool)} ${oneLine(input, 200)}`;
  if (answeredBy !== null) return [`  = ${call}: answered by ${answeredBy.callId}${stateText(answeredBy)}`];
  return [`  + ${call}: ${oneLine(reason ?? '', 300)}`, ...(nearest ? [`      the record has ${recordedText(nearest)}`] : [])];
}

function recordedText({ callId, tool, input, state }: RecordedRef): string {
  return `${oneLine(callId)}  ${oneLine(tool)} ${oneLine(input, 200)}${state === null ? '' : ` (${oneLine(state)})`}`;
}

function stateText({ state }: RecordedRef): string {
  return state === null ? '' : ` (${oneLine(state)})`;
}

function endLines(end: AnewEnd): string[] {
  if (end.how === 'answered') return [];
  if (end.how === 'left_record') return [`  ≠ it left the record at ${end.call}, and ends there`];
  return [`  ≠ it ended by ${end.how === 'limit' ? end.reason : `itself: ${end.reason}`}`];
}

function answerLines({ sameAnswer, was, now }: AskedAnew): string[] {
  if (now.end.how !== 'answered') return [];
  if (sameAnswer) return ['  = the same answer'];
  return [`  answer was: ${oneLine(was.answer ?? 'none', 400)}`, `  answer now: ${oneLine(now.answer ?? 'none', 400)}`];
}

function sideText({ model, steps, costUsd, inputTokens, outputTokens }: TurnSide): string {
  return `${oneLine(model)}, ${steps} steps, ${inputTokens} tokens in and ${outputTokens} out, ${dollars(costUsd)}`;
}

function dollars(usd: number | null): string {
  return usd === null ? 'an unknown sum' : `$${usd.toFixed(4)}`;
}
