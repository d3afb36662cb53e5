import type { input } from "zod";
import type { Evaluator } from "../agent/loop/evaluator.ts";
import { unknownKeyError } from "../config/config-errors.ts";
import type { fileSchema } from "../config/schema/file-schema.ts";
import type { ConversationStore } from "../core/store/store.ts";
import type { Text } from "../kit/errors.ts";
import { getOwnValue, isRecord } from "../kit/json.ts";
import type { OwnTool } from "../tools/own-tool.ts";
import type { ModelOption } from "./models/model-options.ts";
import { optionError } from "./option-error.ts";

/** What an embedding program sets; everything has a default. */
export interface DuetOptions {
  /** The two roles; `answer` is `functionCall` when absent, which then answers without a second call. */
  models?: { functionCall: ModelOption; answer?: ModelOption };
  /** Tools beside the built-in ones and those of the MCP servers; one with a built-in's name takes its place. */
  tools?: readonly OwnTool<never>[];
  /** Your own rule for after each round of tool calls. */
  evaluator?: Evaluator;
  /** Everything else, in the shape of the configuration file. */
  config?: Omit<input<typeof fileSchema>, "models" | "$schema">;
  /**
   * A configuration file, read below `config`. None is looked for when absent, and conversations then stay in memory
   * unless `config` says `disk`.
   */
  configFile?: string;
  /** Where conversations are kept, in place of what the configuration says; who brings it closes it. */
  store?: ConversationStore;
}

/** Checks what types say, for those who write without them. Throws a `config` error of one line that names the option. */
export function checkOptions(options: DuetOptions): void {
  for (const [name, value] of Object.entries(options)) {
    const kind = getOwnValue<Kind>(kinds, name);
    if (kind === undefined) throw unknownKeyError(`createDuet: ${name}`, name, Object.keys(kinds));
    if (value !== undefined && !kind.fits(value)) throw optionError(`createDuet: ${name}`, value, kind.allowed);
  }
}

interface Kind {
  allowed: Text;
  fits(value: unknown): boolean;
}

const anObject: Kind = { allowed: { zh: "对象", en: "an object" }, fits: isRecord };

const kinds: Record<keyof DuetOptions, Kind> = {
  models: anObject,
  tools: { allowed: { zh: "工具列表", en: "a list of tools" }, fits: Array.isArray },
  evaluator: { allowed: { zh: "函数", en: "a function" }, fits: (value) => typeof value === "function" },
  config: anObject,
  configFile: { allowed: { zh: "文件路径", en: "the path of a file" }, fits: (value) => typeof value === "string" },
  store: anObject,
};
