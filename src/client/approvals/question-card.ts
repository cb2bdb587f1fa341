/** Puts the card of a waiting call together: facts of the store under its digest, the state of its turn, and the Markdown. */
import type { AskedFacts, Card, CardState, CardWords, StoredFacts } from '../../shapes/card';
import { ASK_PERSON, type PersonQuestionInput } from '../../shared/approval/person-question';
import type { JsonObject } from '../../shared/json/json';
import { optional } from '../../shared/json/optional';
import type { WaitingCall } from '../../shapes/turn-view';
import { storedCard, wordsOf, type CardSource } from '../../record/stored-card';
import { errorMessage } from '../../shared/text/error-message';

/** What the turn answered about one waiting call. */
export interface ShownCard {
  markdown: string;
  /** Absent: a worker of an older build. */
  state?: CardState | undefined;
}

/** The turn in which a call waits. */
export interface AskingTurn {
  agent: string;
  /** The transcript's last block. */
  head: string | null;
}

/** Makes the cards of one turn's calls; what calls have in common is read once. */
export class QuestionCards {
  private readonly words = new Map<string | null, Promise<CardWords[]>>();

  /** @param source null: the client has no store */
  constructor(private readonly source: CardSource | null) {}

  async card(call: WaitingCall, turn: AskingTurn, { markdown, state }: ShownCard): Promise<Card> {
    const { facts, why } = await this.facts(call, turn);
    const missing = why ?? (state === undefined ? 'A worker of an older build answers for this turn.' : null);
    return {
      kind: kindOf(call),
      agent: turn.agent,
      call_id: call.id,
      revision: call.revision,
      tool: call.tool,
      version: call.version,
      class: call.class,
      digest: call.digest,
      ...facts,
      ...(call.tool === ASK_PERSON && facts ? askedFacts(facts.input) : {}),
      ...state,
      expires_at: call.approval.expires_at,
      error: call.error,
      ...(missing === null ? {} : { incomplete: missing }),
      markdown,
    };
  }

  /** The Markdown shows the call even if the store cannot be read, so that is no reason not to ask. */
  private async facts({ digest }: WaitingCall, turn: AskingTurn): Promise<{ facts?: StoredFacts; why: string | null }> {
    if (this.source === null) return { why: 'This client has no store (HOLDFAST_STORE).' };
    try {
      const { record, input, target, preview, held, makers } = await storedCard(this.source, digest);
      const words = await this.wordsBefore(this.source, turn.head);
      const reasons = held.map(({ kind, text }) => ({ kind, text }));
      return {
        facts: { will_happen: preview, acts_on: target, input, held: reasons, requester: record.requester, makers, words },
        why: null,
      };
    } catch (error) {
      return { why: `The store cannot tell: ${errorMessage(error)}` };
    }
  }

  private wordsBefore(source: CardSource, head: string | null): Promise<CardWords[]> {
    const entry = this.words.get(head) ?? wordsOf(source, head);
    this.words.set(head, entry);
    return entry;
  }
}

function kindOf({ state, tool }: WaitingCall): Card['kind'] {
  if (state === 'in_doubt') return 'in_doubt';
  return tool === ASK_PERSON ? 'question' : 'approval';
}

/** Admission has checked the input against the schema of `ask_person`. */
function askedFacts(input: JsonObject): AskedFacts {
  const { question, choices, schema, to } = input as JsonObject & PersonQuestionInput;
  return { question, ...optional({ choices, schema, to }) };
}
