/** Deputies: those of the person, and those for whom the person is one. */
import type { DeputyView } from '../../../../src/shapes/deputy';
import type { JsonObject } from '../../../../src/shared/json/json';
import { get, newKey, post, remove } from './http';

export type Deputy = DeputyView;

export interface Naming {
  deputy: string;
  /** ISO 8601 */
  from: string;
  until: string;
}

export interface NamingChallenge {
  /** Comes back with what the passkey signed, unchanged. */
  statement: JsonObject;
  options: PublicKeyCredentialRequestOptionsJSON;
}

export const listDeputies = (): Promise<{ deputies: Deputy[] }> => get('v1/deputies');
export const readNamingChallenge = (naming: Naming): Promise<NamingChallenge> => post('v1/deputies/challenge', naming);
export const nameDeputy = (body: Naming | { passkey: object }): Promise<Deputy> => post('v1/deputies', body, { key: newKey() });
export const endDeputy = (id: string): Promise<unknown> => remove(`v1/deputies/${encodeURIComponent(id)}`);
