/** The first text of a result of MCP's `tools/call`. */
export function textOf(result: unknown): string {
  const [block] = (result as { content: { type: string; text?: string }[] }).content;
  return block?.type === 'text' ? block.text! : '';
}
