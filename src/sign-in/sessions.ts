/**
 * Sign-ins of people at the page. A browser has a random id of 256 bits in a cookie; the store has a register under the id's hash, so
 * that a reader of the store cannot sign in with what he finds. A gateway signs each register, so that a writer of the store cannot make
 * one. All gateways of a store know all sign-ins, also after a restart. None of them keeps one in memory, so that a sign-out counts
 * everywhere at once.
 */
import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { GatewayWord, Seal, Statement } from '../attestation/gateway-key';
import type { SignInLimits } from '../config/sign-in';
import { isJsonObject, type Json } from '../shared/json/json';
import type { RegisterStore } from '../store/store';

/** What a person has proved. Roles are not in it: they follow from the settings of now, at each request. */
export type Proof = { by: 'token'; token_sha256: string } | { by: 'oidc'; issuer: string; principal: string; groups: string[] };

export interface SignIn {
  id: string;
  proof: Proof;
  /** Ms since 1970: when it ends without a request, and when it ends in any case. */
  idleEnds: number;
  ends: number;
}

interface SignInRecord extends Seal {
  v: 'holdfast.sign-in/1';
  proof: Proof;
  since: number;
  /** It moves, so it is not signed. */
  seen: number;
  ends: number;
}

const ID = /^[A-Za-z0-9_-]{43}$/;
/** A request changes the time of the last one no more often, or a busy page would write with each request. */
const SEEN_EVERY_MS = 60_000;

export class SignIns {
  constructor(
    private readonly registers: RegisterStore,
    private readonly limits: SignInLimits,
    private readonly word: GatewayWord,
  ) {}

  /** @param atMost when the provider of the proof wants it to end, ms since 1970; null: it does not say */
  async begin(proof: Proof, atMost: number | null = null): Promise<SignIn> {
    const id = randomBytes(32).toString('base64url');
    const { idleMs, longestMs } = this.limits;
    return this.registers.update(registerOf(hashOfId(id)), (_nothing, now) => {
      const ends = Math.min(now + longestMs, atMost ?? Infinity);
      const seal = this.word.say(statementOf(id, { proof, since: now, ends }));
      const record = { v: 'holdfast.sign-in/1', proof, since: now, seen: now, ends, ...seal } satisfies SignInRecord;
      return { value: { ...record }, answer: { id, proof, ends, idleEnds: Math.min(now + idleMs, ends) } };
    });
  }

  /**
   * @param isUse whether the request counts as one of the person, and puts the idle limit off
   * @returns null: there is none, or none any more
   */
  async find(id: string, isUse: boolean): Promise<SignIn | null> {
    if (!ID.test(id)) return null;
    const name = registerOf(hashOfId(id));
    const { value, now } = await this.registers.read(name);
    const record = this.alive(value, now);
    if (record === null || !(await this.word.check())(statementOf(id, record), value)) return null;
    const { idleMs } = this.limits;
    const late = now - record.seen >= Math.min(SEEN_EVERY_MS, idleMs / 4);
    if (isUse && late) {
      // Nothing is written into one that has been ended in the meantime: it must not come back.
      const touch = (current: Json, at: number) => {
        const still = this.alive(current, at);
        return still === null ? { answer: false } : { value: { ...still, seen: at }, answer: true };
      };
      if (!(await this.registers.update(name, touch))) return null;
    }
    const { proof, ends } = record;
    return { id, proof, ends, idleEnds: Math.min((isUse && late ? now : record.seen) + idleMs, ends) };
  }

  async end(idHash: string): Promise<void> {
    await this.registers.update(registerOf(idHash), (current) => (current === null ? { answer: null } : NO_SIGN_IN));
  }

  private alive(value: Json, now: number): SignInRecord | null {
    if (!isJsonObject(value) || value.v !== 'holdfast.sign-in/1') return null;
    const record = value as unknown as SignInRecord;
    return now < record.ends && now - record.seen < this.limits.idleMs ? record : null;
  }
}

function statementOf(id: string, { proof, since, ends }: Pick<SignInRecord, 'proof' | 'since' | 'ends'>): Statement {
  return { v: 'holdfast.gateway-says/sign-in', id_hash: hashOfId(id), proof, since, ends };
}

const NO_SIGN_IN = { value: null, answer: null };

export function hashOfId(id: string): string {
  return createHash('sha256').update(id).digest('hex');
}

function registerOf(idHash: string): string {
  return `sign-in/${idHash}`;
}

/** What a page sends with each request that changes something. A page of another site cannot know it, nor can a reader of the store. */
export function csrfTokenOf(id: string): string {
  return createHmac('sha256', id).update('holdfast csrf').digest('base64url');
}
