/** `holdfast sign`: signs a decision or a message to a turn, and prints the JSON for the signal. */
import type { Command } from 'commander';
import { jsonValue } from './answer';
import type { Json, JsonObject } from '../shared/json/json';
import { outcomeOf } from './settle';
import { signedSteer } from './steer';
import { CALL, CALL_TEXT, several, signerOptions, type DecideOptions } from './support/decide-options';
import { UsageError } from './support/exit';
import { jsonObject } from './support/json-option';
import type { Output } from './support/output';
import { withClient } from './support/with-client';
import { optional } from '../shared/json/optional';

const DECISIONS = ['approve', 'deny', 'settle', 'edit', 'answer'] as const;

interface SignOptions extends DecideOptions {
  input?: JsonObject;
  value?: Json;
  steer?: string;
}

/** The JSON to paste, the signal that it is for, and the key that signed it. */
interface Paste {
  value: JsonObject;
  signal: string;
  kid: string;
}

export function sign(program: Command, output: () => Output): void {
  signerOptions(
    program
      .command('sign')
      .description(
        'Signs a decision, or a message to the turn, and prints the JSON to paste into the signal of that name; an edit goes into `approve`. Changes nothing.',
      )
      .argument('<turn>')
      .argument('[decision]', DECISIONS.join(' | '))
      .argument('[outcome]', 'of settle: applied | not_applied')
      .option(CALL, CALL_TEXT, several, []),
    'who decides',
  )
    .option('--note <text>', 'goes beside the decision, and is signed with it')
    .option('--input <json>', 'of edit: the whole other input', jsonObject)
    .option('--value <json>', 'of answer: the answer, as JSON', jsonValue)
    .option('--steer <text>', 'instead of a decision: what the model shall read')
    .action(async (turnId: string, decision: string | undefined, outcome: string | undefined, options: SignOptions) => {
      const { value, signal, kid } =
        options.steer === undefined
          ? await signedDecision(turnId, decision, outcome, options)
          : await signedMessage(turnId, options.steer, decision, options);
      output().answer(value, [JSON.stringify(value, null, 2)]);
      if (!output().json) output().note(`Signed with key ${kid}. Paste it into the signal \`${signal}\` of ${turnId}.`);
    });
}

async function signedMessage(turnId: string, text: string, decision: string | undefined, options: SignOptions): Promise<Paste> {
  const { call, note, input, value } = options;
  if (decision !== undefined || call.length > 0 || [note, input, value].some((one) => one !== undefined))
    throw new UsageError('--steer goes without a decision, --call, --note, --input and --value.');
  const { statement, kid } = await withClient(async (client) => signedSteer(await client.turnNamed(turnId), text, options));
  return { value: { text, ...statement }, signal: 'steer', kid };
}

async function signedDecision(
  turnId: string,
  decision: string | undefined,
  outcome: string | undefined,
  options: SignOptions,
): Promise<Paste> {
  const { call, note, input } = options;
  const signing = { ...what(decision, outcome, options), calls: call };
  if (call.length === 0) throw new UsageError('A decision names its calls: --call DIGEST, see `holdfast pending`.');
  const [{ loadConfig }, { signerOf }, { signDecisions }] = await Promise.all([
    import('../config.js'),
    import('./support/signer.js'),
    import('../client/approvals/attest.js'),
  ]);
  const { key, principal, roles } = await signerOf(loadConfig(), options);
  const noteField: { note?: string } = note === undefined ? {} : { note };
  const whole = { ...signing, ...noteField, principal, roles };
  const decisions = await withClient(async (client) => signDecisions(await client.turnNamed(turnId), key, whole));
  const calls = decisions.map((one) => one.call);
  const attestations = decisions.map(({ attestation }) => attestation);
  const value: JsonObject = {
    ...(calls.length === 1 ? { call: calls[0]! } : { calls }),
    by: principal,
    ...optional({ note, input, outcome: signing.outcome, value: signing.value }),
    attestation: attestations.length === 1 ? attestations[0]! : attestations,
  };
  return { value, signal: decision === 'edit' ? 'approve' : signing.decision, kid: key.kid };
}

/** @throws UsageError for a combination that is not allowed */
function what(decision: string | undefined, outcome: string | undefined, { input, value, call }: SignOptions) {
  const kind = DECISIONS.find((name) => name === decision);
  if (kind === undefined)
    throw new UsageError(`decision is ${JSON.stringify(decision ?? '')}; it must be ${DECISIONS.join(', ')}.`);
  if ((kind === 'settle') !== (outcome !== undefined))
    throw new UsageError('An outcome, applied or not_applied, goes with settle.');
  if ((kind === 'edit') !== (input !== undefined)) throw new UsageError('--input, the whole other input, goes with edit.');
  if ((kind === 'answer') !== (value !== undefined)) throw new UsageError('--value, the answer, goes with answer.');
  if (kind === 'answer' && call.length > 1) throw new UsageError('An answer is for one question: give --call once.');
  return {
    decision: kind,
    ...(outcome === undefined ? {} : { outcome: outcomeOf(outcome) }),
    ...optional({ input, value }),
  };
}
