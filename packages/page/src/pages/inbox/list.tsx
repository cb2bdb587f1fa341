/** The rows that are in the window. The list scrolls by itself, so that filters and actions stay in sight. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { WaitingItem } from '../../api/waiting';
import { scrollToShow, visibleRows } from '../../lib/visible-rows';
import { Row } from './row';

const WIDE = matchMedia('(min-width: 48rem)');
const ROW_HEIGHT = { wide: 64, narrow: 136 };

interface Props {
  items: readonly WaitingItem[];
  current: string | null;
  selected: ReadonlySet<string>;
  maySelect: (item: WaitingItem) => boolean;
  onCurrent: (key: string) => void;
  onSelect: (key: string, on: boolean) => void;
}

export function List({ items, current, selected, maySelect, onCurrent, onSelect }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ scrollTop: 0, height: 600 });
  const [isWide, setWide] = useState(WIDE.matches);
  const rowHeight = isWide ? ROW_HEIGHT.wide : ROW_HEIGHT.narrow;
  useEffect(() => {
    const look = () => setWide(WIDE.matches);
    WIDE.addEventListener('change', look);
    return () => WIDE.removeEventListener('change', look);
  }, []);
  useLayoutEffect(() => {
    const element = box.current!;
    const look = () => setView({ scrollTop: element.scrollTop, height: element.clientHeight });
    const sizes = new ResizeObserver(look);
    sizes.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, []);
  const index = items.findIndex(({ key }) => key === current);
  useLayoutEffect(() => {
    if (index < 0) return;
    const element = box.current!;
    const to = scrollToShow(index, rowHeight, element.scrollTop, element.clientHeight);
    if (to !== null) element.scrollTop = to;
  }, [current, rowHeight]);
  const rows = visibleRows({ count: items.length, rowHeight, ...view });
  // The current row has the focus, once it is in the document.
  useEffect(() => {
    const active = document.activeElement;
    const inList = active === document.body || box.current!.contains(active);
    if (index < 0 || !inList) return;
    const row = box.current!.querySelector<HTMLElement>(`[data-key="${CSS.escape(current!)}"]`);
    if (row && !row.contains(active)) row.querySelector<HTMLElement>('.row-link')?.focus({ preventScroll: true });
  }, [current, rows.from, rows.to]);
  return (
    <div class="list" ref={box} tabIndex={items.length === 0 ? undefined : -1}>
      <ul aria-label="Waiting" style={{ paddingTop: `${rows.above}px`, paddingBottom: `${rows.below}px` }}>
        {items.slice(rows.from, rows.to).map((item, offset) => (
          <Row
            key={item.key}
            item={item}
            position={rows.from + offset}
            count={items.length}
            isCurrent={item.key === current}
            isSelected={selected.has(item.key)}
            maySelect={maySelect(item)}
            onSelect={(on) => onSelect(item.key, on)}
            onFocus={() => onCurrent(item.key)}
          />
        ))}
      </ul>
    </div>
  );
}
