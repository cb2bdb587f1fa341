/** The kinds of what waits. */

interface Kind {
  kind: string;
}

export const isQuestion = ({ kind }: Kind): boolean => kind === 'question';
export const isInDoubt = ({ kind }: Kind): boolean => kind === 'in_doubt';
