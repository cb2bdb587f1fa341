/** What the forms of a decision have in common. */
import type { Question } from '../../../../../src/shapes/turn-view';

export interface PanelProps {
  turn: string;
  requester: string;
  question: Question;
  /** Why nothing can be decided now; null: it can. */
  blocked: string | null;
  onDone: () => void;
}

export function Done({ answer }: { answer: string }) {
  return (
    <div class="panel" role="status">
      <h2>Done</h2>
      <p class="sent">
        <strong>{answer}</strong>
      </p>
      <p>
        <a href="#/">Back to the inbox</a>
      </p>
    </div>
  );
}
