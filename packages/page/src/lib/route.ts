/** The page's addresses: what stands behind `#`, which never reaches a server. */

export type Route =
  | { page: 'inbox' }
  | { page: 'call'; turn: string; digest: string }
  | { page: 'turns' }
  | { page: 'turn'; turn: string }
  | { page: 'sessions' }
  | { page: 'session'; session: string }
  | { page: 'agents' }
  | { page: 'agent'; agent: string }
  | { page: 'schedules' }
  | { page: 'schedule'; schedule: string }
  | { page: 'budgets' }
  | { page: 'trail' }
  | { page: 'audit'; turn: string | null }
  | { page: 'me' }
  | { page: 'unknown'; hash: string };

const PLAIN = ['turns', 'sessions', 'agents', 'schedules', 'budgets', 'trail', 'me'] as const;

/** @param hash with or without its `#` */
export function readRoute(hash: string): Route {
  const parts = hash.replace(/^#?\/?/, '').split('/');
  const decoded = parts.map(decode);
  if (decoded.includes(null)) return { page: 'unknown', hash };
  const [first, second, third, fourth] = decoded as string[];
  const count = parts.length;
  if (count === 1 && (first === '' || first === 'inbox')) return { page: 'inbox' };
  const plain = PLAIN.find((name) => name === first);
  if (count === 1 && plain) return { page: plain };
  if (count === 1 && first === 'audit') return { page: 'audit', turn: null };
  if (second === undefined || second === '') return { page: 'unknown', hash };
  if (count === 2 && first === 'turns') return { page: 'turn', turn: second };
  if (count === 2 && first === 'sessions') return { page: 'session', session: second };
  if (count === 2 && first === 'agents') return { page: 'agent', agent: second };
  if (count === 2 && first === 'schedules') return { page: 'schedule', schedule: second };
  if (count === 2 && first === 'audit') return { page: 'audit', turn: second };
  if (count === 4 && first === 'turns' && third === 'calls' && /^[0-9a-f]{12,64}$/.test(fourth!))
    return { page: 'call', turn: second, digest: fourth! };
  return { page: 'unknown', hash };
}

export function writeRoute(route: Route): string {
  switch (route.page) {
    case 'inbox':
      return '#/';
    case 'call':
      return `#/turns/${encodeURIComponent(route.turn)}/calls/${route.digest}`;
    case 'turn':
      return `#/turns/${encodeURIComponent(route.turn)}`;
    case 'session':
      return `#/sessions/${encodeURIComponent(route.session)}`;
    case 'agent':
      return `#/agents/${encodeURIComponent(route.agent)}`;
    case 'schedule':
      return `#/schedules/${encodeURIComponent(route.schedule)}`;
    case 'audit':
      return route.turn === null ? '#/audit' : `#/audit/${encodeURIComponent(route.turn)}`;
    case 'unknown':
      return route.hash;
    default:
      return `#/${route.page}`;
  }
}

/** Null: it is not a well-formed address. */
function decode(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}
