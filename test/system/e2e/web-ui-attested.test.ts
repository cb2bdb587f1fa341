/**
 * Decisions that only signatures make, given in Temporal's own Web UI: what `holdfast sign` prints is pasted, by clicking,
 * in a real browser. Two people have to; what is paid is counted on the other side.
 */
import { join } from 'node:path';
import { readDevState } from '../../../src/devserver/state-file';
import { describeInBrowser, Home } from '../support/browser';
import { eventually } from '../../engine/support/engine';
import { startCounter, type Counter } from '../support/fault-counter';
import { Gates } from '../support/fault-gates';
import { replayAll } from '../support/replay-all';
import { TurnPage } from '../support/web-ui';

const IN_DOUBT = /^In doubt/;

describeInBrowser('signed decisions in the Temporal Web UI', (browser) => {
  let home: Home;
  let bank: Counter;
  const keys = new Map<string, string>();
  let turns = 0;

  beforeAll(async () => {
    home = await Home.make();
    bank = await startCounter(new Gates());
    const app = join(__dirname, 'fixtures/attested.app.ts');
    const stack = home.start(['dev', '--app', app, '--port', '0', '--ui-port', '0', '--http-port', '0'], { BANK: bank.url });
    await stack.printed(/Ctrl-C ends all of it/, 90_000);
    for (const name of ['ana', 'bob']) {
      const made = await home.json<{ private_key: string }>('keys', 'create', '--principal', name);
      keys.set(name, made.private_key);
    }
  }, 120_000);
  afterAll(async () => {
    await home?.remove();
    await bank?.close();
  }, 60_000);
  afterEach(async () => expect(await replayAll(readDevState(home.path)!.address)).toBe(turns));

  /** A turn whose payment waits, and its page. */
  async function waiting(invoice: string) {
    const started = await home.json<{ turn_id: string; ui_url: string }>(
      'run', '--agent', 'payer', '--id', invoice, `Pay "${invoice}".`,
    ); // oxfmt-ignore
    turns += 1;
    const turn = started.turn_id;
    const page = await TurnPage.open(browser(), started.ui_url, `attested-${invoice}`);
    await page.openDetails();
    const card = await page.card();
    const digest = await eventually('it waits', async () => (await home.show(turn)).pending[0]);
    return { turn, page, card, digest };
  }

  /** What the command line prints to be pasted. */
  async function signed(who: string, turn: string, digest: string, ...decision: string[]): Promise<string> {
    const sign = home.start(['sign', turn, ...decision, '--call', digest, '--key', keys.get(who)!]);
    expect({ code: await sign.ended, output: sign.output() }).toMatchObject({ code: 0 });
    return sign.stdout();
  }

  it('approve a payment: a bare signal and a second signature of one person count for nothing, two people do; it is paid once', async () => {
    const { turn, page, card, digest } = await waiting('approve');
    const asked = await card.text();
    expect(asked).toContain('2 people must approve');
    expect(asked).toContain('only signed decisions count');
    expect(asked).not.toContain('advisory');
    expect(await card.preview()).toBe('Pay invoice approve');
    await page.screenshot('1-asked');

    await page.sendSignal('approve', (await card.paste('approve')).replace('your-name', 'ana'));
    const bare = 'takes signed decisions only; `holdfast sign` makes one';
    expect((await home.ignored(turn, 1)).ignored_signals.last).toMatchObject([
      { signal: 'approve', reason: `call ${digest} ${bare}` },
    ]);
    await page.cardThatSays('ignored: approve by ana');
    await page.scrollToCard();
    await page.screenshot('2-bare');
    expect(await page.query('status')).toContain(bare);

    const first = await signed('ana', turn, digest, 'approve');
    await page.sendSignal('approve', first);
    await page.cardThatSays('1 of 2 decided: ana');
    await page.screenshot('3-one-of-two');

    const anew = await signed('ana', turn, digest, 'approve');
    expect(JSON.parse(anew).attestation).not.toBe(JSON.parse(first).attestation);
    await page.sendSignal('approve', anew);
    const again = await page.cardThatSays(`ana has decided on call ${digest} already`);
    expect(await again.text()).toContain('1 of 2 decided: ana');
    await page.screenshot('4-same-person');
    expect(await home.show(turn)).toMatchObject({ state: 'awaiting_approval', pending: [digest] });
    expect(bank.effects('approve')).toBe(0);

    await page.sendSignal('approve', await signed('bob', turn, digest, 'approve'));
    const view = await ended(turn);
    expect(view).toMatchObject({ state: 'completed', calls: [{ state: 'succeeded', effect: 'applied', attempts: 1 }] });
    expect(view.calls[0]!.approval.decisions).toMatchObject([
      { decision: 'approve', by: 'ana', channel: 'signal', attested: true },
      { decision: 'approve', by: 'bob', channel: 'signal', attested: true },
    ]);
    expect(bank.effects('approve')).toBe(1);
    await page.refresh();
    expect(await page.detailsWithoutCard()).toContain('completed');
    await page.screenshot('5-paid');
    await page.close();
  }, 300_000);

  it('deny a payment: a bare denial decides nothing, one that is signed is enough, also after an approval', async () => {
    const { turn, page, card, digest } = await waiting('deny');
    await page.sendSignal('approve', await signed('ana', turn, digest, 'approve'));
    await page.cardThatSays('1 of 2 decided: ana');
    await page.sendSignal('deny', (await card.paste('deny')).replace('your-name', 'bob'));
    await page.cardThatSays('ignored: deny by bob');
    expect(await home.show(turn)).toMatchObject({ pending: [digest] });

    await page.sendSignal('deny', await signed('bob', turn, digest, 'deny'));
    const view = await ended(turn);
    expect(view).toMatchObject({ state: 'refused', calls: [{ state: 'denied', effect: 'refused' }] });
    expect(view.calls[0]!.approval).toMatchObject({ decision: 'deny', by: ['bob'] });
    expect(bank.effects('deny')).toBe(0);
    await page.refresh();
    expect(await page.detailsWithoutCard()).toContain('refused');
    await page.screenshot('1-denied');
    await page.close();
  }, 300_000);

  it('settle a payment in doubt under the policy of its approval: one person twice settles nothing, two people do', async () => {
    bank.plan('settle', 'cut', 'after');
    const { turn, page, digest } = await waiting('settle');
    for (const who of ['ana', 'bob']) await home.json('approve', turn, '--call', digest, '--key', keys.get(who)!);
    await eventually('it is in doubt', async () => (await home.show(turn)).state === 'in_doubt');
    await page.refresh();
    const card = await page.card(IN_DOUBT);
    const asked = await card.text();
    expect(asked).toContain('2 people must settle it, and say the same');
    expect(asked).toContain('only signed decisions count');
    await page.screenshot('1-in-doubt');

    await page.sendSignal('settle', JSON.stringify({ call: digest, by: 'ana', outcome: 'applied' }));
    await page.cardThatSays('ignored: settle by ana', IN_DOUBT);
    await page.sendSignal('settle', await signed('ana', turn, digest, 'settle', 'applied'));
    await page.cardThatSays('1 of 2 say applied: ana', IN_DOUBT);
    await page.sendSignal('settle', await signed('ana', turn, digest, 'settle', 'applied'));
    await page.cardThatSays(`ana has decided on call ${digest} already`, IN_DOUBT);
    await page.screenshot('2-same-person');
    expect(await home.show(turn)).toMatchObject({ state: 'in_doubt', pending: [digest] });

    await page.sendSignal('settle', await signed('bob', turn, digest, 'settle', 'applied'));
    const view = await ended(turn);
    expect(view).toMatchObject({ state: 'completed', calls: [{ state: 'succeeded', effect: 'applied' }] });
    expect(bank.effects('settle')).toBe(1);
    await page.refresh();
    await page.screenshot('3-settled');
    await page.close();
  }, 300_000);

  const ended = (turn: string) =>
    eventually('the turn ends', async () => {
      const view = await home.show(turn);
      return view.ended_at !== null && view;
    });
});
