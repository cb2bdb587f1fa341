/** Another value of the same type. */
export function another(value: any): any {
  if (value === null) return 'another';
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  if (Array.isArray(value) && typeof value[0] === 'object') return [another(value[0]), ...value.slice(1)];
  if (Array.isArray(value)) return [...value, 'another'];
  if (typeof value === 'object')
    return { ...value, [Object.keys(value)[0] ?? 'another']: another(Object.values(value)[0] ?? null) };
  if (value === 'applied') return 'not_applied';
  if (/^[0-9a-f]{64}$/.test(value)) return `${value.startsWith('0') ? '1' : '0'}${value.slice(1)}`;
  const time = /^\d{4}-.*Z$/.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(time) ? `${value}x` : new Date(time - 3_600_000).toISOString();
}
