import Ajv from 'ajv/dist/2020';
import fc from 'fast-check';
import type { JsonObject } from '../../../../src/shared/json/json';
import { toolDefinition, type ToolJson } from '../../../../src/tools/convert';
import { compareVersions } from '../../../../src/tools/migrate/compare';
import { migrationGuide } from '../../../../src/tools/migrate/guide';
import { schemaChanges } from '../../../../src/tools/migrate/schema-diff';
import { shippedTools } from '../../../support/shipped-tools';
import { everyField } from '../convert/every-field';
import { runs } from '../../../support/runs';
import { object, pair } from './random-schema';

const base: ToolJson = {
  ...toolDefinition(shippedTools()[0]!),
  name: 'get_weather',
  version: '1.4.2',
  parameters: {
    type: 'object',
    properties: {
      location: { type: 'string', minLength: 1, description: 'City, as people write it' },
      unit: { type: 'string', enum: ['celsius', 'fahrenheit'], default: 'celsius' },
      days: { type: 'integer', minimum: 1, maximum: 7 },
      place: { type: 'object', properties: { lat: { type: 'number' } }, additionalProperties: false },
      tags: { type: 'array', items: { type: 'string' } },
      code: { $ref: '#/$defs/code' },
    },
    required: ['location'],
    additionalProperties: false,
    $defs: { code: { type: 'string', pattern: '^[A-Z]{2}$' } },
  },
  output: { type: 'object', properties: { temp: { type: 'number' } }, required: ['temp'] },
};

function withInput(change: (parameters: any) => void, version = '2.0.0'): ToolJson {
  const next = structuredClone(base);
  change(next.parameters);
  return { ...next, version };
}

describe('comparing two versions of a tool', () => {
  it.each([...shippedTools(), everyField].map((tool) => [tool.name, toolDefinition(tool)] as const))(
    '%s has no changes against itself',
    (_name, tool) => {
      expect(compareVersions(tool, structuredClone(tool))).toMatchObject({
        changes: [],
        breaking: false,
        due: null,
        satisfied: true,
      });
    },
  );

  it.each<[string, (parameters: any) => void, string, string, boolean]>([
    ['a removed parameter', (p) => delete p.properties.days, 'removed', '/days', true],
    ['a new optional parameter', (p) => (p.properties.hours = { type: 'integer' }), 'added', '/hours', false],
    ['another type', (p) => (p.properties.days = { type: 'string' }), 'retyped', '/days', true],
    ['a wider type', (p) => (p.properties.days.type = 'number'), 'retyped', '/days', false],
    ['newly required', (p) => p.required.push('days'), 'newly_required', '/days', true],
    ['newly required with a default', (p) => p.required.push('unit'), 'newly_required', '/unit', false],
    ['no longer required', (p) => (p.required = []), 'no_longer_required', '/location', false],
    ['a choice less', (p) => p.properties.unit.enum.pop(), 'enum', '/unit', true],
    ['a choice more', (p) => p.properties.unit.enum.push('kelvin'), 'enum', '/unit', false],
    ['a narrower range', (p) => (p.properties.days.maximum = 5), 'range', '/days', true],
    ['a wider range', (p) => (p.properties.days.maximum = 14), 'range', '/days', false],
    ['a new bound', (p) => (p.properties.place.properties.lat.minimum = -90), 'range', '/place/lat', true],
    ['a shorter length', (p) => (p.properties.location.maxLength = 50), 'length', '/location', true],
    ['another pattern, behind a reference', (p) => (p.$defs.code.pattern = '^[A-Z]{3}$'), 'pattern', '/code', true],
    ['another default', (p) => (p.properties.unit.default = 'fahrenheit'), 'default', '/unit', false],
    ['a nested removal', (p) => delete p.properties.place.properties.lat, 'removed', '/place/lat', true],
    ['items of another type', (p) => (p.properties.tags.items = { type: 'integer' }), 'retyped', '/tags/[]', true],
    ['further properties taken', (p) => (p.additionalProperties = true), 'extra_properties', '', false],
    ['a condition', (p) => (p.if = { required: ['days'] }), 'shape', '', true],
    ['other words', (p) => (p.properties.days.description = 'Days ahead'), 'description', '/days', false],
  ])('%s', (_what, change, kind, path, breaking) => {
    const { changes, due } = compareVersions(base, withInput(change));
    expect(changes).toEqual([expect.objectContaining({ part: 'input', kind, path, breaking })]);
    expect(due).toBe(breaking ? 'major' : kind === 'description' ? 'patch' : 'minor');
  });

  it('a renamed parameter is reported as probably renamed, once', () => {
    const next = withInput((p) => {
      p.properties.location_name = p.properties.location;
      delete p.properties.location;
      p.required = ['location_name'];
    });
    const { changes } = compareVersions(base, next);
    expect(changes.find(({ kind }) => kind === 'renamed')).toMatchObject({
      path: '/location',
      what: 'probably renamed to location_name',
      breaking: true,
    });
    expect(changes.map(({ kind }) => kind)).not.toContain('added');
    const city = withInput((p) => {
      p.properties.city = { type: 'string', minLength: 1, description: 'City, as people write it' };
      delete p.properties.location;
      p.required = ['city'];
    });
    expect(compareVersions(base, city).changes[0]).toMatchObject({ kind: 'renamed', what: 'probably renamed to city' });
  });

  it.each<[string, JsonObject | undefined, boolean]>([
    ['a field less in the result', { type: 'object', properties: {}, required: [] }, true],
    ['a field that may be missing', { type: 'object', properties: { temp: { type: 'number' } } }, true],
    ['a narrower field', { type: 'object', properties: { temp: { type: 'integer' } }, required: ['temp'] }, false],
    ['no promise any more', undefined, true],
  ])('output: %s', (_what, output, breaking) => {
    const comparison = compareVersions(base, { ...base, output, version: '2.0.0' });
    expect(comparison).toMatchObject({ breaking });
    expect(comparison.changes.every(({ part }) => part === 'output')).toBe(true);
  });

  it('a stricter class breaks; a milder one is pointed out to approvers', () => {
    const stricter = compareVersions(base, { ...base, class: 'destructive' });
    expect(stricter).toMatchObject({ breaking: true, due: 'major', changes: [{ part: 'class', approval: true }] });
    const looser = compareVersions({ ...base, class: 'destructive' }, base);
    expect(looser.changes[0]).toMatchObject({ approval: true, what: expect.stringContaining('may now run by itself') });
    expect(compareVersions(base, { ...base, egress: true }).changes[0]).toMatchObject({ approval: true, breaking: false });
  });

  it('hiding a tool breaks compatibility; deprecating it does not', () => {
    expect(compareVersions(base, { ...base, internal_only: true })).toMatchObject({ breaking: true });
    expect(compareVersions(base, { ...base, environments: ['test'] })).toMatchObject({ breaking: true });
    expect(compareVersions(base, { ...base, deprecated: true, sunset_date: '2099-01-01' })).toMatchObject({
      breaking: false,
      due: 'minor',
    });
  });

  it.each([
    ['1.4.2', '2.0.0', true],
    ['1.4.2', '1.5.0', false],
    ['1.4.2', '1.4.2', false],
    ['1.4.2', '0.9.0', false],
    ['0.4.2', '0.5.0', true],
    ['0.4.2', '0.4.3', false],
    ['1.4.2', '2.0.0-rc.1', true],
  ])('a breaking change from %s to %s: satisfied %s', (from, to, satisfied) => {
    const next = withInput((p) => delete p.properties.days, to);
    const comparison = compareVersions({ ...base, version: from }, next);
    expect(comparison).toMatchObject({ due: 'major', satisfied });
    if (!satisfied) expect(comparison.verdict).toContain('make it');
  });

  it('drafts a guide that says what to change; hostile words in it are harmless', () => {
    const next = withInput((p) => {
      delete p.properties.days;
      p.required.push('code');
      p.properties.unit.enum = ['celsius', '<img src=x>`#'];
    });
    const guide = migrationGuide(compareVersions(base, next), base, {
      ...next,
      changelog: { '2.0.0': 'No <b>days</b>\n# any more' },
    });
    expect(guide).toContain('# Migrating `get_weather` from 1.4.2 to 2.0.0');
    expect(guide).toContain('Stop sending `/days`.');
    expect(guide).toContain('Always send `/code`.');
    expect(guide).toContain('A major step is due, and 1.4.2 → 2.0.0 makes it.');
    expect(guide.replace(/```[^]*```/, '')).not.toMatch(/(?<!\\)<img|(?<!\\)<b>|^# any/m);
  });
});

describe('what the comparison promises', () => {
  const ajv = new Ajv({ strict: false, useDefaults: false });

  it('an input that is not narrowed accepts every value that it accepted before', () => {
    let kept = 0;
    fc.assert(
      fc.property(pair, fc.array(object, { minLength: 20, maxLength: 20 }), ([old, next], values) => {
        const changes = schemaChanges(old, next);
        const before = ajv.compile(old);
        const after = ajv.compile(next);
        for (const value of values.filter((each) => before(each))) {
          if (!changes.some(({ narrowed }) => narrowed)) {
            kept += 1;
            if (!after(value)) throw new Error(`${JSON.stringify({ old, next, value, changes })}`);
          }
        }
        for (const value of values.filter((each) => after(each))) {
          if (!changes.some(({ widened }) => widened) && !before(value)) {
            throw new Error(`not widened, but ${JSON.stringify({ old, next, value, changes })}`);
          }
        }
      }),
      { numRuns: runs(160, 800) },
    );
    expect(kept).toBeGreaterThan(runs(25, 100));
  });

  it('a schema compared with itself has no changes, recursive ones included', () => {
    fc.assert(fc.property(pair, ([schema]) => expect(schemaChanges(schema, structuredClone(schema))).toEqual([])));
    const tree = { type: 'object', properties: { next: { $ref: '#' }, name: { type: 'string' } }, additionalProperties: false };
    expect(schemaChanges(tree, structuredClone(tree))).toEqual([]);
    const renamed = { ...tree, properties: { next: { $ref: '#' }, name: { type: 'integer' } } };
    expect(schemaChanges(tree, renamed)).toEqual([expect.objectContaining({ kind: 'retyped', path: '/name', narrowed: true })]);
  });
});
