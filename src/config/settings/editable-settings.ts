import { limitRows } from "../../core/limits/limits.ts";
import type { modelSettings } from "./model-settings.ts";

/** Lists the values of a model that are changed without a key or an address. */
const modelKeys = [
  "provider",
  "model",
  "temperature",
  "topP",
  "maxTokens",
  "reasoningEffort",
] as const satisfies (keyof (typeof modelSettings)["rows"]["answer"]["rows"])[];

/**
 * Lists the settings that may be changed in a browser. What holds keys, starts programs, opens folders or says who may connect stays in the
 * file: a page that could write that could do anything.
 */
export const editableSettings: readonly string[] = [
  "locale",
  ...["functionCall", "answer"].flatMap((role) => modelKeys.map((key) => `models.${role}.${key}`)),
  ...limitRows.map(({ key }) => `agent.${key}`),
  ...["mode", "functionCallTemperature", "onLimit", "finishAnswer", "keepHistory", "rules", "acceptAnswer"].map(
    (key) => `agent.${key}`,
  ),
  ...["allow", "deny", "ask", "askBeforeSending"].map((key) => `tools.${key}`),
  ...["enabled", "maxResults", "snippetLength", "maxPerRun"].map((key) => `search.${key}`),
  "conversations.titles",
  "store.keepDays",
  "store.maxSize",
];
