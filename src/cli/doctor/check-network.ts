import { once } from "node:events";
import { connect } from "node:net";
import type { Config } from "../../config/config.ts";
import { listOwnProxies } from "../../config/network.ts";
import type { Text } from "../../kit/locale.ts";
import { toShownProxy } from "../../kit/net/proxy-rules.ts";
import { describeConnectionFailure } from "../../kit/net/request-errors.ts";
import type { Finding } from "./findings.ts";

/** Limits how long a proxy may take to accept a connection, in milliseconds. */
const longestConnectMs = 3000;

/** Reports each proxy that is in use, and whether it accepts connections. Whether it accepts us, the models and servers show. */
export function checkProxies(config: Config, signal: AbortSignal): Promise<Finding[]> {
  const { network } = config;
  const general = network.proxies.map(({ name, shown }) => ({ shown, by: name }));
  const own = listOwnProxies(config.settings).map(({ name, proxy }) => ({ shown: toShownProxy(proxy), by: name }));
  const used = Map.groupBy([...general, ...own], ({ shown }) => shown);
  const proxies = [...used].map(async ([shown, entries]): Promise<Finding> => {
    const by = [...new Set(entries.map((entry) => entry.by))];
    const failure = await findConnectionFailure(new URL(shown), signal);
    const facts = { zh: `来自 ${by.join("、")}`, en: `from ${by.join(", ")}` };
    const none = general.some((each) => each.shown === shown) ? (network.rules?.noProxy ?? []) : [];
    const exceptions = none.length === 0 ? "" : ` · NO_PROXY ${none.join(",")}`;
    return {
      topic: "network",
      state: failure === undefined ? "ok" : "failed",
      what: proxyWord,
      name: shown,
      text:
        failure === undefined
          ? { zh: facts.zh + exceptions, en: facts.en + exceptions }
          : { zh: `${facts.zh} · 无法连接：${failure.zh}。`, en: `${facts.en} · cannot be reached: ${failure.en}.` },
      hint: failure && {
        zh: `请检查 ${by.join("、")}。`,
        en: `Check ${by.join(", ")}.`,
      },
      details: { set_by: by, no_proxy: none },
    };
  });
  return Promise.all(proxies);
}

/** Reports that there is no proxy, so that whoever needs one sees it, and names the file of further certificates. */
export function describeNetwork({ network, settings }: Pick<Config, "network" | "settings">): Finding[] {
  const none: Finding = {
    topic: "network",
    state: "none",
    what: proxyWord,
    name: "",
    text: { zh: "没有，直接连接", en: "none, connections are direct" },
  };
  const hasNone = network.proxies.length === 0 && listOwnProxies(settings).length === 0;
  return [...(hasNone ? [none] : []), ...describeCertificates(network)];
}

function describeCertificates({ certificates, rules }: Config["network"]): Finding[] {
  if (certificates === undefined) return [];
  const what: Text = { zh: "另外信任的证书", en: "further certificates" };
  const problem = rules?.unreadCa?.problem;
  if (problem === undefined) {
    const text = { zh: "与系统自带的一同使用", en: "trusted as well as the usual ones" };
    return [{ topic: "network", state: "ok", what, name: certificates, text }];
  }
  const text = {
    zh: `${problem.zh}，只信任系统自带的证书。`,
    en: `the file ${problem.en}, so only the usual ones are trusted.`,
  };
  const hint = {
    zh: "请改正这个文件或变量 NODE_EXTRA_CA_CERTS，或去掉这个变量。",
    en: "Correct the file or the variable NODE_EXTRA_CA_CERTS, or unset the variable.",
  };
  return [{ topic: "network", state: "failed", what, name: certificates, text, hint }];
}

const proxyWord: Text = { zh: "代理", en: "proxy" };

async function findConnectionFailure(
  { protocol, hostname, port }: URL,
  signal: AbortSignal,
): Promise<Text | undefined> {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const socket = connect({ host, port: Number(port) || (protocol === "https:" ? 443 : 80) });
  try {
    await once(socket, "connect", { signal: AbortSignal.any([signal, AbortSignal.timeout(longestConnectMs)]) });
    return undefined;
  } catch (thrown) {
    signal.throwIfAborted();
    const seconds = longestConnectMs / 1000;
    const isLate = thrown instanceof Error && thrown.name === "AbortError";
    return isLate
      ? { zh: `${seconds} 秒内没有应答`, en: `no answer within ${seconds} s` }
      : describeConnectionFailure(thrown);
  } finally {
    socket.on("error", () => {}).destroy();
  }
}
