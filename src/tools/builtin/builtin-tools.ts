import type { DataFlow } from "../../core/tools/data-flow.ts";
import type { Tool, ToolAnnotations } from "../../core/tools/tool.ts";
import type { JsonObject } from "../../kit/json.ts";
import type { Locale, Text } from "../../kit/locale.ts";
import type { GuardedFetch } from "../../kit/net/guarded-fetch.ts";
import { annotateTool } from "../create-tool.ts";
import type { FileAccess } from "../files/file-guard.ts";
import { createToolFetch, type ToolFetchRules } from "../outgoing/create-tool-fetch.ts";
import { createReadPage } from "../page/read-page.ts";
import { withValidation } from "../schema/with-validation.ts";
import { canSearch, createWebSearch, type SearchOptions } from "../search/web-search.ts";
import { withOutputLimit, withTimeout } from "../tool-limits.ts";
import { createHeavyWork, type HeavyWork } from "../workers/heavy-work.ts";
import { createCalculator, prepareCalculator } from "./calculator/calculator.ts";
import { createContext } from "./context.ts";
import { createCurrentTime } from "./current-time.ts";
import { createEcho } from "./echo.ts";
import { createFileSearch } from "./file-search/file-search.ts";
import { createFormatData } from "./format-data/format-data.ts";
import { createHealthCheck } from "./health-check.ts";
import { createHttpRequest } from "./http-request/http-request.ts";
import { createLogTransform } from "./log-transform/log-transform.ts";
import { createReadFile } from "./read-file.ts";
import { createSendEmail, type EmailOptions } from "./send-email/send-email.ts";
import { createTableQuery } from "./table-query/table-query.ts";

export interface WebOptions extends ToolFetchRules {
  /** Lists patterns of the hosts that `http_request` may call. When it is empty, there is no such tool. */
  hosts: readonly string[];
}

export interface BuiltinOptions extends FileAccess {
  locale: Locale;
  /**
   * When it is absent or no backend is configured, there is no `web_search`. The tool announces a third party only once per
   * conversation.
   */
  search: SearchOptions | undefined;
  /** Limits where the network tools may connect. When it is absent, there are no such tools. */
  web?: WebOptions | undefined;
  /** Reads pages and converts data for all conversations; one of its own when absent. */
  work?: HeavyWork;
  /** Is the server that sends mail. When it is absent, there is no `send_email`. */
  email?: EmailOptions | undefined;
  /** Returns milliseconds since 1970. */
  now?: () => number;
}

/** Holds what the tools are made of. */
interface BuiltinParts extends FileAccess {
  locale: Locale;
  search: SearchOptions | undefined;
  web: { guardedFetch: GuardedFetch; hosts: readonly string[] } | undefined;
  work: HeavyWork;
  email: EmailOptions | undefined;
  now: () => number;
}

interface BuiltinRow {
  /** Returns undefined where the configuration lacks what the tool needs. */
  create(parts: BuiltinParts): Tool | undefined;
  /** Limits one call, in milliseconds. */
  timeoutMs: number;
  /** Is true for a tool that remembers what it did for its conversation. */
  hasMemory?: boolean;
  /** Loads what a call needs. The limit does not count the time that this takes. */
  prepare?(args: JsonObject): Promise<void>;
  /** Says what every call does. It decides whether a person is asked, and whether a call may be repeated. */
  annotations: ToolAnnotations;
  /** Says what every call does with data; absent where nothing is read from elsewhere and nothing is sent. */
  dataFlow?: DataFlow;
  /** These calls are for documents and are not sent to models. */
  examples: readonly JsonObject[];
  /** Names what a configuration must have before it has this tool. */
  needs?: Text;
}

/** A call with the same arguments gives the same result, and changes nothing. */
const pure: ToolAnnotations = { readOnly: true, idempotent: true };

/** The user's files are private, and others may have written what is in them. */
const readsFiles: DataFlow = { readsPrivate: true, readsUntrusted: true, readsSources: true };

/** The address or the query leaves this machine, and what comes back is somebody else's. */
const asksNetwork: DataFlow = { readsUntrusted: true, sendsOut: true };

/** Has a row for each built-in tool, under its name. The list, the documents and the checks of both derive from it. */
export const builtinTools: Readonly<Record<string, BuiltinRow>> = {
  echo: {
    create: ({ locale }) => createEcho(locale),
    timeoutMs: 5000,
    annotations: pure,
    examples: [{ text: "hello" }],
  },
  calculator: {
    create: ({ locale }) => createCalculator(locale),
    timeoutMs: 5000,
    prepare: prepareCalculator,
    annotations: pure,
    examples: [
      { expression: "(24 + 17) / 2" },
      { expressions: ["0.1 + 0.2", "15% * 200"] },
      { numbers: [1, 2, 3, 4, 5], operations: ["mean", "max"] },
    ],
  },
  file_search: {
    create: (parts) => createFileSearch(parts, parts.locale),
    timeoutMs: 15_000,
    annotations: pure,
    dataFlow: readsFiles,
    examples: [{ query: "openSkill", root_dir: "./data/docs", limit: 5 }],
  },
  read_file: {
    create: (parts) => createReadFile(parts, parts.locale),
    timeoutMs: 15_000,
    annotations: pure,
    dataFlow: readsFiles,
    examples: [{ path: "README.md", start_line: 1, lines: 40 }],
  },
  table_query: {
    create: (parts) => createTableQuery(parts, parts.locale, parts.work),
    timeoutMs: 30_000,
    annotations: pure,
    dataFlow: readsFiles,
    examples: [
      {
        path: "data/sales.csv",
        where: [{ column: "year(date)", op: "=", value: "2026" }],
        group_by: ["region", "month(date)"],
        aggregate: [{ column: "amount", op: "sum" }],
        sort: ["sum(amount) desc"],
      },
    ],
  },
  log_transform: {
    create: (parts) => createLogTransform(parts, parts.locale, parts.now),
    timeoutMs: 30_000,
    annotations: pure,
    dataFlow: readsFiles,
    examples: [{ path: "data/logs/app.log", level: "ERROR" }],
  },
  current_time: {
    create: ({ locale, now }) => createCurrentTime(locale, now),
    timeoutMs: 5000,
    annotations: { readOnly: true },
    examples: [{ timezone: "Asia/Shanghai" }],
  },
  format_data: {
    create: (parts) => createFormatData(parts, parts.locale, parts.work),
    timeoutMs: 30_000,
    annotations: pure,
    dataFlow: readsFiles,
    examples: [
      { data: "name,age\nAda,36", from: "csv", to: "json" },
      { path: "data/monthly.csv", to: "markdown" },
    ],
  },
  context: {
    create: ({ roots, locale, now }) => createContext(roots, locale, now),
    timeoutMs: 5000,
    annotations: { readOnly: true },
    examples: [{}],
  },
  send_email: {
    create: ({ email, locale }) => email && createSendEmail(email, locale),
    timeoutMs: 60_000,
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
    dataFlow: { sendsOut: true },
    examples: [{ to: ["ada@example.com"], subject: "Minutes", text: "See you at ten." }],
    needs: { zh: "`email`", en: "`email`" },
  },
  read_page: {
    create: ({ web, locale, work }) => web && createReadPage(web.guardedFetch, locale, work),
    hasMemory: true,
    timeoutMs: 60_000,
    annotations: { readOnly: true, openWorld: true },
    dataFlow: asksNetwork,
    examples: [{ url: "https://example.com/article" }],
  },
  health_check: {
    create: ({ web, locale, now }) => web && createHealthCheck(web.guardedFetch, locale, now),
    timeoutMs: 65_000,
    annotations: { readOnly: true, openWorld: true },
    dataFlow: asksNetwork,
    examples: [{ targets: ["https://example.com"] }],
  },
  http_request: {
    create: ({ web, locale }) =>
      web && web.hosts.length > 0 ? createHttpRequest(web.guardedFetch, web.hosts, locale) : undefined,
    timeoutMs: 65_000,
    // The method decides about the rest.
    annotations: { openWorld: true },
    dataFlow: asksNetwork,
    examples: [{ url: "https://api.example.com/v1/items", method: "GET" }],
    needs: { zh: "`web.hosts`", en: "`web.hosts`" },
  },
  web_search: {
    create: ({ search, locale, now }) =>
      search !== undefined && canSearch(search) ? createWebSearch(search, locale, now) : undefined,
    hasMemory: true,
    timeoutMs: 25_000,
    annotations: { readOnly: true, openWorld: true },
    dataFlow: asksNetwork,
    examples: [{ query: "Beijing house prices trend November 2026" }],
    needs: { zh: "搜索服务", en: "a search service" },
  },
};

/** Creates the built-in tools that the options allow, in the order of the table, each wrapped in its checks and limits. */
export function createBuiltinTools(options: BuiltinOptions): Tool[] {
  return openBuiltinTools(options)();
}

/** Returns what creates the tools of one conversation after the other. They share those that remember nothing. */
export function openBuiltinTools({
  web,
  work = createHeavyWork(),
  email,
  now = Date.now,
  ...others
}: BuiltinOptions): () => Tool[] {
  const guarded = web && { guardedFetch: createToolFetch(web), hosts: web.hosts };
  const parts: BuiltinParts = { ...others, web: guarded, work, email, now };
  const makers = Object.values(builtinTools).flatMap((row) => createMaker(row, parts) ?? []);
  return () => makers.map((make) => make());
}

/** Returns undefined where the configuration lacks what the tool needs. */
function createMaker(row: BuiltinRow, parts: BuiltinParts): (() => Tool) | undefined {
  const { create, timeoutMs, prepare, annotations, dataFlow, hasMemory } = row;
  const first = create(parts);
  if (first === undefined) return undefined;
  const wrap = (tool: Tool): Tool =>
    withValidation(withTimeout(withOutputLimit(annotateTool(tool, annotations, dataFlow)), timeoutMs, prepare));
  if (!hasMemory) {
    const shared = wrap(first);
    return () => shared;
  }
  return () => {
    // Most conversations never call it.
    let own: Tool | undefined;
    const run: Tool["run"] = (args, context) => {
      own ??= create(parts) ?? first;
      return own.run(args, context);
    };
    return wrap({ ...first, run });
  };
}
