/** Refuses YAML that is nested so deeply that reading it would exhaust the stack, which ends the process. */

const DEEPEST = 100;

/**
 * Why the text is not read, or null. Rules and policies have a handful of levels. Brackets inside of texts count as well, unless
 * they are closed.
 */
export function depthFault(text: string): string | null {
  const tooDeep = deepestFlow(text) > DEEPEST || text.split('\n').some((line) => blockDepth(line) > DEEPEST);
  return tooDeep ? `it is nested deeper than ${DEEPEST} levels` : null;
}

function deepestFlow(text: string): number {
  let [depth, deepest] = [0, 0];
  for (const character of text) {
    if (character === '[' || character === '{') deepest = Math.max(deepest, (depth += 1));
    else if (character === ']' || character === '}') depth = Math.max(0, depth - 1);
  }
  return deepest;
}

/** Each level of a block takes one more column, or an indicator at the beginning of the line. */
function blockDepth(line: string): number {
  const begin = /^[\s?:-]*/.exec(line)![0];
  return begin.length / 2;
}
