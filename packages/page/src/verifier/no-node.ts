/** Stands in for Node's modules of files and timers, which the verifier's files import and the page never calls. */

function absent(): never {
  throw new Error('The page has no files.');
}
export const existsSync = absent;
export const readFileSync = absent;
export const mkdir = absent;
export const link = absent;
export const readdir = absent;
export const rename = absent;
export const writeFile = absent;
export const hostname = absent;
export const open = absent;
export const rm = absent;
export const readFile = absent;
export const stat = absent;
export const dirname = absent;
export const resolve = absent;
export const join = absent;
export const setTimeout = absent;
export const spawn = absent;
