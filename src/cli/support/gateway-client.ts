/** Sends requests to the gateway, as the principal of the token. */
import { DecisionNotAccepted } from '../../client/errors';
import type { Config } from '../../config';
import type { DecideOptions } from './decide-options';
import type { DecisionResult, Deciding } from './decision';
import { optional } from '../../shared/json/optional';

/** Longer than the gateway takes to report that no worker has answered, ms. */
const ANSWER_WITHIN = 90_000;
const MOST_BYTES = 100_000;
const MOST_LIST_BYTES = 20_000_000;
/** Nothing listens at the address. */
const NOBODY = new Set(['ECONNREFUSED', 'ENOTFOUND']);

/** @throws DecisionNotAccepted with the reason; Error when the gateway cannot be reached or refuses the token */
export async function decideThroughGateway(
  { url, token }: NonNullable<Config['gateway']>,
  { turn, ...deciding }: Deciding,
  { call, by, note }: DecideOptions,
): Promise<DecisionResult> {
  const answers = deciding.decision === 'answer';
  const body = answers
    ? { call: call[0], value: deciding.value, ...optional({ note }) }
    : { ...deciding, calls: call, ...optional({ by, note }) };
  const hint = ' The decision may have reached it: look at the turn (`holdfast show`) before you decide again.';
  const response = await send(
    { url, token },
    'POST',
    `/v1/turns/${encodeURIComponent(turn)}/${answers ? 'answers' : 'decisions'}`,
    body,
    hint,
  );
  const answer = read((await response.text()).slice(0, MOST_BYTES));
  if (response.ok && typeof answer.by === 'string') return { by: answer.by, calls: answer.now ?? [] };
  throw faultOf(response.status, answer);
}

/** Any other request. @throws Error when the gateway cannot be reached or refuses it */
export async function askGateway<T extends object>(
  gateway: NonNullable<Config['gateway']>,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: object,
): Promise<T> {
  const response = await send(gateway, method, path, body, '');
  const answer = read((await response.text()).slice(0, MOST_LIST_BYTES));
  if (!response.ok || Object.keys(answer).length === 0) throw faultOf(response.status, answer);
  return answer as T;
}

/** @param hint for a request that may have reached the gateway */
function send(
  { url, token }: NonNullable<Config['gateway']>,
  method: string,
  path: string,
  body: object | undefined,
  hint: string,
): Promise<Response> {
  return fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    redirect: 'error', // the token is sent to the configured address only
    signal: AbortSignal.timeout(ANSWER_WITHIN),
  }).catch((error: unknown) => {
    const { cause, message } = error as Error;
    const why = cause instanceof Error ? cause.message : message;
    const isThere = !NOBODY.has((cause as NodeJS.ErrnoException | undefined)?.code ?? '');
    throw new Error(`The gateway at ${url} does not answer (${why}).${isThere ? hint : ''}`);
  });
}

function faultOf(status: number, { error }: Answer): Error {
  const message = error?.message ?? `The server answered ${status}, but not like a holdfast gateway. Check HOLDFAST_GATEWAY_URL.`;
  const hint = error?.hint === undefined ? '' : ` ${error.hint}`;
  return status === 409 ? new DecisionNotAccepted(message) : new Error(`${message}${hint}`);
}

interface Answer {
  by?: unknown;
  now?: DecisionResult['calls'];
  error?: { message?: string; hint?: string };
}

function read(text: string): Answer {
  try {
    return (JSON.parse(text) as Answer | null) ?? {};
  } catch {
    return {};
  }
}
