/** The part of the conformance of model providers that is about failures: each is classified, and says what to do. */
import { ModelFailure } from '../model/provider';
import { CONFORMANCE_KEY, type ConformanceCheck, type ConformanceStage, type WireFault } from './model-stage';

/** HTTP status, type of the failure, whether the step asks again. */
const STATUSES: readonly (readonly [status: number, type: string, retryable: boolean])[] = [
  [400, 'model.bad_request', false],
  [401, 'model.auth', false],
  [403, 'model.permission', false],
  [404, 'model.not_found', false],
  [408, 'model.timeout', true],
  [413, 'model.too_large', false],
  [422, 'model.bad_request', false],
  [429, 'model.rate_limited', true],
  [500, 'model.server_error', true],
  [503, 'model.server_error', true],
  [504, 'model.timeout', true],
  [529, 'model.overloaded', true],
];

type Check = (name: string, run: (stage: ConformanceStage) => Promise<void>) => ConformanceCheck;

export function failureChecks(check: Check, { namesAddress }: { namesAddress: boolean }): ConformanceCheck[] {
  return [
    ...STATUSES.map(([status, type, retryable]) =>
      check(`status ${status} is ${type}, ${retryable ? 'to be asked again' : 'for good'}`, async (stage) => {
        const failure = await failureOf(stage, { kind: 'status', status, message: 'as the server says' });
        expectFacts(failure, { type, retryable });
        if (failure.facts.status !== status) throw new Error(`Its status should be ${status}, and is ${failure.facts.status}.`);
      }),
    ),
    check('a wait that the vendor asks for is kept', async (stage) => {
      const failure = await failureOf(stage, { kind: 'status', status: 429, headers: { 'retry-after': '7' } });
      if (failure.facts.retryAfterMs !== 7000)
        throw new Error(`It should wait 7,000 ms, and waits ${failure.facts.retryAfterMs}.`);
    }),
    check('a connection that closes in the middle is to be asked again', async (stage) =>
      expectFacts(await failureOf(stage, { kind: 'cut' }), { type: 'model.network', retryable: true }),
    ),
    check('a stream that ends before the answer does is to be asked again', async (stage) =>
      expectFacts(await failureOf(stage, { kind: 'no-end' }), { type: 'model.network', retryable: true }),
    ),
    check('an error inside the stream counts as its type says', async (stage) => {
      const failure = await failureOf(stage, { kind: 'error-event' });
      if (!failure.facts.retryable) throw new Error(`An overload should be asked again: ${failure.message}`);
    }),
    check(
      `an answer that is none of the protocol fails for good${namesAddress ? ', and names the address' : ''}`,
      async (stage) => {
        const failure = await failureOf(stage, { kind: 'page' });
        expectFacts(failure, { type: 'model.protocol', retryable: false });
        if (namesAddress && !failure.message.includes(new URL(stage.server.baseUrl).origin))
          throw new Error(`It names no address: ${failure.message}`);
      },
    ),
    check('an answer that takes too long is a timeout', async (stage) => {
      const failure = await failureOf(stage, { kind: 'silence' }, 300);
      expectFacts(failure, { type: 'model.timeout', retryable: true });
    }),
    check("an abort ends the request with the caller's reason", endsByAbort),
    check('the key is in no message', async (stage) => {
      const failure = await failureOf(stage, { kind: 'status', status: 401, message: `bad key ${CONFORMANCE_KEY}` });
      if (`${failure.message}${JSON.stringify(failure.facts)}`.includes(CONFORMANCE_KEY))
        throw new Error('The message of the failure has the key.');
    }),
  ];
}

async function failureOf(stage: ConformanceStage, fault: WireFault, timeoutMs?: number): Promise<ModelFailure> {
  try {
    await stage.ask(
      { text: 'A rather long text, of which only a part arrives.', fault },
      timeoutMs === undefined ? {} : { timeoutMs },
    );
  } catch (error) {
    if (error instanceof ModelFailure) return error;
    throw new Error(`The provider threw something that is no ModelFailure: ${String(error)}`, { cause: error });
  }
  throw new Error(`The provider took an answer with the fault ${fault.kind} for a whole one.`);
}

function expectFacts({ facts, message }: ModelFailure, { type, retryable }: { type: string; retryable: boolean }): void {
  if (facts.type === type && facts.retryable === retryable) return;
  throw new Error(`It should be ${type}, retryable ${retryable}; it is ${facts.type}, retryable ${facts.retryable}: ${message}`);
}

async function endsByAbort(stage: ConformanceStage): Promise<void> {
  const controller = new AbortController();
  const reason = new Error('the turn was cancelled');
  setTimeout(() => controller.abort(reason), 100);
  const caught = await stage
    .ask({ text: 'Never whole.', fault: { kind: 'silence' } }, { signal: controller.signal })
    .catch((error: unknown) => error);
  if (caught !== reason) throw new Error(`It should end with the reason of the abort, and ends with ${String(caught)}.`);
}
