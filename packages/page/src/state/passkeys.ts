/** Signing with a passkey: the browser asks the person, and the authenticator signs exactly this decision. */
import { signal } from '@preact/signals';
import { ApiError } from '../api/http';
import { creationOptions, listPasskeys, registerPasskey, type Passkey } from '../api/passkeys';
import { fromBase64url, toBase64url } from '../lib/base64url';

/** Null: not read yet, or they cannot be read. */
export const passkeys = signal<Passkey[] | null>(null);
let reading: Promise<void> = Promise.resolve();

/** An enroller can have made a passkey count since it was read: whatever offers a decision reads them again. */
export function refreshPasskeys(): Promise<void> {
  reading = listPasskeys()
    .catch(() => null)
    .then((answer) => void (passkeys.value = answer?.passkeys ?? null));
  return reading;
}

/** Waits for the answer, since a person can be faster; asks once more where there was none. */
export async function arePasskeysKnown(): Promise<boolean> {
  await reading;
  if (passkeys.value === null) await refreshPasskeys();
  return passkeys.value !== null;
}

export function hasPasskey(): boolean {
  return passkeys.value?.some(({ state }) => state === 'enrolled') ?? false;
}

const descriptors = (list: PublicKeyCredentialDescriptorJSON[] | undefined) =>
  (list ?? []).map(({ id, transports, type }) => ({
    id: fromBase64url(id),
    type: type as PublicKeyCredentialType,
    ...(transports ? { transports: transports as AuthenticatorTransport[] } : {}),
  }));

/** @throws ApiError if the person declines, or no passkey fits */
export async function signWithPasskey(options: PublicKeyCredentialRequestOptionsJSON): Promise<object> {
  const { challenge, rpId, timeout, allowCredentials } = options;
  const credential = await ask(() =>
    navigator.credentials.get({
      publicKey: {
        challenge: fromBase64url(challenge),
        allowCredentials: descriptors(allowCredentials),
        userVerification: 'required',
        ...(rpId === undefined ? {} : { rpId }),
        ...(timeout === undefined ? {} : { timeout }),
      },
    }),
  );
  const { authenticatorData, clientDataJSON, signature, userHandle } = credential.response as AuthenticatorAssertionResponse;
  return {
    ...message(credential),
    response: {
      authenticatorData: toBase64url(authenticatorData),
      clientDataJSON: toBase64url(clientDataJSON),
      signature: toBase64url(signature),
      ...(userHandle === null ? {} : { userHandle: toBase64url(userHandle) }),
    },
  };
}

/** Makes a passkey. It counts once somebody who may enrol it has signed that it is this person's. */
export async function registerNewPasskey(): Promise<void> {
  const options = await creationOptions();
  const { rp, user, challenge, pubKeyCredParams, timeout, excludeCredentials, authenticatorSelection, attestation } = options;
  const credential = await ask(() =>
    navigator.credentials.create({
      publicKey: {
        rp,
        user: { ...user, id: fromBase64url(user.id) },
        challenge: fromBase64url(challenge),
        pubKeyCredParams: pubKeyCredParams.map(({ alg }) => ({ alg, type: 'public-key' as const })),
        excludeCredentials: descriptors(excludeCredentials),
        ...(timeout === undefined ? {} : { timeout }),
        ...(authenticatorSelection === undefined ? {} : { authenticatorSelection }),
        ...(attestation === undefined ? {} : { attestation: attestation as AttestationConveyancePreference }),
      },
    }),
  );
  const response = credential.response as AuthenticatorAttestationResponse;
  await registerPasskey({
    ...message(credential),
    response: {
      attestationObject: toBase64url(response.attestationObject),
      clientDataJSON: toBase64url(response.clientDataJSON),
      transports: response.getTransports(),
    },
  });
}

function message(credential: PublicKeyCredential): object {
  const { id, rawId, type, authenticatorAttachment } = credential;
  return {
    ...{ id, type, rawId: toBase64url(rawId), clientExtensionResults: credential.getClientExtensionResults() },
    ...(authenticatorAttachment === null ? {} : { authenticatorAttachment }),
  };
}

async function ask(request: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  if (!window.isSecureContext || navigator.credentials === undefined)
    throw new ApiError(
      0,
      'no_passkeys',
      'This browser has no passkeys here.',
      'Open the page over https, in a browser that has passkeys.',
    );
  try {
    const credential = await request();
    if (credential instanceof PublicKeyCredential) return credential;
  } catch (error) {
    const why = error instanceof Error ? error.message : '';
    throw new ApiError(0, 'passkey_refused', 'The passkey did not sign, and nothing was sent.', why === '' ? 'Try again.' : why);
  }
  throw new ApiError(0, 'passkey_refused', 'The passkey did not sign, and nothing was sent.', 'Try again.');
}
