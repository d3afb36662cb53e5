import type { LoggingMessageNotification } from "@modelcontextprotocol/client";
import { isLogLevel, type ServerLogEntry } from "../../core/server-log.ts";
import { isDeeperThan } from "../../kit/json.ts";
import { type Redact, redactValue } from "../../kit/text/redact.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { truncate } from "../../kit/text/truncate.ts";
import { makeTreeVisible } from "../trust/hidden-characters.ts";

/** Limits an entry: its levels, and its length in UTF-16 units. A longer one becomes a text. */
const logLimits = { depth: 16, length: 10_000, logger: 100 };

/** Prepares a line of a server's log for a host. Returns undefined for one that no host could read. */
export function readLogEntry(
  server: string,
  { level, logger, data }: LoggingMessageNotification["params"],
  redact: Redact,
): ServerLogEntry | undefined {
  if (!isLogLevel(level) || isDeeperThan(data, logLimits.depth)) return undefined;
  const shown = makeTreeVisible(redactValue({ data }, redact)).data;
  const text = JSON.stringify(shown) ?? "";
  const name = logger === undefined ? "" : `/${sanitizeLine(redact(logger)).slice(0, logLimits.logger)}`;
  return {
    level,
    logger: `${server}${name}`,
    data: text.length > logLimits.length ? truncate(text, logLimits.length) : shown,
  };
}
