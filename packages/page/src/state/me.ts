/** The person who uses the page, and what this person may do. The gateway enforces it; the page only hides the rest. */
import { computed, signal } from '@preact/signals';
import { asApiError, csrfToken, onSignedOut, type ApiError } from '../api/http';
import { readMe, signOut as endSession, type Me } from '../api/session';

export type SignIn = { is: 'unknown' } | { is: 'out'; ended: boolean } | { is: 'in'; me: Me } | { is: 'failed'; error: ApiError };

export const signIn = signal<SignIn>({ is: 'unknown' });

export const me = computed<Me | null>(() => (signIn.value.is === 'in' ? signIn.value.me : null));

const has = (...roles: string[]) => computed(() => me.value?.roles.some((role) => roles.includes(role)) ?? false);

export const mayDecide = has('approver');
export const mayStart = has('starter', 'admin');
export const mayAudit = has('auditor', 'admin');
export const isAdmin = has('admin');
/** Sees what others have started. */
export const seesAll = has('approver', 'auditor', 'admin');

/** Schedules belong to the operator, whose principals have no tenant. */
export const seesSchedules = computed(() => seesAll.value && !(me.value?.principal.includes('/') ?? true));

/** Whether a turn is one's own to steer and to cancel. */
export function mayManage(requester: string): boolean {
  return isAdmin.value || (mayStart.value && me.value?.principal === requester);
}

export async function refreshMe(): Promise<void> {
  try {
    const found = await readMe();
    csrfToken.value = found.csrf;
    signIn.value = { is: 'in', me: found };
  } catch (error) {
    const wrong = asApiError(error);
    signIn.value = wrong.status === 401 ? { is: 'out', ended: false } : { is: 'failed', error: wrong };
  }
}

export async function signOut(): Promise<void> {
  const { next } = await endSession();
  csrfToken.value = null;
  signIn.value = { is: 'out', ended: false };
  if (next !== null && /^https?:/.test(next)) location.assign(next);
}

onSignedOut.call = () => {
  if (signIn.value.is === 'in') signIn.value = { is: 'out', ended: true };
  csrfToken.value = null;
};
