import type { Environment } from "../../config/sources/expand-variables.ts";
import { offlineProvider } from "../../core/model/model.ts";
import type { Vendor } from "../../core/model/model-settings.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";

/** Is something that can answer: a vendor, an address of the person's own, or the rules without a model. */
export interface ProviderChoice {
  kind: "vendor" | "own" | "offline";
  /** Is the name of the vendor, which may be typed in place of the number. */
  name: string;
  detail: string;
  /** Is the variable of its key that is set. */
  keyEnv?: string;
  /** Is the model that it offers, where the vendor's row names none. */
  model?: string;
}

/** Lists what can be chosen: what needs nothing more first, then the vendors in the order of their table. */
export function listProviders(
  vendors: Readonly<Record<string, Vendor>>,
  environment: Environment,
  ollamaModel: string | undefined,
  locale: Locale,
): ProviderChoice[] {
  const toChoice = ([name, { keyEnv, defaultModel = "" }]: [string, Vendor]): ProviderChoice => {
    if (keyEnv === undefined) {
      const detail = ollamaModel === undefined ? say(locale, notRunning) : `${say(locale, running)} · ${ollamaModel}`;
      return { kind: "vendor", name, detail, ...(ollamaModel !== undefined && { model: ollamaModel }) };
    }
    const isSet = Boolean(environment[keyEnv]?.trim());
    if (!isSet) return { kind: "vendor", name, detail: defaultModel };
    return { kind: "vendor", name, detail: `${defaultModel} · ${say(locale, describeSet(keyEnv))}`, keyEnv };
  };
  // A cloud takes more than a key, such as an address of one's own or a package: the configuration file names it.
  const all = Object.entries(vendors)
    .filter(([, { cloud }]) => cloud === undefined)
    .map(toChoice);
  const isReady = ({ keyEnv, model }: ProviderChoice): boolean => keyEnv !== undefined || model !== undefined;
  // A region shares the variable of its vendor, which comes before it.
  return [
    ...all.filter(isReady),
    ...all.filter((choice) => !isReady(choice)),
    { kind: "own", name: say(locale, ownName), detail: say(locale, ownDetail) },
    { kind: "offline", name: offlineProvider, detail: say(locale, offlineDetail) },
  ];
}

/** Finds a choice by its number in the list, or by its name. */
export function findProvider(choices: readonly ProviderChoice[], typed: string): ProviderChoice | undefined {
  const digits = typed.normalize("NFKC");
  if (/^\d{1,3}$/.test(digits)) return choices[Number(digits) - 1];
  return choices.find(({ name }) => name.toLowerCase() === typed.toLowerCase());
}

const running: Text = { zh: "在本机运行", en: "runs on this machine" };
const notRunning: Text = { zh: "本机的模型；现在没有运行", en: "models on this machine; not running now" };
const describeSet = (name: string): Text => ({ zh: `${name} 已设置`, en: `${name} is set` });
const ownName: Text = { zh: "其他地址", en: "another address" };
const ownDetail: Text = {
  zh: "兼容 OpenAI 的服务，如 vLLM、LM Studio 或网关",
  en: "a server that speaks OpenAI's chat completions, such as vLLM, LM Studio or a gateway",
};
const offlineDetail: Text = {
  zh: "暂不使用模型：由规则回答，不需要密钥和网络",
  en: "no model for now: rules answer, without key and network",
};
