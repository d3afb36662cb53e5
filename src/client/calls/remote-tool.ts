import { toMeta } from "../../core/chain.ts";
import { failure, type Tool, type ToolContext, type ToolResult } from "../../core/tools/tool.ts";
import { toDuetError } from "../../kit/errors.ts";
import type { JsonObject } from "../../kit/json.ts";
import { say } from "../../kit/locale.ts";
import { printableLine } from "../../kit/text/sanitize.ts";
import { sentences } from "../../render/event-lines.ts";
import type { OnProgress } from "../lifecycle/session.ts";
import type { RemoteTool } from "../lists/listing.ts";
import { heedRefusal } from "../refusals/retry-after.ts";
import type { Connection } from "../server-connection.ts";
import { withChain } from "./chain-argument.ts";
import { toToolResult } from "./content.ts";

/** More progress than this within a second says nothing to anybody. */
const progressPerSecond = 50;

/** A tool of a downstream server as one of ours. What it tells us is text, cleaned of the server's secrets. */
export function asTool(connection: Connection, remote: RemoteTool, name: string): Tool {
  return {
    name,
    description: remote.description,
    inputSchema: remote.inputSchema,
    outputSchema: remote.outputSchema,
    source: connection.settings.name,
    annotations: remote.annotations,
    callLimits: { timeoutMs: connection.settings.timeoutMs },
    canRepeat: () => connection.isRepeatable(remote),
    run: (args, context) =>
      heedRefusal({
        send: () => send(connection, remote, args, context),
        rest: (ms) => connection.rest(ms),
        locale: context.locale,
      }),
  };
}

async function send(
  connection: Connection,
  remote: RemoteTool,
  args: JsonObject,
  context: ToolContext,
): Promise<ToolResult> {
  const { signal, locale, elicit, trace, chain } = context;
  try {
    const reply = await connection.call(remote, withChain(args, remote.inputSchema, context), {
      signal,
      onProgress: progressInto(context, connection),
      elicit,
      tell: (code, text) => context.notice(code, say(locale, text)),
      meta: { ...trace, ...(chain && toMeta(chain)) },
    });
    if (reply.reply === "refused") return failure(reply.code, say(locale, reply.text));
    return toToolResult(reply.result, connection.redact, context);
  } catch (thrown) {
    signal.throwIfAborted();
    const { code, text, hint } = toDuetError(thrown);
    const message = say(locale, text);
    return failure(code, hint ? sentences(message, say(locale, hint)) : message);
  }
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
