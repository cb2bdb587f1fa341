import { z } from 'zod';
import { bm25, entryOf, nearestNames } from '../../../../src/tools/catalogue/ranker';
import { defineTool } from '../../../../src/tools/define/define';
import { MANY_TOOLS, QUERIES } from '../../../support/tools/catalogue/many-tools';

const tool = (name: string, description: any, more = {}) =>
  defineTool({ name, version: '1.0.0', class: 'read', description, input: z.object({}), run: () => null, ...more });

describe('the ranker', () => {
  const rank = bm25(MANY_TOOLS);

  it('has the right one of 200 tools among its first eight for at least nine of ten natural questions', () => {
    expect(MANY_TOOLS).toHaveLength(200);
    expect(new Set(MANY_TOOLS.map((one) => one.group)).size).toBe(12);
    expect(QUERIES).toHaveLength(40);
    const missed = QUERIES.filter(([query, name]) => !rank(query).slice(0, 8).includes(name));
    expect({ missed, enough: missed.length <= 4 }).toEqual({ missed, enough: true });
  });

  it('gives the same order every time, for any order of the tools', () => {
    const reversed = bm25([...MANY_TOOLS].reverse());
    for (const [query] of QUERIES) expect(reversed(query)).toEqual(rank(query));
  });

  it('does not find a tool by a word that says what it is not for', () => {
    const parts = { does: 'Converts lengths.', dontUseFor: 'Weather in a city.' };
    const two = bm25([tool('convert_length', parts), tool('get_weather', 'Says what the weather is like in a city.')]);
    expect(two('weather in a city')[0]).toBe('get_weather');
    expect(two('weather')).not.toContain('convert_length');
  });

  it('finds words of scripts without spaces', () => {
    const two = bm25([tool('weather_cn', '查询城市的天气情况'), tool('invoice_cn', '发送发票给客户')]);
    expect(two('北京天气')[0]).toBe('weather_cn');
  });

  it('finds nothing for words without meaning, also for a megabyte of them', () => {
    expect(rank('what do you have for me')).toEqual([]);
    expect(rank('')).toEqual([]);
    expect(rank('invoice '.repeat(150_000))[0]).toMatch(/invoice/);
    expect(rank('zzqx'.repeat(100_000))).toEqual([]);
  });

  it('names the nearest tools for an unknown name', () => {
    const names = MANY_TOOLS.map(({ name }) => name);
    expect(nearestNames('trackShipment', names)[0]).toBe('track_shipment');
    expect(nearestNames('track_shipments', names)).toContain('track_shipment');
    expect(nearestNames('invoice_send', names)).toContain('send_invoice');
    expect(nearestNames('qqqq', names)).toEqual([]);
    expect(nearestNames('list_'.repeat(1000), names).length).toBeLessThanOrEqual(5);
  });

  it('describes a tool in one line of at most 160 characters, with nothing invisible in it', () => {
    const long = entryOf(tool('a', `Reads\u200b ${'very '.repeat(100)}\nmuch`));
    expect(long.about.length).toBeLessThanOrEqual(160);
    expect(long.about).toContain('⟨U+200B⟩');
    expect(long.about).not.toContain('\n');
    expect(entryOf(tool('b', 'Reads 1.5 things. And more.', { group: 'g' }))).toEqual({
      name: 'b',
      about: 'Reads 1.5 things.',
      group: 'g',
      class: 'read',
    });
  });
});
