/** Where the reader is. */
import { signal } from '@preact/signals';
import { readRoute, writeRoute, type Route } from '../lib/route';

export const route = signal<Route>(readRoute(location.hash));

addEventListener('hashchange', () => (route.value = readRoute(location.hash)));

export function goTo(next: Route): void {
  location.hash = writeRoute(next);
}
