/** A whole card, in the order in which a person should read it. */
import type { Question, ShownTurn } from '../../../../../src/shapes/turn-view';
import { age, when } from '../../lib/format';
import { isQuestion } from '../../lib/kind';
import { Notice } from '../../parts/notice';
import { Lines, Words } from '../../parts/text';
import { useLoad } from '../../parts/use-load';
import { now } from '../../state/clock';
import { Input } from './input';
import { inputBefore } from './previous';
import { Policy, WhoMayAnswer } from './policy';
import { Decisions, Deed, Evidence, InWhoseWords, Outside, WhyAsked } from './sections';

interface CardProps {
  question: Question;
  view: ShownTurn;
  /** The call waits no more. */
  isOver: boolean;
}

export function Card({ question, view, isOver }: CardProps) {
  const { card, approval } = question;
  const isAnswer = isQuestion(card);
  const before = useLoad(`${view.turn_id} ${card.digest}`, () => inputBefore(view, question));
  return (
    <article class="card">
      <Deed card={card} />
      {card.incomplete && (
        <Notice tone="warn" title="Parts of this card are missing">
          <Lines of={card.incomplete} />
        </Notice>
      )}
      <Evidence card={card} />
      <InWhoseWords card={card} />
      <Outside card={card} />
      {isAnswer ? (
        <WhoMayAnswer card={card} />
      ) : (
        <>
          <Input card={card} before={before.data} />
          <WhyAsked card={card} />
          <Policy card={card} />
        </>
      )}
      <Decisions decisions={approval.decisions} remarks={card.remarks} isAnswer={isAnswer} isOver={isOver} />
      <footer class="soft">
        {card.asked_at && (
          <p>
            Asked {when(card.asked_at)}, {age(card.asked_at, now.value)} ago. Tool version <Words of={card.version} />, class{' '}
            {card.class}.
          </p>
        )}
        <details>
          <summary>The digest that a decision names</summary>
          <code class="whole-digest">{card.digest}</code>
        </details>
      </footer>
    </article>
  );
}
