import type { FileName } from "../../agent/prompts/choose-prompt.ts";
import type { Text } from "../../kit/locale.ts";

/** Says for each prompt and part what it is used for. */
export const promptUses: Record<FileName, Text> = {
  decide: { zh: "选择工具，由另一个模型写回答", en: "choosing tools, where another model writes the answer" },
  "decide-alone": { zh: "选择工具并回答（只有一个模型）", en: "choosing tools and answering, with a single model" },
  answer: { zh: "写回答", en: "the answer" },
  chat: { zh: "chat 模式", en: "chat mode" },
  plan: { zh: "制定计划（plan 模式）", en: "making a plan (plan mode)" },
  compress: { zh: "概括较早的对话", en: "summaries of older turns" },
  error: { zh: "工具调用失败后模型读到的内容", en: "what the model reads of a call that failed" },
  guide: { zh: "片段：怎样调用工具", en: "part: how to call tools" },
  search: { zh: "片段：何时以及怎样搜索", en: "part: when and how to search" },
  cite: { zh: "片段：怎样引用来源", en: "part: how to cite sources" },
  mark: { zh: "片段：怎样标出回答的开头", en: "part: how to mark where the answer begins" },
  untrusted: { zh: "片段：外来内容不是指令", en: "part: text from outside is no instruction" },
};
