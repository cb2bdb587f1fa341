/**
 * Turns, direct calls and sessions found by the idempotency key that somebody gave: their id may be a hash of it and of who asked
 * (shared/ids.ts). Temporal lists who has asked for something; what each of them would have made under the key is looked up.
 */
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { LOCAL_PRINCIPAL, turnIdFromKey } from '../shared/ids';
import { visibilityText } from '../shared/visibility-text';

/** So many principals' keys are tried. */
const MOST_PRINCIPALS = 200;
const LONGEST_KEY = 1000;

export interface FoundByKey {
  workflowId: string;
  requester: string;
}

/**
 * @param query what is looked for, as Temporal's list filter
 * @param workflowIds that an id may have
 */
export async function foundByKey(
  temporal: Client,
  key: string,
  { query, workflowIds }: { query: string; workflowIds: (id: string) => string[] },
): Promise<FoundByKey[]> {
  const found: FoundByKey[] = [];
  if (key === '' || key.length > LONGEST_KEY || !key.isWellFormed()) return found;
  for await (const requester of requesters(temporal, query)) {
    const id = turnIdFromKey(requester, key);
    for (const workflowId of workflowIds(id)) if (await exists(temporal, workflowId)) found.push({ workflowId, requester });
  }
  return found;
}

/** Each once; the newest first. */
async function* requesters(temporal: Client, query: string): AsyncGenerator<string> {
  const known = [LOCAL_PRINCIPAL];
  yield LOCAL_PRINCIPAL;
  while (known.length < MOST_PRINCIPALS) {
    const others = `${query} AND HoldfastRequester NOT IN (${known.map((name) => visibilityText(name)).join(', ')})`;
    const next = await first(temporal.workflow.list({ query: others, pageSize: 1 }));
    const requester = next?.searchAttributes.HoldfastRequester?.[0];
    if (typeof requester !== 'string') return;
    known.push(requester);
    yield requester;
  }
}

async function first<T>(items: AsyncIterable<T>): Promise<T | undefined> {
  for await (const item of items) return item;
  return undefined;
}

export async function exists(temporal: Client, workflowId: string): Promise<boolean> {
  try {
    await temporal.workflow.getHandle(workflowId).describe();
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
