/** Sends decisions through the gateway, as the principal of the token. */
import { DecisionNotAccepted } from '../../client/errors';
import type { Config } from '../../config';
import type { DecideOptions } from './decide-options';
import type { DecisionResult, Deciding } from './decision';
import { optional } from '../../shared/json/optional';

/** Longer than the gateway takes to report that no worker has answered, ms. */
const ANSWER_WITHIN = 90_000;
const MOST_BYTES = 100_000;
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
  const response = await fetch(`${url}/v1/turns/${encodeURIComponent(turn)}/${answers ? 'answers' : 'decisions'}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    redirect: 'error', // the token is sent to the configured address only
    signal: AbortSignal.timeout(ANSWER_WITHIN),
  }).catch((error: unknown) => {
    const { cause, message } = error as Error;
    const why = cause instanceof Error ? cause.message : message;
    const isThere = !NOBODY.has((cause as NodeJS.ErrnoException | undefined)?.code ?? '');
    const hint = ' The decision may have reached it: look at the turn (`holdfast show`) before you decide again.';
    throw new Error(`The gateway at ${url} does not answer (${why}).${isThere ? hint : ''}`);
  });
  const answer = read((await response.text()).slice(0, MOST_BYTES));
  if (response.ok && typeof answer.by === 'string') return { by: answer.by, calls: answer.now ?? [] };
  const message =
    answer.error?.message ??
    `The server answered ${response.status}, but not like a holdfast gateway. Check HOLDFAST_GATEWAY_URL.`;
  const hint = answer.error?.hint === undefined ? '' : ` ${answer.error.hint}`;
  throw response.status === 409 ? new DecisionNotAccepted(message) : new Error(`${message}${hint}`);
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
