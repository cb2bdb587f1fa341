/** The page of a workflow in Temporal's Web UI. @param uiUrl without `/` at its end; null: no UI is known */
export function workflowUrl(uiUrl: string | null, namespace: string, workflowId: string): string | null {
  if (uiUrl === null) return null;
  return `${uiUrl}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(workflowId)}`;
}
