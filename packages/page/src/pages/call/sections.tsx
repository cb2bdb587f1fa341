/** The sections of a card, in the order in which a person should read them. */
import type { Card } from '../../../../../src/shapes/card';
import type { DecisionView } from '../../../../../src/shapes/turn-view';
import { nameOfVote } from '../../../../../src/shared/approval/approval';
import { when } from '../../lib/format';
import { isInDoubt, isQuestion } from '../../lib/kind';
import { reasonInWords, refusalInWords } from '../../lib/refusal-words';
import { MessageFiles } from '../../parts/message-files';
import { Notice } from '../../parts/notice';
import { Code, Lines, Value, Words } from '../../parts/text';

/** What a tool's probe saw of a call in doubt. */
export function Evidence({ card }: { card: Card }) {
  if (!isInDoubt(card)) return null;
  return (
    <section class="evidence">
      <h2>What the tool found out</h2>
      {card.evidence === undefined ? (
        <p class="soft">Nothing: the tool has no probe that looks after a call, or its probe saw nothing.</p>
      ) : (
        <Lines of={card.evidence} />
      )}
    </section>
  );
}

/** What will happen: the preview of the tool, else plainly that it has none. */
export function Deed({ card }: { card: Card }) {
  const { will_happen: preview } = card;
  if (isQuestion(card)) return <Asked card={card} />;
  return (
    <section class={`deed ${card.kind}`}>
      <h2>{isInDoubt(card) ? 'What may have happened' : 'What will happen'}</h2>
      {preview === null || preview === undefined ? (
        <p>
          <Code of={card.tool} /> {isInDoubt(card) ? 'was called' : 'runs'} with the input below.{' '}
          {preview === null ? 'The tool has no preview of what it does.' : 'The preview cannot be read.'}
        </p>
      ) : (
        <Value of={preview} />
      )}
    </section>
  );
}

/** What the model wants to know, and which answers it takes. */
function Asked({ card: { question, choices } }: { card: Card }) {
  return (
    <section class="deed question">
      <h2>What the model asks</h2>
      {question === undefined ? <p>The question cannot be read.</p> : <Lines of={question} />}
      {choices && choices.length > 0 && (
        <ul class="asked-choices">
          {choices.map((choice) => (
            <li>
              <Words of={choice} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const FROM: Record<string, string> = {
  requester: 'asked',
  steering: 'added while the turn ran',
  agent: 'gave this task to a sub-agent',
};

export function InWhoseWords({ card }: { card: Card }) {
  const { words = [], requester, makers = [] } = card;
  return (
    <section>
      <h2>In whose words</h2>
      {words.length === 0 && (
        <p class="soft">
          {requester === undefined ? (
            'The words cannot be read.'
          ) : (
            <>
              No message: <Words of={requester} /> called the tool directly.
            </>
          )}
        </p>
      )}
      {words.map(({ from, by, text, cut, files = [] }) => (
        <figure class="said">
          <figcaption>
            <strong>
              <Words of={by} />
            </strong>{' '}
            {FROM[from] ?? ''}
          </figcaption>
          <blockquote>
            <Lines of={text} />
            {cut && <p class="soft">Only the beginning is shown here; the transcript of the turn has the rest.</p>}
            <MessageFiles files={files} />
          </blockquote>
        </figure>
      ))}
      {makers.length > 0 && (
        <p>
          Also had a hand in it: <Words of={makers.join(', ')} />
        </p>
      )}
    </section>
  );
}

/** Always said, whether a rule looks at it or not. */
export function Outside({ card: { untrusted } }: { card: Card }) {
  if (untrusted === undefined) return null;
  return untrusted ? (
    <Notice tone="warn" title="Text of outsiders was read before">
      <p>
        The conversation had read text from outside before this call was proposed. Such a text can have made the agent ask for it.
      </p>
    </Notice>
  ) : (
    <p class="fact-line">No text of outsiders was read before this call was proposed.</p>
  );
}

export function WhyAsked({ card }: { card: Card }) {
  const { reason, held = [], changes = [], error } = card;
  return (
    <section>
      <h2>Why a person is asked</h2>
      {reason && <Lines of={reasonInWords(reason)} />}
      {held.length > 0 && (
        <ul>
          {held.map(({ text }) => (
            <li>
              <Lines of={text} />
            </li>
          ))}
        </ul>
      )}
      {changes.map(({ by, why }) => (
        <p>
          Changed by <Words of={by} />: <Words of={why} />
        </p>
      ))}
      {error && (
        <Notice tone="bad" title="What went wrong">
          <Lines of={error.message} />
          {error.hint && <Lines of={error.hint} />}
        </Notice>
      )}
    </section>
  );
}

const DECIDED: Record<string, string> = {
  answer: 'answered',
  approve: 'approved',
  deny: 'denied',
  expired: 'nobody decided in time',
};

interface DecisionsProps {
  decisions: DecisionView[];
  remarks?: string[] | undefined;
  isAnswer: boolean;
  /** The call waits no more: these are the ones that were there while it was read. */
  isOver: boolean;
}

export function Decisions({ decisions, remarks = [], isAnswer, isOver }: DecisionsProps) {
  if (isOver && decisions.length === 0) return null;
  return (
    <section>
      <h2>{isAnswer ? 'Answers so far' : 'Decisions so far'}</h2>
      {decisions.length === 0 && <p class="soft">Nobody has {isAnswer ? 'answered' : 'decided'} yet.</p>}
      <ul class="decisions">
        {decisions.map(({ decision, at, note, attested, ...vote }) => (
          <li>
            <strong>
              <Words of={nameOfVote(vote)} />
            </strong>{' '}
            {DECIDED[decision] ?? decision}, {when(at)}
            {attested ? ', signed' : ''}
            {note && <Lines of={note} />}
          </li>
        ))}
      </ul>
      {remarks.length > 0 && (
        <details>
          <summary>{isAnswer ? 'Answers' : 'Decisions'} that did not count</summary>
          <ul>
            {remarks.map((remark) => (
              <li>
                <Lines of={refusalInWords(remark)} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}
