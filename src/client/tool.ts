import { toMeta } from "../core/chain.ts";
import { toDuetError } from "../core/errors.ts";
import { say } from "../core/locale.ts";
import { printableLine } from "../core/printable.ts";
import { failure, type Tool, type ToolContext } from "../core/tool.ts";
import type { Connection } from "./connection.ts";
import { toToolResult } from "./content.ts";
import type { RemoteTool } from "./listing.ts";
import type { OnProgress } from "./session.ts";

/** More progress than this within a second says nothing to anybody. */
const progressPerSecond = 50;

/** A tool of a downstream server as one of ours. What it tells us is text, cleaned of the server's secrets. */
export function asTool(connection: Connection, remote: RemoteTool, name: string): Tool {
  return {
    name,
    description: remote.description,
    inputSchema: remote.inputSchema,
    source: connection.settings.name,
    annotations: remote.annotations,
    async run(args, context) {
      try {
        const raw = await connection.call(remote, args, {
          signal: context.signal,
          onProgress: progressInto(context, connection),
          meta: context.chain && toMeta(context.chain),
        });
        return toToolResult(raw, connection.redact, context.locale);
      } catch (thrown) {
        context.signal.throwIfAborted();
        const { code, text } = toDuetError(thrown);
        return failure(code, say(context.locale, text));
      }
    },
  };
}

/** A flood is dropped, not queued. */
function progressInto(context: ToolContext, { redact }: Connection): OnProgress {
  let second = 0;
  let count = 0;
  return ({ message = "", progress, total }) => {
    const now = Math.floor(performance.now() / 1000);
    if (now !== second) {
      second = now;
      count = 0;
    }
    count += 1;
    if (count > progressPerSecond) return;
    context.progress(printableLine(redact(message.slice(0, 4000))).slice(0, 500), progress, total);
  };
}
