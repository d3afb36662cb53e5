import type { ToolResult } from "../../core/tools/tool.ts";
import type { ErrorCode } from "../../kit/errors.ts";
import { isRecord } from "../../kit/json.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { longestPauseMs } from "../limits.ts";
import { amap } from "./services/amap.ts";
import { findPause, type KnownService, type ServiceRefusal } from "./services/known-service.ts";
import { tavily } from "./services/tavily.ts";

/** Lists the services whose refusals need more than the usual phrases. The first that recognises one explains it. */
const services: readonly KnownService[] = [amap, tavily];

/** A longer text counts as a result, whatever words it contains. */
const longestError = 2000;
const longestSuccess = 1500;

/**
 * Recognises a result that is a known refusal by the service, and explains it. Considers only results in the shape of an error:
 * a failed result whose clauses say nothing else or, among reported successes, an object or a text that is nothing but an error.
 * Never throws.
 */
export function explainRefusal(text: string, isError: boolean): ServiceRefusal | undefined {
  if (text.length > (isError ? longestError : longestSuccess)) return undefined;
  const said = text.trim();
  const value = parseObject(said);
  const refused = isError ? undefined : findFirst(({ explainSuccess }) => explainSuccess?.(said));
  if (refused) return refused;
  if (!isError && !isErrorObject(value)) return undefined;
  const clauses = splitClauses(said);
  return findFirst(({ explainError }) => explainError?.(said, value, clauses)) ?? explainPhrase(said, clauses);
}

function findFirst(explain: (service: KnownService) => ServiceRefusal | undefined): ServiceRefusal | undefined {
  for (const service of services) {
    const refusal = explain(service);
    if (refusal) return refusal;
  }
  return undefined;
}

/** Lists the keys that an error may have beside its message. Any other key counts as data. */
const errorKeys =
  /^(?:status|data|error|message|msg|detail|code|status_?code|type|success|ok|time(?:stamp)?|request_?id)$/i;

function isErrorObject(value: unknown): boolean {
  if (!isRecord(value) || !Object.keys(value).every(isErrorKey)) return false;
  const { data, error, success } = value;
  if (isRecord(data) || (Array.isArray(data) && data.length > 0)) return false;
  if (services.some(({ isErrorObject }) => isErrorObject?.(value))) return true;
  return success === false || (error !== undefined && error !== null && error !== false && error !== "");
}

function isErrorKey(key: string): boolean {
  return errorKeys.test(key) || services.some((service) => service.errorKeys?.test(key));
}

function parseObject(said: string): unknown {
  if (!said.startsWith("{") || !said.endsWith("}")) return undefined;
  try {
    return JSON.parse(said);
  } catch {
    return undefined;
  }
}

/**
 * Splits an error at line ends, full stops, colons and JSON quotes, and returns at most the first 40 parts. A phrase has to
 * match a whole part, so that a file name inside an error does not count.
 */
function splitClauses(said: string): string[] {
  return said
    .split(/\n|[:：;；]\s+|[.。](?=\s|$|["}])|"\s*[:,]\s*"?|[{[]\s*"?|"?\s*[}\]]/, 40)
    .map((clause) => clause.trim().replace(/^["']|["'.。!！]+$/g, ""))
    .filter((clause) => clause !== "");
}

/** A phrase must fill a whole clause to count as a refusal. */
interface Saying {
  code: ErrorCode;
  when: RegExp;
  /** The same request may succeed after this many milliseconds. Set when the service limits requests per second. */
  retryAfterMs?: number;
}

const second = 1000;

/**
 * The decision is that of the first phrase that any clause matches. Billing and key errors come first because services also send
 * them with
 * status 429.
 */
const sayings: readonly Saying[] = [
  { code: "quota", when: /^(?:request |usage |api )?quota (?:limit )?(?:has been )?exceeded\b.{0,40}$/i },
  { code: "quota", when: /^(?:QUOTA_LIMITED|insufficient_quota|payment required|usage limit exceeded)$/i },
  {
    code: "quota",
    when: /^(?:insufficient|not enough|no more|out of) (?:credits?|balance|quota|funds|money)\b.{0,60}$/i,
  },
  { code: "quota", when: /^this request exceeds (?:your plan's set usage|the pay-as-you-go) limit$/i },
  {
    code: "quota",
    when: /^you(?:'ve| have) (?:reached|hit|exceeded|used up) (?:your|the) (?:daily|monthly|plan)\b.{0,60}$/i,
  },
  { code: "quota", when: /^(?:账户|账号|余额|额度|您的账户).{0,6}(?:不足|欠费|用完|用尽|耗尽)/ },
  { code: "auth", when: /^(?:unauthorized|authentication failed|SUBSCRIPTION_TOKEN_INVALID|invalid_api_key)$/i },
  {
    code: "auth",
    when: /^(?:the provided )?(?:(?:missing|invalid|incorrect|expired)(?: or | )?){1,2}(?:api[ _-]?key|(?:access |subscription |api )?token|credentials)\b.{0,60}$/i,
  },
  {
    code: "auth",
    when: /^(?:the provided )?(?:api[ _-]?key|(?:access |subscription |api )?token) (?:is |was |has )?(?:missing|invalid|incorrect|expired|required|not (?:set|found|valid|provided)|must be provided)\b.{0,100}$/i,
  },
  {
    code: "auth",
    when: /^(?:身份验证失败|(?:API ?Key|密钥|令牌) ?(?:无效|错误|不正确|已过期)|无效的 ?(?:API ?Key|密钥|令牌))/i,
  },
  { code: "rate_limit", when: /^RATE_LIMITED$/, retryAfterMs: second },
  { code: "rate_limit", when: /^(?:request )?rate limit exceeded\b.{0,40}$/i, retryAfterMs: second },
  {
    code: "rate_limit",
    when: /^you(?:'ve| have) (?:exceeded|hit|reached) .{0,60}\blimit of \d+ requests per second$/i,
    retryAfterMs: second,
  },
  { code: "rate_limit", when: /^you(?:'ve| have) (?:exceeded|hit|reached) .{0,60}\brate limit\b.{0,60}$/i },
  {
    code: "rate_limit",
    when: /^(?:too many requests|rate limit(?:ed| reached)|your request has been blocked due to excessive requests)$/i,
  },
  {
    code: "rate_limit",
    when: /^(?:请求|访问|调用)?(?:过于|太)频繁|^.{0,12}(?:达到|超出|超过)了?.{0,4}(?:速率|频率|并发)(?:限制|上限)/,
  },
];

const statuses: Readonly<Record<string, ErrorCode>> = { 401: "auth", 402: "quota", 429: "rate_limit" };

/**
 * Matches `429 Too Many Requests`, `x error (401): …`, `HTTP 429` and `Request failed with status code 429` at the start of an
 * error.
 */
const status =
  /^(?:Error: )?(?:[\w .!'-]{0,60}?\b(?:error|status|code|HTTP)[ :=]{1,2}\(?)?(401|402|429)(?=$|[):,.\n]| [A-Z]| -)/i;

const words: Readonly<Partial<Record<ErrorCode, Text>>> = {
  auth: {
    zh: "这个工具背后的服务不接受凭据（Key 或令牌）。请检查该服务器配置的 env 或 headers。",
    en: "The service behind this tool does not accept the credentials (key or token). Check the env or headers of this server in the configuration.",
  },
  quota: {
    zh: "这个工具背后的服务额度已用完。额度恢复或充值前请不要再调用。",
    en: "The quota of the service behind this tool is used up. Do not call it again before it is renewed or paid for.",
  },
  rate_limit: {
    zh: "这个工具背后的服务拒绝了请求：调用过于频繁。稍等再试；若常出现，请给该服务器设置更小的 callsPerSecond。",
    en: "The service behind this tool refused: too many calls. Try again in a moment; if it happens often, set a smaller callsPerSecond for this server.",
  },
};

/** Recognises a refusal by phrases that many services share, or by the HTTP status at the start of the error. */
export function explainPhrase(text: string, clauses: readonly string[]): ServiceRefusal | undefined {
  const saying = sayings.find(({ when }) => clauses.some((clause) => when.test(clause)));
  const code = saying?.code ?? statuses[status.exec(text)?.[1] ?? ""];
  const explained = code && words[code];
  if (!explained) return undefined;
  const mayRepeat = code === "rate_limit" && isOnlyRefusal(text);
  const retryAfterMs = mayRepeat ? (findPause(text) ?? saying?.retryAfterMs) : undefined;
  return { code, text: explained, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

/** Is true when the text is only an error, a line or two and a response body, so that the call cannot have had any effect. */
function isOnlyRefusal(text: string): boolean {
  const [head = "", ...more] = text.replace(/\n\{[\s\S]*\}$/, "").split("\n");
  return head.length <= 300 && more.every((line) => /^(?:Timestamp|Documentation|Retry after): /.test(line));
}

export interface RetriableCall {
  /** Sends the call. */
  send(): Promise<ToolResult>;
  /** Lets no call to the same server begin for so long, in milliseconds. */
  rest(ms: number): void;
  locale: Locale;
}

/**
 * Returns the result of a call. A call refused for too many requests per second is sent once more after the pause, because the
 * first one had no effect. Any other refusal becomes a failure that says what it means and what to do.
 */
export async function retryAfterRefusal({ send, rest, locale }: RetriableCall): Promise<ToolResult> {
  const result = await send();
  const refusal = findRefusal(result);
  if (!refusal) return result;
  const { retryAfterMs = Number.POSITIVE_INFINITY } = refusal;
  if (retryAfterMs > longestPauseMs) return toExplainedResult(result, refusal, locale);
  rest(retryAfterMs);
  const second = await send();
  const still = findRefusal(second);
  return still ? toExplainedResult(second, still, locale) : second;
}

/** Reads only what the server itself said, and not the text that Duet adds. */
function findRefusal({ ok, text, error }: ToolResult): ServiceRefusal | undefined {
  return ok || error?.code === "tool" ? explainRefusal(text, !ok) : undefined;
}

function toExplainedResult(result: ToolResult, { code, text }: ServiceRefusal, locale: Locale): ToolResult {
  const message = say(locale, text);
  return { ...result, ok: false, text: `${result.text.trim()}\n${message}`, error: { code, message } };
}
