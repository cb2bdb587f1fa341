#!/usr/bin/env node
/** The program `holdfast`: runs the command that its arguments name. */
import './support/check-node-version';
import './support/own-environment';
import './support/compile-cache';
import { runCommand } from './commands';
import { endWithReader, exitAfterFlush } from './support/output';

endWithReader();
void runCommand(process.argv).then(exitAfterFlush);
