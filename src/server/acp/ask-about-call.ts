import type { PermissionOptionKind, ToolCallContent, ToolCallLocation, ToolCallUpdate } from "@agentclientprotocol/sdk";
import type { FolderConsent } from "../../app/questions/folder-consent.ts";
import { reviewCall } from "../../app/questions/review-call.ts";
import { renderSavedRule, toSavedRule } from "../../app/questions/saved-rules.ts";
import type { CallReview, ReviewedChange } from "../../core/questions/call-review.ts";
import type { UserQuestion, UserReply } from "../../core/questions/user-question.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { approvalNames } from "../../render/choice-texts.ts";
import { renderReview } from "../../render/questions/review-lines.ts";
import { findLocations, toTitle } from "./session-updates.ts";

/** Offers one answer to a question. Its ID is what the editor sends back. */
export interface Choice<T extends string> {
  id: T;
  name: Text;
  kind: PermissionOptionKind;
}

/** Is an answer, or a yes that saves a rule for later calls. */
type CallChoice = "once" | "conversation" | "save" | "no" | "never";

/** Shows a call and waits for the choice; undefined where the person has closed the dialog, or has chosen nothing that was offered. */
export type ChooseAboutCall = (
  call: ToolCallUpdate,
  choices: readonly Choice<CallChoice>[],
) => Promise<CallChoice | undefined>;

/** Asks about calls in an editor. */
export interface EditorConsent {
  /** Asks about a call, unless a saved rule allows it. */
  ask(question: UserQuestion<"call">, callId: string, choose: ChooseAboutCall): Promise<UserReply<"call">>;
}

export function createEditorConsent({ readCurrent, saved }: FolderConsent, locale: Locale): EditorConsent {
  return {
    async ask(question, callId, choose) {
      const { tool, arguments: args, onlyOnce } = question;
      const review = await reviewCall(question, readCurrent);
      const rule = toSavedRule(question, { folder: saved.folder, review });
      if (rule && (await saved.has(rule))) return "once";
      const offered = choices.filter(({ id }) => (id === "save" ? rule !== undefined : !onlyOnce || isForOnce(id)));
      const shownRule = rule && renderSavedRule(rule);
      const call: ToolCallUpdate = {
        toolCallId: callId,
        title: toTitle(tool, args),
        rawInput: args,
        locations: listPlaces(review, findLocations(args)),
        content: [...showReview(review, locale), toContent(describeReasons(question, shownRule, locale))],
      };
      const choice = await choose(call, offered);
      if (choice !== "save") return choice ?? "dismissed";
      // The yes counts for this call in any case. A rule that could not be kept is asked about again.
      if (rule) await ignoreRejection(saved.add(rule), "the next such call is asked about");
      return "once";
    },
  };
}

function isForOnce(choice: CallChoice): boolean {
  return choice === "once" || choice === "no";
}

/** Shows changes in the way of editors, and everything else as text. Nothing is left out. */
function showReview({ values, parts }: CallReview, locale: Locale): ToolCallContent[] {
  const changes = parts.filter((part) => part.kind === "change");
  const others = parts.filter((part) => part.kind !== "change");
  const { lines } = renderReview({ values, parts: others }, { locale, isUnlimited: true });
  const text = lines.map((line) => (typeof line === "string" ? line : line.text)).join("\n");
  const isEmpty = others.length === 0 && Object.keys(values).length === 0;
  return [...changes.map(toDiff), ...(isEmpty ? [] : [toContent(text)])];
}

/** A change of a text that is in no file that may be read is shown under the argument's name. */
function toDiff({ name, file, before, after }: ReviewedChange): ToolCallContent {
  return { type: "diff", path: file ?? name, oldText: before ?? null, newText: after };
}

function listPlaces({ parts }: CallReview, found: readonly ToolCallLocation[]): ToolCallLocation[] {
  const files = parts.flatMap((part) => (part.kind === "change" && part.file ? [part.file] : []));
  return [...new Set([...found.map(({ path }) => path), ...files])].map((path) => ({ path }));
}

function toContent(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text } };
}

function describeReasons({ rule, reason }: UserQuestion<"call">, savedRule: string | undefined, locale: Locale) {
  const saving = {
    zh: `“以后都允许”会保存这条规则：${savedRule}`,
    en: `"Yes, always" saves this rule: ${savedRule}`,
  };
  const lines = [
    say(locale, { zh: `规则 ${rule}`, en: `Rule ${rule}` }),
    reason ?? "",
    savedRule === undefined ? "" : say(locale, saving),
  ];
  return lines.filter((line) => line !== "").join("\n");
}

const choices: readonly Choice<CallChoice>[] = [
  { id: "once", name: approvalNames.once, kind: "allow_once" },
  { id: "conversation", name: approvalNames.conversation, kind: "allow_always" },
  { id: "save", name: { zh: "以后都允许（保存规则）", en: "Yes, always (saves the rule)" }, kind: "allow_always" },
  { id: "no", name: approvalNames.no, kind: "reject_once" },
  { id: "never", name: approvalNames.never, kind: "reject_always" },
];
