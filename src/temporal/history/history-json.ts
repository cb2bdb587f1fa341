/**
 * Converts a history to and from proto3 JSON, as Temporal's own tools do.
 *
 * The SDK has functions for it (`@temporalio/common/lib/proto-utils`), but they fail where npm has installed a copy of protobufjs for each
 * package of the SDK, as it does where another package has brought an older protobufjs: protobufjs refuses the message types of another
 * copy of itself. So this uses the copy to which the types of `@temporalio/proto` belong.
 */
import { createRequire } from 'node:module';
import * as proto from '@temporalio/proto';
import { patchProtobufRoot } from '@temporalio/proto/lib/patch-protobuf-root';

type History = proto.temporal.api.history.v1.IHistory;

/** Of protobufjs: messages of a type to and from their JSON. */
interface ProtoJson {
  toJson(type: unknown, message: History): unknown;
  fromJson(type: unknown, json: unknown, options: { ignoreUnknownFields: boolean }): History | null;
}

const { toJson, fromJson } = createRequire(require.resolve('@temporalio/proto'))('protobufjs/ext/protojson') as ProtoJson;
const historyType: unknown = (patchProtobufRoot(proto) as unknown as { lookupType(name: string): unknown }).lookupType(
  'temporal.api.history.v1.History',
);

/** @returns the JSON text, indented by two */
export function historyToJSON(history: History): string {
  return JSON.stringify(toJson(historyType, proto.temporal.api.history.v1.History.fromObject(history)), null, 2);
}

/**
 * @param history as `historyToJSON` wrote it; fields that this version of the SDK does not know are left out
 * @throws TypeError if it is no history
 */
export function historyFromJSON(history: unknown): History {
  const read = fromJson(historyType, history, { ignoreUnknownFields: true });
  if (read === null || !Array.isArray(read.events)) throw new TypeError('Not a history: a list of events was expected.');
  return read;
}
