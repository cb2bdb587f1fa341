/**
 * Questions that a model asks people (the tool `ask_person`): who may answer, what an answer may be, and the limits of both. Plain
 * data and pure functions: workflow, activities and clients use them. An answer is information for the model, never an approval.
 */
import type { AskedFacts } from '../../shapes/card';
import type { Json, JsonObject } from '../json/json';
import { optional } from '../json/optional';
import { samePerson, type ApprovalPolicy } from './approval';

/** The tool. No other tool may have this name. */
export const ASK_PERSON = 'ask_person';

/** UTF-8 bytes of JSON of an answer. */
export const ANSWER_BYTES = 16_384;
/** Levels of lists and objects in an answer. */
export const ANSWER_DEPTH = 20;
/** Characters of a question. */
export const LONGEST_QUESTION = 4000;
export const MOST_CHOICES = 20;
export const LONGEST_CHOICE = 200;
/** Names and roles in `to`. */
export const MOST_ADDRESSEES = 10;

/** The input of `ask_person`, once admission has checked it. */
export interface PersonQuestionInput {
  question: string;
  /** The answer is one of these texts. */
  choices?: string[];
  /** JSON Schema of the answer. Without `choices` and `schema` the answer is a text. */
  schema?: JsonObject;
  /** Who may answer: people, and roles as `role:treasurer`. Absent: everybody who may answer in this turn. */
  to?: string[];
  /** How long the question waits: ms, or a text such as `2h`. */
  expires?: number | string;
}

/** What a card says of a question; empty: the call is none. @param input as admission has checked it */
export function askedFacts(tool: string, input: JsonObject): AskedFacts {
  if (tool !== ASK_PERSON) return {};
  const { question, choices, schema, to } = input as JsonObject & PersonQuestionInput;
  return { question, ...optional({ choices, schema, to }) };
}

/**
 * The policy of a question, made of the agent's approval policy for the tool. One person answers, and `to` says who: an approval's
 * quorum, roles and four eyes are about acts, and an answer is none.
 */
export function questionPolicy(policy: ApprovalPolicy): ApprovalPolicy {
  return { ...policy, quorum: 1, roles: [], four_eyes: false };
}

/** An entry of `to` that begins so is a role, and every other one a person: a person whose name is that of a role has none by it. */
export const ROLE_PREFIX = 'role:';
const ROLE = /^[A-Za-z0-9._:-]{1,64}$/;

export interface Addressees {
  people: string[];
  roles: string[];
}

/** Null: the question is for everybody who may answer in its turn. */
export function addresseesOf({ to }: Pick<PersonQuestionInput, 'to'>): Addressees | null {
  if (to === undefined) return null;
  const isRole = (entry: string) => entry.startsWith(ROLE_PREFIX);
  return {
    people: to.filter((entry) => !isRole(entry)),
    roles: to.filter(isRole).map((entry) => entry.slice(ROLE_PREFIX.length)),
  };
}

/** Whether a person is named. A name proves no role. */
export function isNamed(addressees: Addressees | null, by: string): boolean {
  return addressees === null || addressees.people.some((name) => samePerson(name, by));
}

/** An entry of `to` that names no role; undefined: there is none. */
export function badRole(to: readonly string[]): string | undefined {
  return to.find((entry) => entry.startsWith(ROLE_PREFIX) && !ROLE.test(entry.slice(ROLE_PREFIX.length)));
}

/** Why a value can be no answer, whatever was asked; null: it can. */
export function answerSizeFault(value: Json, bytes: number): string | null {
  if (bytes > ANSWER_BYTES) return `"value" has ${bytes} bytes; ${ANSWER_BYTES} are allowed`;
  return isDeeper(value, ANSWER_DEPTH) ? `"value" is nested deeper than ${ANSWER_DEPTH} levels` : null;
}

function isDeeper(value: Json, levels: number): boolean {
  if (value === null || typeof value !== 'object') return false;
  if (levels === 0) return true;
  return Object.values(value).some((each) => isDeeper(each, levels - 1));
}
