/**
 * The one place for Temporal's data converter: worker, client, replay and bundle all use it. A payload codec (encryption,
 * compression) goes here. A codec must give back unchanged what it cannot decode: one that throws on a foreign payload blocks the
 * workflow that received it.
 */
import type { DataConverter } from '@temporalio/common';

export const dataConverter: DataConverter = {};
