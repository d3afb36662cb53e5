import { isRecord } from "../../kit/json.ts";
import type { UserReply } from "./user-question.ts";

/** Holds what a person says to a plan that waits. */
export type PlanReply = UserReply<"plan">;

/** Recognises a reply that was stored. */
export function isPlanReply(value: unknown): value is PlanReply {
  if (!isRecord(value)) return false;
  return value.reply === "yes" || value.reply === "no" || (value.reply === "edit" && typeof value.words === "string");
}

const yes = /^(y|yes|ok|okay|sure|go|go ahead|是|是的|好|好的|可以|确认|确认执行|执行|好的?[，, ]*执行)$/i;
const no = /^(n|no|cancel|stop|q|quit|否|不|不要|算了|取消)$/i;

/** Reads the words in which a plan was answered: yes, no, or what to change; undefined when there are none. */
export function readPlanReply(text: string): PlanReply | undefined {
  const words = text.trim();
  if (words === "") return undefined;
  const plain = words.replace(/[.!。！]+$/, "").trimEnd();
  if (yes.test(plain)) return { reply: "yes" };
  return no.test(plain) ? { reply: "no" } : { reply: "edit", words };
}
