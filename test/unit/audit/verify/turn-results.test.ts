/** What a bundle says of the result that an agent gives (rules D1, D2, D4 and D6). */
import { isMisfit } from '../../../../src/audit/verify/schema-fit';
import { TurnResults } from '../../../../src/audit/verify/turn-results';
import { hashJson } from '../../../../src/shared/json/digests';
import type { Json, JsonObject } from '../../../../src/shared/json/json';
import { GONE, type Fields } from '../../../support/audit/hand-events';
import { HandComparison } from '../../../support/audit/hand-comparison';

const schema = { type: 'object', properties: { cents: { type: 'integer' } }, required: ['cents'], additionalProperties: false };
const data = { cents: 7 };
const CALL = { id: '1.1', tool: 'give_result', definition_ref: 'typed', gives_result: true };
const definitions = new Map<string, JsonObject>([
  ['typed', { result: schema }],
  ['plain', {}],
]);

class Scene extends HandComparison<TurnResults> {
  constructor() {
    super((all) => new TurnResults(all, definitions), { definitions });
  }

  step(call: Fields = {}): this {
    return this.does('takeStep', {}, { calls: [{ ...CALL, ...call }] });
  }

  end(argument: unknown = { state: 'completed', result_of: 'd' }, output: unknown = { head: 'h', result: data }): this {
    return this.does('endTurn', argument, output);
  }

  view(result: Json | undefined = data): string[] {
    this.run.ends('COMPLETED', { calls: [], ...(result === undefined ? {} : { result }) });
    return this.faults();
  }
}

describe('the result of a turn', () => {
  it('is what the call gave, what the activity read, and what the turn shows', () => {
    const scene = new Scene().step().end();
    expect(scene.view()).toEqual([]);
    expect(new Scene().step().end().view({ cents: 8 })).toEqual([expect.stringMatching(/^D1: .*result/)]);
    expect(new Scene().step().end().view(null)).toEqual([expect.stringMatching(/^D1: .*result/)]);
    const other = new Scene().step();
    other.all.addFacts('call', 'd', { input_hash: hashJson({ cents: 8 }) }, 'somebody');
    expect(other.end().faults()).toEqual([expect.stringMatching(/^D4: .*input_hash/)]);
    const named = new Scene().step();
    named.all.addFacts('block', 'h', { result_of: 'e' }, 'somebody');
    expect(named.end().faults()).toEqual([expect.stringMatching(/^D6: .*result_of/)]);
  });

  it('is there exactly if a call gave it', () => {
    const none = 'D6: A turn is said to have come to its end after calls, and none of them gave a result';
    const half = 'D6: A turn names the call that gave its result, and has none; or has one, and names no call';
    expect(new Scene().step().end({ state: 'completed' }, { head: 'h' }).faults()).toEqual([none]);
    expect(new Scene().step().end({ state: 'refused' }, { head: 'h', result: data }).faults()).toEqual([none, half]);
    expect(new Scene().step().end({ state: 'completed', result_of: 'd' }, { head: 'h' }).faults()).toContain(half);
    expect(new Scene().end({ state: 'failed' }, { head: 'h' }).faults()).toEqual([]);
    expect(new Scene().end({ state: 'completed', envelope: true }, { head: 'h', envelope: {} }).faults()).toEqual([]);
    expect(new Scene().end(GONE, { head: 'h', result: data }).faults()).toEqual([]);
    expect(new Scene().end({ state: 'completed', result_of: 'd' }, GONE).faults()).toEqual([]);
  });

  it('fits the schema of the definition that its call names', () => {
    const misfit = "D6: The turn's result does not fit the schema that the agent's definition has for it";
    const given = (result: JsonObject, call: Fields = {}) =>
      new Scene().step(call).end(undefined, { head: 'h', result }).faults();
    const wrongResults: JsonObject[] = [{}, { cents: 'x' }, { cents: 0.5 }, { cents: 7, more: 1 }];
    for (const wrong of wrongResults) expect(given(wrong)).toEqual([misfit]);
    expect(given({}, { definition_ref: 'gone' })).toEqual([]);
  });

  it('is of a call that gives results, by its definition and by its step', () => {
    const otherwise = "D2: A call is said to give a result, and its agent's definition says otherwise";
    expect(new Scene().step({ definition_ref: 'plain' }).faults()).toEqual([otherwise]);
    expect(new Scene().step({ tool: 'pay' }).faults()).toEqual([otherwise]);
    expect(new Scene().step({ gives_result: undefined }).faults()).toEqual([otherwise]);
    expect(new Scene().step({ tool: 'pay', gives_result: undefined }).faults()).toEqual([]);
    const stray = 'D2: The outcome of a call says otherwise than its step whether it gives a result';
    const told = (outcome: JsonObject) =>
      new Scene()
        .step()
        .gives('takeStep', { outcomes: [outcome] })
        .faults();
    expect([told({ call_id: '1.1', gives_result: true }), told({ call_id: '1.2' })]).toEqual([[], []]);
    const wrongOutcomes: JsonObject[] = [
      { call_id: '1.2', gives_result: true },
      { call_id: '1.1' },
      { call_id: '1.1', gives_result: 'yes' },
    ];
    for (const wrong of wrongOutcomes) expect(told(wrong)).toEqual([stray]);
  });
});

describe('a value that surely does not fit', () => {
  const cases: [JsonObject, Json[], Json[]][] = [
    [{ type: ['string', 'null'] }, ['', null], [0, false, {}, []]],
    [{ type: 'integer' }, [1, -1], [1.5, '1', true]],
    [{ enum: ['a', { b: 1 }] }, ['a', { b: 1 }], ['b', { b: 2 }, {}]],
    [{ const: null }, [null], [0, false]],
    [{ minimum: 1, maximum: 2 }, [1, 2, 'x'], [0, 3]],
    [{ minLength: 1, maxLength: 2 }, ['a', '👍👍', 5], ['', 'abc']],
    [{ minItems: 1, maxItems: 1, items: { type: 'number' } }, [[1], 'x'], [[], [1, 2], ['a']]],
    [{ items: [{ type: 'number' }] }, [['a']], []],
    [{ prefixItems: [{ type: 'number' }], items: false }, [['a', 'b']], []],
    [{ additionalProperties: { type: 'number' } }, [{ a: 1 }], [{ a: 'x' }]],
    [{ patternProperties: { x: {} }, additionalProperties: false }, [{ a: 1 }], []],
    [{ allOf: [{ type: 'string' }, { minLength: 2 }] }, ['ab'], ['a', 1]],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, ['a', null], [1]],
    [{ oneOf: [{ type: 'number' }, { minimum: 1 }] }, [2, 0], []],
    [{ anyOf: [] }, [1], []],
    [{ $defs: { 'a/b': { type: 'string' } }, $ref: '#/$defs/a~1b' }, ['a'], [1]],
    [{ properties: { below: { $ref: '#' } }, required: ['below'] }, [1], [{}, { below: {} }]],
    [{ $ref: 'https://example.com/x' }, [1], []],
    [{ $ref: '#/$defs/none' }, [1], []],
    [{ not: {}, pattern: 'x', format: 'date', if: {}, then: false }, ['y'], []],
    [{ properties: { a: false } }, [{}, { b: 1 }], [{ a: 1 }]],
  ];
  it.each(cases)('%j', (wanted, right, wrong) => {
    expect(right.filter((value) => isMisfit(wanted, value))).toEqual([]);
    expect(wrong.filter((value) => !isMisfit(wanted, value))).toEqual([]);
  });

  it('is not said of a schema that leads back to itself for ever', () => {
    expect(isMisfit({ $ref: '#' }, 1)).toBe(false);
    const wide = { allOf: [{ $ref: '#' }, { $ref: '#' }, { $ref: '#' }] };
    expect(isMisfit(wide, 1)).toBe(false);
  });

  it('is given by no direct call, whose admission says so as a step does', () => {
    const outcomes = (gives_result: boolean) => ({
      state: 'failed',
      envelope: true,
      outcomes: [{ call_id: '1.1', gives_result }],
    });
    const direct = (gives_result: boolean) =>
      new Scene().does('admitDirect', {}, { call: CALL }).does('endTurn', outcomes(gives_result), { head: 'h', result: null });
    expect(direct(true).faults()).toEqual([]);
    expect(direct(false).faults()).toEqual([expect.stringMatching(/^D2: .*outcome of a call/)]);
  });
});
