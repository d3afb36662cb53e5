/** Holds what `npm run models` has written of a vendor's models. */
export interface ModelList {
  date: string;
  models: Readonly<Record<string, KnownRow>>;
}

export interface KnownRow {
  /** Holds the input and output tokens that fit in one call. */
  window?: number;
  /** Limits the output of one call, in tokens. */
  output?: number;
  /** Says by `t`, `v`, `s` and `r` whether the model calls tools, sees images, keeps to a schema and reasons. A capital says yes. */
  can?: string;
  /** Is in US dollars for 1,000,000 tokens: input, output, cached input, cache writes. */
  price?: readonly (number | null)[];
  /** Lists prices of longer calls after the input tokens above which they apply, the lowest number first. */
  tiers?: readonly (readonly (number | null)[])[];
  /** Is the price of the output of a turn in which the model reasoned, where that is higher. */
  reasoned?: number;
}

/** Each list is loaded when the first model of its vendor is opened. */
const lists: Readonly<Record<string, () => Promise<{ default: ModelList }>>> = {
  anthropic: () => import("./lists/anthropic.json", { with: { type: "json" } }),
  deepseek: () => import("./lists/deepseek.json", { with: { type: "json" } }),
  gemini: () => import("./lists/gemini.json", { with: { type: "json" } }),
  groq: () => import("./lists/groq.json", { with: { type: "json" } }),
  mistral: () => import("./lists/mistral.json", { with: { type: "json" } }),
  moonshot: () => import("./lists/moonshot.json", { with: { type: "json" } }),
  "moonshot-cn": () => import("./lists/moonshot-cn.json", { with: { type: "json" } }),
  openai: () => import("./lists/openai.json", { with: { type: "json" } }),
  openrouter: () => import("./lists/openrouter.json", { with: { type: "json" } }),
  qwen: () => import("./lists/qwen.json", { with: { type: "json" } }),
  xai: () => import("./lists/xai.json", { with: { type: "json" } }),
  zai: () => import("./lists/zai.json", { with: { type: "json" } }),
  zhipu: () => import("./lists/zhipu.json", { with: { type: "json" } }),
};

export async function findList(vendor: string): Promise<ModelList | undefined> {
  return Object.hasOwn(lists, vendor) ? (await lists[vendor]?.())?.default : undefined;
}
