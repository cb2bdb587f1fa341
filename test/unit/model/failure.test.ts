import { APIConnectionError, APIConnectionTimeoutError, APIError } from '@anthropic-ai/sdk';
import { classifyFailure } from '../../../src/model/failure';
import { KEY } from '../../support/model/model';

import { ANTHROPIC } from '../../../src/model/anthropic/vendor';
const NOW = Date.parse('2026-03-01T00:00:00Z');
const context = { vendor: ANTHROPIC, model: 'claude-x', baseUrl: 'https://user:pass@api.example/v1', secrets: [KEY], now: NOW };

function http(status: number, message = 'said so', headers: Record<string, string> = {}) {
  return classifyFailure(
    APIError.generate(status, { type: 'error', error: { type: 't', message } }, undefined, new Headers(headers)),
    context,
  );
}

test.each([
  [400, 'model.bad_request', false, 'said so'],
  [401, 'model.auth', false, 'ANTHROPIC_API_KEY'],
  [402, 'model.billing', false, 'payment'],
  [403, 'model.permission', false, 'lacks access'],
  [404, 'model.not_found', false, 'ANTHROPIC_MODEL'],
  [408, 'model.timeout', true, 'timed out'],
  [409, 'model.conflict', true, 'conflict'],
  [413, 'model.too_large', false, 'shorter conversation'],
  [418, 'model.bad_request', false, 'refused'],
  [422, 'model.bad_request', false, 'said so'],
  [429, 'model.rate_limited', true, 'rate'],
  [500, 'model.server_error', true, 'failed'],
  [502, 'model.server_error', true, 'failed'],
  [503, 'model.server_error', true, 'failed'],
  [504, 'model.timeout', true, 'timed out'],
  [529, 'model.overloaded', true, 'overloaded'],
])('status %i is %s, retryable: %s, and says "%s"', (status, type, retryable, words) => {
  const failure = http(status);
  expect(failure.facts).toMatchObject({ type, retryable, status });
  expect(failure.message).toContain(words);
  expect(failure.message).toContain('claude-x');
});

test.each([
  ['invalid_request_error', 400, false],
  ['authentication_error', 401, false],
  ['billing_error', 402, false],
  ['permission_error', 403, false],
  ['not_found_error', 404, false],
  ['request_too_large', 413, false],
  ['rate_limit_error', 429, true],
  ['api_error', 500, true],
  ['timeout_error', 504, true],
  ['overloaded_error', 529, true],
  ['sunspot_error', 500, true],
  ['__proto__', 500, true],
])('an error event of type %s counts as status %i, retryable: %s', (type, status, retryable) => {
  const error = new APIError(undefined, { error: { type, message: 'inside' } }, undefined, new Headers(), type as never);
  const failure = classifyFailure(error, context);
  expect(failure.facts).toMatchObject({ status, retryable });
  expect(failure.message).toContain('inside');
});

test.each([
  [{ 'retry-after': '7' }, 7000],
  [{ 'retry-after': '0.5' }, 500],
  [{ 'retry-after': 'Sun, 01 Mar 2026 00:00:30 GMT' }, 30_000],
  [{ 'retry-after': 'Sat, 28 Feb 2026 00:00:00 GMT' }, 0],
  [{ 'retry-after-ms': '250', 'retry-after': '7' }, 250],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after': '-5' }, undefined],
  [{ 'retry-after': '99999999' }, 86_400_000],
  [{}, undefined],
])('%j asks to wait %s ms', (headers, ms) => {
  expect(http(429, '', headers as Record<string, string>).facts.retryAfterMs).toBe(ms);
});

test('x-should-retry wins over the table, both ways', () => {
  expect(http(529, '', { 'x-should-retry': 'false' }).facts.retryable).toBe(false);
  expect(http(400, '', { 'x-should-retry': 'true' }).facts.retryable).toBe(true);
});

test('a message of the API is cut to 500 characters', () => {
  expect(http(400, 'x'.repeat(5000)).message.length).toBeLessThan(700);
});

test('a network error is retryable and names its cause and the address, without credentials', () => {
  const cause = Object.assign(new Error('fetch failed'), { cause: Object.assign(new Error('no'), { code: 'ECONNREFUSED' }) });
  const failure = classifyFailure(new APIConnectionError({ cause }), context);
  expect(failure.facts).toEqual({ type: 'model.network', retryable: true, status: null });
  expect(failure.message).toContain('ECONNREFUSED');
  expect(failure.message).toContain('https://api.example');
  expect(failure.message).not.toContain('pass');
});

test('a timeout is distinguished from a refused connection', () => {
  expect(classifyFailure(new APIConnectionTimeoutError(), context).facts).toMatchObject({
    type: 'model.timeout',
    retryable: true,
  });
});

test('a missing key says which variable to set', () => {
  const failure = classifyFailure(new Error('Could not resolve authentication method. Expected…'), context);
  expect(failure.facts).toMatchObject({ type: 'model.auth', retryable: false });
  expect(failure.message).toContain('ANTHROPIC_API_KEY');
});

test('a key that no header can carry, and an address that is not a URL, are not retried', () => {
  const header = new APIConnectionError({ cause: new TypeError(`"Bearer ${KEY}\n" is an invalid header value`) });
  expect(classifyFailure(header, context).facts).toMatchObject({ type: 'model.auth', retryable: false });
  const url = Object.assign(new TypeError('Invalid URL'), { code: 'ERR_INVALID_URL' });
  expect(classifyFailure(url, context).facts.retryable).toBe(false);
});

test.each([
  ['the key itself', http(401, `invalid key ${KEY}`)],
  ['another key', http(400, 'header x-api-key: sk-ant-api03-SECRETSECRET was wrong')],
  ['a bearer token', http(400, 'Authorization: Bearer SECRETSECRETSECRET')],
  ['a key in a network error', classifyFailure(new Error(`"Bearer ${KEY}\n" is an invalid header value`), context)],
  ['a key in the model name', classifyFailure(APIError.generate(404, {}, undefined, new Headers()), { ...context, model: KEY })],
])('a message never holds %s', (_, failure) => {
  const text = JSON.stringify([failure.message, failure.facts, failure.stack]);
  expect(text).not.toContain(KEY);
  expect(text).not.toContain('SECRET');
  expect(failure.cause).toBeUndefined();
});
