/** Deputies of the person, and those for whom the person decides. */
import { signal } from '@preact/signals';
import { samePerson } from '../../../../src/shared/approval/approval';
import { listDeputies, nameDeputy, readNamingChallenge, type Deputy, type Naming } from '../api/deputies';
import { ApiError } from '../api/http';
import { me } from './me';
import { arePasskeysKnown, hasPasskey, signWithPasskey } from './passkeys';

/** Null: not read yet, or this gateway has none. */
export const deputies = signal<Deputy[] | null>(null);

export async function refreshDeputies(): Promise<void> {
  const answer = await listDeputies().catch(() => null);
  deputies.value = answer?.deputies ?? null;
}

/** Those for whom the person decides now. */
export function ownSteads(): Deputy[] {
  const name = me.value?.principal ?? '';
  return (deputies.value ?? []).filter(({ deputy, state }) => state === 'active' && samePerson(deputy, name));
}

/** Signed by the person's passkey if there is one that counts; else the gateway records it. @throws ApiError */
export async function addDeputy(naming: Naming): Promise<void> {
  if (!(await arePasskeysKnown()))
    throw new ApiError(0, 'passkeys_unread', 'Your passkeys cannot be read, and nothing was sent.', 'Try again in a moment.');
  if (!hasPasskey()) {
    await nameDeputy(naming);
    return;
  }
  const { statement, options } = await readNamingChallenge(naming);
  await nameDeputy({ passkey: { statement, response: await signWithPasskey(options) } });
}
