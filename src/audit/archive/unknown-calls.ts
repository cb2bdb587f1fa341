/**
 * What was kept outside of a store, and says more than the store: bundles of turns, and the log of workers. After a restore to an
 * earlier time these are the only ones of ours that know what happened later. A call that they name must not run again.
 */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { readEffectRecord } from '../../record/effect';
import { isJsonObject, type Json } from '../../shared/json/json';
import { ENDS, unknownContent } from '../format/whole-file';
import { parseJson } from '../../shared/json/parse-json';
import type { TrailState } from '../../store/core/trail';
import type { Store } from '../../store/store';
import type { BundleArchive } from './bundle-archive';

/** Whether the call had its effect, from what says least to what says most. */
const STATES = ['approved', 'not_applied', 'in_doubt', 'applied'] as const satisfies TrailState[];
type KnownState = (typeof STATES)[number];

/** A destructive call of which the store knows less. */
export interface UnknownCall {
  turn_id: string;
  tool: string;
  /** Its beginning, as commands take it. */
  digest: string;
  state: KnownState;
  /** ISO 8601. */
  at: string;
  /** The bundle or log that says it. */
  from: string;
}

export interface Comparison {
  calls: UnknownCall[];
  /** Bundles of turns whose end the store does not know. */
  bundles: { name: string; turn_id: string }[];
  read: { bundles: number; log_lines: number };
}

/** As many characters of a digest as the log has. */
const DIGEST_LENGTH = 12;
/** The end of a line of a bundle that says something here. */
const TELLING_LINE = /"kind":"(effect|turn_end)","n":\d+,"prev":"[0-9a-f]{64}"\}$/;
/** What a store has in its trail where it knows as much. */
const AS_MUCH: Readonly<Record<KnownState, readonly TrailState[]>> = {
  approved: ['approved', 'dispatched'],
  not_applied: ['not_applied'],
  in_doubt: ['in_doubt', 'applied', 'not_applied'],
  applied: ['applied'],
};

/**
 * @param logs files with the lines of workers; lines that are not JSON are passed over
 * @throws Error for a bundle that is encrypted, or not whole
 */
export async function compareWithStore(
  store: Store,
  archive: BundleArchive | null,
  logs: readonly string[],
): Promise<Comparison> {
  const latest = new Map<string, UnknownCall>();
  const bundles: Comparison['bundles'] = [];
  const read = { bundles: 0, log_lines: 0 };
  const add = (call: UnknownCall) => {
    const name = `${call.turn_id} ${call.digest}`;
    const before = latest.get(name);
    if (before === undefined || STATES.indexOf(call.state) > STATES.indexOf(before.state)) latest.set(name, call);
  };
  if (archive !== null)
    for await (const { name, path, turn_id } of archive.list()) {
      read.bundles++;
      const { calls, heads } = await readBundle(path, name);
      calls.forEach(add);
      for (const head of heads) if (!(await isThere(store, head))) bundles.push({ name, turn_id });
    }
  for (const path of logs)
    for await (const line of linesOf(path)) {
      read.log_lines++;
      const call = callOfLine(line, path);
      if (call !== null) add(call);
    }
  const calls: UnknownCall[] = [];
  for (const call of latest.values()) if (!(await knows(store, call))) calls.push(call);
  return { calls: calls.sort((a, b) => (a.at < b.at ? -1 : 1)), bundles, read };
}

async function readBundle(path: string, name: string): Promise<{ calls: UnknownCall[]; heads: string[] }> {
  const calls: UnknownCall[] = [];
  const heads: string[] = [];
  let [beginning, end] = ['', ''];
  for await (const line of linesOf(path)) {
    beginning ||= line.slice(0, ENDS);
    end = line;
    if (!TELLING_LINE.test(line)) continue;
    const { kind, body } = parseJson(line) as { kind: string; body: { record?: Json; head?: string | null } };
    if (kind === 'turn_end') {
      if (body.head) heads.push(body.head);
      continue;
    }
    const record = readEffectRecord(body.record ?? null);
    if (typeof record === 'string') throw new Error(`${path} has an effect record that cannot be read: ${record}`);
    const { turn_id, tool, digest, updated_at: at } = record;
    const state = record.state === 'claimed' || record.state === 'pending' ? 'in_doubt' : record.state;
    if (state !== 'refused') calls.push({ turn_id, tool, digest: digest.slice(0, DIGEST_LENGTH), state, at, from: name });
  }
  const fault = unknownContent({ beginning, end });
  if (fault !== null) throw new Error(`${path} ${fault}. Decrypt it, or restore it from a backup, or move it out of the folder`);
  return { calls, heads };
}

/** Null: the line is about something else. */
function callOfLine(line: string, from: string): UnknownCall | null {
  const value = objectOf(line);
  if (value === null) return null;
  const { turn_id, tool, digest, time, decision, effect, class: toolClass } = value;
  const state =
    decision === 'approve' ? 'approved' : toolClass === 'destructive' ? STATES.find((one) => one === effect) : undefined;
  const texts = [turn_id, tool, digest, time];
  if (state === undefined || !texts.every((text) => typeof text === 'string')) return null;
  const [turn, of, short, at] = texts as [string, string, string, string];
  return { turn_id: turn, tool: of, digest: short.slice(0, DIGEST_LENGTH), state, at, from };
}

function objectOf(line: string): { [name: string]: Json } | null {
  try {
    const value = parseJson(line);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

async function knows({ trail }: Store, { turn_id, digest, state }: UnknownCall): Promise<boolean> {
  let cursor: string | null = null;
  do {
    const page = await trail.query({ turn: turn_id, limit: 1000, ...(cursor === null ? {} : { cursor }) });
    if (page.entries.some((entry) => entry.digest?.startsWith(digest) && AS_MUCH[state].includes(entry.state))) return true;
    cursor = page.next_cursor;
  } while (cursor !== null);
  return false;
}

async function isThere(store: Store, head: string): Promise<boolean> {
  try {
    await store.getBlock(head);
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === 'not_found') return false;
    throw error;
  }
}

async function* linesOf(path: string): AsyncGenerator<string> {
  yield* createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Infinity });
}
