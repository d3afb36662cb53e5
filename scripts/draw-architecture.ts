// Draws docs/architecture.svg and docs/architecture.zh.svg from one table of boxes and arrows. The picture follows the reader's
// light or dark colours, and uses nothing from outside. Written by `npm run docs`.

import type { Locale } from "../src/kit/locale.ts";

interface Box {
  at: [x: number, y: number, width: number, height: number];
  kind: "b" | "m" | "g" | "o";
  en: string[];
  zh: string[];
}

interface Arrow {
  points: [x: number, y: number][];
  step?: number;
}

const size = { width: 900, height: 610 };
const fonts =
  "system-ui,'Segoe UI',Roboto,'Helvetica Neue','Noto Sans CJK SC','PingFang SC','Microsoft YaHei',sans-serif";

const styles = `svg{background:#fff}text{font:14px ${fonts};fill:#1f2328}.s{font-size:12px;fill:#59636e}.b{fill:#f6f8fa;stroke:#8c959f}
.m{fill:#ddf4ff;stroke:#0969da}.g{fill:#fff8c5;stroke:#9a6700}.o{fill:none;stroke:#8c959f;stroke-dasharray:5 4}.a{stroke:#59636e;stroke-width:1.5;fill:none}
.h{fill:#59636e}.n{fill:#0969da}.d{font-size:12px;font-weight:600;fill:#fff}.t{font-weight:600}
@media(prefers-color-scheme:dark){svg{background:#0d1117}text{fill:#e6edf3}.s{fill:#9198a1}.b{fill:#161b22;stroke:#6e7681}
.m{fill:#0c2d6b;stroke:#58a6ff}.g{fill:#3b2300;stroke:#d29922}.o{stroke:#6e7681}.a{stroke:#9198a1}.h{fill:#9198a1}.n{fill:#1f6feb}}`;

/** Holds the boxes: place, kind (b plain, m a model, g a guard, o only an outline), and the lines of text; the first one is its title. */
const boxes: readonly Box[] = [
  { at: [20, 30, 130, 54], kind: "b", en: ["Terminal", "chat, duet ask"], zh: ["终端", "聊天、duet ask"] },
  { at: [166, 30, 130, 54], kind: "b", en: ["MCP host", "agent_ask"], zh: ["MCP 宿主", "agent_ask"] },
  { at: [312, 30, 130, 54], kind: "b", en: ["Page", "in a browser"], zh: ["网页", "浏览器里"] },
  { at: [458, 30, 130, 54], kind: "b", en: ["HTTP", "/agent, /v1"], zh: ["HTTP", "/agent、/v1"] },
  { at: [604, 30, 130, 54], kind: "b", en: ["Editor", "duet acp"], zh: ["编辑器", "duet acp"] },
  { at: [750, 30, 130, 54], kind: "b", en: ["Your program", "createDuet"], zh: ["自己的程序", "createDuet"] },
  {
    at: [20, 122, 860, 54],
    kind: "b",
    en: ["Runs", "one for each question: limits per caller, waiting questions, goes on without its request"],
    zh: ["运行", "每个问题一次：调用方的限额、等待回答的提问、不依赖发起它的请求"],
  },
  { at: [20, 214, 560, 176], kind: "o", en: ["The agent loop"], zh: ["智能体循环"] },
  { at: [70, 250, 140, 54], kind: "m", en: ["Decide", "function-call model"], zh: ["决定", "工具调用模型"] },
  { at: [240, 250, 140, 54], kind: "b", en: ["Act", "calls, side by side"], zh: ["执行", "并行调用工具"] },
  { at: [410, 250, 150, 54], kind: "b", en: ["Evaluate", "enough? limits?"], zh: ["评估", "够了吗？限制？"] },
  { at: [410, 326, 150, 54], kind: "m", en: ["Answer", "answer model, streams"], zh: ["回答", "回答模型，流式"] },
  { at: [240, 326, 140, 54], kind: "b", en: ["Cite", "only what was read"], zh: ["引用", "只留读过的来源"] },
  {
    at: [660, 214, 220, 54],
    kind: "b",
    en: ["Model vendors", "retries, pauses, fallbacks"],
    zh: ["模型厂商", "重试、暂停、备用模型"],
  },
  {
    at: [660, 326, 220, 54],
    kind: "b",
    en: ["Store", "SQLite or PostgreSQL: steps"],
    zh: ["存储", "SQLite 或 PostgreSQL：步骤"],
  },
  {
    at: [20, 428, 560, 54],
    kind: "g",
    en: ["Guards", "schema, permission, trust, hooks, limits"],
    zh: ["把关", "schema、权限、信任、钩子、限制"],
  },
  {
    at: [20, 530, 130, 54],
    kind: "b",
    en: ["Built-in tools", "files, search, pages"],
    zh: ["内置工具", "文件、搜索、网页"],
  },
  { at: [163, 530, 130, 54], kind: "b", en: ["MCP servers", "stdio, HTTP"], zh: ["MCP 服务器", "stdio、HTTP"] },
  {
    at: [307, 530, 130, 54],
    kind: "b",
    en: ["Your modules", "threads of their own"],
    zh: ["自己的模块", "独立的线程"],
  },
  { at: [450, 530, 130, 54], kind: "b", en: ["Other agents", "sub-agents, ACP"], zh: ["其他智能体", "子智能体、ACP"] },
  {
    at: [660, 428, 220, 54],
    kind: "b",
    en: ["OpenTelemetry", "traces, metrics, logs"],
    zh: ["OpenTelemetry", "追踪、指标、日志"],
  },
];

/** Holds the arrows as points, and the number of the step that the page explains, where there is one. */
const arrows: readonly Arrow[] = [
  {
    points: [
      [85, 84],
      [85, 120],
    ],
  },
  {
    points: [
      [231, 84],
      [231, 120],
    ],
    step: 1,
  },
  {
    points: [
      [377, 84],
      [377, 120],
    ],
  },
  {
    points: [
      [523, 84],
      [523, 120],
    ],
  },
  {
    points: [
      [669, 84],
      [669, 120],
    ],
  },
  {
    points: [
      [815, 84],
      [815, 120],
    ],
  },
  {
    points: [
      [130, 176],
      [130, 248],
    ],
    step: 2,
  },
  {
    points: [
      [210, 277],
      [238, 277],
    ],
  },
  {
    points: [
      [380, 277],
      [408, 277],
    ],
  },
  {
    points: [
      [450, 250],
      [450, 236],
      [165, 236],
      [165, 248],
    ],
  },
  {
    points: [
      [485, 304],
      [485, 324],
    ],
    step: 5,
  },
  {
    points: [
      [410, 353],
      [382, 353],
    ],
  },
  {
    points: [
      [240, 353],
      [45, 353],
      [45, 178],
    ],
    step: 6,
  },
  {
    points: [
      [300, 304],
      [300, 315],
      [225, 315],
      [225, 426],
    ],
    step: 4,
  },
  {
    points: [
      [580, 241],
      [658, 241],
    ],
    step: 3,
  },
  {
    points: [
      [580, 353],
      [658, 353],
    ],
    step: 7,
  },
  {
    points: [
      [607, 353],
      [607, 455],
      [658, 455],
    ],
  },
  {
    points: [
      [85, 482],
      [85, 528],
    ],
  },
  {
    points: [
      [228, 482],
      [228, 528],
    ],
  },
  {
    points: [
      [372, 482],
      [372, 528],
    ],
  },
  {
    points: [
      [515, 482],
      [515, 528],
    ],
  },
];

const titles = {
  en: "How a question goes through Duet: an interface, a run, the loop of two models, the guards, the tools, and the store",
  zh: "一个问题如何经过 Duet：接口、运行、两个模型的循环、把关、工具和存储",
};

/** Draws the picture in one language. */
export function drawArchitecture(locale: Locale): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" width="${size.width}" height="${size.height}" role="img">`,
    `<title>${titles[locale]}</title>`,
    `<style>${styles}</style>`,
    '<defs><marker id="e" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path class="h" d="M0 0 8 4 0 8z"/></marker></defs>',
    ...boxes.map((box) => drawBox(box, locale)),
    ...arrows.map(drawArrow),
    ...arrows.flatMap(({ points, step }) => (step === undefined ? [] : drawStep(points, step))),
    "</svg>",
    "",
  ].join("\n");
}

function drawBox({ at: [x, y, width, height], kind, ...texts }: Box, locale: Locale): string {
  const [title, detail] = texts[locale];
  const middle = x + width / 2;
  const frame = `<rect class="${kind}" x="${x}" y="${y}" width="${width}" height="${height}" rx="8"/>`;
  if (detail === undefined) return `${frame}<text class="s" x="${x + 12}" y="${y + height - 10}">${title}</text>`;
  const lines = [`<text class="t" x="${middle}" y="${y + 23}" text-anchor="middle">${title}</text>`];
  return [frame, ...lines, `<text class="s" x="${middle}" y="${y + 42}" text-anchor="middle">${detail}</text>`].join(
    "",
  );
}

function drawArrow({ points }: Arrow): string {
  return `<path class="a" marker-end="url(#e)" d="M${points.map((point) => point.join(" ")).join("L")}"/>`;
}

/** Puts the number on the middle of the arrow's last piece but one, or of its only one. */
function drawStep(points: Arrow["points"], step: number): string {
  const [[x1, y1] = [0, 0], [x2, y2] = [0, 0]] = points.slice(-2);
  const [x, y] = [(x1 + x2) / 2, (y1 + y2) / 2];
  return `<circle class="n" cx="${x}" cy="${y}" r="10"/><text class="d" x="${x}" y="${y + 4}" text-anchor="middle">${step}</text>`;
}
