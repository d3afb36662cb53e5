import type { Tool } from "../../core/tools/tool.ts";
import type { JsonObject } from "../../kit/json.ts";
import type { Locale } from "../../kit/locale.ts";
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

export interface WebOptions extends ToolFetchRules {
  /** Lists patterns of the hosts that `http_request` may call. When it is empty, there is no such tool. */
  hosts: readonly string[];
}

export interface BuiltinOptions {
  /** Lists the directories that the file tools may read. */
  roots: readonly string[];
  locale: Locale;
  /**
   * When it is absent or no backend is configured, there is no `web_search`. The tool announces a third party only once, so
   * create the tools once per conversation.
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

/** Creates the built-in tools in a fixed order, each wrapped in its checks and limits. */
export function createBuiltinTools({
  roots,
  locale,
  search,
  web,
  work = createHeavyWork(),
  email,
  now = Date.now,
}: BuiltinOptions): Tool[] {
  const limited = (tool: Tool, milliseconds: number, prepare?: (args: JsonObject) => Promise<void>): Tool =>
    withValidation(withTimeout(withOutputLimit(tool), milliseconds, prepare));
  const tools = [
    limited(createEcho(locale), 5000),
    limited(createCalculator(locale), 5000, prepareCalculator),
    limited(createFileSearch(roots, locale), 15_000),
    limited(createReadFile(roots, locale), 15_000),
    limited(createLogTransform(roots, locale, now), 30_000),
    limited(createCurrentTime(locale, now), 5000),
    limited(createFormatData(locale, work), 30_000),
    limited(createContext(roots, locale, now), 5000),
  ];
  if (email !== undefined) tools.push(limited(createSendEmail(email, locale), 60_000));
  if (web !== undefined) {
    const guardedFetch = createToolFetch(web);
    tools.push(limited(createReadPage(guardedFetch, locale, work), 60_000));
    tools.push(limited(createHealthCheck(guardedFetch, locale, now), 65_000));
    if (web.hosts.length > 0) tools.push(limited(createHttpRequest(guardedFetch, web.hosts, locale), 65_000));
  }
  if (search === undefined || !canSearch(search)) return tools;
  return [...tools, limited(createWebSearch(search, locale, now), 25_000)];
}
