import { isRecord } from "../../kit/json.ts";
import { explainAmap } from "./amap.ts";
import { explainPhrase, findPause } from "./known-phrases.ts";
import type { ServiceRefusal } from "./refusal.ts";

/** Longer texts are results, whatever words are in them. */
const longestError = 2000;
const longestSuccess = 1500;

/**
 * Whether a result is a refusal in words that are known, and what it means. Only looks at what has the shape of an error: a
 * failed result whose clauses say nothing else, or, of those that pass for a success, an object or a text that is nothing
 * but an error. Never throws.
 */
export function explainRefusal(text: string, isError: boolean): ServiceRefusal | undefined {
  if (text.length > (isError ? longestError : longestSuccess)) return undefined;
  const said = text.trim();
  const value = objectIn(said);
  if (!isError && keyless.test(said)) return keylessLimit(said);
  if (!isError && !isErrorObject(value)) return undefined;
  const clauses = clausesOf(said);
  return explainAmap(said, value, clauses) ?? explainPhrase(said, clauses);
}

/** What Tavily answers as a success where somebody without a key asked too often. */
const keyless =
  /^[^\n]{1,400}(?=\n+(?:Retry after|Continuation options):)(?:\nRetry after: \d{1,6}s)?(?:\n+Continuation options:(?:\n(?:- | {4})[^\n]*)*)?$/;

function keylessLimit(said: string): ServiceRefusal {
  const retryAfterMs = findPause(said);
  return {
    code: "quota",
    text: {
      zh: "Tavily 的免密钥额度已用完。请在该服务器的 env 中设置 TAVILY_API_KEY，或等额度恢复。",
      en: "The quota of Tavily without a key is used up. Set TAVILY_API_KEY in the env of this server, or wait until it is renewed.",
    },
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

/** What an error may tell beside its message. Anything else is data. */
const errorKeys =
  /^(?:status|info|infocode|errcode|errmsg|errdetail|data|error|message|msg|detail|code|status_?code|type|success|ok|time(?:stamp)?|request_?id|count|sec_code(?:_debug)?|key)$/i;

function isErrorObject(value: unknown): boolean {
  if (!isRecord(value) || !Object.keys(value).every((each) => errorKeys.test(each))) return false;
  const { data, error, success, status, infocode, errcode } = value;
  if (isRecord(data) || (Array.isArray(data) && data.length > 0)) return false;
  const isAmap =
    (String(status) === "0" && infocode !== undefined) || (errcode !== undefined && String(errcode) !== "0");
  return isAmap || success === false || (error !== undefined && error !== null && error !== false && error !== "");
}

function objectIn(said: string): unknown {
  if (!said.startsWith("{") || !said.endsWith("}")) return undefined;
  try {
    return JSON.parse(said);
  } catch {
    return undefined;
  }
}

/**
 * The parts of an error between line ends, full stops, colons and the quotes of JSON, without more than the first 40. A saying
 * has to be a whole one: the name of a file in an error is none.
 */
function clausesOf(said: string): string[] {
  return said
    .split(/\n|[:：;；]\s+|[.。](?=\s|$|["}])|"\s*[:,]\s*"?|[{[]\s*"?|"?\s*[}\]]/, 40)
    .map((clause) => clause.trim().replace(/^["']|["'.。!！]+$/g, ""))
    .filter((clause) => clause !== "");
}
