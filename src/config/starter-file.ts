import { open, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { describeRange, unitNames } from "../core/limits/limit-row.ts";
import { type DefaultedRow, defaultedLimits, type LimitKey } from "../core/limits/limits.ts";
import { ignoreRejection } from "../kit/async/ignore-rejection.ts";
import { type Locale, say, type Text } from "../kit/locale.ts";
import { createFolder } from "../kit/private-file.ts";
import { version } from "../kit/version.ts";
import { vendors } from "../providers/vendors.ts";
import { searchBackendNames } from "../tools/search/search-backends.ts";

/** Lists the variables that may hold a key of a vendor. The regions of a vendor share one. */
const vendorKeys = [...new Set(Object.values(vendors).flatMap(({ keyEnv }) => keyEnv ?? []))];

/** Holds what a new configuration file sets instead of a default, and why. */
interface Recommendation {
  value: number;
  why: Text;
}

/** Is where editors find the JSON Schema of this version's file: the package of npm, whose files unpkg serves. */
export const schemaAddress = `https://unpkg.com/duet-mcp@${version}/dist/config.schema.json`;

const recommendedLimits: Partial<Record<LimitKey, Recommendation>> = {
  maxIterations: {
    value: 10,
    why: {
      zh: "默认的 5 轮往往不够：找文件、读、计算、核对各占一轮",
      en: "the default of 5 is soon used up: to find, read, compute and check takes a round each",
    },
  },
  maxToolCalls: {
    value: 25,
    why: {
      zh: "默认的 5 次会让不少关于表格和文件的普通问题只得到部分回答",
      en: "with the default of 5, many ordinary questions about tables and files are answered in part",
    },
  },
  maxTokens: {
    value: 8000,
    why: {
      zh: "默认的 2000 会截断长回答和参数多的调用；模型的思考也计算在内",
      en: "the default of 2000 cuts long answers and calls with many arguments; a model's thinking counts too",
    },
  },
};

const recommendedTemperature: Recommendation = {
  value: 0,
  why: {
    zh: "选工具要稳定；默认 0.7 会让同样的问题得到不同的调用",
    en: "choosing tools wants no variation: with the default of 0.7 the same question leads to different calls",
  },
};

/** Holds the model that a new configuration names. */
export interface StarterModel {
  /** Is `provider/model`. */
  model?: string;
  /** Holds the provider's own settings, by its name. */
  providers?: Readonly<Record<string, object>>;
}

export interface StarterOptions extends StarterModel {
  /** Is false where the language stays that of the terminal or of the question. */
  setsLocale?: boolean;
}

/**
 * Returns a configuration file to start from. Every line that differs from the defaults is a comment, except the values that are
 * recommended, and what is given.
 */
export function createStarterFile(
  locale: Locale,
  { setsLocale = true, model, providers = {} }: StarterOptions = {},
): string {
  const toNote = (zh: string, en: string): string => `// ${say(locale, { zh, en })}`;
  const limitLine = (row: DefaultedRow): string => {
    const { key, unit } = row;
    const recommended = recommendedLimits[key];
    const [zh, en] = [describeRange(row, " 到 "), describeRange(row, " to ")];
    const line = `    ${JSON.stringify(key)}: ${recommended?.value ?? row.default},`;
    const why = recommended ? `    ${toNote(recommended.why.zh, recommended.why.en)}\n` : "";
    if (zh === undefined || en === undefined) return why + line;
    const note = unit ? toNote(`${unitNames[unit].zh}，${zh}`, `${unitNames[unit].en}, ${en}`) : toNote(zh, en);
    return `${why}${line} ${note}`;
  };
  const { value: temperature, why } = recommendedTemperature;
  return `{
  "$schema": ${JSON.stringify(schemaAddress)},
  ${toNote("两个模型：functionCall 决定调用哪些工具，answer 撰写回答；只写前者则由它兼任。", "Two models: functionCall decides on tools, answer writes the answer; if only the first is set, it does both.")}
  ${toNote(`都不写时，使用第一个已设置密钥的提供商：${vendorKeys.join("、")}。`, `With neither, the first vendor whose key is set is used: ${vendorKeys.join(", ")}.`)}
  ${toNote("密钥写在环境变量或同目录的 .env 中，不写在这里。", "Keys belong in the environment or in a .env file beside this one, not here.")}
  "models": {${model === undefined ? "" : `\n    "functionCall": ${JSON.stringify(model)},`}
    // "functionCall": { "provider": "deepseek", "model": "deepseek-chat", "temperature": 0, "maxTokens": 8000 },
    // "answer": { "provider": "anthropic", "model": "claude-sonnet-5-5", "maxTokens": 8000 }
  },

  ${toNote("自己的提供商，或改变已知提供商的地址。", "Vendors of your own, or another address for a known one.")}
  "providers": {${Object.entries(providers)
    .map(([name, own]) => `\n    ${JSON.stringify(name)}: ${JSON.stringify(own)},`)
    .join("")}
    // "local": { "wire": "openai-chat", "baseUrl": "http://127.0.0.1:8000/v1", "apiKeyEnv": "LOCAL_KEY" }
  },

  "agent": {
${defaultedLimits.map(limitLine).join("\n")}
    ${toNote(why.zh, why.en)}
    "functionCallTemperature": ${temperature}, ${toNote("0 到 1", "0 to 1")}
    "evaluation": { "minResultLength": 20, "stopWhenSufficient": false }
  },

  ${toNote("工具所在的 MCP 服务器，写法与 Claude Desktop 相同。", "The MCP servers that have the tools, written as in Claude Desktop.")}
  ${toNote(`\${VAR}、\${VAR:-默认值} 和 \${env:VAR} 会替换为环境变量。`, `\${VAR}, \${VAR:-default} and \${env:VAR} are replaced by environment variables.`)}
  "mcpServers": {
    // "amap": {
    //   "command": "npx",
    //   "args": ["-y", "@amap/amap-maps-mcp-server"],
    //   "env": { "AMAP_MAPS_API_KEY": "\${AMAP_MAPS_API_KEY}" }
    // },
    // "docs": {
    //   "type": "http",
    //   "url": "https://example.com/mcp",
    //   "headers": { "Authorization": "Bearer \${DOCS_TOKEN}" },
    //   "includeTools": ["search*"]
    // }
  },

  ${toNote("allow 中的工具可用，deny 中的不可用。", "allow: available; deny: never.")}
  "tools": {
    "allow": ["*"],
    "deny": [],
    // "roots": ["/home/me/documents"], ${toNote("文件工具可读的目录；不写时是启动 Duet 的目录", "directories that file tools may read; without it, the one where Duet is started")}
    // "ask": ["*:destructive"], ${toNote("先询问用户", "only with consent")}
    // "directory": "./tools", ${toNote("自己的工具和技能", "your own tools and skills")}
  },

  ${toNote(`backend：auto，或 ${searchBackendNames.join("、")}`, `backend: auto, or ${searchBackendNames.join(", ")}`)}
  "search": { "backend": "auto", "maxResults": 5, "snippetLength": 200, "cacheSize": 20 },

  ${toNote("hosts 是 http_request 可以调用的主机；reach 是工具可以访问的内网主机。", "hosts: what http_request may call; reach: private hosts that tools may reach.")}
  "web": {
    // "hosts": ["api.example.com", "*.example.org"],
    // "reach": ["localhost:8080"]
  },

  ${toNote("发送邮件，每次都先询问；密码写在 SMTP_PASSWORD 中。", "Sending mail, each with your consent; the password belongs in SMTP_PASSWORD.")}
  "email": {
    // "host": "smtp.example.com", "user": "me@example.com", "from": "Me <me@example.com>", "recipients": ["*@example.com"]
  },

  ${toNote("终端聊天：theme 为 auto、dark 或 light；screenReader 适合读屏软件。", "The chat in a terminal: theme auto, dark or light; screenReader: plain lines for a screen reader.")}
  "terminal": { "theme": "auto", "screenReader": false },

  ${setsLocale ? "" : "// "}"locale": "${locale}" ${toNote("zh 或 en", "zh or en")}
}
`;
}

/** Writes a configuration file to start from, and returns its text. Throws when the file exists or cannot be written. */
export async function writeStarterFile(file: string, locale: Locale): Promise<string> {
  const text = createStarterFile(locale);
  await writeNewFile(file, text, 0o666);
  return text;
}

/**
 * Does the same for the user's own file, whose folder need not exist yet. Nobody has asked for it, so that the language stays that
 * of the terminal or of the question.
 */
export async function writeUsersStarterFile(file: string, locale: Locale): Promise<void> {
  createFolder(dirname(file));
  await writeNewFile(file, createStarterFile(locale, { setsLocale: false }), 0o600);
}

/** Writes a file that is not there yet, whole or not at all: an empty one would keep every command from running. */
async function writeNewFile(file: string, text: string, mode: number): Promise<void> {
  const handle = await open(file, "wx", mode);
  try {
    await handle.writeFile(text).finally(() => handle.close());
  } catch (thrown) {
    await ignoreRejection(rm(file, { force: true }), "the error of the write is the one that counts");
    throw thrown;
  }
}

/** Names the limits that a new file sets, with their values, for a line about it. */
export function listRecommendations(): string[] {
  const recommended = { ...recommendedLimits, functionCallTemperature: recommendedTemperature };
  return Object.entries(recommended).map(([key, { value }]) => `${key} ${value}`);
}
