/** Signing in: with the organisation's provider, or with a token of the gateway. */
import { useState } from 'preact/hooks';
import { addressOf } from '../api/http';
import { readSignInWays, signInWith } from '../api/session';
import { ErrorNotice, Notice, Reading } from '../parts/notice';
import { useAction, useLoad } from '../parts/use-load';
import { refreshMe } from '../state/me';

export function SignInPage({ ended }: { ended: boolean }) {
  const ways = useLoad('ways', readSignInWays);
  const [token, setToken] = useState('');
  const action = useAction();
  const submit = (event: Event) => {
    event.preventDefault();
    void action.run(async () => {
      await signInWith(token.trim());
      setToken('');
      await refreshMe();
    });
  };
  return (
    <main class="alone" id="content">
      <h1>
        <span class="brand">holdfast</span>
      </h1>
      <p class="lead">What agents want to do, and what people say to it.</p>
      {ended && (
        <Notice tone="warn" title="You were signed out">
          <p>Your session has ended. Sign in again; nothing that you had decided is lost.</p>
        </Notice>
      )}
      {ways.error && <ErrorNotice error={ways.error} retry={ways.reload} />}
      {!ways.data && !ways.error && <Reading />}
      {ways.data?.provider_answers === false && (
        <Notice tone="warn" title="Your organisation’s sign-in does not answer now">
          <p>Try again in a moment. If it stays so, tell the people who run this gateway.</p>
        </Notice>
      )}
      {ways.data?.oidc && (
        <a class="button primary wide" href={addressOf('sign-in/oidc')}>
          Sign in with your organisation
        </a>
      )}
      {ways.data?.oidc && ways.data.tokens && <p class="or">or</p>}
      {ways.data?.tokens && (
        <form onSubmit={submit}>
          <label for="token">Token</label>
          <input
            id="token"
            type="password"
            autocomplete="current-password"
            spellcheck={false}
            required
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
            aria-describedby="token-hint"
          />
          <p id="token-hint" class="hint">
            It begins with <code>hft_</code>. You got it from the people who run this gateway.
          </p>
          <button type="submit" class={ways.data.oidc ? 'wide' : 'primary wide'} disabled={action.busy}>
            Sign in
          </button>
        </form>
      )}
      {ways.data && !ways.data.oidc && !ways.data.tokens && (
        <Notice tone="warn" title="Nobody can sign in here yet">
          <p>The gateway has neither tokens (HOLDFAST_TOKENS) nor a provider (HOLDFAST_OIDC_ISSUER).</p>
        </Notice>
      )}
      <ErrorNotice error={action.error} />
    </main>
  );
}
