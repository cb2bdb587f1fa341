/** The verifier's files expect a global `Buffer`. Imported before them. */
import { PageBuffer } from './buffer';

Object.defineProperty(globalThis, 'Buffer', { value: PageBuffer, configurable: true, writable: true });
