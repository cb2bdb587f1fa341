/** What Slack (Block Kit) and Teams (Adaptive Cards by Workflows) document of the messages that we send them: no other field passes. */
import { z } from 'zod';

const plain = (most: number) =>
  z.strictObject({ type: z.literal('plain_text'), text: z.string().min(1).max(most), emoji: z.literal(false) });
const url = z.url({ protocol: /^https?$/ }).max(3000);

export const slackShape = z.strictObject({
  text: z.string().min(1).max(4000),
  mrkdwn: z.literal(false),
  unfurl_links: z.literal(false),
  unfurl_media: z.literal(false),
  blocks: z
    .array(
      z.union([
        z.strictObject({ type: z.literal('header'), text: plain(150) }),
        z.strictObject({ type: z.literal('section'), text: plain(3000) }),
        z.strictObject({ type: z.literal('section'), fields: z.array(plain(2000)).min(1).max(10) }),
        z.strictObject({ type: z.literal('context'), elements: z.array(plain(3000)).min(1).max(10) }),
        z.strictObject({
          type: z.literal('actions'),
          elements: z.array(z.strictObject({ type: z.literal('button'), text: plain(75), url })).length(1),
        }),
      ]),
    )
    .max(50),
});

const run = z.strictObject({
  type: z.literal('TextRun'),
  text: z.string().min(1),
  weight: z.literal('Bolder').optional(),
  size: z.literal('Medium').optional(),
  fontType: z.literal('Monospace').optional(),
  isSubtle: z.literal(true).optional(),
});

export const teamsShape = z.strictObject({
  type: z.literal('message'),
  attachments: z
    .array(
      z.strictObject({
        contentType: z.literal('application/vnd.microsoft.card.adaptive'),
        contentUrl: z.null(),
        content: z.strictObject({
          $schema: z.literal('http://adaptivecards.io/schemas/adaptive-card.json'),
          type: z.literal('AdaptiveCard'),
          version: z.literal('1.4'),
          body: z.array(z.strictObject({ type: z.literal('RichTextBlock'), inlines: z.array(run).min(1) })),
          actions: z.array(z.strictObject({ type: z.literal('Action.OpenUrl'), title: z.string(), url })).max(1),
        }),
      }),
    )
    .length(1),
});

/** Teams refuses a message above this many bytes. */
export const TEAMS_BYTES = 28 * 1024;
