import { visible } from './visible';

/** Makes text safe for HTML and quoted attributes. Characters that are invisible, or reverse the reading order, become visible. */
export function escapeHtml(text: string): string {
  return visible(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
