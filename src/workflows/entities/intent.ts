/**
 * Workflow of one intent (shared/intent.ts): grants a call's claim to an act, or names the calls that own it. It runs for the
 * whole window, because Temporal deletes closed workflows after the namespace's retention. Workers claim by update-with-start, so
 * that the server orders concurrent claims.
 */
import {
  ApplicationFailure,
  continueAsNew,
  defineQuery,
  defineUpdate,
  setHandler,
  setWorkflowOptions,
  workflowInfo,
} from '@temporalio/workflow';
import {
  claimIntent,
  closeIntent,
  endOf,
  holds,
  type ClaimAnswer,
  type IntentClaim,
  type IntentClose,
  type IntentOwner,
} from '../../shared/intent';
import { isJsonObject, type Json, jsonBytes } from '../../shared/json/json';
import { INTENT_UPDATES, OWNERS_QUERY, type IntentInput } from '../contract';
import { condition } from '../sandbox/condition';
import { onSignals } from '../sandbox/signals';

/** Updates per run. Temporal allows 2,000, but a replay handles all updates of a run at once. */
const MOST_UPDATES = 200;
/** A worker starts and claims it in one request. One that was started by hand, without a claim, ends. */
const FIRST_CLAIM_MS = 60_000;
const LONGEST_TEXT = 500;
/** The same in bytes of JSON: an entity has a hundred of them. */
const TEXT_BYTES = 1_500;
const ACCEPTED_LIMIT = 100;
const LONGEST_WINDOW = 31 * 24 * 3_600_000;

export async function intent(input: IntentInput): Promise<void> {
  let { owners, until } = input;
  let updates = 0;
  const full = () => updates >= MOST_UPDATES || workflowInfo().continueAsNewSuggested;
  onSignals(() => undefined); // it takes no signals

  setHandler(defineQuery<IntentOwner[]>(OWNERS_QUERY), () => owners, { description: 'The calls that own this intent.' });
  setHandler(
    defineUpdate<ClaimAnswer, [IntentClaim]>(INTENT_UPDATES.claim),
    (claim) => {
      updates += 1;
      const { next, ...answer } = claimIntent(owners, claim, Date.now());
      owners = next;
      if (answer.granted) until = Math.max(until, Date.now() + claim.window_ms);
      return answer;
    },
    { validator: checkClaim, description: 'Lets a call through to its effect, or names the owners.' },
  );
  setHandler(
    defineUpdate<void, [IntentClose]>(INTENT_UPDATES.close),
    (close) => {
      updates += 1;
      owners = closeIntent(owners, close);
    },
    { validator: checkClose, description: 'Says how the call of an owner ended.' },
  );

  await condition(() => updates > 0 || owners.length > 0 || until > 0, FIRST_CLAIM_MS);
  for (;;) {
    const present = owners.filter((owner) => holds(owner, Date.now()));
    const open = until > Date.now();
    const end = open ? until : Math.max(0, ...present.map(endOf));
    if (end <= Date.now()) return;
    // After the window it runs only for owners that are under way or in doubt, and for new claims.
    const isOver = () => !open && (until > Date.now() || !owners.some((owner) => holds(owner, Date.now())));
    await condition(() => full() || isOver(), end - Date.now());
    if (full()) await continueAsNew<typeof intent>({ owners, until });
  }
}

// It outlives a deployed version: each release takes it over. From a worker without a version the server does not accept this.
setWorkflowOptions(
  () => (workflowInfo().currentDeploymentVersion?.deploymentName ? { versioningBehavior: 'AUTO_UPGRADE' as const } : {}),
  intent,
);

/** Anybody who can reach Temporal can send an update: a malformed one is refused before it gets into history. */
function checkClaim(claim: unknown): void {
  const read = claim as Json;
  const fits =
    isJsonObject(read) &&
    isJsonObject(read.owner) &&
    ['key', 'digest', 'turn_id', 'call_id', 'requester'].every((name) => isText((read.owner as Record<string, Json>)[name])) &&
    typeof read.window_ms === 'number' &&
    read.window_ms > 0 &&
    read.window_ms <= LONGEST_WINDOW &&
    Array.isArray(read.accepted) &&
    read.accepted.length <= ACCEPTED_LIMIT &&
    read.accepted.every(isText);
  if (!fits) throw ApplicationFailure.nonRetryable('This is no claim of an intent', 'holdfast.bad_claim');
}

function checkClose(close: unknown): void {
  const read = close as Json;
  const fits = isJsonObject(read) && isText(read.key) && (read.effect === 'applied' || read.effect === 'not_applied');
  if (!fits) throw ApplicationFailure.nonRetryable('This is no end of a call', 'holdfast.bad_close');
}

function isText(value: Json | undefined): boolean {
  return typeof value === 'string' && value.length <= LONGEST_TEXT && jsonBytes(value) <= TEXT_BYTES;
}
