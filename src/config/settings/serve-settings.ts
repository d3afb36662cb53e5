import { defineGroup, defineOptionalGroup, defineSetting } from "./setting.ts";

const signIn = defineOptionalGroup(
  {
    clientId: defineSetting(({ text }) => text, {
      help: {
        zh: "在授权服务器登记的客户端标识；密钥在 `DUET_SIGN_IN_SECRET` 中",
        en: "the client's id at the authorization server; its secret is in `DUET_SIGN_IN_SECRET`",
      },
    }),
    scopes: defineSetting(({ z, scope }) => z.array(scope).default(["openid", "profile", "email"]), {
      help: {
        zh: "登录时请求的 scope，此外还请求 `auth.scopes` 与 `auth.tools` 中的",
        en: "scopes that are requested, beside those of `auth.scopes` and `auth.tools`",
      },
    }),
    duration: defineSetting(({ seconds }) => seconds(60, 2_592_000).default(43_200), {
      help: { zh: "登录多少秒后失效", en: "seconds after which a sign-in ends" },
    }),
  },
  { fileHelp: "People sign in at /signin with the authorization server (OpenID Connect, code flow with PKCE)." },
);

const auth = defineOptionalGroup(
  {
    issuer: defineSetting(({ secureAddress }) => secureAddress, {
      help: { zh: "授权服务器，与令牌中的写法一致", en: "the authorization server, as its tokens name it" },
    }),
    audience: defineSetting(({ text }) => text.optional(), {
      help: { zh: "令牌的受众", en: "what tokens must be meant for" },
      fileHelp: "What tokens must be meant for; the public address of /mcp when absent.",
      absent: { zh: "`/mcp` 的地址", en: "address of `/mcp`" },
    }),
    jwksUrl: defineSetting(({ keysAddress }) => keysAddress.optional(), {
      help: { zh: "公钥地址", en: "its keys" },
      fileHelp: "Its keys; found through its metadata when absent.",
      absent: { zh: "取自元数据", en: "from its metadata" },
    }),
    maxLifetime: defineSetting(({ seconds }) => seconds(60, 315_360_000).default(31_536_000), {
      help: { zh: "令牌最多还有多少秒有效", en: "seconds for which a token may still be valid at most" },
    }),
    algorithms: defineSetting(
      ({ z, signatureAlgorithms }) =>
        z.array(z.enum(signatureAlgorithms)).min(1).default(["RS256", "ES256", "EdDSA", "PS256"]),
      { help: { zh: "签名算法", en: "signatures that are accepted" } },
    ),
    scopes: defineSetting(({ z, scope }) => z.array(scope).default([]), {
      help: { zh: "每个令牌必须具有的 scope", en: "scopes that every token must have" },
    }),
    tools: defineSetting(({ z, permitPatterns, scope }) => z.record(scope, permitPatterns).optional(), {
      help: { zh: "每个 scope 可用的工具", en: "tools by scope, as patterns" },
      fileHelp:
        "Tools by scope, as patterns: what a caller may use, by itself or through the agent. Absent: all. Prompts and resources of a server are available to callers that may use all its tools.",
      absent: { zh: "全部", en: "all" },
    }),
    signIn,
  },
  { fileHelp: "OAuth 2.1 resource server: callers sign in with tokens of this authorization server." },
);

const http = defineGroup(
  {
    publicUrl: defineSetting(({ address }) => address.optional(), {
      help: { zh: "对外的地址，不含 `/mcp`", en: "the address under which others reach the server, without `/mcp`" },
      fileHelp: "The public address of this server, without /mcp.",
    }),
    allowedHosts: defineSetting(({ z, hostHeader }) => z.array(hostHeader).default([]), {
      help: { zh: "除绑定地址外允许的 Host，含端口", en: "Host headers beside the bound address, with port" },
      fileHelp: "Allowed Host headers besides the bound address: duet.example.com, duet.example.com:8443.",
    }),
    allowedOrigins: defineSetting(({ z, origin }) => z.array(origin).default([]), {
      help: { zh: "可以调用的其他来源的网页", en: "pages of other origins that may call" },
      fileHelp: "Pages that may call: https://app.example.com.",
    }),
    maxBody: defineSetting(({ z }) => z.int().min(1024).max(100_000_000).default(4_194_304), {
      help: {
        zh: "一个请求的字节数；[可以带文件的](attachments.zh.md#http-请求的大小)为八倍",
        en: "bytes of one request; eight times as many where [it may carry files](attachments.md#sizes-over-http)",
      },
      fileHelp: "Bytes of one request; eight times as many where it may carry files.",
    }),
    maxConnections: defineSetting(({ z }) => z.int().min(1).max(100_000).default(1000), {
      help: { zh: "连接数", en: "connections in all" },
    }),
    maxConnectionsPerAddress: defineSetting(({ z }) => z.int().min(1).max(100_000).default(250), {
      help: { zh: "每个地址的连接数", en: "connections from one address" },
    }),
    maxSessions: defineSetting(({ z }) => z.int().min(1).max(100_000).default(1000), {
      help: { zh: "旧协议客户端的会话数", en: "sessions of clients of the older protocol" },
      fileHelp: "Sessions of clients of the 2025 protocol.",
    }),
    sessionIdle: defineSetting(({ seconds }) => seconds(1, 86_400).default(1800), {
      help: { zh: "会话多少秒没有请求后结束", en: "seconds without a request after which a session ends" },
    }),
    grace: defineSetting(({ seconds }) => seconds(0, 3600).default(10), {
      help: { zh: "进程结束时留给运行的秒数", en: "seconds that runs have to finish when the process ends" },
      fileHelp:
        "Seconds that runs have to finish when the process is asked to end; after that they are cancelled and reported.",
    }),
    requireToken: defineSetting(({ z }) => z.boolean().default(false), {
      help: {
        zh: "没有 `DUET_HTTP_TOKEN` 时，调用方也需要[令牌](sign-in.zh.md#api-令牌)或登录",
        en: "callers need [a token](sign-in.md#api-tokens) or a sign-in, also without `DUET_HTTP_TOKEN`",
      },
      fileHelp: "Callers need an API token or a sign-in, also without DUET_HTTP_TOKEN.",
    }),
    operator: defineSetting(({ z }) => z.enum(["off", "local", "proxied"]).default("off"), {
      help: {
        zh: "[管理员视图](operator-view.zh.md)：不提供；只在本机提供；也在代理之后的服务器上提供（代理必须为每个请求加上 `X-Forwarded-For`）",
        en: "[the operator's view](operator-view.md): none; on this machine; also on a server behind a proxy, which has to add `X-Forwarded-For` to every request",
      },
      fileHelp:
        "The operator's view at /operator: none, on this machine, or also behind a proxy that adds X-Forwarded-For to every request.",
      flag: {
        name: "operator",
        help: { zh: "打开管理员视图（仅限本机）", en: "opens the operator's view on this machine" },
        choices: ["off", "local", "proxied"],
        command: "serve",
      },
    }),
    auth,
  },
  { fileHelp: "`duet serve --http`." },
);

const noCeiling = { zh: "`agent` 中的设置", en: "what `agent` says" };

const limits = defineGroup(
  {
    maxRuns: defineSetting(({ z }) => z.int().min(1).max(10_000).default(100), {
      help: { zh: "每个调用方同时的运行数", en: "runs at one time, of each caller" },
      fileHelp: "Runs at the same time.",
    }),
    runsPerMinute: defineSetting(({ z }) => z.int().min(1).max(10_000).optional(), {
      help: { zh: "任意 60 秒内开始的运行数", en: "runs begun in any 60 seconds" },
      fileHelp: "Runs started in any 60 seconds.",
      absent: { zh: "无", en: "none" },
    }),
    maxIterations: defineSetting(({ z }) => z.int().min(1).max(1000).optional(), {
      help: {
        zh: "一次运行最多的轮数，超过 `agent.maxIterations` 时以此为准",
        en: "rounds of one run at most, whatever `agent.maxIterations` and the caller say",
      },
      fileHelp: "Rounds of one run at most, whatever agent.maxIterations and the caller say.",
      absent: noCeiling,
    }),
    maxToolCalls: defineSetting(({ z }) => z.int().min(1).max(10_000).optional(), {
      help: { zh: "一次运行最多的工具调用次数", en: "tool calls of one run at most" },
      fileHelp: "Tool calls of one run at most.",
      absent: noCeiling,
    }),
    maxExecutionTime: defineSetting(({ seconds }) => seconds(10, 86_400).optional(), {
      help: { zh: "一次运行最多的秒数", en: "seconds of one run at most" },
      fileHelp: "Seconds of one run at most.",
      absent: noCeiling,
    }),
    tokensPerDay: defineSetting(({ z }) => z.int().min(1).optional(), {
      help: { zh: "每日（UTC）token 数", en: "tokens in a day of UTC" },
      fileHelp: "Input and output tokens per UTC day.",
      absent: { zh: "无", en: "none" },
    }),
    costPerDay: defineSetting(({ z }) => z.number().gt(0).optional(), {
      help: { zh: "每日（UTC）美元数", en: "US dollars in a day of UTC" },
      fileHelp: "US dollars per UTC day, for models whose price is known.",
      absent: { zh: "无", en: "none" },
    }),
  },
  {
    fileHelp:
      "Limits for each caller, including the operator, across all interfaces. What is used in a UTC day is counted in the store.",
  },
);

const modelApi = defineGroup(
  {
    reasoning: defineSetting(({ z }) => z.enum(["none", "brief", "full"]).default("full"), {
      help: {
        zh: "请求没有说明时，[运行过程](openai-api.zh.md#运行过程)告诉客户端多少",
        en: "how much of [its work](openai-api.md#what-a-run-tells-of-its-work) a run tells where the request does not say",
      },
      fileHelp: "How much of its work a run tells: nothing, a line for each step, or all.",
    }),
    trustedKeys: defineSetting(({ z, text }) => z.array(text).default([]), {
      help: {
        zh: "可以[代他人提问](openai-api.zh.md#一个密钥背后的多个人)的密钥：`DUET_HTTP_TOKEN` 或 API 令牌的名称",
        en: "keys whose holders [ask for other people](openai-api.md#people-behind-one-key): `DUET_HTTP_TOKEN`, or names of API tokens",
      },
      fileHelp:
        "Keys whose holders ask for other people and name them: DUET_HTTP_TOKEN, or names of API tokens. Each person is a caller of their own.",
    }),
    userHeader: defineSetting(
      ({ z }) =>
        z
          .string()
          .regex(/^[A-Za-z0-9-]{1,100}$/)
          .optional(),
      {
        help: {
          zh: "指明提问人的请求头，代替请求体中的字段",
          en: "the header that names the person, in place of the fields of the body",
        },
        fileHelp: "The header in which a trusted key names the person: X-OpenWebUI-User-Id.",
        absent: { zh: "`safety_identifier`、`user`", en: "`safety_identifier`, `user`" },
      },
    ),
  },
  { fileHelp: "The APIs that present Duet as a model: /v1." },
);

export const serveSettings = defineGroup(
  {
    window: defineSetting(({ seconds }) => seconds(1, 86_400).optional(), {
      help: {
        zh: "调用超过多少秒就返回 `running`；适用于 `serve.windows` 未列出的所有宿主",
        en: "seconds after which a call returns `running`; for every host that `serve.windows` does not name",
      },
      fileHelp: "Seconds after which a call returns `running`; when absent, by what is known of the host, else 50.",
      absent: { zh: "50", en: "50" },
      kind: "number",
      flag: {
        name: "window",
        help: {
          zh: "调用超过多少秒就返回 `running`（duet install 按宿主的时限设置）",
          en: "seconds after which a call returns `running` (duet install sets it by the host's time limit)",
        },
        command: "serve",
      },
    }),
    windows: defineSetting(({ z, text, seconds }) => z.record(text, seconds(1, 86_400)).default({}), {
      help: { zh: "同上，按宿主名（`clientInfo.name`）", en: "the same by host name (`clientInfo.name`)" },
      fileHelp: "The same by host, as it names itself (clientInfo.name).",
    }),
    onDisconnect: defineSetting(({ z }) => z.enum(["cancel", "finish"]).default("cancel"), {
      help: { zh: "调用方取消或离开之后，运行怎么办", en: "what happens to a run whose caller cancels or leaves" },
      fileHelp: "What happens to a run whose caller cancels or disconnects: it ends, or its result is kept.",
    }),
    confirm: defineSetting(({ z }) => z.enum(["token", "never"]).default("token"), {
      help: { zh: "宿主不能询问用户时", en: "where the host cannot ask its user" },
      fileHelp: "Where the host cannot ask its user: hand out a token to be passed back, or do not run such calls.",
    }),
    confirmTime: defineSetting(({ seconds }) => seconds(1, 600).default(600), {
      help: { zh: "等待用户答复的秒数", en: "seconds that a question to a person may wait" },
    }),
    clientToolTime: defineSetting(({ seconds }) => seconds(1, 86_400).default(600), {
      help: {
        zh: "运行等待[客户端自己的工具](client-tools.zh.md)返回结果的秒数；之后的请求按它带来的历史回答",
        en: "seconds that a run waits for results of [the client's own tools](client-tools.md); a later request is answered from the history it brings",
      },
      fileHelp: "Seconds that a run waits for results of the client's own tools over the model APIs.",
    }),
    agents: defineSetting(({ z }) => z.boolean().default(false), {
      help: {
        zh: "每个[智能体](agents.zh.md)也作为自己的 MCP 工具提供：`agent_名称`",
        en: "offers each [agent](agents.md) as an MCP tool of its own, too: `agent_NAME`",
      },
      fileHelp: "Offers each of `agents` as an MCP tool of its own, too: agent_NAME.",
    }),
    traceLink: defineSetting(({ z }) => z.boolean().default(false), {
      help: {
        zh: "结果附上追踪的链接（`resource_link`），供支持此类内容的宿主使用（2025-06-18 起）",
        en: "adds a link to the run's trace to each result (`resource_link`), for hosts that know this kind of content (since 2025-06-18)",
      },
    }),
    keepResults: defineSetting(({ seconds }) => seconds(1, 86_400).default(3600), {
      help: { zh: "`agent_result` 还能取得结果的秒数", en: "seconds that `agent_result` finds a run" },
      fileHelp: "Seconds that agent_result can still be asked for a run.",
    }),
    instructions: defineSetting(({ z }) => z.boolean().default(false), {
      help: {
        zh: "把工作目录中已信任的 [AGENTS.md](instructions.zh.md) 交给模型",
        en: "gives models the trusted [AGENTS.md](instructions.md) of the working folder",
      },
      fileHelp: "Gives models the trusted AGENTS.md of the folder in which `duet serve` runs.",
    }),
    maxRuns: defineSetting(({ z }) => z.int().min(1).max(10_000).default(200), {
      help: { zh: "所有调用方同时的运行数", en: "runs at one time, of all callers" },
      fileHelp: "Runs at the same time.",
    }),
    limits,
    log: defineSetting(({ z }) => z.enum(["text", "json"]).default("text"), {
      help: {
        zh: "标准错误上的日志：给人看的行，或每行一个 JSON 对象",
        en: "the log on stderr: lines for people, or one JSON object a line",
      },
      fileHelp: "What is logged to stderr: lines for people, or one JSON object a line, each run among them.",
      environment: "DUET_LOG",
    }),
    http,
    modelApi,
  },
  { fileHelp: "`duet serve`: what hosts get." },
);
