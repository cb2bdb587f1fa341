/** Who uses the page, and how that person signed in. */
import { get, post } from './http';

export interface Me {
  principal: string;
  roles: string[];
  sign_in: 'oidc' | 'token' | 'bearer';
  csrf: string | null;
  idle_expires_at: string | null;
  expires_at: string | null;
}

export interface SignInWays {
  oidc: boolean;
  tokens: boolean;
  /** Null: there is no provider. */
  provider_answers?: boolean | null;
}

export const readMe = (): Promise<Me> => get<Me>('v1/me');
export const readSignInWays = (): Promise<SignInWays> => get<SignInWays>('v1/sign-in');
export const signInWith = (token: string): Promise<unknown> => post('v1/sign-in', { token });
/** @returns where to sign out of the provider too; null: nowhere */
export const signOut = (): Promise<{ next: string | null }> => post('v1/sign-out');
