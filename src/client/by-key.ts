/**
 * Turns and direct calls found by the idempotency key that somebody gave: their id may be a hash of it and of who asked
 * (shared/ids.ts). Temporal lists who has asked for something; what each of them would have made under the key is looked up.
 */
import type { Client } from '@temporalio/client';
import { workflowExists } from '../temporal/executions';
import { idsFromKey, LOCAL_PRINCIPAL, mayBeKey, workflowId } from '../shared/ids';
import { visibilityText } from '../shared/visibility-text';
import { TURNS_AND_CALLS } from '../workflows/contract';

/** So many principals' keys are tried. */
const MOST_PRINCIPALS = 200;

export interface FoundByKey {
  /** Of the turn or direct call. */
  id: string;
  requester: string;
}

export async function foundByKey(temporal: Client, key: string): Promise<FoundByKey[]> {
  const found: FoundByKey[] = [];
  if (!mayBeKey(key)) return found;
  for await (const requester of requesters(temporal))
    for (const id of idsFromKey(requester, key))
      if (await workflowExists(temporal, workflowId(id))) found.push({ id, requester });
  return found;
}

/** Each once; the newest first. */
async function* requesters(temporal: Client): AsyncGenerator<string> {
  const known = [LOCAL_PRINCIPAL];
  yield LOCAL_PRINCIPAL;
  while (known.length < MOST_PRINCIPALS) {
    const others = `${TURNS_AND_CALLS} AND HoldfastRequester NOT IN (${known.map((name) => visibilityText(name)).join(', ')})`;
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
