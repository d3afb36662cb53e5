import type { input } from "zod";
import type { Evaluator } from "../agent/loop/evaluator.ts";
import { unknownKeyError } from "../config/config-errors.ts";
import type { fileSchema, ModelInput } from "../config/schema/file-schema.ts";
import type { ConversationStore } from "../core/store/store.ts";
import { getOwnValue, isRecord } from "../kit/json.ts";
import type { UserTool } from "../tools/user-tool.ts";
import { type OptionKind, optionError } from "./ask/ask-options.ts";
import type { ModelOption } from "./models/model-options.ts";

/** Holds the settings of an embedding program. All of them have defaults. */
export interface DuetOptions {
  /** Sets the models for the two roles. When `answer` is absent, `functionCall` also answers, without a second call. */
  models?: { functionCall: ModelOption; answer?: ModelOption };
  /** Adds tools to the built-in ones and those of the MCP servers. A tool with a built-in's name replaces it. */
  tools?: readonly UserTool<never>[];
  /** Is your own rule for after each round of tool calls. */
  evaluator?: Evaluator;
  /** Holds settings in the shape of the configuration file. Models that stand beside it replace those in it. */
  config?: Omit<input<typeof fileSchema>, "models" | "$schema"> & {
    models?: { functionCall?: string | ModelInput; answer?: string | ModelInput };
  };
  /**
   * Names a configuration file, which `config` overrides. No file is looked for when it is absent, and conversations then stay
   * in memory unless `config` says `disk`.
   */
  configFile?: string;
  /** Holds conversations in place of the configured store. The program that provides it must close it. */
  store?: ConversationStore;
}

/** Checks what types say, for those who write without them. Throws a `config` error of one line that names the option. */
export function checkOptions(options: DuetOptions): void {
  for (const [name, value] of Object.entries(options)) {
    const kind = getOwnValue<OptionKind>(kinds, name);
    if (kind === undefined) throw unknownKeyError(`createDuet: ${name}`, name, Object.keys(kinds));
    if (value !== undefined && !kind.fits(value)) throw optionError(`createDuet: ${name}`, value, kind.allowed);
  }
}

const anObject: OptionKind = { allowed: { zh: "对象", en: "an object" }, fits: isRecord };

const kinds: Record<keyof DuetOptions, OptionKind> = {
  models: anObject,
  tools: { allowed: { zh: "工具列表", en: "a list of tools" }, fits: Array.isArray },
  evaluator: { allowed: { zh: "函数", en: "a function" }, fits: (value) => typeof value === "function" },
  config: anObject,
  configFile: { allowed: { zh: "文件路径", en: "a file path" }, fits: (value) => typeof value === "string" },
  store: anObject,
};
