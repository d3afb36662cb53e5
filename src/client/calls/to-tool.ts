import { type Chain, type TraceContext, toChainMeta } from "../../core/chain.ts";
import { chainProperty, hasChainProperty, toChainText } from "../../core/chain-text.ts";
import { noticeKinds } from "../../core/notices/notice-kinds.ts";
import { describeMisfit, type OutputCheck } from "../../core/tools/output-misfit.ts";
import { reportNotice } from "../../core/tools/report-notice.ts";
import { createFailure, type Tool, type ToolContext, type ToolResult } from "../../core/tools/tool.ts";
import { toDuetError } from "../../kit/errors.ts";
import type { JsonObject, JsonSchema } from "../../kit/json.ts";
import { say } from "../../kit/locale.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { joinSentences } from "../../render/event-lines.ts";
import type { OnProgress } from "../lifecycle/session.ts";
import type { RemoteTool } from "../lists/listing.ts";
import { dropInvalidHeaders } from "../lists/parameter-headers.ts";
import { urlElicitationRequired } from "../questions/required-pages.ts";
import { retryAfterRefusal } from "../refusals/explain.ts";
import type { ServerConnection } from "../server-connection.ts";
import { type RawResult, toToolResult } from "./tool-result.ts";

/**
 * Limits progress notifications per second, and the length of a message in UTF-16 units. For a run more would carry no
 * information; a host that calls the tool itself gets all that the transport lets through.
 */
const progressLimits = { run: { perSecond: 50, length: 500 }, host: { perSecond: 1000, length: 4000 } };

/**
 * Wraps a tool of a downstream server as one of ours. Its text is cleaned of the server's secrets. The first of its results that breaks
 * its output schema is told to the reader too.
 */
export function toTool(
  connection: ServerConnection,
  remote: RemoteTool,
  name: string,
  checkOutput?: OutputCheck,
): Tool {
  const checkResult = createResultCheck(connection, remote, checkOutput);
  return {
    name,
    description: remote.description,
    inputSchema: dropInvalidHeaders(remote.inputSchema),
    outputSchema: remote.outputSchema,
    source: connection.settings.name,
    annotations: remote.annotations,
    hostFields: () => connection.list.hostFieldsOf(remote),
    callLimits: { timeoutMs: connection.settings.timeoutMs },
    canRepeat: () => connection.isRepeatable(remote),
    run: (args, context) =>
      retryAfterRefusal({
        send: () => send(connection, remote, checkResult, args, context),
        rest: (ms) => connection.rest(ms),
        locale: context.locale,
      }),
  };
}

async function send(
  connection: ServerConnection,
  remote: RemoteTool,
  checkResult: ResultCheck,
  args: JsonObject,
  context: ToolContext,
): Promise<ToolResult> {
  const { signal, locale, elicit, host, owner, billing, meta, trace, chain } = context;
  try {
    const reply = await connection.call(remote, withChain(args, remote.inputSchema, context), {
      signal,
      onProgress: createProgress(context, connection),
      elicit,
      host,
      owner,
      billing,
      tell: (code, text) => context.notice(code, text, "warning"),
      meta: { ...meta, ...trace, ...(chain && toChainMeta(chain)) },
    });
    if (reply.reply === "refused") return createFailure(reply.code, say(locale, reply.text));
    return { ...toToolResult(reply.result, connection.redact, context), ...(await checkResult(reply.result, context)) };
  } catch (thrown) {
    signal.throwIfAborted();
    const { code, text, hint, rpcError } = toDuetError(thrown);
    const message = say(locale, text);
    const failure = createFailure(code, hint ? joinSentences(message, say(locale, hint)) : message);
    const concernsHost = context.wantsContent && rpcError?.code === urlElicitationRequired;
    return concernsHost ? { ...failure, content: { blocks: [], rpcError } } : failure;
  }
}

type ResultCheck = (raw: RawResult, context: ToolContext) => Promise<Pick<ToolResult, "misfit">>;

/** A host checks what it gets by itself, and its interface says what it would refuse. */
function createResultCheck(
  { settings, redact }: ServerConnection,
  { name: tool, outputSchema }: RemoteTool,
  checkOutput: OutputCheck | undefined,
): ResultCheck {
  let hasTold = false;
  return async ({ structuredContent, isError }, context) => {
    const { locale, wantsContent } = context;
    if (wantsContent || isError === true || outputSchema === undefined || structuredContent === undefined) return {};
    const problem = await checkOutput?.(outputSchema, structuredContent);
    if (problem === undefined) return {};
    const { zh, en } = describeMisfit(problem);
    const misfit = { zh: sanitizeLine(redact(zh)), en: sanitizeLine(redact(en)) };
    if (!hasTold) reportNotice(context, noticeKinds.resultMisfit, { server: settings.name, tool, misfit });
    hasTold = true;
    return { misfit: say(locale, { zh: `结果${misfit.zh}`, en: `The result ${misfit.en}` }) };
  };
}

/** Drops excess progress instead of queueing it. */
function createProgress(context: ToolContext, { redact }: ServerConnection): OnProgress {
  const { perSecond, length } = progressLimits[context.wantsContent ? "host" : "run"];
  let second = 0;
  let count = 0;
  return ({ message = "", progress, total }) => {
    const now = Math.floor(performance.now() / 1000);
    if (now !== second) {
      second = now;
      count = 0;
    }
    count += 1;
    if (count > perSecond) return;
    context.progress(sanitizeLine(redact(message.slice(0, 4000))).slice(0, length), progress, total);
  };
}

/** Adds the chain to a call's arguments when the tool takes it, replacing whatever a model wrote there. */
export function withChain(
  args: JsonObject,
  schema: JsonSchema,
  { chain, trace }: { chain?: Chain | undefined; trace?: TraceContext | undefined },
): JsonObject {
  if (chain === undefined || !hasChainProperty(schema)) return args;
  return { ...args, [chainProperty]: toChainText(chain, trace) };
}
