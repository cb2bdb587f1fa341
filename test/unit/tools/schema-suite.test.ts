import Ajv, { type ValidateFunction } from 'ajv';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { Json, JsonObject } from '../../../src/shared/json';
import { defineTool } from '../../../src/tools/define';
import { AJV_OPTIONS } from '../../../src/tools/ajv';
import { compile, compiledInput, type Violation } from '../../../src/tools/schema';
import { cases, type Case, type SuiteDialect } from './support/schema-suite';

/** Files of the suite with cases that we judge otherwise: docs/tools.md says in what. */
const DIFFER: Record<SuiteDialect, string[]> = {
  draft7: [
    ...['additionalProperties', 'dependencies', 'not', 'optional/content', 'optional/float-overflow', 'properties', 'ref'],
    ...['date-time', 'ecmascript-regex', 'hostname', 'uri-reference', 'uri-template', 'uri'].map(
      (name) => `optional/format/${name}`,
    ),
  ],
  'draft2020-12': [
    ...['additionalProperties', 'dependentSchemas', 'dynamicRef', 'format', 'not', 'optional/dynamicRef', 'properties'],
    ...['optional/float-overflow', 'unevaluatedItems', 'unevaluatedProperties', 'vocabulary'],
    ...['date-time', 'duration', 'ecmascript-regex', 'email', 'hostname', 'uri-reference', 'uri-template', 'uri', 'uuid'].map(
      (name) => `optional/format/${name}`,
    ),
  ],
};

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
      expect([...differ].toSorted()).toEqual(DIFFER[dialect].toSorted());
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

/** The validator of the registered tool; the fault, where it is refused in the one way that is allowed. */
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
