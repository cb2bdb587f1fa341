/**
 * Where an entry stands in the trail: `<UTC day>/<name>.json`. The name begins with what orders entries (time, turn, call,
 * revision, kind), so that a page is read in the order of positions, and ends with a hash of all that the entry says but its
 * block: the same entry again, also from another block that a lost attempt left, has the same position.
 */
import { canonical } from '../shared/canonical';
import { sha256 } from './seal';
import { TRAIL_KINDS, type TrailEntry } from './trail';

const DAY = /^\d{4}-\d\d-\d\d$/;
const NAME = /^(\d\d)-(\d\d)-(\d\d)\.(\d{3})_[0-9a-f]{12}_\d{6}-\d{6}_\d{6}_\d_[0-9a-f]{32}\.json$/;

export function positionOf({ block: _, ...said }: TrailEntry): string {
  const [step = '', index = ''] = said.call_id.split('.');
  const call = `${step.padStart(6, '0')}-${index.padStart(6, '0')}`;
  const revision = String(said.revision).padStart(6, '0');
  const turn = sha256(said.workflow_id).slice(0, 12);
  return `${beginOf(said.at)}_${turn}_${call}_${revision}_${TRAIL_KINDS.indexOf(said.kind)}_${sha256(canonical(said)).slice(0, 32)}.json`;
}

/** What no position from this time on comes before. @param at full ISO 8601, as entries have it */
export function beginOf(at: string): string {
  return `${at.slice(0, 10)}/${at.slice(11, 23).replaceAll(':', '-')}`;
}

export function isDay(text: string): boolean {
  return DAY.test(text);
}

export function isPosition(text: string): boolean {
  return text.length < 200 && isDay(text.split('/')[0]!) && timeIn(text) !== null;
}

/** The time in a position, as ISO 8601; null where its name is none of an entry. */
export function timeIn(position: string): string | null {
  const [day = '', name = ''] = position.split('/');
  const [, hours, minutes, seconds, ms] = NAME.exec(name) ?? [];
  return hours === undefined ? null : `${day}T${hours}:${minutes}:${seconds}.${ms}Z`;
}
