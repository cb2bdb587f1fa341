/** A URL fit for a screen or a log: `postgres://user:…@host/db`. Text that is no URL comes back unchanged. */
export function withoutPassword(url: string): string {
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/[^/?#:@]*):[^/?#]*@/i, '$1:…@').replace(/([?&](?:ssl)?password=)[^&\s]*/gi, '$1…');
}
