/** Loaded before everything else of the command line: where Node is too old, it says which one is needed, and ends. */
import { neededNode } from '../../version';
import { nodeFault } from './node-version';

const fault = nodeFault(neededNode, process.versions.node);
if (fault !== null) {
  process.stderr.write(`${fault}\n`);
  process.exit(1);
}
