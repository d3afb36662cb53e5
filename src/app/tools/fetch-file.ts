import type { Config } from "../../config/config.ts";
import type { Attachment } from "../../core/attachment.ts";
import { DuetError } from "../../kit/errors.ts";
import { version } from "../../kit/version.ts";
import { longestDocument } from "../../tools/documents/document.ts";
import { createToolFetch } from "../../tools/outgoing/create-tool-fetch.ts";
import { readContentType } from "../../tools/page/page.ts";

/** Limits one file, in milliseconds. */
const timeoutMs = 15_000;

/**
 * Fetches a file that a question names by its address, from where the network tools may read as well, of at most `room` bytes.
 * Throws a `DuetError` that says why it cannot be had, or the signal's reason.
 */
export async function fetchFile({ web }: Config, url: string, room: number, signal: AbortSignal): Promise<Attachment> {
  const maxBytes = Math.min(room, longestDocument);
  const response = await createToolFetch(web).request({
    url,
    headers: { accept: "image/*,application/pdf;q=0.9,*/*;q=0.5", "user-agent": `duet-mcp/${version}` },
    maxBytes,
    timeoutMs,
    maxRedirects: 5,
    signal,
  });
  const { status, headers, body, truncated } = response;
  if (status < 200 || status >= 300) throw refusedFileError(status);
  if (truncated) throw tooLargeFileError(maxBytes);
  const name = new URL(response.url).pathname.split("/").at(-1);
  return {
    bytes: body,
    name: name || undefined,
    mediaType: readContentType(headers["content-type"]).type || undefined,
  };
}

function refusedFileError(status: number): DuetError {
  return new DuetError({
    code: "invalid_request",
    text: { zh: `网站没有返回文件（HTTP ${status}）`, en: `the site did not give the file (HTTP ${status})` },
  });
}

function tooLargeFileError(maxBytes: number): DuetError {
  const megabytes = maxBytes / 1_000_000;
  return new DuetError({
    code: "invalid_request",
    text: {
      zh: `文件太大（允许：最多 ${megabytes} MB）`,
      en: `the file is too large (allowed: at most ${megabytes} MB)`,
    },
  });
}
