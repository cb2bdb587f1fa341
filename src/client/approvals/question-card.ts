/** Puts the card of a waiting call together: facts of the store under its digest, the state of its turn, and the Markdown. */
import type { Card, CardState, CardWords, StoredFacts } from '../../shapes/card';
import { askedFacts, ASK_PERSON } from '../../shared/approval/person-question';
import type { WaitingCall } from '../../shapes/turn-view';
import { wordsOf } from '../../record/cards/card-words';
import { storedCard, storedFacts, type CardSource } from '../../record/cards/stored-card';
import { isOf, OfAnotherTurn, type Owner } from '../../record/owner';
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
  private readonly words = new Map<string, Promise<CardWords[]>>();

  /**
   * @param openStore null: the client has no store
   * @param owner the turn that shows the cards: its calls, and those of its sub-agents' turns, which have the same requester
   */
  constructor(
    private readonly openStore: (() => Promise<CardSource>) | null,
    private readonly owner: Owner,
  ) {}

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
      ...(facts ? askedFacts(call.tool, facts.input) : {}),
      ...state,
      expires_at: call.approval.expires_at,
      error: call.error,
      ...(missing === null ? {} : { incomplete: missing }),
      markdown,
    };
  }

  /** The Markdown shows the call even if the store cannot be opened or read, so that is no reason not to ask. */
  private async facts({ digest, of }: WaitingCall, turn: AskingTurn): Promise<{ facts?: StoredFacts; why: string | null }> {
    if (this.openStore === null) return { why: 'This client has no store (HOLDFAST_STORE).' };
    const owner = of === undefined ? this.owner : { turn_id: of.turn_id, requester: this.owner.requester };
    try {
      const source = await this.openStore();
      const stored = await storedCard(source, digest);
      if (!isOf(owner, stored.record)) throw new OfAnotherTurn('The call');
      return { facts: storedFacts(stored, await this.wordsBefore(source, turn.head, owner)), why: null };
    } catch (error) {
      return { why: `The store cannot tell: ${errorMessage(error)}` };
    }
  }

  private wordsBefore(source: CardSource, head: string | null, owner: Owner): Promise<CardWords[]> {
    const key = `${owner.turn_id} ${head}`;
    const entry = this.words.get(key) ?? wordsOf(source, head, owner);
    this.words.set(key, entry);
    return entry;
  }
}

function kindOf({ state, tool }: WaitingCall): Card['kind'] {
  if (state === 'in_doubt') return 'in_doubt';
  return tool === ASK_PERSON ? 'question' : 'approval';
}
