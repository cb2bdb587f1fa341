/** The parts of a card that nobody may miss, for the review of several calls. */
import type { Question } from '../../../../../src/shapes/turn-view';
import { Badge, KINDS } from '../../parts/badge';
import { Value, Words } from '../../parts/text';
import { Deed, InWhoseWords, Outside, WhyAsked } from './sections';

export function CardBrief({ question: { card } }: { question: Question }) {
  return (
    <article class="brief">
      <p class="row-facts">
        <Badge tone="warn">{KINDS[card.kind] ?? card.kind}</Badge>
        <span>
          <Words of={card.tool} />
        </span>
        <span>
          <Words of={card.agent} />
        </span>
      </p>
      <Deed card={card} />
      <Outside card={card} />
      <details>
        <summary>In whose words, and why a person is asked</summary>
        <InWhoseWords card={card} />
        <WhyAsked card={card} />
      </details>
      <h4>Input</h4>
      <Value of={card.input} />
      {card.incomplete && (
        <p class="soft">
          <Words of={card.incomplete} />
        </p>
      )}
    </article>
  );
}
