import type { Locale } from "../core/locale.ts";
import type { Tool } from "../core/tool.ts";
import { createCalculator } from "./builtin/calculator.ts";
import { createCurrentTime } from "./builtin/current-time.ts";
import { createEcho } from "./builtin/echo.ts";
import { createFileSearch } from "./builtin/file-search.ts";
import { createLogTransform } from "./builtin/log-transform.ts";
import { withOutputLimit, withTimeout } from "./limits.ts";
import type { OutgoingRules } from "./outgoing/outgoing.ts";
import { createWebSearch, type SearchOptions } from "./search/web-search.ts";
import { withValidation } from "./validate.ts";

export interface WebOptions extends OutgoingRules {
  /** Patterns of the hosts that `http_request` may call; with none there is no such tool. */
  hosts: readonly string[];
}

export interface BuiltinOptions {
  /** The directories that the file tools may read. */
  roots: readonly string[];
  locale: Locale;
  /** Absent: no `web_search`. Its announcement is made once, so make the tools once a conversation. */
  search: SearchOptions | undefined;
  /** Where the tools that go out may go; absent: there are none of them. */
  web?: WebOptions | undefined;
  /** Milliseconds since 1970. */
  now?: () => number;
}

/** The tools that come with the program, in a fixed order, each with its checks and limits round it. */
export function createBuiltinTools({ roots, locale, search, now = Date.now }: BuiltinOptions): Tool[] {
  const limited = (tool: Tool, milliseconds: number): Tool =>
    withValidation(withTimeout(withOutputLimit(tool), milliseconds));
  const tools = [
    limited(createEcho(locale), 5000),
    limited(createCalculator(locale), 5000),
    limited(createFileSearch(roots, locale), 15_000),
    limited(createLogTransform(roots, locale, now), 30_000),
    limited(createCurrentTime(locale, now), 5000),
  ];
  return search === undefined ? tools : [...tools, limited(createWebSearch(search, locale), 15_000)];
}
