import { defineAgent, defineApp } from 'holdfast/app';

export default defineApp({
  agents: [
    defineAgent({
      name: 'clerk',
      prompt: 'You keep the notes of the department. Read before you write.',
      tools: [],
      mcpServers: ['files'],
      // The server has fourteen tools, and may have more tomorrow: what no rule names is refused.
      permissions: {
        mode: 'locked',
        allow: ['files__list_directory', 'files__read_text_file'],
        ask: ['files__write_file'],
      },
    }),
  ],
});
