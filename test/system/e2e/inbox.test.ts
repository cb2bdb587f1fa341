/**
 * The inbox in Temporal's Web UI: one query lists the turns that wait for a person. Its screenshot is the picture of
 * docs/inbox.md: `HOLDFAST_SCREENSHOTS=docs/images npx jest --config test/jest.config.cjs test/system/e2e/inbox`.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { readDevState } from '../../../src/devserver/state-file';
import { describeInBrowser, Home } from '../support/browser';
import { eventually } from '../../engine/support/engine';
import { screenshotFolder } from '../support/web-ui';

const QUERY = "HoldfastState IN ('awaiting_approval', 'in_doubt')";

describeInBrowser('the inbox in the Temporal Web UI (needs Chromium)', (browser) => {
  let home: Home;
  beforeAll(async () => void (home = await Home.make()));
  afterAll(() => home?.remove());

  it('lists exactly the turns that wait for a person; pending --watch tells of them, and Ctrl-C ends it', async () => {
    const stack = home.start(['dev', '--port', '0', '--ui-port', '0', '--http-port', '0']);
    await stack.printed(/Ctrl-C ends all of it/, 90_000);
    const watch = home.start(['pending', '--watch']);
    await watch.printed(/Watching; Ctrl-C ends it/);
    const memo = 'Prepare a credit memo on AAPL against its peers and send it to credit-committee@bank.example.';
    for (const id of ['memo-aapl-1', 'memo-aapl-2', 'memo-aapl-3'])
      await home.json('run', '--agent', 'credit-analyst', '--id', id, memo);
    for (const id of ['memo-aapl-1', 'memo-aapl-2', 'memo-aapl-3'])
      await watch.printed(new RegExp(`holdfast approve ${id} --call [0-9a-f]{64}`), 90_000);
    const [, digest] = /holdfast approve memo-aapl-3 --call ([0-9a-f]{64})/.exec(watch.output())!;
    await home.json('deny', 'memo-aapl-3', '--call', digest!, '--by', 'ana');
    expect(watch.output()).toContain('send_credit_memo  waiting, expires ');
    expect(watch.output()).toContain('  │ What will happen');
    expect(watch.output()).not.toContain('\u0007'); // no terminal
    await watch.stop();
    expect(await watch.ended).toBe(0);

    await eventually('the denied one waits no more', async () => {
      const turns = await home.json<{ turn_id: string }[]>('pending');
      return !turns.some(({ turn_id }) => turn_id === 'memo-aapl-3');
    });

    const { ui_url: ui } = readDevState(home.path)!;
    const page = await browser().newPage({ viewport: { width: 1280, height: 560 } });
    try {
      await page.goto(`${ui}/namespaces/default/workflows?query=${encodeURIComponent(QUERY)}`);
      await page.getByRole('link', { name: 'turn/memo-aapl-1' }).first().waitFor();
      await page.getByRole('link', { name: 'turn/memo-aapl-2' }).first().waitFor();
      expect(await page.getByRole('link', { name: 'turn/memo-aapl-3' }).count()).toBe(0);
      mkdirSync(screenshotFolder(), { recursive: true });
      await page.screenshot({ path: join(screenshotFolder(), 'inbox-in-web-ui.png') });
    } finally {
      await page.close();
    }
  }, 240_000);
});
