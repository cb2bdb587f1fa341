/** Whether a decision that a deputy signed counts here: by what the store and the policy say, beside the signatures. */
import { endedDeputyship, readDeputyshipEnd } from '../../record/deputies';
import type { ApprovalPolicy } from '../../shared/approval/policy';
import type { Store } from '../../store/store';
import type { TrustAnswer } from '../ports';

/** The answer, or why the deputyship that it rests on does not count. An end counts at once, also for decisions before it. */
export async function withDeputyship(
  { registers }: Pick<Store, 'registers'>,
  answer: TrustAnswer,
  channel: ApprovalPolicy['channel'],
): Promise<TrustAnswer> {
  const { deputyship } = answer;
  if (!answer.ok || deputyship === undefined) return answer;
  const { id, isRecord } = deputyship;
  if (isRecord && channel === 'attested')
    return { ok: false, reason: `only a gateway says that ${answer.principal} is a deputy; ${answer.on_behalf_of} must sign it` };
  const end = readDeputyshipEnd((await registers.read(endedDeputyship(id))).value);
  return end === null ? answer : { ok: false, reason: `the deputyship ${id} was ended at ${end.at} by ${end.by}` };
}
