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
      <InWhoseWords card={card} />
      <h2>Input</h2>
      <Value of={card.input} />
      <WhyAsked card={card} />
      {card.incomplete && (
        <p class="soft">
          <Words of={card.incomplete} />
        </p>
      )}
    </article>
  );
}
