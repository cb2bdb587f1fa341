/** Maps failed requests to EDGAR to ToolErrors: each status and each network error has one code. */
import { retryAfterMs, ToolError } from 'holdfast/tools';

const FAIR_ACCESS = 'https://www.sec.gov/os/accessing-edgar-data';
/** The pause when EDGAR says "too many requests" without an end time. */
const DEFAULT_PAUSE_MS = 60_000;

/** @param status any except 200 and redirects; the caller handles 404, since it knows what is missing */
export function statusFailure(status: number, url: string, retryAfter: string | null): ToolError {
  const message = `EDGAR answered ${status} to ${url}`;
  const wait = retryAfterMs(retryAfter);
  if (status === 403) {
    return new ToolError('PERMISSION_DENIED', 'edgar_refused', `${message}.`, {
      hint: `EDGAR refuses requests whose User-Agent does not name a person or company with an e-mail address: set HOLDFAST_EDGAR_USER_AGENT. It also refuses clients for some time after too many requests: at most 10 requests a second, ${FAIR_ACCESS}.`,
    });
  }
  if (status === 429) return rateLimitError(`${message}: too many requests.`, wait ?? DEFAULT_PAUSE_MS);
  if (status === 408) return new ToolError('TIMEOUT', 'edgar_timeout', `${message}.`);
  if (status >= 500) {
    const options = wait === undefined ? {} : { retryAfterMs: wait };
    return new ToolError('NETWORK_ERROR', 'edgar_unavailable', `${message}.`, options);
  }
  if (status >= 400) return new ToolError('EXECUTION_ERROR', 'edgar_refused_request', `${message}.`);
  return badAnswer(url, `status ${status} was not expected`);
}

export function rateLimitError(message: string, retryAfterMs: number): ToolError {
  return new ToolError('RATE_LIMITED', 'edgar_rate_limited', message, {
    retryAfterMs,
    hint: `All workers of this host wait until then. ${FAIR_ACCESS}`,
  });
}

export function unreachable(url: string, cause: unknown): ToolError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new ToolError('NETWORK_ERROR', 'edgar_unreachable', `EDGAR could not be reached at ${url}: ${why}`, { cause });
}

export function tooSlow(url: string, ms: number): ToolError {
  return new ToolError('TIMEOUT', 'edgar_timeout', `EDGAR took longer than ${ms / 1000} s to answer ${url}.`);
}

/** The server answers, but the answer cannot be used. The same request again would not help. */
export function badAnswer(url: string, what: string): ToolError {
  return new ToolError('EXECUTION_ERROR', 'bad_upstream_answer', `EDGAR's answer to ${url} cannot be used: ${what}.`, {
    hint: 'This is a fault of the source, not of the call. Say what could not be read.',
  });
}
