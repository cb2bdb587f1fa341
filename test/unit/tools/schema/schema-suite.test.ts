import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv, { type ValidateFunction } from 'ajv';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { Json, JsonObject } from '../../../../src/shared/json/json';
import { defineTool } from '../../../../src/tools/define/define';
import { AJV_OPTIONS } from '../../../../src/tools/schema/ajv';
import { compile, compiledInput, type Violation } from '../../../../src/tools/schema/schema';
import { cases, type Case, type SuiteDialect } from './support/schema-suite';

/** Rows of the table in docs/tools.md, *JSON Schema*. */
const STRICT = 'strictness';
const FORMATS = 'formats';
const PROTO = '`__proto__`';
const formats = (...names: string[]) => Object.fromEntries(names.map((name) => [`optional/format/${name}`, [FORMATS]]));

/** Files of the suite with cases that we judge in another way, and the rows that say how. */
const DIFFER: Record<SuiteDialect, Record<string, string[]>> = {
  draft7: {
    ...{ additionalProperties: [STRICT], dependencies: [STRICT], not: [STRICT], properties: [STRICT, PROTO] },
    ...{ ref: ['draft-07'], 'optional/content': ['content'], 'optional/float-overflow': ['`multipleOf`'] },
    ...formats('date-time', 'ecmascript-regex', 'hostname', 'uri-reference', 'uri-template', 'uri'),
  },
  'draft2020-12': {
    ...{ additionalProperties: [STRICT], dependentSchemas: [STRICT], not: [STRICT], properties: [STRICT, PROTO] },
    ...{ dynamicRef: ['2020-12'], 'optional/dynamicRef': ['2020-12'], vocabulary: ['2020-12'] },
    ...{ unevaluatedItems: ['2020-12'], unevaluatedProperties: ['2020-12'] },
    ...{ format: [FORMATS], 'optional/float-overflow': ['`multipleOf`'] },
    ...formats('date-time', 'duration', 'ecmascript-regex', 'email', 'hostname', 'uri-reference', 'uri-template', 'uri', 'uuid'),
  },
};

describe('docs/tools.md', () => {
  const page = readFileSync(join(__dirname, '../../../../docs/tools.md'), 'utf8');
  const section = /^### JSON Schema\n([^]*?)^## /m.exec(page)![1]!;
  const rows = new Map([...section.matchAll(/^\| (\S.*?) \| (.*) \|$/gm)].map(([, name, text]) => [name!, text!]));
  const differ = Object.values(DIFFER).flatMap((files) => Object.entries(files));

  it('has a row for each file of the suite in which we differ, and no other row except for refused schemas', () => {
    const named = new Set(differ.flatMap(([, names]) => names));
    expect([...rows.keys()].sort()).toEqual([...named, 'refused at definition'].sort());
  });

  it('names each format and each keyword of 2020-12 that we judge in another way', () => {
    for (const [file, names] of differ) {
      const word = file.split('/').at(-1)!.replace('ecmascript-regex', 'regex').replace('vocabulary', 'vocabularies');
      const text = names.map((name) => rows.get(name)).join(' ');
      if (names.includes('2020-12') || file.startsWith('optional/format/'))
        expect({ word, text: text.includes(word) }).toEqual({ word, text: true });
    }
  });
});

const folder = process.env.HOLDFAST_JSON_SCHEMA_TEST_SUITE;
const suite = folder ? describe : describe.skip;

suite(`the JSON-Schema-Test-Suite${folder ? '' : ' (needs HOLDFAST_JSON_SCHEMA_TEST_SUITE, a checkout of it)'}`, () => {
  it.each<SuiteDialect>(['draft7', 'draft2020-12'])(
    'of %s goes through registration and validation: no exception, never worse than ajv alone',
    (dialect) => {
      const counts = { schemas: 0, refused: 0, refusedByAjv: 0, tests: 0, right: 0, rightByAjv: 0, thrownByAjv: 0, closed: 0 };
      const bad: string[] = [];
      const differ = new Set<string>();
      for (const one of cases(folder!, dialect)) {
        counts.schemas += 1;
        const alone = ajvAlone(dialect, one.input);
        const ours = register(one);
        if (alone === null) counts.refusedByAjv += 1;
        if (typeof ours === 'string') {
          counts.refused += 1;
          const unfit = /default is .* which does not fit/.test(ours); // which ajv takes, and writes in
          if (alone !== null && !unfit) bad.push(`${one.name}: ajv takes it, we say ${ours}`);
          continue;
        }
        const open = compile(one.input);
        for (const test of one.tests) {
          counts.tests += 1;
          const expected = alone && judge(alone, test.data);
          const plainly = open(test.data).valid;
          const strict = ours(test.data);
          if (expected === test.valid) counts.rightByAjv += 1;
          if (strict.valid === test.valid) counts.right += 1;
          else differ.add(one.name.split('.json')[0]!);
          const name = `${one.name}: ${test.name}`;
          if (expected === 'threw') counts.thrownByAjv += 1;
          if (expected === test.valid && plainly !== test.valid) bad.push(`${name}: worse than ajv alone`);
          if (strict.valid && !plainly) bad.push(`${name}: strictness lets something in`);
          if (!strict.valid && plainly) {
            counts.closed += 1;
            const listed = extras(strict.violations).filter((property) => lists(one.input, property));
            if (extras(strict.violations).length === 0 || listed.length > 0)
              bad.push(`${name}: strictness refuses what the schema lists: ${JSON.stringify(strict.violations)}`);
          }
        }
      }
      console.info(`${dialect}: ${JSON.stringify(counts)}`);
      expect(bad).toEqual([]);
      expect([...differ].toSorted()).toEqual(Object.keys(DIFFER[dialect]).toSorted());
      expect(counts.tests).toBeGreaterThan(1000);
    },
    400_000,
  );
});

function ajvAlone(dialect: SuiteDialect, schema: JsonObject): ValidateFunction | null {
  const ajv = new (dialect === 'draft7' ? Ajv : Ajv2020)({ ...AJV_OPTIONS, useDefaults: true, logger: false });
  try {
    return addFormats(ajv as Ajv).compile(schema);
  } catch {
    return null;
  }
}

function judge(validate: ValidateFunction, data: Json): boolean | 'threw' {
  try {
    return validate(JSON.parse(JSON.stringify(data)));
  } catch {
    return 'threw';
  }
}

/** The validator of the registered tool, or the fault if it is refused in the one permitted way. */
function register({ input }: Case): ReturnType<typeof compile> | string {
  try {
    const tool = defineTool({ name: 'suite', version: '1.0.0', class: 'read', description: 'A case.', input, run: () => null });
    return compiledInput(tool.input as JsonObject).validate;
  } catch (error) {
    const { message } = error as Error;
    if (!/^Tool "suite" is not well defined:\n- /.test(message)) throw error;
    return message;
  }
}

/** The properties that were refused as additional. */
function extras(violations: Violation[]): string[] {
  return violations.flatMap(({ message }) => {
    const name = /^must NOT have additional properties: (".*")$/.exec(message)?.[1];
    return name === undefined ? [] : [JSON.parse(name) as string];
  });
}

function lists(schema: Json, property: string): boolean {
  if (Array.isArray(schema)) return schema.some((item) => lists(item, property));
  if (typeof schema !== 'object' || schema === null) return false;
  const { properties } = schema;
  if (typeof properties === 'object' && properties !== null && Object.hasOwn(properties, property)) return true;
  return Object.values(schema).some((value) => lists(value, property));
}
