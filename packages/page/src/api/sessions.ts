/** Sessions: conversations of many turns. */
import type { SessionSummary, SessionView } from '../../../../src/shapes/session';
import { get, newKey, post } from './http';

export type Session = Omit<SessionView, 'run_id'>;

const of = (session: string) => `v1/sessions/${encodeURIComponent(session)}`;

export const listSessions = (): Promise<{ sessions: SessionSummary[] }> => get('v1/sessions');
export const readSession = (session: string): Promise<Session> => get<Session>(of(session));
export const openSession = (agent: string, title: string, message: string): Promise<Session> =>
  post<Session>(
    'v1/sessions',
    { agent, ...(title === '' ? {} : { title }), ...(message === '' ? {} : { message }) },
    { key: newKey() },
  );
export const sayToSession = (session: string, message: string, resume: boolean): Promise<{ turn_id: string; ahead: number }> =>
  post(`${of(session)}/messages`, { message, ...(resume ? { resume: true } : {}) }, { key: newKey() });
export const steerSession = (session: string, text: string): Promise<unknown> =>
  post(`${of(session)}/steer`, { text }, { key: newKey() });
export const interruptSession = (session: string): Promise<unknown> => post(`${of(session)}/interrupt`, {}, { key: newKey() });
export const closeSession = (session: string): Promise<unknown> => post(`${of(session)}/close`, {}, { key: newKey() });
export const renameSession = (session: string, title: string): Promise<unknown> =>
  post(`${of(session)}/rename`, { title }, { key: newKey() });
