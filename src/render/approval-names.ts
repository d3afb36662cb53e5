import type { Approval } from "../core/tools/tool.ts";
import type { Text } from "../kit/locale.ts";

export const approvalNames: Record<Approval, Text> = {
  once: { zh: "允许这一次", en: "Yes, once" },
  conversation: { zh: "本次对话中都允许", en: "Yes, always in this conversation" },
  no: { zh: "不允许", en: "No" },
  never: { zh: "本次对话中都不允许", en: "Never in this conversation" },
};
