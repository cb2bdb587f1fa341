/**
 * What waits for a person, as interrupts of AG-UI, and their answers as decisions. An interrupt's id is the digest, so that an
 * answer is for exactly one call, as every decision is.
 */
import { z } from 'zod';
import type { Question } from '../../shapes/turn-view';
import type { Card } from '../../shapes/card';
import { json, jsonObject } from '../../shapes/envelope';
import { Refusal } from '../../gateway/http/errors';
import { jsonSchema } from '../../gateway/schemas/common';
import type { JsonObject } from '../../shared/json/json';
import { optional } from '../../shared/json/optional';
import type { Interrupt, ResumeEntry } from './sdk';

/** Limit for the cards of one run's interrupts, characters. A card that does not fit is shown by `GET /v1/turns/:id`. */
const MOST_CARDS = 2_000_000;

const note = z.string().max(4000).optional().describe('Of a denial the model reads it.');
const ANSWERS = {
  approval: z.strictObject({
    approved: z.boolean(),
    editedArgs: jsonObject.optional().describe('The whole input that the call should have instead; it is asked about anew.'),
    note,
  }),
  in_doubt: z.strictObject({ outcome: z.enum(['applied', 'not_applied']), note }),
  question: z.strictObject({ value: json, note }),
};
/** The first and the last are the protocol's own. */
const REASONS = { approval: 'tool_call', in_doubt: 'holdfast:in_doubt', question: 'input_required' };
const EXAMPLES = { approval: '{"approved": true}', in_doubt: '{"outcome": "applied"}', question: '{"value": "…"}' };

/** @param turnId the turn that is followed: calls of sub-agents have another one */
export function interruptsOf(turnId: string, questions: readonly Question[]): Interrupt[] {
  let room = MOST_CARDS;
  return questions.map(({ card, digest, id, of }) => {
    const fits = (room -= JSON.stringify(card).length) >= 0;
    const { kind } = card;
    return {
      id: digest,
      reason: of === undefined ? REASONS[kind] : `holdfast:${kind}`,
      message: promptOf(card),
      ...(of === undefined ? { toolCallId: toolCallId(turnId, id) } : {}),
      responseSchema: kind === 'question' ? answerSchema(card) : jsonSchema(ANSWERS[kind]),
      ...optional({ expiresAt: card.expires_at ?? undefined }),
      metadata: { holdfast: { kind, turn_id: of?.turn_id ?? turnId, card: fits ? card : null } },
    };
  });
}

function promptOf({ kind, tool, reason = '', question = '' }: Card): string {
  if (kind === 'question') return question;
  return kind === 'approval' ? `May ${tool} run? ${reason}`.trim() : `Did ${tool} take effect? Nobody knows.`;
}

/** Of a question of the model: its own schema for the value. */
function answerSchema({ choices, schema }: Card): object {
  const value = choices !== undefined ? { enum: choices } : (schema ?? { type: 'string' });
  return { type: 'object', properties: { value, note: { type: 'string' } }, required: ['value'], additionalProperties: false };
}

export function toolCallId(turnId: string, call: string): string {
  return `${turnId}/${call}`;
}

/**
 * The body of the decision that an answer means.
 * @param kind of the call that waits; null: it waits no more, and the answer may have been given before
 * @throws Refusal 400 for an answer that does not fit its interrupt
 */
export function decisionOf({ interruptId, payload }: ResumeEntry, kind: keyof typeof ANSWERS | null): JsonObject {
  const shapes = kind === null ? Object.values(ANSWERS) : [ANSWERS[kind]];
  for (const shape of shapes) {
    const read = shape.safeParse(payload);
    if (read.success) return bodyOf(interruptId, read.data);
  }
  const example = EXAMPLES[kind ?? 'approval'];
  const message = `The payload for the interrupt ${interruptId.slice(0, 70)} does not fit its responseSchema; it looks like ${example}.`;
  throw new Refusal({ code: 'INVALID_PARAMS', reason: 'bad_answer', message });
}

type Answer = z.infer<(typeof ANSWERS)[keyof typeof ANSWERS]>;

function bodyOf(call: string, answer: Answer): JsonObject {
  const common = { call, ...optional({ note: answer.note }) };
  if ('value' in answer) return { ...common, decision: 'answer', value: answer.value };
  if ('outcome' in answer) return { ...common, decision: 'settle', outcome: answer.outcome };
  if (!answer.approved) return { ...common, decision: 'deny' };
  return { ...common, decision: 'approve', ...optional({ input: answer.editedArgs as JsonObject | undefined }) };
}
