import type { RefusalCode } from "../../../kit/errors.ts";
import type { Text } from "../../../kit/locale.ts";

/** Says what one error code means, and how each kind of client is told of it. */
export interface ErrorRow {
  meaning: Text;
  /** Is the status of a request that is refused with it, before anything was run. */
  status: number;
  /** Is the status of a run that ended with it, for the clients of model APIs, and `runFailed` when absent. */
  failedStatus?: number;
  /** Is its name in OpenAI's API, where that has one of its own. */
  openAi?: string;
}

/**
 * Is "failed dependency". Clients must not repeat a run by themselves: Duet has already retried what could be retried, and the run
 * has cost something. Clients repeat 408, 409, 429 and everything from 500 on (`openai`, `@anthropic-ai/sdk` and the AI SDK), and
 * 401 and 403 would say that the client's key is wrong.
 */
export const runFailed = 424;

/** Has a row for each code. docs/errors.md is made of it. */
export const errorTable: Readonly<Record<RefusalCode, ErrorRow>> = {
  config: {
    meaning: { zh: "配置或命令行有误", en: "the configuration or the command line is wrong" },
    status: 500,
  },
  auth: {
    meaning: { zh: "缺少密钥或令牌，或它不被接受", en: "a key or a token is missing or refused" },
    status: 401,
  },
  quota: {
    meaning: { zh: "额度或余额已用完", en: "credit or quota is used up" },
    status: 429,
    openAi: "insufficient_quota",
  },
  rate_limit: {
    meaning: { zh: "请求过于频繁", en: "too many requests" },
    status: 429,
    openAi: "rate_limit_exceeded",
  },
  invalid_request: {
    meaning: { zh: "请求有误", en: "the request is wrong" },
    status: 400,
    failedStatus: 400,
  },
  model_not_found: {
    meaning: { zh: "服务商没有配置的模型", en: "the vendor does not have the configured model" },
    status: 500,
  },
  context_overflow: {
    meaning: { zh: "内容超出模型的上下文", en: "too long for the model" },
    status: 413,
    failedStatus: 400,
    openAi: "context_length_exceeded",
  },
  content_filter: {
    meaning: { zh: "被模型或内容过滤拒绝", en: "refused by the model or a filter" },
    status: 400,
    failedStatus: 400,
  },
  overloaded: {
    meaning: {
      zh: "对方或本服务繁忙、已暂停或正在关闭",
      en: "the other side or this server is busy, paused or closing",
    },
    status: 503,
  },
  server: { meaning: { zh: "对方出错", en: "the other side failed" }, status: 502 },
  timeout: { meaning: { zh: "没有及时得到回答", en: "no answer in time" }, status: 504 },
  network: { meaning: { zh: "无法连接", en: "no connection" }, status: 502 },
  bad_response: {
    meaning: { zh: "得到的回答不能使用", en: "an answer that cannot be used" },
    status: 502,
  },
  invalid_output: {
    meaning: {
      zh: "回答不符合给定的 JSON Schema，更正一次后仍不符合",
      en: "the answer does not match the given JSON Schema, also after one correction",
    },
    status: 500,
  },
  tool: { meaning: { zh: "工具失败", en: "a tool failed" }, status: 500 },
  internal: { meaning: { zh: "Duet 自身的错误", en: "a fault of Duet" }, status: 500 },
  forbidden: {
    meaning: { zh: "不允许这个调用者、Host 或 Origin", en: "this caller, Host or Origin is not allowed" },
    status: 403,
  },
  not_found: {
    meaning: { zh: "没有这个路径、运行、对话或模型名称", en: "no such path, run, conversation or model name" },
    status: 404,
  },
  method_not_allowed: {
    meaning: { zh: "此路径不支持这个方法，见 Allow", en: "the path does not serve this method, see Allow" },
    status: 405,
  },
  conflict: {
    meaning: { zh: "与现状不符，例如问题已经回答", en: "it does not fit how things stand, as an answered question" },
    status: 409,
  },
  too_large: { meaning: { zh: "请求正文过长", en: "the body is too long" }, status: 413 },
  unsupported_media_type: {
    meaning: {
      zh: "请求正文不是未压缩的 application/json",
      en: "the body is not application/json, or it is compressed",
    },
    status: 415,
  },
  idempotency_key_reused: {
    meaning: { zh: "Idempotency-Key 已用于另一个请求", en: "the Idempotency-Key was used for another request" },
    status: 422,
  },
  headers_too_large: { meaning: { zh: "请求头过长", en: "the headers are too long" }, status: 431 },
  cancelled: {
    meaning: { zh: "客户端或管理员停止了运行", en: "the client or the operator has stopped the run" },
    status: 499,
    failedStatus: 499,
  },
};

/** Maps the status of a refusal that names no code to its code. */
export function findCode(status: number): RefusalCode {
  return codes[status] ?? (status >= 500 ? "internal" : "invalid_request");
}

const codes: Readonly<Record<number, RefusalCode>> = {
  401: "auth",
  403: "forbidden",
  404: "not_found",
  405: "method_not_allowed",
  408: "timeout",
  409: "conflict",
  413: "too_large",
  415: "unsupported_media_type",
  422: "idempotency_key_reused",
  429: "rate_limit",
  431: "headers_too_large",
  499: "cancelled",
  502: "network",
  503: "overloaded",
  504: "timeout",
};
