/** Streams of turns and of direct calls, within common bounds. */
import { setMaxListeners } from 'node:events';
import { streamLimits } from '../streams/limits';
import { STREAM_SETTINGS } from '../streams/settings';
import { toolEvents } from '../streams/tool-events';
import { turnEvents } from '../streams/turn-events';
import type { Route } from '../route';

export const streams: Route = (app, parts) => {
  setMaxListeners(0, app.draining); // one for each open stream
  const settings = { ...STREAM_SETTINGS, ...parts.streams };
  const limits = streamLimits(parts);
  turnEvents(app, parts, limits, settings);
  toolEvents(app, parts, limits, settings);
};
