/**
 * Asks the person at an MCP client about a call that waits, by elicitation. Only what can be shown whole is asked about. What
 * he answers counts as a decision of the principal whose client it is.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { cardLines } from '../../client/approvals/cards';
import { DecisionNotAccepted } from '../../client/errors';
import type { TurnHandle } from '../../client/turns/turn-handle';
import type { Ask } from './follow';
import type { ElicitRequestFormParams, RequestId, Server } from './sdk';

export interface Answer {
  decision: 'approve' | 'deny';
  digest: string;
  note?: string;
}

/** In the principal's name. @throws DecisionNotAccepted with the reason */
export type Decide = (turn: TurnHandle, answer: Answer) => Promise<void>;

/** Dialogues do not scroll for ever. */
const MOST_LINES = 120;
const MOST_TEXT = 8_000;
const ANSWER_WITHIN_MS = 10 * 60_000;
const MOST_NOTE = 1000;
/** A card may follow its question after a moment. */
const CARD_TRIES = 10;
const CARD_PAUSE_MS = 200;

export const QUESTION: ElicitRequestFormParams['requestedSchema'] = {
  type: 'object',
  properties: {
    decision: {
      type: 'string',
      title: 'Decision',
      enum: ['approve', 'deny'],
      enumNames: ['Approve: it runs', 'Deny: it does not'],
    },
    note: { type: 'string', title: 'Note', description: 'Of a denial the agent reads it.', maxLength: MOST_NOTE },
  },
  required: ['decision'],
};

/** @param requestId of the call that brought the question up */
export function elicitation(server: Server, requestId: RequestId, decide: Decide): Ask {
  return async (turn, digest, signal) => {
    const card = await shownCard(turn, digest, signal);
    if (card === null) return 'What would happen cannot be shown whole in this client.';
    const answered = await answerOf(server, requestId, card, signal);
    if (typeof answered === 'string') return answered;
    try {
      await decide(turn, { digest, ...answered });
      return null;
    } catch (error) {
      if (error instanceof DecisionNotAccepted) return error.message;
      throw error;
    }
  };
}

async function shownCard(turn: TurnHandle, digest: string, signal: AbortSignal): Promise<string | null> {
  for (let tries = 0; tries < CARD_TRIES; tries++) {
    signal.throwIfAborted();
    const cards = await turn.cards().catch(() => null); // then nobody is asked here
    const card = cards?.get(digest);
    if (card !== undefined) {
      const lines = cardLines(card);
      const text = ['Approve this call?', ...lines, `Digest ${digest}`].join('\n');
      return lines.length > MOST_LINES || text.length > MOST_TEXT ? null : text;
    }
    await sleep(CARD_PAUSE_MS);
  }
  return null;
}

/** Text: why there is no answer. */
async function answerOf(
  server: Server,
  relatedRequestId: RequestId,
  message: string,
  signal: AbortSignal,
): Promise<Omit<Answer, 'digest'> | string> {
  try {
    const options = { relatedRequestId, signal, timeout: ANSWER_WITHIN_MS };
    const { action, content } = await server.elicitInput({ message, requestedSchema: QUESTION }, options);
    if (action === 'decline') return { decision: 'deny' };
    if (action === 'cancel') return 'The person at this client did not decide.';
    const { decision, note } = content ?? {};
    if (decision !== 'approve' && decision !== 'deny') return 'The answer of this client was no decision.';
    return { decision, ...(typeof note === 'string' && note !== '' ? { note: note.slice(0, MOST_NOTE).toWellFormed() } : {}) };
  } catch (error) {
    signal.throwIfAborted();
    return `This client could not be asked (${error instanceof Error ? error.message.slice(0, 200) : 'no answer'}).`;
  }
}
