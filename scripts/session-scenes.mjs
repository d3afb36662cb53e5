// What is typed in the recorded session, and what the model and the web say to it.

const usage = (input, output) => ({ input, output });
const paced = { delayMs: 25, chunkSize: 5 };
const months = "(2028*12+4)-(2026*12+11)";

export const scenes = [
  {
    name: "session",
    title:
      "Duet in a terminal: a question takes two tools, the steps fold to lines, the answer cites its sources, the bill stands below",
    env: { LANG: "en_US.UTF-8" },
    prompt: "Agent mode",
    pages: [
      {
        title: "Node.js releases",
        url: "https://nodejs.org/en/about/previous-releases",
        content: "Node.js 24 (Krypton): Maintenance LTS from October 2026, end-of-life 30 April 2028.",
      },
      {
        title: "Node.js 26 becomes LTS",
        url: "https://nodejs.org/en/blog/release/v26",
        content: "Node.js 26 entered Active LTS in October 2026.",
      },
      {
        title: "Release schedule",
        url: "https://github.com/nodejs/release",
        content: "Major versions get 30 months of support after they become LTS.",
      },
    ],
    turns: [
      [
        "deepseek-flash",
        {
          ...paced,
          text: "Support dates change, so web_search comes before calculator.\nThe query names the version and the date I need.",
          toolCalls: [{ name: "web_search", arguments: { query: "Node.js 24 LTS end-of-life date" } }],
          usage: usage(1480, 62),
        },
        {
          ...paced,
          text: "Support ends on 30 April 2028 and it is November 2026; calculator counts the months.",
          toolCalls: [{ name: "calculator", arguments: { expression: months } }],
          usage: usage(1760, 48),
        },
        { ...paced, text: "That is enough.", usage: usage(1830, 6) },
      ],
      [
        "claude-sonnet-4-5",
        {
          ...paced,
          text: [
            "Node.js 24 has about **17 months** left:",
            "",
            "| version | state now | ends |",
            "|---|---|---|",
            "| 24 | Maintenance LTS | 30 April 2028 [1] |",
            "| 26 | Active LTS [2] | 30 months after it became LTS [3] |",
            "",
            "New projects begin on **26**.",
          ].join("\n"),
          usage: usage(690, 118),
        },
      ],
    ],
    acts: [
      { keys: "How long is Node.js 24 still supported, and what comes next?", shows: "tok in total" },
      { keys: "/expand 2", shows: "Major versions get 30 months of support after they become LTS." },
    ],
  },
  {
    name: "session.zh",
    title: "终端里的 Duet：一个问题用了两个工具，步骤折叠成一行，回答带引用，下面是账单",
    env: { LANG: "zh_CN.UTF-8" },
    prompt: "Agent 模式",
    pages: [
      {
        title: "Node.js 版本",
        url: "https://nodejs.org/zh-cn/about/previous-releases",
        content: "Node.js 24（Krypton）：2026 年 10 月起进入维护期，2028 年 4 月 30 日停止支持。",
      },
      {
        title: "Node.js 26 成为 LTS",
        url: "https://nodejs.org/zh-cn/blog/release/v26",
        content: "Node.js 26 于 2026 年 10 月进入 Active LTS。",
      },
      { title: "发布计划", url: "https://github.com/nodejs/release", content: "主版本成为 LTS 之后有 30 个月的支持。" },
    ],
    turns: [
      [
        "deepseek-flash",
        {
          ...paced,
          text: "支持期限会变，先用 web_search，再用 calculator。\n查询里写明版本和要找的日期。",
          toolCalls: [{ name: "web_search", arguments: { query: "Node.js 24 LTS 停止支持 日期" } }],
          usage: usage(1480, 62),
        },
        {
          ...paced,
          text: "2028 年 4 月 30 日停止支持，现在是 2026 年 11 月，用 calculator 算还有几个月。",
          toolCalls: [{ name: "calculator", arguments: { expression: months } }],
          usage: usage(1760, 48),
        },
        { ...paced, text: "结果已经足够。", usage: usage(1830, 6) },
      ],
      [
        "claude-sonnet-4-5",
        {
          ...paced,
          text: [
            "Node.js 24 还有大约 **17 个月**的支持：",
            "",
            "| 版本 | 现在 | 停止支持 |",
            "|---|---|---|",
            "| 24 | 维护期 | 2028 年 4 月 30 日[1] |",
            "| 26 | Active LTS[2] | 成为 LTS 后 30 个月[3] |",
            "",
            "新项目请从 **26** 开始。",
          ].join("\n"),
          usage: usage(690, 118),
        },
      ],
    ],
    acts: [
      { keys: "Node.js 24 还能用多久？之后用什么？", shows: " · 共 " },
      { keys: "/expand 2", shows: "主版本成为 LTS 之后有 30 个月的支持。" },
    ],
  },
];
