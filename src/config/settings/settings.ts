import type { flaggedLimits } from "../../core/limits/limits.ts";
import { statusParts } from "../../core/status-parts.ts";
import type { Text } from "../../kit/locale.ts";
import type { Path } from "../sources/setting-path.ts";
import { agentSettings } from "./agent-settings.ts";
import { hookSettings } from "./hook-settings.ts";
import { modelSettings, providerSettings } from "./model-settings.ts";
import { serveSettings } from "./serve-settings.ts";
import { ignoredKey, mcpServers, servers } from "./server-settings.ts";
import {
  defineGroup,
  defineSetting,
  type FlagFacts,
  listSettings,
  type SettingAtPath,
  type SettingKind,
} from "./setting.ts";
import { subAgentSettings } from "./sub-agent-settings.ts";
import { emailSettings, searchSettings, toolSettings, webSettings } from "./tool-settings.ts";

const network = defineGroup(
  {
    proxy: defineSetting(({ proxy }) => proxy.optional(), {
      help: {
        zh: "所有[连接的代理](proxies.zh.md)；设置了代理变量时以变量为准",
        en: "the [proxy of all connections](proxies.md); a variable that sets one takes precedence",
      },
      fileHelp: "The proxy of all connections; HTTPS_PROXY, HTTP_PROXY and ALL_PROXY take precedence.",
    }),
    noProxy: defineSetting(({ z, text }) => z.array(text).default([]), {
      help: { zh: "不经过代理的主机，与 `NO_PROXY` 相加", en: "hosts without proxy, in addition to `NO_PROXY`" },
      fileHelp: "Hosts that are called directly, in addition to NO_PROXY: intranet.example.com, *.corp, 10.0.0.0/8.",
    }),
    ca: defineSetting(({ text }) => text.optional(), {
      help: { zh: "另外信任的证书（PEM 文件）", en: "a file of further trusted certificates (PEM)" },
      fileHelp: "A file of further trusted certificates (PEM), relative to this file.",
      environment: "NODE_EXTRA_CA_CERTS",
    }),
  },
  { fileHelp: "How connections leave this machine." },
);

const terminal = defineGroup(
  {
    theme: defineSetting(({ z }) => z.enum(["auto", "dark", "light"]).default("auto"), {
      help: {
        zh: "配色：适合深色或浅色背景；`auto` 用终端报告的，否则按深色",
        en: "colours for the background; `auto`: as told, else dark",
      },
    }),
    notify: defineSetting(({ z }) => z.enum(["auto", "bell", "off"]).default("auto"), {
      help: {
        zh: "[你在别处时](chat.zh.md)怎样提醒",
        en: "tells you [while away](chat.md)",
      },
      fileHelp: "How you are told that a run has ended or a question waits while you look elsewhere.",
    }),
    screenReader: defineSetting(({ z }) => z.boolean().default(false), {
      help: { zh: "供屏幕阅读器使用的普通行", en: "plain lines for a screen reader" },
      fileHelp: "Plain lines for a screen reader: nothing is redrawn, signs are words, no spinner.",
      kind: "switch",
      environment: "DUET_SCREEN_READER",
      flag: {
        name: "screen-reader",
        help: {
          zh: "供屏幕阅读器使用的普通行：不重绘",
          en: "plain lines for a screen reader: nothing is redrawn",
        },
        command: "chat",
      },
    }),
    statusLine: defineSetting(({ z }) => z.union([z.enum(["off"]), z.array(z.enum(statusParts))]).optional(), {
      help: {
        zh: "[状态行](chat.zh.md#状态行)的各部分，或 `off`",
        en: "[status line](chat.md#the-status-line): its parts, or `off`",
      },
      fileHelp: 'The parts of the chat\'s status line, in this order, or "off".',
      absent: { zh: "全部", en: "all" },
    }),
    instructions: defineSetting(({ z }) => z.boolean().default(true), {
      help: {
        zh: "把工作目录中的 [AGENTS.md](instructions.zh.md) 交给模型",
        en: "gives models the [AGENTS.md](instructions.md) of the folder",
      },
      fileHelp: "Gives models the AGENTS.md, CLAUDE.md or DUET.md of the working folder, once you have trusted it.",
      kind: "switch",
      flag: {
        name: "instructions",
        help: { zh: "把文件夹中的 AGENTS.md 交给模型", en: "give models the AGENTS.md of the folder" },
        negation: {
          zh: "不把文件夹中的 AGENTS.md、CLAUDE.md 或 DUET.md 交给模型",
          en: "leave out the AGENTS.md, CLAUDE.md or DUET.md of the folder",
        },
      },
    }),
  },
  { fileHelp: "The chat in a terminal, and `duet ask`." },
);

/** Holds every key of the configuration file, in the shape of the file. */
export const fileSettings = {
  $schema: defineSetting(({ z }) => z.string().optional(), {
    help: {
      zh: "JSON Schema 的地址，供编辑器使用；Duet 不读取",
      en: "address of the JSON Schema, for editors; Duet ignores it",
    },
  }),
  models: modelSettings,
  providers: providerSettings,
  agent: agentSettings,
  agents: subAgentSettings,
  mcpServers,
  servers,
  inputs: ignoredKey,
  tools: toolSettings,
  hooks: hookSettings,
  search: searchSettings,
  web: webSettings,
  email: emailSettings,
  serve: serveSettings,
  network,
  terminal,
  prompts: defineGroup({
    directory: defineSetting(({ text }) => text.optional(), {
      help: { zh: "自己的[提示词](prompts.zh.md)", en: "your own [prompts](prompts.md)" },
      fileHelp: "Your own prompts, relative to this file.",
    }),
  }),
  conversations: defineGroup({
    store: defineSetting(({ z }) => z.enum(["disk", "memory"]).default("disk"), {
      help: {
        zh: "对话存放在哪里；`memory` 随进程结束",
        en: "where conversations are stored; `memory`: as long as the process",
      },
      fileHelp: "disk: kept under DUET_HOME; memory: as long as the process.",
    }),
    titles: defineSetting(({ z }) => z.boolean().default(true), {
      help: {
        zh: "第一次回答之后，由函数调用模型为网页中的对话起标题",
        en: "the function-call model writes a title for a conversation of the page after its first answer",
      },
      fileHelp: "The function-call model writes a title for a conversation of the page after its first answer.",
    }),
  }),
  store: defineGroup(
    {
      url: defineSetting(({ database }) => database.optional(), {
        help: {
          zh: "[PostgreSQL 数据库](replicas.zh.md)，保存一切长期内容，可由多个 Duet 共用；密码不会显示",
          en: "a [PostgreSQL database](replicas.md) for all that lasts, which several Duets may share; its password is never shown",
        },
        fileHelp:
          "A PostgreSQL database for all that lasts, which several Duets may share, such as postgres://user@host:5432/duet.",
        absent: { zh: "`DUET_HOME` 中的 `duet.db`", en: "`duet.db` in `DUET_HOME`" },
        environment: "DUET_STORE_URL",
      }),
      keepDays: defineSetting(({ z }) => z.int().min(1).max(36_500).default(365), {
        help: {
          zh: "对话在最后一次提问之后保留多少天",
          en: "days for which a conversation is kept after its last question",
        },
        fileHelp: "Days for which a conversation is kept after its last question.",
      }),
      maxSize: defineSetting(({ z }) => z.int().min(1_000_000).max(1e15).default(1_000_000_000), {
        help: {
          zh: "保存的内容最多占多少字节；超出时先删除最久未用的对话",
          en: "bytes that may be stored; above it the conversations that were unused for the longest are removed",
        },
        fileHelp: "Bytes that may be stored; above it the conversations that were unused for the longest are removed.",
      }),
      resumeWithin: defineSetting(({ seconds }) => seconds(0, 604_800).default(600), {
        help: {
          zh: "程序意外结束后多少秒内的运行会自动继续；更早的只在有人要求时继续",
          en: "seconds after an unexpected end of the program in which its runs go on by themselves; older ones only when somebody asks for it",
        },
        fileHelp:
          "Seconds after an unexpected end of the program in which its runs go on by themselves; older ones only when somebody asks for it.",
      }),
    },
    { fileHelp: "How much of the past is kept. A conversation that a person has named or pinned is never removed." },
  ),
  locale: defineSetting(({ z }) => z.enum(["zh", "en"]).optional(), {
    help: { zh: "Duet 的语言", en: "language of Duet's messages" },
    fileHelp: "Language of Duet's messages; default: LC_ALL or LANG, over HTTP that of the question.",
    absent: {
      zh: "`LC_ALL` 或 `LANG`；经 HTTP 提问时为问题的语言",
      en: "`LC_ALL` or `LANG`; over HTTP that of the question",
    },
    flag: { name: "locale", help: { zh: "消息的语言", en: "language of messages" }, choices: ["zh", "en"] },
  }),
};

/** Holds what only variables and flags set, beside the keys of the file. */
export const outsideSettings = {
  home: defineSetting(({ text }) => text.optional(), {
    help: { zh: "对话、追踪和批准保存在哪里", en: "where conversations, traces and approvals are stored" },
    absent: { zh: "`~/.local/state/duet`", en: "`~/.local/state/duet`" },
    environment: "DUET_HOME",
  }),
  httpToken: defineSetting(({ token }) => token.optional(), {
    help: { zh: "通过 HTTP 的调用方需要的令牌", en: "the token that callers over HTTP need" },
    environment: "DUET_HTTP_TOKEN",
  }),
  signInSecret: defineSetting(({ token }) => token.optional(), {
    help: {
      zh: "`serve.http.auth.signIn.clientId` 的密钥；公共客户端没有",
      en: "the secret of `serve.http.auth.signIn.clientId`; a public client has none",
    },
    environment: "DUET_SIGN_IN_SECRET",
  }),
  terminalMode: defineSetting(({ z }) => z.enum(["chat", "agent", "plan"]).optional(), {
    help: { zh: "聊天和网页开始时的模式", en: "the mode in which the chat and the page start" },
    environment: "DEFAULT_MODE",
  }),
  // `--max-tokens` sets it: the setting agent.maxTokens is the default of every model, and the flag limits the answer.
  answerMaxTokens: defineSetting(({ z }) => z.int().min(1).optional(), {}),
};

/** Lists all settings with their paths, those outside the file last. */
export const settings: readonly SettingAtPath[] = listSettings({ ...fileSettings, ...outsideSettings });

/** Holds the configuration flags of the command line, `--max-tokens` as `maxTokens`. A flag that is not given is absent. */
export type Flags = { config?: string | undefined } & {
  [Row in FlaggedRow as CamelCase<Row["flag"]["name"]>]?: FlagValue<Row> | undefined;
} & { [Name in (typeof flaggedLimits)[number]["flag"] as CamelCase<Name>]?: number | undefined };

type RowsBelow<Rows> = {
  [Key in keyof Rows]: Rows[Key] extends { rows: infer Inner } ? Rows[Key] | RowsBelow<Inner> : Rows[Key];
}[keyof Rows];

type FlaggedRow = Extract<RowsBelow<typeof fileSettings>, { flag: { name: string } }>;

type FlagValue<Row> = Row extends { kind: "switch" }
  ? boolean
  : Row extends { kind: "list" }
    ? string[]
    : Row extends { kind: "number" }
      ? number
      : string;

type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Rest}`
  ? `${Head}${Capitalize<CamelCase<Rest>>}`
  : Name;

/** Describes the flag of a setting. */
export interface SettingFlag extends FlagFacts {
  /** Names the value in `Flags`. */
  readonly field: keyof Flags;
  /** Is the path that the flag sets. */
  readonly path: Path;
  readonly kind: SettingKind;
  /** Is the line in `--help`. */
  readonly help: Text;
}

const noHelp: Text = { zh: "", en: "" };

/** Lists the flags of the settings, in the order of the table. */
export const settingFlags: readonly SettingFlag[] = settings.flatMap(({ flag, path, kind = "text", help }) =>
  flag === undefined
    ? []
    : [{ help: help ?? noHelp, ...flag, path: flag.path ?? path, field: toField(flag.name), kind }],
);

/** Returns the field of a flag. The mapped type above says the same of each. */
function toField(name: string): keyof Flags {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()) as keyof Flags;
}
