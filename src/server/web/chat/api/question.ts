import type { PlanReply } from "../../../../core/questions/plan-reply.ts";
import type { Approval } from "../../../../core/tools/tool.ts";
import { isRecord, type JsonObject, type JsonSchema, toText } from "../../../../kit/json.ts";

export type OpenQuestion = { readonly id: string; readonly message: string } & (
  | {
      readonly kind: "call";
      readonly tool: string;
      readonly arguments: unknown;
      readonly rule: string;
      /** Is true when the approval applies to this call only. */
      readonly onlyOnce: boolean;
    }
  | { readonly kind: "plan" }
  | { readonly kind: "form"; readonly from: string; readonly schema: JsonSchema }
  | { readonly kind: "url"; readonly from: string; readonly url: string }
);

export type Reply =
  | Approval
  | PlanReply
  | { action: "accept" | "decline" | "cancel"; content?: JsonObject | undefined };

/** Reads an untrusted question. Returns undefined when the value is not one. */
export function readQuestion(value: unknown): OpenQuestion | undefined {
  if (!isRecord(value)) return undefined;
  const { question_id, kind, tool, rule, only_once, schema, url } = value;
  const id = toText(question_id);
  const common = { id, message: toText(value.message) };
  if (id === "") return undefined;
  switch (kind) {
    case "call": {
      const call = { tool: toText(tool), arguments: value.arguments, rule: toText(rule) };
      return { ...common, kind, ...call, onlyOnce: only_once === true };
    }
    case "plan":
      return { ...common, kind };
    case "form":
      return isRecord(schema) ? { ...common, kind, from: toText(value.from), schema } : undefined;
    case "url":
      return { ...common, kind, from: toText(value.from), url: toText(url) };
    default:
      return undefined;
  }
}
