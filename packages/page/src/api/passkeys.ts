/** Passkeys and deputies of the person. */
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
export const creationOptions = (): Promise<PublicKeyCredentialCreationOptionsJSON> => post('v1/passkeys/options');
export const registerPasskey = (response: object): Promise<unknown> => post('v1/passkeys', { response }, { key: newKey() });
export const removePasskey = (id: string): Promise<unknown> => remove(`v1/passkeys/${encodeURIComponent(id)}`);

export interface Deputy {
  id: string;
  principal: string;
  deputy: string;
  from: string;
  until: string;
  ended_at?: string | null;
}

export const listDeputies = (): Promise<{ deputies: Deputy[] }> => get('v1/deputies');
export const nameDeputy = (deputy: string, from: string, until: string): Promise<unknown> =>
  post('v1/deputies', { deputy, from, until }, { key: newKey() });
export const endDeputy = (id: string): Promise<unknown> => remove(`v1/deputies/${encodeURIComponent(id)}`);
