import { toInvalidArgumentsResult } from "../../../core/tools/argument-feedback.ts";
import {
  type Tool,
  type ToolAnnotations,
  type ToolContext,
  type ToolResult,
  toFailure,
} from "../../../core/tools/tool.ts";
import { DuetError } from "../../../kit/errors.ts";
import type { JsonObject } from "../../../kit/json.ts";
import { type Locale, say } from "../../../kit/locale.ts";
import type { GuardedFetch } from "../../../kit/net/guarded-fetch.ts";
import { createBuiltinTool } from "../../create-tool.ts";
import { createHostList } from "./read-request.ts";

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Limits the decoded body, in bytes. */
const mostBytes = 2_000_000;

/** Calls APIs on the hosts that fit `hosts`, the configuration's `web.hosts`. Every request passes the guarded fetch. */
export function createHttpRequest(guardedFetch: GuardedFetch, hosts: readonly string[], locale: Locale): Tool {
  const describe = (zh: string, en: string) => ({ description: say(locale, { zh, en }) });
  const shown = hosts.slice(0, 20).join(", ");
  return createBuiltinTool({
    name: "http_request",
    ...describe(
      `发送 HTTP 请求并返回状态、头部和正文，用于调用 API。允许的主机：${shown}`,
      `Sends an HTTP request and returns status, headers and body: for calling APIs. Hosts allowed: ${shown}`,
    ),
    inputSchema: {
      type: "object",
      properties: {
        url: { type: "string", minLength: 1, maxLength: 8000, ...describe("http(s) 网址", "An http(s) URL") },
        method: { type: "string", enum: methods, default: "GET", ...describe("方法", "The method") },
        headers: {
          type: "object",
          additionalProperties: { type: "string" },
          maxProperties: 50,
          ...describe("请求头", "Request headers"),
        },
        body: {
          anyOf: [{ type: "string" }, { type: "object" }, { type: "array", items: {} }],
          ...describe(
            "请求正文：对象或数组以 JSON 发送，字符串原样发送（默认类型 text/plain，是 JSON 对象或数组时为 application/json）",
            "The body: an object or a list is sent as JSON, a string as it is (as text/plain, or application/json if it is an object or a list)",
          ),
        },
        timeout_s: {
          type: "number",
          minimum: 1,
          maximum: 60,
          default: 20,
          ...describe("最多等待的秒数", "Maximum seconds to wait"),
        },
      },
      required: ["url"],
      additionalProperties: false,
    },
    annotationsFor: ({ method }) => getAnnotations(method ?? "GET"),
    run: (args, context) => send(args, context, guardedFetch, hosts),
  });
}

/** Derives the annotations from the definitions of the methods (RFC 9110, section 9.2). */
function getAnnotations(method: unknown): ToolAnnotations {
  const readOnly = method === "GET" || method === "HEAD" || method === "OPTIONS";
  const idempotent = readOnly || method === "PUT" || method === "DELETE";
  return { openWorld: true, readOnly, destructive: !readOnly, idempotent };
}

async function send(
  args: JsonObject,
  { locale, signal }: ToolContext,
  guardedFetch: GuardedFetch,
  hosts: readonly string[],
): Promise<ToolResult> {
  const [{ readRequest }, { describeResponse }] = await Promise.all([
    import("./read-request.ts"),
    import("./describe-response.ts"),
  ]);
  const list = createHostList(hosts);
  const { request, problems } = readRequest(args, list);
  if (problems.length > 0) return toInvalidArgumentsResult(locale, problems);
  try {
    const response = await guardedFetch.request({
      ...request,
      maxBytes: mostBytes,
      maxRedirects: 5,
      signal,
      permits: list.check,
    });
    return describeResponse(request, response, locale);
  } catch (thrown) {
    signal.throwIfAborted();
    if (!(thrown instanceof DuetError)) throw thrown;
    return toFailure(thrown, locale);
  }
}
