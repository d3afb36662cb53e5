// The tables of settings, environment variables and limits in docs/, from the table of settings.
import * as z from "zod";
import { knownAgents } from "../src/config/agents/known-agents.ts";
import { variableSchema } from "../src/config/limit-schemas.ts";
import { configurationSchema } from "../src/config/schema/file-schema.ts";
import type { SettingAtPath } from "../src/config/settings/setting.ts";
import { settings } from "../src/config/settings/settings.ts";
import type { LimitRow } from "../src/core/limits/limit-row.ts";
import { limitRows } from "../src/core/limits/limits.ts";
import { findSchema } from "../src/core/schemas/describe-schema.ts";
import { errorCodes, requestErrorCodes } from "../src/kit/errors.ts";
import { isEmptyRecord, isRecord } from "../src/kit/json.ts";
import { type Locale, say, type Text } from "../src/kit/locale.ts";
import { vendors } from "../src/providers/vendors.ts";
import { errorTable, runFailed } from "../src/server/http/response/error-table.ts";
import { getWindowMs, type KnownHost, knownHosts } from "../src/server/mcp/known-hosts.ts";
import { searchBackends } from "../src/tools/search/search-backends.ts";
import { createHostList } from "./host-pages/write-host-page.ts";

/** Lists the pages with generated tables, by their names without language. */
export const generatedPages = [
  "settings",
  "settings-models",
  "settings-servers",
  "settings-tools",
  "environment",
  "limits",
  "known-hosts",
  "hosts",
  "agents",
  "other-agents",
  "errors",
];

/** Writes the tables of a page anew. Each follows a comment that names it: `<!-- table: settings agent -->`. */
export function fillTables(page: string, locale: Locale): string {
  return page.replace(/(<!-- table: ([^>]+) -->\n\n)(?:\|.*\n)*/g, (_, comment: string, name: string) => {
    const [kind = "", ...sections] = name.split(" ");
    const lines = tables[kind]?.(locale, sections);
    if (lines === undefined) throw new Error(`there is no table ${kind} (known: ${Object.keys(tables).join(", ")})`);
    return `${comment}${lines.join("\n")}\n`;
  });
}

const tables: Readonly<Record<string, (locale: Locale, sections: readonly string[]) => string[]>> = {
  settings: createSettingTable,
  variables: createVariableTable,
  "vendor-variables": createVendorTable,
  "tool-variables": createToolTable,
  limits: createLimitTable,
  "known-hosts": createHostTable,
  hosts: createHostList,
  "known-agents": createAgentTable,
  errors: createErrorTable,
};

const schema = z.toJSONSchema(configurationSchema, { io: "input" });
/** Variables keep the specified ranges, which are narrower than those of the file. */
const variables = z.toJSONSchema(variableSchema);

/** Settings of search services with one key and one meaning share a line. */
const services = new Set(Object.keys(searchBackends));

function createSettingTable(locale: Locale, sections: readonly string[]): string[] {
  const shown = settings.filter(({ path, help }) => help !== undefined && sections.includes(String(path[0])));
  const lines = shown
    .filter(({ path }) => path[0] !== "models" || path[1] !== "answer" || path.length === 2)
    .map((setting): [name: string, line: string] => {
      const name = toListedName(setting.path);
      const help = [setting.help && say(locale, setting.help), listSharing(setting, locale)].filter(Boolean);
      const allowed = describeAllowed(findSchema(schema, setting.path), locale);
      const meaning = help.join(locale === "zh" ? "：" : ": ") + (allowed && parenthesize(allowed, locale));
      return [name, toRow(`\`${name}\``, describeDefault(setting, locale), meaning)];
    });
  const head = { zh: ["设置", "默认", "含义"], en: ["setting", "default", "meaning"] };
  return [...toHead(head[locale]), ...new Map(lines).values()];
}

/** Returns the name as the pages have it: keys of models and servers stand for themselves. */
function toListedName([section = "", name = "", ...rest]: SettingAtPath["path"]): string {
  if (section === "models" && rest.length > 0) return `….${rest.join(".")}`;
  if (section === "mcpServers") return rest.join(".");
  if (section === "search" && findSharing([section, name, ...rest]).length > 1) return `search.SERVICE.${rest[0]}`;
  return [section, name, ...rest].filter((step) => step !== "").join(".");
}

function findSharing([section, service, key]: SettingAtPath["path"]): string[] {
  if (section !== "search" || !services.has(String(service))) return [];
  return settings.flatMap(({ path }) => (path[0] === section && path[2] === key ? [String(path[1])] : []));
}

function listSharing({ path }: SettingAtPath, locale: Locale): string {
  const sharing = findSharing(path);
  return sharing.length > 1 ? sharing.map((name) => `\`${name}\``).join(locale === "zh" ? "、" : ", ") : "";
}

function describeDefault({ path, absent }: SettingAtPath, locale: Locale): string {
  const node = findSchema(schema, path);
  const byDefault = isRecord(node) ? node.default : undefined;
  // Each service has an address of its own.
  if (findSharing(path).length > 1)
    return byDefault === undefined ? "" : say(locale, { zh: "服务自己的", en: "the service's" });
  if (byDefault === undefined || isEmptyRecord(byDefault)) return absent ? say(locale, absent) : "";
  if (typeof byDefault === "number") return String(byDefault);
  return `\`${typeof byDefault === "string" ? byDefault : JSON.stringify(byDefault)}\``;
}

/** Describes the values that are allowed, for choices and for ranges with two ends. */
function describeAllowed(node: unknown, locale: Locale): string {
  if (!isRecord(node)) return "";
  if (Array.isArray(node.enum))
    return joinChoices(
      node.enum.map((choice) => `\`${choice}\``),
      locale,
    );
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum } = node;
  const isOpen = maximum === undefined || Number(maximum) >= Number.MAX_SAFE_INTEGER;
  if (isOpen && exclusiveMaximum === undefined) return "";
  const low: Text =
    minimum === undefined
      ? { zh: `大于 ${exclusiveMinimum}`, en: `above ${exclusiveMinimum}` }
      : { zh: `${minimum}`, en: `${minimum}` };
  const high: Text = isOpen
    ? { zh: `小于 ${exclusiveMaximum}`, en: `below ${exclusiveMaximum}` }
    : { zh: `${maximum}`, en: `${maximum}` };
  return say(locale, { zh: `${low.zh} 到 ${high.zh}`, en: `${low.en} to ${high.en}` });
}

function joinChoices(choices: readonly string[], locale: Locale): string {
  const [comma, or] = locale === "zh" ? ["、", " 或 "] : [", ", " or "];
  return choices.length < 2 ? choices.join() : choices.slice(0, -1).join(comma) + or + choices.at(-1);
}

function parenthesize(text: string, locale: Locale): string {
  return locale === "zh" ? `（${text}）` : ` (${text})`;
}

/** Lists the variables of settings, without those of search services and of mail, which stand together. */
function createVariableTable(locale: Locale): string[] {
  const lines = settings.flatMap((setting) => {
    const { path, environment, help } = setting;
    if (environment === undefined || help === undefined || isToolSetting(setting)) return [];
    const inFile = path.length > 1;
    const allowed = describeAllowed(findSchema(variables, path) ?? findSchema(schema, path), locale);
    const byDefault = describeDefault(setting, locale);
    const cells = [`\`${environment}\``, inFile ? `\`${path.join(".")}\`` : "–"];
    return [toRow(...cells, say(locale, help) + (allowed && parenthesize(allowed, locale)), byDefault)];
  });
  const head = { zh: ["变量", "设置", "含义", "默认"], en: ["variable", "setting", "meaning", "default"] };
  return [...toHead(head[locale]), ...lines];
}

function isToolSetting({ path }: SettingAtPath): boolean {
  return path[0] === "email" || services.has(String(path[1]));
}

function createVendorTable(locale: Locale): string[] {
  const named = Object.entries(vendors).map(([name, { keyEnv, baseUrlEnv, modelEnv, cloud }]): [string, string] => {
    const ofCloud = Object.values(cloud?.fields ?? {}).flatMap(({ env }) => env);
    const names = [keyEnv, baseUrlEnv, modelEnv?.name, ...ofCloud].flatMap((variable) =>
      variable ? [`\`${variable}\``] : [],
    );
    return [names.join(locale === "zh" ? "、" : ", "), `\`${name}\``];
  });
  const byVariables = Map.groupBy(named, ([names]) => names);
  const head = { zh: ["变量", "用于"], en: ["variables", "for"] };
  const lines = [...byVariables].map(([names, all]) =>
    toRow(names, all.map(([, name]) => name).join(locale === "zh" ? "、" : ", ")),
  );
  return [...toHead(head[locale]), ...lines];
}

function createToolTable(locale: Locale): string[] {
  const variables = settings.flatMap((setting): [string, string][] => {
    const { path, environment, help } = setting;
    if (environment === undefined || help === undefined || !isToolSetting(setting)) return [];
    return [
      [path[0] === "email" ? "`send_email`" : `${say(locale, searchPage)}${say(locale, help)}`, `\`${environment}\``],
    ];
  });
  const head = { zh: ["变量", "用于"], en: ["variables", "for"] };
  const byUse = Map.groupBy(variables, ([use]) => use);
  const comma = locale === "zh" ? "、" : ", ";
  return [
    ...toHead(head[locale]),
    ...[...byUse].map(([use, all]) => toRow(all.map(([, name]) => name).join(comma), use)),
  ];
}

const searchPage: Text = { zh: "[联网搜索](web-search.zh.md)：", en: "[web search](web-search.md): " };

function createLimitTable(locale: Locale): string[] {
  const head = {
    zh: ["限制", "设置", "参数", "字段", "默认", "允许", "`stop_reason`"],
    en: ["limit", "setting", "flag", "field", "default", "allowed", "`stop_reason`"],
  };
  const lines = limitRows.map((row: LimitRow) => {
    const unit =
      row.unit &&
      { seconds: { zh: "（秒）", en: ", seconds" }, dollars: { zh: "（美元）", en: ", US dollars" } }[row.unit];
    return toRow(
      say(locale, row.title) + (unit ? say(locale, unit) : ""),
      `\`agent.${row.key}\``,
      row.flag ? `\`--${row.flag}\`` : "",
      row.ask ? `\`${row.ask}\`` : "",
      row.default === undefined ? say(locale, { zh: "无", en: "none" }) : row.default.toLocaleString("en"),
      describeLimitRange(row, locale),
      row.stop ? `\`${row.stop.stopReason}\`` : "",
    );
  });
  return [...toHead(head[locale]), ...lines];
}

function describeLimitRange({ range: { most, ...low }, ceiling }: LimitRow, locale: Locale): string {
  const least = "least" in low ? String(low.least) : say(locale, { zh: `大于 ${low.above}`, en: `above ${low.above}` });
  if (most === undefined) return say(locale, { zh: `${least} 以上`, en: `${least} or more` });
  const shown = (ceiling ?? most).toLocaleString("en");
  const narrow = most.toLocaleString("en");
  return say(locale, {
    zh: `${least} 到 ${shown}${ceiling === undefined ? "" : `（变量和调用方：到 ${narrow}）`}`,
    en: `${least} to ${shown}${ceiling === undefined ? "" : ` (variables, callers: to ${narrow})`}`,
  });
}

function toHead(names: readonly string[]): string[] {
  return [toRow(...names), toRow(...names.map(() => "---"))];
}

function toRow(...cells: string[]): string {
  return `| ${cells.join(" | ")} |`.replaceAll("|  |", "| |").replaceAll("|  |", "| |");
}

function createHostTable(locale: Locale): string[] {
  const head = {
    zh: ["宿主", "自报的名称", "等待多久", "多久后返回 `running`", "进度", "可询问用户", "模型读到", "依据"],
    en: [
      "host",
      "calls itself",
      "waits",
      "`running` after",
      "progress",
      "can ask its user",
      "its model reads",
      "evidence",
    ],
  };
  return [...toHead(head[locale]), ...knownHosts.map((host) => toRow(...toHostCells(host, locale)))];
}

function toHostCells(host: KnownHost, locale: Locale): string[] {
  const { title, name, version, isModern, timeout, progress, elicitation, modelReads, evidence } = host;
  const words = hostWords[locale];
  const signs = { version: "", asksProgress: progress !== "not-asked-for", isModern: false, ...host };
  const window = getWindowMs(signs, { windows: {} }) / 1000;
  const era = isModern === undefined ? "" : isModern ? words.modern : words.legacy;
  return [
    title,
    `\`${[name, version].filter(Boolean).join(" ")}\`${era}`,
    timeout === "none" ? words.none : `${timeout} s`,
    `${window} s`,
    words.progress[progress],
    elicitation ? words.yes : words.no,
    modelReads === undefined ? "–" : words.modelReads[modelReads],
    [
      ...(evidence.seen ? [`${words.seen} ${evidence.seen.version}`] : []),
      ...(evidence.documented ? [`[${words.documented}](${evidence.documented})`] : []),
      evidence.date,
    ].join(words.comma),
  ];
}

/** Lists the agents that are known by name, or with the section `freedom` what they do by themselves and what restricts them. */
function createAgentTable(locale: Locale, [section]: readonly string[]): string[] {
  const rows = Object.entries(knownAgents);
  if (section === "freedom") {
    const head = {
      zh: ["智能体", "自行做什么", "怎样限制", "模型地址"],
      en: ["agent", "does by itself", "restricted by", "address of its model"],
    };
    const lines = rows.map(([name, { byItself, sandbox, address }]) =>
      toRow(`\`${name}\``, say(locale, byItself), say(locale, sandbox), say(locale, address)),
    );
    return [...toHead(head[locale]), ...lines];
  }
  const head = { zh: ["智能体", "名称", "命令", "安装"], en: ["agent", "name", "command", "install"] };
  const lines = rows.map(([name, { title, command, args, install }]) =>
    toRow(title, `\`${name}\``, `\`${[command, ...args].join(" ")}\``, `\`${install}\``),
  );
  return [...toHead(head[locale]), ...lines];
}

/** Lists the codes that runs have, or with the section `requests` those that only a refused request has. */
function createErrorTable(locale: Locale, [section]: readonly string[]): string[] {
  const meant = { zh: "含义", en: "meaning" };
  if (section === "requests") {
    const head = { zh: ["代码", meant.zh, "HTTP 状态"], en: ["code", meant.en, "HTTP status"] };
    const lines = requestErrorCodes.map((code) => {
      const { meaning, status } = errorTable[code];
      return toRow(`\`${code}\``, say(locale, meaning), String(status));
    });
    return [...toHead(head[locale]), ...lines];
  }
  const head = {
    zh: ["代码", meant.zh, "拒绝请求时的状态", "运行失败时，模型 API 的状态", "OpenAI 的 `code`"],
    en: ["code", meant.en, "status of a refused request", "of a failed run, at the model APIs", "OpenAI's `code`"],
  };
  const lines = errorCodes.map((code) => {
    const { meaning, status, failedStatus = runFailed, openAi = code } = errorTable[code];
    return toRow(`\`${code}\``, say(locale, meaning), String(status), String(failedStatus), `\`${openAi}\``);
  });
  return [...toHead(head[locale]), ...lines];
}

const hostWords = {
  zh: {
    none: "不限",
    legacy: "（2026-07-28 之前的版本）",
    modern: "（2026-07-28 起）",
    yes: "是",
    no: "否",
    progress: { "not-asked-for": "不要求", shown: "显示", "resets-timeout": "显示，并重新计时" },
    modelReads: { text: "文本", object: "结构化内容", both: "两者" },
    seen: "实测",
    documented: "文档",
    comma: "，",
  },
  en: {
    none: "without limit",
    legacy: " (revisions before 2026-07-28)",
    modern: " (from 2026-07-28 on)",
    yes: "yes",
    no: "no",
    progress: {
      "not-asked-for": "not asked for",
      shown: "shown",
      "resets-timeout": "shown, and starts its clock anew",
    },
    modelReads: { text: "the text", object: "the object", both: "both" },
    seen: "seen with",
    documented: "documented",
    comma: ", ",
  },
};
