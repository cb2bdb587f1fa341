/** The beginning and the end of a schedule's firing: its budget of model cost, and the signature under the start of its turn. */
import { ApplicationFailure } from '@temporalio/activity';
import { hashJson } from '../shared/json/digests';
import { asJson, type Json } from '../shared/json/json';
import { workflowId } from '../shared/ids';
import { spanInWords } from './cron';
import {
  costRegister,
  firingTurnId,
  scheduleId,
  type BeginFiringInput,
  type BeginFiringOutput,
  type CostBudget,
  type EndFiringInput,
  type EndFiringOutput,
  type ScheduleSettings,
} from '../shared/schedule';
import { scheduleSettings } from './definition';
import type { PreparedAgent } from '../tools/catalogue/registry';
import type { Dependencies } from '../activities/ports';

/** Until so long after its time, an app's firing waits for a worker that knows it: in a deploy, workers of both releases take it. */
const WAITS_MS = 30 * 60_000;
const FIRING_WAITS = 'holdfast.firing_waits';

/**
 * A worker signs only what its own app defines: otherwise anybody who can start workflows could have any message signed. A schedule that was made
 * by a command is not signed, so it starts no turn of an agent that takes signed decisions only.
 * @param wantsSignatures whether turns of the agent take signed starts only
 * @throws ApplicationFailure `holdfast.firing_waits`, for Temporal to try again, perhaps on another worker
 */
export async function beginFiring(
  deps: Dependencies,
  input: BeginFiringInput,
  wantsSignatures: (agent: PreparedAgent) => boolean,
): Promise<BeginFiringOutput> {
  const { schedule, origin, turn_id, scheduled_at } = input;
  const { name, agent, message, cost } = schedule;
  if (cost !== null) {
    const sum = await costWithin(deps, name, cost);
    if (sum >= cost.cost_usd) return { begin: false, reason: budgetReason(sum, cost) };
  }
  const prepared = deps.registry.agent(agent);
  const isOwn = deps.registry.schedules.some((own) => hashJson(asJson(scheduleSettings(own))) === hashJson(asJson(schedule)));
  if (prepared !== undefined) {
    const isNamed = turn_id === firingTurnId(name, Date.parse(scheduled_at));
    const about = { workflow_id: workflowId(turn_id), agent, requester: scheduleId(name), message_hash: hashJson(message) };
    const attestation = isOwn && isNamed ? await deps.signStart?.(about) : undefined;
    if (attestation !== undefined) return { begin: true, attestation };
    if (!wantsSignatures(prepared)) return { begin: true };
  }
  const why = !isOwn
    ? 'this schedule is not in the app of the worker with these settings; define it there'
    : 'the worker has no key to sign it with (HOLDFAST_SIGNING_KEY)';
  const reason =
    prepared === undefined
      ? `The app of the worker has no agent ${agent}.`
      : `Turns of ${agent} take signed starts only, and ${why}.`;
  const isUnknown = prepared === undefined || !isOwn;
  if (isUnknown && origin === 'app' && Date.now() < Date.parse(scheduled_at) + WAITS_MS)
    throw ApplicationFailure.retryable(`${reason} The firing waits for another worker.`, FIRING_WAITS);
  return { begin: false, reason };
}

/**
 * May be repeated: a turn's cost counts once. Anybody who can schedule activities can call it with any input. So the app's budget
 * counts before that of the input, and only turns with the id of a firing count.
 */
export async function endFiring(deps: Dependencies, { schedule, turn_id, within_ms }: EndFiringInput): Promise<EndFiringOutput> {
  const end = await deps.turnEnds.look({ turn_id, session_id: null, within_ms });
  if (end.state === 'running') return end;
  if (end.state === 'lost') return { state: 'failed', reason: end.reason };
  const { name } = schedule;
  const cost = budgetOf(deps, schedule);
  const { cost_usd } = end.usage;
  if (cost !== null && isTurnOf(name, turn_id) && Number.isFinite(cost_usd) && cost_usd >= 0)
    await addCost(deps, name, cost, { turn_id, cost_usd });
  return { state: end.state, reason: end.reason };
}

function budgetOf({ registry }: Pick<Dependencies, 'registry'>, { name, cost }: ScheduleSettings): CostBudget | null {
  const own = registry.schedules.find((one) => one.name === name);
  return own === undefined ? cost : scheduleSettings(own).cost;
}

/** Whether the id is that of a firing (`firingTurnId`). */
function isTurnOf(name: string, turnId: string): boolean {
  return turnId.startsWith(`${name}-`) && /^\d{8}T\d{6}Z$/.test(turnId.slice(name.length + 1));
}

interface TurnCost {
  turn_id: string;
  /** ms since 1970 */
  at: number;
  cost_usd: number;
}

/** Beyond, the oldest two become one, which counts until the later of them leaves the window. */
const MOST_COSTS = 2000;

async function costWithin({ store }: Pick<Dependencies, 'store'>, name: string, { window_ms }: CostBudget): Promise<number> {
  const { value, now } = await store.registers.read(costRegister(name));
  return within(value, now - window_ms).reduce((sum, { cost_usd }) => sum + cost_usd, 0);
}

async function addCost(
  { store }: Pick<Dependencies, 'store'>,
  name: string,
  { window_ms }: CostBudget,
  cost: Omit<TurnCost, 'at'>,
): Promise<void> {
  await store.registers.update<null>(costRegister(name), (value, now) => {
    const costs = within(value, now - window_ms);
    if (costs.some(({ turn_id }) => turn_id === cost.turn_id)) return { answer: null };
    const all = [...costs, { ...cost, at: now }];
    return { value: asJson(all.length > MOST_COSTS ? withoutOldest(all) : all), answer: null };
  });
}

function withoutOldest([oldest, next, ...others]: TurnCost[]): TurnCost[] {
  return [{ ...next!, cost_usd: oldest!.cost_usd + next!.cost_usd }, ...others];
}

function within(value: Json, since: number): TurnCost[] {
  return ((value ?? []) as unknown as TurnCost[]).filter(({ at }) => at > since);
}

function budgetReason(sum: number, { cost_usd, window_ms }: CostBudget): string {
  return `The budget of this schedule is spent: its turns cost ${sum.toFixed(4)} USD in the last ${spanInWords(window_ms)}, and ${cost_usd} are allowed.`;
}
