/** Schedules: their times, their last turns, and what an administrator may do with them. */
import type { FiringView, ScheduleView } from '../../../../src/shapes/schedule';
import { get, newKey, post } from './http';

export type Schedule = ScheduleView;
export type Firing = FiringView;

const place = (name: string, act = '') => `v1/schedules/${encodeURIComponent(name)}${act}`;
const bodyOf = (note: string) => (note.trim() === '' ? {} : { note: note.trim() });

export const listSchedules = (): Promise<{ schedules: Schedule[] }> => get('v1/schedules');
export const readSchedule = (name: string): Promise<Schedule> => get<Schedule>(place(name));
export const pauseSchedule = (name: string, note: string): Promise<unknown> =>
  post(place(name, '/pause'), bodyOf(note), { key: newKey() });
export const resumeSchedule = (name: string, note: string): Promise<unknown> =>
  post(place(name, '/resume'), bodyOf(note), { key: newKey() });
export const triggerSchedule = (name: string, key: string): Promise<unknown> => post(place(name, '/trigger'), {}, { key });
