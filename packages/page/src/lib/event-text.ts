/** Reads the text of server-sent events, as the stream of an ended turn has them. */

export interface TextEvent {
  event: string;
  data: string;
}

export function readEvents(text: string): TextEvent[] {
  const events: TextEvent[] = [];
  for (const block of text.split(/\r?\n\r?\n/)) {
    let event = 'message';
    const data: string[] = [];
    for (const line of block.split(/\r?\n/)) {
      if (line.startsWith('event:')) event = line.slice(6).trim();
      else if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
    }
    if (data.length > 0) events.push({ event, data: data.join('\n') });
  }
  return events;
}
