/** Sessions: conversations of many turns. */
import type { SessionSummary, SessionView } from '../../../../src/shapes/session';
import { get, newKey, post } from './http';

export type Session = Omit<SessionView, 'run_id'>;

const of = (session: string) => `v1/sessions/${encodeURIComponent(session)}`;

export const listSessions = (): Promise<{ sessions: SessionSummary[] }> => get('v1/sessions');
export const readSession = (session: string, signal: AbortSignal): Promise<Session> => get<Session>(of(session), { signal });
export const openSession = (agent: string, title: string, message: string, key: string): Promise<Session> =>
  post<Session>('v1/sessions', { agent, ...(title === '' ? {} : { title }), ...(message === '' ? {} : { message }) }, { key });
export const sayToSession = (
  session: string,
  message: string,
  resume: boolean,
  key: string,
): Promise<{ turn_id: string; ahead: number }> =>
  post(`${of(session)}/messages`, { message, ...(resume ? { resume: true } : {}) }, { key });
export const steerSession = (session: string, text: string, key: string): Promise<unknown> =>
  post(`${of(session)}/steer`, { text }, { key });
export const interruptSession = (session: string): Promise<unknown> => post(`${of(session)}/interrupt`, {}, { key: newKey() });
export const closeSession = (session: string): Promise<unknown> => post(`${of(session)}/close`, {}, { key: newKey() });
export const renameSession = (session: string, title: string): Promise<unknown> =>
  post(`${of(session)}/rename`, { title }, { key: newKey() });
