/** Sends a decision: through the gateway if one is configured, signed if a key is named, else under a name. */
import { decidedCalls, describeDecision } from '../../client/approvals/watch-pending';
import { userName, type DecideOptions } from './decide-options';
import { decideThroughGateway } from './gateway-client';
import { withClient } from './with-client';
import type { Deciding, DecisionResult } from './decision';
import { nameOfVote } from '../../shared/approval/approval';
import { optional } from '../../shared/json/optional';

/** @throws DecisionNotAccepted with the reason */
export async function decide(deciding: Deciding, options: DecideOptions): Promise<DecisionResult> {
  const { loadConfig } = await import('../../config.js');
  const config = loadConfig();
  if (options.key === undefined && config.gateway !== null) return decideThroughGateway(config.gateway, deciding, options);

  const { turn: id, decision, outcome, input, value, on_behalf_of, deputyship } = deciding;
  const note = options.note === undefined ? {} : { note: options.note };
  const inputField = input === undefined ? {} : { input };
  return withClient(async (client) => {
    const turn = await client.turnNamed(id);
    if (options.key !== undefined) {
      const [{ signerOf }, { signAndDecide }] = await Promise.all([
        import('./signer.js'),
        import('../../client/approvals/attest.js'),
      ]);
      const { key, principal, roles } = await signerOf(config, options);
      const what = { decision, ...inputField, ...note, ...optional({ outcome, value, deputyship }) };
      await signAndDecide(turn, key, { ...what, calls: options.call, principal, roles });
      return { by: principal, calls: await decidedCalls(turn, options.call) };
    }
    const by = { by: options.by ?? userName(), ...note };
    if (decision === 'approve') await turn.approve(options.call, { ...by, ...inputField, ...optional({ on_behalf_of }) });
    else if (decision === 'deny') await turn.deny(options.call, by);
    else if (decision === 'answer') await turn.answer(options.call[0]!, value!, by);
    else await turn.settle(options.call, outcome!, by);
    return { by: by.by, calls: await decidedCalls(turn, options.call) };
  });
}

/** The result, as a value and as lines for people. */
export function describeAcceptance(
  { decision, outcome, input, on_behalf_of }: Deciding,
  { call }: DecideOptions,
  { by, calls }: DecisionResult,
): [object, string[]] {
  const what = input === undefined ? (outcome === undefined ? decision : `${decision} as ${outcome}`) : 'edit';
  const callField = call.length === 1 ? { call: call[0] } : { calls: call };
  const value = { accepted: true, ...callField, by, ...optional({ on_behalf_of, outcome }), now: calls };
  const whose = nameOfVote({ by, ...optional({ on_behalf_of }) });
  const standing = (digest: string) => {
    const match = calls.find((one) => one.digest.startsWith(digest));
    return match === undefined ? '' : `: ${describeDecision(match)}`;
  };
  return [value, call.map((digest) => `Accepted: ${what} ${digest} by ${whose}${standing(digest)}.`)];
}
