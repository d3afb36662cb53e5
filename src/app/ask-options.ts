import { inspect } from "node:util";
import { notAllowedError, unknownKeyError } from "../config/config-errors.ts";
import { type Attachment, longestAttachments, mostAttachments } from "../core/attachment.ts";
import { type LimitField, limitRows, mapLimits } from "../core/limits.ts";
import type { UserCallbacks } from "../core/questions/user.ts";
import { findPermitProblem } from "../core/tools/tool-pattern.ts";
import type { DuetError } from "../kit/errors.ts";
import { isRecord, type JsonSchema } from "../kit/json.ts";
import type { Text } from "../kit/locale.ts";
import type { StandardSchema } from "../tools/schema/standard-schema.ts";
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
  const { conversationId, mode, agent, tools, locale, stop, toolChoice, limits = {}, attachments, drafts } = options;
  if (!isText(question)) throw askOptionError("question", question, aText);
  if (conversationId !== undefined && !(isText(conversationId) && conversationId.length <= 200))
    throw askOptionError("conversationId", conversationId, anId);
  if (mode !== undefined && !modes.includes(mode)) throw askOptionError("mode", mode, aMode);
  if (agent !== undefined && !isText(agent)) throw askOptionError("agent", agent, aText);
  if (locale !== undefined && locale !== "zh" && locale !== "en")
    throw askOptionError("locale", locale, { zh: "zh、en", en: "zh, en" });
  if (stop !== undefined && !(isTexts(stop) && stop.length > 0 && stop.every((text) => text !== "")))
    throw askOptionError("stop", stop, stopTexts);
  const isNamed = typeof toolChoice === "object" && toolChoice !== null && isText(toolChoice.tool);
  if (toolChoice !== undefined && !isNamed && !toolChoices.includes(toolChoice))
    throw askOptionError("toolChoice", toolChoice, aToolChoice);
  if (drafts !== undefined && typeof drafts !== "boolean")
    throw askOptionError("drafts", drafts, { zh: "true、false", en: "true, false" });
  if (tools !== undefined && !isTexts(tools)) throw askOptionError("tools", tools, texts);
  if (attachments !== undefined) checkAttachments(attachments);
  for (const written of tools ?? []) {
    const allowed = findPermitProblem(written);
    if (allowed) throw askOptionError("tools", written, allowed);
  }
  const { repeatable } = limits;
  if (repeatable !== undefined && !isTexts(repeatable)) throw askOptionError("limits.repeatable", repeatable, texts);
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

/** Has each option: the compiler asks for a row where `AskOptions` gets a member. */
const askOptions: Record<keyof AskOptions, true> = {
  attachments: true,
  caller: true,
  runId: true,
  conversationId: true,
  isFirst: true,
  branch: true,
  after: true,
  folder: true,
  history: true,
  instruction: true,
  folderInstructions: true,
  mode: true,
  drafts: true,
  stop: true,
  toolChoice: true,
  documents: true,
  search: true,
  tools: true,
  agent: true,
  limits: true,
  clientTools: true,
  callClient: true,
  earlierSteps: true,
  budget: true,
  locale: true,
  isInteractive: true,
  goesOn: true,
  isApart: true,
  signal: true,
  outputSchema: true,
  confirmPlan: true,
  approveCall: true,
  elicit: true,
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
function checkKeys(place: string, value: unknown, allowed: Readonly<Record<string, true>>): void {
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
    if (name !== undefined && typeof name !== "string") throw askOptionError(`${place}.name`, name, aText);
    if (mediaType !== undefined && typeof mediaType !== "string")
      throw askOptionError(`${place}.mediaType`, mediaType, aText);
  }
  const size = attachments.reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (size > longestAttachments) throw askOptionError("attachments", size, fileSize);
}

const modes: readonly unknown[] = ["chat", "agent", "plan"];

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

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

const aText: Text = { zh: "非空文本", en: "a non-empty string" };
const anId: Text = { zh: "1 到 200 个字符", en: "1 to 200 characters" };
const aMode: Text = { zh: "chat、agent、plan", en: "chat, agent, plan" };
const files: Text = { zh: "文件列表", en: "a list of files" };
const fileCount: Text = { zh: `最多 ${mostAttachments} 个文件`, en: `at most ${mostAttachments} files` };
const fileSize: Text = {
  zh: `总共最多 ${longestAttachments} 字节`,
  en: `at most ${longestAttachments} bytes together`,
};
const aByteList: Text = { zh: "Uint8Array", en: "a Uint8Array" };
const toolChoices: readonly unknown[] = ["auto", "none", "required"];
const aToolChoice: Text = { zh: "auto、none、required、{ tool: 名称 }", en: "auto, none, required, { tool: name }" };
const stopTexts: Text = { zh: "非空文本的列表", en: "a list of non-empty strings" };
const texts: Text = { zh: "文本列表", en: "a list of strings" };

function askOptionError(option: string, value: unknown, allowed: Text): DuetError {
  return optionError(`ask: ${option}`, value, allowed);
}

/** Returns the one-line error with which an option of an embedding program is refused. `where` names the option. */
export function optionError(where: string, value: unknown, allowed: Text): DuetError {
  const shown = typeof value === "string" ? JSON.stringify(value) : inspect(value, { depth: 0 });
  return notAllowedError(where, shown.slice(0, 80), allowed);
}
