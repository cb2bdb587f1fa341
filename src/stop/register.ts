/**
 * Freezes destructive calls, ends freezes, and withdraws approvals. Each change stands in the register when its promise resolves, so no
 * worker begins a call that it forbids more than a second later (activities/checks/stop-switch.ts), and then in the trail.
 */
import {
  isUnreadable,
  readStop,
  readStopFrom,
  STOP_REGISTER,
  type Freeze,
  type FrozenScope,
  type StopState,
  type Withdrawal,
} from '../record/stop';
import { stopBlock, type StopAct } from '../record/write-block';
import { plainName, samePerson } from '../shared/approval/approval';
import { tenantOf } from '../shared/ids';
import { asJson } from '../shared/json/json';
import type { Store } from '../store/store';

/** Freezes at once, and people whose approvals were withdrawn: a worker reads the register before each destructive call. */
const MOST_FREEZES = 100;
const MOST_WITHDRAWALS = 1000;
/** The same by admins of one tenant, and by admins of all tenants together: the rest is for those of the installation. */
const MOST_OF_TENANT = 50;
const MOST_OF_TENANTS = 900;

/** The register cannot take this: it is full, or it cannot be read. */
export class StopRefusal extends Error {
  override readonly name = 'StopRefusal';
}

export class StopRegister {
  constructor(private readonly store: Pick<Store, 'registers' | 'seal' | 'putBlocks'>) {}

  async read(): Promise<StopState> {
    return readStopFrom(this.store.registers);
  }

  /**
   * What is frozen already stays as it is. There is always room for the freeze of everything.
   * @returns the freeze, and whether it is new. @throws StopRefusal
   */
  async freeze(scope: FrozenScope, by: string, reason: string): Promise<{ freeze: Freeze; isNew: boolean }> {
    const answer = await this.change<{ freeze: Freeze; isNew: boolean } | null>((state, at) => {
      const found = state.freezes.find((one) => isSame(one, scope));
      // A tenant ends its own freeze: one by somebody who sees all tenants takes its place.
      const stays = found !== undefined && (tenantOf(found.by) === null || tenantOf(by) !== null);
      if (stays) return { answer: { freeze: found, isNew: false } };
      checkReadable(state);
      if (scope.scope !== 'all' && state.freezes.length >= MOST_FREEZES) return { answer: null };
      const freeze = { ...scope, at, by, reason };
      const others = state.freezes.filter((one) => one !== found);
      return { state: { ...state, freezes: [...others, freeze] }, answer: { freeze, isNew: true } };
    });
    if (answer === null) throw new StopRefusal(`There are ${MOST_FREEZES} freezes already: freeze everything, or end some.`);
    if (answer.isNew) await this.record('frozen', scope, { by, reason, at: answer.freeze.at });
    return answer;
  }

  /** @returns the freeze that has ended; null: this was not frozen. @throws StopRefusal for somebody of a tenant whom the operator has frozen */
  async unfreeze(scope: FrozenScope, by: string, reason: string): Promise<Freeze | null> {
    const end = await this.change<{ freeze: Freeze; at: string } | null>((state, at) => {
      const freeze = state.freezes.find((one) => isSame(one, scope));
      if (freeze === undefined) return { answer: null };
      if (tenantOf(by) !== null && tenantOf(freeze.by) === null)
        throw new StopRefusal(`${freeze.by} has frozen this tenant; somebody who sees all tenants ends it`);
      return { state: { ...state, freezes: state.freezes.filter((one) => one !== freeze) }, answer: { freeze, at } };
    });
    if (end === null) return null;
    await this.record('unfrozen', scope, { by, reason, at: end.at });
    return end.freeze;
  }

  /** Withdraws what this person has approved until now and has not been dispatched. @throws StopRefusal */
  async withdraw(approver: string, by: string, reason: string): Promise<Withdrawal> {
    const withdrawal = await this.change<Withdrawal | null>((state, at) => {
      checkReadable(state);
      const others = state.withdrawals.filter((one) => !samePerson(one.approver, approver));
      if (!hasRoom(others, by)) return { answer: null };
      const answer = { approver, at, by, reason };
      return { state: { ...state, withdrawals: [...others, answer] }, answer };
    });
    if (withdrawal === null)
      throw new StopRefusal('The approvals of too many people were withdrawn already: freeze their tenant, or everything.');
    await this.record('approvals_withdrawn', { approver }, { by, reason, at: withdrawal.at });
    return withdrawal;
  }

  private change<T>(change: (state: StopState, at: string) => { state?: StopState; answer: T }): Promise<T> {
    return this.store.registers.update<T>(STOP_REGISTER, (value, now) => {
      const { state, answer } = change(readStop(value), new Date(now).toISOString());
      return { ...(state === undefined ? {} : { value: asJson(state) }), answer };
    });
  }

  private async record(
    act: StopAct,
    about: FrozenScope | { approver: string },
    { by, reason, at }: { by: string; reason: string; at: string },
  ): Promise<void> {
    const block = stopBlock(act, about, by, reason);
    await this.store.putBlocks([this.store.seal('stop', { ...block, parent: null, at })]);
  }
}

/** A tenant's name counts in any spelling that means the same tenant. */
function isSame(one: FrozenScope, other: FrozenScope): boolean {
  if (one.scope !== other.scope) return false;
  return one.scope === 'tenant' ? plainName(one.name) === plainName(other.name) : one.name === other.name;
}

function hasRoom(withdrawals: readonly Withdrawal[], by: string): boolean {
  const tenant = tenantOf(by);
  if (tenant === null) return withdrawals.length < MOST_WITHDRAWALS;
  const own = withdrawals.filter((one) => tenantOf(one.by) === tenant);
  return own.length < MOST_OF_TENANT && withdrawals.length < MOST_OF_TENANTS;
}

/** @throws StopRefusal: a change would lose what stands in the register */
function checkReadable(state: StopState): void {
  if (isUnreadable(state))
    throw new StopRefusal(
      `The register ${STOP_REGISTER} cannot be read, so everything is frozen; the end of that freeze forgets what it has.`,
    );
}
