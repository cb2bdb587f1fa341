/** The filters of the inbox. */
import type { RefObject } from 'preact';
import type { WaitingItem } from '../../api/waiting';
import { choices, isFiltering, NO_FILTER, type Filter } from '../../lib/filter';
import { KINDS } from '../../parts/badge';
import { visible } from '../../../../../src/shared/text/visible';

interface Props {
  all: readonly WaitingItem[];
  filter: Filter;
  onFilter: (filter: Filter) => void;
  search: RefObject<HTMLInputElement | null>;
}

export function Filters({ all, filter, onFilter, search }: Props) {
  const choose = (of: 'agent' | 'tool' | 'kind', label: string) => (
    <label class="filter">
      <span class="unseen-label">{label}</span>
      <select
        value={filter[of] ?? ''}
        onChange={({ currentTarget: { value } }) => onFilter({ ...filter, [of]: value === '' ? null : value })}
      >
        <option value="">All {label.toLowerCase()}s</option>
        {choices(all, of).map(({ value, count }) => (
          <option value={value}>
            {of === 'kind' ? KINDS[value] : visible(value)} ({count})
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <div class="filters" role="search">
      <label class="filter search">
        <span class="unseen-label">Search what waits</span>
        <input
          ref={search}
          type="search"
          placeholder="Search (/)"
          value={filter.text}
          onInput={({ currentTarget: { value } }) => onFilter({ ...filter, text: value })}
        />
      </label>
      {choose('agent', 'Agent')}
      {choose('tool', 'Tool')}
      {choose('kind', 'Kind')}
      {isFiltering(filter) && (
        <button type="button" class="quiet small" onClick={() => onFilter(NO_FILTER)}>
          Show all
        </button>
      )}
    </div>
  );
}
