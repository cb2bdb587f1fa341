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
