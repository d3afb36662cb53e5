import { createFailure, type ToolResult } from "../../core/tools/tool.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { joinSentences } from "../../render/event-lines.ts";
import type { SearchBackend, SearchError } from "./backend.ts";
import type { Failure } from "./search-chain.ts";

export function describeThirdParty({ party, host }: SearchBackend): Text {
  return {
    zh: `搜索词会发送给第三方 ${party}（${host}，免密钥模式）。用 --no-search 可关闭搜索。`,
    en: `Search queries are sent to a third party, ${party} (${host}, keyless mode). Turn search off with --no-search.`,
  };
}

export function describeFallback(backend: SearchBackend, { reason }: SearchError, next: SearchBackend): Text {
  const [from, to] = [nameOf(backend), nameOf(next)];
  return {
    zh: `${from.zh} 搜索失败，改用 ${to.zh}：${reason.zh}`,
    en: `The search with ${from.en} failed; ${to.en} takes over: ${reason.en}`,
  };
}

/** What each backend said and what to do, for the model and the reader. */
export function toFailedSearchResult(failures: readonly Failure[], locale: Locale): ToolResult {
  const hints = new Set(failures.flatMap(({ error: { hint } }) => (hint ? [say(locale, hint)] : [])));
  const text = [...hints].reduce((told, hint) => joinSentences(told, hint), say(locale, reasonOf(failures)));
  return createFailure(failures[0]?.error.code ?? "tool", text);
}

function reasonOf(failures: readonly Failure[]): Text {
  const [first, second] = failures;
  if (first && !second) return first.error.text;
  const zh = failures.map(({ backend, error }) => `${nameOf(backend).zh}：${error.reason.zh}`).join("；");
  const en = failures.map(({ backend, error }) => `${nameOf(backend).en}: ${error.reason.en}`).join("; ");
  return {
    zh: `所有搜索服务都失败了（不是没有结果）。${zh}`,
    en: `Every search service failed, which is not the same as no results. ${en}`,
  };
}

/** A service that is asked with a key and without is two backends. */
function nameOf({ party, thirdParty }: SearchBackend): Text {
  return thirdParty ? { zh: `${party}（免密钥）`, en: `${party} (keyless)` } : { zh: party, en: party };
}
