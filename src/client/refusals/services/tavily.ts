import { findPause, type KnownService, type ServiceRefusal } from "./known-service.ts";

/** Describes how Tavily's server reports, as a success, that a caller without a key sends too many requests. */
export const tavily: KnownService = {
  explainSuccess: (text) => (keyless.test(text) ? toKeylessRefusal(text) : undefined),
};

const keyless =
  /^[^\n]{1,400}(?=\n+(?:Retry after|Continuation options):)(?:\nRetry after: \d{1,6}s)?(?:\n+Continuation options:(?:\n(?:- | {4})[^\n]*)*)?$/;

function toKeylessRefusal(said: string): ServiceRefusal {
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
