import { defineNamedGroup, defineOptionalGroup, defineSetting } from "./setting.ts";

export const ignoredKey = defineSetting(({ z }) => z.unknown().optional(), {
  fileHelp: "Another host's key; ignored.",
});

const signIn = defineOptionalGroup(
  {
    type: defineSetting(({ z }) => z.enum(["oauth", "client_credentials"]).default("oauth"), {
      help: { zh: "由人登录，或用客户端凭据", en: "whether a person signs in, or a client with credentials" },
    }),
    clientId: defineSetting(({ text }) => text.optional(), { help: { zh: "客户端标识", en: "the client's id" } }),
    clientSecret: defineSetting(({ text }) => text.optional(), { help: { zh: "客户端密钥", en: "its secret" } }),
    clientMetadataUrl: defineSetting(({ address }) => address.optional(), {
      help: { zh: "客户端元数据文档的地址", en: "address of a client ID metadata document" },
    }),
    scope: defineSetting(({ text }) => text.optional(), {
      help: { zh: "scope，以空格分隔", en: "scopes, separated by blanks" },
      fileHelp: "Scopes, separated by spaces.",
    }),
    callbackPort: defineSetting(({ z }) => z.int().min(1).max(65_535).optional(), {
      help: { zh: "本机回调端口", en: "port of the loopback address" },
      absent: { zh: "任意", en: "any" },
    }),
  },
  { fileHelp: "OAuth 2.1: how to sign in to a remote server; see `duet login`." },
);

const serverRows = {
  type: defineSetting(({ z }) => z.enum(["stdio", "http", "streamable-http", "sse"]).optional(), {
    help: { zh: "传输方式", en: "the transport" },
    fileHelp: "Absent: `command` means stdio, `url` and `httpUrl` mean http.",
    absent: { zh: "按 `command` 或 `url`", en: "by `command` or `url`" },
  }),
  command: defineSetting(({ text }) => text.optional(), {
    help: { zh: "要启动的程序，不经过 shell", en: "the program; no shell is involved" },
    fileHelp: "The program to start; no shell is involved.",
  }),
  args: defineSetting(({ z }) => z.array(z.string()).optional(), { help: { zh: "参数", en: "its arguments" } }),
  env: defineSetting(({ z, variableName }) => z.record(variableName, z.string()).optional(), {
    help: { zh: "加入程序的环境变量", en: "added to the program's environment" },
  }),
  cwd: defineSetting(({ text }) => text.optional(), {
    help: { zh: "程序的目录，相对于配置文件", en: "the program's directory, relative to the file" },
    fileHelp: "The program's directory, relative to this file.",
  }),
  url: defineSetting(({ address }) => address.optional(), {
    help: { zh: "远程服务器的地址", en: "address of a remote server" },
  }),
  httpUrl: defineSetting(({ address }) => address.optional(), {
    help: { zh: "同上，类型为 `http`", en: "the same with type `http`" },
    fileHelp: "The same as `url` with type http.",
  }),
  headers: defineSetting(({ z, headerName, headerValue }) => z.record(headerName, headerValue).optional(), {
    help: { zh: "每个请求的请求头", en: "headers of each request" },
  }),
  timeout: defineSetting(({ seconds }) => seconds(1, 3600).default(60), {
    help: { zh: "一次调用中最长的沉默秒数", en: "seconds of silence in one call" },
    fileHelp: "Limit of one call in seconds.",
  }),
  startTimeout: defineSetting(({ seconds }) => seconds(1, 600).default(30), {
    help: { zh: "启动秒数", en: "seconds to start" },
    fileHelp: "Limit of starting in seconds.",
  }),
  includeTools: defineSetting(({ patterns }) => patterns.optional(), {
    help: { zh: "只要匹配的工具", en: "only tools that match" },
    fileHelp: "Only tools that match; `*` is any run of characters.",
    absent: { zh: "全部", en: "all" },
  }),
  excludeTools: defineSetting(({ patterns }) => patterns.optional(), {
    help: { zh: "排除的工具", en: "tools that are left out" },
    absent: { zh: "无", en: "none" },
  }),
  maxConcurrent: defineSetting(({ z }) => z.int().min(1).max(1000).optional(), {
    help: { zh: "同时的调用数", en: "calls at one time" },
    fileHelp: "Calls at the same time.",
  }),
  callsPerSecond: defineSetting(({ z }) => z.number().gt(0).max(1000).optional(), {
    help: { zh: "每秒调用数", en: "calls a second" },
  }),
  start: defineSetting(({ z }) => z.enum(["eager", "lazy"]).default("eager"), {
    help: { zh: "`lazy`：第一次调用时才启动", en: "`lazy`: started by the first call" },
    fileHelp: "lazy: started by the first call of a tool, once its tools are known.",
  }),
  inheritEnv: defineSetting(({ z, variableName }) => z.array(variableName).optional(), {
    help: { zh: "它还能看到的环境变量名", en: "names of your variables that it sees too" },
    fileHelp: "Names of variables of Duet's environment that the program also gets.",
  }),
  sampling: defineSetting(({ z }) => z.boolean().default(false), {
    help: { zh: "是否可以请工具调用模型代写文字", en: "whether it may ask the function-call model for texts" },
    fileHelp: "Whether the server may use the function-call model (sampling).",
  }),
  stateful: defineSetting(({ z }) => z.boolean().default(false), {
    help: {
      zh: "服务器自身保存状态（如浏览器）：程序意外结束后，用过它的运行不再继续，而是报告失败",
      en: "it has state of its own, like a browser: after an unexpected end of the program, runs that used it are reported as lost instead of resumed",
    },
    fileHelp: "Whether the server has state of its own, like a browser: runs that used it are never resumed.",
  }),
  roots: defineSetting(({ z, text }) => z.array(text).optional(), {
    help: { zh: "告诉它可以工作的目录", en: "directories that it is told it may work in" },
    fileHelp: "Directories offered to the server as its roots.",
  }),
  hostRoots: defineSetting(({ z }) => z.boolean().default(false), {
    help: {
      zh: "使用 `--expose` 时，是否把运行者自己的宿主的 roots 告诉它，代替 `roots`",
      en: "with `--expose`, whether it is told the roots of the operator's own host, in place of `roots`",
    },
    fileHelp: "With --expose: whether the server is told the roots of the operator's own host, in place of `roots`.",
  }),
  auth: signIn,
  disabled: defineSetting(({ z }) => z.boolean().optional(), {
    help: { zh: "不使用该服务器", en: "leaves the server out" },
    absent: { zh: "`false`", en: "`false`" },
  }),
  enabled: defineSetting(({ z }) => z.boolean().optional(), {
    help: { zh: "与上相反", en: "the opposite" },
    absent: { zh: "`true`", en: "`true`" },
  }),
  // What Duet does without these is stricter, never looser, so they can be ignored; `envFile` could not.
  description: ignoredKey,
  trust: ignoredKey,
  alwaysAllow: ignoredKey,
  autoApprove: ignoredKey,
};

/** Defines the same servers under either of the keys that hosts use for them. */
function defineServers(fileHelp: string) {
  return defineNamedGroup(({ serverName }) => serverName, serverRows, {
    fileHelp,
    entryHelp: "An MCP server: a program to start or an address to call.",
  });
}

export const mcpServers = defineServers("The MCP servers whose tools the agent uses, by name.");
export const servers = defineServers("The same as mcpServers.");
