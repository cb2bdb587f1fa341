/** Messages to Slack and Teams: what waits, what it would do, who asked, until when; and a link, never a way to decide. */
import * as fc from 'fast-check';
import { createNotifier } from '../../../src/notify';
import { messageOf } from '../../../src/notify/message';
import { slackMessage } from '../../../src/notify/slack';
import { summaryOf } from '../../../src/notify/summary';
import { teamsMessage } from '../../../src/notify/teams';
import type { MessageCard } from '../../../src/cards/card';
import { PLAIN_POLICY } from '../../../src/shared/approval/approval';
import { runs } from '../../support/runs';
import { slackShape, teamsShape, TEAMS_BYTES } from '../../support/notify/chat-shapes';
import { aQuestion, nothingDone, WHERE } from '../../support/notify/questions';
import { receivers } from '../../support/notify/receiver';

const PAGE = { ...WHERE, pageUrl: 'https://desk.bank.example/hf' };
const LINK = `https://desk.bank.example/hf/#/turns/inv-7/calls/${'d'.repeat(64)}`;

function aCard(more: Partial<MessageCard> = {}): MessageCard {
  return {
    ...{ kind: 'approval', agent: 'payables', call_id: '1.1', revision: 1, tool: 'pay', version: '1.0.0', class: 'destructive' },
    digest: 'd'.repeat(64),
    will_happen: 'Pays 1,250.00 EUR to ACME GmbH.',
    acts_on: { account: 'DE02 1203 0000' },
    input: { cents: 125_000 },
    held: [],
    requester: 'rita',
    makers: [],
    words: [{ from: 'requester', by: 'rita', text: 'Pay INV-7.', cut: false }],
    reason: 'class destructive always asks',
    changes: [],
    untrusted: true,
    asked_at: null,
    policy: { ...PLAIN_POLICY, quorum: 2, roles: ['treasurer'], channel: 'attested' },
    remarks: [],
    expires_at: '2026-01-02T00:00:00.000Z',
    ...more,
  };
}

const started = receivers();

async function tell(service: 'slack' | 'teams', card: MessageCard | null, markdown: string | null = '## Card') {
  const { url, received } = await started();
  const notifier = createNotifier({ webhook: null, mail: null, [service]: url, ...PAGE })!;
  await notifier.tell(aQuestion(), markdown, nothingDone(), { facts: card, run_id: 'run-2' });
  expect(received).toHaveLength(1);
  expect(received[0]).toMatchObject({ method: 'POST', path: '/hooks/k3y', headers: { 'content-type': 'application/json' } });
  return received[0]!.body as unknown;
}

const SAID = [
  'Waiting for approval: pay',
  'Pays 1,250.00 EUR to ACME GmbH.',
  'account: DE02 1203 0000',
  'rita',
  'Pay INV-7.',
  'was read before',
  'payables, inv-7',
  '2 people with a role of treasurer, signed',
  '2026-01-02T00:00:00.000Z',
];

it('Slack is told what waits, what and how much, who asked and until when, with a button that links to the call', async () => {
  const { blocks } = slackShape.parse(await tell('slack', aCard()));
  const text = JSON.stringify(blocks);
  for (const what of SAID) expect(text).toContain(what);
  expect(blocks.at(-1)).toMatchObject({ type: 'actions', elements: [{ text: { text: 'Open the call' }, url: LINK }] });
});

it('Teams is told the same, by an Adaptive Card', async () => {
  const { body, actions } = teamsShape.parse(await tell('teams', aCard())).attachments[0]!.content;
  const text = JSON.stringify(body);
  for (const what of SAID) expect(text).toContain(what);
  expect(actions).toEqual([{ type: 'Action.OpenUrl', title: 'Open the call', url: LINK }]);
});

it('neither has a way to decide: no command, no digest to copy, no button but the link', async () => {
  for (const service of ['slack', 'teams'] as const) {
    const text = JSON.stringify(await tell(service, aCard())).replaceAll(LINK, '');
    expect(text).not.toMatch(/holdfast (approve|deny)|d{64}|Action\.(Submit|Execute|Http)|"value"|"action_id"/);
    expect(text).toContain('This message decides nothing.');
  }
});

it('without a card no question: the message says so, and leads to the workflow or the call alone', async () => {
  for (const service of ['slack', 'teams'] as const) {
    const text = JSON.stringify(await tell(service, null, null));
    expect(text).toContain('Its card could not be read, so nobody is asked to decide');
    expect(text).not.toContain('1,250.00');
  }
});

it('without a page the button leads to the page of the Web UI that shows the card; without both there is none', () => {
  const linkOf = (where: Parameters<typeof messageOf>[2]) =>
    summaryOf(messageOf(aQuestion(), '## Card', where, { facts: aCard(), run_id: 'run-2' }), aCard()).link;
  const workflow = 'https://temporal.bank.example/namespaces/prod/workflows/turn%2Finv-7';
  expect(linkOf(WHERE)).toEqual({ title: 'Open the workflow', url: `${workflow}/run-2/user-metadata` });
  expect(linkOf({ ...WHERE, uiUrl: null })).toBeNull();
});

it('a tool without a preview is described by its input, and a long text says how much is missing', async () => {
  const { blocks } = slackShape.parse(await tell('slack', aCard({ will_happen: null, input: { cents: 5, to: 'ACME' } })));
  expect(JSON.stringify(blocks)).toContain('cents: 5\\nto: ACME');
  const long = JSON.stringify(await tell('teams', aCard({ will_happen: 'x'.repeat(5000) })));
  expect(long).toContain('… 3800 more characters');
});

it.each(['slack', 'teams'] as const)(
  'a %s that refuses is tried again, and no error shows more than its host',
  async (service) => {
    const { url } = await started((_nth, response) => void response.writeHead(404).end('no_service'));
    const notifier = createNotifier({ webhook: null, mail: null, [service]: url, ...PAGE })!;
    const told = notifier.tell(aQuestion(), '## Card', nothingDone(), { facts: aCard(), run_id: null });
    await expect(told).rejects.toThrow(new RegExp(`${service}: 127\\.0\\.0\\.1:\\d+ answered 404`));
    await expect(told).rejects.not.toThrow(/k3y/);
  },
);

const ATTACKS = [
  '<!channel> <!here> <!everyone> <@U012AB3CD> <#C012AB3CD|general> <!subteam^S1>',
  '@channel @here @everyone',
  '<https://evil.example|Open the call>',
  '[Open the call](https://evil.example) ![x](https://evil.example/x.png)',
  '*bold* _it_ ~no~ `code` ```\nblock\n``` > quote :bomb:',
  '<at>Everyone</at> @{triggerBody()} {{DATE(2026-01-01T00:00:00Z)}} {{TIME(x)}} ${card}',
  '</text><img src=x onerror=alert(1)>&lt;!channel&gt;',
  '\u202Etxt.exe\u2066 a\u200Bb \u0000 \uFEFF \u2028 \uD800',
  'https://evil.example/?token=abcdef123456 password="hunter22222" sk-ant-abcdefgh',
];

describe('texts that a model, a tool or a person wrote', () => {
  const attack = fc.oneof(
    fc.constantFrom(...ATTACKS),
    fc.string({ unit: fc.constantFrom('<', '>', '&', '!', '@', '|', '*', '[', '](', '{{', '@{', '`', '\n', 'a', '\u202E') }),
    fc.string({ unit: 'binary', size: 'medium' }),
  );
  const hostile = fc.record({ tool: attack, requester: attack, agent: attack, turn_id: attack, text: attack });

  function messages({
    tool,
    requester,
    agent,
    turn_id,
    text,
  }: Record<'tool' | 'requester' | 'agent' | 'turn_id' | 'text', string>) {
    const turn = { ...aQuestion().turn, requester, agent, turn_id };
    const card = aCard({
      ...{ tool, agent, requester, will_happen: text, acts_on: { [tool]: text }, input: { [agent]: text } },
      words: [{ from: 'requester', by: requester, text, cut: false }],
      policy: { ...PLAIN_POLICY, roles: [text] },
    });
    const message = messageOf(aQuestion({ tool, turn }), '## Card', PAGE, { facts: card, run_id: null });
    const summary = summaryOf(message, card);
    return { link: summary.link!.url, slack: slackMessage(summary), teams: teamsMessage(summary) };
  }

  it('are inert in Slack: nothing that mentions, links or formats', () => {
    fc.assert(
      fc.property(hostile, (texts) => {
        const { slack, link } = messages(texts);
        const { blocks, text } = slackShape.parse(slack);
        const shown = [text, ...textsIn(blocks)];
        for (const one of shown) {
          expect(one).not.toMatch(/[<>]/);
          expect(one).not.toMatch(/&(?!amp;|lt;|gt;)/);
          expect(one).not.toMatch(/[\u0000-\u0008\u202A-\u202E\u2066-\u2069\u200B\uFEFF\u2028]/);
        }
        expect(JSON.stringify(slack).match(/"url":/g)).toHaveLength(1);
        expect(link.startsWith('https://desk.bank.example/hf/#/turns/')).toBe(true);
      }),
      { numRuns: runs(200, 800) },
    );
  });

  it('are inert in Teams: runs of plain text, without macros, and small enough', () => {
    fc.assert(
      fc.property(hostile, (texts) => {
        const { teams } = messages(texts);
        const { body } = teamsShape.parse(teams).attachments[0]!.content;
        for (const { inlines } of body) for (const { text } of inlines) expect(text).not.toMatch(/\{\{|@\{/);
        expect(Buffer.byteLength(JSON.stringify(teams))).toBeLessThan(TEAMS_BYTES);
      }),
      { numRuns: runs(200, 800) },
    );
  });

  it('that are long stay within the limits of both services', () => {
    for (const char of ['<', '&', '甲', '😀', '\n', 'x', '\u0000']) {
      const long = char.repeat(20_000);
      const { slack, teams } = messages({ tool: long, requester: long, agent: long, turn_id: 'inv-7', text: long });
      slackShape.parse(slack);
      teamsShape.parse(teams);
      expect(Buffer.byteLength(JSON.stringify(teams))).toBeLessThan(TEAMS_BYTES);
    }
  });

  it('have no secrets in them', () => {
    const text = ATTACKS.at(-1)!;
    const { slack, teams } = messages({ tool: 'pay', requester: 'rita', agent: 'a', turn_id: 'inv-7', text });
    for (const message of [slack, teams]) expect(JSON.stringify(message)).not.toMatch(/abcdef123456|hunter2|sk-ant-abc/);
  });

  function textsIn(value: unknown): string[] {
    if (Array.isArray(value)) return value.flatMap(textsIn);
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([name, one]) =>
      name === 'text' && typeof one === 'string' ? [one] : name === 'url' ? [] : textsIn(one),
    );
  }
});

it('a reminder names the commands of what is asked: a decision, or an answer', () => {
  const commands = (kind: 'approval' | 'question') =>
    Object.keys(messageOf(aQuestion({ kind: 'reminder' }), '## Card', PAGE, { facts: aCard({ kind }), run_id: null }).commands);
  expect([commands('approval'), commands('question')]).toEqual([['approve', 'deny'], ['answer']]);
});
