import { showValue } from "../../../core/tools/argument-feedback.ts";
import { isImageType } from "../../../kit/images/image-type.ts";
import { takeStart } from "../../../kit/text/truncate.ts";
import { HttpRefusalError } from "../../http/response/refusal.ts";
import type { Handle, Route } from "../../http/routes.ts";
import type { ApiContext } from "../api-context.ts";
import { toFileResponse } from "../images.ts";
import { readChoice } from "../page-query.ts";
import { findFile, readStoredFile } from "./earlier-turns.ts";
import { openConversationStore, unknownConversationError } from "./find-conversation.ts";

/** Serves what came with questions, and conversations as files. */
export function createFileRoutes(api: ApiContext): Readonly<Record<string, Route>> {
  return {
    "/agent/conversations/:id/files/:file": { GET: createFileRoute(api) },
    "/agent/conversations/:id/export": { GET: createExportRoute(api) },
  };
}

/** Images are shown. Everything else is saved: what people upload must not run in a browser as a page of this server. */
function createFileRoute(api: ApiContext): Handle {
  return async ({ caller, params: { id = "", file = "" } }) => {
    const store = await openConversationStore(api, caller, id);
    const part = await findFile(store, id, file);
    const found = part && (await readStoredFile(store, id, part));
    if (found === undefined) throw unknownFileError(file);
    const { bytes, name = "file", mediaType = "" } = found;
    if (isImageType(mediaType)) return toFileResponse(bytes, mediaType);
    return toFileResponse(bytes, "application/octet-stream", toAttachment(name));
  };
}

/** Limits the name of an exported file, in UTF-16 units. */
const longestName = 60;

const formats = {
  markdown: { type: "text/markdown; charset=utf-8", extension: "md" },
  json: { type: "application/json", extension: "json" },
} as const;

/** Writes a conversation with all of its branches. */
function createExportRoute(api: ApiContext): Handle {
  return async ({ request, caller, params: { id = "" } }) => {
    const format = readChoice(request, "format", ["markdown", "json"]) ?? "markdown";
    const store = await openConversationStore(api, caller, id);
    const { loadWhole } = await import("../../../render/export/exported-conversation.ts");
    const exported = await loadWhole(store, { id, signal: request.signal });
    if (exported === undefined) throw unknownConversationError(id);
    const options = { locale: api.duet.locale, now: new Date() };
    const write =
      format === "json"
        ? (await import("../../../render/export/to-json.ts")).toConversationJsonText
        : (await import("../../../render/export/to-markdown.ts")).toConversationMarkdown;
    const { type, extension } = formats[format];
    // Half of a surrogate pair could not be encoded for the header.
    const title = takeStart(exported.title.replace(/[^\p{L}\p{N} _-]/gu, "").trim(), longestName);
    const name = `${title || id}.${extension}`;
    return new Response(write(exported, options), {
      headers: { "content-type": type, "content-disposition": toAttachment(name) },
    });
  };
}

/** Writes a file name for a header (RFC 6266); older programs take the one in ASCII. */
function toAttachment(name: string): string {
  const plain = name.replace(/[^\w. -]/g, "_");
  const whole = encodeURIComponent(name).replace(
    /['()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`;
}

function unknownFileError(file: string): HttpRefusalError {
  const shown = showValue(file);
  return new HttpRefusalError({
    status: 404,
    text: {
      zh: `此对话没有编号为 ${shown} 的文件（允许：attachments 中的 id）。`,
      en: `This conversation has no file ${shown} (allowed: an id of its attachments).`,
    },
  });
}
