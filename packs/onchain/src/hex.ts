/** 20 bytes, hexadecimal. */
export type Address = `0x${string}`;
/** Bytes, hexadecimal. */
export type Hex = `0x${string}`;
