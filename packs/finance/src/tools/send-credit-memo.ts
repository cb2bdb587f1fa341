/** The tool `send_credit_memo`: sends a credit memo by e-mail. */
import { z } from 'zod';
import { type CheckFault, defineTool } from 'holdfast/tools';
import type { Mailer } from '../mailer';

const LINE_BREAK = /[\r\n\u2028\u2029\0]/;

/**
 * `{recipient, subject, body_md}` → `{message_id, accepted, response, sent_at}`. Sends real mail: see smtp-mailer.ts for what a
 * failure proves.
 */
export function sendCreditMemo(mailer: Mailer) {
  return defineTool({
    name: 'send_credit_memo',
    version: '1.0.0',
    class: 'destructive',
    egress: true,
    ruleTarget: { kind: 'text', of: ({ recipient }) => recipient },
    target: { from: mailer.from, ...(mailer.host === undefined ? {} : { smtp_host: mailer.host }) },
    description: {
      does: 'Sends a finished credit memo to one recipient by e-mail. It cannot be taken back.',
      returns: 'message_id, accepted recipients, the answer of the mail server, sent_at.',
      useWhen:
        'The memo is complete, every figure in it came from a tool and carries its date, and the user asked for it to be sent to this recipient.',
      dontUseFor: 'Drafts, several recipients, or trying whether mail works. Show a draft in your answer instead.',
      example:
        '{"recipient": "credit@example.com", "subject": "Credit memo: Apple Inc., FY2022", "body_md": "# Credit memo ... (the whole text, 100 characters or more)"}',
      warning:
        'DESTRUCTIVE. Calling it asks a person, who sees recipient, subject and the whole body and decides. No field of yours approves it. If it is denied, do not try again in another form; if its outcome is in doubt, say so.',
    },
    errors: [
      {
        code: 'CONFIRMATION_REQUIRED',
        reason: 'denied',
        when: 'A person refused it, or nobody decided in time: accept that and report it.',
      },
      {
        code: 'INVALID_PARAMS',
        reason: 'header_injection',
        when: 'Recipient or subject holds a line break: send each as one line.',
      },
    ],
    input: z.object({
      recipient: z.email().max(254).describe('One e-mail address'),
      subject: z.string().min(5).max(200).describe('Subject of the mail, one line'),
      body_md: z.string().min(100).max(20_000).describe('The whole memo, Markdown'),
    }),
    output: z.object({
      message_id: z.string(),
      accepted: z.array(z.string()),
      response: z.string(),
      sent_at: z.iso.datetime(),
    }),
    check: checkMemo,
    // A mail with another wording of the body is the same act for the recipient.
    intentKey: ({ recipient, subject }) => ({ recipient: plain(recipient), subject: plain(subject) }),
    preview: ({ recipient, subject, body_md }) =>
      `One e-mail is sent\n  from     ${mailer.from}\n  to       ${recipient}\n  subject  ${subject}\n  body     ${body_md.length} characters: body_md below, as it is`,
    async run({ recipient, subject, body_md }, ctx) {
      ctx.progress(`sending to ${recipient}`);
      const message = { recipient, subject, body: body_md };
      const options = { idempotencyKey: ctx.idempotencyKey, signal: ctx.signal };
      const receipt = await ctx.network(() => mailer.send(message, options));
      return {
        message_id: receipt.messageId,
        accepted: receipt.accepted,
        response: receipt.response,
        sent_at: new Date().toISOString(),
      };
    },
  });
}

function plain(text: string): string {
  return text.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase();
}

/** Refuses line breaks in header fields: the text after one could add headers. */
function checkMemo(input: { recipient: string; subject: string }): CheckFault | undefined {
  for (const field of ['recipient', 'subject'] as const) {
    if (!LINE_BREAK.test(input[field])) continue;
    return {
      reason: 'header_injection',
      message: `${field} contains a line break or a NUL: ${JSON.stringify(input[field].slice(0, 100))}`,
      hint: `Send ${field} as one line.`,
    };
  }
  return undefined;
}
