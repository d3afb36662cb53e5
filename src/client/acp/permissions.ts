import type { PermissionOption, RequestPermissionRequest, RequestPermissionResponse } from "@agentclientprotocol/sdk";
import { commandNames } from "../../core/questions/review-arguments.ts";
import type { Approval, ApprovalRequest } from "../../core/tools/tool.ts";
import { isRecord, type JsonObject, type JsonValue } from "../../kit/json.ts";
import type { Locale } from "../../kit/locale.ts";
import { say } from "../../kit/locale.ts";
import { toShortLine } from "../../kit/text/sanitize.ts";
import { truncateMiddle } from "../../kit/text/truncate.ts";
import { type Change, readChanges } from "./read-changes.ts";
import type { ReadCall } from "./read-update.ts";
import { shortenChange } from "./shorten-change.ts";

/** Limits each text that a person is shown of a call, in characters, and the changes of one question. */
const longestText = 200_000;
const mostChanges = 50;

/** Holds what a person has seen whole of a call. A yes agrees to this, and to nothing else of the call. */
export interface ShownCall {
  changes: readonly Change[];
  /** Is absent where the call changes files, too: a command is agreed to by itself alone. */
  command?: ShownCommand | undefined;
}

export interface ShownCommand {
  line: string;
  /** Is absent where the agent has named no folder: it is then the one in which it works. */
  cwd?: string | undefined;
}

/**
 * Returns the question about what an agent wants to do, with what it has told of the call before. A yes counts once: what an agent
 * means by its later calls nobody can know now.
 */
export function toApprovalRequest(
  call: ReadCall,
  { tool, rule, isForAll, locale }: { tool: string; rule: string; isForAll: boolean; locale: Locale },
): { request: ApprovalRequest; shown: ShownCall } {
  const kind = (call.kind ?? "other").replace(/[^a-z_]/gi, "").slice(0, 20) || "other";
  const all = readChanges(call.content);
  const changes = all.map(showChange);
  const [only, ...others] = changes;
  const isNew = only !== undefined && only.oldText === undefined && others.length === 0;
  const hasCommand = kind === "execute" || hasCommandLine(call.rawInput);
  // A change that comes with a command must not make it look like a write.
  const changeName = hasCommand ? "execute" : isNew ? "write" : kind;
  const name = only === undefined ? kind : changeName;
  const reason = isForAll ? say(locale, forAll) : undefined;
  const request: ApprovalRequest = {
    tool: `${tool}__${name}`,
    arguments: { ...(call.title && { title: toShortLine(call.title, 500) }), ...describe(call, changes, hasCommand) },
    rule,
    ...(reason && { reason }),
    onlyOnce: true,
  };
  const isWhole = all.length <= mostChanges;
  const shown = isWhole ? all.filter((_, index) => changes[index]?.isWhole) : [];
  return { request, shown: { changes: shown, command: all.length === 0 ? readCommand(call.rawInput) : undefined } };
}

const forAll = {
  zh: "该智能体没有“仅此一次”的选项：同意后，它之后的同类操作不再询问。",
  en: "The agent offers no yes for once alone: after a yes it asks about no more such calls.",
};

interface ShownChange extends Change {
  isWhole: boolean;
}

/** Shows the lines of a change that differ. The others are not sent to the person, and are those of the file where the change fits. */
function showChange({ path, oldText, newText }: Change): ShownChange {
  const excerpt = oldText === undefined ? { oldText, newText } : shortenChange(oldText, newText);
  const [before, after] = [excerpt.oldText && shorten(excerpt.oldText), shorten(excerpt.newText)];
  return { path, oldText: before, newText: after, isWhole: before === excerpt.oldText && after === excerpt.newText };
}

/** Reads a command that is shown whole with all that goes with it. */
function readCommand(rawInput: unknown): ShownCommand | undefined {
  if (!isShownWhole(rawInput) || typeof rawInput.command !== "string") return undefined;
  const { command: line, cwd = undefined } = rawInput;
  return cwd === undefined || typeof cwd === "string" ? { line, cwd } : undefined;
}

/** Says whether the arguments of a call hold a command, by the names under which commands are shown. */
function hasCommandLine(rawInput: unknown): boolean {
  return isRecord(rawInput) && commandNames.some((name) => rawInput[name] !== undefined);
}

/**
 * Puts what an agent says of a call under the names by which changes and commands of tools are shown. Beside changes, which say what its
 * arguments do, these are shown where they hold a command.
 */
function describe(
  { content = [], rawInput, paths = [] }: ReadCall,
  changes: readonly ShownChange[],
  hasCommand: boolean,
): JsonObject {
  const notes = content.flatMap((part) =>
    isRecord(part) && part.type === "content" && isRecord(part.content) && typeof part.content.text === "string"
      ? [shorten(part.content.text)]
      : [],
  );
  const details: JsonObject = notes.length > 0 ? { details: notes.join("\n") } : {};
  const [only, ...others] = changes;
  if (only !== undefined && others.length === 0 && !hasCommand)
    return only.oldText === undefined
      ? { path: only.path, content: only.newText, ...details }
      : { path: only.path, oldText: only.oldText, newText: only.newText, ...details };
  if (changes.length > 0) {
    const first = changes.slice(0, mostChanges);
    return {
      ...(hasCommand && toShownInput(rawInput)),
      changes: first.map(({ path, oldText = "", newText }) => ({ path, newText, oldText })),
      ...(changes.length > mostChanges && { furtherChanges: changes.length - mostChanges }),
      ...details,
    };
  }
  const input = toShownInput(rawInput);
  return { ...input, ...(paths.length > 0 && { paths: [...paths].slice(0, mostChanges) }), ...details };
}

/** Returns the agent's own arguments: as they are where they can be shown whole, else as one shortened text. */
function toShownInput(rawInput: unknown): JsonObject {
  const json = JSON.stringify(rawInput ?? {}) ?? "{}";
  if (!isShownWhole(rawInput)) return json === "{}" ? {} : { input: shorten(json) };
  const copy: JsonValue = JSON.parse(json);
  return isObject(copy) ? copy : {};
}

function isShownWhole(rawInput: unknown): rawInput is Record<string, unknown> {
  return isRecord(rawInput) && JSON.stringify(rawInput).length <= longestText;
}

function isObject(value: JsonValue): value is JsonObject {
  return isRecord(value);
}

function shorten(text: string): string {
  return truncateMiddle(text, longestText, (missing) => `…[${missing}]…`);
}

/** Says whether a yes to one of the options is the only one that the agent takes. */
export function isOnlyForAll(options: readonly PermissionOption[]): boolean {
  return !options.some(({ kind }) => kind === "allow_once");
}

/**
 * Returns the option that a decision stands for: by its kind, never by its place or its name. Whoever has not said yes has said no,
 * and an agent that offers no such option learns that the question was withdrawn.
 */
export function toPermissionResponse(
  { options }: Pick<RequestPermissionRequest, "options">,
  approval: Approval | undefined,
): RequestPermissionResponse {
  const isYes = approval === "once" || approval === "conversation";
  const kinds = isYes ? (["allow_once", "allow_always"] as const) : (["reject_once", "reject_always"] as const);
  const chosen = kinds.flatMap((kind) => options.filter((option) => option.kind === kind))[0];
  return { outcome: chosen ? { outcome: "selected", optionId: chosen.optionId } : { outcome: "cancelled" } };
}
