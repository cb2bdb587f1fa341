/** One row of the inbox. */
import type { WaitingItem } from '../../api/waiting';
import { age, expiryOf } from '../../lib/format';
import { isQuestion } from '../../lib/kind';
import { writeRoute } from '../../lib/route';
import { KINDS } from '../../parts/badge';
import { Words } from '../../parts/text';
import { now } from '../../state/clock';

interface Props {
  item: WaitingItem;
  position: number;
  count: number;
  isCurrent: boolean;
  isSelected: boolean;
  maySelect: boolean;
  onSelect: (on: boolean) => void;
  onFocus: () => void;
}

export function Row({ item, position, count, isCurrent, isSelected, maySelect, onSelect, onFocus }: Props) {
  const { card, turn_id } = item;
  const left = expiryOf(card.expires_at, now.value);
  const payee = item.payee !== null && !item.headline.includes(item.payee) ? item.payee : null;
  const waits = age(card.asked_at, now.value);
  return (
    <li
      class={`row ${isCurrent ? 'current' : ''} ${isSelected ? 'selected' : ''}`}
      aria-setsize={count}
      aria-posinset={position + 1}
      data-key={item.key}
    >
      {maySelect && (
        <label class="select">
          <input
            type="checkbox"
            checked={isSelected}
            onChange={(event) => onSelect(event.currentTarget.checked)}
            onFocus={onFocus}
          />
          <span class="unseen-label">
            Select <Words of={item.headline} />
          </span>
        </label>
      )}
      <div class="what">
        <a class="row-link" href={writeRoute({ page: 'call', turn: turn_id, digest: card.digest })} onFocus={onFocus}>
          <Words of={item.headline} />
        </a>
        <p class="row-facts">
          <span class={`kind ${card.kind}`}>{KINDS[card.kind]}</span>
          {payee !== null && (
            <span class="payee">
              to <Words of={payee} />
            </span>
          )}
          <span class="tool">
            <Words of={card.tool} />
          </span>
          <span class="agent">
            <Words of={card.agent} />
          </span>
          <span>
            for <Words of={item.requester} />
          </span>
          {card.untrusted && <span class="outside">outside text read</span>}
        </p>
      </div>
      <div class="sum">{item.sum && <Words of={item.sum.text} />}</div>
      <Decided item={item} />
      <div class="times">
        {left && <span class={left.soon ? 'soon' : ''}>{left.over ? 'expired' : `${left.text} left`}</span>}
        {waits !== null && <span class="soft">waits {waits}</span>}
      </div>
    </li>
  );
}

/** How many must approve, and who has. */
function Decided({ item: { call, card } }: { item: WaitingItem }) {
  const quorum = card.policy?.quorum ?? call.approval.quorum;
  const by = call.approval.by;
  if (isQuestion(card)) return <div class="decided" />;
  return (
    <div class="decided">
      <span class="quorum" aria-hidden="true">
        {Array.from({ length: Math.min(quorum, 10) }, (_, index) => (
          <i class={index < by.length ? 'given' : ''} />
        ))}
      </span>
      <span class="soft">
        {by.length} of {quorum}
        {by.length > 0 && (
          <>
            {': '}
            <Words of={by.join(', ')} />
          </>
        )}
      </span>
    </div>
  );
}
