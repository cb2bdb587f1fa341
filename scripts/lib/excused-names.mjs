export const EXCUSED_NAMES = new Map([]);
