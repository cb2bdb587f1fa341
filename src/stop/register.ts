/**
 * Freezes destructive calls, ends freezes, and withdraws approvals. Each change stands in the register when its promise resolves, so no
 * worker begins a call that it forbids more than a second later (activities/checks/stop-switch.ts), and then in the trail.
 */
import { readStop, STOP_REGISTER, type Freeze, type FrozenScope, type StopState, type Withdrawal } from '../record/stop';
import { stopBlock, type StopAct } from '../record/write-block';
import { samePerson } from '../shared/approval/approval';
import { asJson } from '../shared/json/json';
import type { Store } from '../store/store';

/** Freezes at once, and people whose approvals were withdrawn: a worker reads the register before each destructive call. */
const MOST_FREEZES = 100;
const MOST_WITHDRAWALS = 1000;

/** There is no room for more. */
export class StopRegisterFull extends Error {
  override readonly name = 'StopRegisterFull';
}

export class StopRegister {
  constructor(private readonly store: Pick<Store, 'registers' | 'seal' | 'putBlocks'>) {}

  async read(): Promise<StopState> {
    return readStop((await this.store.registers.read(STOP_REGISTER)).value);
  }

  /** What is frozen already stays as it is. @returns the freeze, and whether it is new. @throws StopRegisterFull */
  async freeze(scope: FrozenScope, by: string, reason: string): Promise<{ freeze: Freeze; isNew: boolean }> {
    const answer = await this.change<{ freeze: Freeze; isNew: boolean } | null>((state, at) => {
      const found = state.freezes.find((one) => isSame(one, scope));
      if (found) return { answer: { freeze: found, isNew: false } };
      if (state.freezes.length >= MOST_FREEZES) return { answer: null };
      const freeze = { ...scope, at, by, reason };
      return { state: { ...state, freezes: [...state.freezes, freeze] }, answer: { freeze, isNew: true } };
    });
    if (answer === null) throw new StopRegisterFull(`There are ${MOST_FREEZES} freezes already: freeze everything, or end some.`);
    if (answer.isNew) await this.record('frozen', scope, { by, reason, at: answer.freeze.at });
    return answer;
  }

  /** @returns the freeze that has ended; null: this was not frozen */
  async unfreeze(scope: FrozenScope, by: string, reason: string): Promise<Freeze | null> {
    const end = await this.change<{ freeze: Freeze; at: string } | null>((state, at) => {
      const freeze = state.freezes.find((one) => isSame(one, scope));
      if (freeze === undefined) return { answer: null };
      return { state: { ...state, freezes: state.freezes.filter((one) => one !== freeze) }, answer: { freeze, at } };
    });
    if (end === null) return null;
    await this.record('unfrozen', scope, { by, reason, at: end.at });
    return end.freeze;
  }

  /** Withdraws what this person has approved until now and has not been dispatched. @throws StopRegisterFull */
  async withdraw(approver: string, by: string, reason: string): Promise<Withdrawal> {
    const withdrawal = await this.change<Withdrawal | null>((state, at) => {
      const others = state.withdrawals.filter((one) => !samePerson(one.approver, approver));
      if (others.length >= MOST_WITHDRAWALS) return { answer: null };
      const answer = { approver, at, by, reason };
      return { state: { ...state, withdrawals: [...others, answer] }, answer };
    });
    if (withdrawal === null) throw new StopRegisterFull(`The approvals of ${MOST_WITHDRAWALS} people were withdrawn already.`);
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

function isSame(one: FrozenScope, other: FrozenScope): boolean {
  return one.scope === other.scope && one.name === other.name;
}
