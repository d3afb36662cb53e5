import type { ServerContext } from "@modelcontextprotocol/server";
import type { SendProgress } from "./pace.ts";

/** Sends progress to who made the request; undefined where that has not asked for any. */
export function progressSender({ mcpReq: { _meta, notify } }: ServerContext): SendProgress | undefined {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return (progress, message) => {
    // The request may be over by the time this is sent; then nobody waits for it.
    notify({ method: "notifications/progress", params: { progressToken, progress, message } }).catch(() => {});
  };
}
