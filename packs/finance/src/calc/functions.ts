/** The functions and constants that an expression may use, each function with its number of arguments. */
export interface MathFunction {
  min: number;
  max: number;
  apply(args: number[]): number;
}

const fn = (min: number, max: number, apply: (...args: number[]) => number): MathFunction => ({
  min,
  max,
  apply: (args) => apply(...args),
});

export const CONSTANTS = new Map([
  ['pi', Math.PI],
  ['e', Math.E],
]);

export const FUNCTIONS = new Map<string, MathFunction>([
  ['abs', fn(1, 1, Math.abs)],
  ['sqrt', fn(1, 1, Math.sqrt)],
  ['cbrt', fn(1, 1, Math.cbrt)],
  ['exp', fn(1, 1, Math.exp)],
  ['ln', fn(1, 1, Math.log)],
  ['log', fn(1, 2, (x, base) => (base === undefined ? Math.log(x!) : logarithm(x!, base)))],
  ['log10', fn(1, 1, Math.log10)],
  ['log2', fn(1, 1, Math.log2)],
  ['pow', fn(2, 2, (x, y) => x! ** y!)],
  ['mod', fn(2, 2, (x, y) => x! - y! * Math.floor(x! / y!))],
  ['min', fn(1, 50, Math.min)],
  ['max', fn(1, 50, Math.max)],
  ['floor', fn(1, 1, Math.floor)],
  ['ceil', fn(1, 1, Math.ceil)],
  ['sign', fn(1, 1, Math.sign)],
  ['round', fn(1, 2, (x, digits = 0) => round(x!, digits))],
]);

/** Exact for whole logarithms: log(1000, 10) is 3, where the quotient of the two natural logarithms is 2.9999999999999996. */
function logarithm(x: number, base: number): number {
  const quotient = Math.log(x) / Math.log(base);
  const whole = Math.round(quotient);
  return base ** whole === x ? whole : quotient;
}

/** Rounds half away from zero, on the shortest decimal form: 1.005 gives 1.01. NaN unless `digits` is an integer from 0 to 15. */
function round(x: number, digits: number): number {
  if (!Number.isInteger(digits) || digits < 0 || digits > 15) return NaN;
  const [mantissa, exponent = '0'] = String(Math.abs(x)).split('e') as [string, string?];
  const shifted = Math.round(Number(`${mantissa}e${Number(exponent) + digits}`));
  if (!Number.isFinite(shifted)) return x;
  const [m, e = '0'] = String(shifted).split('e') as [string, string?];
  return Math.sign(x) * Number(`${m}e${Number(e) - digits}`);
}
