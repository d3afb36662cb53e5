import type { Text } from "../../kit/locale.ts";

/**
 * Holds a prompt, a resource or a template as its server describes it: its texts may be shown, and the rest is unvalidated
 * except for its key.
 */
export type ListedEntry = Readonly<Record<string, unknown>>;

/** Describes one kind of list and the property that names its entries. */
export interface Kind {
  list: "prompts" | "resources";
  method: string;
  field: string;
  key: string;
  words: Text;
}

export const kinds = {
  prompts: {
    list: "prompts",
    method: "prompts/list",
    field: "prompts",
    key: "name",
    words: { zh: "提示词", en: "prompts" },
  },
  resources: {
    list: "resources",
    method: "resources/list",
    field: "resources",
    key: "uri",
    words: { zh: "资源", en: "resources" },
  },
  templates: {
    list: "resources",
    method: "resources/templates/list",
    field: "resourceTemplates",
    key: "uriTemplate",
    words: { zh: "资源模板", en: "resource templates" },
  },
} as const satisfies Record<string, Kind>;
