/** The prompts that models get: `decide` is for a model beside which another answers, `decide-alone` for one that does both. */
export const promptNames = ["decide", "decide-alone", "answer", "chat", "plan", "compress"] as const;

/** Sentences that prompts share: each stands in a file of its own and fills the place of its name. */
export const partNames = ["guide", "search", "cite", "untrusted"] as const;

export type PromptName = (typeof promptNames)[number];
export type PartName = (typeof partNames)[number];
export type FileName = PromptName | PartName;

export function isFileName(name: string): name is FileName {
  return isPartName(name) || promptNames.some((known) => known === name);
}

export function isPartName(name: string): name is PartName {
  return partNames.some((known) => known === name);
}

/** The places that a file may have; a part has no parts. */
export function listPlaceholders(name: FileName): readonly string[] {
  const parts = isPartName(name) ? [] : partNames;
  const tools = name === "plan" ? ["tools"] : [];
  return ["today", "marker", ...tools, ...parts];
}

/** The places that a file must have, one of each group: who reads untrusted text is told its mark, who plans the tools. */
export function listRequiredPlaceholders(name: FileName): readonly (readonly string[])[] {
  if (name === "untrusted") return [["marker"]];
  if (name === "chat" || isPartName(name)) return [];
  return name === "plan" ? [["untrusted", "marker"], ["tools"]] : [["untrusted", "marker"]];
}
