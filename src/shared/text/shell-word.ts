import { visible } from './visible';

/** One word for a shell: others choose names, and people paste what we print. Without quotes where no shell reads anything into it. */
export function shellWord(text: string): string {
  return /^[\w.:,@+/-][\w=.:,@+/-]*$/.test(text) ? text : `'${visible(text).replaceAll("'", "'\\''")}'`;
}
