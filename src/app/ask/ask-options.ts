import { inspect } from "node:util";
import { notAllowedError, unknownKeyError } from "../../config/config-errors.ts";
import { type Attachment, longestAttachments, mostAttachments } from "../../core/attachment.ts";
import { type LimitField, limitRows, mapLimits } from "../../core/limits/limits.ts";
import type { UserCallbacks } from "../../core/questions/user.ts";
import { isConversationId } from "../../core/store/conversations/conversation-id.ts";
import { findPermitProblem } from "../../core/tools/tool-pattern.ts";
import type { DuetError } from "../../kit/errors.ts";
import { getOwnValue, isRecord, type JsonSchema } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import type { StandardSchema } from "../../tools/schema/standard-schema.ts";
import type { AskRequest } from "./ask-request.ts";
import type { LimitChanges } from "./merge-limits.ts";

/** Names what a program cannot give, or gives in another form. */
type InternalField =
  | ("question" | "models" | "user" | "answerForm" | "within" | "sources" | "sending")
  | ("resumed" | "chain" | "ceilings" | "inbox" | "recording");

/** Holds the options that a program which embeds Duet may give with a question. */
export interface AskOptions extends Omit<AskRequest, InternalField>, UserCallbacks {
  /**
   * Describes the object that the answer is to be, as a JSON Schema or a schema of Zod 4 or a like library. The outcome then has it as `output`, and its
   * text as `response`.
   */
  outputSchema?: JsonSchema | StandardSchema;
}

/** Checks what types cannot say, or nobody has checked. Throws a `config` error of one line that names the option. */
export function checkAsk(question: unknown, options: AskOptions): void {
  checkKeys("ask", options, askOptions);
  if (options.limits !== undefined) checkKeys("ask: limits", options.limits, limitChanges);
  const { tools, limits = {}, attachments } = options;
  if (!isText(question)) throw askOptionError("question", question, aText.allowed);
  for (const [name, value] of Object.entries(options)) {
    const kind = getOwnValue<OptionKind | undefined>(askOptions, name);
    if (kind && value !== undefined && !kind.fits(value)) throw askOptionError(name, value, kind.allowed);
  }
  if (attachments !== undefined) checkAttachments(attachments);
  for (const written of tools ?? []) {
    const allowed = findPermitProblem(written);
    if (allowed) throw askOptionError("tools", written, allowed);
  }
  const { repeatable } = limits;
  if (repeatable !== undefined && !texts.fits(repeatable))
    throw askOptionError("limits.repeatable", repeatable, texts.allowed);
  for (const [name, least, most] of ranges) {
    const value = limits[name];
    if (value === undefined || (Number.isInteger(value) && value >= least && value <= most)) continue;
    const allowed = { zh: `${least} 到 ${most} 的整数`, en: `a whole number from ${least} to ${most}` };
    throw askOptionError(`limits.${name}`, value, allowed);
  }
  for (const { field, range } of limitRows) {
    const value = limits[field];
    if (value === undefined || !("above" in range)) continue;
    if (Number.isFinite(value) && value > range.above) continue;
    const { above } = range;
    throw askOptionError(`limits.${field}`, value, { zh: `大于 ${above} 的数字`, en: `a number above ${above}` });
  }
}

/** Says what is allowed as the value of an option of an embedding program. */
export interface OptionKind {
  allowed: Text;
  fits(value: unknown): boolean;
}

function toChoiceKind(...choices: unknown[]): OptionKind {
  return { allowed: { zh: choices.join("、"), en: choices.join(", ") }, fits: (value) => choices.includes(value) };
}

const aText: OptionKind = { allowed: { zh: "非空文本", en: "a non-empty string" }, fits: isText };
const texts: OptionKind = { allowed: { zh: "文本列表", en: "a list of strings" }, fits: isTexts };
const aFunction: OptionKind = {
  allowed: { zh: "函数", en: "a function" },
  fits: (value) => typeof value === "function",
};
const anId: OptionKind = {
  allowed: {
    zh: "1 到 200 个字符，不全是空白，不含控制字符",
    en: "1 to 200 characters, not all blank and none a control character",
  },
  fits: (value) => typeof value === "string" && isConversationId(value),
};
const stopTexts: OptionKind = {
  allowed: { zh: "非空文本的列表", en: "a list of non-empty strings" },
  fits: (value) => isTexts(value) && value.length > 0 && !value.includes(""),
};
const toolChoices: readonly unknown[] = ["auto", "none", "required"];
const aToolChoice: OptionKind = {
  allowed: { zh: "auto、none、required、{ tool: 名称 }", en: "auto, none, required, { tool: name }" },
  fits: (value) => toolChoices.includes(value) || (isRecord(value) && isText(value.tool)),
};
/** The signal of another realm is none of our class, and works all the same. */
const aSignal: OptionKind = {
  allowed: { zh: "AbortSignal", en: "an AbortSignal" },
  fits: (value) =>
    typeof value === "object" &&
    value !== null &&
    "aborted" in value &&
    "addEventListener" in value &&
    typeof value.addEventListener === "function",
};

/**
 * Has each option: the compiler asks for a row where `AskOptions` gets a member. It is undefined where types alone say what is
 * allowed, or another check does.
 */
const askOptions: Record<keyof AskOptions, OptionKind | undefined> = {
  attachments: undefined,
  caller: undefined,
  runId: undefined,
  conversationId: anId,
  isFirst: undefined,
  branch: undefined,
  after: undefined,
  folder: undefined,
  history: undefined,
  instruction: undefined,
  folderInstructions: undefined,
  mode: toChoiceKind("chat", "agent", "plan"),
  drafts: toChoiceKind(true, false),
  stop: stopTexts,
  toolChoice: aToolChoice,
  documents: undefined,
  search: undefined,
  tools: texts,
  agent: aText,
  limits: undefined,
  clientTools: undefined,
  callClient: aFunction,
  earlierSteps: undefined,
  budget: undefined,
  locale: toChoiceKind("zh", "en"),
  isInteractive: undefined,
  goesOn: undefined,
  isApart: undefined,
  signal: aSignal,
  outputSchema: undefined,
  confirmPlan: aFunction,
  approveCall: aFunction,
  elicit: aFunction,
};

const evaluationChanges: Record<Exclude<keyof LimitChanges, LimitField>, true> = {
  maxParallel: true,
  repeatable: true,
  minResultLength: true,
  stopWhenSufficient: true,
  onLimit: true,
  finishAnswer: true,
  acceptAnswer: true,
};

const limitChanges: Readonly<Record<string, true>> = {
  ...mapLimits(
    limitRows,
    ({ field }) => field,
    () => true,
  ),
  ...evaluationChanges,
};

const attachmentKeys: Record<keyof Attachment, true> = { bytes: true, name: true, mediaType: true };

/** Refuses what is no object, and a member that nobody reads: a program without types would never learn that it is not heard. */
function checkKeys(place: string, value: unknown, allowed: Readonly<Record<string, unknown>>): void {
  if (!isRecord(value)) throw optionError(place, value, { zh: "对象", en: "an object" });
  for (const name of Object.keys(value))
    if (!Object.hasOwn(allowed, name)) throw unknownKeyError(`${place}: ${name}`, name, Object.keys(allowed));
}

function checkAttachments(attachments: readonly Attachment[]): void {
  if (!Array.isArray(attachments)) throw askOptionError("attachments", attachments, files);
  if (attachments.length > mostAttachments) throw askOptionError("attachments", attachments.length, fileCount);
  for (const [index, attachment] of attachments.entries()) {
    const place = `attachments[${index}]`;
    checkKeys(`ask: ${place}`, attachment, attachmentKeys);
    const { bytes, name, mediaType } = attachment;
    if (!(bytes instanceof Uint8Array)) throw askOptionError(`${place}.bytes`, bytes, aByteList);
    if (name !== undefined && typeof name !== "string") throw askOptionError(`${place}.name`, name, aText.allowed);
    if (mediaType !== undefined && typeof mediaType !== "string")
      throw askOptionError(`${place}.mediaType`, mediaType, aText.allowed);
  }
  const size = attachments.reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (size > longestAttachments) throw askOptionError("attachments", size, fileSize);
}

type WholeNumber = LimitField | "maxParallel" | "minResultLength";

/** These ranges apply to whole numbers. They are wider than in the configuration, because a program knows what it does. */
const ranges: readonly (readonly [name: WholeNumber, least: number, most: number])[] = [
  ...limitRows.flatMap(({ field, embedded }) =>
    embedded === undefined ? [] : [[field, embedded.least, embedded.most] as const],
  ),
  ["maxParallel", 1, 1000],
  ["minResultLength", 0, 1_000_000_000],
];

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

const files: Text = { zh: "文件列表", en: "a list of files" };
const fileCount: Text = { zh: `最多 ${mostAttachments} 个文件`, en: `at most ${mostAttachments} files` };
const fileSize: Text = {
  zh: `总共最多 ${longestAttachments} 字节`,
  en: `at most ${longestAttachments} bytes together`,
};
const aByteList: Text = { zh: "Uint8Array", en: "a Uint8Array" };

function askOptionError(option: string, value: unknown, allowed: Text): DuetError {
  return optionError(`ask: ${option}`, value, allowed);
}

/** Returns the one-line error with which an option of an embedding program is refused. `where` names the option. */
export function optionError(where: string, value: unknown, allowed: Text): DuetError {
  const shown = typeof value === "string" ? JSON.stringify(value) : inspect(value, oneLine);
  return notAllowedError(where, shown.slice(0, 80), allowed);
}

const oneLine = { depth: 0, compact: true, breakLength: Number.POSITIVE_INFINITY };
