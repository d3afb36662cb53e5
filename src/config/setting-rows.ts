import { type FlaggedKey, flaggedLimits, limitRows } from "../core/limits.ts";
import type { Path } from "./sources/setting-path.ts";

type LimitFlags = { [Key in FlaggedKey]?: number | undefined };

/** Holds the configuration flags of the command line. A flag that is not given is absent. */
export interface Flags extends LimitFlags {
  config?: string;
  mode?: string;
  functionCallModel?: string;
  answerModel?: string;
  tools?: string[];
  noTools?: string[];
  search?: boolean;
  locale?: string;
  verbose?: boolean;
  screenReader?: boolean;
}

/**
 * Says which variable and which flag set a setting. The reader of the environment and that of the flags derive from the rows below;
 * the schemas say what is allowed. Search services have rows of their own.
 */
export interface SettingRow {
  readonly path: Path;
  /** Says how the text of a variable is read. A model of a variable is JSON; that of a flag may be `provider/model`. */
  readonly kind: "text" | "number" | "switch" | "model" | "list";
  readonly environment?: string;
  readonly flag?: FlagName;
  /** Is true when the flag adds to the list of the file instead of replacing it. */
  readonly addsToFile?: boolean;
}

export interface FlagName {
  /** Is the name without its dashes. */
  readonly name: string;
  readonly field: Exclude<keyof Flags, "config">;
}

const limitVariables = limitRows.map(
  ({ key, environment }): SettingRow => ({ path: ["agent", key], kind: "number", environment }),
);

const limitFlags = flaggedLimits.map(
  ({ key, flag, flagPath = ["agent", key] }): SettingRow => ({
    path: [...flagPath],
    kind: "number",
    flag: { name: flag, field: key },
  }),
);

export const settingRows: readonly SettingRow[] = [
  {
    path: ["models", "functionCall"],
    kind: "model",
    environment: "AGENT_FUNCTION_CALL_MODEL",
    flag: { name: "function-call-model", field: "functionCallModel" },
  },
  {
    path: ["models", "answer"],
    kind: "model",
    environment: "AGENT_ANSWER_MODEL",
    flag: { name: "answer-model", field: "answerModel" },
  },
  { path: ["agent", "mode"], kind: "text", flag: { name: "mode", field: "mode" } },
  ...limitVariables,
  ...limitFlags,
  { path: ["agent", "evaluation", "minResultLength"], kind: "number", environment: "AGENT_RESULT_MIN_LENGTH" },
  {
    path: ["agent", "verbose"],
    kind: "switch",
    environment: "AGENT_VERBOSE",
    flag: { name: "verbose", field: "verbose" },
  },
  { path: ["terminalMode"], kind: "text", environment: "DEFAULT_MODE" },
  { path: ["tools", "allow"], kind: "list", flag: { name: "tools", field: "tools" } },
  // No flag removes a tool from those that the file denies.
  { path: ["tools", "deny"], kind: "list", flag: { name: "no-tools", field: "noTools" }, addsToFile: true },
  { path: ["search", "enabled"], kind: "switch", flag: { name: "search", field: "search" } },
  { path: ["locale"], kind: "text", flag: { name: "locale", field: "locale" } },
  {
    path: ["terminal", "screenReader"],
    kind: "switch",
    environment: "DUET_SCREEN_READER",
    flag: { name: "screen-reader", field: "screenReader" },
  },
  { path: ["email", "host"], kind: "text", environment: "SMTP_HOST" },
  { path: ["email", "port"], kind: "number", environment: "SMTP_PORT" },
  { path: ["email", "user"], kind: "text", environment: "SMTP_USER" },
  { path: ["email", "password"], kind: "text", environment: "SMTP_PASSWORD" },
  { path: ["email", "from"], kind: "text", environment: "SMTP_FROM" },
  { path: ["home"], kind: "text", environment: "DUET_HOME" },
  { path: ["serve", "log"], kind: "text", environment: "DUET_LOG" },
  { path: ["httpToken"], kind: "text", environment: "DUET_HTTP_TOKEN" },
];
