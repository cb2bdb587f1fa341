/**
 * Checks the Node version before the rest of the command line is loaded: if Node is too old, prints the needed version and exits.
 */
import { neededNode } from '../../version';
import { nodeFault } from './node-version';

const fault = nodeFault(neededNode, process.versions.node);
if (fault !== null) {
  process.stderr.write(`${fault}\n`);
  process.exit(1);
}
