/** Whether keys of one character do something. Who dictates, or hits keys by mistake, switches them off (WCAG 2.1.4). */
import { signal } from '@preact/signals';

const NAME = 'holdfast.single-keys';

export const singleKeys = signal(read());

export function setSingleKeys(on: boolean): void {
  singleKeys.value = on;
  try {
    localStorage.setItem(NAME, on ? 'on' : 'off');
  } catch {
    // Without storage the choice holds until the page is closed.
  }
}

function read(): boolean {
  try {
    return localStorage.getItem(NAME) !== 'off';
  } catch {
    return true;
  }
}
