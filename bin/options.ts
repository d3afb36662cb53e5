import { type SettingFlag, settingFlags } from "../src/config/settings/settings.ts";
import { describeRange, type LimitRow } from "../src/core/limits/limit-row.ts";
import { limitRows } from "../src/core/limits/limits.ts";
import type { Text } from "../src/kit/locale.ts";

/** Names the kinds of values that a shell completes. */
export type CompletionKind = "file" | "folder" | "conversation";

/** Each row describes one flag. The same table feeds yargs and the quick reader of `serve`. All values arrive as text. */
export interface Option {
  type: "string" | "boolean";
  describe: Text;
  choices?: readonly string[];
  alias?: string;
  /** Says what a shell completes as the value. Nothing is completed when neither this nor `choices` is there. */
  completes?: CompletionKind;
}

export const sharedOptions: Readonly<Record<string, Option>> = {
  config: { type: "string", describe: { zh: "配置文件", en: "configuration file" }, completes: "file" },
  ...createSettingOptions(undefined),
  "no-color": { type: "boolean", describe: { zh: "不用颜色", en: "no colours" } },
};

/** Creates the options for the settings that have a flag, of all commands or of one. */
function createSettingOptions(command: SettingFlag["command"]): Record<string, Option> {
  const options = settingFlags
    .filter((flag) => flag.command === command)
    .flatMap((flag): [string, Option][] => {
      const { name, kind, choices, negation } = flag;
      const option: Option = { type: kind === "switch" ? "boolean" : "string", describe: describeFlag(flag) };
      const negated: Option | undefined = negation && { type: "boolean", describe: negation };
      return [
        [name, choices ? { ...option, choices } : option],
        ...(negated ? [[`no-${name}`, negated] as [string, Option]] : []),
      ];
    });
  return Object.fromEntries(options);
}

function describeFlag({ name, help }: SettingFlag): Text {
  const limit = findLimit(name);
  const [zh, en] = limit ? [describeRange(limit, " 到 "), describeRange(limit, " to ")] : [];
  return {
    zh: zh === undefined ? help.zh : `${help.zh.replace(/。$/, "")}，${zh}`,
    en: en === undefined ? help.en : `${help.en.replace(/\.$/, "")}, ${en}`,
  };
}

/** Returns the row of the limit that a flag sets. */
export function findLimit(name: string): LimitRow | undefined {
  return limitRows.find(({ flag }) => flag === name);
}

/** These options belong to `ask` and `chat`. */
export const conversationOptions = {
  conversation: {
    type: "string",
    describe: {
      zh: "继续这个对话；自动生成的编号可以只写开头，conv- 后至少 6 个字符（duet conversations 列出）",
      en: "continues this conversation; of a generated ID, the beginning will do from its first 6 characters behind conv- (duet conversations lists them)",
    },
    completes: "conversation",
  },
  continue: {
    type: "boolean",
    alias: "c",
    describe: { zh: "继续这个文件夹最近的对话", en: "continues the last conversation of this folder" },
  },
  all: {
    type: "boolean",
    describe: { zh: "与 -c 一起：所有文件夹中最近的对话", en: "with -c: the last conversation of all folders" },
  },
} as const satisfies Record<string, Option>;

const agentOption = {
  agent: {
    type: "string",
    describe: { zh: "由配置中的哪个智能体回答", en: "the agent of the configuration that answers" },
  },
} as const satisfies Record<string, Option>;

export const askOptions: Readonly<Record<string, Option>> = {
  ...conversationOptions,
  ...agentOption,
  file: {
    type: "string",
    describe: {
      zh: "问题所附的文件：图片、PDF、Word、Excel 或文本；可以多次给出（- ：从标准输入读取）",
      en: "a file for the question: an image, PDF, Word, Excel or text; may be repeated (- : from stdin)",
    },
    completes: "file",
  },
};

export const chatOptions: Readonly<Record<string, Option>> = {
  ...conversationOptions,
  ...agentOption,
  ...createSettingOptions("chat"),
};

/** Lists the options of a program that an editor starts. What it works on comes from the editor. */
export const editorOptions: Readonly<Record<string, Option>> = createSettingOptions("chat");

export const resumeOptions: Readonly<Record<string, Option>> = {
  ...agentOption,
  all: { type: "boolean", describe: { zh: "所有文件夹的对话", en: "conversations of all folders" } },
  ...createSettingOptions("chat"),
};

export const serveOptions = {
  http: {
    type: "string",
    describe: {
      zh: "不用 stdio，改在 [HOST:]PORT/mcp 上用 HTTP（127.0.0.1；0：任一空闲端口）",
      en: "over HTTP at [HOST:]PORT/mcp instead of stdio (127.0.0.1; 0: any free port)",
    },
  },
  expose: {
    type: "string",
    describe: {
      zh: "宿主得到什么：智能体、它能用的全部工具，或两者",
      en: "what the host gets: the agent, every tool it could use, or both",
    },
    choices: ["agent", "tools", "both"],
  },
  "list-limit": {
    type: "string",
    describe: {
      zh: "--expose tools 或 both 时：不超过这么多 token 的工具逐个列出，超过则改为搜索（20000）",
      en: "with --expose tools or both: tools are listed up to this many tokens; above it they are searched (20000)",
    },
  },
  ...createSettingOptions("serve"),
} as const satisfies Record<string, Option>;

/** These options belong to `conversations list`. */
export const pageOptions = {
  limit: { type: "string", describe: { zh: "列出多少个，1 到 100000（50）", en: "how many, 1 to 100000 (50)" } },
  offset: { type: "string", describe: { zh: "跳过多少个（0）", en: "how many to skip (0)" } },
} as const satisfies Record<string, Option>;

/** These options belong to `conversations prune`. */
export const pruneOptions = {
  "dry-run": {
    type: "boolean",
    describe: { zh: "只列出会删除的内容，不删除", en: "lists what would be removed, and removes nothing" },
  },
} as const satisfies Record<string, Option>;
