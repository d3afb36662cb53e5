import {
  type CallToolResult,
  type InputRequiredResult,
  type Tool as ListedTool,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { fromMeta } from "../../core/chain.ts";
import { isDeeperThan, isRecord, type JsonObject, textOf } from "../../core/json.ts";
import { say } from "../../core/locale.ts";
import type { Tool } from "../../core/tool.ts";
import { openContext } from "./call-context.ts";
import type { CapturedTools } from "./capture-tools.ts";
import type { Exposed } from "./exposed.ts";
import type { Means } from "./going.ts";
import { hostOf } from "./host.ts";
import { nobodyWaits } from "./request.ts";
import { createRounds, type Rounds } from "./rounds.ts";
import { callName, findName, foundResult, readCall, readFind, searchTools } from "./search-tools.ts";
import { toListed, weigh } from "./tool-list.ts";
import { failedResult, toCallResult, toFailedResult } from "./tool-result.ts";

/** Levels of a call's arguments; no tool needs more, and deeper ones break who reads them. */
const deepestArguments = 64;

/**
 * Offers every tool to the host, after those that the server has of its own; where the list would weigh too much, two tools
 * that find and call the others. The whole list is one page: its order is that of the agent's tools.
 */
export function serveTools(
  server: McpServer,
  exposed: Exposed,
  own: CapturedTools | undefined,
): Rounds<CallToolResult> {
  const { gateway, locale, listLimit } = exposed;
  const rounds = createRounds<CallToolResult>({
    tooLate: (state) => failedResult(say(locale, nobodyWaits(state))),
  });

  /** Everything but the server's own. */
  async function list(signal?: AbortSignal): Promise<ListedTool[]> {
    const tools = (await gateway.tools(signal)).filter(({ name }) => !own?.names.has(name));
    const listed = tools.map(toListed);
    return weigh(listed) > listLimit ? searchTools(tools, locale) : listed;
  }

  server.server.setRequestHandler("tools/list", async (request, context) => {
    const before = own ? await own.list(request, context) : [];
    return { tools: [...before, ...(await exposed.give("tools", list, context.mcpReq.signal))] };
  });

  server.server.setRequestHandler("tools/call", async (request, context) => {
    const { name } = request.params;
    const args: unknown = request.params.arguments ?? {};
    if (own?.names.has(name)) return own.call(request, context);
    if (!isArguments(args)) return failedResult(say(locale, tooDeep));
    const result = await call(name, args, context);
    if (result !== undefined) return result;
    if (await isWaiting(name)) return failedResult(say(locale, unapproved(name)));
    throw unknown(name);
  });

  async function isWaiting(name: string): Promise<boolean> {
    return (await gateway.waiting()).some((waiting) => waiting.name === name);
  }

  /** Undefined when there is no such tool. */
  async function call(
    name: string,
    args: JsonObject,
    context: ServerContext,
  ): Promise<CallToolResult | InputRequiredResult | undefined> {
    const tool = await gateway.tool(name, context.mcpReq.signal);
    if (tool !== undefined) return run(tool, args, context);
    if (name === findName) return find(args, context);
    if (name === callName) return callFound(args, context);
    return undefined;
  }

  async function run(
    tool: Tool,
    args: JsonObject,
    context: ServerContext,
  ): Promise<CallToolResult | InputRequiredResult> {
    const host = hostOf(server, context);
    const chain = fromMeta(context.mcpReq._meta);
    const asks = host.asksForms;
    return rounds.serve(tool.name, host, context, async (means: Means) => {
      try {
        const result = await tool.run(args, openContext(means, { locale, asks, chain, person: exposed.person }));
        await learnLinks(tool, result.content?.blocks ?? []);
        return toCallResult(tool, result, locale);
      } catch (thrown) {
        means.signal.throwIfAborted();
        return toFailedResult(thrown, locale);
      }
    });
  }

  async function learnLinks({ source }: Tool, blocks: readonly Record<string, unknown>[]): Promise<void> {
    for (const { type, uri } of blocks) if (type === "resource_link") await gateway.learn(source, textOf(uri));
  }

  async function find(args: JsonObject, { mcpReq }: ServerContext): Promise<CallToolResult> {
    const wanted = readFind(args, locale);
    if (typeof wanted === "string") return failedResult(wanted);
    return foundResult(await gateway.findTools(wanted.query, wanted.limit, mcpReq.signal), locale);
  }

  async function callFound(args: JsonObject, context: ServerContext): Promise<CallToolResult | InputRequiredResult> {
    const wanted = readCall(args, locale);
    if (typeof wanted === "string") return failedResult(wanted);
    const { name } = wanted;
    const tool = await gateway.tool(name, context.mcpReq.signal);
    if (tool === undefined)
      return failedResult(say(locale, (await isWaiting(name)) ? unapproved(name) : notFound(name)));
    // The host knows no schema of this tool, so it misses nothing that the schema promises.
    return run({ ...tool, outputSchema: undefined }, wanted.arguments, context);
  }

  return rounds;
}

/** What comes off the wire is JSON. */
function isArguments(value: unknown): value is JsonObject {
  return isRecord(value) && !isDeeperThan(value, deepestArguments);
}

function unknown(name: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `Tool ${name} not found`);
}

const tooDeep = {
  zh: `参数嵌套超过 ${deepestArguments} 层（允许：不超过 ${deepestArguments} 层），没有执行。`,
  en: `The arguments are nested more than ${deepestArguments} levels deep (allowed: at most ${deepestArguments}); nothing was run.`,
};

function notFound(name: string) {
  return {
    zh: `没有名为 ${JSON.stringify(name)} 的工具，请先用 ${findName} 查找。`,
    en: `There is no tool named ${JSON.stringify(name)}; search with ${findName} first.`,
  };
}

function unapproved(name: string) {
  return {
    zh: `工具 ${JSON.stringify(name)} 是新的或有变化，用户批准前不能调用：请用户运行 duet tools approve。`,
    en: `The tool ${JSON.stringify(name)} is new or has changed, and cannot be called until the user has approved it: have the user run duet tools approve.`,
  };
}
