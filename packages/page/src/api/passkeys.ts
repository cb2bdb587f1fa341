/** Passkeys: those of the person, and those that wait for their enrolment. */
import type { PasskeyView } from '../../../../src/shapes/passkey';
import { get, newKey, post, remove } from './http';

export interface Passkey {
  id: string;
  /** SHA-256 of the public key: the person and the enroller compare it. */
  fingerprint: string;
  state: 'waiting' | 'enrolled' | 'revoked';
  registered_at: string;
  enrolled_at: string | null;
  roles: string[];
}

export const listPasskeys = (): Promise<{ passkeys: Passkey[] }> => get('v1/passkeys');
/** For admins: of everybody. */
export const listWaitingPasskeys = (): Promise<{ passkeys: PasskeyView[] }> => get('v1/passkeys/waiting');
export const creationOptions = (): Promise<PublicKeyCredentialCreationOptionsJSON> => post('v1/passkeys/options');
export const registerPasskey = (response: object): Promise<unknown> => post('v1/passkeys', { response }, { key: newKey() });
export const removePasskey = (id: string): Promise<unknown> => remove(`v1/passkeys/${encodeURIComponent(id)}`);
