/**
 * What waits for a person. The list follows the gateway's stream; while there is none, it is read every few seconds. Nothing is
 * changed here by a decision: the gateway says what still waits.
 */
import { computed, signal } from '@preact/signals';
import { asApiError, type ApiError } from '../api/http';
import { followWaiting, itemsOf, readWaiting, type PendingRow, type WaitingItem } from '../api/waiting';
import { byUrgency } from '../lib/filter';
import { plural } from '../lib/format';

export type { WaitingItem };

type Rows = ReadonlyMap<string, PendingRow>;

/** By the id of the turn. */
const rows = signal<Rows>(new Map());
export const isLoaded = signal(false);
export const loadError = signal<ApiError | null>(null);
/** `polling`: there is no stream now, and the list is read again and again. */
export const connection = signal<'live' | 'polling' | 'lost'>('polling');
/** While the gateway reads many turns for the first time. */
export const reading = signal<{ done: number; total: number } | null>(null);
/** Why the list may be out of date, as the gateway says it. */
export const listFault = signal<string | null>(null);
/** What a screen reader is told. */
export const announcement = signal('');
/** Counts changes: pages that show a card look again. */
export const changes = signal(0);

export const inboxItems = computed<readonly WaitingItem[]>(() => [...rows.value.values()].flatMap(itemsOf).sort(byUrgency));
/** Turns that wait, but whose cards could not be read. */
export const unreachable = computed(() =>
  [...rows.value.values()].flatMap(({ turn_id, unreachable: why }) => (why === null ? [] : [{ turn_id, why }])),
);

const POLL_MS = 5_000;
const REOPEN_MS = 15_000;
/** Events that come together are shown together. */
const TOGETHER_MS = 40;

let stop: (() => void) | null = null;

export function startInbox(): void {
  if (stop !== null) return;
  const inbox = new Following();
  stop = () => inbox.close();
}

export function stopInbox(): void {
  stop?.();
  stop = null;
  rows.value = new Map();
  isLoaded.value = false;
}

class Following {
  private isClosed = false;
  private stream: { close(): void } | null = null;
  private pollTimer: ReturnType<typeof setTimeout> | undefined;
  private showTimer: ReturnType<typeof setTimeout> | undefined;
  /** What the events have said, not all of it shown yet. */
  private next = new Map<string, PendingRow>();
  /** The stream gives all rows anew. Until they are here the list stays as it is: rows must not move under somebody's keys. */
  private isFilling = false;

  constructor() {
    this.open();
    this.poll();
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.pollTimer);
    clearTimeout(this.showTimer);
    this.stream?.close();
  }

  private open(): void {
    this.stream = followWaiting({
      connected: (isOpen) => {
        if (isOpen) connection.value = 'live';
        else if (connection.value === 'live') connection.value = 'polling';
      },
      put: (row) => {
        this.next.set(row.turn_id, row);
        this.showSoon();
      },
      drop: (turn) => {
        this.next.delete(turn);
        this.showSoon();
      },
      reading: ({ done, total, fault, snapshot }) => {
        if (snapshot) this.next = new Map();
        this.isFilling = snapshot;
        reading.value = done < total ? { done, total } : null;
        listFault.value = fault;
        this.showSoon();
      },
      ended: () => {
        if (this.isClosed) return;
        if (connection.value === 'live') connection.value = 'polling';
        setTimeout(() => !this.isClosed && this.open(), REOPEN_MS);
      },
    });
  }

  private showSoon(): void {
    this.showTimer ??= setTimeout(() => {
      this.showTimer = undefined;
      if (!this.isFilling) this.show(new Map(this.next));
    }, TOGETHER_MS);
  }

  private show(fresh: Rows): void {
    if (this.isClosed) return;
    const before = new Set(inboxItems.value.map(({ key }) => key));
    rows.value = fresh;
    changes.value += 1;
    loadError.value = null;
    if (isLoaded.value) announce(inboxItems.value.filter(({ key }) => !before.has(key)));
    isLoaded.value = true;
  }

  /** Reads the list while there is no stream; at once the first time, since a stream can be slow to open. */
  private poll(): void {
    const look = async () => {
      if (!this.isClosed && connection.value !== 'live' && document.visibilityState === 'visible') await this.read();
      if (!this.isClosed) this.pollTimer = setTimeout(() => void look(), POLL_MS);
    };
    void look();
  }

  private async read(): Promise<void> {
    try {
      const list = await readWaiting();
      // The stream opened meanwhile: it is newer.
      if (connection.value === 'live' && isLoaded.value) return;
      this.next = new Map(list.map((row) => [row.turn_id, row]));
      if (connection.value === 'lost') connection.value = 'polling';
      this.show(new Map(this.next));
    } catch (error) {
      loadError.value = asApiError(error);
      connection.value = 'lost';
    }
  }
}

function announce(newItems: WaitingItem[]): void {
  const [first] = newItems;
  if (first === undefined) return;
  announcement.value =
    newItems.length === 1 ? `New: ${first.headline}` : plural(newItems.length, 'new call waits', 'new calls wait');
}
