import type { KeyCommand } from "../../core/model/model-settings.ts";
import type { Text } from "../../kit/locale.ts";
import type { ProxyRules, UnreadCertificates } from "../../kit/net/proxy-rules.ts";
import { changePort, isRefusedPort } from "../../kit/net/refused-port.ts";
import { isWithoutTls, toPlainAddressHint } from "../../kit/net/tls-mismatch.ts";
import type { Remedy } from "./error-rules.ts";

export interface HintContext {
  apiKeyEnv?: string;
  apiKeyCommand?: KeyCommand;
  baseUrl: string;
  network?: Pick<ProxyRules, "unreadCa">;
  /** Holds the code of a failed connection. */
  socketCode?: string;
  retryAfterMs?: number;
}

/** Returns what the reader can do, with the variable, the host and the pages of the vendor that failed. */
export function createHint(
  remedy: Remedy,
  { apiKeyEnv, apiKeyCommand, baseUrl, network, socketCode = "", retryAfterMs }: HintContext,
): Text {
  const host = URL.parse(baseUrl)?.host ?? baseUrl;
  if (remedy === "auth" && apiKeyCommand !== undefined) return checkCommand;
  const pages = findVendorPages(baseUrl);
  const wait = describeWait(retryAfterMs);
  const unreadCa = unknownIssuer.test(socketCode) ? network?.unreadCa : undefined;
  return hints[remedy]({ key: apiKeyEnv, host, pages, wait, unreadCa });
}

/** Matches the failures that a further certificate could have prevented; an expired or foreign one stays what it is. */
const unknownIssuer = /SELF_SIGNED|^UNABLE_TO_/;

interface Facts {
  /** Names the variable that holds the key. */
  key: string | undefined;
  host: string;
  pages: VendorPages | undefined;
  wait: Text | undefined;
  unreadCa: UnreadCertificates | undefined;
}

const another: Text = { zh: "请稍后再试，或换用其他模型。", en: "Try again later, or use another model." };
const checkCommand: Text = {
  zh: "请检查 apiKeyCommand 输出的密钥。",
  en: "Check the key that apiKeyCommand prints.",
};
const setKeyVariable: Text = { zh: "请为该模型设置 apiKeyEnv。", en: "Set apiKeyEnv for this model." };

const hints: Record<Remedy, (facts: Facts) => Text> = {
  auth: ({ key, pages }) => {
    if (key === undefined) return setKeyVariable;
    const check = { zh: `请检查环境变量 ${key} 中的密钥。`, en: `Check the key in the environment variable ${key}.` };
    return joinSentences(check, describeKeyPage(pages), pages?.keyNote);
  },
  "key-missing": ({ key, pages }) => {
    if (key === undefined) return setKeyVariable;
    return joinSentences(
      { zh: `请在环境变量 ${key} 中设置密钥。`, en: `Set ${key} to a key.` },
      describeKeyPage(pages),
    );
  },
  permission: ({ key }) => ({
    zh: `密钥${key ? `（${key}）` : ""}没有使用该模型的权限：请在服务商处开通，或换用其他模型。`,
    en: `The key${key ? ` in ${key}` : ""} may not use this model: ask for access, or use another model.`,
  }),
  place: ({ host }) => ({
    zh: `${host} 不向你所在的地区提供服务：请换用其他服务商，或设置 baseUrl。`,
    en: `${host} does not serve your region: use another provider, or set baseUrl.`,
  }),
  quota: ({ key, pages }) => {
    const topUp = key
      ? { zh: `请为 ${key} 所属账户充值，或换用其他模型。`, en: `Top up the account of ${key}, or use another model.` }
      : { zh: "请充值或换用其他模型。", en: "Top up the account, or use another model." };
    return joinSentences(topUp, pages && { zh: `账户：${pages.billing} 。`, en: `The account: ${pages.billing} .` });
  },
  rate_limit: ({ wait }) =>
    wait === undefined
      ? another
      : { zh: `请在${wait.zh}后再试，或换用其他模型。`, en: `Try again in ${wait.en}, or use another model.` },
  invalid_request: () => ({ zh: "请检查模型名称与参数。", en: "Check the model's name and its parameters." }),
  model_not_found: ({ host }) =>
    isLocal(host)
      ? {
          zh: `请检查模型名称；若使用 Ollama，请先运行 ollama pull 下载该模型。`,
          en: `Check the model's name; with Ollama, get it with \`ollama pull\` first.`,
        }
      : {
          zh: `请检查模型名称：${host} 没有这个模型，或你的账户不能使用它。`,
          en: `Check the model's name: ${host} does not have it, or not for your account.`,
        },
  "tool-call": () => ({
    zh: "模型写出的工具调用无效：请再试一次，或换用其他模型。",
    en: "The model wrote an invalid tool call: try again, or use another model.",
  }),
  history: () => ({
    zh: "对话历史不符合该模型的要求：请开始新对话。",
    en: "The model does not accept this conversation's history: start a new conversation.",
  }),
  context_overflow: () => ({
    zh: "请开始新对话或缩短输入。",
    en: "Start a new conversation, or shorten the input.",
  }),
  content_filter: () => ({ zh: "请修改问题后再试。", en: "Change the question and try again." }),
  overloaded: () => another,
  server: () => another,
  "try-again": () => ({ zh: "请再试一次，或换用其他模型。", en: "Try again, or use another model." }),
  network: ({ host }) => ({
    zh: `请检查网络与地址 ${host}。`,
    en: `Check the network and the address ${host}.`,
  }),
  "local-server": ({ host }) => ({
    zh: `请启动 ${host} 上的服务（Ollama：ollama serve），或修改地址。`,
    en: `Start the server at ${host} (Ollama: \`ollama serve\`), or change the address.`,
  }),
  certificate: ({ host, unreadCa }) =>
    unreadCa === undefined
      ? {
          zh: `${host} 的证书不受信任：若经过公司代理，请将其证书设置到 network.ca 或 NODE_EXTRA_CA_CERTS。`,
          en: `The certificate of ${host} is not trusted: behind a company's proxy, set network.ca or NODE_EXTRA_CA_CERTS to its certificate.`,
        }
      : {
          zh: `${host} 的证书不受信任，而 NODE_EXTRA_CA_CERTS 指定的文件 ${unreadCa.file} ${unreadCa.problem.zh}：请改正这个文件或变量，再重新启动 Duet。`,
          en: `The certificate of ${host} is not trusted, and the file ${unreadCa.file} that NODE_EXTRA_CA_CERTS names ${unreadCa.problem.en}: correct the file or the variable, then start Duet again.`,
        },
  "no-tls": ({ host }) => toPlainAddressHint(host),
  "refused-port": () => changePort,
  timeout: () => ({ zh: "请稍后再试，或增大 timeout。", en: "Try again later, or raise the timeout." }),
  bad_response: describeAddress,
  invalid_output: describeAddress,
  address: describeAddress,
  config: () => ({ zh: "请检查配置：duet config。", en: "Check the configuration: `duet config`." }),
  tool: () => another,
  internal: () => ({ zh: "这是程序的错误，请报告。", en: "This is a fault of the program: please report it." }),
};

function describeAddress({ host }: Facts): Text {
  return { zh: `请检查 ${host} 是否为正确的接口地址。`, en: `Check that ${host} is the right address.` };
}

function describeKeyPage(pages: VendorPages | undefined): Text | undefined {
  return pages && { zh: `获取密钥：${pages.keys} 。`, en: `Keys: ${pages.keys} .` };
}

function joinSentences(...texts: (Text | undefined)[]): Text {
  const given = texts.filter((text) => text !== undefined);
  return { zh: given.map(({ zh }) => zh).join(""), en: given.map(({ en }) => en).join(" ") };
}

function describeWait(ms: number | undefined): Text | undefined {
  if (ms === undefined) return undefined;
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  if (seconds < 120) return { zh: ` ${seconds} 秒`, en: `${seconds} s` };
  const minutes = Math.ceil(seconds / 60);
  return { zh: ` ${minutes} 分钟`, en: `${minutes} min` };
}

function isLocal(host: string): boolean {
  return /^(localhost|127\.|\[::1\]|0\.0\.0\.0)/.test(host);
}

/** Returns what to do about a failed connection, by the error code and the message of the socket. */
export function findConnectionRemedy(code: string, message: string, baseUrl: string): Remedy {
  if (isWithoutTls(`${code} ${message}`)) return "no-tls";
  if (isRefusedPort(message)) return "refused-port";
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code)) return "certificate";
  const { host = "" } = URL.parse(baseUrl) ?? {};
  return code === "ECONNREFUSED" && isLocal(host) ? "local-server" : "network";
}

/** Holds the pages where a vendor's customers get keys and pay, and what users must know about a refused key. */
interface VendorPages {
  keys: string;
  billing: string;
  keyNote?: Text;
}

/** Returns the vendor's pages for this address. A proxy in front of a vendor has none. */
export function findVendorPages(baseUrl: string): VendorPages | undefined {
  const host = URL.parse(baseUrl)?.hostname ?? "";
  return Object.hasOwn(pages, host) ? pages[host] : undefined;
}

const regions: Text = {
  zh: "密钥只在其所属地域有效：dashscope.aliyuncs.com 为北京，dashscope-intl.aliyuncs.com 为新加坡。",
  en: "A key works in its own region only: dashscope.aliyuncs.com is Beijing, dashscope-intl.aliyuncs.com Singapore.",
};
const beijing: VendorPages = {
  keys: "https://bailian.console.aliyun.com/?tab=model#/api-key",
  billing: "https://usercenter2.aliyun.com/home",
  keyNote: regions,
};
const singapore: VendorPages = {
  keys: "https://modelstudio.console.alibabacloud.com/?tab=model#/api-key",
  billing: "https://usercenter2-intl.console.alibabacloud.com/home",
  keyNote: regions,
};

const pages: Readonly<Record<string, VendorPages>> = {
  "api.deepseek.com": {
    keys: "https://platform.deepseek.com/api_keys",
    billing: "https://platform.deepseek.com/top_up",
  },
  "api.openai.com": {
    keys: "https://platform.openai.com/api-keys",
    billing: "https://platform.openai.com/settings/organization/billing",
  },
  "api.anthropic.com": {
    keys: "https://platform.claude.com/settings/keys",
    billing: "https://platform.claude.com/settings/billing",
  },
  "dashscope.aliyuncs.com": beijing,
  "dashscope-intl.aliyuncs.com": singapore,
  "dashscope-us.aliyuncs.com": singapore,
  "generativelanguage.googleapis.com": {
    keys: "https://aistudio.google.com/api-keys",
    billing: "https://ai.dev/rate-limit",
  },
  "openrouter.ai": { keys: "https://openrouter.ai/settings/keys", billing: "https://openrouter.ai/settings/credits" },
  "api.groq.com": { keys: "https://console.groq.com/keys", billing: "https://console.groq.com/settings/billing" },
  "api.x.ai": { keys: "https://console.x.ai", billing: "https://console.x.ai" },
  "api.mistral.ai": {
    keys: "https://console.mistral.ai/api-keys",
    billing: "https://admin.mistral.ai/organization/billing",
  },
  "api.moonshot.cn": {
    keys: "https://platform.moonshot.cn/console/api-keys",
    billing: "https://platform.moonshot.cn/console/pay",
  },
};
