/**
 * Addresses on the page that the gateway serves. What is shown stands behind `#`: it never reaches a server or a proxy's log, and a
 * path prefix in front of the page changes nothing.
 */

/** What the page shows: a turn, or one of its calls. */
export interface PublicPlace {
  turn_id: string;
  /** The call in the turn. Absent: the turn itself. */
  digest?: string;
}

/** @param publicUrl HOLDFAST_PUBLIC_URL without `/` at its end; null: it is not set, and there is no link */
export function publicLink(publicUrl: string, place: PublicPlace): string;
export function publicLink(publicUrl: string | null, place: PublicPlace): string | null;
export function publicLink(publicUrl: string | null, { turn_id, digest }: PublicPlace): string | null {
  if (publicUrl === null) return null;
  const call = digest === undefined ? '' : `/calls/${encodeURIComponent(digest.toWellFormed())}`;
  return `${publicUrl}/#/turns/${encodeURIComponent(turn_id.toWellFormed())}${call}`;
}

/** The page of a workflow in Temporal's Web UI. @param uiUrl without `/` at its end; null: no UI is known */
export function workflowUrl(uiUrl: string | null, namespace: string, workflowId: string): string | null {
  if (uiUrl === null) return null;
  return `${uiUrl}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(workflowId)}`;
}

/**
 * Where the Web UI shows the cards of a workflow (*User Metadata*). That page has an address for each run only; without a run the Web
 * UI opens the history.
 * @param url of the workflow
 */
export function cardUrl(url: string | null, runId: string | null): string | null {
  return url === null || runId === null ? url : `${url}/${encodeURIComponent(runId)}/user-metadata`;
}
