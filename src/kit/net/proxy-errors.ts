import { DuetError, type ErrorDetails } from "../errors.ts";
import { toShownProxy } from "./proxy-rules.ts";
import { describeConnectionFailure } from "./request-errors.ts";

/** Reports what went wrong at a proxy. It names the proxy without its credentials. */
export class ProxyError extends DuetError {}

/** Returns the failure of a proxy in an error or below it. */
export function findProxyError(thrown: unknown): ProxyError | undefined {
  let cause = thrown;
  for (let depth = 0; depth < 5 && cause instanceof Error; depth++) {
    if (cause instanceof ProxyError) return cause;
    cause = cause.cause;
  }
  return undefined;
}

export function proxyUnreachableError(proxy: string, thrown: unknown): ProxyError {
  const { zh, en } = describeConnectionFailure(thrown);
  return proxyError(proxy, {
    text: { zh: `无法连接：${zh}`, en: `cannot be reached: ${en}` },
    hint: {
      zh: "请检查 HTTPS_PROXY、HTTP_PROXY、ALL_PROXY，或配置中的 proxy。",
      en: "Check HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, or `proxy` in the configuration.",
    },
    retryable: true,
    cause: thrown,
  });
}

export function proxyAuthError(proxy: string, cause: unknown): ProxyError {
  const { username } = new URL(proxy);
  return proxyError(proxy, {
    text:
      username === ""
        ? { zh: "需要用户名和密码（407）", en: "asks for a user name and password (407)" }
        : { zh: "不接受用户名或密码（407）", en: "does not accept the user name or password (407)" },
    hint: {
      zh: "请写在代理地址中：http://user:password@host:port，特殊字符用百分号编码。",
      en: "Put them into its address, http://user:password@host:port, with special characters percent-encoded.",
    },
    cause,
  });
}

export function proxyRefusalError(proxy: string, host: string, status: string, cause: unknown): ProxyError {
  return proxyError(proxy, {
    text: { zh: `没有连接 ${host}（HTTP ${status}）`, en: `did not connect to ${host} (HTTP ${status})` },
    hint: {
      zh: `请确认该代理允许访问 ${host}，或把它加入 NO_PROXY。`,
      en: `Check that the proxy allows ${host}, or add it to NO_PROXY.`,
    },
    retryable: Number(status) >= 500,
    cause,
  });
}

function proxyError(proxy: string, { text, ...rest }: Omit<ErrorDetails, "code">): ProxyError {
  const shown = toShownProxy(proxy);
  return new ProxyError({
    code: "network",
    text: { zh: `代理 ${shown} ${text.zh}`, en: `the proxy ${shown} ${text.en}` },
    ...rest,
  });
}
