/**
 * The passkeys that people registered, in the registers of the store: one for each person, and a list of all. Nobody trusts what
 * stands here. A worker accepts a passkey by the enrolment in the decision alone; this is where the gateway finds it.
 */
import { randomBytes } from 'node:crypto';
import { plainName, samePerson } from '../shared/approval/approval';
import { asJson, isJsonObject, type Json } from '../shared/json/json';
import { sha256Hex } from '../shared/json/sha256';
import { StoreError, type Store } from '../store/store';
import { enrolmentBlock } from '../record/write-block';
import { enrolmentFault, enrols, readSignedEnrolment, type RegisteredPasskey } from './enrolment';
import { fingerprintOf } from './passkey-key';
import type { TrustEntry } from './trusted-keys';

export interface StoredPasskey extends RegisteredPasskey {
  kid: string;
  /** How the browser reaches the authenticator. */
  transports: string[];
  /** ISO 8601 */
  registered_at: string;
  /** As `SigningKey.token` made it; null: it waits for one. */
  enrolment: string | null;
  enrolled_at: string | null;
  /** Of the last assertion. */
  counter: number;
  /** Hash of the last assertion; null: there was none. */
  last: string | null;
}

export type NewPasskey = RegisteredPasskey & Pick<StoredPasskey, 'kid' | 'transports' | 'counter'>;

interface Person {
  principal: string;
  /** Challenges of registrations: hash, and when it expires, ms since 1970. */
  challenges: { hash: string; expires: number }[];
  passkeys: StoredPasskey[];
}

/** Whose passkey it is, by `kid`; and the hash of its credential's id. */
type Index = Record<string, { principal: string; credential: string }>;

export const CHALLENGE_MS = 5 * 60_000;
const MOST_CHALLENGES = 5;
export const MOST_PASSKEYS = 10;
const MOST_OF_ALL = 5000;
const ALL = 'kept/passkeys/all';

export class PasskeyRegister {
  constructor(private readonly store: Pick<Store, 'registers' | 'seal' | 'putBlocks'>) {}

  /** A challenge for one registration of this person, base64url. */
  async newChallenge(principal: string): Promise<string> {
    const challenge = randomBytes(32).toString('base64url');
    await this.change(principal, (person, now) => {
      const open = person.challenges.filter(({ expires }) => expires > now).slice(1 - MOST_CHALLENGES);
      return { ...person, challenges: [...open, { hash: sha256Hex(challenge), expires: now + CHALLENGE_MS }] };
    });
    return challenge;
  }

  /** Whether the challenge is open; it is used up. */
  takeChallenge(principal: string, challenge: string): Promise<boolean> {
    const hash = sha256Hex(challenge);
    return this.store.registers.update(nameOf(principal), (value, now) => {
      const person = personIn(value, principal);
      const isOpen = person.challenges.some((one) => one.hash === hash && one.expires > now);
      const challenges = person.challenges.filter((one) => one.hash !== hash);
      return { value: asJson({ ...person, challenges }), answer: isOpen };
    });
  }

  /** @returns why it was not added, or null */
  async add(passkey: NewPasskey): Promise<string | null> {
    const { kid, principal, credential_id } = passkey;
    const credential = sha256Hex(credential_id);
    const conflict = await this.store.registers.update<string | null>(ALL, (value) => {
      const index = indexIn(value);
      const isOther = ([key, one]: [string, Index[string]]) => key === kid || one.credential === credential;
      const other = Object.entries(index).find(isOther);
      if (other && !(other[0] === kid && samePerson(other[1].principal, principal)))
        return { answer: 'this passkey is registered already' };
      if (Object.keys(index).length >= MOST_OF_ALL) return { answer: `there are ${MOST_OF_ALL} passkeys already` };
      return { value: asJson({ ...index, [kid]: { principal, credential } }), answer: null };
    });
    if (conflict !== null) return conflict;
    const full = await this.store.registers.update<string | null>(nameOf(principal), (value, now) => {
      const person = personIn(value, principal);
      if (person.passkeys.some((one) => one.kid === kid)) return { answer: null };
      if (person.passkeys.length >= MOST_PASSKEYS)
        return { answer: `you have ${MOST_PASSKEYS} passkeys already; remove one that waits for its enrolment, or was revoked` };
      const registered_at = new Date(now).toISOString();
      const passkeys: StoredPasskey[] = [
        ...person.passkeys,
        { ...passkey, registered_at, enrolment: null, enrolled_at: null, last: null },
      ];
      return { value: asJson({ ...person, passkeys }), answer: null };
    });
    if (full !== null) await this.forget(kid);
    return full;
  }

  /** Those of one person. */
  async of(principal: string): Promise<StoredPasskey[]> {
    return personIn((await this.store.registers.read(nameOf(principal))).value, principal).passkeys;
  }

  /** Those of everybody, in the order of their `kid`. */
  async all(): Promise<StoredPasskey[]> {
    const index = indexIn((await this.store.registers.read(ALL)).value);
    const people = [...new Set(Object.values(index).map(({ principal }) => plainName(principal)))];
    const passkeys: StoredPasskey[] = [];
    for (const person of people) passkeys.push(...(await this.of(person)));
    return passkeys.sort((a, b) => (a.kid < b.kid ? -1 : 1));
  }

  async find(kid: string): Promise<StoredPasskey | null> {
    const index = indexIn((await this.store.registers.read(ALL)).value);
    const entry = Object.hasOwn(index, kid) ? index[kid] : undefined;
    return (entry && (await this.of(entry.principal)).find((one) => one.kid === kid)) ?? null;
  }

  /**
   * Records a signed enrolment, which enters it in the trail, and keeps it beside its passkey. What nobody here can check is not
   * kept: the trail would show it as an enrolment, and the person could neither decide with the passkey nor remove it.
   * @param keys those that are trusted here; the enroller's is among them
   * @returns why not, or null
   */
  async enrol(passkey: StoredPasskey, text: string, keys: readonly TrustEntry[]): Promise<string | null> {
    const signed = readSignedEnrolment(text);
    if (signed === null) return 'it does not have the form that `holdfast keys enroll` writes';
    if (!enrols(signed.enrolment, passkey)) return 'it enrols another passkey, person or site';
    const fault = enrolmentFault(signed, keys, Date.now());
    if (fault !== null) return fault;
    if (passkey.enrolment === text) return null;
    const { kid, principal } = passkey;
    const block = enrolmentBlock({ kid, principal, fingerprint: fingerprintOf(passkey.public) }, text, signed.enrolment.kid);
    const { now } = await this.store.registers.read(ALL);
    await this.store.putBlocks([this.store.seal('passkeys', { ...block, parent: null, at: new Date(now).toISOString() })]);
    await this.change(passkey.principal, (person, now) => ({
      ...person,
      passkeys: person.passkeys.map((one) =>
        one.kid === passkey.kid ? { ...one, enrolment: text, enrolled_at: new Date(now).toISOString() } : one,
      ),
    }));
    return null;
  }

  /**
   * Removes a passkey of this person: one that waits for its enrolment, or that was taken back.
   * @param wasTakenBack as far as it is known here
   * @returns why not, or null
   */
  async remove(principal: string, kid: string, wasTakenBack: (passkey: StoredPasskey) => boolean): Promise<string | null> {
    const fault = await this.store.registers.update<string | null>(nameOf(principal), (value) => {
      const person = personIn(value, principal);
      const passkey = person.passkeys.find((one) => one.kid === kid);
      if (passkey === undefined) return { answer: 'you have no such passkey' };
      if (passkey.enrolment !== null && !wasTakenBack(passkey))
        return { answer: 'it is enrolled: `holdfast keys revoke` takes it back, in the file of each worker' };
      return { value: asJson({ ...person, passkeys: person.passkeys.filter((one) => one !== passkey) }), answer: null };
    });
    if (fault === null) await this.forget(kid);
    return fault;
  }

  /**
   * Notes an assertion. A counter that is not 0 grows between different assertions; the same assertion may be sent again.
   * @param assertion its hash
   * @returns why it does not count, or null
   */
  count(principal: string, kid: string, counter: number, assertion: string): Promise<string | null> {
    return this.store.registers.update<string | null>(nameOf(principal), (value) => {
      const person = personIn(value, principal);
      const passkey = person.passkeys.find((one) => one.kid === kid);
      if (passkey === undefined) return { answer: 'you have no such passkey' };
      if (passkey.last === assertion) return { answer: null };
      if ((counter !== 0 || passkey.counter !== 0) && counter <= passkey.counter)
        return { answer: 'its counter did not grow: the assertion was used before, or the passkey was copied' };
      const passkeys = person.passkeys.map((one) => (one === passkey ? { ...one, counter, last: assertion } : one));
      return { value: asJson({ ...person, passkeys }), answer: null };
    });
  }

  private forget(kid: string): Promise<void> {
    return this.store.registers.update(ALL, (value) => {
      const { [kid]: _, ...rest } = indexIn(value);
      return { value: asJson(rest), answer: undefined };
    });
  }

  private change(principal: string, change: (person: Person, now: number) => Person): Promise<void> {
    return this.store.registers.update(nameOf(principal), (value, now) => ({
      value: asJson(change(personIn(value, principal), now)),
      answer: undefined,
    }));
  }
}

function nameOf(principal: string): string {
  return `kept/passkeys/of/${sha256Hex(plainName(principal))}`;
}

/** @throws StoreError `damaged` */
function personIn(value: Json, principal: string): Person {
  if (value === null) return { principal, challenges: [], passkeys: [] };
  if (isJsonObject(value) && Array.isArray(value.challenges) && Array.isArray(value.passkeys)) return value as unknown as Person;
  throw new StoreError('damaged', 'What a register of the store holds are no passkeys.');
}

/** @throws StoreError `damaged` */
function indexIn(value: Json): Index {
  if (value === null) return {};
  if (isJsonObject(value)) return value as unknown as Index;
  throw new StoreError('damaged', 'What a register of the store holds is no list of passkeys.');
}
