/** Notifies people that they have to decide, in every way that the settings name, each independently. */
import type { Delivery, Notifier } from '../activities/ports';
import type { NotifyInput } from '../shared/io/activities';
import { checkPackage } from '../optional-package';
import { sendMail, type MailSettings } from './mail';
import { messageId, messageOf, type Message, type WebUiLocation } from './message';
import { postWebhook, type WebhookSettings } from './webhook';
import { errorMessage } from '../shared/text/error-message';

export type { MailSettings } from './mail';
export type { WebhookSettings } from './webhook';

export interface NotifySettings extends WebUiLocation {
  webhook: WebhookSettings | null;
  mail: MailSettings | null;
}

/** One way to notify people. */
interface NotificationChannel {
  name: string;
  send(id: string, message: Message): Promise<void>;
}

/** Null if the settings name no way. @throws PackageMissing */
export function createNotifier({ webhook, mail, ...surroundings }: NotifySettings): Notifier | null {
  if (mail !== null) checkPackage('nodemailer', 'Mail');
  const ways: NotificationChannel[] = [
    ...(webhook === null ? [] : [{ name: 'webhook', send: postWebhook.bind(null, webhook) }]),
    // One mail for each address: of one mail to several, a server may accept some addresses and refuse others.
    ...(mail?.to ?? []).map((address) => ({ name: `mail to ${address}`, send: sendMail.bind(null, mail!, address) })),
  ];
  if (ways.length === 0) return null;
  return { tell: (question, card, delivery) => sendThrough(ways, messageOf(question, card, surroundings), question, delivery) };
}

/** One failing way does not stop the others; a retry uses only those that failed. */
async function sendThrough(
  ways: NotificationChannel[],
  message: Message,
  question: NotifyInput,
  delivery: Delivery,
): Promise<void> {
  const id = messageId(question);
  const faults: string[] = [];
  const pendingWays = ways.filter(({ name }) => !delivery.done.has(name));
  await Promise.all(
    pendingWays.map(({ name, send }) =>
      send(id, message).then(
        () => delivery.reached(name),
        (error: unknown) => faults.push(`${name}: ${errorMessage(error)}`),
      ),
    ),
  );
  if (faults.length > 0) throw new Error(`Some notifications were not delivered. ${faults.sort().join('. ')}`);
}
