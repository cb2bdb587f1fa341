import { tmpdir } from 'node:os';
import { shippedApp } from '../../packs/showcase/src';
import { readResultTool } from '../../src/tools/results/result-text';
import type { Tool } from '../../src/tools/define/tool';

/** Every tool of every agent that ships, once. */
export function shippedTools(): Tool[] {
  const { agents } = shippedApp({
    smtp: { host: '127.0.0.1', port: 25, from: 'a@bank.example' },
    showcase: { workspace: tmpdir(), evm: null }, // read for its definitions: nothing is run in it
  });
  const all = [...agents.flatMap((agent) => agent.tools), readResultTool()];
  return [...new Map(all.map((tool) => [`${tool.name}@${tool.version}`, tool])).values()];
}
