import type { ServerSettings } from "../config/config.ts";
import { DuetError, type ErrorCode, type ErrorDetails, getMessage, type RpcError, toSeconds } from "../kit/errors.ts";
import { isDeeperThan, isRecord, toText, tryParseJson } from "../kit/json.ts";
import type { Text } from "../kit/locale.ts";
import { findProxyError } from "../kit/net/proxy-errors.ts";
import type { Ending } from "../kit/process/child.ts";
import type { Environment } from "../kit/process/child-environment.ts";
import { findLauncher } from "../kit/process/launcher.ts";
import { type Redact, redactValue } from "../kit/text/redact.ts";
import { sanitize } from "../kit/text/sanitize.ts";
import {
  getBody,
  getCode,
  getRetryAfterMs,
  getStatus,
  isLost,
  isOtherProtocol,
  isProbeFailure,
} from "./connection-errors.ts";
import { explainNetworkFailure, findTlsHint, isUnreached } from "./network-failures.ts";
import { hasOwnAuthorization } from "./oauth/auth.ts";
import { toLoginHint } from "./oauth/oauth-errors.ts";
import { urlElicitationRequired } from "./questions/required-pages.ts";
import { ownErrors } from "./transport/own-errors.ts";
import { describeUnusable } from "./unusable-server.ts";

export interface FailureContext {
  settings: ServerSettings;
  redact: Redact;
  /** Is set when the server has a process and that process has ended. */
  ending?: Ending | undefined;
  /** Holds the end of what the process wrote outside of the protocol. */
  words?: string | undefined;
  /** Holds Duet's environment. Without it, nothing is said of what the process lacked. */
  environment?: Environment | undefined;
}

const lastWordsLength = 2000;

/**
 * Returns the error that people read when a server cannot be used. It is built from known fields and has no cause, because the
 * errors of the package and of `fetch` carry headers, bodies and URLs with secrets.
 */
export function toStartError(thrown: unknown, failureContext: FailureContext): DuetError {
  const { name } = failureContext.settings;
  const { code, text, retryable = false, retryAfterMs, hint: ownHint } = explain(thrown, failureContext);
  const words = getLastWords(failureContext);
  // A launcher's own words are long, and what a host shows of them may be cut.
  const missing = describeVariablesNotInherited(failureContext, words, code);
  const said = words === "" ? { zh: "", en: "" } : { zh: `；它写道：\n${words}`, en: `; it wrote:\n${words}` };
  const { zh, en } = describeUnusable(name);
  const hint = ownHint ?? (retryable && isPassing(thrown, code, failureContext) ? triedAgain : undefined);
  return new DuetError({
    code,
    text: {
      zh: `${zh}${text.zh}${missing ? `。${missing.zh}` : ""}${said.zh}`,
      en: `${en}${text.en}${missing ? `. ${missing.en}` : ""}${said.en}`,
    },
    ...(hint !== undefined && missing === undefined && { hint }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    retryable,
  });
}

/** Returns true where a server over HTTP was reached, so that neither its address nor its headers need to be wrong. */
function isPassing(thrown: unknown, code: ErrorCode, { settings }: FailureContext): boolean {
  return settings.transport.type !== "stdio" && code !== "timeout" && !isUnreached(thrown);
}

const triedAgain: Text = {
  zh: "问题出在服务器或网络一侧，Duet 会再试。",
  en: "The server or the network is at fault; Duet tries it again.",
};

/** Says how often a call was sent, what it may have done, and whether somebody may send it again. */
export interface SentCall {
  times: number;
  isRepeatable: boolean;
  /** Is true when the request may change something at the server. Every tool call counts, whatever the tool says of itself. */
  canTakeEffect: boolean;
}

/** Returns the error for one failed call. It says so when the server may already have done what it was asked. */
export function toCallError(thrown: unknown, failureContext: FailureContext, sent: SentCall): DuetError {
  const { name } = failureContext.settings;
  const { code, text, hint, retryAfterMs } = explain(thrown, failureContext);
  const rpcError = code === "tool" ? readRpcError(thrown, failureContext) : undefined;
  const refusedBefore = failureContext.ending === undefined && (getStatus(thrown) ?? 500) < 500;
  const wasNeverSent = findProxyError(thrown) !== undefined || isUnreached(thrown);
  const isSure = !sent.canTakeEffect || code === "tool" || code === "auth" || refusedBefore || wasNeverSent;
  const unsure = isSure ? { zh: "", en: "" } : describeEffect(sent);
  return new DuetError({
    code,
    text: { zh: `MCP 服务器 ${name}：${text.zh}${unsure.zh}`, en: `MCP server ${name}: ${text.en}${unsure.en}` },
    ...(hint !== undefined && { hint }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(rpcError !== undefined && { rpcError }),
  });
}

function describeEffect({ times, isRepeatable }: Pick<SentCall, "times" | "isRepeatable">): Text {
  if (times > 1)
    return { zh: "。调用共发送两次，都可能已经生效。", en: ". The call was sent twice, and may have taken effect." };
  if (isRepeatable) return { zh: "。调用可能已经生效。", en: ". The call may have taken effect." };
  return { zh: "。调用可能已经生效，不会自动重发。", en: ". The call may have taken effect; it is not sent again." };
}

/** Limits the levels of the data of a server's error: it is not used where it has more. */
const deepestData = 64;

/** Returns the server's own answer where it is an error. One that asks for pages is here only where none of them may be shown. */
function readRpcError(thrown: unknown, { redact }: FailureContext): RpcError | undefined {
  if (thrown instanceof DuetError) return thrown.rpcError;
  const code = getCode(thrown);
  if (!(thrown instanceof Error) || typeof code !== "number" || code === urlElicitationRequired) return undefined;
  const data =
    "data" in thrown && !isDeeperThan(thrown.data, deepestData) ? redactValue(thrown.data, redact) : undefined;
  return { code, data };
}

function explain(thrown: unknown, failureContext: FailureContext): ErrorDetails {
  if (thrown instanceof DuetError) return thrown;
  const { ending, settings } = failureContext;
  if (ending?.error !== undefined) return explainMissingProcess(ending.error, settings);
  // A process that was sent away for its protocol has ended too.
  if (ending !== undefined && !isOtherProtocol(thrown)) return explainEnd(ending);
  const status = getStatus(thrown);
  if (status !== undefined) return explainStatus(status, thrown, failureContext);
  return explainUnexpected(thrown, failureContext);
}

function explainMissingProcess(error: Error, { transport }: ServerSettings): ErrorDetails {
  const command = transport.type === "stdio" ? JSON.stringify(transport.command) : "";
  const folder = transport.type === "stdio" && transport.cwd !== undefined ? JSON.stringify(transport.cwd) : undefined;
  if (getCode(error) !== "ENOENT") {
    const why = String(getCode(error) ?? error.name);
    return { code: "config", text: { zh: `无法启动 ${command}（${why}）`, en: `cannot start ${command} (${why})` } };
  }
  return {
    code: "config",
    text: {
      zh: `找不到命令 ${command}${folder === undefined ? "" : `（或目录 ${folder}）`}`,
      en: `there is no command ${command}${folder === undefined ? "" : ` (or no folder ${folder})`}`,
    },
    hint: { zh: "请检查 command，并确认它在 PATH 中。", en: "Check the command, and that it is on the PATH." },
  };
}

function explainEnd({ code, signal }: Ending): ErrorDetails {
  const text =
    signal === null
      ? { zh: `进程已退出，退出码 ${code}`, en: `its process ended with exit code ${code}` }
      : { zh: `进程被 ${signal} 终止`, en: `its process was ended by ${signal}` };
  return { code: "server", text, retryable: true };
}

function explainStatus(status: number, thrown: unknown, { redact, settings }: FailureContext): ErrorDetails {
  const where = settings.transport.type === "stdio" ? "" : redact(removeQuery(settings.transport.url));
  const body = getBody(thrown).trim();
  const said = sanitize(redact(body)).slice(0, 300);
  const retryAfterMs = getRetryAfterMs(thrown);
  const wait = retryAfterMs === undefined ? { zh: "", en: "" } : describeWait(retryAfterMs);
  const text = {
    zh: `${where} 返回 HTTP ${status}${wait.zh}${said && `：${said}`}`,
    en: `HTTP ${status} from ${where}${wait.en}${said && `: ${said}`}`,
  };
  if (status === 401 || status === 403) {
    const hint = hasOwnAuthorization(settings) ? checkHeaders : toLoginHint(settings.name);
    return { code: "auth", text, hint };
  }
  const code: ErrorCode = status === 429 ? "rate_limit" : "server";
  const hint = findTlsHint(body, settings.transport);
  return {
    ...{ code, text, retryable: status === 429 || status >= 500 },
    ...(hint && { hint }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

function describeWait(ms: number): Text {
  const seconds = toSeconds(ms);
  return { zh: `，要求等待 ${seconds} 秒`, en: `, which asks to wait ${seconds} s` };
}

const checkHeaders: Text = {
  zh: "请检查该服务器的 headers 中的凭据。",
  en: "Check the credentials in the headers of this server.",
};

function explainUnexpected(thrown: unknown, { redact, settings }: FailureContext): ErrorDetails {
  const code = getCode(thrown);
  // The words of a JSON-RPC error are the server's own.
  const words = typeof code === "number" ? getMessage(thrown) : joinIssues(getMessage(thrown));
  const message = sanitize(redact(words)).slice(0, 500);
  if (code === "REQUEST_TIMEOUT") {
    return { code: "timeout", text: { zh: "没有及时响应", en: "it did not answer in time" }, retryable: true };
  }
  if (code === ownErrors.cut)
    return { code: "network", text: { zh: "响应中断", en: "its response was cut off" }, retryable: true };
  if (code === ownErrors.malformed) {
    const text = {
      zh: `返回的内容不是 JSON-RPC 响应：${message}`,
      en: `what it sent is not a JSON-RPC response: ${message}`,
    };
    return { code: "bad_response", text };
  }
  if (code === ownErrors.tooLong) return { code: "bad_response", text: { zh: message, en: message } };
  // A JSON-RPC error is the server's own answer.
  if (typeof code === "number") {
    return { code: "tool", text: { zh: `返回错误：${message}`, en: `it answered with an error: ${message}` } };
  }
  const atProxy = findProxyError(thrown);
  if (atProxy) return { code: atProxy.code, text: atProxy.text, hint: atProxy.hint, retryable: atProxy.retryable };
  const network = explainNetworkFailure(thrown, settings.transport);
  if (network) return network;
  if (isLost(thrown)) {
    return { code: "server", text: { zh: "连接已断开", en: "the connection was lost" }, retryable: true };
  }
  if (isProbeFailure(thrown)) {
    const text = {
      zh: `没有作为 MCP 服务器应答（${message}）`,
      en: `it does not answer as an MCP server (${message})`,
    };
    return { code: "bad_response", text };
  }
  return { code: "bad_response", text: { zh: message, en: message } };
}

/** Writes the issues of a schema of the package on one line: it gives them as JSON over many. */
function joinIssues(message: string): string {
  const [, head = "", written = ""] = /^([^[\]]*)(\[\s*\{.*\])$/s.exec(message) ?? [];
  const issues: unknown = tryParseJson(written);
  if (!Array.isArray(issues)) return message;
  const lines = issues.filter(isRecord).map(({ path, message: text }) => {
    const place = Array.isArray(path) ? path.join(".") : "";
    return place === "" ? toText(text) : `${place}: ${toText(text)}`;
  });
  return `${head}${lines.join("; ")}`;
}

/** Redacts before it cuts, so that no half of a secret is left at the edge. */
function getLastWords({ words = "", redact }: FailureContext): string {
  return sanitize(redact(words)).trim().slice(-lastWordsLength);
}

function removeQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

/**
 * Lists the variables that programs need where a company's certificate, proxy or mirror stands between them and the network. They
 * may hold passwords, so a server gets only those of the proxy without being named in `inheritEnv`, and them only as its settings say.
 */
const networkVariables = [
  ...["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "all_proxy", "no_proxy"],
  ...["SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"],
  ...["npm_config_registry", "NPM_CONFIG_REGISTRY", "UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL"],
  ...["DOCKER_HOST", "DOCKER_CONFIG"],
];

const networkFailure =
  /network|certificate|\bSSL|\bTLS|proxy|registry|getaddrinfo|resolve host|dns error|ENOTFOUND|ECONN|ETIMEDOUT|EAI_AGAIN|sending request|failed to fetch|timed? ?out/i;

/**
 * Names the variables of ours that a launcher lacked when it failed at the network, or said nothing until its time was over: npm
 * repeats a request that fails for more than a minute before it tells. Returns undefined where that is not what happened, or where
 * it lacked none.
 */
function describeVariablesNotInherited(
  { settings, environment = {} }: FailureContext,
  words: string,
  code: ErrorCode,
): Text | undefined {
  const { transport } = settings;
  const hasFailed = networkFailure.test(words);
  if (transport.type !== "stdio" || (!hasFailed && code !== "timeout")) return undefined;
  const launcher = findLauncher(transport.command);
  if (launcher === undefined) return undefined;
  const { env, inheritEnv, networkEnv = {} } = transport;
  const given = new Set([...Object.keys({ ...env, ...networkEnv }), ...inheritEnv]);
  // One variable of a proxy stands for the others.
  const hasProxy = "NO_PROXY" in networkEnv;
  const missing = networkVariables.filter(
    (name) => (environment[name] ?? "") !== "" && !given.has(name) && !(hasProxy && /_proxy$/i.test(name)),
  );
  if (missing.length === 0) return undefined;
  const list = missing.join(", ");
  const setting = `"inheritEnv": ${JSON.stringify(missing)}`;
  const what = hasFailed
    ? { zh: "访问网络失败", en: "failed at the network" }
    : { zh: "可能还在等待网络", en: "may still be waiting for the network" };
  return {
    zh: `${launcher} ${what.zh}；当前环境中的 ${list} 没有传给它。如需传递，请在该服务器的配置中加入 ${setting}。`,
    en: `${launcher} ${what.en}, and was not given ${list} of this environment. To pass that on, add ${setting} to the server's configuration.`,
  };
}
