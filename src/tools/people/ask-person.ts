/**
 * `askPerson`: the tool `ask_person`, with which a model asks a person. A call of it waits for the answer without a running activity,
 * as a call waits for approval. What the person answers is the call's result: information for the model, and no approval.
 */
import { z } from 'zod';
import {
  ASK_PERSON,
  badRole,
  LONGEST_CHOICE,
  LONGEST_QUESTION,
  MOST_ADDRESSEES,
  MOST_CHOICES,
  ROLE_PREFIX,
  type PersonQuestionInput,
} from '../../shared/approval/person-question';
import { durationMs } from '../../shared/turn/turn-states';
import { unknownFields, type JsonObject } from '../../shared/json/json';
import { defineBuiltIn } from '../define/define';
import { ToolError } from '../define/errors';
import type { CheckFault, Tool } from '../define/tool';
import { answerSchemaFault } from './answer-schema';

export interface AskPersonOptions {
  /** How long a question waits if the model does not say it, ms. Default 24 h. */
  expiresMs?: number;
  /** The longest time that the model may ask for, ms. Default 7 days, or `expiresMs` if that is longer. */
  longestMs?: number;
}

const DEFAULT_MS = 24 * 3_600_000;
const DEFAULT_LONGEST_MS = 7 * 24 * 3_600_000;
/** A year: Temporal's timers are exact far beyond it. */
const MOST_MS = 365 * 24 * 3_600_000;

/**
 * Makes the tool `ask_person`, for `defineAgent({ tools: […] })`.
 * @throws Error that lists every fault
 * @example
 * defineAgent({ name: 'payables', prompt: 'Ask when the due date is missing.', tools: [payInvoice, askPerson()] });
 */
export function askPerson(options: AskPersonOptions = {}): Tool {
  const { expiresMs = DEFAULT_MS, longestMs = Math.max(DEFAULT_LONGEST_MS, expiresMs) } = options;
  const faults = [
    ...unknownFields(options, ['expiresMs', 'longestMs']),
    ...Object.entries({ expiresMs, longestMs })
      .filter(([, ms]) => !(Number.isSafeInteger(ms) && ms >= 1 && ms <= MOST_MS))
      .map(([name, ms]) => `${name} is ${ms}; it must be an integer from 1 to ${MOST_MS}`),
    ...(expiresMs > longestMs ? [`expiresMs is ${expiresMs}, and longestMs is only ${longestMs}`] : []),
  ];
  if (faults.length > 0) throw new Error(`askPerson: ${faults.join('; ')}`);
  const waitMs = ({ expires }: Pick<PersonQuestionInput, 'expires'>) => (expires === undefined ? expiresMs : durationMs(expires));
  const tool = defineBuiltIn({
    name: ASK_PERSON,
    version: '1.0.0',
    class: 'read',
    description: {
      does: 'Asks a person a question, and waits for the answer.',
      returns:
        '{answer, by}, and the note that the person wrote beside it: answer is a text, one of the choices, or fits the schema.',
      useWhen: 'a fact or a choice is missing that only a person can give.',
      dontUseFor: 'approval of a call: calls that need it are put to people by themselves, and an answer approves nothing.',
      example: '{"question": "Which account shall pay the rent?", "choices": ["operations", "reserve"]}',
    },
    input: INPUT,
    maxInlineBytes: 40_000,
    summarize: (data) => summary(data),
    check: (input) => questionFault(input as PersonQuestionInput, waitMs, longestMs),
    run: answeredByPerson,
  });
  return Object.freeze({ ...tool, question: { waitMs: (input: JsonObject) => waitMs(input) ?? expiresMs } });
}

const INPUT = z.object({
  question: z
    .string()
    .min(1)
    .max(LONGEST_QUESTION)
    .describe('All that the person needs to know to answer: nothing else of this conversation is shown.'),
  choices: z
    .array(z.string().min(1).max(LONGEST_CHOICE))
    .min(1)
    .max(MOST_CHOICES)
    .optional()
    .describe('The answer is one of these. Not together with schema.'),
  schema: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('A small JSON Schema that the answer fits, without $ref. Without choices and schema the answer is a text.'),
  to: z
    .array(z.string().min(1).max(LONGEST_CHOICE))
    .min(1)
    .max(MOST_ADDRESSEES)
    .optional()
    .describe('Who may answer: names of people, and roles as "role:treasurer". Leave it out if anybody may.'),
  expires: z
    .union([z.number().int().min(1), z.string().max(20)])
    .optional()
    .describe('How long to wait: ms, or a text such as "30m", "2h" or "1d".'),
});

/** What the schema of the input cannot say. */
function questionFault(
  { question, choices, schema, to, expires }: PersonQuestionInput,
  waitMs: (input: { expires?: number | string }) => number | null,
  longestMs: number,
): CheckFault | undefined {
  const fault = (reason: string, message: string): CheckFault => ({ reason, message });
  if (question.trim() === '') return fault('empty_question', 'question is empty.');
  if (choices !== undefined && schema !== undefined) return fault('choices_and_schema', 'Give choices or schema, not both.');
  for (const [name, list] of Object.entries({ choices, to }))
    if (list?.some((text) => text.trim() === '') || new Set(list).size !== (list?.length ?? 0))
      return fault(`bad_${name}`, `${name} must be different texts, none of them blank.`);
  const noRole = badRole(to ?? []);
  if (noRole !== undefined) return fault('bad_to', `to has ${JSON.stringify(noRole)}; a role is "${ROLE_PREFIX}" and its name.`);
  const unusable = schema === undefined ? null : answerSchemaFault(schema);
  if (unusable !== null) return fault('bad_schema', `schema cannot be used: ${unusable}.`);
  const ms = waitMs(expires === undefined ? {} : { expires });
  if (ms === null)
    return fault('bad_expires', `expires is ${JSON.stringify(expires)}; give ms, or a text such as "30m", "2h" or "1d".`);
  return ms > longestMs
    ? fault('expires_too_late', `expires is ${ms} ms; questions here wait ${longestMs} ms at most.`)
    : undefined;
}

function summary(data: unknown): string {
  const { answer, by } = data as { answer: unknown; by: string };
  return `${by} answered ${typeof answer === 'string' ? answer : JSON.stringify(answer)}`;
}

function answeredByPerson(): never {
  throw new ToolError('EXECUTION_ERROR', 'not_a_function', 'A person answers this call.');
}
