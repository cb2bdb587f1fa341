/**
 * What stands in a form, and the value that it makes. A value that does not fit its field, or that the field would change, is
 * edited as raw JSON: opening a form and sending it unchanged never changes the input.
 */
import { isJsonObject, setOwn, type Json, type JsonObject } from '../../../../src/shared/json/json';
import { JsonSyntaxError, parseJson } from '../../../../src/shared/json/parse-json';
import { lengthFault, numberFault } from './field-limits';
import type { Field } from './schema-fields';

export type Draft =
  | { is: 'absent' }
  | { is: 'null' }
  | { is: 'text'; text: string }
  | { is: 'flag'; on: boolean }
  | { is: 'choice'; index: number }
  /** @property rest what the schema does not name */
  | { is: 'group'; drafts: Record<string, Draft>; order: string[]; rest: JsonObject }
  | { is: 'list'; items: Draft[] }
  | { is: 'json'; text: string };

export interface FormFault {
  /** Such as `lines[2].amount`; empty: the whole value. */
  path: string;
  message: string;
}

const asText = (value: Json): Draft => ({ is: 'json', text: JSON.stringify(value, null, 2) });

/** @param value undefined: there is none yet */
export function draftOf(field: Field, value: Json | undefined): Draft {
  if (value === undefined) return emptyDraft(field);
  if (value === null && field.nullable) return { is: 'null' };
  switch (field.is) {
    case 'text':
      return typeof value === 'string' && !value.includes('\r') ? { is: 'text', text: value } : asText(value);
    case 'number':
      return typeof value === 'number' ? { is: 'text', text: String(value) } : asText(value);
    case 'flag':
      return typeof value === 'boolean' ? { is: 'flag', on: value } : asText(value);
    case 'choice': {
      const index = field.options.indexOf(value);
      return index >= 0 ? { is: 'choice', index } : asText(value);
    }
    case 'list':
      return Array.isArray(value) ? { is: 'list', items: value.map((item) => draftOf(field.item, item)) } : asText(value);
    case 'group':
      return isJsonObject(value) ? groupDraft(field.fields, value, () => ({ is: 'absent' })) : asText(value);
    case 'json':
      return asText(value);
  }
}

/** @param missing the draft of a field that the value lacks */
function groupDraft(fields: Field[], value: JsonObject, missing: (field: Field) => Draft): Draft {
  const drafts: Record<string, Draft> = {};
  const rest: JsonObject = {};
  for (const field of fields) {
    const present = Object.hasOwn(value, field.name);
    if (present) setOwn(drafts, field.name, draftOf(field, value[field.name]));
    else setOwn(drafts, field.name, missing(field));
  }
  for (const name of Object.keys(value)) if (!Object.hasOwn(drafts, name)) setOwn(rest, name, value[name]!);
  return { is: 'group', drafts, order: Object.keys(value), rest };
}

export function emptyDraft(field: Field): Draft {
  if (!field.required) return { is: 'absent' };
  switch (field.is) {
    case 'flag':
      return { is: 'flag', on: false };
    case 'choice':
      return { is: 'choice', index: field.options.length === 1 ? 0 : -1 };
    case 'list':
      return { is: 'list', items: [] };
    case 'group':
      return groupDraft(field.fields, {}, emptyDraft);
    case 'json':
      return { is: 'json', text: '' };
    default:
      return { is: 'text', text: '' };
  }
}

export type FormValue = { ok: true; value: Json | undefined } | { ok: false; faults: FormFault[] };

/** The value; `undefined` for a field that is left out. */
export function valueOf(field: Field, draft: Draft, path = ''): FormValue {
  const fault = (message: string): FormValue => ({ ok: false, faults: [{ path, message }] });
  switch (draft.is) {
    case 'absent':
      return field.required ? fault('This is needed.') : { ok: true, value: undefined };
    case 'null':
      return { ok: true, value: null };
    case 'flag':
      return { ok: true, value: draft.on };
    case 'choice': {
      const option = field.is === 'choice' ? field.options[draft.index] : undefined;
      return option === undefined ? fault('Choose one.') : { ok: true, value: option };
    }
    case 'text':
      return field.is === 'number' ? numberOf(field, draft.text, fault) : textOf(field, draft.text, fault);
    case 'json':
      return jsonOf(draft.text, fault);
    case 'list':
      return listOf(field, draft.items, path);
    case 'group':
      return objectOf(field, draft, path);
  }
}

function numberOf(field: Extract<Field, { is: 'number' }>, text: string, fault: (message: string) => FormValue): FormValue {
  if (!/^\s*-?\d+(\.\d+)?([eE][+-]?\d+)?\s*$/.test(text)) return fault('This must be a number, such as 12 or 12.5.');
  const value = Number(text);
  if (!Number.isFinite(value)) return fault('This number is too large.');
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return fault('This number is too large to be exact.');
  if (field.integer && !Number.isInteger(value)) return fault('This must be a whole number.');
  const limit = numberFault(value, field.limits);
  return limit === null ? { ok: true, value } : fault(limit);
}

function textOf(field: Field, text: string, fault: (message: string) => FormValue): FormValue {
  if (field.is !== 'text') return { ok: true, value: text };
  // A character outside the basic plane is one, as JSON Schema counts.
  const limit = lengthFault([...text].length, field.limits, 'character');
  if (limit !== null) return fault(limit);
  return field.format === 'date' && !isDate(text) ? fault('This must be a day, such as 2026-01-31.') : { ok: true, value: text };
}

/** A day that the calendar has. */
export function isDate(text: string): boolean {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : null;
  return at !== null && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}

function jsonOf(text: string, fault: (message: string) => FormValue): FormValue {
  try {
    return { ok: true, value: parseJson(text) };
  } catch (error) {
    return fault(error instanceof JsonSyntaxError ? `This is not JSON: ${error.reason}` : 'This is not JSON.');
  }
}

function listOf(field: Field, drafts: Draft[], path: string): FormValue {
  const item: Field = field.is === 'list' ? field.item : { ...field, is: 'json' };
  const values = drafts.map((draft, index) => valueOf(item, draft, `${path}[${index}]`));
  const count = field.is === 'list' ? lengthFault(drafts.length, field.limits, 'entry') : null;
  const faults = values.flatMap((one) => (one.ok ? [] : one.faults)).concat(count === null ? [] : [{ path, message: count }]);
  return faults.length > 0
    ? { ok: false, faults }
    : { ok: true, value: values.map((one) => (one.ok ? (one.value ?? null) : null)) };
}

/** Fields keep the order that they had in the value. */
function objectOf(field: Field, { drafts, order, rest }: Extract<Draft, { is: 'group' }>, path: string): FormValue {
  const fields = field.is === 'group' ? field.fields : [];
  const faults: FormFault[] = [];
  const values: JsonObject = {};
  for (const one of fields) {
    const read = valueOf(
      one,
      Object.hasOwn(drafts, one.name) ? drafts[one.name]! : { is: 'absent' },
      path === '' ? one.name : `${path}.${one.name}`,
    );
    if (!read.ok) faults.push(...read.faults);
    else if (read.value !== undefined) setOwn(values, one.name, read.value);
  }
  if (faults.length > 0) return { ok: false, faults };
  for (const name of Object.keys(rest)) setOwn(values, name, rest[name]!);
  const value: JsonObject = {};
  for (const name of [...order, ...Object.keys(values)]) if (Object.hasOwn(values, name)) setOwn(value, name, values[name]!);
  return { ok: true, value };
}
