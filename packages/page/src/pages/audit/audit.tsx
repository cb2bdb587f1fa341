/** Audit: verify a bundle in the browser, read its report, and ask what other rules would have decided. */
import { useState } from 'preact/hooks';
import { addressOf, getText } from '../../api/http';
import { bundleOf, reportOf } from '../../api/turns';
import { bytes } from '../../lib/format';
import { Title } from '../../parts/layout';
import { ErrorNotice, Notice, Reading, type Tone } from '../../parts/notice';
import { Words } from '../../parts/text';
import { useAction } from '../../parts/use-load';
import { mayAudit } from '../../state/me';
import { goTo } from '../../state/route';
import { verifyFile, type Verdict } from '../../verifier';
import { WhatIf } from './what-if';

export function AuditPage({ turn }: { turn: string | null }) {
  return (
    <>
      <Title title="Audit">Audit</Title>
      {mayAudit.value && <OfTurn turn={turn} />}
      <Verify turn={turn} />
      {turn !== null && mayAudit.value && <WhatIf turn={turn} />}
    </>
  );
}

function OfTurn({ turn }: { turn: string | null }) {
  const [id, setId] = useState(turn ?? '');
  return (
    <form
      class="check"
      onSubmit={(event) => {
        event.preventDefault();
        goTo({ page: 'audit', turn: id.trim() });
      }}
    >
      <label for="audit-turn">Turn</label>
      <input id="audit-turn" required value={id} onInput={({ currentTarget: { value } }) => setId(value)} />
      <div class="actions">
        <button type="submit">Choose this turn</button>
        {turn !== null && (
          <>
            <a class="button" href={addressOf(bundleOf(turn))} download>
              Download its bundle
            </a>
            <a class="button" href={addressOf(reportOf(turn))} download>
              Download its report
            </a>
          </>
        )}
      </div>
    </form>
  );
}

const TONES: Record<Verdict['verdict'], Tone> = {
  intact: 'good',
  unwitnessed: 'warn',
  signer_unknown: 'warn',
  contradictory: 'bad',
  broken: 'bad',
};

function Verify({ turn }: { turn: string | null }) {
  const [trust, setTrust] = useState('');
  const [source, setSource] = useState<string | null>(null);
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  const action = useAction();
  const verify = (name: string, read: () => Promise<Blob>) => {
    setVerdict(null);
    void action.run(async () => {
      const file = await read();
      setSource(`${name}, ${bytes(file.size)}`);
      setVerdict(await verifyFile(file, trust));
    });
  };
  return (
    <section class="check">
      <h2>Verify a bundle</h2>
      <p class="hint">
        The verifier runs in this browser, and the bundle does not leave it. For evidence before others, verify offline with keys
        that you have from somebody whom you trust.
      </p>
      <label for="trust">Keys that you trust</label>
      <p class="hint" id="trust-about">
        The JSON that <code>holdfast keys export</code> prints. Without it the signer is unknown.
      </p>
      <textarea
        id="trust"
        class="code"
        rows={3}
        aria-describedby="trust-about"
        spellcheck={false}
        value={trust}
        onInput={({ currentTarget: { value } }) => setTrust(value)}
      />
      <label for="bundle">Bundle (.jsonl)</label>
      <input
        id="bundle"
        type="file"
        accept=".jsonl"
        disabled={action.busy}
        onChange={({ currentTarget: { files } }) => {
          const file = files?.[0];
          if (file) verify(file.name, async () => file);
        }}
      />
      {turn !== null && mayAudit.value && (
        <button
          type="button"
          class="primary"
          disabled={action.busy}
          onClick={() => verify(`the bundle of turn ${turn}`, async () => new Blob([await getText(bundleOf(turn))]))}
        >
          Verify the bundle of this turn
        </button>
      )}
      {action.busy && <Reading what="Verifying" />}
      <ErrorNotice error={action.error} />
      {verdict && (
        <div role="status">
          <Notice tone={verdict.verdict === 'intact' && verdict.complete === false ? 'warn' : TONES[verdict.verdict]}>
            <p class="notice-title">
              <Words of={verdict.sentences[0] ?? verdict.verdict} />
            </p>
            <p>
              <Words of={source} />
            </p>
            <ul>
              {verdict.sentences.slice(1).map((sentence) => (
                <li>
                  <Words of={sentence} />
                </li>
              ))}
            </ul>
          </Notice>
        </div>
      )}
    </section>
  );
}
