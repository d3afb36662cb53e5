import type { SearchCheck, SearchProvider } from "../../app/models/check-models.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import type { Finding } from "./findings.ts";

/** Who gets search queries, in the order in which they are asked; nobody was. */
export function toSearchFinding(search: SearchCheck | null): Finding {
  const finding = { topic: "search", what: { zh: "搜索", en: "search" } } as const;
  if (search === null) return { ...finding, state: "none", name: "", text: { zh: "已关闭", en: "off" } };
  const { chain } = search;
  const [first] = chain;
  if (first === undefined) return { ...finding, ...nobody };
  const toThirdParties = chain.some(({ thirdParty }) => thirdParty);
  return {
    ...finding,
    state: "ok",
    name: first.party,
    text: {
      zh: `${route(chain, "zh")}（未试用${toThirdParties ? "；免密钥的是第三方，会得到搜索词" : ""}）`,
      en: `${route(chain, "en")} (not tried${toThirdParties ? "; the keyless are third parties, which get the query" : ""})`,
    },
    details: {
      host: first.host,
      third_party: first.thirdParty,
      chain: chain.map(({ party, host, hasKey, thirdParty }) => ({
        ...{ name: party, host, key: hasKey, third_party: thirdParty },
      })),
    },
  };
}

/** The line names the first already. */
function route(chain: readonly SearchProvider[], locale: Locale): string {
  const places = chain.map((party) => say(locale, placeOf(party)));
  return places.map((place, index) => (index === 0 ? place : `${chain[index]?.party} ${place}`)).join(" → ");
}

function placeOf({ host, hasKey, thirdParty }: SearchProvider): Text {
  if (hasKey) return { zh: `${host} 有密钥`, en: `${host} with a key` };
  return thirdParty ? { zh: `${host} 免密钥`, en: `${host} keyless` } : { zh: host, en: host };
}

const nobody: Pick<Finding, "state" | "name" | "text" | "hint"> = {
  state: "none",
  name: "",
  text: {
    zh: "没有可用的服务：没有密钥，且 search.keyless 为 false。",
    en: "nobody to ask: there is no key, and search.keyless is false.",
  },
  hint: {
    zh: "请设置 TAVILY_API_KEY 等密钥或 SEARXNG_URL。",
    en: "Set a key such as TAVILY_API_KEY, or SEARXNG_URL.",
  },
};
