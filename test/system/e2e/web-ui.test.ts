/**
 * Temporal's own Web UI as people use it, by clicking, in a real browser: approval as the product promises it; decisions that only
 * signatures make, where what `holdfast sign` prints is pasted; and the inbox, whose screenshot is the picture of docs/inbox.md:
 * `HOLDFAST_SCREENSHOTS=docs/images npx jest --config test/jest.config.cjs test/system/e2e/web-ui -t inbox`.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import type { BrowserContext } from 'playwright-core';
import { trustedEntry } from '../../../src/attestation/gateway-key';
import { SigningKey } from '../../../src/attestation/signing-key';
import { updateTrustedKeys } from '../../../src/attestation/trusted-keys';
import { HoldfastClient } from '../../../src/client';
import { signAndDecide, signDecisions, type Signing } from '../../../src/client/approvals/attest';
import { loadConfig } from '../../../src/config';
import { readDevState } from '../../../src/devserver/state-file';
import type { TurnView } from '../../../src/shared/turn/turn-view';
import { eventually, listedAsWaiting } from '../../engine/support/engine';
import { describeInBrowser, Home } from '../support/browser';
import { startCounter, type Counter } from '../support/fault-counter';
import { Gates } from '../support/fault-gates';
import { replayAll } from '../support/replay-all';
import { screenshot, TurnPage, type Card } from '../support/web-ui';

const COMMITTEE = 'credit-committee@bank.example';
const MEMO = `Prepare a credit memo on AAPL against its peers and send it to ${COMMITTEE}.`;
const WAITING = "HoldfastState IN ('awaiting_approval', 'in_doubt')";
const IN_DOUBT = /^In doubt/;

describeInBrowser('in the Temporal Web UI', (browser) => {
  let home: Home;
  let bank: Counter;
  let client: HoldfastClient;
  let pages: BrowserContext;
  let turns = 0;
  let mailsBefore: string[] = [];

  beforeAll(async () => {
    home = await Home.make();
    bank = await startCounter(new Gates());
    const app = join(__dirname, 'fixtures/web-ui.app.cjs');
    const stack = home.start(['dev', '--app', app, '--port', '0', '--ui-port', '0', '--http-port', '0'], { BANK: bank.url });
    await stack.printed(/Ctrl-C ends all of it/, 90_000);
    client = await HoldfastClient.connect(loadConfig({ HOLDFAST_HOME: home.path }));
    pages = await browser().newContext({ viewport: { width: 1280, height: 900 } });
  });
  afterAll(async () => {
    try {
      expect(await replayAll(readDevState(home.path)!.address)).toBe(turns);
    } finally {
      await client?.close();
      await home?.remove();
      await bank?.close();
    }
  });

  beforeEach(async () => (mailsBefore = await mailFiles()));

  /** A turn that `run --follow` has started, whose one call waits, and its page. */
  async function followed(name: string) {
    turns += 1;
    const run = home.start(['run', '--agent', 'credit-analyst', '--id', name, '--follow', MEMO]);
    const [, turn, url] = await run.printed(/^(\S+) {2}(http\S+)$/m);
    return { run, ...(await opened(turn!, url!)) };
  }

  async function started(name: string, agent: string, message: string) {
    turns += 1;
    const { id, uiUrl } = await client.start({ agent, message, id: name });
    return opened(id, uiUrl!);
  }

  /** Not before it waits: an open page does not follow. */
  async function opened(turn: string, url: string) {
    const { pending } = await when('it waits', turn, (view) => view.pending.length > 0);
    const page = await TurnPage.open(pages, url, turn);
    await page.openDetails();
    return { turn, page, card: await page.card(), digest: pending[0]! };
  }

  const show = (turn: string): Promise<TurnView> => client.turn(turn).status();
  const when = (what: string, turn: string, is: (view: TurnView) => boolean): Promise<TurnView> =>
    eventually(what, async () => {
      const view = await show(turn);
      return is(view) && view;
    });
  const ended = (turn: string) => when('the turn ends', turn, ({ ended_at }) => ended_at !== null);
  const ignored = (turn: string, count: number) =>
    when(`${count} signals of ${turn} are ignored`, turn, ({ ignored_signals }) => ignored_signals.count >= count);
  const decided = (turn: string, count: number) =>
    when(`${count} have decided`, turn, ({ calls }) => calls.at(-1)!.approval.decisions.length >= count);

  describe('approval', () => {
    it('shows the whole memo on the card; after `approve` is sent by clicking, that memo goes out, once', async () => {
      const { run, page, digest, card } = await followed('approve');
      const shown = await memoOn(card);
      const text = await card.text();
      expect(text).toContain('Waiting for approval: send_credit_memo');
      expect(text).toContain(digest);
      expect(shown.recipient).toBe(COMMITTEE);
      expect(shown.subject).toContain('AAPL');
      expect(shown.body).toContain('# Credit memo: AAPL\n');
      expect(shown.body).toContain('## Sources\n');
      expect(await card.preview()).toContain(`to       ${shown.recipient}`);
      expect(await card.overflow()).toBe(0);
      expect(await card.activeElements()).toBe(0);
      await page.screenshot('1-page');
      await page.scrollToCard();
      await page.screenshot('2-card');

      const dialogue = await page.openSignals();
      const offered = await dialogue.offered();
      expect(offered).toEqual(
        expect.arrayContaining([
          { name: 'approve', description: expect.stringContaining('Approve one waiting call. Paste {"call": ') },
          { name: 'deny', description: expect.stringContaining('Deny one waiting call. Paste {"call": ') },
          { name: 'settle', description: expect.stringContaining('Say what became of a call in doubt.') },
        ]),
      );
      await page.screenshot('3-signals');
      await dialogue.choose('approve');
      await dialogue.paste(JSON.stringify({ call: digest, by: 'ana' }));
      await page.screenshot('4-filled-in');
      expect(await mails()).toEqual([]);
      await dialogue.submit();

      expect(await run.ended).toBe(0);
      expect(run.output()).toMatch(/approved by ana/);
      const sent = await mails();
      expect(sent).toHaveLength(1);
      expect(sent[0]!.to).toEqual([expect.objectContaining({ address: shown.recipient })]);
      expect(sent[0]!.subject).toBe(shown.subject);
      expect(sent[0]!.text!.trimEnd()).toBe(shown.body.trimEnd());
      await page.close();
    });

    it('sends nothing after `deny`, and the agent reads the note and says that nothing was sent', async () => {
      const { run, page, turn, digest, card } = await followed('deny');
      const pasted = JSON.parse(await card.paste('deny')) as { call: string };
      expect(pasted).toEqual({ call: digest, by: 'your-name', note: 'why not' });
      await page.sendSignal('deny', JSON.stringify({ ...pasted, by: 'ana', note: 'The price is four years old.' }));

      expect(await run.ended).toBe(3);
      expect(await mails()).toEqual([]);
      expect(run.output()).toMatch(/denied by ana \(The price is four years old\.\)/);
      const { text } = await show(turn);
      expect(text).toMatch(/not sent|nothing was sent/i);
      expect(text).toContain('The price is four years old.');
      await page.close();
    });

    it('refuses a call that nobody decides in time: nothing is sent, and the card goes away', async () => {
      const { page, turn, card } = await started('expiry', 'hasty-analyst', MEMO);
      expect((await memoOn(card)).recipient).toBe(COMMITTEE);
      await page.screenshot('1-waiting');

      const view = await client.turn(turn).result();
      expect(view).toMatchObject({ state: 'refused', pending: [] });
      expect(view.calls.at(-1)).toMatchObject({ state: 'expired', effect: 'refused', approval: { decision: 'expired', by: [] } });
      await page.refresh();
      expect(await page.detailsWithoutCard()).toContain('refused');
      await page.screenshot('2-expired');
      expect(await mails()).toEqual([]);
      await page.close();
    });

    it('ignores junk in the signal dialogue: the turn waits on, lists what it ignored, and takes the right approval', async () => {
      const { page, turn, digest } = await started('junk', 'credit-analyst', MEMO);
      const dialogue = await page.openSignals();
      await dialogue.choose('approve');
      await dialogue.paste('yes, send it');
      expect(await dialogue.submitRefused()).toBe('Input must be valid JSON');
      await page.screenshot('1-not-json');
      await dialogue.cancel();

      await page.sendSignal('approve', '"yes, send it"');
      await page.sendSignal('approve', JSON.stringify({ call: 'f'.repeat(64), by: 'ana' }));
      await page.sendSignal('approve', JSON.stringify({ call: digest, by: 'ana', confirmed: true }));
      const other = await page.openSignals();
      await other.choose('deny');
      await other.encode('json/protobuf');
      await other.paste(JSON.stringify({ call: digest, by: 'ana' }));
      await other.submit();

      const view = await ignored(turn, 4);
      expect(view).toMatchObject({ state: 'awaiting_approval', pending: [digest] });
      expect(view.ignored_signals.last.map(({ signal, reason }) => `${signal}: ${reason}`)).toEqual([
        expect.stringMatching(/^approve: it must be one JSON object/),
        expect.stringMatching(/^approve: .*f{12}/),
        expect.stringMatching(/^approve: it has a field "confirmed"/),
        expect.stringMatching(/^deny: its encoding is "json\/protobuf"/),
      ]);
      expect(await mails()).toEqual([]);
      await page.refresh();
      const card = await page.card();
      await page.screenshot('2-still-waiting');

      await page.sendSignal('approve', (await card.paste('approve')).replace('your-name', 'ana'));
      expect(await client.turn(turn).result()).toMatchObject({ state: 'completed' });
      expect(await mails()).toHaveLength(1);
      await page.close();
    });
  });

  describe('signed decisions', () => {
    const keys = new Map<string, { key: SigningKey; path: string }>();
    beforeAll(async () => {
      for (const principal of ['ana', 'bob']) {
        const [key, path] = [SigningKey.generate(), join(home.path, `${principal}.pem`)];
        await key.save(path);
        const { trustedKeys } = loadConfig({ HOLDFAST_HOME: home.path });
        await updateTrustedKeys(trustedKeys, (all) => [...all, trustedEntry(key, { principal, roles: [] })]);
        keys.set(principal, { key, path });
      }
    });

    const waiting = (invoice: string) => started(invoice, 'payer', `Pay "${invoice}".`);

    /** What the command line prints to be pasted. */
    async function printed(who: string, turn: string, digest: string, ...decision: string[]): Promise<string> {
      const sign = home.start(['sign', turn, ...decision, '--call', digest, '--key', keys.get(who)!.path]);
      expect({ code: await sign.ended, output: sign.output() }).toMatchObject({ code: 0 });
      return sign.stdout();
    }

    const signing = (who: string, digest: string) => ({ calls: [digest], principal: who, roles: [] });

    /** The same without the command line, which takes a process. */
    async function signed(
      who: string,
      turn: string,
      digest: string,
      what: Pick<Signing, 'decision' | 'outcome'>,
    ): Promise<string> {
      const [one] = await signDecisions(client.turn(turn), keys.get(who)!.key, { ...signing(who, digest), ...what });
      const { decision: _, ...outcome } = what;
      return JSON.stringify({ ...one, by: who, ...outcome });
    }

    it('approve a payment: a bare signal and a second signature of one person count for nothing, two people do; it is paid once', async () => {
      const { turn, page, card, digest } = await waiting('approve-payment');
      const asked = await card.text();
      expect(asked).toContain('2 people must approve');
      expect(asked).toContain('only signed decisions count');
      expect(asked).not.toContain('advisory');
      expect(await card.preview()).toBe('Pay invoice approve-payment');
      await page.screenshot('1-asked');

      await page.sendSignal('approve', (await card.paste('approve')).replace('your-name', 'ana'));
      const bare = 'takes signed decisions only; `holdfast sign` makes one';
      expect((await ignored(turn, 1)).ignored_signals.last).toMatchObject([
        { signal: 'approve', reason: `call ${digest} ${bare}` },
      ]);
      await page.cardThatSays('ignored: approve by ana');
      await page.scrollToCard();
      await page.screenshot('2-bare');
      expect(await page.query('status')).toContain(bare);

      const first = await printed('ana', turn, digest, 'approve');
      await page.sendSignal('approve', first);
      await decided(turn, 1);
      await page.cardThatSays('1 of 2 decided: ana');
      await page.screenshot('3-one-of-two');

      const anew = await signed('ana', turn, digest, { decision: 'approve' });
      expect(JSON.parse(anew).attestation).not.toBe(JSON.parse(first).attestation);
      await page.sendSignal('approve', anew);
      await ignored(turn, 2);
      const again = await page.cardThatSays(`ana has decided on call ${digest} already`);
      expect(await again.text()).toContain('1 of 2 decided: ana');
      await page.screenshot('4-same-person');
      expect(await show(turn)).toMatchObject({ state: 'awaiting_approval', pending: [digest] });
      expect(bank.effects('approve-payment')).toBe(0);

      await page.sendSignal('approve', await signed('bob', turn, digest, { decision: 'approve' }));
      const view = await ended(turn);
      expect(view).toMatchObject({ state: 'completed', calls: [{ state: 'succeeded', effect: 'applied', attempts: 1 }] });
      expect(view.calls[0]!.approval.decisions).toMatchObject([
        { decision: 'approve', by: 'ana', channel: 'signal', attested: true },
        { decision: 'approve', by: 'bob', channel: 'signal', attested: true },
      ]);
      expect(bank.effects('approve-payment')).toBe(1);
      await page.refresh();
      expect(await page.detailsWithoutCard()).toContain('completed');
      await page.screenshot('5-paid');
      await page.close();
    }, 300_000);

    it('deny a payment: a bare denial decides nothing, one signed denial is enough, also after an approval', async () => {
      const { turn, page, card, digest } = await waiting('deny-payment');
      await page.sendSignal('approve', await signed('ana', turn, digest, { decision: 'approve' }));
      await decided(turn, 1);
      await page.cardThatSays('1 of 2 decided: ana');
      await page.sendSignal('deny', (await card.paste('deny')).replace('your-name', 'bob'));
      await ignored(turn, 1);
      await page.cardThatSays('ignored: deny by bob');
      expect(await show(turn)).toMatchObject({ pending: [digest] });

      await page.sendSignal('deny', await printed('bob', turn, digest, 'deny'));
      const view = await ended(turn);
      expect(view).toMatchObject({ state: 'refused', calls: [{ state: 'denied', effect: 'refused' }] });
      expect(view.calls[0]!.approval).toMatchObject({ decision: 'deny', by: ['bob'] });
      expect(bank.effects('deny-payment')).toBe(0);
      await page.refresh();
      expect(await page.detailsWithoutCard()).toContain('refused');
      await page.screenshot('1-denied');
      await page.close();
    }, 300_000);

    it('settle a payment in doubt under the policy of its approval: one person twice settles nothing, two people do', async () => {
      const settled = { decision: 'settle', outcome: 'applied' } as const;
      bank.plan('settle-payment', 'cut', 'after');
      const { turn, page, digest } = await waiting('settle-payment');
      for (const [who, { key }] of keys)
        await signAndDecide(client.turn(turn), key, { decision: 'approve', ...signing(who, digest) });
      await when('it is in doubt', turn, ({ state }) => state === 'in_doubt');
      await page.refresh();
      const card = await page.card(IN_DOUBT);
      const asked = await card.text();
      expect(asked).toContain('2 people must settle it, and say the same');
      expect(asked).toContain('only signed decisions count');
      await page.screenshot('1-in-doubt');

      await page.sendSignal('settle', JSON.stringify({ call: digest, by: 'ana', outcome: 'applied' }));
      await ignored(turn, 1);
      await page.cardThatSays('ignored: settle by ana', IN_DOUBT);
      await page.sendSignal('settle', await printed('ana', turn, digest, 'settle', 'applied'));
      await page.cardThatSays('1 of 2 say applied: ana', IN_DOUBT);
      await page.sendSignal('settle', await signed('ana', turn, digest, settled));
      await ignored(turn, 2);
      await page.cardThatSays(`ana has decided on call ${digest} already`, IN_DOUBT);
      await page.screenshot('2-same-person');
      expect(await show(turn)).toMatchObject({ state: 'in_doubt', pending: [digest] });

      await page.sendSignal('settle', await signed('bob', turn, digest, settled));
      const view = await ended(turn);
      expect(view).toMatchObject({ state: 'completed', calls: [{ state: 'succeeded', effect: 'applied' }] });
      expect(bank.effects('settle-payment')).toBe(1);
      await page.refresh();
      await page.screenshot('3-settled');
      await page.close();
    }, 300_000);
  });

  /** A call without a model; its page as the link of the lists opens it. */
  async function called(name: string, text: string) {
    const invoice = `${name}\n${text}`;
    turns += 1;
    const { id } = await client.call({ agent: 'payer', tool: 'pay', input: { invoice }, requester: 'rita' });
    const { ui_url, calls } = await listedAsWaiting(client, id);
    const page = await TurnPage.open(pages, ui_url!, name);
    await page.isAtDetails();
    return { id, page, card: await page.card(), digest: calls[0]!.digest };
  }

  describe('the card', () => {
    const lines = (count: number) => Array.from({ length: count }, (_, n) => `line ${n} of ${count}`).join('\n');

    it('is where the link leads, begins with what will happen, and is whole: 100,000 characters to the last line', async () => {
      const { id, page, card } = await called('whole-card', lines(3000));
      expect(await card.sections()).toEqual([
        'What will happen',
        'In whose words',
        'Text of outsiders',
        'Input',
        'Who decides',
        'Decide',
      ]);
      const text = await card.text();
      expect(text.length).toBeGreaterThan(100_000);
      expect(text.split('line 2999 of 3000').length - 1).toBe(2); // in the preview and in the input
      expect(text).toContain('rita asked for exactly this call: no model has chosen it.');
      expect(text).not.toContain('TRUNCATED');
      expect(await card.preview()).toBe(`Pay invoice whole-card\n${lines(3000)}`);
      expect(await card.activeElements()).toBe(0);
      expect(await card.overflow()).toBe(0);
      await page.screenshot('1-whole');
      await client.turn(id).cancel();
      await page.close();
    });

    it('that has no room says how much is missing, and links to the call on the page', async () => {
      const { id, page, card, digest } = await called('long-card', lines(9_000));
      const text = await card.text();
      const [, shown, all, missing] = /TRUNCATED: the first (\d+) of (\d+) characters; (\d+) are missing\./.exec(text)!;
      expect(Number(shown) + Number(missing)).toBe(Number(all));
      const link = `#/turns/${encodeURIComponent(id)}/calls/${digest}`;
      const links = await card.links();
      expect(links.length).toBe(2); // of the preview and of the input
      for (const { href } of links) expect(href).toMatch(/^http:\/\/localhost:\d+\/#/);
      expect(links.every(({ href }) => href.endsWith(link))).toBe(true);
      expect(links.every(({ target }) => target === '_blank')).toBe(true); // in the frame itself nobody could read it
      await page.screenshot('1-cut');
      await client.turn(id).cancel();
      await page.close();
    });
  });

  it('a call that ends later is shown as pending, with its time; once it is completed, the turn is', async () => {
    turns += 1;
    const { id, uiUrl } = await client.start({ agent: 'banker', message: 'Transfer it to "Acme".', id: 'transfer' });
    const { calls } = await when('its call is pending', id, ({ state }) => state === 'awaiting_completion');
    const page = await TurnPage.open(pages, uiUrl!, id);
    await page.openDetails();
    expect(await page.detailsWithoutCard()).toContain(`call 1.1 transfer is pending until ${calls[0]!.pending_until}`);
    await page.screenshot('1-pending');
    const url = await readFile(join(home.path, 'completion-url'), 'utf8');
    const token = url.split('/').at(-1)!;
    expect(await page.query('status')).not.toContain(token);
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ result: { settled_on: '2026-12-03' } });
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(200);
    await ended(id);
    await page.refresh();
    expect(await page.detailsWithoutCard()).toContain('completed');
    await page.close();
  });

  it('the inbox lists exactly the turns that wait for a person; pending --watch reports them, and Ctrl-C ends it', async () => {
    const watch = home.start(['pending', '--watch']);
    await watch.printed(/Watching; Ctrl-C ends it/);
    const ids = ['memo-aapl-1', 'memo-aapl-2', 'memo-aapl-3'];
    for (const id of ids) await client.start({ agent: 'credit-analyst', message: MEMO, id });
    turns += ids.length;
    for (const id of ids) await watch.printed(new RegExp(`holdfast approve ${id} --call [0-9a-f]{64}`), 90_000);
    const [, digest] = /holdfast approve memo-aapl-3 --call ([0-9a-f]{64})/.exec(watch.output())!;
    await client.turn('memo-aapl-3').deny(digest!, { by: 'ana' });
    expect(watch.output()).toContain('send_credit_memo  waiting, expires ');
    expect(watch.output()).toContain('  │ What will happen');
    expect(watch.output()).not.toContain('\u0007'); // no terminal
    await watch.stop();
    expect(await watch.ended).toBe(0);

    await eventually('the denied one waits no more', async () =>
      (await client.pending()).every(({ turn_id }) => turn_id !== 'memo-aapl-3'),
    );

    const { ui_url: ui } = readDevState(home.path)!;
    const page = await pages.newPage();
    await page.setViewportSize({ width: 1500, height: 560 });
    await page.goto(`${ui}/namespaces/default/workflows?query=${encodeURIComponent(WAITING)}`);
    await page.getByRole('link', { name: 'turn/memo-aapl-1' }).first().waitFor();
    await page.getByRole('link', { name: 'turn/memo-aapl-2' }).first().waitFor();
    expect(await page.getByRole('link', { name: 'turn/memo-aapl-3' }).count()).toBe(0);
    // The gear at the right of the list: columns that say who asked for what.
    await page.locator('[data-testid="workflows-summary-table-configuration-button"]').click();
    for (const column of ['HoldfastState', 'HoldfastTool', 'HoldfastAgent', 'HoldfastRequester'])
      await page.getByRole('button', { name: `Add ${column} column` }).click();
    for (const column of ['Status', 'Run ID', 'Type', 'End'])
      await page.getByRole('button', { name: `Remove ${column} column` }).click();
    await page.getByRole('button', { name: 'Close Workflows Table configuration' }).click();
    await page.getByText('Configure Workflows Table').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Collapse saved views' }).click();
    const row = page.getByRole('row').filter({ hasText: 'turn/memo-aapl-1' });
    for (const value of ['awaiting_approval', 'send_credit_memo', 'credit-analyst'])
      await row.getByText(value, { exact: true }).waitFor();
    await screenshot(page, 'inbox-in-web-ui');
    await page.reload();
    await row.getByText('send_credit_memo', { exact: true }).waitFor(); // this browser keeps them
    await page.close();
  });

  async function memoOn(card: Card) {
    return {
      recipient: JSON.parse(await card.field('recipient')) as string,
      subject: JSON.parse(await card.field('subject')) as string,
      body: await card.field('body_md'),
    };
  }

  const outbox = () => join(home.path, 'outbox');
  const mailFiles = async () => (await readdir(outbox()).catch(() => [])).filter((name) => name.endsWith('.eml'));

  /** Every mail that the catcher took during this test. */
  async function mails() {
    const names = (await mailFiles()).filter((name) => !mailsBefore.includes(name));
    return Promise.all(names.map(async (name) => PostalMime.parse(await readFile(join(outbox(), name)))));
  }
});
