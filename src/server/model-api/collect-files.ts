import type { GivenTurn } from "../../app/ask/ask-request.ts";
import type { Duet } from "../../app/duet.ts";
import { type Attachment, longestAttachments, mostAttachments } from "../../core/attachment.ts";
import type { FileRefusal } from "../../core/files/prepare-image.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { createTimeLimit, createWaitLimit, timeoutError } from "../../kit/async/timeout.ts";
import { toDuetError } from "../../kit/errors.ts";
import type { Locale, Text } from "../../kit/locale.ts";
import { describeExcess } from "../../runs/attachment-input.ts";
import { HttpRefusalError } from "../http/response/refusal.ts";
import type { RequestConversation, RequestTurn, WireFile } from "./answer/answer-request.ts";
import { fieldRefusedError } from "./field-refused-error.ts";

/** Holds the files of a request, and what has to be told about those that are missing. */
export interface CollectedFiles {
  attachments: Attachment[];
  history: GivenTurn[];
  notes: Text[];
}

/** Limits how long the addresses of one request are fetched, in milliseconds. */
const longestMs = 30_000;

/** Limits how long the files of one question are checked, in milliseconds. What is left then is read by the run, which tells what it cannot. */
const longestCheckMs = 30_000;

export interface CollectOptions {
  /** Is the field that holds the messages. */
  field: string;
  duet: Pick<Duet, "fetchFile" | "checkFile">;
  locale: Locale;
  signal: AbortSignal;
}

/**
 * Fetches what a request's images only name by an address. A file of the question that cannot be had or read throws `HttpRefusalError`
 * (400, or 503 where too much else is being read); one of the history, which the client sends again with each question, is left out, and so are the oldest beyond the limit.
 */
export async function collectFiles(
  { files, history }: Pick<RequestConversation, "files" | "history">,
  { field, duet, locale, signal: outer }: CollectOptions,
): Promise<CollectedFiles> {
  if (files.length === 0 && history.every((turn) => turn.files.length === 0))
    return { attachments: [], history: history.map(toTurn), notes: [] };
  const limit = createTimeLimit(longestMs, () => timeoutError("image_url", longestMs), outer);
  let room = longestAttachments;

  async function get(file: WireFile): Promise<Attachment> {
    const found = "attachment" in file ? file.attachment : await duet.fetchFile(file.url, room, limit.signal);
    room -= found.bytes.length;
    return found;
  }

  try {
    const attachments = await collectOwn(files, field, get);
    const goOn = limit.pause();
    await checkOwn(attachments, { places: files.map(({ place }) => place), duet, locale, outer });
    goOn();
    const turns: GivenTurn[] = [];
    let left = mostAttachments - attachments.length;
    let missing = 0;
    for (const turn of history.toReversed()) {
      const found: Attachment[] = [];
      for (const file of turn.files) {
        const isWanted = left > 0 && room > 0 && !("attachment" in file && file.attachment.bytes.length > room);
        const attachment = await ignoreRejection(isWanted ? get(file) : undefined, "a note tells how many are missing");
        outer.throwIfAborted();
        if (attachment === undefined) missing += 1;
        else found.push(attachment);
        left -= attachment === undefined ? 0 : 1;
      }
      turns.unshift({ ...toTurn(turn), ...(found.length > 0 && { attachments: found }) });
    }
    return { attachments, history: turns, notes: missing > 0 ? [describeMissing(missing)] : [] };
  } finally {
    limit.clear();
  }
}

async function collectOwn(
  files: readonly WireFile[],
  field: string,
  get: (file: WireFile) => Promise<Attachment>,
): Promise<Attachment[]> {
  const given = files.map((file) => ("attachment" in file ? file.attachment : { bytes: new Uint8Array() }));
  refuseExcess(given, field);
  const found: Attachment[] = [];
  for (const file of files) {
    const attachment = await get(file).catch((thrown) => {
      throw fieldRefusedError(file.place, toDuetError(thrown).text);
    });
    found.push(attachment);
  }
  refuseExcess(found, field);
  return found;
}

interface CheckOptions extends Pick<CollectOptions, "duet" | "locale"> {
  /** Lists the places of the files. */
  places: readonly string[];
  outer: AbortSignal;
}

/** The question may be a file alone, and would be about nothing without it. */
async function checkOwn(files: readonly Attachment[], { places, duet, locale, outer }: CheckOptions): Promise<void> {
  const limit = createWaitLimit(longestCheckMs, outer);
  try {
    for (const [index, file] of files.entries()) {
      const place = places[index] ?? "";
      const refused = await duet.checkFile(file, locale, limit.signal).catch((thrown) => {
        if (!limit.expired) throw thrown;
      });
      // The machine may have been too slow for it, rather than the file too long.
      if (refused && refused.code !== "timeout") throw toCheckError(refused, place);
    }
  } finally {
    limit.clear();
  }
}

/** Too much work is no fault of the file: the client is asked to come back. */
function toCheckError({ refusal, code }: FileRefusal, place: string): HttpRefusalError {
  const wrong = fieldRefusedError(place, refusal);
  if (code !== "overloaded") return wrong;
  return new HttpRefusalError({ ...wrong.refusal, status: 503, error: code, headers: { "retry-after": "5" } });
}

function refuseExcess(files: readonly Attachment[], param: string): void {
  const text = describeExcess(files);
  if (text) throw new HttpRefusalError({ status: 400, text, param });
}

function toTurn({ question, answer, steps }: RequestTurn): GivenTurn {
  return { question, answer, ...(steps.length > 0 && { givenSteps: steps }) };
}

function describeMissing(count: number): Text {
  return {
    zh: `先前消息中有 ${count} 个文件未取得，已略过。`,
    en: `Files of earlier messages were left out (${count}).`,
  };
}
