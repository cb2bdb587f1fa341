import { readDevState } from '../../../src/devserver/state-file';
import { replayAll } from '../support/replay-all';
/** Approval as the product promises it: in Temporal's own Web UI, by clicking, in a real browser. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { describeInBrowser, Home } from '../support/browser';
import { TurnPage, type Card } from '../support/web-ui';

const COMMITTEE = 'credit-committee@bank.example';
const MESSAGE = `Prepare a credit memo on AAPL against its peers and send it to ${COMMITTEE}.`;

describeInBrowser('approval in the Temporal Web UI', (browser) => {
  let home: Home;
  beforeEach(async () => (home = await Home.make()));
  afterEach(() => home.remove());

  /** `holdfast start --hold` until it holds, and the page that it names. */
  async function held(name: string) {
    const process = home.start(['start', '--hold']);
    await process.printed(/Waiting for a decision from outside/);
    const [, turn] = await process.printed(/^turn (\S+)$/m);
    const [url] = await process.printed(/^http\S+\/workflows\/\S+$/m);
    const [, digest] = await process.printed(/^ +call ([0-9a-f]{64})$/m);
    const page = await TurnPage.open(browser(), url, name);
    await page.openDetails();
    await replays();
    return { process, page, turn: turn!, digest: digest!, card: await page.card() };
  }

  /** The history so far replays: the stack's server ends with the stack. */
  const replays = async () => expect(await replayAll(readDevState(home.path)!.address)).toBe(1);

  it('shows the whole memo on the card; after `approve` is sent by clicking, that memo goes out, once', async () => {
    const { process, page, digest, card } = await held('approve');
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

    expect(await process.ended).toBe(0);
    expect(process.output()).toMatch(/approved by ana/);
    const sent = await mails();
    expect(sent).toHaveLength(1);
    expect(sent[0]!.to).toEqual([expect.objectContaining({ address: shown.recipient })]);
    expect(sent[0]!.subject).toBe(shown.subject);
    expect(sent[0]!.text!.trimEnd()).toBe(shown.body.trimEnd());
    await page.close();
  });

  it('sends nothing after `deny`, and the agent reads the note and says that nothing was sent', async () => {
    const { process, page, digest, card } = await held('deny');
    const pasted = JSON.parse(await card.paste('deny')) as { call: string };
    expect(pasted).toEqual({ call: digest, by: 'your-name', note: 'why not' });
    await page.sendSignal('deny', JSON.stringify({ ...pasted, by: 'ana', note: 'The price is four years old.' }));

    expect(await process.ended).toBe(3);
    expect(await mails()).toEqual([]);
    expect(process.output()).toMatch(/denied by ana \(The price is four years old\.\)/);
    const answer = process
      .output()
      .split(/^refused$/m)
      .at(-1)!;
    expect(answer).toMatch(/not sent|nothing was sent/i);
    expect(answer).toContain('The price is four years old.');
    expect(answer).toContain('0 mails');
    await page.close();
  });

  it('refuses a call that nobody decides in time: nothing is sent, and the card goes away', async () => {
    const stack = home.start([
      'dev',
      '--port',
      '0',
      '--ui-port',
      '0',
      '--http-port',
      '0',
      '--app',
      join(__dirname, 'fixtures/short-expiry.app.ts'),
    ]);
    await stack.printed(/Ctrl-C ends all of it/);
    const run = home.start(['run', '--agent', 'credit-analyst', '--follow', MESSAGE]);
    const [, turn, url] = await run.printed(/^(\S+) {2}(http\S+)$/m);
    await run.printed(/waits for approval/);
    const page = await TurnPage.open(browser(), url!, 'expiry');
    await page.openDetails();
    expect((await memoOn(await page.card())).recipient).toBe(COMMITTEE);
    await page.screenshot('1-waiting');

    expect(await run.ended).toBe(3);
    await page.refresh();
    expect(await page.detailsWithoutCard()).toContain('refused');
    await page.screenshot('2-expired');
    const view = await home.show(turn!);
    expect(view).toMatchObject({ state: 'refused', pending: [] });
    expect(view.calls.at(-1)).toMatchObject({ state: 'expired', effect: 'refused', approval: { decision: 'expired', by: [] } });
    expect(await mails()).toEqual([]);
    await replays();
    await page.close();
  });

  it('is not moved by junk in the signal dialogue: the turn waits on, lists what it ignored, and takes the right approval', async () => {
    const { process, page, turn, digest } = await held('junk');
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

    const view = await home.ignored(turn, 4);
    expect(view).toMatchObject({ state: 'awaiting_approval', pending: [digest] });
    expect(view.ignored_signals.last.map(({ signal, reason }) => `${signal}: ${reason}`)).toEqual([
      expect.stringMatching(/^approve: it must be one JSON object/),
      expect.stringMatching(/^approve: .*f{12}/),
      expect.stringMatching(/^approve: it has a field "confirmed"/),
      expect.stringMatching(/^deny: its encoding is "json\/protobuf"/),
    ]);
    expect(await mails()).toEqual([]);
    await replays();
    await page.refresh();
    const card = await page.card();
    await page.screenshot('2-still-waiting');

    await page.sendSignal('approve', (await card.paste('approve')).replace('your-name', 'ana'));
    expect(await process.ended).toBe(0);
    expect(await mails()).toHaveLength(1);
    await page.close();
  });

  async function memoOn(card: Card) {
    return {
      recipient: JSON.parse(await card.field('recipient')) as string,
      subject: JSON.parse(await card.field('subject')) as string,
      body: await card.field('body_md'),
    };
  }

  /** Every mail that the catcher took. */
  async function mails() {
    const outbox = join(home.path, 'outbox');
    const names = (await readdir(outbox).catch(() => [])).filter((name) => name.endsWith('.eml'));
    return Promise.all(names.map(async (name) => PostalMime.parse(await readFile(join(outbox, name)))));
  }
});
