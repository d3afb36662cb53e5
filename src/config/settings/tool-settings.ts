import type { ZodBoolean, ZodDefault, ZodOptional, ZodString } from "zod";
import {
  listBackendSettings,
  mapSearchBackends,
  type SearchBackendRow,
  searchBackendNames,
} from "../../tools/search/search-backends.ts";
import { defineGroup, defineSetting, type Setting, type SettingGroup } from "./setting.ts";

export const toolSettings = defineGroup(
  {
    allow: defineSetting(({ permitPatterns }) => permitPatterns.default(["*"]), {
      help: {
        zh: "提供的工具，见[权限](permissions.zh.md)",
        en: "tools that are offered, see [permissions](permissions.md)",
      },
      fileHelp: "Available tools; `*` is any run of characters, `shell(ls *)` calls with such arguments.",
      kind: "list",
      flag: {
        name: "tools",
        help: { zh: "只用匹配这些模式的工具，用逗号分隔", en: "only tools that match these patterns, comma-separated" },
      },
    }),
    deny: defineSetting(({ toolPatterns }) => toolPatterns.default([]), {
      help: { zh: "绝不执行的工具或调用", en: "tools or calls that never run" },
      fileHelp: "Tools, or calls, that never run; takes precedence over everything else.",
      kind: "list",
      flag: {
        name: "no-tools",
        help: {
          zh: "不用匹配这些模式的工具，用逗号分隔",
          en: "never tools that match these patterns, comma-separated",
        },
        addsToFile: true,
      },
    }),
    ask: defineSetting(({ toolPatterns }) => toolPatterns.default(["*:destructive"]), {
      help: { zh: "需要同意的调用", en: "calls that need consent" },
      fileHelp: "Calls that need a person's consent.",
    }),
    askBeforeSending: defineSetting(({ z }) => z.boolean().default(true), {
      help: {
        zh: "读过私有数据和不可信文本的运行，[向外发送](permissions.zh.md#私有数据不可信文本与向外发送)前询问一次",
        en: "a run that has read private data and untrusted text asks once [before it sends text out](permissions.md#private-data-untrusted-text-and-calls-that-send-text-out)",
      },
      fileHelp: "A run that has read private data and untrusted text asks once before a call sends text out.",
    }),
    private: defineSetting(({ toolPatterns }) => toolPatterns.default([]), {
      help: {
        zh: "除文件工具外，结果属于私有数据的工具",
        en: "tools whose results are private, beside the file tools",
      },
      fileHelp: "Tools whose results are private, beside the file tools: notes__*.",
    }),
    local: defineSetting(({ permitPatterns }) => permitPatterns.default([]), {
      help: { zh: "不向外发送任何内容的工具", en: "tools that send nothing out" },
      fileHelp: "Tools that send nothing out of this machine: filesystem__*.",
    }),
    newTools: defineSetting(({ z }) => z.enum(["stop", "allow"]).default("stop"), {
      help: { zh: "已知服务器新增的工具", en: "a new tool of a known server" },
      fileHelp: "What happens to a tool that a known server adds later: stop until it is approved, or allow.",
    }),
    searchAbove: defineSetting(({ z }) => z.number().min(0).max(1).default(0.1), {
      help: {
        zh: "工具超过模型窗口的这个比例时改为搜索",
        en: "share of the model's window beyond which tools are searched",
      },
      fileHelp: "Share of the model's context window above which servers' tools are searched, not listed.",
    }),
    directory: defineSetting(({ text }) => text.optional(), {
      help: { zh: "自己的[工具和技能](writing-tools.zh.md)", en: "your own [tools and skills](writing-tools.md)" },
      fileHelp:
        "Your own tool modules and skills, relative to this file; absent: tools/ in Duet's own directory of configuration.",
      absent: { zh: "`~/.config/duet/tools`", en: "`~/.config/duet/tools`" },
    }),
    roots: defineSetting(({ z, text }) => z.array(text).min(1).default(["."]), {
      help: { zh: "文件工具可以读取的目录", en: "directories that file tools may read" },
    }),
  },
  { fileHelp: "Which tools are available and which may run." },
);

export const webSettings = defineGroup(
  {
    hosts: defineSetting(({ z, hostPattern }) => z.array(hostPattern).default([]), {
      help: { zh: "`http_request` 可以访问的主机", en: "hosts that `http_request` may call" },
      fileHelp: "Hosts that http_request may call: api.example.com, *.example.com, *; with none it is not available.",
    }),
    reach: defineSetting(({ z, reachable }) => z.array(reachable).default([]), {
      help: {
        zh: "[允许访问](network.zh.md)的内网主机和其他端口",
        en: "private hosts and other ports that [tools may reach](network.md)",
      },
      fileHelp:
        "Private hosts and other ports that tools may reach as well: localhost:8080, 10.0.0.0/8, db.example.com:5432.",
    }),
    ports: defineSetting(({ z }) => z.array(z.int().min(1).max(65_535)).default([80, 443, 8080, 8443]), {
      help: { zh: "公网主机的端口", en: "ports of public hosts" },
    }),
    proxy: defineSetting(({ webProxy }) => webProxy.default("direct"), {
      help: {
        zh: "这些工具的[代理](proxies.zh.md#网页)；`inherit`：同其他连接",
        en: "the [proxy of these tools](proxies.md#pages); `inherit`: as other connections",
      },
      fileHelp: "The proxy of these tools: its address, direct, or inherit, as other connections.",
    }),
  },
  { fileHelp: "What the tools that go out may reach: read_page, http_request, health_check." },
);

export const emailSettings = defineGroup(
  {
    host: defineSetting(({ mailServer }) => mailServer.optional(), {
      help: {
        zh: "SMTP 服务器，不设置则没有 `send_email`",
        en: "the SMTP server; without it there is no `send_email`",
      },
      environment: "SMTP_HOST",
    }),
    port: defineSetting(({ z }) => z.int().min(1).max(65_535).default(587), {
      help: { zh: "端口", en: "the port of that server" },
      kind: "number",
      environment: "SMTP_PORT",
    }),
    secure: defineSetting(({ z }) => z.boolean().optional(), {
      help: { zh: "一开始就使用 TLS", en: "TLS from the first byte" },
      fileHelp: "TLS from the first byte; absent: on port 465 only, else STARTTLS.",
      absent: { zh: "仅 465 端口", en: "on port 465" },
    }),
    user: defineSetting(({ text }) => text.optional(), {
      help: { zh: "登录用户", en: "who signs in" },
      fileHelp: "The user that signs in with the password; without it, no sign-in.",
      environment: "SMTP_USER",
    }),
    password: defineSetting(({ text }) => text.optional(), {
      help: { zh: "最好放在 `SMTP_PASSWORD`", en: "better in `SMTP_PASSWORD`" },
      fileHelp: "The password; SMTP_PASSWORD is safer than this file.",
      environment: "SMTP_PASSWORD",
    }),
    from: defineSetting(({ sender }) => sender.optional(), {
      help: { zh: "发件人", en: "the sender" },
      fileHelp: "The sender: Name <name@example.com>; user when absent.",
      absent: { zh: "`user`", en: "`user`" },
      environment: "SMTP_FROM",
    }),
    recipients: defineSetting(({ patterns }) => patterns.default(["*"]), {
      help: { zh: "可以写信给谁：`*@example.com`", en: "who may be written to: `*@example.com`" },
      fileHelp: "Allowed recipients: *@example.com.",
    }),
  },
  { fileHelp: "How send_email sends; it always asks a person first." },
);

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
      flag: {
        name: "search",
        help: { zh: "提供联网搜索", en: "offer web search" },
        negation: { zh: "不提供联网搜索", en: "offer no web search" },
      },
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
    proxy: defineSetting(({ proxy }) => proxy.optional(), {
      help: {
        zh: "搜索服务的[代理](proxies.zh.md)，`direct` 为直连",
        en: "the [proxy](proxies.md) to search services; `direct`: none",
      },
      fileHelp: "The proxy to search services, or direct.",
      absent: { zh: "同其他连接", en: "as other connections" },
    }),
    maxPerRun: defineSetting(({ z }) => z.int().min(1).max(50).default(10), {
      help: { zh: "一次运行的搜索次数", en: "searches of one run" },
    }),
    ...mapSearchBackends(toBackendGroup),
  },
  { fileHelp: "Web search." },
);
