/** Notifies people that they have to decide, in every way that the settings name, each independently. */
import type { Delivery, Notifier } from '../activities/ports';
import type { MessageCard } from '../cards/card';
import type { NotifyInput } from '../shared/io/activities';
import { checkPackage } from '../optional-package';
import { sendMail, type MailSettings } from './mail';
import { messageId, messageOf, type Message, type WebUiLocation } from './message';
import { postSlack } from './slack';
import { summaryOf, type Summary } from './summary';
import { postTeams } from './teams';
import { postWebhook, type WebhookSettings } from './webhook';
import { errorMessage } from '../shared/text/error-message';

export type { MailSettings } from './mail';
export type { WebhookSettings } from './webhook';

export interface NotifySettings extends WebUiLocation {
  webhook: WebhookSettings | null;
  /** Incoming webhook of a Slack channel. */
  slack?: string | null;
  /** Webhook of a workflow that posts to a Teams channel. */
  teams?: string | null;
  mail: MailSettings | null;
}

/** One way to notify people. */
interface NotificationChannel {
  name: string;
  /** @param card whole; null: the store does not have it */
  send(id: string, message: Message, card: MessageCard | null): Promise<void>;
}

/** Null if the settings name no way. @throws PackageMissing */
export function createNotifier({ webhook, slack = null, teams = null, mail, ...surroundings }: NotifySettings): Notifier | null {
  if (mail !== null) checkPackage('nodemailer', 'Mail');
  const ways: NotificationChannel[] = [
    ...(webhook === null ? [] : [{ name: 'webhook', send: postWebhook.bind(null, webhook) }]),
    ...(slack === null ? [] : [chat('slack', (summary) => postSlack(slack, summary))]),
    ...(teams === null ? [] : [chat('teams', (summary) => postTeams(teams, summary))]),
    // One mail for each address: of one mail to several, a server may accept some addresses and refuse others.
    ...(mail?.to ?? []).map((address) => ({ name: `mail to ${address}`, send: sendMail.bind(null, mail!, address) })),
  ];
  if (ways.length === 0) return null;
  return {
    tell: (question, card, delivery, context) =>
      sendThrough(
        ways,
        { question, message: messageOf(question, card, surroundings, context), card: context?.facts ?? null },
        delivery,
      ),
  };
}

function chat(name: string, post: (summary: Summary) => Promise<void>): NotificationChannel {
  return { name, send: (_id, message, card) => post(summaryOf(message, card)) };
}

interface Notification {
  question: NotifyInput;
  message: Message;
  card: MessageCard | null;
}

/** One failing way does not stop the others; a retry uses only those that failed. */
async function sendThrough(
  ways: NotificationChannel[],
  { question, message, card }: Notification,
  delivery: Delivery,
): Promise<void> {
  const id = messageId(question);
  const faults: string[] = [];
  const pendingWays = ways.filter(({ name }) => !delivery.done.has(name));
  await Promise.all(
    pendingWays.map(({ name, send }) =>
      send(id, message, card).then(
        () => delivery.reached(name),
        (error: unknown) => faults.push(`${name}: ${errorMessage(error)}`),
      ),
    ),
  );
  if (faults.length > 0) throw new Error(`Some notifications were not delivered. ${faults.sort().join('. ')}`);
}
