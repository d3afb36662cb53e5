import type { ZodBoolean, ZodDefault, ZodOptional, ZodString } from "zod";
import {
  listBackendSettings,
  mapSearchBackends,
  type SearchBackendRow,
  searchBackendNames,
} from "../../tools/search/search-backends.ts";
import { defineGroup, defineSetting, type Setting, type SettingGroup } from "./setting.ts";

/** Holds the settings that backends have. Each has some of them. */
type BackendRows = {
  readonly apiKey: Setting<ZodOptional<ZodString>>;
  readonly baseUrl: Setting<ZodOptional<ZodString>>;
  readonly url: Setting<ZodOptional<ZodString>>;
  readonly mcpUrl: Setting<ZodOptional<ZodString>>;
  readonly enabled: Setting<ZodOptional<ZodDefault<ZodBoolean>>>;
};

/** Makes the settings of one backend from its row in the table of backends. */
function toBackendGroup(row: SearchBackendRow): SettingGroup<BackendRows, "defaults"> {
  const rows = listBackendSettings(row).map(({ key, type, env: environment, default: usual }): [string, Setting] => {
    if (type === "secret")
      return [key, defineSetting(({ z }) => z.string().optional(), { help: help.secret, environment })];
    if (type === "switch") {
      const facts = { help: help.switch, fileHelp: `Whether auto may end with ${row.title}.` };
      return [key, defineSetting(({ z }) => z.boolean().default(false), facts)];
    }
    const facts =
      key === "mcpUrl" ? { help: help.mcpUrl, environment } : { help: usual ? help.address : help.own, environment };
    return [
      key,
      defineSetting(({ address }) => (usual === undefined ? address.optional() : address.default(usual)), facts),
    ];
  });
  // The type says what a backend may have; its own rows are among them.
  return defineGroup(Object.fromEntries(rows) as unknown as BackendRows);
}

const help = {
  secret: { zh: "密钥", en: "the key" },
  switch: { zh: "`auto` 最后是否可用它", en: "whether `auto` may end with it" },
  address: { zh: "另一个地址", en: "another address" },
  own: { zh: "你自己的服务器地址", en: "address of your own server" },
  mcpUrl: { zh: "它无需密钥的 MCP 服务器", en: "its keyless MCP server" },
};

export const searchSettings = defineGroup(
  {
    enabled: defineSetting(({ z }) => z.boolean().optional(), {
      help: { zh: "是否联网搜索", en: "whether there is web search" },
      fileHelp: "Absent: tools may search, and chat mode starts with search off.",
      absent: { zh: "工具可用，Chat 模式默认关闭", en: "tools: yes, chat mode: no" },
      kind: "switch",
      flag: { name: "search", help: "offer web search", negation: "offer no web search" },
    }),
    backend: defineSetting(({ z }) => z.enum(["auto", ...searchBackendNames]).default("auto"), {
      help: { zh: "使用的[服务](web-search.zh.md)", en: "the [service](web-search.md)" },
      fileHelp: "auto: the first with a key, otherwise the keyless ones; if one fails, the next is used.",
    }),
    keyless: defineSetting(({ z }) => z.boolean().default(true), {
      help: { zh: "`auto` 是否可用无需密钥的服务", en: "whether `auto` may use services without a key" },
      fileHelp: "Whether auto may ask services without a key.",
    }),
    maxResults: defineSetting(({ z }) => z.int().min(1).max(20).default(5), {
      help: { zh: "一次搜索的结果数", en: "results of one search" },
    }),
    snippetLength: defineSetting(({ z }) => z.int().min(20).max(2000).default(200), {
      help: { zh: "每条摘要的字符数", en: "characters of one snippet" },
    }),
    cacheSize: defineSetting(({ z }) => z.int().min(0).max(1000).default(20), {
      help: { zh: "缓存的查询数，0 表示不缓存", en: "queries that are cached; 0 keeps none" },
      fileHelp: "Queries kept; 0 keeps none.",
    }),
    maxPerRun: defineSetting(({ z }) => z.int().min(1).max(50).default(10), {
      help: { zh: "一次运行的搜索次数", en: "searches of one run" },
    }),
    ...mapSearchBackends(toBackendGroup),
  },
  { fileHelp: "Web search." },
);
