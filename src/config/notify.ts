/** How people are told that they have to decide: by webhook, in a chat, or by mail. */
import { ConfigError } from './error';
import type { Reader } from './variables';
import { optional } from '../shared/json/optional';

export interface SmtpConfig {
  host: string;
  port: number;
  /** TLS from the first byte; otherwise STARTTLS. */
  secure: boolean;
  /** Mail and password may go out without TLS. */
  allowPlain: boolean;
  user?: string;
  pass?: string;
  from: string;
}

/** How people are notified that they have to decide. */
export interface NotifyConfig {
  webhook: { url: string; secret: string } | null;
  /** Incoming webhook of a Slack channel. */
  slack: string | null;
  /** Webhook of a workflow that posts to a Teams channel. */
  teams: string | null;
  /** E-mail addresses; sent through `smtp`. */
  mail: string[];
}

export function smtpOf(read: Reader): SmtpConfig | null {
  const host = read('HOLDFAST_SMTP_HOST');
  if (host === undefined) return null;
  const from = read('HOLDFAST_SMTP_FROM');
  if (from === undefined)
    throw new ConfigError('HOLDFAST_SMTP_FROM is not set; with HOLDFAST_SMTP_HOST it must be a sender address.');
  const secure = read('HOLDFAST_SMTP_SECURE');
  return {
    host,
    port: read('HOLDFAST_SMTP_PORT') ?? (secure ? 465 : 587),
    secure,
    allowPlain: read('HOLDFAST_SMTP_ALLOW_PLAIN'),
    ...optional({ user: read('HOLDFAST_SMTP_USER'), pass: read('HOLDFAST_SMTP_PASS') }),
    from,
  };
}

export function notifyOf(read: Reader): NotifyConfig {
  const [url, secret] = [read('HOLDFAST_NOTIFY_WEBHOOK'), read('HOLDFAST_NOTIFY_SECRET')];
  const mail = read('HOLDFAST_NOTIFY_MAIL') ?? [];
  const chats = { slack: read('HOLDFAST_NOTIFY_SLACK') ?? null, teams: read('HOLDFAST_NOTIFY_TEAMS') ?? null };
  if (url === undefined && secret === undefined) return { webhook: null, ...chats, mail };
  if (url === undefined)
    throw new ConfigError('HOLDFAST_NOTIFY_WEBHOOK is not set but HOLDFAST_NOTIFY_SECRET is; set both, or neither.');
  if (secret === undefined) {
    const make = `node -p "'whsec_' + crypto.randomBytes(32).toString('base64')"`;
    throw new ConfigError(
      `HOLDFAST_NOTIFY_SECRET is not set but HOLDFAST_NOTIFY_WEBHOOK is; webhooks are signed with it. This makes one: ${make}`,
    );
  }
  return { webhook: { url, secret }, ...chats, mail };
}
