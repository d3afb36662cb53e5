import * as z from "zod";
import { DuetError } from "../../kit/errors.ts";
import { detectMediaType } from "../../kit/images/image-type.ts";
import { createLeaveSignal } from "../http/connection.ts";
import { readJsonBody } from "../http/request/read-body.ts";
import { HttpRefusalError } from "../http/response/refusal.ts";
import type { Handle } from "../http/routes.ts";
import type { ApiContext } from "./api-context.ts";
import { readFields } from "./read-fields.ts";

/** Describes the body of the route. */
export const imageBody = z.strictObject({
  url: z
    .url({ protocol: /^https?$/ })
    .max(2_000)
    .describe("The http(s) address of an image."),
});

/** Lists the types that are passed on, by what the bytes are. None of them can hold a script, as an SVG can. */
const passedTypes: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"];

/** Limits one image, in bytes. */
const longestImage = 10_000_000;

/**
 * Serves `POST /agent/images`: an image of the internet that a person wants to see, fetched by the server, so that its site learns
 * nothing of the person. The addresses are those that the network tools may read, and the site gets no cookie.
 */
export function createImageRoute(api: ApiContext): Handle {
  return async (call) => {
    const { url } = readFields(imageBody, await readJsonBody(call, api.settings.http.maxBody));
    const signal = createLeaveSignal(call.connection);
    const { bytes } = await api.duet.fetchFile(url, longestImage, signal).catch((thrown: unknown) => {
      throw thrown instanceof DuetError ? toRefusalError(thrown) : thrown;
    });
    const type = detectMediaType(bytes);
    if (type === undefined || !passedTypes.includes(type)) throw noImageError(type);
    return toFileResponse(bytes, type);
  };
}

/** Whatever a browser does with the address itself, it runs nothing of a file. */
export function toFileResponse(bytes: Uint8Array, type: string, disposition = "inline"): Response {
  return new Response(new Uint8Array(bytes), {
    headers: {
      "content-type": type,
      "content-disposition": disposition,
      "content-security-policy": "default-src 'none'; sandbox",
      "cache-control": "private, max-age=3600",
    },
  });
}

/** The failure is that of another site, and nothing that is wrong with the caller's sign-in or this server. */
function toRefusalError({ text, hint }: DuetError): HttpRefusalError {
  return new HttpRefusalError({ status: 422, error: "invalid_request", text, hint });
}

function noImageError(type: string | undefined): HttpRefusalError {
  const allowed = passedTypes.map((each) => each.replace("image/", "").toUpperCase());
  return new HttpRefusalError({
    status: 422,
    error: "invalid_request",
    text: {
      zh: `该地址返回的不是可显示的图片：${type ?? "未知类型"}（允许：${allowed.join("、")}）`,
      en: `the address gave no image that can be shown: ${type ?? "an unknown type"} (allowed: ${allowed.join(", ")})`,
    },
  });
}
