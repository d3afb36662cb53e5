import type { ErrorCode } from "../../../kit/errors.ts";
import { isRecord } from "../../../kit/json.ts";
import type { Text } from "../../../kit/locale.ts";
import type { KnownService, ServiceRefusal } from "./known-service.ts";

/**
 * Describes a value of `infocode` and `info` with which Amap's web service refuses a request:
 * https://lbs.amap.com/api/webservice/guide/tools/info
 */
interface AmapCode {
  number: number;
  name: string;
  code: ErrorCode;
  text: Text;
  remedy: Text;
  /** Is the time in milliseconds after which the same request may succeed. */
  retryAfterMs?: number;
  /** Is true when other services use this name too, so that the name alone is no evidence. */
  common?: true;
}

const key: Text = {
  zh: "请检查该服务器 env 中的 Key，它须是“Web服务”类型。",
  en: 'Check the key in the env of this server; it has to be of the type "Web service".',
};
const consolePage: Text = {
  zh: "请在高德控制台（console.amap.com）检查该 Key 的设置与权限。",
  en: "Check the settings and permissions of the key at Amap's console (console.amap.com).",
};
const slower: Text = {
  zh: "稍等再试；若常出现，请给该服务器设置更小的 callsPerSecond。",
  en: "Try again in a moment; if it happens often, set a smaller callsPerSecond for this server.",
};
const later: Text = {
  zh: "额度恢复前请不要再调用；可换一个 Key 或在高德控制台增加额度。",
  en: "Do not call it again until the quota is renewed; use another key or raise the quota at Amap's console.",
};
const places: Text = { zh: "请换起点或终点。", en: "Use another start or end." };
const values: Text = {
  zh: "请检查参数的格式（坐标写作“经度,纬度”，城市写全称或 adcode）。",
  en: 'Check the format of the arguments (coordinates are "longitude,latitude", a city is its full name or adcode).',
};
const wait: Text = { zh: "请稍后再试。", en: "Try again later." };

const createAuthCode = (number: number, name: string, zh: string, en: string, remedy = key): AmapCode => ({
  ...{ number, name, code: "auth", text: { zh, en }, remedy },
});
const createRateCode = (number: number, name: string, zh: string, en: string, retryAfterMs = 1000): AmapCode => ({
  ...{ number, name, code: "rate_limit", text: { zh, en }, remedy: slower, retryAfterMs },
});
const createQuotaCode = (number: number, name: string, zh: string, en: string): AmapCode => ({
  ...{ number, name, code: "quota", text: { zh, en }, remedy: later },
});
const request = (number: number, name: string, zh: string, en: string, remedy = values): AmapCode => ({
  ...{ number, name, code: "invalid_request", text: { zh, en }, remedy, common: true },
});

const codes: readonly AmapCode[] = [
  createAuthCode(10001, "INVALID_USER_KEY", "Key 不正确或已过期", "the key is wrong or has expired"),
  {
    ...createAuthCode(
      10002,
      "SERVICE_NOT_AVAILABLE",
      "该 Key 没有这项服务的权限",
      "the key has no permission for this service",
    ),
    common: true,
  },
  createQuotaCode(10003, "DAILY_QUERY_OVER_LIMIT", "日调用量超出额度", "the daily call quota is used up"),
  createRateCode(10004, "ACCESS_TOO_FREQUENT", "一分钟内访问过于频繁", "too many calls within a minute", 60_000),
  createAuthCode(
    10005,
    "INVALID_USER_IP",
    "本机 IP 不在该 Key 的白名单中",
    "this IP is not on the key's list",
    consolePage,
  ),
  createAuthCode(10006, "INVALID_USER_DOMAIN", "绑定的域名无效", "the domain bound to the key is invalid", consolePage),
  createAuthCode(10007, "INVALID_USER_SIGNATURE", "数字签名未通过验证", "the digital signature is wrong", consolePage),
  createAuthCode(10008, "INVALID_USER_SCODE", "安全码未通过验证", "the security code is wrong", consolePage),
  createAuthCode(10009, "USERKEY_PLAT_NOMATCH", "Key 的类型与平台不符", "the key is of another type or platform"),
  createAuthCode(
    10010,
    "IP_QUERY_OVER_LIMIT",
    "该 IP 的访问超限而被封停",
    "this IP is blocked for too many calls",
    consolePage,
  ),
  createAuthCode(10012, "INSUFFICIENT_PRIVILEGES", "权限不足", "the key has insufficient permissions", consolePage),
  createAuthCode(10013, "USER_KEY_RECYCLED", "Key 已被删除", "the key was deleted"),
  createRateCode(10014, "QPS_HAS_EXCEEDED_THE_LIMIT", "每秒调用次数超限", "too many calls per second"),
  { ...createRateCode(10015, "GATEWAY_TIMEOUT", "受单机每秒次数限流", "too many calls per second"), common: true },
  {
    ...{ number: 10016, name: "SERVER_IS_BUSY", code: "overloaded", remedy: wait, retryAfterMs: 1000, common: true },
    text: { zh: "服务器负载过高", en: "its servers are overloaded" },
  },
  createRateCode(
    10019,
    "CQPS_HAS_EXCEEDED_THE_LIMIT",
    "该服务每秒调用次数超限",
    "too many calls per second of this service",
  ),
  createRateCode(
    10020,
    "CKQPS_HAS_EXCEEDED_THE_LIMIT",
    "该 Key 每秒调用次数超限",
    "too many calls per second with this key",
  ),
  createRateCode(
    10021,
    "CUQPS_HAS_EXCEEDED_THE_LIMIT",
    "账号每秒调用次数超限",
    "too many calls per second of this account",
  ),
  { ...createAuthCode(10026, "INVALID_REQUEST", "账号被封禁", "the account is banned", consolePage), common: true },
  createQuotaCode(
    10029,
    "ABROAD_DAILY_QUERY_OVER_LIMIT",
    "海外服务调用量超出额度",
    "the quota for calls abroad is used up",
  ),
  createAuthCode(
    10041,
    "NO_EFFECTIVE_INTERFACE",
    "接口权限已过期",
    "the permission for this service has expired",
    consolePage,
  ),
  createQuotaCode(
    10044,
    "USER_DAILY_QUERY_OVER_LIMIT",
    "账号的日调用量超出额度",
    "the account's daily call quota is used up",
  ),
  createQuotaCode(
    10045,
    "USER_ABROAD_DAILY_QUERY_OVER_LIMIT",
    "账号海外调用量超出额度",
    "the account's quota for calls abroad is used up",
  ),
  request(20000, "INVALID_PARAMS", "参数不合规范", "an argument is not valid"),
  request(20001, "MISSING_REQUIRED_PARAMS", "缺少必填参数", "an argument is missing"),
  request(20011, "INSUFFICIENT_ABROAD_PRIVILEGES", "地点在海外而没有海外权限", "the place is abroad", places),
  request(20800, "OUT_OF_SERVICE", "地点不在中国陆地范围内", "the place is outside mainland China", places),
  request(20801, "NO_ROADS_NEARBY", "地点附近没有路", "there is no road near the place", places),
  request(20802, "ROUTE_FAIL", "道路不连通，算不出路线", "no road connects the places", places),
  request(20803, "OVER_DIRECTION_RANGE", "起点与终点相距太远", "start and end are too far apart", places),
  request(30001, "ENGINE_RESPONSE_DATA_ERROR", "服务看不懂参数", "the service could not make sense of the arguments"),
  createQuotaCode(40000, "QUOTA_PLAN_RUN_OUT", "购买的额度已用完", "the purchased quota is used up"),
  createAuthCode(40002, "SERVICE_EXPIRED", "购买的服务已到期", "the purchased service has expired", consolePage),
  createQuotaCode(
    40003,
    "ABROAD_QUOTA_PLAN_RUN_OUT",
    "购买的海外额度已用完",
    "the purchased quota for calls abroad is used up",
  ),
];

/** Matches `X failed: INFO`, which is all that `@amap/amap-maps-mcp-server` reports of a refusal. */
const packaged =
  /^(?:R?Geocoding|IP Location|Get weather|Get poi detail|Direction [A-Z]?[\w ]{1,30}|Text Search|Around Search) failed: (\w{1,60})$/;

/** The package looks for the reason of a v4 service in a field that v4 does not have. */
const unsaid: ServiceRefusal = {
  code: "tool",
  text: {
    zh: "高德拒绝了请求，而该服务器没有转达原因（常见原因：Key 无效、额度用完、每秒请求过多）。可以改查步行或驾车路线。",
    en: "Amap refused the request, and this server does not report the reason (often an invalid key, a used-up quota or too many calls per second). Ask for a walking or driving route instead.",
  },
};

/** Matches a code alone in its clause, with or without its number. */
const bare = /^(?:\d{5} )?([A-Z_]{6,40})(?: ?[(（]?\d{5}[)）]?)?$/;

/** Describes how Amap 高德, or an MCP server in front of it, reports that it refused. */
export const amap: KnownService = {
  errorKeys: /^(?:info|infocode|errcode|errmsg|errdetail|count|sec_code(?:_debug)?|key)$/i,
  isErrorObject: ({ status, infocode, errcode }) =>
    (String(status) === "0" && infocode !== undefined) || (errcode !== undefined && String(errcode) !== "0"),
  explainError,
};

function explainError(text: string, value: unknown, clauses: readonly string[]): ServiceRefusal | undefined {
  const said = packaged.exec(text)?.[1] ?? getInfo(value);
  if (said === "undefined") return unsaid;
  const known = said === undefined ? findOwnCode(clauses) : findCode(said);
  if (!known) return undefined;
  const { retryAfterMs, ...refusal } = toRefusal(known);
  // Beside other lines it may be one of several things that were tried.
  const mayRepeat = said !== undefined || !text.includes("\n");
  return { ...refusal, ...(mayRepeat && retryAfterMs !== undefined && { retryAfterMs }) };
}

/** Reads `{"status":"0","info":…,"infocode":…}`, and `{"errcode":…,"errmsg":…}` of v4 services. */
function getInfo(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined;
  const { status, info, infocode, errcode, errmsg } = value;
  if (String(status) === "0" && infocode !== undefined) return findCode(String(infocode))?.name ?? String(info);
  if (errcode !== undefined && String(errcode) !== "0" && typeof errmsg === "string") return errmsg;
  return undefined;
}

function findOwnCode(clauses: readonly string[]): AmapCode | undefined {
  const said = clauses.flatMap((clause) => bare.exec(clause)?.[1] ?? []);
  return codes.find(({ name, common }) => !common && said.includes(name));
}

function findCode(said: string): AmapCode | undefined {
  return codes.find(({ number, name }) => said === name || said === String(number));
}

function toRefusal({ number, name, code, text, remedy, retryAfterMs }: AmapCode): ServiceRefusal {
  return {
    code,
    text: {
      zh: `高德拒绝了请求：${text.zh}（${number} ${name}）。${remedy.zh}`,
      en: `Amap refused: ${text.en} (${number} ${name}). ${remedy.en}`,
    },
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}
