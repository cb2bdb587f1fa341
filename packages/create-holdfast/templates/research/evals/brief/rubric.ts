/** Each finding has a file that was read. */
import type { EvalRubric } from 'holdfast/testing';
import { brief } from '../../app.js';

const rubric: EvalRubric = ({ calls, result }) => {
  const read = calls.filter(({ tool }) => tool === 'read_source').map(({ input }) => input?.source);
  const invented = brief.parse(result).findings.filter(({ source }) => !read.includes(source));
  return { pass: invented.length === 0, reason: `Findings without a file that was read: ${invented.length}.` };
};
export default rubric;
