import type { Elicitation } from "../../core/forms/elicitation.ts";
import { DuetError } from "../../kit/errors.ts";
import { isRecord, toText } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { truncate } from "../../kit/text/truncate.ts";
import { getCode } from "../connection-errors.ts";
import type { RequestingServer } from "./active-calls.ts";
import { readQuestion } from "./elicitation.ts";
import { RequestRefusedError } from "./request-refusal.ts";

/** Is the code with which a server of 2025-11-25 says that its user has to open pages before it does what it was asked for. */
export const urlElicitationRequired = -32042;

/** Limits the pages of one error; nobody would read more. */
const mostPages = 5;

interface RequiredPage {
  question: Extract<Elicitation, { kind: "url" }>;
  /** Is the server's own ID of the question, which its client may hear of again; undefined where it is none. */
  elicitationId: string | undefined;
}

/** Puts a question of the server to the user of the call, as `Answers` does. */
type Ask = (method: string, params: unknown) => Promise<Record<string, unknown>>;

/**
 * Asks the user to open the pages that this error of a server requires, one after the other, and returns the error that says what
 * came of it. Returns undefined for an error that requires none. The request is not sent again: a user who agrees to open a page has not
 * finished there yet.
 */
export async function askToOpenPages(
  thrown: unknown,
  asking: RequestingServer,
  ask: Ask,
): Promise<DuetError | undefined> {
  const { pages, hidden } = readPages(thrown, asking);
  if (pages.length === 0) return undefined;
  const list = describePages(pages, hidden);
  const ending = endings[await askForAll(pages, ask)];
  return new DuetError({
    code: "tool",
    text: {
      zh: `需要用户先在浏览器中打开以下网页：${list.zh}${ending.text.zh}`,
      en: `the user has to open these pages first: ${list.en}${ending.text.en}`,
    },
    ...(ending.hint && { hint: ending.hint }),
    ...(ending.isOpen && { rpcError: { code: urlElicitationRequired, data: toData(pages) } }),
  });
}

interface RequiredPages {
  pages: RequiredPage[];
  /** Counts the pages that no user is shown. */
  hidden: number;
}

/** Reads each address once. */
function readPages(thrown: unknown, asking: RequestingServer): RequiredPages {
  if (!(thrown instanceof Error) || getCode(thrown) !== urlElicitationRequired) return { pages: [], hidden: 0 };
  const { elicitations } = "data" in thrown && isRecord(thrown.data) ? thrown.data : {};
  const listed = Array.isArray(elicitations) ? elicitations.filter(isRecord) : [];
  const byUrl = new Map<unknown, Record<string, unknown>>();
  for (const each of listed) if (!byUrl.has(each.url)) byUrl.set(each.url, each);
  const pages = [...byUrl.values()].slice(0, mostPages).flatMap((each) => readPage(each, asking));
  return { pages, hidden: byUrl.size - pages.length };
}

/** Leaves out a page to which no user may be sent. */
function readPage(each: Record<string, unknown>, asking: RequestingServer): RequiredPage[] {
  try {
    const { question } = readQuestion(asking, { ...each, mode: "url" });
    return question.kind === "url"
      ? [{ question, elicitationId: readId(asking.redact(toText(each.elicitationId))) }]
      : [];
  } catch (refusal) {
    if (refusal instanceof RequestRefusedError) return [];
    throw refusal;
  }
}

/** Limits an ID in UTF-16 units. */
const longestId = 200;

/** Returns undefined for an ID that is empty, long, or not printable throughout. */
function readId(written: string): string | undefined {
  return written !== "" && written.length <= longestId && sanitizeLine(written) === written ? written : undefined;
}

/** Stops at the first page that the user does not agree to open. */
async function askForAll(pages: readonly RequiredPage[], ask: Ask): Promise<keyof typeof endings> {
  for (const { question } of pages) {
    const action = await askFor(question, ask);
    if (action !== "accept") return action;
  }
  return "accept";
}

async function askFor({ message, url }: RequiredPage["question"], ask: Ask): Promise<keyof typeof endings> {
  try {
    const { action } = await ask("elicitation/create", { mode: "url", message, url });
    return action === "accept" || action === "decline" ? action : "cancel";
  } catch (refusal) {
    if (refusal instanceof RequestRefusedError) return "unasked";
    throw refusal;
  }
}

/** Says what came of the questions. `isOpen` is true where somebody else may still ask the user. */
const endings: Readonly<
  Record<"accept" | "decline" | "cancel" | "unasked", { text: Text; hint?: Text; isOpen?: boolean }>
> = {
  accept: {
    text: { zh: "。用户已同意打开。", en: ". The user agreed to open them." },
    hint: { zh: "等用户在网页上完成后再重试。", en: "Try again once the user has finished there." },
  },
  decline: { text: { zh: "。用户已拒绝。", en: ". The user declined." } },
  cancel: { text: { zh: "。用户关闭了提问。", en: ". The user dismissed the question." } },
  unasked: {
    text: { zh: "", en: "" },
    hint: {
      zh: "没有问到用户。请把地址告诉用户，等用户在网页上完成后再重试。",
      en: "The user could not be asked. Show them the address, and try again once they have finished there.",
    },
    isOpen: true,
  },
};

/** Limits what the server says of a page where the whole error stands on one line, in UTF-16 units. */
const messageLength = 200;

function describePages(pages: readonly RequiredPage[], hidden: number): Text {
  const shown = pages.map(({ question: { url, message } }) => {
    const said = truncate(sanitizeLine(message), messageLength);
    return said === "" ? { zh: url, en: url } : { zh: `${url}（${said}）`, en: `${url} (${said})` };
  });
  const rest =
    hidden === 0 ? { zh: "", en: "" } : { zh: `（另有 ${hidden} 个不显示）`, en: ` (not shown: ${hidden} more)` };
  return {
    zh: `${shown.map(({ zh }) => zh).join("、")}${rest.zh}`,
    en: `${shown.map(({ en }) => en).join(", ")}${rest.en}`,
  };
}

/** Writes the pages as MCP does. Hosts show only the message, so it names the server. */
function toData(pages: readonly RequiredPage[]): { elicitations: Record<string, unknown>[] } {
  const elicitations = pages.map(({ elicitationId, question: { from, message, url } }) => {
    return { mode: "url", ...(elicitationId !== undefined && { elicitationId }), url, message: `[${from}] ${message}` };
  });
  return { elicitations };
}
