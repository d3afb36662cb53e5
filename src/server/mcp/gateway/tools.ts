import {
  type CallToolResult,
  type ContentBlock,
  type InputRequiredResult,
  isSpecType,
  ProtocolError,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { chainProperty, readChain } from "../../../core/chain-text.ts";
import { describeMisfit, type OutputCheck } from "../../../core/tools/output-misfit.ts";
import type { Tool, ToolContent, ToolResult } from "../../../core/tools/tool.ts";
import { renderContent } from "../../../core/tools/tool-content.ts";
import { hasPage } from "../../../core/tools/tool-pages.ts";
import { isDeeperThan, isRecord, type JsonObject, type JsonSchema, toText } from "../../../kit/json.ts";
import { type Locale, say, type Text } from "../../../kit/locale.ts";
import { firstWithLinks, type Host, readHost } from "../../../runs/input/host.ts";
import type { ToolCapability } from "../capabilities.ts";
import { createFailedResult, toFailedResult } from "../failed-result.ts";
import { dropForbiddenNulls, normalizeArguments } from "../host-arguments.ts";
import { createCallProgress, type Exposure, openGatewayContext } from "./call-context.ts";
import { toHostError } from "./host-error.ts";
import {
  callName,
  createSearchTools,
  findName,
  readCall,
  readFind,
  toFoundResult,
  toListed,
  weighToolList,
} from "./search-tools.ts";

/** Levels of a call's arguments; no tool needs more, and deeper ones break who reads them. */
const deepestArguments = 64;

/**
 * Offers every tool to the host; where the list would weigh too much, two tools that find and call the others. The whole list
 * is one page: its order is that of the agent's tools.
 */
export function createToolCapability(exposed: Exposure): ToolCapability {
  const { gateway, locale, listLimit, connection, inputRequests } = exposed;

  async function isWaiting(name: string): Promise<boolean> {
    return (await gateway.waiting()).some((waiting) => waiting.name === name);
  }

  /** Returns undefined when there is no such tool. */
  async function call(
    name: string,
    args: JsonObject,
    context: ServerContext,
  ): Promise<CallToolResult | InputRequiredResult | undefined> {
    const tool = await gateway.tool(name, context.mcpReq.signal);
    if (tool !== undefined) return run(tool, args, context);
    if (name === findName) return find(args, context);
    if (name === callName) return callFound(args, context);
    const called = await findForPage(name, context.mcpReq.signal);
    return called && run(called, args, context);
  }

  /** A page of a server knows the tools of its server by their own names, and a host passes its calls on as they are. */
  async function findForPage(name: string, signal: AbortSignal): Promise<Tool | undefined> {
    const tools = await gateway.tools(signal);
    const sources = new Set(tools.filter(hasPage).map(({ source }) => source));
    const found = tools.filter((tool) => sources.has(tool.source) && tool.hostFields?.()?.name === name);
    return found.length === 1 ? found[0] : undefined;
  }

  async function run(
    tool: Tool,
    args: JsonObject,
    context: ServerContext,
  ): Promise<CallToolResult | InputRequiredResult> {
    const host = readHost(connection.server, context);
    const chain = readChain(context.mcpReq._meta, args[chainProperty], context.http?.req?.headers);
    const progress = createCallProgress();
    return inputRequests.tools.serve(
      { kind: tool.name, connection, host, context, progress },
      async (requestContext) => {
        const options = {
          locale,
          host,
          connection,
          chain,
          meta: context.mcpReq._meta,
          person: exposed.person,
          owner: connection.caller.owner,
          billing: exposed.billing,
        };
        try {
          const given = tool.source === "builtin" ? normalizeArguments : dropForbiddenNulls;
          const callContext = openGatewayContext({ ...requestContext, progress }, options);
          const result = await tool.run(given(args, tool.inputSchema), callContext);
          await learnLinks(tool, result.content?.blocks ?? []);
          return await toCallResult(tool, result, { locale, host, checkOutput: exposed.checkOutput });
        } catch (thrown) {
          requestContext.signal.throwIfAborted();
          if (thrown instanceof ProtocolError) throw thrown;
          return toFailedResult(thrown, locale);
        }
      },
    );
  }

  async function learnLinks({ source }: Tool, blocks: readonly Record<string, unknown>[]): Promise<void> {
    for (const { type, uri } of blocks) if (type === "resource_link") await gateway.learn(source, toText(uri));
  }

  async function find(args: JsonObject, { mcpReq }: ServerContext): Promise<CallToolResult> {
    const wanted = readFind(args, locale);
    if (typeof wanted === "string") return createFailedResult(wanted);
    return toFoundResult(await gateway.findTools(wanted.query, wanted.limit, mcpReq.signal), locale);
  }

  async function callFound(args: JsonObject, context: ServerContext): Promise<CallToolResult | InputRequiredResult> {
    const wanted = readCall(args, locale);
    if (typeof wanted === "string") return createFailedResult(wanted);
    const { name, arguments: given } = wanted;
    // As a text they were not looked into before.
    if (!isArguments(given)) return createFailedResult(say(locale, tooDeep));
    const tool = await gateway.tool(name, context.mcpReq.signal);
    if (tool === undefined)
      return createFailedResult(
        say(locale, (await isWaiting(name)) ? describeUnapproved(name) : describeNotFound(name)),
      );
    // The host knows no schema of this tool, so it misses nothing that the schema promises.
    return run({ ...tool, outputSchema: undefined }, given, context);
  }

  return {
    async list(signal, host) {
      const tools = await gateway.tools(signal, host?.title);
      const listed = tools.map(toListed);
      return weighToolList(listed) > listLimit ? createSearchTools(tools, locale) : listed;
    },
    findSchema: async (name) => (await gateway.tool(name))?.inputSchema,
    async call(name, args = {}, context) {
      if (!isArguments(args)) return createFailedResult(say(locale, tooDeep));
      const result = await call(name, args, context);
      if (result !== undefined) return result;
      return (await isWaiting(name)) ? createFailedResult(say(locale, describeUnapproved(name))) : undefined;
    },
  };
}

/** Checks only for an object, because values from the wire are always JSON. */
function isArguments(value: unknown): value is JsonObject {
  return isRecord(value) && !isDeeperThan(value, deepestArguments);
}

const tooDeep = {
  zh: `参数嵌套超过 ${deepestArguments} 层（允许：不超过 ${deepestArguments} 层），没有执行。`,
  en: `The arguments are nested more than ${deepestArguments} levels deep (allowed: at most ${deepestArguments}); nothing was run.`,
};

function describeNotFound(name: string) {
  return {
    zh: `没有名为 ${JSON.stringify(name)} 的工具，请先用 ${findName} 查找。`,
    en: `There is no tool named ${JSON.stringify(name)}; search with ${findName} first.`,
  };
}

function describeUnapproved(name: string) {
  return {
    zh: `工具 ${JSON.stringify(name)} 是新的或有变化，用户批准前不能调用：请用户运行 duet tools approve。`,
    en: `The tool ${JSON.stringify(name)} is new or has changed, and cannot be called until the user has approved it: have the user run duet tools approve.`,
  };
}

/** Converts a tool's result for a host: unchanged where it came from a server, otherwise as text. */
async function toCallResult(
  tool: Tool,
  result: ToolResult,
  { locale, host, checkOutput }: { host: Host } & Pick<Exposure, "locale" | "checkOutput">,
): Promise<CallToolResult> {
  const { ok, text, content } = result;
  const rpcError = toHostError(content?.rpcError, text, host);
  if (rpcError !== undefined) throw rpcError;
  const isServersOwn = content !== undefined && (ok || result.error?.code === "tool");
  if (!isServersOwn) return ok ? toTextResult(text) : createFailedResult(text);
  const blocks = content.blocks.map((block) => toBlock(block, locale, host.protocolVersion));
  const _meta = filterMeta(content.meta);
  const structuredContent = isRecord(content.structured) ? content.structured : undefined;
  if (!ok && blocks.length === 0 && structuredContent === undefined) return { ...createFailedResult(text), _meta };
  const fault = tool.outputSchema && (await findOutputFault(tool.outputSchema, content, checkOutput));
  if (!ok) {
    // Hosts check the structured content of an error, too, and show nothing of one that does not fit.
    const told = blocks.length > 0 || fault === undefined ? blocks : toTextResult(text).content;
    return {
      content: told,
      structuredContent: fault === undefined ? structuredContent : undefined,
      _meta,
      isError: true,
    };
  }
  if (fault === undefined) return { content: blocks, structuredContent, _meta };
  const ran = say(locale, describeRanAnyway(tool, fault));
  const misfit = structuredContent === undefined ? [] : toTextResult(JSON.stringify(structuredContent)).content;
  return { content: [...toTextResult(ran).content, ...blocks, ...misfit], _meta, isError: true };
}

/** Says why a host refuses a result without showing it. Its model must not think that nothing has happened. */
async function findOutputFault(
  schema: JsonSchema,
  { structured, isStructuredRedacted }: ToolContent,
  checkOutput: OutputCheck,
): Promise<Text | undefined> {
  if (structured === undefined)
    return {
      zh: "缺少输出模式要求的结构化内容",
      en: "lacks the structured content that its output schema promises",
    };
  if (isStructuredRedacted) return undefined;
  const problem = await checkOutput(schema, structured);
  return problem && describeMisfit(problem);
}

function toTextResult(text: string): CallToolResult {
  return { content: [{ type: "text", text }] };
}

/** Holds the revisions of MCP that brought the types of content which its first revision did not have. */
const firstVersions: ReadonlyMap<unknown, string> = new Map([
  ["audio", "2025-03-26"],
  ["resource_link", firstWithLinks],
]);

/** A block type that the host's revision of MCP does not know would make it reject the whole result. */
function toBlock(block: Record<string, unknown>, locale: Locale, protocolVersion: string): ContentBlock {
  const isKnown = protocolVersion >= (firstVersions.get(block.type) ?? "");
  if (isKnown && isSpecType.ContentBlock(block)) return block;
  return { type: "text", text: renderContent({ content: [block] }, locale) };
}

/** The protocol's own keys belong to one connection, and that connection ends here. */
function filterMeta(meta: Readonly<Record<string, unknown>> | undefined): Record<string, unknown> | undefined {
  const entries = Object.entries(meta ?? {}).filter(([key]) => !key.startsWith("io.modelcontextprotocol/"));
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function describeRanAnyway({ source }: Tool, fault: Text): Text {
  return {
    zh: `工具已经执行，但服务器 ${source} 的结果${fault.zh}（这是该服务器的缺陷）。不要为此重复调用。它返回的内容：`,
    en: `The tool has run, but the result of the server ${source} ${fault.en} (a bug in that server). Do not call it again because of this. What it returned:`,
  };
}
