/** Describes what a walk or a search of the workspace left out. */
import type { WalkReport } from '../files/walk';
import { MOST_ENTRIES } from '../files/walk';

/** One line about what a search left out; empty if it left out nothing. */
export function leftOut(report: WalkReport, files: Record<string, number>): string {
  const counts = {
    'symbolic links': report.links,
    'folders that cannot be opened': report.unreadable,
    'folders that lie too deep': report.tooDeep,
    ...files,
  };
  const nonZero = Object.entries(counts).filter(([, count]) => count > 0);
  const text = nonZero.length === 0 ? '' : `Left out: ${nonZero.map(([what, count]) => `${count} ${what}`).join(', ')}.`;
  const cut = report.full ? `The page ended after ${MOST_ENTRIES} names; go on with next_cursor.` : '';
  return [text, cut].filter(Boolean).join(' ');
}
