import type { ResponseRecord, ResponseRecords } from "../../core/store/response-records.ts";
import { isDataUrl } from "../../kit/base64.ts";
import { isRecord, toText, tryParseJson } from "../../kit/json.ts";
import { itemPrefixes, toItemId } from "./ids.ts";
import type { WireItem } from "./read-items.ts";
import type { ResponsesBody } from "./request-body.ts";
import type { WireResponse } from "./response-object.ts";

/** Holds what is kept of a response: what was asked, and the answer as it was at the last change. */
export interface StoredResponse {
  response: WireResponse;
  /** Lists the items of the request itself, without those before it. */
  input: readonly WireItem[];
  body: ResponsesBody;
  /** Lists what the reader was told before the answer. */
  notes: readonly string[];
  conversationId?: string | undefined;
}

/** Says which states of a response are its last one. */
const lastStates: ReadonlySet<unknown> = new Set(["completed", "incomplete", "failed", "cancelled"]);

export function isOver({ status }: Pick<WireResponse, "status">): boolean {
  return lastStates.has(status);
}

export async function saveResponse(records: ResponseRecords | undefined, stored: StoredResponse): Promise<void> {
  await records?.put(toRecord(stored));
}

/** Saves a response that was saved before, unless another process has removed it since. */
export async function saveResponseAgain(records: ResponseRecords | undefined, stored: StoredResponse): Promise<void> {
  await records?.replace(toRecord(stored));
}

function toRecord({ conversationId, ...stored }: StoredResponse): ResponseRecord {
  return { id: stored.response.id, conversationId, body: JSON.stringify(stored) };
}

export async function loadResponse(
  records: ResponseRecords | undefined,
  id: string,
): Promise<StoredResponse | undefined> {
  const record = await records?.get(id);
  return record && parseRecord(record);
}

/** A store reads only what was written to it, so the check only recognises the value. */
function parseRecord({ body, conversationId }: ResponseRecord): StoredResponse | undefined {
  const stored: unknown = tryParseJson(body);
  return isStored(stored) ? { ...stored, conversationId } : undefined;
}

function isStored(value: unknown): value is StoredResponse {
  return isRecord(value) && isRecord(value.response) && Array.isArray(value.input) && isRecord(value.body);
}

/** Limits what is kept of the images and files of a request, in UTF-16 units. */
const longestFiles = 1_000_000;

/** Returns the items of a request as they are kept and listed: each with an ID, a text as a part, and without files that are too long. */
export function toKeptItems(responseId: string, items: readonly WireItem[]): WireItem[] {
  let left = longestFiles;

  function keepPart(part: unknown): unknown {
    if (!isRecord(part)) return part;
    const data = [toText(part.image_url), toText(part.file_data)].find((each) => isData(each));
    if (data === undefined) return part;
    left -= data.length;
    return left >= 0 ? part : { type: "input_text", text: "[…]" };
  }

  return items.map((item, index) => {
    const isMessage = item.type === "message" || (item.type === undefined && item.role !== undefined);
    const kept = { id: toItemId(itemPrefixes.input, responseId, index), ...item };
    if (Array.isArray(item.output)) return { ...kept, output: item.output.map(keepPart) };
    if (!isMessage) return kept;
    const partType = item.role === "assistant" ? "output_text" : "input_text";
    const parts = typeof item.content === "string" ? [{ type: partType, text: item.content }] : item.content;
    const content = Array.isArray(parts) ? parts.map(keepPart) : parts;
    return { ...kept, type: "message", status: "completed", content };
  });
}

function isData(text: string): boolean {
  return text !== "" && (isDataUrl(text) || !/^https?:/i.test(text));
}
