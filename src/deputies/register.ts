/**
 * The deputies that people named, in the registers of the store: a list of all, and each signed statement. Nobody trusts what stands
 * here, but for ends: a worker accepts a deputy by the statement in the decision alone, and refuses one whose period was ended.
 */
import { deputyshipId, readSignedDeputyship, type SignedDeputyship } from '../attestation/deputyship';
import { deputyBlock } from '../record/write-block';
import { endedDeputyship, readDeputyshipEnd, type DeputyshipEnd } from '../record/deputies';
import { samePerson } from '../shared/approval/approval';
import { tenantOf } from '../shared/ids';
import { asJson, isJsonObject, type Json, type JsonObject } from '../shared/json/json';
import { StoreError, type Store } from '../store/store';

export interface StoredDeputyship {
  id: string;
  signed: SignedDeputyship;
  /** As it was signed. */
  text: string;
  /** ISO 8601 */
  named_at: string;
  /** Who brought the statement. */
  named_by: string;
  /** Null: it lasts as long as it says. */
  end: DeputyshipEnd | null;
}

/** By id: who, for whom, and until when, seconds since 1970. */
type Index = Record<string, { deputy: string; for: string; until: number }>;

/** Of one person, that are not over; of the people of one tenant; and of everybody. */
const MOST_OF_ONE = 20;
const MOST_OF_TENANT = 200;
const MOST_OF_ALL = 2000;
/** How long they are listed once they are over, ms. */
const LISTED_MS = 90 * 24 * 3_600_000;
/** A period that begins later than this from now would stay in the list for ever, ms. */
const LATEST_BEGIN_MS = 366 * 24 * 3_600_000;
const ALL = 'kept/deputies/all';

export class DeputyRegister {
  constructor(private readonly store: Pick<Store, 'registers' | 'seal' | 'putBlocks'>) {}

  /** Keeps a signed statement, and enters it in the trail. @returns why not, or null */
  async add(text: string, by: string): Promise<string | null> {
    const signed = readSignedDeputyship(text);
    if (signed === null) return 'it does not have the form that `holdfast deputies add` writes';
    const { deputyship, hash } = signed;
    const id = deputyshipId(hash);
    const fault = await this.store.registers.update<string | null>(ALL, (value, now) => {
      const index = withoutOld(indexIn(value), now);
      const own = Object.values(index).filter((one) => samePerson(one.for, deputyship.for) && one.until * 1000 > now);
      if (deputyship.until * 1000 <= now) return { answer: 'its period is over' };
      if (index[id] === undefined && own.length >= MOST_OF_ONE) return { answer: `there are ${MOST_OF_ONE} deputies already` };
      const tenant = tenantOf(deputyship.for);
      const ofTenant = Object.values(index).filter((one) => tenant !== null && tenantOf(one.for) === tenant);
      if (index[id] === undefined && ofTenant.length >= MOST_OF_TENANT)
        return { answer: `there are ${MOST_OF_TENANT} deputies in this tenant already` };
      if (deputyship.from * 1000 > now + LATEST_BEGIN_MS) return { answer: 'its period begins more than a year from now' };
      if (Object.keys(index).length >= MOST_OF_ALL) return { answer: `there are ${MOST_OF_ALL} deputies already` };
      const { deputy, for: person, until } = deputyship;
      return { value: asJson({ ...index, [id]: { deputy, for: person, until } }), answer: null };
    });
    if (fault !== null) return fault;
    const isNew = await this.enterOnce(nameOf(id), (at) => ({ text, named_at: at, named_by: by }));
    if (isNew) await this.record(signed, { signed: text }, by);
    return null;
  }

  /** Ends it before its time. What was ended is not begun again. */
  async end({ id, signed }: StoredDeputyship, by: string): Promise<void> {
    const isNew = await this.enterOnce(endedDeputyship(id), (at) => ({ at, by }));
    if (isNew) await this.record(signed, { ended: true }, by);
  }

  /** Those of which the names fit, by the beginning of their period. */
  async all(fits: (names: { deputy: string; for: string }) => boolean = () => true): Promise<StoredDeputyship[]> {
    const index = indexIn((await this.store.registers.read(ALL)).value);
    const ids = Object.keys(index).filter((id) => fits(index[id]!));
    const found = (await Promise.all(ids.map((id) => this.find(id)))).flatMap((one) => one ?? []);
    return found.sort((a, b) => a.signed.deputyship.from - b.signed.deputyship.from);
  }

  async find(id: string): Promise<StoredDeputyship | null> {
    const [{ value }, ended] = await Promise.all([
      this.store.registers.read(nameOf(id)),
      this.store.registers.read(endedDeputyship(id)),
    ]);
    if (value === null) return null;
    const { text, named_at, named_by } = isJsonObject(value) ? value : {};
    const signed = typeof text === 'string' ? readSignedDeputyship(text) : null;
    if (signed === null || typeof named_at !== 'string' || typeof named_by !== 'string' || typeof text !== 'string')
      throw new StoreError('damaged', 'What a register of the store holds is no deputyship.');
    return { id, signed, text, named_at, named_by, end: readDeputyshipEnd(ended.value) };
  }

  /** What a register holds already stays. @returns whether it held nothing */
  private enterOnce(name: string, make: (at: string) => JsonObject): Promise<boolean> {
    return this.store.registers.update(name, (value, now) =>
      value === null ? { value: make(new Date(now).toISOString()), answer: true } : { answer: false },
    );
  }

  private async record(
    { hash, deputyship }: SignedDeputyship,
    what: Parameters<typeof deputyBlock>[1],
    by: string,
  ): Promise<void> {
    const block = deputyBlock({ id: deputyshipId(hash), person: deputyship.for, hash }, what, by);
    const { now } = await this.store.registers.read(ALL);
    await this.store.putBlocks([this.store.seal('deputies', { ...block, parent: null, at: new Date(now).toISOString() })]);
  }
}

function withoutOld(index: Index, now: number): Index {
  return Object.fromEntries(Object.entries(index).filter(([, { until }]) => until * 1000 > now - LISTED_MS));
}

function nameOf(id: string): string {
  return `kept/deputies/one/${id}`;
}

/** @throws StoreError `damaged` */
function indexIn(value: Json): Index {
  if (value === null) return {};
  if (isJsonObject(value)) return value as unknown as Index;
  throw new StoreError('damaged', 'What a register of the store holds is no list of deputies.');
}
