#!/usr/bin/env node
const { runCommandLine } = require('../dist/index.js');

void runCommandLine(process.argv);
