/**
 * Schema of an approval card: what a person has to know before deciding on a waiting call. The facts come from the store, by the
 * digest that the decision names, and from the turn's state; no field is read out of a text. Wire format: snake_case.
 */
import { z } from 'zod';
import { HOLD_KINDS } from '../shared/approval/approval';
import { TOOL_CLASSES } from '../shared/turn/tool-class';
import { callError, json, jsonObject } from './envelope';
import { fileOfMessage } from './message';
import { policyEntry } from './policy-entry';

const words = z.object({
  from: z
    .enum(['requester', 'steering', 'agent'])
    .describe(
      '`requester`: the message that began the turn. `steering`: a message to the running turn. `agent`: the task that the agent above gave.',
    ),
  by: z.string().describe('The person, or the name of the agent.'),
  text: z.string(),
  cut: z.boolean().describe('Only the beginning is here; the transcript has the whole text.'),
  missing: z.number().int().optional().describe('How many characters of a text that is cut are not here.'),
  files: z.array(fileOfMessage).optional().describe('Those of the message; the text names them too. Absent: it has none.'),
});

/** The part of a card that the workflow of the turn knows. */
export const cardState = z.object({
  reason: z.string().describe('Why a person is asked.'),
  changes: z.array(z.object({ by: z.string(), why: z.string() })).describe('Hooks and people that changed the input.'),
  untrusted: z.boolean().describe("Whether the conversation had read outsiders' text before this call was proposed."),
  evidence: z
    .string()
    .optional()
    .describe("What the tool's probe saw of a call in doubt. Absent: the tool has no probe, or the probe saw nothing."),
  asked_at: z.string().nullable().describe('When people were asked. Null for a call in doubt.'),
  policy: z.object({
    channel: z.enum(['any', 'attested']),
    quorum: z.number().int(),
    roles: z.array(z.string()),
    four_eyes: z.boolean(),
    entry: policyEntry.optional(),
    escalations: z
      .array(z.object({ at: z.string(), roles: z.array(z.string()) }))
      .optional()
      .describe('From when on people with further roles may approve as well. Absent: nobody else may.'),
  }),
  remarks: z.array(z.string()).describe('Why decisions were ignored, the last five.'),
});

/** The part of a card that the store keeps, under the digest. */
const storedFacts = z.object({
  will_happen: json.describe("The tool's preview. Null: the tool has none."),
  acts_on: jsonObject.nullable().describe('What the tool acts on besides its input. Null: it declares nothing.'),
  input: jsonObject.describe('The whole input that runs.'),
  held: z
    .array(z.object({ kind: z.enum(HOLD_KINDS), text: z.string() }))
    .describe('Why the call is asked about again. An approval accepts these reasons.'),
  requester: z.string(),
  makers: z.array(z.string()).describe('Who changed the call or steered the turn, besides the requester.'),
  words: z.array(words).describe('In whose words the request came, the first first.'),
});

/** The part of a card that only a question of the model has. */
const askedFacts = z.object({
  question: z.string().describe('Of a question: what the model asks. Absent, like the next three: it is no question.'),
  choices: z.array(z.string()).describe('The answer is one of these.'),
  schema: jsonObject.describe('JSON Schema that the answer fits. Without it and `choices` the answer is a text.'),
  to: z
    .array(z.string())
    .describe('Who may answer: people, and roles as `role:treasurer`. Absent: everybody who may answer in this turn.'),
});

export const card = z.object({
  kind: z.enum(['approval', 'in_doubt', 'question']),
  agent: z.string(),
  call_id: z.string(),
  revision: z.number().int(),
  tool: z.string(),
  version: z.string(),
  class: z.enum(TOOL_CLASSES),
  digest: z.string().describe('64 hex: what a decision names.'),
  ...storedFacts.partial().shape,
  ...cardState.partial().shape,
  ...askedFacts.partial().shape,
  expires_at: z.string().nullable(),
  error: callError.nullable().describe('Of a call in doubt: what went wrong.'),
  incomplete: z.string().optional().describe('Why the optional fields, or some of them, are missing. Absent: none is missing.'),
  markdown: z.string().describe('The same card as the Web UI shows it; a long section is cut there.'),
});

/** The card in a message to people or programs: of limited size, and without the Markdown. */
export const messageCard = card.omit({ markdown: true, error: true });

export type MessageCard = z.infer<typeof messageCard>;
export type CardWords = z.infer<typeof words>;
export type CardState = z.infer<typeof cardState>;
export type AskedFacts = Partial<z.infer<typeof askedFacts>>;
export type StoredFacts = z.infer<typeof storedFacts>;
export type Card = z.infer<typeof card>;
