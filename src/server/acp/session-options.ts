import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk";
import type { Mode } from "../../core/run/outcome.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { modeHelp, modeNames, modes } from "../../render/mode-names.ts";

/** Holds what a person has chosen in an editor for a session. */
export interface SessionChoices {
  mode: Mode;
  /** Names models in the form `provider/model`. */
  functionCall: string;
  answer: string;
}

/** Names what can be chosen; `mode` is also told as the session's mode, for editors that know no other choices. */
export const optionIds = ["mode", "functionCall", "answer"] as const;

export type OptionId = (typeof optionIds)[number];

export function isMode(value: string): value is Mode {
  return modes.some((mode) => mode === value);
}

export function isOptionId(value: string): value is OptionId {
  return optionIds.some((id) => id === value);
}

export function describeModes(current: Mode, locale: Locale): SessionModeState {
  const availableModes = modes.map((id) => ({
    id,
    name: say(locale, modeNames[id]),
    description: say(locale, modeHelp[id]),
  }));
  return { currentModeId: current, availableModes };
}

/** Describes what can be chosen. Models that are in force are offered whatever their vendors list. */
export function describeOptions(
  { mode, functionCall, answer }: SessionChoices,
  models: readonly string[],
  locale: Locale,
): SessionConfigOption[] {
  const toModels = (current: string) => [...new Set([current, ...models])].map((name) => ({ value: name, name }));
  return [
    {
      id: "mode",
      name: say(locale, names.mode),
      category: "mode",
      type: "select",
      currentValue: mode,
      options: modes.map((value) => ({ value, name: say(locale, modeNames[value]) })),
    },
    {
      id: "answer",
      name: say(locale, names.answer),
      category: "model",
      type: "select",
      currentValue: answer,
      options: toModels(answer),
    },
    {
      id: "functionCall",
      name: say(locale, names.functionCall),
      category: "model_config",
      type: "select",
      currentValue: functionCall,
      options: toModels(functionCall),
    },
  ];
}

const names: Readonly<Record<OptionId, Text>> = {
  mode: { zh: "模式", en: "Mode" },
  functionCall: { zh: "工具调用模型", en: "Model for the tools" },
  answer: { zh: "回答模型", en: "Model for the answer" },
};
