/** Puts the card of a waiting call together: facts of the store under its digest, the state of its turn, and the Markdown. */
import type { Card, CardState, CardWords, StoredFacts } from '../../shapes/card';
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

  /** @param openStore null: the client has no store */
  constructor(private readonly openStore: (() => Promise<CardSource>) | null) {}

  async card(call: WaitingCall, turn: AskingTurn, { markdown, state }: ShownCard): Promise<Card> {
    const { facts, why } = await this.facts(call, turn);
    const missing = why ?? (state === undefined ? 'A worker of an older build answers for this turn.' : null);
    return {
      kind: call.state === 'in_doubt' ? 'in_doubt' : 'approval',
      agent: turn.agent,
      call_id: call.id,
      revision: call.revision,
      tool: call.tool,
      version: call.version,
      class: call.class,
      digest: call.digest,
      ...facts,
      ...state,
      expires_at: call.approval.expires_at,
      error: call.error,
      ...(missing === null ? {} : { incomplete: missing }),
      markdown,
    };
  }

  /** The Markdown shows the call even if the store cannot be opened or read, so that is no reason not to ask. */
  private async facts({ digest }: WaitingCall, turn: AskingTurn): Promise<{ facts?: StoredFacts; why: string | null }> {
    if (this.openStore === null) return { why: 'This client has no store (HOLDFAST_STORE).' };
    try {
      const source = await this.openStore();
      const { record, input, target, preview, held, makers } = await storedCard(source, digest);
      const words = await this.wordsBefore(source, turn.head);
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
